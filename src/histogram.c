/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "histogram.h"

#include <math.h>

#define FIRST_OCTAVE 9 /* 2^9 ns: the octave that 1 us lies in */

/* Products of a probability and a count are off by less than this, and by
 * more than nothing: 10 (1 - 0.9) is below 1 in doubles. */
#define ROUNDING 1e-6

static uint32_t
bucket_of(uint32_t sub, uint64_t value)
{
    unsigned octave = 63 - (unsigned) __builtin_clzll(value);
    unsigned shift = octave - (unsigned) __builtin_ctz(sub);

    return (octave - FIRST_OCTAVE) * sub + (uint32_t) (value >> shift) - sub;
}

static int64_t
midpoint(uint32_t sub, uint32_t bucket)
{
    unsigned shift =
        bucket / sub + FIRST_OCTAVE - (unsigned) __builtin_ctz(sub);
    int64_t low = (int64_t) (sub + bucket % sub) << shift;

    return low + ((INT64_C(1) << shift) - 1) / 2;
}

uint32_t
histogram_bucket(uint32_t sub, int64_t value_ns)
{
    return bucket_of(sub, (uint64_t) value_ns);
}

size_t
histogram_buckets(uint32_t sub)
{
    return (size_t) bucket_of(sub, HISTOGRAM_MAX_NS) + 1;
}

/* The buckets in use lie from the smallest value's to the largest one's; no
 * others are ever touched. */
static uint32_t
first_used(const struct histogram *h)
{
    return h->min_ns <= HISTOGRAM_MIN_NS ? 0
           : h->min_ns > HISTOGRAM_MAX_NS
               ? h->buckets
               : bucket_of(h->sub, (uint64_t) h->min_ns);
}

static uint32_t
end_of_used(const struct histogram *h)
{
    return h->max_ns < HISTOGRAM_MIN_NS ? 0
           : h->max_ns > HISTOGRAM_MAX_NS
               ? h->buckets
               : bucket_of(h->sub, (uint64_t) h->max_ns) + 1;
}

static void
empty(struct histogram *h)
{
    h->count = h->below = h->above = 0;
    h->sum_ns = 0;
    h->min_ns = INT64_MAX;
    h->max_ns = -1;
}

void
histogram_reset(struct histogram *h)
{
    for (uint32_t i = first_used(h); i < end_of_used(h); i++)
        h->counts[i] = 0;
    empty(h);
}

void
histogram_init(struct histogram *h, uint32_t sub, uint64_t *counts)
{
    h->sub = sub;
    h->buckets = (uint32_t) histogram_buckets(sub);
    h->counts = counts;
    empty(h);
}

void
histogram_add(struct histogram *h, int64_t value_ns)
{
    if (value_ns < 0)
        value_ns = 0;
    if (value_ns < HISTOGRAM_MIN_NS)
        h->below++;
    else if (value_ns > HISTOGRAM_MAX_NS)
        h->above++;
    else
        h->counts[bucket_of(h->sub, (uint64_t) value_ns)]++;
    h->count++;
    h->sum_ns += (double) value_ns;
    if (value_ns < h->min_ns)
        h->min_ns = value_ns;
    if (value_ns > h->max_ns)
        h->max_ns = value_ns;
}

void
histogram_merge(struct histogram *h, const struct histogram *from)
{
    for (uint32_t i = first_used(from); i < end_of_used(from); i++)
        h->counts[i] += from->counts[i];
    h->count += from->count;
    h->below += from->below;
    h->above += from->above;
    h->sum_ns += from->sum_ns;
    if (from->min_ns < h->min_ns)
        h->min_ns = from->min_ns;
    if (from->max_ns > h->max_ns)
        h->max_ns = from->max_ns;
}

static int64_t
clamp(const struct histogram *h, int64_t value_ns)
{
    if (value_ns < h->min_ns)
        return h->min_ns;
    return value_ns > h->max_ns ? h->max_ns : value_ns;
}

int64_t
histogram_percentile(const struct histogram *h, double p)
{
    double wanted = ceil(p * (double) h->count - ROUNDING);
    uint64_t rank = wanted < 1 ? 1 : (uint64_t) wanted;
    uint64_t seen = h->below;

    if (h->count == 0)
        return -1;
    if (rank >= h->count)
        return h->max_ns;
    if (rank == 1)
        return h->min_ns;
    if (rank <= seen)
        return clamp(h, HISTOGRAM_MIN_NS - 1);
    for (uint32_t i = first_used(h); i < end_of_used(h); i++) {
        seen += h->counts[i];
        if (rank <= seen)
            return clamp(h, midpoint(h->sub, i));
    }
    return h->max_ns; /* above the range: an upper bound, not a guess */
}

double
histogram_mean(const struct histogram *h)
{
    return h->count > 0 ? h->sum_ns / (double) h->count : NAN;
}

enum histogram_support
histogram_supports(uint64_t n, double p)
{
    double beyond = (double) n * (1 - p) + ROUNDING;

    if (beyond < 1)
        return SUPPORT_NONE;
    return beyond < 10 ? SUPPORT_FEW : SUPPORT_FULL;
}
