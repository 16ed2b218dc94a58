/* SPDX-License-Identifier: MIT */
/* s3stat compare: is B worse than A, and how sure can one be. */
#include "config.h"

#include "stat_compare.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"

#define OUTPUT_MAX (256u << 20)
#define DIFFERENCES_MAX 65536

static const struct stat_option evidence_rows[] = {
    {STAT_PERCENT, 0, "threshold", "PCT",
     offsetof(struct compare_options, threshold),
     "the smallest change worth noticing (default 5%)", NULL},
    {STAT_PERCENT, 0, "confidence", "PCT",
     offsetof(struct compare_options, confidence),
     "of intervals; the rest is the chance of a false alarm (default 95%)",
     NULL},
    {STAT_LIST, 0, "metric", "NAME", offsetof(struct compare_options, metrics),
     "compare this column of cells; may be repeated (default ops_per_s,"
     " p50_us and p99_us; at a given rate response_p50_us and"
     " response_p99_us); with failures also success, the share without",
     NULL},
    {STAT_LIST, 0, "phase", "NAME", offsetof(struct compare_options, phases),
     "only this phase; may be repeated", NULL},
    {STAT_TEXT, 0, "target-a", "NAME",
     offsetof(struct compare_options, targets[STATS_A]),
     "of A only this target; with --target-b two targets of one run can be"
     " compared",
     NULL},
    {STAT_TEXT, 0, "target-b", "NAME",
     offsetof(struct compare_options, targets[STATS_B]),
     "of B only this target", NULL},
    {STAT_FLAG, 0, "unlike", NULL, offsetof(struct compare_options, unlike),
     "compare all the same when runs were measured differently", NULL},
};

static const struct stat_option output_rows[] = {
    {STAT_FLAG, 0, "all", NULL, offsetof(struct compare_options, all),
     "list all cells, not just those that differ", NULL},
    {STAT_FLAG, 0, "json", NULL, offsetof(struct compare_options, json),
     "print one JSON object", NULL},
    {STAT_FLAG, 0, "tsv", NULL, offsetof(struct compare_options, tsv),
     "print a table for programs", NULL},
};

/* --- what is asked for --- */

static int
check_options(const struct compare_options *o)
{
    if (!(o->threshold < 10))
        return complain(STAT_USAGE, "--threshold is more than 1000%%");
    if (!(o->confidence >= 0.5 && o->confidence < 1))
        return complain(STAT_USAGE,
                        "--confidence is at least 50%% and below 100%%");
    if (o->json && o->tsv)
        return complain(STAT_USAGE, "--json and --tsv exclude each other");
    if (o->metrics.count >= COMPARE_METRICS_MAX)
        return complain(STAT_USAGE, "more than %d --metric",
                        COMPARE_METRICS_MAX - 1);
    return 0;
}

static int
complain_metric(const char *name)
{
    char known[512];
    size_t n = 0;

    for (size_t i = 0; compare_metric_name(i) != NULL && n < sizeof known; i++)
        n += (size_t) snprintf(known + n, sizeof known - n, " %s",
                               compare_metric_name(i));
    return complain(STAT_USAGE, "unknown --metric '%s'; there are%s", name,
                    known);
}

static int
choose_metrics(struct compare_settings *s, const struct compare_options *o)
{
    static const char *const usual[] = {"ops_per_s", "p50_us", "p99_us"};

    for (size_t i = 0; i < o->metrics.count; i++) {
        s->metrics[i] = compare_find_metric(o->metrics.items[i]);
        if (s->metrics[i] == NULL)
            return complain_metric(o->metrics.items[i]);
    }
    s->metric_count = o->metrics.count;
    if (s->metric_count == 0) {
        s->metric_count = sizeof usual / sizeof *usual;
        for (size_t i = 0; i < s->metric_count; i++)
            s->metrics[i] = compare_find_metric(usual[i]);
    }
    s->metrics[s->metric_count++] = compare_find_metric("success");
    return 0;
}

/* Without failures there is nothing to say of successes. */
static void
drop_success(struct compare_work *w)
{
    double errors = 0;

    for (size_t i = 0; i < w->run_count; i++)
        errors += w->runs[i].errors;
    if (errors == 0)
        w->compare.settings.metric_count--;
}

/* A run's operands: those before "--" are A's. */
static int
gather_runs(struct compare_work *w, char **operands, size_t count)
{
    size_t split = 0;

    while (split < count && strcmp(operands[split], "--") != 0)
        split++;
    if (split == count && count == 2) /* nothing else can be meant */
        split = 1;
    else if (split == count)
        return complain(STAT_USAGE, "compare: no '--' between A... and B...");
    for (size_t i = 0; i < count; i++) {
        if (i == split && strcmp(operands[i], "--") == 0)
            continue;
        w->runs[w->run_count].name = operands[i];
        w->runs[w->run_count++].side = i < split ? STATS_A : STATS_B;
    }
    if (w->run_count == 0 || w->runs[0].side == STATS_B)
        return complain(STAT_USAGE, "compare: no run before '--'");
    if (w->runs[w->run_count - 1].side == STATS_A)
        return complain(STAT_USAGE, "compare: no run after '--'");
    return 0;
}

/* --- the work --- */

static int
read_runs(struct compare_work *w)
{
    uint32_t number[2] = {0, 0};

    for (size_t i = 0; i < w->run_count; i++) {
        struct compare_run *run = &w->runs[i];
        int status = compare_read(w, run, run->name, number[run->side]++);

        if (status != 0)
            return status;
    }
    return 0;
}

