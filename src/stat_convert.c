/* SPDX-License-Identifier: MIT */
/* s3stat convert: records in other formats. */
#include "config.h"

#include "stat_convert.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "complain.h"
#include "stat_inputs.h"
#include "stat_view.h"
#include "version.h"

#define LINE_MAX_BYTES (1u << 20)

enum target { TO_NOTHING, TO_TSV, TO_CSV, TO_JSON, TO_INFLUX, TO_OPENMETRICS };

struct options {
    struct stat_view view;
    int to; /* enum target */
    const char *start;
    int64_t start_ns; /* of the run that is read, since 1970 */
    bool begun; /* the first line is written */
    struct buf line;
};

#define AT(field) offsetof(struct options, field)

static const char *const target_names[] = {
    "nothing", "tsv", "csv", "jsonl", "influx", "openmetrics", NULL};

static const struct stat_option rows[] = {
    {STAT_CHOICE, 0, "to", "FORMAT", AT(to),
     "tsv (s3perf-ops 1), csv, jsonl, influx (line protocol) or openmetrics"
     " (counters and histograms of all files together)",
     target_names},
    {STAT_TEXT, 0, "start", "TIME", AT(start),
     "when the run started, 2026-11-30T22:00:00Z, for influx; needed when the"
     " file does not say so",
     NULL},
};

/* When the run of IN started. */
static int
find_start(struct options *o, const struct intake *in)
{
    const char *text = o->start != NULL ? o->start : intake_fact(in, "started");
    time_t start;

    o->start_ns = 0;
    if (o->to != TO_INFLUX)
        return 0;
    /* A date of warp's is known with its first record. */
    if (o->start == NULL && in->format == INTAKE_WARP)
        return 0;
    if (text == NULL || !clock_parse_iso(&start, text)) {
        complain(STAT_USAGE,
                 "%s: does not say when the run started: use --start",
                 in->name);
        return ECANCELED;
    }
    o->start_ns = (int64_t) start * CLOCK_NS_PER_S;
    return 0;
}

static int
begin(struct stat_view *view, const struct intake *in)
{
    struct options *o = (struct options *) view;
    int err = find_start(o, in);

    buf_reset(&o->line);
    if (err != 0 || o->begun)
        return err;
    o->begun = true;
    if (o->to == TO_CSV) {
        err = stat_convert_csv_names(&o->line);
    } else if (o->to == TO_TSV) {
        err = buf_addf(&o->line, "# " RECORD_FORMAT "\n# program: s3stat %s\n",
                       S3PERF_VERSION);
        if (err == 0)
            err = record_add_columns(&o->line);
    }
    fputs(o->line.data, stdout);
    return err;
}

static int
add_tsv(struct buf *out, const struct record_view *v, int64_t start_ns)
{
    (void) start_ns;
    return record_view_add_tsv(out, v);
}

static int
take(void *ctx, const struct record_view *v)
{
    static stat_convert_fn *const formats[] = {[TO_TSV] = add_tsv,
                                               [TO_CSV] = stat_convert_csv,
                                               [TO_JSON] = stat_convert_json,
                                               [TO_INFLUX] =
                                                   stat_convert_influx};
    struct options *o = ctx;
    int64_t start_ns = o->start_ns;
    int err;

    if (o->start == NULL && o->view.in.format == INTAKE_WARP)
        start_ns = o->view.in.warp.base_ns;
    buf_reset(&o->line);
    err = formats[o->to](&o->line, v, start_ns);
    if (err != 0)
        return err;
    errno = 0;
    if (fwrite(o->line.data, 1, o->line.len, stdout) != o->line.len)
        return errno != 0 ? errno : EIO;
    return 0;
}

static int
end(struct stat_view *view, const struct intake *in)
{
    (void) view;
    (void) in;
    return 0;
}

/* All files as one summary. */
static int
sum_up(struct options *o, char **operands)
{
    struct stat_inputs inputs;
    struct stat_result r;
    int status = stat_inputs_find(&inputs, &stat_convert, operands);

    stat_result_init(&r, STAT_BY_NOTHING, CLOCK_NS_PER_S);
    for (size_t i = 0; status == 0 && i < inputs.count; i++)
        status = stat_result_read(&r, inputs.paths[i], true, &o->view.filter,
                                  &o->view.asked);
    if (status == 0) {
        stat_result_finish(&r);
        stat_print_openmetrics(&r);
    }
    stat_result_clear(&r);
    stat_inputs_clear(&inputs);
    return status;
}

static int
run(int argc, char **argv)
{
    static const struct stat_view_calls calls = {begin, take, end};
    struct options o = {.view = STAT_VIEW_DEFAULT};
    int status = stat_view_parse(&o.view, &o, &stat_convert, argc, argv);

    if (status >= 0)
        return status;
    if (o.to == TO_NOTHING)
        return complain(STAT_USAGE, "convert: --to what? tsv, csv, jsonl, "
                                    "influx or openmetrics");
    buf_init(&o.line, LINE_MAX_BYTES);
    if (o.to == TO_OPENMETRICS)
        status = sum_up(&o, argv + optind);
    else
        status = stat_view_read(&o.view, &stat_convert, argv + optind, &calls);
    buf_clear(&o.line);
    return stat_finish(status);
}

const struct stat_command stat_convert = {
    .name = "convert",
    .operands = "FILE...",
    .summary = "records as CSV, JSON lines, InfluxDB lines, OpenMetrics",
    .text = "Print the records of all files in another format; warp's become"
            " ours with\n--to tsv.\n",
    .tables = {STAT_TABLE("Format", rows, 0),
               STAT_SELECT_TABLE(AT(view.select))},
    .run = run,
};
