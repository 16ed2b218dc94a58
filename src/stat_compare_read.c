/* SPDX-License-Identifier: MIT */
/* The runs that are compared, from whatever they left behind. */
#include "config.h"

#include "stat_compare.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cells.h"
#include "complain.h"
#include "intake.h"

#define MANIFEST_MAX (1u << 20)
#define SUCCESS_MIN 0.001 /* none at all has no logarithm */

static int
complain_memory(int err)
{
    return complain(STAT_USAGE, "cannot go on: %s", strerror(err));
}

/* Keep what the cells themselves say of how they were measured. */
static int
keep_of_line(struct compare_run *run, const struct cells_line *line, bool first)
{
    double rate = line->number[CELLS_RATE_ASKED];
    char text[40] = "-";
    int err;

    if (!first)
        return 0;
    if (!isnan(rate))
        snprintf(text, sizeof text, "%g/s", rate);
    err = compare_keep(run, "rate asked", text);
    if (err == 0)
        err = compare_keep(run, "scheme",
                           strncmp(line->target, "https", 5) == 0 ? "https"
                                                                  : "http");
    return err;
}

/* --- cells --- */

bool
compare_is_phase(const struct compare_options *o, const char *phase)
{
    for (size_t i = 0; i < o->phases.count; i++)
        if (strcmp(o->phases.items[i], phase) == 0)
            return true;
    return o->phases.count == 0;
}

static bool
is_wanted(const struct compare_work *w, const struct compare_run *run,
          const struct cells_line *line)
{
    const char *target = w->options->targets[run->side];

    return compare_is_phase(w->options, line->phase) &&
           (target == NULL || strcmp(target, line->target) == 0) &&
           (line->marks & CELLS_SKIPPED) == 0;
}

void
compare_choose_response(struct compare_work *w, bool open)
{
    struct compare_settings *s = &w->compare.settings;

    if (w->options->metrics.count > 0 || w->compare.point_count > 0 || !open)
        return;
    s->metrics[1] = compare_find_metric("response_p50_us");
    s->metrics[2] = compare_find_metric("response_p99_us");
}

double
compare_success(double ops, double errors)
{
    return fmax(ops / (ops + errors), SUCCESS_MIN);
}

static struct compare_value
value_of(const struct cells_line *line, const char *metric)
{
    int at = cells_find_number(metric);
    double ops = line->number[CELLS_OPS], errors = line->number[CELLS_ERRORS];

    if (at >= 0)
        return (struct compare_value){.value = line->number[at],
                                      .at_least =
                                          (line->at_least >> at & 1) != 0};
    return (struct compare_value){.value = compare_success(ops, errors)};
}

static int
add_line(struct compare_work *w, struct compare_run *run,
         const struct cells_line *line, uint32_t number)
{
    const struct compare_settings *settings = &w->compare.settings;
    struct compare_sample sample = {
        .cell = {.size = line->size,
                 .concurrency = (uint32_t) line->concurrency},
        .side = run->side,
        .run = number,
        .repeat = line->repeat,
        .marks = line->marks};
    int err = names_find(&sample.cell.phase, &w->phases, line->phase,
                         strlen(line->phase));

    if (err == 0)
        err = names_find(&sample.cell.target, &w->targets, line->target,
                         strlen(line->target));
    for (size_t i = 0; i < settings->metric_count; i++)
        sample.values[i] = value_of(line, settings->metrics[i]->name);
    if (!isnan(line->number[CELLS_OPS]))
        run->ops += line->number[CELLS_OPS];
    if (!isnan(line->number[CELLS_ERRORS]))
        run->errors += line->number[CELLS_ERRORS];
    return err != 0 ? err : compare_add(&w->compare, &sample);
}

/* Say what is wrong with the columns or a line. */
static int
complain_cells(struct intake *in, const char *why, const char *name,
               const char *value)
{
    if (*value != '\0')
        intake_complain(in, "%s %s '%.40s'", why, name, value);
    else
        intake_complain(in, "%s%s%s", why, *name != '\0' ? " " : "", name);
    return STAT_USAGE;
}

