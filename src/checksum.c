/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "checksum.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "checksum_parts.h"

#define PREFIX "x-amz-checksum-"

static const struct {
    const char *name, *algorithm, *element, *header;
    size_t bytes;
} kinds[CHECKSUM_KINDS] = {
    [CHECKSUM_NONE] = {"none", "", "", "", 0},
    [CHECKSUM_CRC32] = {"crc32", "CRC32", "ChecksumCRC32", PREFIX "crc32", 4},
    [CHECKSUM_CRC32C] = {"crc32c", "CRC32C", "ChecksumCRC32C", PREFIX "crc32c",
                         4},
    [CHECKSUM_CRC64NVME] = {"crc64nvme", "CRC64NVME", "ChecksumCRC64NVME",
                            PREFIX "crc64nvme", 8},
    [CHECKSUM_SHA1] = {"sha1", "SHA1", "ChecksumSHA1", PREFIX "sha1", 20},
    [CHECKSUM_SHA256] = {"sha256", "SHA256", "ChecksumSHA256", PREFIX "sha256",
                         32},
    [CHECKSUM_MD5] = {"md5", "MD5", "ChecksumMD5", "Content-MD5", 16},
};

bool
checksum_parse(enum checksum_kind *out, const char *name)
{
    for (int k = CHECKSUM_NONE + 1; k < CHECKSUM_KINDS; k++)
        if (strcasecmp(kinds[k].name, name) == 0) {
            *out = (enum checksum_kind) k;
            return true;
        }
    return false;
}

const char *
checksum_name(enum checksum_kind kind)
{
    return kinds[kind].name;
}

const char *
checksum_algorithm(enum checksum_kind kind)
{
    return kinds[kind].algorithm;
}

const char *
checksum_element(enum checksum_kind kind)
{
    return kinds[kind].element;
}

const char *
checksum_header(enum checksum_kind kind)
{
    return kinds[kind].header;
}

size_t
checksum_bytes(enum checksum_kind kind)
{
    return kinds[kind].bytes;
}

size_t
checksum_text_len(enum checksum_kind kind)
{
    return (kinds[kind].bytes + 2) / 3 * 4;
}

static bool
is_crc(enum checksum_kind kind)
{
    return kind >= CHECKSUM_CRC32 && kind <= CHECKSUM_CRC64NVME;
}

/* The register of KIND before the first byte; also what its value is the
 * complement in. */
static uint64_t
all_ones(enum checksum_kind kind)
{
    return kinds[kind].bytes == 4 ? UINT32_MAX : UINT64_MAX;
}

static const EVP_MD *
find_digest(enum checksum_kind kind)
{
    switch (kind) {
    case CHECKSUM_SHA1:
        return EVP_sha1();
    case CHECKSUM_SHA256:
        return EVP_sha256();
    default:
        return EVP_md5();
    }
}

int
checksum_init(struct checksum *c, enum checksum_kind kind)
{
    *c = (struct checksum){.kind = kind};
    if (kind == CHECKSUM_NONE || is_crc(kind))
        return 0;
    c->digest = EVP_MD_CTX_new();
    if (c->digest == NULL ||
        EVP_DigestInit_ex2(c->digest, find_digest(kind), NULL) != 1) {
        checksum_clear(c);
        return ENOMEM;
    }
    return 0;
}

void
checksum_clear(struct checksum *c)
{
    EVP_MD_CTX_free(c->digest);
    *c = (struct checksum){.kind = CHECKSUM_NONE};
}

static void
note(struct checksum *c, int good)
{
    if (good != 1)
        c->err = EIO;
}

void
checksum_begin(struct checksum *c)
{
    c->err = 0;
    if (c->digest != NULL)
        note(c, EVP_DigestInit_ex2(c->digest, NULL, NULL));
    else
        c->crc = all_ones(c->kind);
}

void
checksum_add(struct checksum *c, const void *bytes, size_t n)
{
    if (c->digest != NULL)
        note(c, EVP_DigestUpdate(c->digest, bytes, n));
    else if (c->kind != CHECKSUM_NONE)
        c->crc = checksum_crc_add(c->kind, c->crc, bytes, n, false);
}

static void
store(unsigned char *out, size_t n, uint64_t value)
{
    for (size_t i = n; i-- > 0; value >>= 8)
        out[i] = (unsigned char) value;
}

int
checksum_end(struct checksum *c, unsigned char out[CHECKSUM_BYTES_MAX])
{
    unsigned char digest[EVP_MAX_MD_SIZE] = {0};
    size_t n = kinds[c->kind].bytes;

    if (c->digest == NULL) {
        store(out, n, ~c->crc);
        return 0;
    }
    note(c, EVP_DigestFinal_ex(c->digest, digest, NULL));
    memcpy(out, digest, n);
    return c->err;
}

void
checksum_text(char out[CHECKSUM_TEXT_SIZE], enum checksum_kind kind,
              const unsigned char *bytes)
{
    out[0] = '\0';
    EVP_EncodeBlock((unsigned char *) out, bytes, (int) kinds[kind].bytes);
}

uint64_t
checksum_crc(enum checksum_kind kind, const void *bytes, size_t n,
             bool portable)
{
    uint64_t ones = all_ones(kind);

    return checksum_crc_add(kind, ones, bytes, n, portable) ^ ones;
}
