/* SPDX-License-Identifier: MIT */
/* s3stat summary --json; doc/formats.md has the schema. */
#include "config.h"

#include "stat_styles.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "json.h"
#include "stat_command.h"
#include "version.h"

#define TEXT_MAX_BYTES (64u << 20)

static void
add_us(struct json *j, const char *name, double ns)
{
    json_number(j, name, ns / 1000, 3);
}

void
stat_add_times(struct json *j, const char *name, struct dist *d,
               uint64_t censored)
{
    static const struct {
        const char *name;
        double p;
    } percentiles[] = {{"p25", 0.25}, {"p50", 0.5},  {"p75", 0.75},
                       {"p90", 0.9},  {"p99", 0.99}, {"p999", 0.999}};
    bool any = d->count > 0;
    int64_t ns;

    json_open(j, name, '{');
    json_uint(j, "count", d->count);
    json_uint(j, "censored", censored);
    add_us(j, "mean", dist_mean(d));
    add_us(j, "stddev", dist_deviation(d));
    add_us(j, "min", any ? (double) d->min_ns : NAN);
    for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++) {
        enum dist_support support =
            dist_supported(d, censored, percentiles[i].p, &ns);

        if (support == DIST_NONE || support == DIST_BEYOND)
            json_null(j, percentiles[i].name);
        else
            add_us(j, percentiles[i].name, (double) ns);
    }
    add_us(j, "max", any ? (double) d->max_ns : NAN);
    json_close(j, '}');
}

static void
add_tally_times(struct json *j, const char *name, struct tally *t,
                enum tally_time which)
{
    uint64_t censored;
    struct dist *d = tally_times(t, which, &censored);

    stat_add_times(j, name, d, censored);
}

static void
add_window(struct json *j, const struct stat_result *r,
           const struct stat_group *g)
{
    int64_t from, to;

    if (!r->timed) {
        json_null(j, "window");
        return;
    }
    stat_result_window(&from, &to, r, g);
    json_open(j, "window", '{');
    json_string(j, "kind", stat_window_word(r->window.kind));
    json_number(j, "from_s", (double) from / 1e9, 9);
    json_number(j, "to_s", (double) to / 1e9, 9);
    json_uint(j, "outside", g->tally.outside);
    json_close(j, '}');
}

static void
add_interval(struct json *j, const char *name, const struct stat_interval *i,
             double scale)
{
    if (!isfinite(i->low) || !isfinite(i->high)) {
        json_null(j, name);
        return;
    }
    json_open(j, name, '[');
    json_number(j, NULL, i->low / scale, 3);
    json_number(j, NULL, i->high / scale, 3);
    json_close(j, ']');
}

static void
add_confidence(struct json *j, const struct stat_result *r,
               struct stat_group *g)
{
    struct stat_confidence c;

    stat_result_confidence(&c, r, g);
    if (c.blocks == 0 && !c.ranks) {
        json_null(j, "confidence");
        return;
    }
    json_open(j, "confidence", '{');
    json_number(j, "level", 0.95, 2);
    json_string(j, "method", c.ranks ? "ranks" : "blocks");
    json_uint(j, "blocks", c.blocks);
    json_number(j, "block_s", c.blocks > 0 ? c.block_s : NAN, 6);
    add_interval(j, "ops_per_s", &c.ops_per_s, 1);
    add_interval(j, "bytes_per_s", &c.bytes_per_s, 1);
    add_interval(j, "p50_us", &c.p50_ns, 1000);
    add_interval(j, "p99_us", &c.p99_ns, 1000);
    json_close(j, '}');
}

static void
add_extremes(struct json *j, const struct stat_result *r,
             const struct stat_group *g)
{
    struct stat_extremes e;

    stat_result_extremes(&e, r, g);
    if (e.count < 3) {
        json_null(j, "intervals");
        return;
    }
    json_open(j, "intervals", '{');
    json_uint(j, "count", e.count);
    json_number(j, "width_s", e.width_s, 3);
    json_number(j, "fastest_ops_per_s", e.fastest.ops_per_s, 3);
    json_number(j, "fastest_bytes_per_s", e.fastest.bytes_per_s, 1);
    json_number(j, "median_ops_per_s", e.median.ops_per_s, 3);
    json_number(j, "median_bytes_per_s", e.median.bytes_per_s, 1);
    json_number(j, "slowest_ops_per_s", e.slowest.ops_per_s, 3);
    json_number(j, "slowest_bytes_per_s", e.slowest.bytes_per_s, 1);
    json_close(j, '}');
}

