/* SPDX-License-Identifier: MIT */
/*
 * Counts of durations in log-linear buckets. Fixed size, allocates nothing;
 * merging is addition. Values are nanoseconds.
 *
 * Layout: from 2^9 ns (the octave of 1 us) up to 1 h, each octave split
 * into `sub` equal buckets: 512 (relative width at most 0.2 %, so the midpoint
 * is within 0.1 %) for operations, 64 for stages (within 1 %). Below 1 us
 * and above 1 h are counted apart. Count, sum, minimum and maximum are
 * exact.
 */
#ifndef S3PERF_HISTOGRAM_H
#define S3PERF_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_MIN_NS INT64_C(1000)
#define HISTOGRAM_MAX_NS INT64_C(3600000000000)
#define HISTOGRAM_SUB_OPS 512
#define HISTOGRAM_SUB_STAGES 64

struct histogram {
    uint32_t sub; /* sub-buckets per octave, a power of two up to 512 */
    uint32_t buckets; /* length of counts */
    uint64_t *counts; /* the caller's memory */
    uint64_t count; /* all values, also below and above */
    uint64_t below; /* < HISTOGRAM_MIN_NS */
    uint64_t above; /* > HISTOGRAM_MAX_NS */
    double sum_ns;
    int64_t min_ns; /* INT64_MAX while empty */
    int64_t max_ns; /* -1 while empty */
};

/* The bucket of VALUE_NS, which lies within the range. Bucket B begins at
 * (SUB + B mod SUB) x 2^(9 + B div SUB) / SUB nanoseconds. */
uint32_t histogram_bucket(uint32_t sub, int64_t value_ns);

/* How many counters a histogram of SUB sub-buckets needs. */
size_t histogram_buckets(uint32_t sub);

/* COUNTS holds histogram_buckets(SUB) counters, which are the caller's,
 * zeroed by it, and must outlive H. Those of calloc() cost memory only where
 * values fall. */
void histogram_init(struct histogram *h, uint32_t sub, uint64_t *counts);
void histogram_reset(struct histogram *h);

/* Negative values count as 0. */
void histogram_add(struct histogram *h, int64_t value_ns);

/* Add FROM to H. Both must have the same `sub`. */
void histogram_merge(struct histogram *h, const struct histogram *from);

/*
 * Percentile P (0 < P <= 1), nearest rank: the value at rank ceil(p n),
 * as the midpoint of its bucket clamped to [min, max]; the first and the
 * last rank are exact. A rank among the values above 1 h gives the maximum.
 * Returns: nanoseconds; -1 when empty.
 */
int64_t histogram_percentile(const struct histogram *h, double p);

/* Mean in nanoseconds, NaN when empty. */
double histogram_mean(const struct histogram *h);

/*
 * Design 3.6: what a sample of N supports for percentile P. Printed when
 * n (1 - p) >= 1; marked as resting on few values when n (1 - p) < 10.
 */
enum histogram_support { SUPPORT_NONE, SUPPORT_FEW, SUPPORT_FULL };
enum histogram_support histogram_supports(uint64_t n, double p);

#endif
