/* SPDX-License-Identifier: MIT */
/*
 * Generated object content: a function of seed, key and offset, and of
 * nothing else, so any range of any object can be made again to verify it.
 *
 * It is an AES-128-CTR keystream: the cipher key comes from the seed, the
 * upper half of the counter block from the object's key, the lower half is
 * the 16-byte block number. No 4 KiB of any two objects are alike, and
 * nothing in it compresses or deduplicates.
 * Threads: one generator belongs to one thread.
 */
#ifndef S3PERF_PAYLOAD_H
#define S3PERF_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAYLOAD_HASH_SIZE 65 /* hex SHA-256 and NUL */

struct payload; /* a generator: the cipher, keyed by the seed */

/* Returns: 0, ENOMEM, or EIO if OpenSSL fails. */
int payload_new(struct payload **out, uint64_t seed);
void payload_free(struct payload *p);

/* What stands for an object's key in the content: 64 bits of its hash. */
uint64_t payload_object(const char *key, size_t len);

/* Write the N bytes at OFFSET of OBJECT. Allocates nothing. */
void payload_fill(struct payload *p, uint64_t object, uint64_t offset,
                  void *out, size_t n);

/* Returns: how many of the N bytes at OFFSET are as generated; N when all
 * are, else the index of the first that differs. Allocates nothing. */
size_t payload_match(struct payload *p, uint64_t object, uint64_t offset,
                     const void *bytes, size_t n);

/* Hex SHA-256 of the SIZE bytes of OBJECT, generated in pieces. */
void payload_hash(struct payload *p, uint64_t object, uint64_t size,
                  char out[PAYLOAD_HASH_SIZE]);

#endif
