/* SPDX-License-Identifier: MIT */
/* A comparison for programs: a table and JSON; and what is said of it. */
#include "config.h"

#include "stat_compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "json.h"
#include "version.h"

#define FORMAT "s3perf-compare 1"

/* --- what is said --- */

const char *
compare_unit_name(const struct compare *c)
{
    static const char *const names[] = {"run", "repeat", "block"};

    return names[c->unit];
}

const char *
compare_overall(const struct compare *c)
{
    static const enum compare_verdict order[] = {COMPARE_WORSE, COMPARE_BETTER,
                                                 COMPARE_UNKNOWN};

    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (compare_count(c, true, order[i]) > 0 ||
            compare_count(c, false, order[i]) > 0)
            return compare_verdict_name(order[i]);
    return compare_verdict_name(c->row_count > 0 ? COMPARE_SAME
                                                 : COMPARE_UNKNOWN);
}

void
compare_format_why(char out[COMPARE_WHY_SIZE], const struct compare_work *w,
                   const struct compare_row *row)
{
    const struct compare_settings *s = &w->compare.settings;
    const char *unit = compare_unit_name(&w->compare);
    unsigned needed = stats_compare_needed(&row->d, s->alpha, s->threshold);

    if (row->verdict != COMPARE_UNKNOWN)
        out[0] = '\0';
    else if (isnan(row->d.change))
        snprintf(out, COMPARE_WHY_SIZE, "not measured");
    else if (row->at_least[STATS_A] || row->at_least[STATS_B])
        snprintf(out, COMPARE_WHY_SIZE, "given up before it ended");
    else if (isnan(row->d.p))
        snprintf(out, COMPARE_WHY_SIZE, "one %s a side", unit);
    else if (needed > STATS_NEEDED_MAX)
        snprintf(out, COMPARE_WHY_SIZE, "needs more than %d %ss a side",
                 STATS_NEEDED_MAX, unit);
    else if (needed > 0)
        snprintf(out, COMPARE_WHY_SIZE, "needs %u %ss a side", needed, unit);
    else
        snprintf(out, COMPARE_WHY_SIZE, "too close");
}

/* How many units would settle ROW; 0: it is settled, or nothing is known. */
static unsigned
needed_by(const struct compare_row *row, const struct compare_settings *s)
{
    if (row->verdict != COMPARE_UNKNOWN || row->at_least[STATS_A] ||
        row->at_least[STATS_B])
        return 0;
    return stats_compare_needed(&row->d, s->alpha, s->threshold);
}

