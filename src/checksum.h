/* SPDX-License-Identifier: MIT */
/*
 * The checksums that S3 takes and gives along with a body: CRC-32, CRC-32C,
 * CRC-64/NVME, SHA-1, SHA-256 and MD5; in headers and documents as base64 of
 * their bytes, the highest first.
 * The CRCs are made with carry-less multiplication where the processor has
 * it, which is as fast as memory, and with tables where it has not.
 * Source: AWS, "Checking object integrity"; the CRCs are reflected ones, of
 * the polynomials 04C11DB7, 1EDC6F41 and AD93D23594C93659.
 * Threads: a struct belongs to one at a time; the rest is for any.
 */
#ifndef S3PERF_CHECKSUM_H
#define S3PERF_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/evp.h>

#define CHECKSUM_BYTES_MAX 32
#define CHECKSUM_TEXT_SIZE 45 /* base64 of so many bytes, and NUL */

enum checksum_kind {
    CHECKSUM_NONE,
    CHECKSUM_CRC32,
    CHECKSUM_CRC32C,
    CHECKSUM_CRC64NVME,
    CHECKSUM_SHA1,
    CHECKSUM_SHA256,
    CHECKSUM_MD5,
    CHECKSUM_KINDS
};

/* Read "crc32", "sha256", ... in any case; false, *OUT untouched, for what
 * is none of them. */
bool checksum_parse(enum checksum_kind *out, const char *name);

/* "crc32c", "CRC32C" and "ChecksumCRC32C". */
const char *checksum_name(enum checksum_kind kind);
const char *checksum_algorithm(enum checksum_kind kind);
const char *checksum_element(enum checksum_kind kind);

/* The header that carries it: "x-amz-checksum-crc32c", but of MD5 the one
 * that all servers know, "Content-MD5". */
const char *checksum_header(enum checksum_kind kind);

/* How many bytes it has, and how long their base64 is. */
size_t checksum_bytes(enum checksum_kind kind);
size_t checksum_text_len(enum checksum_kind kind);

/* One checksum in the making. */
struct checksum {
    enum checksum_kind kind;
    uint64_t crc; /* its register */
    EVP_MD_CTX *digest; /* of the others */
    int err; /* 0, or EIO once OpenSSL has failed */
};

/* Get ready for checksums of KIND: memory is got here only. CHECKSUM_NONE is
 * one that nothing is added to. Returns: 0 or ENOMEM. Pair with
 * checksum_clear(), which is safe twice. */
int checksum_init(struct checksum *c, enum checksum_kind kind);
void checksum_clear(struct checksum *c);

/* Begin with no bytes, add N, end: OUT gets checksum_bytes() of them. After
 * the end only a new begin is allowed.
 * Returns of the end: 0, or EIO if OpenSSL failed at any time since. */
void checksum_begin(struct checksum *c);
void checksum_add(struct checksum *c, const void *bytes, size_t n);
int checksum_end(struct checksum *c, unsigned char out[CHECKSUM_BYTES_MAX]);

/* The base64 of BYTES, which are a checksum of KIND. */
void checksum_text(char out[CHECKSUM_TEXT_SIZE], enum checksum_kind kind,
                   const unsigned char *bytes);

/* The CRC of KIND, one of the three, of N bytes, in one step. PORTABLE: by
 * tables, whatever the processor has. */
uint64_t checksum_crc(enum checksum_kind kind, const void *bytes, size_t n,
                      bool portable);

#endif
