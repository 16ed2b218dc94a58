/* SPDX-License-Identifier: MIT */
/*
 * A mix of operations and how it is dealt out: evenly, so that after any
 * number of operations each kind has its share to within one operation. A
 * kind that cannot be dealt is passed over, and catches up when it can be.
 */
#ifndef S3PERF_MIX_H
#define S3PERF_MIX_H

#include <stdbool.h>
#include <stdint.h>

enum mix_kind {
    MIX_GET,
    MIX_GET_RANGE,
    MIX_HEAD,
    MIX_PUT,
    MIX_RM,
    MIX_LS,
    MIX_CP,
    MIX_KINDS,
    MIX_NONE = MIX_KINDS
};

struct mix {
    int64_t weights[MIX_KINDS]; /* what divides all is taken out */
    double rate_per_s; /* of all together; 0: they are mere shares */
};

/* "get", "get-range", ... */
const char *mix_name(enum mix_kind kind);

/* Read "get=45,head=30,put=15,rm=10", or rates: "get=200/s,put=20/s"; what
 * is not there, or 0, does not occur. Returns: NULL, or a static text that
 * says what is wrong, with *OUT untouched. */
const char *mix_parse(struct mix *out, const char *text);

/* The sum of the weights. */
int64_t mix_sum(const struct mix *m);

/* KIND's part of the whole, 0 to 1. */
double mix_share(const struct mix *m, enum mix_kind kind);

/* Where a dealer stands. */
struct mix_dealer {
    int64_t owed[MIX_KINDS]; /* in parts of 1 / mix_sum() operations */
};

/* Begin as if FIRST operations had been dealt: by other processes, which
 * have the numbers before. */
void mix_begin(struct mix_dealer *d, const struct mix *m, uint64_t first);

/* Deal the next operation, one of the kinds in POSSIBLE (a bit for each).
 * Returns: MIX_NONE, with nothing changed, if none of them is in the mix. */
enum mix_kind mix_deal(struct mix_dealer *d, const struct mix *m,
                       unsigned possible);

#endif
