/* SPDX-License-Identifier: MIT */
/* s3stat scaling: how throughput grows with concurrency. */
#include "config.h"

#include "stat_scaling.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "units.h"

#define OUTPUT_MAX (256u << 20)
#define DIFFERENCES_MAX 65536

#define AT(field) offsetof(struct scaling_options, field)

/* The text of --knee and --line-rate is looked at afterwards. */
struct given {
    struct scaling_options options;
    const char *knee;
};

static const struct stat_option law_rows[] = {
    {STAT_TEXT, 0, "knee", "FACTOR", offsetof(struct given, knee),
     "the knee is the largest concurrency whose p99 is within FACTOR times the"
     " best (default 2)",
     NULL},
    {STAT_TEXT, 0, "line-rate", "RATE", AT(line_rate),
     "of the network, 1Gbit for instance: say what share of it is content",
     NULL},
    {STAT_PERCENT, 0, "confidence", "PCT", AT(confidence),
     "of intervals (default 95%)", NULL},
    {STAT_LIST, 0, "phase", "NAME", AT(phases),
     "only this phase; may be repeated", NULL},
};

static const struct stat_option output_rows[] = {
    {STAT_FLAG, 0, "points", NULL, AT(points),
     "print a table of points and what the law says there", NULL},
    {STAT_FLAG, 0, "json", NULL, AT(json), "print one JSON object", NULL},
    {STAT_FLAG, 0, "tsv", NULL, AT(tsv), "print a table, a line for each curve",
     NULL},
};

static int
check_options(struct given *g)
{
    struct scaling_options *o = &g->options;

    if (g->knee != NULL &&
        (!units_parse_decimal(&o->knee, g->knee) || o->knee < 1))
        return complain(STAT_USAGE, "bad --knee '%s'", g->knee);
    if (o->line_rate != NULL &&
        !units_parse_bit_rate(&o->line_bits_per_s, o->line_rate))
        return complain(STAT_USAGE, "bad --line-rate '%s'", o->line_rate);
    if (!(o->confidence >= 0.5 && o->confidence < 1))
        return complain(STAT_USAGE,
                        "--confidence is at least 50%% and below 100%%");
    if (o->points + o->json + o->tsv > 1)
        return complain(STAT_USAGE,
                        "--points, --json and --tsv exclude each other");
    return 0;
}

static int
read_all(struct scaling *s, char **operands, size_t count)
{
    struct compare_work *w = &s->work;

    for (size_t i = 0; i < count; i++) {
        struct compare_run *run = &w->runs[w->run_count++];
        int status;

        run->name = operands[i];
        status = compare_read(w, run, run->name, (uint32_t) i);
        if (status != 0)
            return status;
    }
    return 0;
}

static int
print(const struct scaling *s)
{
    const struct scaling_options *o = s->options;
    struct buf out;
    int err = 0;

    buf_init(&out, OUTPUT_MAX);
    if (o->tsv)
        err = scaling_add_tsv(&out, s);
    else if (o->json)
        err = scaling_add_json(&out, s);
    else if (o->points)
        err = scaling_add_points(&out, s);
    else
        scaling_print_text(s);
    if (err == 0)
        fwrite(out.data, 1, out.len, stdout);
    buf_clear(&out);
    return err == 0 ? stat_finish(STAT_FINE)
                    : complain(STAT_OUTPUT, "cannot go on: %s", strerror(err));
}

static int
scale(const struct scaling_options *o, char **operands, size_t count)
{
    struct compare_settings settings = {
        .metrics = {compare_find_metric("ops_per_s"),
                    compare_find_metric("bytes_per_s"),
                    compare_find_metric("p99_us")},
        .metric_count = 3};
    /* Metrics are given, so that none is exchanged for another. */
    struct compare_options read = {.phases = o->phases,
                                   .metrics = {.count = 3}};
    struct scaling s = {.options = o};
    int status, err = compare_work_init(&s.work, &read, &settings, count);

    status = err == 0 ? read_all(&s, operands, count)
                      : complain(STAT_USAGE, "cannot go on: %s", strerror(err));
    if (status == 0) {
        err = scaling_make(&s);
        status = err == 0
                     ? print(&s)
                     : complain(STAT_USAGE, "cannot go on: %s", strerror(err));
    }
    scaling_clear(&s);
    compare_work_clear(&s.work);
    return status;
}

static int
run(int argc, char **argv)
{
    struct given g = {.options = {.knee = 2, .confidence = 0.95}};
    int status = stat_parse_options(&stat_scaling, &g, argc, argv);

    if (status >= 0)
        return status;
    status = check_options(&g);
    if (status != 0)
        return status;
    if (optind == argc)
        return complain(STAT_USAGE, "scaling: no RUN; - is a table of cells on"
                                    " standard input");
    return scale(&g.options, argv + optind, (size_t) (argc - optind));
}

const struct stat_command stat_scaling = {
    .name = "scaling",
    .operands = "RUN...",
    .summary = "how throughput grows with concurrency, and where it stops",
    .text = "Fit the Universal Scalability Law to what run directories, tables"
            " of cells\n(s3op --cell) or records say of several"
            " concurrencies.\n",
    .tables = {STAT_TABLE("Curves", law_rows, 0),
               STAT_TABLE("Output", output_rows, 0)},
    .run = run,
};
