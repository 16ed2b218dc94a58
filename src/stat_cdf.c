/* SPDX-License-Identifier: MIT */
/* s3stat cdf: which share of operations took how long. */
#include "config.h"

#include <getopt.h>
#include <string.h>

#include "complain.h"
#include "stat_inputs.h"
#include "stat_result.h"
#include "stat_sheet.h"
#include "stat_view.h"

#define FORMAT "s3perf-cdf 1"
#define POINTS_MAX 1000

struct options {
    struct stat_view view;
    int time; /* enum tally_time */
    uint64_t points;
    struct stat_sheet sheet;
};

#define AT(field) offsetof(struct options, field)

/* In the order of enum tally_time. */
static const char *const time_names[] = {
    "service", "response", "failed", "lookup", "connect", "tls",
    "sent",    "first",    "body",   "verify", NULL};

static const struct stat_option rows[] = {
    {STAT_CHOICE, 0, "time", "NAME", AT(time),
     "of which time: service, response, failed, lookup, connect, tls, sent,"
     " first, body or verify (default service)",
     time_names},
    {STAT_NATURAL, 0, "points", "N", AT(points),
     "so many points each time that the share of slower operations halves"
     " (default 10)",
     NULL},
};

static const struct stat_column columns[] = {
    {"file", NULL, 0},  {"op", "op", -10},        {"time", "time", -10},
    {"p", "share", 10}, {"tail", "one in", 10},   {"us", "took at most", 13},
    {"count", NULL, 0}, {"beyond", "slower", 10}, {NULL, NULL, 0}};

/* One point: a share of P took NS or less; false when the sample has none
 * beyond it, which is then the last. */
static bool
put_point(struct options *o, const struct stat_result *r, struct stat_group *g,
          double p)
{
    uint64_t censored;
    struct dist *d =
        tally_times(&g->tally, (enum tally_time) o->time, &censored);
    uint64_t n = d->count + censored;
    int64_t ns;
    enum dist_support support = dist_supported(d, censored, p, &ns);
    bool more = support != DIST_NONE && support != DIST_BEYOND;

    if (support == DIST_BEYOND) /* what is seen ends here */
        return false;
    if (!more) {
        if (censored > 0)
            return false;
        p = 1;
        ns = d->max_ns;
    }
    stat_sheet_text(&o->sheet, r->name);
    stat_sheet_field(&o->sheet, stat_result_op(r, g),
                     strlen(stat_result_op(r, g)));
    stat_sheet_text(&o->sheet, time_names[o->time]);
    stat_sheet_number(&o->sheet, p, 9);
    stat_sheet_number(&o->sheet, more ? 1 / (1 - p) : (double) n, 3);
    stat_sheet_time(&o->sheet, (double) ns);
    stat_sheet_uint(&o->sheet, n);
    stat_sheet_uint(&o->sheet, n - dist_up_to(d, ns));
    stat_sheet_end_row(&o->sheet);
    return more;
}

/* Shares are as far apart as what lies beyond them is large. */
static void
put_group(struct options *o, const struct stat_result *r, struct stat_group *g)
{
    double beyond = 1, step = 0.5 / (double) o->points;
    uint64_t censored, k = 0;

    if (tally_times(&g->tally, (enum tally_time) o->time, &censored)->count ==
        0)
        return;
    while (put_point(o, r, g, 1 - beyond * (1 - (double) k * step)))
        if (++k == o->points) {
            beyond /= 2;
            k = 0;
        }
}

static int
put_file(struct options *o, const char *path)
{
    struct stat_result r;
    int status;

    stat_result_init(&r, STAT_BY_NOTHING, INT64_C(1000000000));
    status = stat_result_read(&r, path, false, &o->view.filter, &o->view.asked);
    if (status == 0) {
        stat_result_finish(&r);
        for (size_t i = 0; i < r.op_count; i++)
            put_group(o, &r, r.ops_groups[i]);
    }
    stat_result_clear(&r);
    return status;
}

static int
run(int argc, char **argv)
{
    struct options o = {.view = STAT_VIEW_DEFAULT, .points = 10};
    struct stat_inputs inputs;
    int status = stat_view_parse(&o.view, &o, &stat_cdf, argc, argv);

    if (status >= 0)
        return status;
    if (o.points > POINTS_MAX)
        return complain(STAT_USAGE, "--points is above %d", POINTS_MAX);
    status = stat_inputs_find(&inputs, &stat_cdf, argv + optind);
    stat_sheet_open(&o.sheet, stat_view_shape(&o.view), FORMAT, columns);
    for (size_t i = 0; status == 0 && i < inputs.count; i++)
        status = put_file(&o, inputs.paths[i]);
    stat_inputs_clear(&inputs);
    return stat_sheet_close(&o.sheet, status);
}

const struct stat_command stat_cdf = {
    .name = "cdf",
    .operands = "FILE...",
    .summary = "which share of operations took how long",
    .text = "Print shares and the times that so many took at most, closer"
            " together\ntowards the slowest. Reads records and histograms.\n",
    .tables = {STAT_TABLE("Points", rows, 0), STAT_VIEW_TABLES(AT(view))},
    .run = run,
};
