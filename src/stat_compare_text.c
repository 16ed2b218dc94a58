/* SPDX-License-Identifier: MIT */
/* A comparison for people. */
#include "config.h"

#include "stat_compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cells.h"
#include "units.h"

/* Metrics in a narrow column. */
static const struct {
    const char *name, *label;
} labels[] = {
    {"ops_per_s", "ops/s"},
    {"bytes_per_s", "bytes/s"},
    {"mean_us", "mean"},
    {"p50_us", "p50"},
    {"p90_us", "p90"},
    {"p99_us", "p99"},
    {"p999_us", "p99.9"},
    {"first_p50_us", "first p50"},
    {"first_p99_us", "first p99"},
    {"response_p50_us", "resp. p50"},
    {"response_p99_us", "resp. p99"},
    {"cpu_us_per_op", "cpu/op"},
    {"success", "success"},
};

static const char *
label_of(const struct compare_metric *metric)
{
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (strcmp(labels[i].name, metric->name) == 0)
            return labels[i].label;
    return metric->name;
}

static const char *
plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* Take the blanks away, so that a column is narrow. */
static void
squeeze(char *text)
{
    char *to = text;

    for (; *text != '\0'; text++)
        if (*text != ' ')
            *to++ = *text;
    *to = '\0';
}

static void
format_value(char out[UNITS_TEXT_SIZE], const struct compare_metric *metric,
             double value)
{
    if (isnan(value))
        snprintf(out, UNITS_TEXT_SIZE, "-");
    else if (strcmp(metric->name, "ops_per_s") == 0)
        snprintf(out, UNITS_TEXT_SIZE, value < 99.95 ? "%.1f" : "%.0f", value);
    else if (strcmp(metric->name, "success") == 0)
        snprintf(out, UNITS_TEXT_SIZE, "%.4g%%", 100 * value);
    else if (strcmp(metric->name, "bytes_per_s") == 0)
        units_format_size(out, value);
    else
        units_format_duration(out, value * 1e3);
    squeeze(out);
}

/* "+12.9%" of the logarithm of a ratio. */
static void
format_percent(char out[UNITS_TEXT_SIZE], double log_ratio)
{
    double percent = 100 * expm1(log_ratio);

    if (isnan(percent))
        snprintf(out, UNITS_TEXT_SIZE, "-");
    else if (percent >= 999.5)
        snprintf(out, UNITS_TEXT_SIZE, "x%.3g", exp(log_ratio));
    else
        snprintf(out, UNITS_TEXT_SIZE, "%+.1f%%",
                 fabs(percent) < 0.05 ? 0 : percent);
}

/* "+12.9% (+5.1% to +21.0%)", in columns. */
static void
put_change(const struct compare_row *row, const struct compare_settings *s)
{
    char change[UNITS_TEXT_SIZE], low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];
    double half = stats_compare_half(&row->d, 1 - s->alpha);

    format_percent(change, row->d.change);
    format_percent(low, row->d.change - half);
    format_percent(high, row->d.change + half);
    printf(" %7s %7s %7s", change, low, high);
}

/* "cannot tell (12)": what 12 stands for is said below the table. */
static void
put_verdict(const struct compare_work *w, const struct compare_row *row)
{
    const struct compare_settings *s = &w->compare.settings;
    unsigned needed = stats_compare_needed(&row->d, s->alpha, s->threshold);

    printf("  %s", compare_verdict_name(row->verdict));
    if (row->verdict != COMPARE_UNKNOWN)
        putchar('\n');
    else if (isnan(row->d.change))
        puts(": not measured");
    else if (row->at_least[STATS_A] || row->at_least[STATS_B])
        puts(": given up");
    else if (needed > STATS_NEEDED_MAX)
        printf(" (>%d)\n", STATS_NEEDED_MAX);
    else if (needed > 0)
        printf(" (%u)\n", needed);
    else
        putchar('\n');
}

static void
put_whole(const struct compare_work *w, const struct compare_row *row)
{
    const struct compare_settings *s = &w->compare.settings;

    printf("%-12.12s %5zu  %-9s", w->phases.texts[row->cell.phase], row->cells,
           label_of(s->metrics[row->metric]));
    put_change(row, s);
    put_verdict(w, row);
}

/* Histograms say of neither; nothing has no lane. */
static void
format_cell(char size[UNITS_TEXT_SIZE], char lanes[UNITS_TEXT_SIZE],
            const struct compare_cell *cell)
{
    snprintf(size, UNITS_TEXT_SIZE, "-");
    snprintf(lanes, UNITS_TEXT_SIZE, "-");
    if (cell->concurrency == 0)
        return;
    units_format_size(size, (double) cell->size);
    squeeze(size);
    snprintf(lanes, UNITS_TEXT_SIZE, "%" PRIu32, cell->concurrency);
}

static void
put_cell(const struct compare_work *w, const struct compare_row *row)
{
    const struct compare_settings *s = &w->compare.settings;
    const struct compare_metric *metric = s->metrics[row->metric];
    char size[UNITS_TEXT_SIZE], lanes[UNITS_TEXT_SIZE];
    char a[UNITS_TEXT_SIZE], b[UNITS_TEXT_SIZE];

    format_cell(size, lanes, &row->cell);
    format_value(a, metric, row->value[STATS_A]);
    format_value(b, metric, row->value[STATS_B]);
    printf("%-8.8s %6s %4s %-9s %7s %7s", w->phases.texts[row->cell.phase],
           size, lanes, label_of(metric), a, b);
    put_change(row, s);
    put_verdict(w, row);
}

/* --- parts of the page --- */

