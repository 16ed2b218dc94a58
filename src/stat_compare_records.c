/* SPDX-License-Identifier: MIT */
/* A run that left records or histograms: each operation is a cell. */
#include "config.h"

#include "stat_compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cells.h"
#include "clock.h"
#include "complain.h"
#include "stat_result.h"
#include "stats_math.h"

#define INTERVAL_LEVEL 0.95 /* of stat_result_confidence() */

/* --- values --- */

/* Metrics that are percentiles of a distribution. */
static const struct {
    const char *name;
    enum tally_time time;
    double p;
} percentiles[] = {
    {"p50_us", TALLY_SERVICE, 0.5},
    {"p90_us", TALLY_SERVICE, 0.9},
    {"p99_us", TALLY_SERVICE, 0.99},
    {"p999_us", TALLY_SERVICE, 0.999},
    {"first_p50_us", TALLY_FIRST, 0.5},
    {"first_p99_us", TALLY_FIRST, 0.99},
    {"response_p50_us", TALLY_RESPONSE, 0.5},
    {"response_p99_us", TALLY_RESPONSE, 0.99},
};

/* The error of a logarithm whose interval is I. */
static void
take_error(struct compare_value *value, const struct stat_interval *i,
           size_t blocks)
{
    double df = (double) blocks - 1;

    if (blocks < 2 || !(i->low > 0) || !isfinite(i->high))
        return;
    value->error = (log(i->high) - log(i->low)) / 2 /
                   stats_t_quantile((1 + INTERVAL_LEVEL) / 2, df);
    value->df = df;
}

static struct compare_value
percentile_of(struct tally *t, enum tally_time time, double p)
{
    struct compare_value none = {.value = NAN}, value = {.value = NAN};
    int64_t ns;
    enum dist_support support =
        dist_supported(&t->times[time], t->unfinished, p, &ns);

    if (support == DIST_NONE)
        return none;
    value.value = (double) ns / CLOCK_NS_PER_US;
    value.at_least = support == DIST_BEYOND;
    return value;
}

static struct compare_value
value_of(const struct stat_result *r, struct stat_group *g,
         const struct stat_confidence *c, const char *metric)
{
    struct tally *t = &g->tally;
    struct compare_value value = {.value = NAN};

    for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++) {
        if (strcmp(metric, percentiles[i].name) != 0)
            continue;
        value = percentile_of(t, percentiles[i].time, percentiles[i].p);
        if (percentiles[i].time == TALLY_SERVICE && percentiles[i].p == 0.5)
            take_error(&value, &c->p50_ns, c->blocks);
        if (percentiles[i].time == TALLY_SERVICE && percentiles[i].p == 0.99)
            take_error(&value, &c->p99_ns, c->blocks);
    }
    if (strcmp(metric, "mean_us") == 0)
        value.value = dist_mean(&t->times[TALLY_SERVICE]) / CLOCK_NS_PER_US;
    if (strcmp(metric, "success") == 0)
        value.value =
            compare_success((double) t->ops, (double) tally_errors(t));
    if (strcmp(metric, "ops_per_s") == 0) {
        value.value = stat_result_rate(r, g, (double) t->ops);
        take_error(&value, &c->ops_per_s, c->blocks);
    }
    if (strcmp(metric, "bytes_per_s") == 0) {
        value.value = stat_result_rate(r, g, (double) t->good_bytes);
        take_error(&value, &c->bytes_per_s, c->blocks);
    }
    return value;
}

/* --- the run --- */

static int
add_group(struct compare_work *w, struct compare_run *run,
          const struct stat_result *r, struct stat_group *g, uint32_t number)
{
    const struct compare_settings *s = &w->compare.settings;
    const char *op = stat_result_op(r, g);
    struct compare_sample sample = {.side = run->side, .run = number};
    struct stat_confidence confidence;
    struct tally *t = &g->tally;
    int err;

    if (!compare_is_phase(w->options, op))
        return 0;
    err = names_find(&sample.cell.phase, &w->phases, op, strlen(op));
    if (err == 0)
        err = names_find(&sample.cell.target, &w->targets, "-", 1);
    if (t->min_size == t->max_size && r->timed)
        sample.cell.size = t->max_size;
    if (r->timed)
        sample.cell.concurrency = (uint32_t) stat_result_lanes(r, g);
    if (r->timed && stat_result_is_few(r, g))
        sample.marks |= CELLS_FEW;
    if (r->window.kind == STAT_WINDOW_NOT_STEADY)
        sample.marks |= CELLS_NOT_STEADY;
    if (tally_errors(t) > 0)
        sample.marks |= CELLS_HAS_ERRORS;
    stat_result_confidence(&confidence, r, g);
    for (size_t i = 0; i < s->metric_count; i++)
        sample.values[i] = value_of(r, g, &confidence, s->metrics[i]->name);
    run->ops += (double) t->ops;
    run->errors += (double) tally_errors(t);
    return err != 0 ? err : compare_add(&w->compare, &sample);
}

static int
keep_settings(struct compare_run *run, const struct stat_result *r)
{
    const char *endpoint = stat_result_fact(r, "endpoint");
    char rate[40] = "-";
    int err = 0;

    for (size_t i = 0; err == 0 && i < r->fact_count; i++)
        err = compare_keep_fact(run, r->facts[i].name, r->facts[i].value);
    if (r->window.rate_per_s > 0)
        snprintf(rate, sizeof rate, "%g/s", r->window.rate_per_s);
    if (err == 0)
        err = compare_keep(run, "rate asked", rate);
    if (err == 0 && endpoint != NULL)
        err =
            compare_keep(run, "scheme",
                         strncmp(endpoint, "https", 5) == 0 ? "https" : "http");
    return err;
}

int
compare_read_records(struct compare_work *w, struct compare_run *run,
                     const char *path, uint32_t number)
{
    const struct stat_window_asked asked = {INT64_MIN, INT64_MAX, false};
    struct filter filter;
    struct stat_result r;
    int status, err = 0;

    filter_init(&filter);
    stat_result_init(&r, STAT_BY_NOTHING, CLOCK_NS_PER_S);
    status = stat_result_read(&r, path, false, &filter, &asked);
    if (status == 0) {
        stat_result_finish(&r);
        compare_choose_response(w, r.window.rate_per_s > 0);
        err = keep_settings(run, &r);
    }
    for (size_t i = 0; status == 0 && err == 0 && i < r.op_count; i++)
        err = add_group(w, run, &r, r.ops_groups[i], number);
    stat_result_clear(&r);
    if (err != 0)
        return complain(STAT_USAGE, "cannot go on: %s", strerror(err));
    return status;
}
