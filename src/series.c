/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"

#define LOWEST_NS 512 /* the first bucket begins there */
#define SPARE 16 /* buckets of room beside the one that is asked for */

void
series_init(struct series *s, int64_t width_ns, size_t most, bool histograms)
{
    *s = (struct series){
        .width_ns = width_ns, .most = most, .histograms = histograms};
}

void
series_clear(struct series *s)
{
    for (size_t i = 0; i < s->size; i++)
        free(s->rows[i].counts);
    free(s->rows);
    series_init(s, s->width_ns, s->most, s->histograms);
}

/* --- a row's histogram --- */

static uint16_t
bucket_of(int64_t ns)
{
    if (ns < LOWEST_NS)
        return 0;
    if (ns > HISTOGRAM_MAX_NS)
        return SERIES_BUCKETS - 1;
    return (uint16_t) histogram_bucket(SERIES_SUB, ns);
}

/* Where bucket I begins. */
static double
low_of(unsigned i)
{
    return ldexp(SERIES_SUB + i % SERIES_SUB, (int) (i / SERIES_SUB) + 9) /
           SERIES_SUB;
}

/* Make room for buckets FROM to END. */
static int
widen(struct series_row *row, unsigned from, unsigned end)
{
    uint32_t *counts;

    if (row->length > 0 && from >= row->from &&
        end <= (unsigned) row->from + row->length)
        return 0;
    from = from > SPARE ? from - SPARE : 0;
    end = end + SPARE < SERIES_BUCKETS ? end + SPARE : SERIES_BUCKETS;
    if (row->length > 0 && row->from < from)
        from = row->from;
    if (row->length > 0 && (unsigned) row->from + row->length > end)
        end = (unsigned) row->from + row->length;
    counts = calloc(end - from, sizeof *counts);
    if (counts == NULL)
        return ENOMEM;
    if (row->length > 0)
        memcpy(counts + (row->from - from), row->counts,
               row->length * sizeof *counts);
    free(row->counts);
    row->counts = counts;
    row->from = (uint16_t) from;
    row->length = (uint16_t) (end - from);
    return 0;
}

/* --- rows --- */

/* Add what FROM has to TO, and forget it. */
static int
merge_rows(struct series_row *to, struct series_row *from)
{
    int err = 0;

    to->ops += from->ops;
    to->errors += from->errors;
    to->good_bytes += from->good_bytes;
    to->wire_bytes += from->wire_bytes;
    to->flight_ns += from->flight_ns;
    if (from->length > 0)
        err = widen(to, from->from, (unsigned) from->from + from->length);
    for (unsigned i = 0; err == 0 && i < from->length; i++)
        to->counts[from->from + i - to->from] += from->counts[i];
    free(from->counts);
    *from = (struct series_row){0};
    return err;
}

static int64_t
floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/*
 * Two intervals become one. What is in flight all the time in the first of
 * a pair counts as that for the pair; what the second one has more goes to the
 * time of the pair, and to how the next pair differs.
 */
static int
coalesce(struct series *s)
{
    int64_t first = floor_div(s->first, 2), carry = 0;
    size_t skew = (size_t) (s->first - 2 * first), to = 0;
    bool second = false;
    int err = 0;

    for (size_t i = 0; err == 0 && i < s->count; i++) {
        int64_t more = s->rows[i].more;

        to = (i + skew) / 2;
        second = (i + skew) % 2 > 0;
        if (second) {
            s->rows[i].flight_ns += (double) more * (double) s->width_ns;
            s->rows[i].more = 0;
        }
        if (to != i)
            err = merge_rows(&s->rows[to], &s->rows[i]);
        if (!second)
            s->rows[to].more = carry + more;
        carry = second ? more : 0;
    }
    if (s->count > 0 && !second) /* the second one is behind the last */
        s->rows[to].flight_ns += (double) s->rest * (double) s->width_ns;
    s->rest += carry;
    s->first = first;
    s->count = s->count > 0 ? to + 1 : 0;
    s->width_ns *= 2;
    return err;
}

/* Make room for COUNT rows that begin at FIRST. */
static int
reach(struct series *s, int64_t first, size_t count)
{
    size_t front = s->count > 0 ? (size_t) (s->first - first) : 0;

    if (count > s->size) {
        size_t size =
            s->size + s->size / 2 < count ? count : s->size + s->size / 2;
        struct series_row *rows = realloc(s->rows, size * sizeof *rows);

        if (rows == NULL)
            return ENOMEM;
        memset(rows + s->size, 0, (size - s->size) * sizeof *rows);
        s->rows = rows;
        s->size = size;
    }
    if (front > 0) {
        memmove(s->rows + front, s->rows, s->count * sizeof *s->rows);
        memset(s->rows, 0, front * sizeof *s->rows);
    }
    if (s->rest != 0 && front + s->count < count) {
        s->rows[front + s->count].more += s->rest;
        s->rest = 0;
    }
    s->first = first;
    s->count = count;
    return 0;
}

