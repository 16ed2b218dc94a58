/* SPDX-License-Identifier: MIT */
/* s3stat summary: what happened, per operation. */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "complain.h"
#include "stat_command.h"
#include "stat_inputs.h"
#include "stat_result.h"
#include "stat_styles.h"

enum style { STYLE_TABLE, STYLE_WARP, STYLE_S3BENCH };

struct options {
    struct stat_select select;
    int by; /* enum stat_by */
    int style;
    bool json, tsv, merge;
    int64_t interval_ns;
};

static const char *const by_names[] = {"nothing", "size",     "endpoint",
                                       "host",    "interval", NULL};
static const char *const style_names[] = {"table", "warp", "s3bench", NULL};

#define AT(field) offsetof(struct options, field)

static const struct stat_option rows[] = {
    {STAT_CHOICE, 0, "by", "WHAT", AT(by),
     "divide each operation by size (powers of two), endpoint, host or"
     " interval",
     by_names},
    {STAT_DURATION, 0, "interval", "TIME", AT(interval_ns),
     "length of intervals (default 1s)", NULL},
    {STAT_FLAG, 0, "merge", NULL, AT(merge),
     "the files are parts of one run: add them up", NULL},
    {STAT_CHOICE, 0, "style", "STYLE", AT(style),
     "table, or the shape of warp's or s3bench's summaries (default table)",
     style_names},
    {STAT_FLAG, 0, "json", NULL, AT(json), "print a JSON object for each file",
     NULL},
    {STAT_FLAG, 0, "tsv", NULL, AT(tsv),
     "print a table, one line for each operation and part", NULL},
};

/* Print R in the shape that was asked for; NUMBER of them came before. */
static int
print(struct stat_result *r, const struct options *o, size_t number, bool named)
{
    int err = 0;

    stat_result_finish(r);
    if (o->json)
        err = stat_print_json(r);
    else if (o->tsv)
        stat_print_tsv(r, number == 0);
    else if (o->style == STYLE_WARP)
        stat_print_warp(r);
    else if (o->style == STYLE_S3BENCH)
        stat_print_s3bench(r);
    else
        stat_print_table(r, named);
    if (err != 0)
        return complain(STAT_OUTPUT, "cannot print: %s", strerror(err));
    for (size_t i = 0; i < r->op_count; i++)
        if (tally_errors(&r->ops_groups[i]->tally) > 0)
            return STAT_FAILED;
    return STAT_FINE;
}

/* Each file by itself, or all of them as one. */
static int
summarise(const struct options *o, const struct stat_inputs *inputs,
          const struct filter *filter, const struct stat_window_asked *asked)
{
    struct stat_result r;
    int status = STAT_FINE;

    stat_result_init(&r, (enum stat_by) o->by, o->interval_ns);
    for (size_t i = 0; i < inputs->count; i++) {
        int bad =
            stat_result_read(&r, inputs->paths[i], o->merge, filter, asked);

        if (bad != 0) {
            status = bad;
            break;
        }
        if (o->merge && i + 1 < inputs->count)
            continue;
        if (i > 0 && !o->merge && !o->json && !o->tsv)
            putchar('\n');
        bad = print(&r, o, o->merge ? 0 : i, inputs->count > 1 && !o->merge);
        if (bad > status)
            status = bad;
        stat_result_clear(&r);
    }
    stat_result_clear(&r);
    return status;
}

static int
run(int argc, char **argv)
{
    struct options o = {.select = STAT_SELECT_DEFAULT,
                        .interval_ns = CLOCK_NS_PER_S};
    struct stat_window_asked asked;
    struct stat_inputs inputs;
    struct filter filter;
    int status = stat_parse_options(&stat_summary, &o, argc, argv);

    if (status >= 0)
        return status;
    if (o.interval_ns < CLOCK_NS_PER_MS)
        return complain(STAT_USAGE, "--interval is below 1ms");
    if (o.json + o.tsv + (o.style != STYLE_TABLE) > 1)
        return complain(STAT_USAGE, "--json, --tsv and --style exclude each "
                                    "other");
    status = stat_select_compile(&o.select, &filter, &asked);
    if (status >= 0)
        return status;
    status = stat_inputs_find(&inputs, &stat_summary, argv + optind);
    if (status == 0)
        status = summarise(&o, &inputs, &filter, &asked);
    stat_inputs_clear(&inputs);
    return stat_finish(status);
}

const struct stat_command stat_summary = {
    .name = "summary",
    .operands = "FILE...",
    .summary = "counts, rates and times of each operation",
    .text = "Sum up operation records, histograms, or the records of a run's"
            " directory.\n",
    .tables = {STAT_TABLE("Output", rows, 0), STAT_SELECT_TABLE(AT(select))},
    .run = run,
};
