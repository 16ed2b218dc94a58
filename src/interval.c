/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "interval.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Below 2^9 ns all is one bucket; the last takes what is above an hour. */
#define FIRST_OCTAVE 9

static uint32_t
bucket_of(int64_t ns)
{
    uint64_t value = ns > 0 ? (uint64_t) ns : 0;
    uint32_t octave, bucket;

    if (value < 1u << FIRST_OCTAVE)
        return 0;
    octave = 63u - (uint32_t) __builtin_clzll(value);
    bucket = 1 + (octave - FIRST_OCTAVE) * INTERVAL_SUB +
             (uint32_t) (value >> (octave - 4)) % INTERVAL_SUB;
    return bucket < INTERVAL_BUCKETS ? bucket : INTERVAL_BUCKETS - 1;
}

/* The middle of a bucket, in nanoseconds. */
static int64_t
middle_of(uint32_t bucket)
{
    uint32_t octave, sub;

    if (bucket == 0)
        return 1 << (FIRST_OCTAVE - 1);
    octave = FIRST_OCTAVE + (bucket - 1) / INTERVAL_SUB;
    sub = (bucket - 1) % INTERVAL_SUB;
    return (int64_t) (((uint64_t) (INTERVAL_SUB + sub) * 2 + 1)
                      << (octave - 5));
}

double
interval_edge(uint32_t bucket)
{
    uint32_t octave, sub;

    if (bucket == 0)
        return 0;
    octave = FIRST_OCTAVE + (bucket - 1) / INTERVAL_SUB;
    sub = (bucket - 1) % INTERVAL_SUB;
    return (double) ((uint64_t) (INTERVAL_SUB + sub) << (octave - 4));
}

int
interval_init(struct interval_table *t, int64_t width_ns)
{
    memset(t, 0, sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
    t->width_ns = width_ns;
    /* Zeroed pages cost nothing until they are touched. */
    t->rows = calloc(INTERVAL_MAX, sizeof *t->rows);
    return t->rows == NULL ? ENOMEM : 0;
}

void
interval_clear(struct interval_table *t)
{
    if (t->rows != NULL)
        pthread_mutex_destroy(&t->lock);
    free(t->rows);
    t->rows = NULL;
}

void
interval_begin(struct interval_table *t, int64_t begin_ns)
{
    t->begin_ns = t->changed_ns = begin_ns;
}

void
interval_add(struct interval *to, const struct interval *from)
{
    to->ops += from->ops;
    to->errors += from->errors;
    to->good_bytes += from->good_bytes;
    to->wire_bytes += from->wire_bytes;
    to->flight_ns += from->flight_ns;
    for (uint32_t i = 0; i < INTERVAL_BUCKETS; i++)
        to->counts[i] += from->counts[i];
}

/* Make one interval of two. */
static void
coalesce(struct interval_table *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        if (i % 2 == 0 && i > 0)
            t->rows[i / 2] = t->rows[i];
        else if (i % 2 == 1)
            interval_add(&t->rows[i / 2], &t->rows[i]);
    }
    t->count = (t->count + 1) / 2;
    memset(t->rows + t->count, 0, (INTERVAL_MAX - t->count) * sizeof *t->rows);
    t->width_ns *= 2;
}

/* The interval that NOW falls into. */
static uint64_t
index_of(struct interval_table *t, int64_t now_ns)
{
    int64_t since = now_ns - t->begin_ns;

    if (since < 0)
        since = 0;
    while (since / t->width_ns >= INTERVAL_MAX)
        coalesce(t);
    if ((uint64_t) (since / t->width_ns) >= t->count)
        t->count = (uint32_t) (since / t->width_ns) + 1;
    return (uint64_t) (since / t->width_ns);
}

static struct interval *
row_at(struct interval_table *t, int64_t now_ns)
{
    return &t->rows[index_of(t, now_ns)];
}

/* Spread the integral of in_flight over the intervals up to NOW. */
static void
advance(struct interval_table *t, int64_t now_ns)
{
    int64_t from = t->changed_ns;

    if (now_ns <= from)
        return;
    t->changed_ns = now_ns;
    if (t->in_flight == 0)
        return;
    row_at(t, now_ns); /* any coalescing happens before the loop */
    while (from < now_ns) {
        int64_t index = (int64_t) index_of(t, from);
        int64_t end = t->begin_ns + (index + 1) * t->width_ns;

        if (end > now_ns)
            end = now_ns;
        t->rows[index].flight_ns +=
            (double) t->in_flight * (double) (end - from);
        from = end;
    }
}