static int
by_number(const void *a, const void *b)
{
    const unsigned *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

void
compare_needed(unsigned *half, unsigned *all, const struct compare_work *w)
{
    const struct compare *c = &w->compare;
    unsigned *needed = calloc(c->row_count + 1, sizeof *needed);
    size_t n = 0;

    *half = *all = 0;
    for (size_t i = 0; needed != NULL && i < c->row_count; i++) {
        const struct compare_row *row = &c->rows[i];

        if (row->cells > 0)
            continue;
        needed[n] = needed_by(row, &c->settings);
        n += needed[n] > 0;
    }
    if (n > 0) {
        qsort(needed, n, sizeof *needed, by_number);
        *half = needed[(n - 1) / 2];
        *all = needed[n - 1];
    }
    free(needed);
}

/* --- numbers of a row, in the order of both formats --- */

enum { A, B, RATIO, LOW, HIGH, P, Q, EFFECT, DETECTABLE, NUMBERS };

static const struct {
    const char *name;
    int decimals;
} numbers[NUMBERS] = {{"a", 3},   {"b", 3},      {"ratio", 4},
                      {"low", 4}, {"high", 4},   {"p", 9},
                      {"q", 9},   {"effect", 2}, {"detectable", 4}};

static void
fill_numbers(double out[NUMBERS], const struct compare_row *row,
             const struct compare_settings *s)
{
    const struct stats_difference *d = &row->d;
    double half = stats_compare_half(d, 1 - s->alpha);

    out[A] = row->value[STATS_A];
    out[B] = row->value[STATS_B];
    out[RATIO] = exp(d->change);
    out[LOW] = exp(d->change - half);
    out[HIGH] = exp(d->change + half);
    out[P] = d->p;
    out[Q] = d->q;
    out[EFFECT] = stats_compare_effect(d);
    out[DETECTABLE] =
        exp(stats_compare_detectable(d, s->alpha, s->threshold)) - 1;
    for (int i = 0; i < NUMBERS; i++)
        if (!isfinite(out[i]) || fabs(out[i]) > 1e15)
            out[i] = NAN;
}

static const char *
text_of(const struct names *names, uint32_t number)
{
    return number < names->count ? names->texts[number] : "-";
}

/* --- table --- */

static int
add_table_row(struct buf *out, const struct compare_work *w,
              const struct compare_row *row)
{
    const struct compare_settings *s = &w->compare.settings;
    char why[COMPARE_WHY_SIZE], marks[2][CELLS_MARKS_SIZE];
    unsigned needed = needed_by(row, s);
    double values[NUMBERS];
    int err = buf_addf(out, "%s\t%s\t", text_of(&w->phases, row->cell.phase),
                       text_of(&w->targets, row->cell.target));

    fill_numbers(values, row, s);
    if (err == 0 && row->cells > 0)
        err = buf_addf(out, "%zu\t-\t-", row->cells);
    else if (err == 0 && row->cell.concurrency == 0)
        err = buf_adds(out, "1\t-\t-");
    else if (err == 0)
        err = buf_addf(out, "1\t%" PRIu64 "\t%" PRIu32, row->cell.size,
                       row->cell.concurrency);
    if (err == 0)
        err = buf_addf(out, "\t%s", s->metrics[row->metric]->name);
    for (int i = 0; err == 0 && i < NUMBERS; i++)
        err = isnan(values[i])
                  ? buf_adds(out, "\t-")
                  : buf_addf(out, "\t%.*f", numbers[i].decimals, values[i]);
    cells_format_marks(marks[STATS_A], row->marks[STATS_A]);
    cells_format_marks(marks[STATS_B], row->marks[STATS_B]);
    compare_format_why(why, w, row);
    if (err == 0)
        err = needed > 0 ? buf_addf(out, "\t%u", needed) : buf_adds(out, "\t-");
    return err != 0 ? err
                    : buf_addf(out, "\t%zu\t%zu\t%s\t%s\t%s\t%s\n",
                               row->d.n[STATS_A], row->d.n[STATS_B],
                               compare_verdict_name(row->verdict),
                               *why != '\0' ? why : "-", marks[STATS_A],
                               marks[STATS_B]);
}

int
compare_add_tsv(struct buf *out, const struct compare_work *w)
{
    const struct compare *c = &w->compare;
    int err = buf_addf(out,
                       "# " FORMAT "\n# program: s3stat " S3PERF_VERSION
                       "\n# unit: %s\n# confidence: %g\n# threshold: %g\n"
                       "# verdict: %s\n",
                       compare_unit_name(c), 1 - c->settings.alpha,
                       expm1(c->settings.threshold), compare_overall(c));

    if (err == 0)
        err = buf_adds(out, "phase\ttarget\tcells\tsize\tconcurrency\tmetric");
    for (int i = 0; err == 0 && i < NUMBERS; i++)
        err = buf_addf(out, "\t%s", numbers[i].name);
    if (err == 0)
        err = buf_adds(out, "\tneeded\tn_a\tn_b\tverdict\twhy\tmark_a\t"
                            "mark_b\n");
    for (size_t i = 0; err == 0 && i < c->row_count; i++)
        err = add_table_row(out, w, &c->rows[i]);
    return err;
}

/* --- JSON --- */

static void
add_json_row(struct json *j, const struct compare_work *w,
             const struct compare_row *row)
{
    const struct compare_settings *s = &w->compare.settings;
    char text[CELLS_MARKS_SIZE > COMPARE_WHY_SIZE ? CELLS_MARKS_SIZE
                                                  : COMPARE_WHY_SIZE];
    double values[NUMBERS];

    json_open(j, NULL, '{');
    json_string(j, "phase", text_of(&w->phases, row->cell.phase));
    json_string(j, "target", text_of(&w->targets, row->cell.target));
    json_uint(j, "cells", row->cells > 0 ? row->cells : 1);
    if (row->cells == 0 && row->cell.concurrency > 0) {
        json_uint(j, "size", row->cell.size);
        json_uint(j, "concurrency", row->cell.concurrency);
    }
    json_string(j, "metric", s->metrics[row->metric]->name);
    fill_numbers(values, row, s);
    for (int i = row->cells > 0 ? RATIO : A; i < NUMBERS; i++)
        json_number(j, numbers[i].name, values[i], numbers[i].decimals);
    if (needed_by(row, s) > 0)
        json_uint(j, "needed", needed_by(row, s));
    else
        json_null(j, "needed");
    json_uint(j, "n_a", row->d.n[STATS_A]);
    json_uint(j, "n_b", row->d.n[STATS_B]);
    json_string(j, "verdict", compare_verdict_name(row->verdict));
    compare_format_why(text, w, row);
    json_string(j, "why", *text != '\0' ? text : NULL);
    if (row->cells == 0) {
        cells_format_marks(text, row->marks[STATS_A]);
        json_string(j, "mark_a", strcmp(text, "-") != 0 ? text : NULL);
        cells_format_marks(text, row->marks[STATS_B]);
        json_string(j, "mark_b", strcmp(text, "-") != 0 ? text : NULL);
    }
    json_close(j, '}');
}

static void
add_json_rows(struct json *j, const struct compare_work *w, bool wholes)
{
    const struct compare *c = &w->compare;

    json_open(j, wholes ? "phases" : "cells", '[');
    for (size_t i = 0; i < c->row_count; i++)
        if ((c->rows[i].cells > 0) == wholes)
            add_json_row(j, w, &c->rows[i]);
    json_close(j, ']');
}

/* The lines of B as texts. */
static void
add_json_lines(struct json *j, const char *name, const struct buf *b)
{
    char *copy = strdup(b->data), *state = NULL;
    const char *line = copy != NULL ? strtok_r(copy, "\n", &state) : NULL;

    json_open(j, name, '[');
    for (; line != NULL; line = strtok_r(NULL, "\n", &state))
        json_string(j, NULL, line);
    json_close(j, ']');
    free(copy);
}

static void
add_json_runs(struct json *j, const struct compare_work *w,
              enum stats_side side)
{
    json_open(j, side == STATS_A ? "a" : "b", '[');
    for (size_t i = 0; i < w->run_count; i++) {
        const struct compare_run *run = &w->runs[i];

        if (run->side != side)
            continue;
        json_open(j, NULL, '{');
        json_string(j, "run", run->name);
        json_number(j, "ops", run->ops, 0);
        json_number(j, "errors", run->errors, 0);
        json_close(j, '}');
    }
    json_close(j, ']');
}

int
compare_add_json(struct buf *out, const struct compare_work *w)
{
    const struct compare *c = &w->compare;
    struct json j;

    json_init(&j, out);
    json_open(&j, NULL, '{');
    json_string(&j, "format", FORMAT);
    json_string(&j, "program", "s3stat " S3PERF_VERSION);
    json_string(&j, "verdict", compare_overall(c));
    json_string(&j, "unit", compare_unit_name(c));
    json_number(&j, "confidence", 1 - c->settings.alpha, 4);
    json_number(&j, "threshold", expm1(c->settings.threshold), 4);
    add_json_runs(&j, w, STATS_A);
    add_json_runs(&j, w, STATS_B);
    json_uint(&j, "only_a", c->only[STATS_A]);
    json_uint(&j, "only_b", c->only[STATS_B]);
    add_json_lines(&j, "unlike", &w->unlike);
    add_json_lines(&j, "notes", &w->notes);
    add_json_rows(&j, w, true);
    add_json_rows(&j, w, false);
    json_close(&j, '}');
    return j.err != 0 ? j.err : buf_addc(out, '\n');
}
