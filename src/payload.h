/* SPDX-License-Identifier: MIT */
/*
 * Generated object content: a function of style, seed, key and offset, and
 * of nothing else, so any range of any object can be made again to verify
 * it. doc/payload.md says what each style is good for and what it costs.
 *
 * Random content is an AES-128-CTR keystream: the cipher key comes from the
 * seed, the upper half of the counter block from the object's key, the lower
 * half is the 16-byte block number. No 4 KiB of any two objects are alike,
 * and nothing in it compresses or deduplicates.
 * Threads: one generator belongs to one thread.
 */
#ifndef S3PERF_PAYLOAD_H
#define S3PERF_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAYLOAD_HASH_SIZE 65 /* hex SHA-256 and NUL */

enum payload_form {
    PAYLOAD_RANDOM,
    PAYLOAD_ZERO,
    PAYLOAD_TEXT, /* English words in lines */
    PAYLOAD_REPEAT /* the given bytes again and again */
};

/* What content is like. All zero: random. */
struct payload_style {
    enum payload_form form;
    uint32_t percent; /* PAYLOAD_RANDOM: so much of it compresses away */
    const unsigned char *bytes; /* PAYLOAD_REPEAT: not owned, LEN > 0 */
    uint64_t len;
};

/* "random", "zero" or "text"; false, *OUT untouched, for anything else. */
bool payload_parse_form(enum payload_form *out, const char *name);

/* Whether the content is the same whatever the object. */
bool payload_is_alike(const struct payload_style *style);

struct payload; /* a generator: the cipher, keyed by the seed */

/* STYLE is copied. Returns: 0, ENOMEM, or EIO if OpenSSL fails. */
int payload_new(struct payload **out, const struct payload_style *style,
                uint64_t seed);
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

/* Hex SHA-256 of the SIZE bytes at OFFSET of OBJECT, generated in pieces. */
void payload_hash(struct payload *p, uint64_t object, uint64_t offset,
                  uint64_t size, char out[PAYLOAD_HASH_SIZE]);

#endif
