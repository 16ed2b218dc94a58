/* SPDX-License-Identifier: MIT */
/*
 * A distribution of durations: all values while they fit into memory, a
 * histogram from then on. Count, minimum, maximum, mean and deviation are
 * exact in any case. Values are nanoseconds.
 */
#ifndef S3PERF_DIST_H
#define S3PERF_DIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histogram.h"

/* What the distributions of one result share, so that all of them are exact
 * or none is. */
struct dist_pool {
    size_t left; /* bytes that values may still take */
    bool full; /* it was too much: histograms only */
    struct dist *first; /* private: all that were added to */
};

#define DIST_POOL_BYTES ((size_t) 40 << 20)

struct dist {
    struct dist_pool *pool; /* the caller's; must outlive it */
    uint64_t count;
    int64_t min_ns, max_ns; /* INT64_MAX and -1 while empty */
    /* private */
    double shift_ns, sum_ns, squares; /* of values less shift */
    int64_t *values; /* NULL from when the pool is full */
    size_t size; /* of values, in values */
    bool sorted;
    struct histogram h; /* counts is NULL while values are kept */
    bool listed; /* in the pool */
    struct dist *next, *previous;
};

void dist_pool_init(struct dist_pool *pool, size_t bytes);

/* Allocates nothing. Pair with dist_clear(); safe twice. */
void dist_init(struct dist *d, struct dist_pool *pool);
void dist_clear(struct dist *d);

/* Negative values count as 0. Returns: 0 or ENOMEM, as below. */
int dist_add(struct dist *d, int64_t value_ns);

/* Add all of FROM, of the same pool, to D. */
int dist_merge(struct dist *d, struct dist *from);

/* Add a histogram of any number of sub-buckets: D is one from then on, within
 * 1 % where H has but 64 of them. */
int dist_add_histogram(struct dist *d, const struct histogram *h);

/* Whether percentiles are exact. */
bool dist_is_exact(const struct dist *d);

/* Nearest rank, 0 < P <= 1: the value at rank ceil(p n); -1 when empty. */
int64_t dist_percentile(struct dist *d, double p);

/* NaN when empty; the deviation is that of a sample (n - 1), NaN with fewer
 * than two values. */
double dist_mean(const struct dist *d);
double dist_deviation(const struct dist *d);

/*
 * Percentile P when CENSORED more values are known to be larger than any
 * seen. *NS is it; with DIST_BEYOND, the largest seen, which it is above.
 */
enum dist_support {
    DIST_NONE = SUPPORT_NONE,
    DIST_FEW = SUPPORT_FEW,
    DIST_FULL = SUPPORT_FULL,
    DIST_BEYOND
};
enum dist_support dist_supported(struct dist *d, uint64_t censored, double p,
                                 int64_t *ns);

/* How many values are at most NS. */
uint64_t dist_up_to(struct dist *d, int64_t ns);

#endif
