/* SPDX-License-Identifier: MIT */
/*
 * What goes along with a body: its SHA-256, for the signature, and a
 * checksum, for the server to compare.
 * Threads: a digester belongs to one.
 */
#ifndef S3PERF_DIGESTS_H
#define S3PERF_DIGESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "checksum.h"
#include "payload.h"

/* "" for what was not wanted. */
struct digests {
    char hash[PAYLOAD_HASH_SIZE]; /* hex */
    char sum[CHECKSUM_TEXT_SIZE]; /* base64 */
};

/* Which are wanted. */
struct digests_wish {
    bool unhashed; /* no SHA-256 */
    enum checksum_kind sum; /* CHECKSUM_NONE: no checksum */
};

struct digester {
    struct digests_wish wish;
    struct checksum sum;
    unsigned char *piece; /* owned */
};

/* Memory is got here only. Returns: 0 or ENOMEM. Pair with
 * digester_clear(), which is safe twice. */
int digester_init(struct digester *d, const struct digests_wish *wish);
void digester_clear(struct digester *d);

/* Of the SIZE bytes at OFFSET of OBJECT, which P generates. Returns: 0, or
 * EIO of OpenSSL. */
int digester_generated(struct digester *d, struct digests *out,
                       struct payload *p, uint64_t object, uint64_t offset,
                       uint64_t size);

/* Of N bytes. Returns likewise. */
int digester_bytes(struct digester *d, struct digests *out, const void *bytes,
                   size_t n);

#endif
