/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dist.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 64 /* values */
#define ROUNDING 1e-6 /* as in histogram.c */

void
dist_pool_init(struct dist_pool *pool, size_t bytes)
{
    *pool = (struct dist_pool){.left = bytes, .full = bytes == 0};
}

void
dist_init(struct dist *d, struct dist_pool *pool)
{
    *d = (struct dist){.pool = pool, .min_ns = INT64_MAX, .max_ns = -1};
}

static void
enlist(struct dist *d)
{
    if (d->listed)
        return;
    d->next = d->pool->first;
    if (d->next != NULL)
        d->next->previous = d;
    d->pool->first = d;
    d->listed = true;
}

static void
drop_values(struct dist *d)
{
    d->pool->left += d->size * sizeof *d->values;
    free(d->values);
    d->values = NULL;
    d->size = 0;
}

void
dist_clear(struct dist *d)
{
    if (d->pool == NULL)
        return;
    if (d->listed) {
        if (d->previous != NULL)
            d->previous->next = d->next;
        else
            d->pool->first = d->next;
        if (d->next != NULL)
            d->next->previous = d->previous;
    }
    drop_values(d);
    free(d->h.counts);
    dist_init(d, d->pool);
}

/* --- adding --- */

/* From values to a histogram. */
static int
spill(struct dist *d)
{
    uint64_t *counts;

    if (d->h.counts != NULL)
        return 0;
    counts = calloc(histogram_buckets(HISTOGRAM_SUB_OPS), sizeof *counts);
    if (counts == NULL)
        return ENOMEM;
    histogram_init(&d->h, HISTOGRAM_SUB_OPS, counts);
    for (uint64_t i = 0; d->values != NULL && i < d->count; i++)
        histogram_add(&d->h, d->values[i]);
    drop_values(d);
    return 0;
}

static int
spill_all(struct dist_pool *pool)
{
    int err = 0;

    pool->full = true;
    for (struct dist *d = pool->first; d != NULL && err == 0; d = d->next)
        err = spill(d);
    return err;
}

/* Make room for N more values; when there is none, no value is kept. */
static int
reserve(struct dist *d, size_t n)
{
    size_t size = d->size + d->size / 2, more;
    int64_t *values;

    if (d->h.counts != NULL || n <= d->size - d->count)
        return 0;
    if (size < d->count + n)
        size = d->count + n;
    if (size < FIRST_SIZE)
        size = FIRST_SIZE;
    more = (size - d->size) * sizeof *d->values;
    if (more > d->pool->left)
        return spill_all(d->pool);
    values = realloc(d->values, size * sizeof *values);
    if (values == NULL)
        return ENOMEM;
    d->pool->left -= more;
    d->values = values;
    d->size = size;
    return 0;
}

static void
count_value(struct dist *d, int64_t value_ns)
{
    double off;

    if (d->count == 0)
        d->shift_ns = (double) value_ns;
    off = (double) value_ns - d->shift_ns;
    d->sum_ns += off;
    d->squares += off * off;
    d->count++;
    if (value_ns < d->min_ns)
        d->min_ns = value_ns;
    if (value_ns > d->max_ns)
        d->max_ns = value_ns;
}

int
dist_add(struct dist *d, int64_t value_ns)
{
    int err = 0;

    if (value_ns < 0)
        value_ns = 0;
    enlist(d);
    if (!d->pool->full)
        err = reserve(d, 1);
    if (err == 0 && d->values == NULL)
        err = spill(d);
    if (err != 0)
        return err;
    if (d->values != NULL)
        d->values[d->count] = value_ns;
    else
        histogram_add(&d->h, value_ns);
    d->sorted = false;
    count_value(d, value_ns);
    return 0;
}

/* The moments of both, about D's shift. */
static void
merge_moments(struct dist *d, const struct dist *from)
{
    double n = (double) from->count, off;

    if (d->count == 0)
        d->shift_ns = from->shift_ns;
    off = from->shift_ns - d->shift_ns;
    d->squares += from->squares + 2 * off * from->sum_ns + n * off * off;
    d->sum_ns += from->sum_ns + n * off;
    d->count += from->count;
    if (from->min_ns < d->min_ns)
        d->min_ns = from->min_ns;
    if (from->max_ns > d->max_ns)
        d->max_ns = from->max_ns;
}

int
dist_merge(struct dist *d, struct dist *from)
{
    int err = 0;

    if (from->count == 0)
        return 0;
    enlist(d);
    if (from->values != NULL)
        err = reserve(d, from->count); /* which may leave neither with values */
    if (err == 0 && (d->values == NULL || from->values == NULL))
        err = spill(d);
    if (err != 0)
        return err;
    if (d->values != NULL)
        memcpy(d->values + d->count, from->values,
               from->count * sizeof *d->values);
    else if (from->values == NULL)
        histogram_merge(&d->h, &from->h);
    else
        for (uint64_t i = 0; i < from->count; i++)
            histogram_add(&d->h, from->values[i]);
    d->sorted = false;
    merge_moments(d, from);
    return 0;
}

