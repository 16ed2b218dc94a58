/* SPDX-License-Identifier: MIT */
/*
 * The buckets that a run is spread over: BASE itself, or BASE1, BASE2, ...
 */
#ifndef S3PERF_BUCKETS_H
#define S3PERF_BUCKETS_H

#include <stddef.h>
#include <stdint.h>

#define BUCKETS_MAX 10000u /* what AWS allows an account */

struct buckets {
    char *names; /* owned: all of them, each in `room` bytes */
    size_t room;
    uint32_t count; /* at least 1 */
};

/* COUNT names that begin with BASE; 0: BASE is the only one. Returns: 0 or
 * ENOMEM. */
int buckets_init(struct buckets *b, const char *base, uint32_t count);
void buckets_clear(struct buckets *b);

/* The bucket of what is number INDEX, from 0: they are dealt out in turn.
 * The text lives until buckets_clear(). */
const char *buckets_name(const struct buckets *b, uint64_t index);

#endif
