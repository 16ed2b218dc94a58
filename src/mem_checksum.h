/* SPDX-License-Identifier: MIT */
/*
 * S3's additional checksums: CRC-32, CRC-32C, CRC-64/NVME, SHA-1, SHA-256,
 * as base64 of their bytes, the highest first.
 * Source: AWS, "Checking object integrity"; the CRCs are reflected ones, of
 * the polynomials 04C11DB7, 1EDC6F41 and AD93D23594C93659.
 * Threads: mem_checksum_prepare() once, before any other starts.
 */
#ifndef S3PERF_MEM_CHECKSUM_H
#define S3PERF_MEM_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/evp.h>

#define MEM_CHECKSUM_BYTES 32 /* the most there are */
#define MEM_CHECKSUM_TEXT 45 /* their base64 and NUL */

enum mem_checksum_kind {
    MEM_CRC32,
    MEM_CRC32C,
    MEM_CRC64NVME,
    MEM_SHA1,
    MEM_SHA256,
    MEM_CHECKSUM_KINDS
};

struct mem_checksum {
    int kind; /* -1: none is computed */
    uint64_t crc;
    EVP_MD_CTX *digest;
};

/* Make the tables. */
void mem_checksum_prepare(void);

/* "x-amz-checksum-crc32", "CRC32", "ChecksumCRC32" */
const char *mem_checksum_header(int kind);
const char *mem_checksum_name(int kind);
const char *mem_checksum_element(int kind);

/* The kind whose header is called NAME, or whose algorithm is, in any case,
 * or whose element is. Returns: -1 when there is none. */
int mem_checksum_by_header(const char *name);
int mem_checksum_by_name(const char *name);
int mem_checksum_by_element(const char *name);

/* Can a sum of KIND go on from its value? */
bool mem_checksum_is_crc(int kind);

/* How many bytes KIND has, and how long their base64 is. */
size_t mem_checksum_bytes(int kind);
size_t mem_checksum_text_len(int kind);

/* Nothing is computed yet. */
void mem_checksum_init(struct mem_checksum *c);
void mem_checksum_clear(struct mem_checksum *c);

/* Returns: 0 or ENOMEM. */
int mem_checksum_begin(struct mem_checksum *c, int kind);
int mem_checksum_add(struct mem_checksum *c, const void *bytes, size_t n);

/* Go on from TEXT, a CRC of KIND. false when it is none. */
bool mem_checksum_resume(struct mem_checksum *c, int kind, const char *text);

/* Write the base64 of what was added. */
void mem_checksum_end(struct mem_checksum *c, char out[MEM_CHECKSUM_TEXT]);

#endif
