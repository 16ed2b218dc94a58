/* SPDX-License-Identifier: MIT */
/* How sure the numbers of one run are, and how much they swung. */
#include "config.h"

#include "stat_result.h"

#include <math.h>
#include <stdlib.h>

#include "stats_blocks.h"
#include "stats_rank.h"

#define LEVEL 0.95

/* Moments of the run, none short against an operation. */
struct moments {
    double ops[TALLY_MOMENTS], bytes[TALLY_MOMENTS], below[TALLY_MOMENTS];
    size_t count;
    double width_s;
};

/* Fold the rows inside the window to moments that are as long as operations
 * are on average, or longer; `below` counts those of up to NS. */
static void
fold(struct moments *m, const struct stat_result *r, struct stat_group *g,
     int64_t ns)
{
    const struct series *s = &g->tally.moments;
    double mean_ns = dist_mean(&g->tally.times[TALLY_SERVICE]);
    int64_t from, to, begin, end, rows = 1;

    *m = (struct moments){.count = 0};
    stat_result_window(&from, &to, r, g);
    series_inside(s, &begin, &end, from, to);
    if (mean_ns > (double) s->width_ns)
        rows = (int64_t) ceil(mean_ns / (double) s->width_ns);
    m->width_s = (double) s->width_ns * (double) rows / 1e9;
    for (; begin + rows <= end && m->count < TALLY_MOMENTS;
         begin += rows, m->count++)
        for (int64_t i = begin; i < begin + rows; i++) {
            const struct series_row *row = series_at(s, i);

            m->ops[m->count] += (double) row->ops;
            m->bytes[m->count] += (double) row->good_bytes;
            m->below[m->count] += series_up_to(row, ns);
        }
}

/* RATE with as wide an interval as the mean of SUMS over moments has. */
static struct stat_interval
rate_interval(const struct moments *m, const double *sums, double rate)
{
    struct stats_ratio ratio;
    double half;

    stats_blocks_ratio(&ratio, sums, NULL, m->count);
    half = stats_blocks_half(&ratio, LEVEL) / m->width_s;
    if (!isfinite(half) || half >= rate)
        return (struct stat_interval){NAN, NAN};
    return (struct stat_interval){rate - half, rate + half};
}

/* The interval of percentile P of all, those included that were given up and
 * are longer than any seen. */
static struct stat_interval
percentile_interval(const struct stat_result *r, struct stat_group *g, double p)
{
    struct stat_interval none = {NAN, NAN};
    struct dist *d = &g->tally.times[TALLY_SERVICE];
    double n = (double) d->count;
    struct stats_ratio below;
    struct moments m;
    double low, high;
    int64_t ns;

    switch (dist_supported(d, g->tally.unfinished, p, &ns)) {
    case DIST_NONE:
    case DIST_BEYOND:
        return none;
    default:
        p *= (n + (double) g->tally.unfinished) / n; /* among those seen */
    }
    fold(&m, r, g, ns);
    stats_blocks_ratio(&below, m.below, m.ops, m.count);
    stats_blocks_ranks(&low, &high, &below, p, LEVEL, n);
    if (!isfinite(low) || !isfinite(high))
        return none;
    return (struct stat_interval){(double) dist_percentile(d, low),
                                  (double) dist_percentile(d, high)};
}

/* Of independent values: one lane, few of them. */
static struct stat_interval
rank_interval(struct stat_group *g, double p)
{
    struct dist *d = &g->tally.times[TALLY_SERVICE];
    double n = (double) d->count;
    uint64_t low, high;

    if (!stats_rank_interval(&low, &high, d->count, p, LEVEL))
        return (struct stat_interval){NAN, NAN};
    return (struct stat_interval){
        (double) dist_percentile(d, (double) low / n),
        (double) dist_percentile(d, (double) high / n)};
}

void
stat_result_confidence(struct stat_confidence *c, const struct stat_result *r,
                       struct stat_group *g)
{
    const struct stat_interval none = {NAN, NAN};
    const struct tally *t = &g->tally;
    struct stats_ratio ratio;
    struct moments m;

    *c = (struct stat_confidence){none, none, none, none, 0, 0, false};
    if (!r->timed || t->moments.most == 0 || t->ops == 0)
        return;
    fold(&m, r, g, 0);
    stats_blocks_ratio(&ratio, m.ops, NULL, m.count);
    c->blocks = ratio.blocks;
    if (c->blocks > 0) {
        c->block_s = m.width_s * (double) m.count / (double) c->blocks;
        c->ops_per_s =
            rate_interval(&m, m.ops, stat_result_rate(r, g, (double) t->ops));
        c->bytes_per_s = rate_interval(
            &m, m.bytes, stat_result_rate(r, g, (double) t->good_bytes));
        c->p50_ns = percentile_interval(r, g, 0.5);
        c->p99_ns = percentile_interval(r, g, 0.99);
    } else if (tally_lanes(t) == 1 && t->unfinished == 0) {
        c->ranks = true;
        c->p50_ns = rank_interval(g, 0.5);
        c->p99_ns = rank_interval(g, 0.99);
    }
}

/* --- extremes --- */

static int
compare_rows(const void *a, const void *b, void *ctx)
{
    const struct series_row *x = a, *y = b;
    bool by_bytes = *(const bool *) ctx;
    uint64_t first_x = by_bytes ? x->good_bytes : x->ops;
    uint64_t first_y = by_bytes ? y->good_bytes : y->ops;
    uint64_t then_x = by_bytes ? x->ops : x->good_bytes;
    uint64_t then_y = by_bytes ? y->ops : y->good_bytes;

    if (first_x != first_y)
        return first_x > first_y ? 1 : -1;
    return (then_x > then_y) - (then_x < then_y);
}

void
stat_result_extremes(struct stat_extremes *e, const struct stat_result *r,
                     const struct stat_group *g)
{
    const struct series *s = &g->tally.intervals;
    double width_s = (double) s->width_ns / 1e9;
    struct series_row *rows;
    int64_t from, to, begin, end;
    size_t n;

    *e = (struct stat_extremes){.width_s = width_s,
                                .by_bytes = g->tally.good_bytes > 0};
    if (!r->timed)
        return;
    stat_result_window(&from, &to, r, g);
    series_inside(s, &begin, &end, from, to);
    n = (size_t) (end - begin);
    rows = n >= 3 && n <= s->most ? calloc(n, sizeof *rows) : NULL;
    if (rows == NULL)
        return;
    for (size_t i = 0; i < n; i++)
        rows[i] = *series_at(s, begin + (int64_t) i);
    qsort_r(rows, n, sizeof *rows, compare_rows, &e->by_bytes);
    e->count = n;
    e->slowest.ops_per_s = (double) rows[0].ops / width_s;
    e->slowest.bytes_per_s = (double) rows[0].good_bytes / width_s;
    e->median.ops_per_s = (double) rows[(n - 1) / 2].ops / width_s;
    e->median.bytes_per_s = (double) rows[(n - 1) / 2].good_bytes / width_s;
    e->fastest.ops_per_s = (double) rows[n - 1].ops / width_s;
    e->fastest.bytes_per_s = (double) rows[n - 1].good_bytes / width_s;
    free(rows);
}