void
interval_take_up(struct interval_table *t, int64_t now_ns)
{
    pthread_mutex_lock(&t->lock);
    advance(t, now_ns);
    t->in_flight++;
    pthread_mutex_unlock(&t->lock);
}

void
interval_finish(struct interval_table *t, int64_t end_ns, int64_t service_ns,
                enum interval_outcome outcome, uint64_t bytes)
{
    struct interval *row;

    pthread_mutex_lock(&t->lock);
    advance(t, end_ns);
    t->in_flight--;
    row = row_at(t, end_ns);
    if (outcome == INTERVAL_OK) {
        t->ops++;
        row->ops++;
        row->good_bytes += bytes;
        row->counts[bucket_of(service_ns)]++;
    } else if (outcome == INTERVAL_ERROR) {
        t->errors++;
        row->errors++;
    }
    pthread_mutex_unlock(&t->lock);
}

void
interval_wire(struct interval_table *t, int64_t now_ns, uint64_t bytes)
{
    pthread_mutex_lock(&t->lock);
    row_at(t, now_ns)->wire_bytes += bytes;
    pthread_mutex_unlock(&t->lock);
}

void
interval_merge(struct interval_table *t, struct interval_table *from)
{
    while (t->width_ns < from->width_ns)
        coalesce(t);
    while (from->width_ns < t->width_ns)
        coalesce(from);
    for (uint32_t i = 0; i < from->count; i++)
        interval_add(&t->rows[i], &from->rows[i]);
    if (from->count > t->count)
        t->count = from->count;
}

void
interval_forget(struct interval_table *t, struct interval_table *like)
{
    memset(t->rows, 0, t->count * sizeof *t->rows);
    t->count = 0;
    pthread_mutex_lock(&like->lock);
    t->begin_ns = like->begin_ns;
    t->width_ns = like->width_ns;
    pthread_mutex_unlock(&like->lock);
}

/* Add row I of FROM where it belongs in T, which is not narrower. Returns
 * false when there is no such row (any more). */
static bool
merge_row(struct interval_table *t, struct interval_table *from, uint32_t i,
          int64_t width_ns)
{
    bool there;

    pthread_mutex_lock(&from->lock);
    there = i < from->count && from->width_ns == width_ns;
    if (there) {
        uint32_t to = (uint32_t) ((int64_t) i * width_ns / t->width_ns);

        interval_add(&t->rows[to], &from->rows[i]);
        if (to >= t->count)
            t->count = to + 1;
    }
    pthread_mutex_unlock(&from->lock);
    return there;
}

void
interval_merge_live(struct interval_table *t, struct interval_table *from)
{
    int64_t width_ns;
    uint32_t count;

    pthread_mutex_lock(&from->lock);
    width_ns = from->width_ns;
    count = from->count;
    pthread_mutex_unlock(&from->lock);
    while (t->width_ns < width_ns)
        coalesce(t);
    for (uint32_t i = 0; i < count; i++)
        if (!merge_row(t, from, i, width_ns))
            break; /* it has just become wider: once in a long run */
}

int64_t
interval_percentile(const struct interval *row, double p)
{
    uint64_t rank, seen = 0;

    if (row->ops == 0)
        return -1;
    rank = (uint64_t) (p * (double) row->ops);
    if ((double) rank < p * (double) row->ops)
        rank++;
    if (rank < 1)
        rank = 1;
    for (uint32_t i = 0; i < INTERVAL_BUCKETS; i++) {
        seen += row->counts[i];
        if (seen >= rank)
            return middle_of(i);
    }
    return middle_of(INTERVAL_BUCKETS - 1);
}

void
interval_total(struct interval_table *t, uint64_t *ops, uint64_t *errors)
{
    pthread_mutex_lock(&t->lock);
    *ops += t->ops;
    *errors += t->errors;
    pthread_mutex_unlock(&t->lock);
}

bool
interval_last(struct interval_table *t, int64_t now_ns, struct interval *out,
              int64_t *width_ns)
{
    int64_t index;
    bool found;

    pthread_mutex_lock(&t->lock);
    index = (now_ns - t->begin_ns) / t->width_ns - 1;
    found = index >= 0 && index < (int64_t) t->count;
    if (found)
        *out = t->rows[index];
    *width_ns = t->width_ns;
    pthread_mutex_unlock(&t->lock);
    return found;
}
