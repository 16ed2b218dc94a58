/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_checksum.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#define PREFIX "x-amz-checksum-"
#define CRC_KINDS 3
#define SLICES 8

static const struct {
    const char *header, *name, *element;
    size_t bytes;
    uint64_t polynomial; /* reflected */
} kinds[MEM_CHECKSUM_KINDS] = {
    [MEM_CRC32] = {PREFIX "crc32", "CRC32", "ChecksumCRC32", 4, 0xedb88320},
    [MEM_CRC32C] = {PREFIX "crc32c", "CRC32C", "ChecksumCRC32C", 4, 0x82f63b78},
    [MEM_CRC64NVME] = {PREFIX "crc64nvme", "CRC64NVME", "ChecksumCRC64NVME", 8,
                       0x9a6c9329ac4bc9b5},
    [MEM_SHA1] = {PREFIX "sha1", "SHA1", "ChecksumSHA1", 20, 0},
    [MEM_SHA256] = {PREFIX "sha256", "SHA256", "ChecksumSHA256", 32, 0},
};

/* tables[k][s][b]: what byte b does to CRC k when s bytes follow it. */
static uint64_t tables[CRC_KINDS][SLICES][256];

void
mem_checksum_prepare(void)
{
    for (int k = 0; k < CRC_KINDS; k++) {
        uint64_t(*t)[256] = tables[k];

        for (unsigned b = 0; b < 256; b++) {
            uint64_t crc = b;

            for (int bit = 0; bit < 8; bit++)
                crc = crc & 1 ? crc >> 1 ^ kinds[k].polynomial : crc >> 1;
            t[0][b] = crc;
        }
        for (unsigned b = 0; b < 256; b++)
            for (int s = 1; s < SLICES; s++)
                t[s][b] = t[s - 1][b] >> 8 ^ t[0][t[s - 1][b] & 255];
    }
}

const char *
mem_checksum_header(int kind)
{
    return kinds[kind].header;
}

const char *
mem_checksum_name(int kind)
{
    return kinds[kind].name;
}

const char *
mem_checksum_element(int kind)
{
    return kinds[kind].element;
}

int
mem_checksum_by_header(const char *name)
{
    for (int k = 0; k < MEM_CHECKSUM_KINDS; k++)
        if (strcasecmp(kinds[k].header, name) == 0)
            return k;
    return -1;
}

int
mem_checksum_by_name(const char *name)
{
    for (int k = 0; k < MEM_CHECKSUM_KINDS; k++)
        if (strcasecmp(kinds[k].name, name) == 0)
            return k;
    return -1;
}

int
mem_checksum_by_element(const char *name)
{
    for (int k = 0; k < MEM_CHECKSUM_KINDS; k++)
        if (strcmp(kinds[k].element, name) == 0)
            return k;
    return -1;
}

bool
mem_checksum_is_crc(int kind)
{
    return kind >= 0 && kind < CRC_KINDS;
}

size_t
mem_checksum_bytes(int kind)
{
    return kinds[kind].bytes;
}

size_t
mem_checksum_text_len(int kind)
{
    return (kinds[kind].bytes + 2) / 3 * 4;
}

void
mem_checksum_init(struct mem_checksum *c)
{
    c->kind = -1;
    c->digest = NULL;
}

void
mem_checksum_clear(struct mem_checksum *c)
{
    EVP_MD_CTX_free(c->digest);
    mem_checksum_init(c);
}

int
mem_checksum_begin(struct mem_checksum *c, int kind)
{
    const EVP_MD *md = kind == MEM_SHA1 ? EVP_sha1() : EVP_sha256();

    mem_checksum_clear(c);
    c->crc = kinds[kind].bytes == 4 ? UINT32_MAX : UINT64_MAX;
    if (kind >= CRC_KINDS) {
        c->digest = EVP_MD_CTX_new();
        if (c->digest == NULL || !EVP_DigestInit_ex2(c->digest, md, NULL))
            return ENOMEM;
    }
    c->kind = kind;
    return 0;
}

bool
mem_checksum_resume(struct mem_checksum *c, int kind, const char *text)
{
    unsigned char bytes[MEM_CHECKSUM_TEXT];
    size_t n = mem_checksum_text_len(kind);
    uint64_t crc = 0;

    if (strlen(text) != n || mem_checksum_begin(c, kind) != 0 ||
        EVP_DecodeBlock(bytes, (const unsigned char *) text, (int) n) < 0)
        return false;
    for (size_t i = 0; i < kinds[kind].bytes; i++)
        crc = crc << 8 | bytes[i];
    c->crc = ~crc & (kinds[kind].bytes == 4 ? UINT32_MAX : UINT64_MAX);
    return true;
}

static uint64_t
add_crc(uint64_t crc, uint64_t (*t)[256], const unsigned char *at, size_t n)
{
    for (; n >= SLICES; n -= SLICES, at += SLICES) {
        uint64_t next = 0;

        for (int i = SLICES - 1; i >= 0; i--)
            next = next << 8 | at[i];
        crc ^= next;
        next = 0;
        for (int i = 0; i < SLICES; i++)
            next ^= t[SLICES - 1 - i][crc >> (8 * i) & 255];
        crc = next;
    }
    for (; n > 0; n--)
        crc = crc >> 8 ^ t[0][(crc ^ *at++) & 255];
    return crc;
}

int
mem_checksum_add(struct mem_checksum *c, const void *bytes, size_t n)
{
    if (c->kind < 0)
        return 0;
    if (c->digest != NULL)
        return EVP_DigestUpdate(c->digest, bytes, n) ? 0 : EIO;
    c->crc = add_crc(c->crc, tables[c->kind], (const unsigned char *) bytes, n);
    return 0;
}

void
mem_checksum_end(struct mem_checksum *c, char out[MEM_CHECKSUM_TEXT])
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    size_t n = kinds[c->kind].bytes;

    if (c->digest != NULL)
        EVP_DigestFinal_ex(c->digest, bytes, NULL);
    else
        for (size_t i = 0; i < n; i++)
            bytes[i] = (unsigned char) (~c->crc >> (8 * (n - 1 - i)));
    EVP_EncodeBlock((unsigned char *) out, bytes, (int) n);
}