void
stat_add_failures(struct json *j, const struct tally *t)
{
    uint32_t order[TALLY_FAILURES_MAX];

    tally_order_failures(order, t);
    json_open(j, "failures", '[');
    for (uint32_t i = 0; i < t->failure_count; i++) {
        struct tally_failure *f = &t->failures[order[i]];

        if (f->count == 0)
            continue;
        json_open(j, NULL, '{');
        json_uint(j, "status", f->status);
        json_string(j, "code", *f->code != '\0' ? f->code : NULL);
        json_string(j, "transport",
                    *f->transport != '\0' ? f->transport : NULL);
        json_uint(j, "count", f->count);
        json_number(j, "first_s", (double) f->first_ns / 1e9, 6);
        json_number(j, "last_s", (double) f->last_ns / 1e9, 6);
        stat_add_times(j, "service_us", &f->times, 0);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
add_counts(struct json *j, const struct stat_result *r,
           const struct stat_group *g)
{
    const struct tally *t = &g->tally;
    bool any = t->ops > 0;

    json_uint(j, "ops", t->ops);
    json_uint(j, "errors", tally_errors(t));
    json_uint(j, "failed", t->failed);
    json_uint(j, "repeated", t->again);
    json_uint(j, "unfinished", t->unfinished);
    json_uint(j, "objects", t->objects);
    json_uint(j, "good_bytes", t->good_bytes);
    json_uint(j, "wire_bytes", t->wire_bytes);
    json_number(j, "min_size", any ? (double) t->min_size : NAN, 0);
    json_number(j, "max_size", any ? (double) t->max_size : NAN, 0);
    json_uint(j, "reused", t->reused);
    json_uint(j, "lanes", stat_result_lanes(r, g));
    json_number(j, "window_s", r->timed ? stat_result_window_s(r, g) : NAN, 9);
    json_number(j, "ops_per_s", stat_result_rate(r, g, (double) t->ops), 3);
    json_number(j, "bytes_per_s",
                stat_result_rate(r, g, (double) t->good_bytes), 1);
    json_number(j, "in_flight_mean",
                stat_result_rate(r, g, t->residence_ns / 1e9), 3);
}

static void
add_marks(struct json *j, const struct stat_result *r,
          const struct stat_group *g)
{
    json_open(j, "marks", '[');
    if (stat_result_is_few(r, g))
        json_string(j, NULL, "few");
    if (r->window.kind == STAT_WINDOW_NOT_STEADY)
        json_string(j, NULL, "not-steady");
    if (tally_errors(&g->tally) > 0)
        json_string(j, NULL, "errors");
    json_close(j, ']');
}

static void
add_group(struct json *j, const struct stat_result *r, struct stat_group *g)
{
    json_open(j, NULL, '{');
    json_string(j, "op", stat_result_op(r, g));
    json_string(j, "part", *g->label != '\0' ? g->label : NULL);
    add_window(j, r, g);
    add_counts(j, r, g);
    add_confidence(j, r, g);
    add_extremes(j, r, g);
    add_tally_times(j, "service_us", &g->tally, TALLY_SERVICE);
    add_tally_times(j, "response_us", &g->tally, TALLY_RESPONSE);
    add_tally_times(j, "failed_us", &g->tally, TALLY_FAILED);
    json_open(j, "stages_us", '{');
    for (enum tally_time i = TALLY_LOOKUP; i < TALLY_TIMES; i++)
        add_tally_times(j, tally_time_names[i], &g->tally, i);
    json_close(j, '}');
    stat_add_failures(j, &g->tally);
    add_marks(j, r, g);
    json_close(j, '}');
}

static const char *
format_name(const struct stat_result *r)
{
    switch (r->format) {
    case INTAKE_OPS:
        return RECORD_FORMAT;
    case INTAKE_HIST:
        return HISTOGRAM_FORMAT;
    default:
        return "warp";
    }
}

void
stat_add_source(struct json *j, const struct stat_result *r)
{
    json_string(j, "format", STAT_JSON_FORMAT);
    json_string(j, "program", "s3stat");
    json_string(j, "version", S3PERF_VERSION);
    json_string(j, "file", r->name);
    json_string(j, "source", format_name(r));
    json_string(j, "command", stat_result_fact(r, "command"));
    json_string(j, "endpoint", stat_result_fact(r, "endpoint"));
    json_string(j, "started", stat_result_fact(r, "started"));
    json_bool(j, "insecure", stat_result_fact(r, "insecure") != NULL);
    json_string(j, "percentiles",
                r->pool.full || r->format == INTAKE_HIST ? "histogram"
                                                         : "exact");
}

int
stat_print_json(struct stat_result *r)
{
    static const char *const by[] = {NULL, "size", "endpoint", "host",
                                     "interval"};
    struct buf out;
    struct json j;
    int err;

    buf_init(&out, TEXT_MAX_BYTES);
    json_init(&j, &out);
    json_open(&j, NULL, '{');
    stat_add_source(&j, r);
    json_open(&j, "operations", '[');
    for (size_t i = 0; i < r->op_count; i++)
        add_group(&j, r, r->ops_groups[i]);
    json_close(&j, ']');
    json_string(&j, "by", by[r->by]);
    json_open(&j, "parts", '[');
    for (size_t i = 0; i < r->part_count; i++)
        add_group(&j, r, r->parts[i]);
    json_close(&j, ']');
    json_close(&j, '}');
    err = j.err;
    if (err == 0)
        printf("%s\n", out.data);
    buf_clear(&out);
    return err;
}
