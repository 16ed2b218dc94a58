/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 of bodies that are yet to be sent, made ahead of the operations by
 * a thread of its own: for runs with more bodies than can be hashed before
 * the clock starts.
 * Threads: any may take; the rest is one thread's.
 */
#ifndef S3PERF_HASHER_H
#define S3PERF_HASHER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "payload.h"
#include "workload.h"

struct hasher;

/*
 * Begin with the bodies of W's names, from the first on; STYLE and SEED say
 * what they are like. Returns when a good many are ready: all that the
 * hasher keeps, or half a GiB of bodies. Gives up early when *STOP is set.
 * Returns: 0 or an errno value.
 */
int hasher_open(struct hasher **out, const struct workload *w,
                const struct payload_style *style, uint64_t seed,
                const atomic_int *stop);

/* Ends the thread. H may be NULL. */
void hasher_close(struct hasher *h);

enum hasher_answer {
    HASHER_TAKEN,
    HASHER_NOT_YET, /* its turn is still to come: ask again */
    HASHER_GONE /* not to be had any more: make it yourself */
};

/* Take the hash of the body of name number INDEX, which W has given out.
 * Never waits. */
enum hasher_answer hasher_take(struct hasher *h, uint64_t index,
                               char hash[PAYLOAD_HASH_SIZE]);

#endif
