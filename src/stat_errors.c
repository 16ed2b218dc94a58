/* SPDX-License-Identifier: MIT */
/* s3stat errors: what failed, how often, when, and how long it took. */
#include "config.h"

#include <getopt.h>
#include <math.h>
#include <string.h>

#include "stat_inputs.h"
#include "stat_result.h"
#include "stat_view.h"

#define FORMAT "s3perf-errors 1"

struct options {
    struct stat_view view;
    struct stat_sheet sheet;
};

#define AT(field) offsetof(struct options, field)

static const struct stat_column columns[] = {
    {"file", NULL, 0},       {"op", "op", -6},
    {"status", "http", 4},   {"count", "records", 8},
    {"share", "share", 6},   {"first_s", "first s", 8},
    {"last_s", "last s", 8}, {"p50_us", "p50", 8},
    {"p99_us", NULL, 0},     {"max_us", "max", 8},
    {"code", "code", -18},   {"transport", "transport", -9},
    {NULL, NULL, 0}};

static void
put_kind(struct options *o, const struct stat_result *r, struct stat_group *g,
         struct tally_failure *f)
{
    struct stat_sheet *s = &o->sheet;
    double all = (double) (g->tally.ops + g->tally.failed);

    stat_sheet_text(s, r->name);
    stat_sheet_field(s, stat_result_op(r, g), strlen(stat_result_op(r, g)));
    stat_sheet_uint(s, f->status);
    stat_sheet_uint(s, f->count);
    stat_sheet_share(s, (double) f->count / all);
    stat_sheet_number(s, (double) f->first_ns / 1e9, 6);
    stat_sheet_number(s, (double) f->last_ns / 1e9, 6);
    stat_sheet_percentile(s, &f->times, 0, 0.5);
    stat_sheet_percentile(s, &f->times, 0, 0.99);
    stat_sheet_time(s, f->times.count > 0 ? (double) f->times.max_ns : NAN);
    stat_sheet_text(s, f->code);
    stat_sheet_text(s, f->transport);
    stat_sheet_end_row(s);
}

static int
put_file(struct options *o, const char *path)
{
    struct stat_result r;
    int status;

    stat_result_init(&r, STAT_BY_NOTHING, INT64_C(1000000000));
    status = stat_result_read(&r, path, false, &o->view.filter, &o->view.asked);
    if (status == 0)
        stat_result_finish(&r);
    for (size_t i = 0; status <= STAT_FAILED && i < r.op_count; i++) {
        struct stat_group *g = r.ops_groups[i];
        uint32_t order[TALLY_FAILURES_MAX];

        tally_order_failures(order, &g->tally);
        for (uint32_t k = 0; k < g->tally.failure_count; k++)
            if (g->tally.failures[order[k]].count > 0)
                put_kind(o, &r, g, &g->tally.failures[order[k]]);
        if (tally_errors(&g->tally) > 0)
            status = STAT_FAILED;
    }
    stat_result_clear(&r);
    return status;
}

static int
run(int argc, char **argv)
{
    struct options o = {.view = STAT_VIEW_DEFAULT};
    struct stat_inputs inputs;
    int status = stat_view_parse(&o.view, &o, &stat_errors, argc, argv);

    if (status >= 0)
        return status;
    /* The whole run, unless a part was asked for. */
    o.view.asked.whole =
        o.view.asked.from_ns == INT64_MIN && o.view.asked.to_ns == INT64_MAX;
    status = stat_inputs_find(&inputs, &stat_errors, argv + optind);
    stat_sheet_open(&o.sheet, stat_view_shape(&o.view), FORMAT, columns);
    for (size_t i = 0; status <= STAT_FAILED && i < inputs.count; i++) {
        int found = put_file(&o, inputs.paths[i]);

        if (found > status)
            status = found;
    }
    stat_inputs_clear(&inputs);
    return stat_sheet_close(&o.sheet, status);
}

const struct stat_command stat_errors = {
    .name = "errors",
    .operands = "FILE...",
    .summary = "what failed, how often, when, and how long it took",
    .text = "Kinds of failures are told apart by HTTP status, S3 code and"
            " transport error;\nattempts that were repeated are among them."
            " Exit status 1 when there are any.\n",
    .tables = {STAT_VIEW_TABLES(AT(view))},
    .run = run,
};
