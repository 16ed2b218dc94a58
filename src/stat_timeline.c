/* SPDX-License-Identifier: MIT */
/* s3stat timeline: what happened when. */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "complain.h"
#include "names.h"
#include "series.h"
#include "stat_view.h"

#define FORMAT "s3perf-timeline 1"
#define OPS_MAX 64
#define INTERVALS_MAX 10000

struct options {
    struct stat_view view; /* first: calls get it */
    int64_t interval_ns;
    /* what was read */
    struct names ops;
    struct series series[OPS_MAX];
    struct stat_sheet sheet;
};

#define AT(field) offsetof(struct options, field)

static const struct stat_option rows[] = {
    {STAT_DURATION, 0, "interval", "TIME", AT(interval_ns),
     "length of intervals (default 1s); where there would be more than 10000,"
     " they are longer",
     NULL},
};

static const struct stat_column columns[] = {{"file", NULL, 0},
                                             {"op", "op", -8},
                                             {"from_s", "from", 9},
                                             {"to_s", NULL, 0},
                                             {"ops", "ops", 8},
                                             {"errors", "errors", 6},
                                             {"good_bytes", NULL, 0},
                                             {"wire_bytes", NULL, 0},
                                             {"ops_per_s", "ops/s", 8},
                                             {"bytes_per_s", NULL, 0},
                                             {"mib_per_s", "MiB/s", 8},
                                             {"in_flight", "flight", 7},
                                             {"p50_us", "p50", 8},
                                             {"p99_us", "p99", 8},
                                             {NULL, NULL, 0}};

static int
take(void *ctx, const struct record_view *v)
{
    struct options *o = ctx;
    int64_t end = v->ns[RECORD_END], start = v->ns[RECORD_START];
    int64_t from = o->view.asked.from_ns, service = v->ns[RECORD_TOTAL];
    uint32_t op;
    int err = names_find(&op, &o->ops, v->op.at, v->op.n);

    if (err != 0 || op >= OPS_MAX)
        return E2BIG;
    if (o->series[op].most == 0)
        series_init(&o->series[op], o->interval_ns, INTERVALS_MAX, true);
    err = series_add_flight(&o->series[op], start > from ? start : from, end);
    if (err != 0)
        return err;
    return series_add(&o->series[op], end,
                      service != RECORD_NONE ? service : end - start, v->ok,
                      v->good_bytes, v->wire_bytes);
}

static void
put_row(struct options *o, const struct intake *in, uint32_t op, size_t i,
        double in_flight)
{
    const struct series *s = &o->series[op];
    const struct series_row *row = &s->rows[i];
    double width_s = (double) s->width_ns / 1e9;
    double from_s = (double) (s->first + (int64_t) i) * width_s;
    double bytes_per_s = (double) row->good_bytes / width_s;
    struct stat_sheet *sheet = &o->sheet;

    stat_sheet_text(sheet, in->name);
    stat_sheet_field(sheet, o->ops.texts[op], strlen(o->ops.texts[op]));
    stat_sheet_number(sheet, from_s, 6);
    stat_sheet_number(sheet, from_s + width_s, 6);
    stat_sheet_uint(sheet, row->ops);
    stat_sheet_uint(sheet, row->errors);
    stat_sheet_uint(sheet, row->good_bytes);
    stat_sheet_uint(sheet, row->wire_bytes);
    stat_sheet_number(sheet, (double) row->ops / width_s, 3);
    stat_sheet_number(sheet, bytes_per_s, 1);
    stat_sheet_number(sheet, bytes_per_s / (1 << 20), 3);
    stat_sheet_number(sheet, in_flight, 3);
    stat_sheet_supported(sheet, (double) series_percentile(row, 0.5), row->ops,
                         0.5);
    stat_sheet_supported(sheet, (double) series_percentile(row, 0.99), row->ops,
                         0.99);
    stat_sheet_end_row(sheet);
}

static int
put_op(struct options *o, const struct intake *in, uint32_t op)
{
    struct series *s = &o->series[op];
    double *flight = malloc((s->count + 1) * sizeof *flight);

    if (flight == NULL)
        return ENOMEM;
    series_flight(s, flight);
    for (size_t i = 0; i < s->count; i++)
        put_row(o, in, op, i, flight[i]);
    free(flight);
    series_clear(s);
    s->most = 0;
    return 0;
}

static int
end(struct stat_view *view, const struct intake *in)
{
    struct options *o = (struct options *) view;
    uint32_t order[NAMES_MAX];
    int err = 0;

    names_order(order, &o->ops);
    for (uint32_t i = 0; err == 0 && i < o->ops.count; i++)
        err = put_op(o, in, order[i]);
    names_clear(&o->ops);
    return err;
}

static int
run(int argc, char **argv)
{
    static const struct stat_view_calls calls = {NULL, take, end};
    struct options o = {.view = STAT_VIEW_DEFAULT,
                        .interval_ns = CLOCK_NS_PER_S};
    int status = stat_view_parse(&o.view, &o, &stat_timeline, argc, argv);

    if (status >= 0)
        return status;
    if (o.interval_ns < CLOCK_NS_PER_MS)
        return complain(STAT_USAGE, "--interval is below 1ms");
    stat_sheet_open(&o.sheet, stat_view_shape(&o.view), FORMAT, columns);
    status = stat_view_read(&o.view, &stat_timeline, argv + optind, &calls);
    for (uint32_t op = 0; op < OPS_MAX; op++)
        series_clear(&o.series[op]);
    names_clear(&o.ops);
    return stat_sheet_close(&o.sheet, status);
}

const struct stat_command stat_timeline = {
    .name = "timeline",
    .operands = "FILE...",
    .summary = "what ended when: rates and times in intervals",
    .text = "Operations are counted where they ended, and their time in flight"
            " where it was.\n",
    .tables = {STAT_TABLE("Intervals", rows, 0), STAT_VIEW_TABLES(AT(view))},
    .run = run,
};