/* Make the row for moment AT_NS part of S. */
static int
make_row(struct series *s, int64_t at_ns)
{
    for (;;) {
        int64_t index = floor_div(at_ns, s->width_ns);
        int64_t first = s->count == 0 || index < s->first ? index : s->first;
        int64_t end = s->count == 0 ? index + 1 : s->first + (int64_t) s->count;
        int err;

        if (index >= end)
            end = index + 1;
        if ((uint64_t) (end - first) <= s->most)
            return reach(s, first, (size_t) (end - first));
        err = coalesce(s);
        if (err != 0)
            return err;
    }
}

int
series_add(struct series *s, int64_t at_ns, int64_t service_ns, bool ok,
           uint64_t good_bytes, uint64_t wire_bytes)
{
    int64_t index = floor_div(at_ns, s->width_ns);
    struct series_row *row;
    unsigned bucket;
    int err = 0;

    if (index < s->first || index >= s->first + (int64_t) s->count)
        err = make_row(s, at_ns);
    if (err != 0)
        return err;
    row = &s->rows[floor_div(at_ns, s->width_ns) - s->first];
    row->ops += ok;
    row->errors += !ok;
    row->good_bytes += good_bytes;
    row->wire_bytes += wire_bytes;
    if (!s->histograms || !ok)
        return 0;
    bucket = bucket_of(service_ns);
    err = widen(row, bucket, bucket + 1);
    if (err == 0)
        row->counts[bucket - row->from]++;
    return err;
}

int
series_add_flight(struct series *s, int64_t begin_ns, int64_t end_ns)
{
    int err = make_row(s, begin_ns);
    int64_t begin, end;

    if (err == 0)
        err = make_row(s, end_ns);
    if (err != 0)
        return err;
    begin = floor_div(begin_ns, s->width_ns);
    end = floor_div(end_ns, s->width_ns);
    if (begin == end) {
        s->rows[begin - s->first].flight_ns += (double) (end_ns - begin_ns);
        return 0;
    }
    s->rows[begin - s->first].flight_ns +=
        (double) ((begin + 1) * s->width_ns - begin_ns);
    s->rows[end - s->first].flight_ns += (double) (end_ns - end * s->width_ns);
    s->rows[begin + 1 - s->first].more++;
    s->rows[end - s->first].more--;
    return 0;
}

void
series_flight(const struct series *s, double *mean)
{
    int64_t all_the_time = 0;

    for (size_t i = 0; i < s->count; i++) {
        all_the_time += s->rows[i].more;
        mean[i] =
            s->rows[i].flight_ns / (double) s->width_ns + (double) all_the_time;
    }
}

int
series_merge(struct series *s, struct series *from)
{
    int err = 0;

    while (err == 0 && from->width_ns < s->width_ns)
        err = coalesce(from);
    for (size_t i = 0; err == 0 && i < from->count; i++) {
        struct series_row row = from->rows[i];
        int64_t at_ns = (from->first + (int64_t) i) * from->width_ns;

        while (err == 0 && s->width_ns < from->width_ns)
            err = coalesce(s);
        if (err == 0)
            err = make_row(s, at_ns);
        from->rows[i] = (struct series_row){0};
        if (err == 0)
            err = merge_rows(&s->rows[floor_div(at_ns, s->width_ns) - s->first],
                             &row);
    }
    return err;
}

/* --- asking --- */

void
series_inside(const struct series *s, int64_t *begin, int64_t *end,
              int64_t from_ns, int64_t to_ns)
{
    *begin = -floor_div(-from_ns, s->width_ns); /* rounded up */
    *end = floor_div(to_ns, s->width_ns);
    if (*end < *begin)
        *end = *begin;
}

const struct series_row *
series_at(const struct series *s, int64_t i)
{
    static const struct series_row nothing;

    return i >= s->first && i < s->first + (int64_t) s->count
               ? &s->rows[i - s->first]
               : &nothing;
}

int64_t
series_percentile(const struct series_row *row, double p)
{
    double wanted = ceil(p * (double) row->ops - 1e-6);
    uint64_t rank = wanted < 1 ? 1 : (uint64_t) wanted, seen = 0;

    for (unsigned i = 0; i < row->length; i++) {
        unsigned bucket = row->from + i;

        seen += row->counts[i];
        if (seen >= rank)
            return (int64_t) ((low_of(bucket) + low_of(bucket + 1)) / 2);
    }
    return -1;
}

double
series_up_to(const struct series_row *row, int64_t ns)
{
    unsigned bucket = bucket_of(ns);
    double n = 0, share;

    for (unsigned i = 0; i < row->length; i++) {
        if (row->from + i < bucket)
            n += row->counts[i];
        if (row->from + i != bucket)
            continue;
        share = ((double) ns - low_of(bucket)) /
                (low_of(bucket + 1) - low_of(bucket));
        n += row->counts[i] * (share < 0 ? 0 : share > 1 ? 1 : share);
    }
    return n;
}