/* The value in the middle of bucket I of SUB, as a percentile of it. */
static int64_t
middle_of(uint32_t sub, uint32_t i)
{
    unsigned octave = i / sub;
    double low = ldexp(sub + i % sub, (int) octave + 9) / sub;
    double width = ldexp(1, (int) octave + 9) / sub;

    return (int64_t) (low + width / 2);
}

int
dist_add_histogram(struct dist *d, const struct histogram *h)
{
    double squares = 0, mean = histogram_mean(h);
    struct histogram *to = &d->h;
    int err = spill(d);

    enlist(d);
    if (err != 0 || h->count == 0)
        return err;
    for (uint32_t i = 0; i < h->buckets; i++) {
        int64_t value = middle_of(h->sub, i);

        if (h->counts[i] == 0)
            continue;
        /* it must not leave the range that is looked at */
        value = value < h->min_ns ? h->min_ns : value;
        value = value < HISTOGRAM_MIN_NS ? HISTOGRAM_MIN_NS : value;
        value = value > h->max_ns ? h->max_ns : value;
        value = value > HISTOGRAM_MAX_NS ? HISTOGRAM_MAX_NS : value;
        squares += (double) h->counts[i] * pow((double) value - mean, 2);
        to->counts[histogram_bucket(to->sub, value)] += h->counts[i];
    }
    to->count += h->count;
    to->below += h->below;
    to->above += h->above;
    to->sum_ns += h->sum_ns;
    to->min_ns = h->min_ns < to->min_ns ? h->min_ns : to->min_ns;
    to->max_ns = h->max_ns > to->max_ns ? h->max_ns : to->max_ns;
    merge_moments(d, &(struct dist){.count = h->count,
                                    .shift_ns = mean,
                                    .squares = squares,
                                    .min_ns = h->min_ns,
                                    .max_ns = h->max_ns});
    return 0;
}

/* --- asking --- */

bool
dist_is_exact(const struct dist *d)
{
    return d->h.counts == NULL;
}

static int
compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

    return (x > y) - (x < y);
}

static void
sort(struct dist *d)
{
    if (!d->sorted && d->count > 1)
        qsort(d->values, d->count, sizeof *d->values, compare);
    d->sorted = true;
}

int64_t
dist_percentile(struct dist *d, double p)
{
    double wanted = ceil(p * (double) d->count - ROUNDING);
    uint64_t rank = wanted < 1 ? 1 : (uint64_t) wanted;

    if (d->count == 0)
        return -1;
    if (d->values == NULL)
        return histogram_percentile(&d->h, p);
    sort(d);
    return d->values[(rank < d->count ? rank : d->count) - 1];
}

double
dist_mean(const struct dist *d)
{
    return d->count > 0 ? d->shift_ns + d->sum_ns / (double) d->count : NAN;
}

double
dist_deviation(const struct dist *d)
{
    double n = (double) d->count, about_mean;

    if (d->count < 2)
        return NAN;
    about_mean = d->squares - d->sum_ns * d->sum_ns / n;
    return about_mean > 0 ? sqrt(about_mean / (n - 1)) : 0;
}

enum dist_support
dist_supported(struct dist *d, uint64_t censored, double p, int64_t *ns)
{
    uint64_t n = d->count + censored;
    enum histogram_support support = histogram_supports(n, p);
    double rank = p * (double) n;

    *ns = d->max_ns;
    if (support == SUPPORT_NONE || d->count == 0)
        return DIST_NONE;
    /* Rank ceil(p n) of all is rank ceil(p n) of those seen. */
    if (censored > 0 && ceil(rank - ROUNDING) > (double) d->count)
        return DIST_BEYOND;
    *ns = dist_percentile(d, rank / (double) d->count);
    return (enum dist_support) support;
}

uint64_t
dist_up_to(struct dist *d, int64_t ns)
{
    uint64_t low = 0, high = d->count, n;
    uint32_t bucket;

    if (d->count == 0 || ns < d->min_ns)
        return 0;
    if (ns >= d->max_ns)
        return d->count;
    if (d->values != NULL) {
        sort(d);
        while (low < high) {
            uint64_t middle = low + (high - low) / 2;

            if (d->values[middle] <= ns)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
    n = d->h.below;
    if (ns < HISTOGRAM_MIN_NS)
        return n;
    bucket = ns > HISTOGRAM_MAX_NS ? d->h.buckets - 1
                                   : histogram_bucket(d->h.sub, ns);
    for (uint32_t i = 0; i <= bucket; i++)
        n += d->h.counts[i];
    return n;
}
