/* SPDX-License-Identifier: MIT */
/* From values to curves. */
#include "config.h"

#include "stat_scaling.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SEED 1 /* of the bootstrap: the same file gives the same numbers */

enum { OPS, BYTES, P99 }; /* metrics, in the order of the command */

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int
by_curve(const struct compare_sample *x, const struct compare_sample *y)
{
    int order = ORDER(x->cell.phase, y->cell.phase);

    if (order == 0)
        order = ORDER(x->cell.target, y->cell.target);
    return order != 0 ? order : ORDER(x->cell.size, y->cell.size);
}

static int
by_level(const void *a, const void *b)
{
    const struct compare_sample *const *x = a, *const *y = b;
    int order = by_curve(*x, *y);

    return order != 0 ? order
                      : ORDER((*x)->cell.concurrency, (*y)->cell.concurrency);
}

/* The geometric mean of METRIC over N samples. A BOUND voids it. */
static double
mean_of(const struct compare_sample *const *samples, size_t n, size_t metric)
{
    double sum = 0, count = 0;

    for (size_t i = 0; i < n; i++) {
        const struct compare_value *value = &samples[i]->values[metric];

        if (value->at_least)
            return NAN;
        if (!isnan(value->value)) {
            sum += value->value;
            count++;
        }
    }
    return exp(sum / count);
}

/* How many samples from the first on have its level. */
static size_t
level_length(const struct compare_sample *const *samples, size_t n)
{
    size_t count = 1;

    while (count < n && by_level(&samples[0], &samples[count]) == 0)
        count++;
    return count;
}

/* Whichever is not there is never the least (or most). */
static void
find_places(struct scaling_curve *c, double factor)
{
    c->best = 0;
    c->knee = c->quickest = SIZE_MAX;
    for (size_t i = 0; i < c->count; i++) {
        const struct scaling_level *level = &c->levels[i];

        if (level->ops_per_s > c->levels[c->best].ops_per_s ||
            isnan(c->levels[c->best].ops_per_s))
            c->best = i;
        if (!isnan(level->p99_us) &&
            (c->quickest == SIZE_MAX ||
             level->p99_us < c->levels[c->quickest].p99_us))
            c->quickest = i;
    }
    for (size_t i = 0; c->quickest != SIZE_MAX && i < c->count; i++)
        if (c->levels[i].p99_us <= factor * c->levels[c->quickest].p99_us)
            c->knee = i;
}

static void
fit(struct scaling_curve *c, double confidence)
{
    double lanes[STATS_USL_MAX], logs[STATS_USL_MAX];
    size_t n = 0;

    for (size_t i = 0; i < c->count && n < STATS_USL_MAX; i++) {
        if (isnan(c->levels[i].ops_per_s))
            continue;
        lanes[n] = c->levels[i].lanes;
        logs[n++] = log(c->levels[i].ops_per_s);
    }
    c->fitted = stats_usl_fit(&c->law, lanes, logs, n, confidence, SEED) == 0;
}

/* A curve of the N samples, in order of their levels. */
static int
make_curve(struct scaling_curve *c, const struct scaling_options *o,
           const struct compare_sample *const *samples, size_t n)
{
    *c = (struct scaling_curve){.cell = samples[0]->cell,
                                .levels = calloc(n, sizeof *c->levels)};
    c->cell.concurrency = 0;
    if (c->levels == NULL)
        return ENOMEM;
    for (size_t at = 0, length; at < n; at += length) {
        struct scaling_level *level = &c->levels[c->count++];

        length = level_length(samples + at, n - at);
        level->lanes = samples[at]->cell.concurrency;
        level->n = length;
        level->ops_per_s = mean_of(samples + at, length, OPS);
        level->bytes_per_s = mean_of(samples + at, length, BYTES);
        level->p99_us = mean_of(samples + at, length, P99);
        for (size_t i = at; i < at + length; i++)
            level->marks |= samples[i]->marks;
    }
    find_places(c, o->knee);
    fit(c, o->confidence);
    return 0;
}

int
scaling_make(struct scaling *s)
{
    const struct compare *compare = &s->work.compare;
    size_t n = compare->point_count;
    const struct compare_sample **samples = calloc(n + 1, sizeof *samples);
    int err = 0;

    s->curves = calloc(n + 1, sizeof *s->curves);
    if (samples == NULL || s->curves == NULL) {
        free(samples);
        return ENOMEM;
    }
    for (size_t i = 0; i < n; i++)
        samples[i] = compare_sample(compare, i);
    qsort(samples, n, sizeof *samples, by_level);
    for (size_t at = 0, end; err == 0 && at < n; at = end) {
        for (end = at; end < n && by_curve(samples[at], samples[end]) == 0;)
            end++;
        err = make_curve(&s->curves[s->count++], s->options, samples + at,
                         end - at);
    }
    free(samples);
    return err;
}

void
scaling_clear(struct scaling *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->curves[i].levels);
    free(s->curves);
    s->curves = NULL;
    s->count = 0;
}

double
scaling_line_share(const struct scaling *s, const struct scaling_curve *c)
{
    double most = NAN;

    if (!(s->options->line_bits_per_s > 0))
        return NAN;
    for (size_t i = 0; i < c->count; i++)
        if (isnan(most) || c->levels[i].bytes_per_s > most)
            most = c->levels[i].bytes_per_s;
    return most * 8 / s->options->line_bits_per_s;
}