static int
read_cells(struct compare_work *w, struct compare_run *run, struct intake *in,
           uint32_t number)
{
    struct cells_reader reader;
    struct cells_line cell;
    const char *name, *value = "", *why;
    bool first = true;
    enum intake_got got;
    char *line;
    size_t n;

    why = cells_init(&reader, &name, in->block.data);
    if (why != NULL)
        return complain_cells(in, why, name, value);
    while ((got = intake_line(in, &line, &n)) == INTAKE_ONE) {
        int err;

        why = strlen(line) == n
                  ? cells_read(&cell, &name, &value, &reader, line)
                  : "a byte 0 in the line";
        if (why == NULL && cell.concurrency > UINT32_MAX)
            why = "too many lanes";
        if (why != NULL)
            return complain_cells(in, why, name, value);
        if (!is_wanted(w, run, &cell))
            continue;
        compare_choose_response(w, !isnan(cell.number[CELLS_RATE_ASKED]));
        err = keep_of_line(run, &cell, first);
        if (err == 0)
            err = add_line(w, run, &cell, number);
        if (err != 0)
            return complain_memory(err);
        first = false;
    }
    if (got == INTAKE_BAD)
        return STAT_USAGE;
    return !first ? 0
                  : complain(STAT_USAGE, "%s: no cell to compare", run->name);
}

/* --- runs --- */

/* The whole file, or NULL with errno set. */
static char *
read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = f != NULL ? malloc(MANIFEST_MAX + 1) : NULL;
    size_t n;

    if (text != NULL) {
        n = fread(text, 1, MANIFEST_MAX, f);
        text[n] = '\0';
    }
    if (f != NULL)
        fclose(f);
    return text;
}

static int
read_manifest(struct compare_run *run, const char *path)
{
    char *text = read_text(path);
    int err;

    if (text == NULL && errno == ENOENT)
        return 0; /* an older run, or tables put together by hand */
    if (text == NULL)
        return complain(STAT_USAGE, "cannot read '%s': %s", path,
                        strerror(errno));
    err = compare_keep_manifest(run, text);
    free(text);
    if (err == EINVAL)
        return complain(STAT_USAGE, "%s: is no manifest of a run", path);
    return err == 0 ? 0 : complain_memory(err);
}

/* A run has one manifest for all its cells. */
static int
keep_head(struct compare_run *run, const struct intake *in, bool manifest)
{
    int err = 0;

    for (size_t i = 0; err == 0 && !manifest && i < in->fact_count; i++)
        err = compare_keep_fact(run, in->facts[i].name, in->facts[i].value);
    return err == 0 ? 0 : complain_memory(err);
}

static int
read_file(struct compare_work *w, struct compare_run *run, const char *path,
          bool manifest, uint32_t number)
{
    struct intake in;
    int status = intake_open(&in, path);
    bool cells = status == 0 && in.format == INTAKE_CELLS;

    if (cells)
        status = keep_head(run, &in, manifest);
    if (cells && status == 0)
        status = read_cells(w, run, &in, number);
    else if (status == 0 && strcmp(path, "-") == 0)
        status =
            complain(STAT_USAGE, "only cells are compared from standard input");
    intake_close(&in);
    if (status == 0 && !cells)
        status = compare_read_records(w, run, path, number);
    return status;
}

int
compare_read(struct compare_work *w, struct compare_run *run, const char *path,
             uint32_t number)
{
    char *cells = NULL, *manifest = NULL;
    struct stat st;
    int status;

    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return read_file(w, run, path, false, number);
    if (asprintf(&cells, "%s/cells.tsv", path) < 0 ||
        asprintf(&manifest, "%s/manifest.json", path) < 0)
        return complain_memory(ENOMEM);
    status = read_manifest(run, manifest);
    if (status == 0)
        status = read_file(w, run, cells, run->fact_count > 0, number);
    free(cells);
    free(manifest);
    return status;
}
