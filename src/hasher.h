/* SPDX-License-Identifier: MIT */
/*
 * Hashes and checksums of bodies that are yet to be sent, made ahead of the
 * operations by a thread of its own: for runs with more bodies than can be
 * hashed before the clock starts. Threads: any may take; the rest is one
 * thread's.
 */
#ifndef S3PERF_HASHER_H
#define S3PERF_HASHER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "digests.h"
#include "parts.h"
#include "payload.h"
#include "workload.h"

struct hasher;

/* Bodies of names: whole objects, or their parts. */
struct hasher_cut {
    struct parts_rule rule;
    uint32_t stride; /* bodies of an object at most; at least 1 */
    struct digests_wish wish; /* of each */
};

/*
 * Begin with the bodies of W's names, from the first on; STYLE and SEED say
 * what they are like, CUT what they are of. Returns when a good many are ready:
 * all that the hasher keeps, or half a GiB of bodies. Gives up early when *STOP
 * is set. Returns: 0 or an errno value.
 */
int hasher_open(struct hasher **out, const struct workload *w,
                const struct hasher_cut *cut, const struct payload_style *style,
                uint64_t seed, const atomic_int *stop);

/* The digests of body number PIECE, from 0, of the object of SIZE bytes; ""
 * when it has no such body. D is for what CUT wishes. Returns: 0, EIO of
 * OpenSSL. */
int hasher_digest(struct digester *d, struct digests *out, struct payload *p,
                  const struct hasher_cut *cut, uint64_t object, uint64_t size,
                  uint32_t piece);

/* Ends the thread. H may be NULL. */
void hasher_close(struct hasher *h);

enum hasher_answer {
    HASHER_TAKEN,
    HASHER_NOT_YET, /* its turn is still to come: ask again */
    HASHER_GONE /* not to be had any more: make it yourself */
};

/* Take the digests of body number PIECE of name number INDEX, which W has given
 * out. Never waits. */
enum hasher_answer hasher_take(struct hasher *h, uint64_t index, uint32_t piece,
                               struct digests *out);

#endif