static void
put_headline(const struct compare_work *w)
{
    const struct compare *c = &w->compare;
    size_t n[2] = {0, 0};
    const char *unit = compare_unit_name(c);

    for (size_t i = 0; i < c->row_count; i++)
        for (int side = STATS_A; side <= STATS_B; side++)
            if (c->rows[i].d.n[side] > n[side])
                n[side] = c->rows[i].d.n[side];
    printf("B against A: %s", compare_overall(c));
    if (compare_count(c, true, COMPARE_WORSE) +
            compare_count(c, false, COMPARE_WORSE) ==
        0)
        printf(", nothing worse");
    printf("\n%zu cell%s", c->cells, plural(c->cells));
    if (c->only[STATS_A] + c->only[STATS_B] > 0)
        printf(" (%zu only in A, %zu only in B)", c->only[STATS_A],
               c->only[STATS_B]);
    if (c->unit == COMPARE_BLOCKS)
        printf(", one run a side\n");
    else
        printf(", %zu %s%s of A, %zu of B\n", n[STATS_A], unit,
               plural(n[STATS_A]), n[STATS_B]);
    printf("worth noticing: %.3g %%; confidence: %.4g %%\n",
           100 * expm1(c->settings.threshold), 100 * (1 - c->settings.alpha));
}

static void
put_wholes(const struct compare_work *w)
{
    const struct compare *c = &w->compare;
    bool first = true;

    for (size_t i = 0; i < c->row_count; i++) {
        if (c->rows[i].cells == 0)
            continue;
        if (first)
            printf("\n%-12s %5s  %-9s %7s %7s %7s  %s\n", "phase", "cells",
                   "metric", "change", "from", "to", "verdict");
        first = false;
        put_whole(w, &c->rows[i]);
    }
}

static void
put_cells(const struct compare_work *w)
{
    const struct compare *c = &w->compare;
    bool few = c->cells <= 8 || w->options->all, first = true;

    for (size_t i = 0; i < c->row_count; i++) {
        const struct compare_row *row = &c->rows[i];

        if (row->cells > 0 || (!few && row->verdict != COMPARE_BETTER &&
                               row->verdict != COMPARE_WORSE))
            continue;
        if (first)
            printf("\n%-8s %6s %4s %-9s %7s %7s %7s %7s %7s  %s\n", "phase",
                   "size", "conc", "metric", "A", "B", "change", "from", "to",
                   "verdict");
        first = false;
        put_cell(w, row);
    }
}

static void
put_counts(const struct compare_work *w)
{
    const struct compare *c = &w->compare;
    const char *unit = compare_unit_name(c);
    unsigned half, all;

    printf("\nin cells: %zu worse, %zu better, %zu same, %zu cannot tell\n",
           compare_count(c, false, COMPARE_WORSE),
           compare_count(c, false, COMPARE_BETTER),
           compare_count(c, false, COMPARE_SAME),
           compare_count(c, false, COMPARE_UNKNOWN));
    compare_needed(&half, &all, w);
    if (half == 0)
        return;
    printf("(N): about so many %ss a side would tell", unit);
    if (half > STATS_NEEDED_MAX)
        printf("\n");
    else if (all > STATS_NEEDED_MAX)
        printf("; %u tell half of these\n", half);
    else
        printf("; %u tell half of these, %u all\n", half, all);
}

static void
put_marks(const struct compare_work *w)
{
    const struct compare *c = &w->compare;

    for (unsigned bit = 0; bit < 32; bit++) {
        char name[CELLS_MARKS_SIZE];
        size_t n[2] = {0, 0};

        for (size_t i = 0; i < c->row_count; i++) {
            const struct compare_row *row = &c->rows[i];

            if (row->cells > 0 || row->metric != 0)
                continue;
            n[STATS_A] += row->marks[STATS_A] >> bit & 1;
            n[STATS_B] += row->marks[STATS_B] >> bit & 1;
        }
        if (n[STATS_A] + n[STATS_B] == 0)
            continue;
        cells_format_marks(name, 1u << bit);
        printf("marked %s: %zu cell%s of A, %zu of B\n", name, n[STATS_A],
               plural(n[STATS_A]), n[STATS_B]);
    }
}

static void
put_notes(const struct compare_work *w)
{
    const struct compare *c = &w->compare;
    double ops[2] = {0, 0}, errors[2] = {0, 0};

    put_marks(w);
    for (size_t i = 0; i < w->run_count; i++) {
        ops[w->runs[i].side] += w->runs[i].ops;
        errors[w->runs[i].side] += w->runs[i].errors;
    }
    if (errors[STATS_A] + errors[STATS_B] > 0)
        printf("failed: %.0f of %.0f operations in A, %.0f of %.0f in B\n",
               errors[STATS_A], ops[STATS_A] + errors[STATS_A], errors[STATS_B],
               ops[STATS_B] + errors[STATS_B]);
    if (c->unit == COMPARE_REPEATS)
        puts("one run a side: how runs differ from each other (nights, "
             "restarts) is not covered");
    if (c->unit == COMPARE_BLOCKS)
        puts("blocks of one run a side: how runs and repeats differ from each "
             "other is not\ncovered");
    for (const char *line = w->notes.data; *line != '\0';) {
        int n = (int) strcspn(line, "\n");

        printf("differs: %.*s\n", n, line);
        line += n + (line[n] != '\0');
    }
    for (const char *line = w->unlike.data; *line != '\0';) {
        int n = (int) strcspn(line, "\n");

        printf("measured differently: %.*s\n", n, line);
        line += n + (line[n] != '\0');
    }
}

void
compare_print_text(const struct compare_work *w)
{
    put_headline(w);
    put_wholes(w);
    put_cells(w);
    put_counts(w);
    put_notes(w);
}