/* The lines of B as one, "; " between them. */
static void
join_lines(struct buf *b)
{
    for (char *p = b->data; *p != '\0'; p++)
        if (*p == '\n')
            *p = p[1] != '\0' ? ';' : ' ';
}

static int
refuse_unlike(struct compare_work *w)
{
    int err = compare_find_unlike(w);

    if (err != 0 && err != EMSGSIZE)
        return complain(STAT_USAGE, "cannot go on: %s", strerror(err));
    if (w->unlike.len == 0 || w->options->unlike)
        return 0;
    join_lines(&w->unlike);
    return complain(STAT_USAGE,
                    "measured differently: %s(--unlike compares all the same)",
                    w->unlike.data);
}

/* Whether no side has more than one target: then it need not be the same. */
static bool
one_target(const struct compare_work *w)
{
    size_t with[2] = {0, 0};

    for (uint32_t i = 0; i < w->targets.count; i++)
        for (int side = STATS_A; side <= STATS_B; side++)
            with[side] +=
                compare_has_target(&w->compare, (enum stats_side) side, i);
    return with[STATS_A] <= 1 && with[STATS_B] <= 1;
}

static int
print(const struct compare_work *w)
{
    const struct compare *c = &w->compare;
    bool worse = compare_count(c, true, COMPARE_WORSE) +
                     compare_count(c, false, COMPARE_WORSE) >
                 0;
    struct buf out;
    int err = 0;

    buf_init(&out, OUTPUT_MAX);
    if (w->options->tsv)
        err = compare_add_tsv(&out, w);
    else if (w->options->json)
        err = compare_add_json(&out, w);
    else
        compare_print_text(w);
    if (err != 0)
        complain(STAT_OUTPUT, "cannot go on: %s", strerror(err));
    else
        fwrite(out.data, 1, out.len, stdout);
    buf_clear(&out);
    return err != 0 ? STAT_OUTPUT : stat_finish(worse ? STAT_WORSE : STAT_FINE);
}

static int
judge(struct compare_work *w)
{
    int status = refuse_unlike(w), err;

    if (status != 0)
        return status;
    drop_success(w);
    if (one_target(w))
        compare_join_targets(&w->compare);
    err = compare_judge(&w->compare);
    if (err != 0)
        return complain(STAT_USAGE, "cannot go on: %s", strerror(err));
    if (w->compare.cells == 0)
        return complain(STAT_USAGE, "A and B have no cell in common");
    return print(w);
}

int
compare_work_init(struct compare_work *w, const struct compare_options *o,
                  const struct compare_settings *settings, size_t runs)
{
    *w = (struct compare_work){.options = o,
                               .runs = calloc(runs + 1, sizeof *w->runs)};
    compare_init(&w->compare, settings);
    names_init(&w->phases);
    names_init(&w->targets);
    buf_init(&w->unlike, DIFFERENCES_MAX);
    buf_init(&w->notes, DIFFERENCES_MAX);
    return w->runs != NULL ? 0 : ENOMEM;
}

void
compare_work_clear(struct compare_work *w)
{
    for (size_t i = 0; i < w->run_count; i++) {
        for (size_t k = 0; k < w->runs[i].fact_count; k++) {
            free(w->runs[i].facts[k].name);
            free(w->runs[i].facts[k].value);
        }
    }
    free(w->runs);
    compare_clear(&w->compare);
    names_clear(&w->phases);
    names_clear(&w->targets);
    buf_clear(&w->unlike);
    buf_clear(&w->notes);
}

static int
compare_all(const struct compare_options *o, char **operands, size_t count)
{
    struct compare_settings settings = {.alpha = 1 - o->confidence,
                                        .threshold = log1p(o->threshold)};
    struct compare_work w;
    int status, err;

    if (count > COMPARE_RUNS_MAX)
        return complain(STAT_USAGE, "more than %d runs", COMPARE_RUNS_MAX);
    status = choose_metrics(&settings, o);
    err = compare_work_init(&w, o, &settings, count);
    if (status == 0 && err != 0)
        status = complain(STAT_USAGE, "cannot go on: %s", strerror(err));
    if (status == 0)
        status = gather_runs(&w, operands, count);
    if (status == 0)
        status = read_runs(&w);
    if (status == 0)
        status = judge(&w);
    compare_work_clear(&w);
    return status;
}

static int
run(int argc, char **argv)
{
    struct compare_options o = {.threshold = 0.05, .confidence = 0.95};
    int status = stat_parse_options(&stat_compare, &o, argc, argv);

    if (status < 0)
        status = check_options(&o);
    else
        return status;
    if (status != 0)
        return status;
    return compare_all(&o, argv + optind, (size_t) (argc - optind));
}

const struct stat_command stat_compare = {
    .name = "compare",
    .operands = "A... -- B...",
    .summary = "whether B is worse than A, and how sure one can be",
    .text =
        "Compare two sides of runs: directories of runs, tables of cells"
        " (s3op --cell),\nrecords or histograms. The evidence is the run; with"
        " one run a side it is the\nrepeat, with one of these it is blocks of"
        " time. Status 5: something is worse.\n",
    .stops = true,
    .tables = {STAT_TABLE("Evidence", evidence_rows, 0),
               STAT_TABLE("Output", output_rows, 0)},
    .run = run,
};
