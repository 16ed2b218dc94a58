/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats_bh.h"
#include "stats_panel.h"

struct compare_point {
    struct compare_sample sample; /* its values are logarithms */
    uint32_t again; /* how many of this repeat came before */
    uint32_t unit; /* among those of its side */
    size_t arrival; /* order in which they came */
};

static const struct compare_metric metrics[] = {
    {"ops_per_s", true},        {"bytes_per_s", true},
    {"mean_us", false},         {"p50_us", false},
    {"p90_us", false},          {"p99_us", false},
    {"p999_us", false},         {"first_p50_us", false},
    {"first_p99_us", false},    {"response_p50_us", false},
    {"response_p99_us", false}, {"cpu_us_per_op", false},
    {"success", true},
};

const struct compare_metric *
compare_find_metric(const char *name)
{
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (strcmp(metrics[i].name, name) == 0)
            return &metrics[i];
    return NULL;
}

const char *
compare_metric_name(size_t i)
{
    return i < sizeof metrics / sizeof *metrics ? metrics[i].name : NULL;
}

const char *
compare_verdict_name(enum compare_verdict verdict)
{
    static const char *const names[] = {"cannot tell", "same", "better",
                                        "worse"};

    return names[verdict];
}

void
compare_init(struct compare *c, const struct compare_settings *settings)
{
    *c = (struct compare){.settings = *settings};
}

void
compare_clear(struct compare *c)
{
    free(c->points);
    free(c->rows);
    compare_init(c, &c->settings);
}

/* --- what came in --- */

int
compare_add(struct compare *c, const struct compare_sample *sample)
{
    struct compare_point *p;

    if (c->point_count == c->point_room) {
        size_t room = c->point_room > 0 ? 2 * c->point_room : 64;

        p = reallocarray(c->points, room, sizeof *p);
        if (p == NULL)
            return ENOMEM;
        c->points = p;
        c->point_room = room;
    }
    p = &c->points[c->point_count];
    *p = (struct compare_point){.sample = *sample, .arrival = c->point_count++};
    for (size_t i = 0; i < c->settings.metric_count; i++) {
        double value = sample->values[i].value;

        p->sample.values[i].value =
            value > 0 && isfinite(value) ? log(value) : NAN;
    }
    if (sample->run >= c->runs[sample->side])
        c->runs[sample->side] = sample->run + 1;
    return 0;
}

const struct compare_sample *
compare_sample(const struct compare *c, size_t i)
{
    return &c->points[i].sample;
}

bool
compare_has_target(const struct compare *c, enum stats_side side,
                   uint32_t target)
{
    for (size_t i = 0; i < c->point_count; i++)
        if (c->points[i].sample.side == side &&
            c->points[i].sample.cell.target == target)
            return true;
    return false;
}

void
compare_join_targets(struct compare *c)
{
    for (size_t i = 0; i < c->point_count; i++)
        c->points[i].sample.cell.target = 0;
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int
by_group(const struct compare_point *x, const struct compare_point *y)
{
    int order = ORDER(x->sample.cell.phase, y->sample.cell.phase);

    return order != 0 ? order
                      : ORDER(x->sample.cell.target, y->sample.cell.target);
}

static int
by_cell(const struct compare_point *x, const struct compare_point *y)
{
    int order = by_group(x, y);

    if (order == 0)
        order = ORDER(x->sample.cell.size, y->sample.cell.size);
    if (order == 0)
        order = ORDER(x->sample.cell.concurrency, y->sample.cell.concurrency);
    return order;
}

static int
by_run(const struct compare_point *x, const struct compare_point *y)
{
    int order = ORDER(x->sample.side, y->sample.side);

    if (order == 0)
        order = ORDER(x->sample.run, y->sample.run);
    return order != 0 ? order : ORDER(x->sample.repeat, y->sample.repeat);
}

static int
by_place(const void *a, const void *b)
{
    const struct compare_point *x = a, *y = b;
    int order = by_cell(x, y);

    if (order == 0)
        order = by_run(x, y);
    return order != 0 ? order : ORDER(x->arrival, y->arrival);
}

static int
by_label(const void *a, const void *b)
{
    const struct compare_point *x = *(struct compare_point *const *) a;
    const struct compare_point *y = *(struct compare_point *const *) b;
    int order = by_run(x, y);

    return order != 0 ? order : ORDER(x->again, y->again);
}

/* Number the units of each side. Repeats of one number are told apart by
 * their order: whoever measures again into the same file repeats. */
static int
number_units(struct compare *c)
{
    struct compare_point **all = calloc(c->point_count + 1, sizeof *all);
    uint32_t number = 0;

    if (all == NULL)
        return ENOMEM;
    for (size_t i = 0; i < c->point_count; i++) {
        struct compare_point *p = &c->points[i];

        p->again = 0;
        if (i > 0 && by_cell(p, p - 1) == 0 && by_run(p, p - 1) == 0)
            p->again = p[-1].again + 1;
        all[i] = p;
    }
    qsort(all, c->point_count, sizeof *all, by_label);
    for (size_t i = 0; i < c->point_count; i++) {
        if (i > 0 && all[i]->sample.side != all[i - 1]->sample.side)
            number = 0;
        else if (i > 0 && by_label(&all[i], &all[i - 1]) != 0)
            number++;
        all[i]->unit = number;
    }
    free(all);
    return 0;
}

static int
set_units(struct compare *c)
{
    if (c->point_count > 0)
        qsort(c->points, c->point_count, sizeof *c->points, by_place);
    c->unit = c->runs[STATS_A] + c->runs[STATS_B] > 2 ? COMPARE_RUNS
                                                      : COMPARE_REPEATS;
    if (c->unit == COMPARE_REPEATS)
        return number_units(c);
    for (size_t i = 0; i < c->point_count; i++)
        c->points[i].unit = c->points[i].sample.run;
    return 0;
}

/* --- a phase on a target --- */

struct group {
    const struct compare_point *points; /* in order of cells */
    size_t count;
    size_t cells; /* with both sides */
    size_t units[2];
    double *logs[2], *counts[2]; /* units x cells */
    struct stats_difference *cell;
};

/* The points of one cell from AT on; whether both sides have some. */
static bool
next_cell(const struct group *g, size_t at, size_t *end)
{
    bool has[2] = {false, false};

    for (*end = at;
         *end < g->count && by_cell(&g->points[at], &g->points[*end]) == 0;
         ++*end)
        has[g->points[*end].sample.side] = true;
    return has[STATS_A] && has[STATS_B];
}

static void
count_cells(struct compare *c, struct group *g)
{
    for (size_t at = 0, end; at < g->count; at = end) {
        if (next_cell(g, at, &end))
            g->cells++;
        else
            c->only[g->points[at].sample.side]++;
    }
    c->cells += g->cells;
    for (size_t i = 0; i < g->count; i++) {
        const struct compare_point *p = &g->points[i];

        if (p->unit >= g->units[p->sample.side])
            g->units[p->sample.side] = p->unit + 1;
    }
}

static int
group_init(struct group *g)
{
    for (int side = STATS_A; side <= STATS_B; side++) {
        size_t n = g->units[side] * g->cells + 1;

        g->logs[side] = calloc(n, sizeof(double));
        g->counts[side] = calloc(n, sizeof(double));
        if (g->logs[side] == NULL || g->counts[side] == NULL)
            return ENOMEM;
    }
    g->cell = calloc(g->cells + 1, sizeof *g->cell);
    return g->cell == NULL ? ENOMEM : 0;
}

static void
group_clear(struct group *g)
{
    for (int side = STATS_A; side <= STATS_B; side++) {
        free(g->logs[side]);
        free(g->counts[side]);
    }
    free(g->cell);
}

/* Put the values of METRIC where they belong. */
static void
fill_panel(struct group *g, size_t metric)
{
    size_t cell = 0;

    for (int side = STATS_A; side <= STATS_B; side++) {
        memset(g->logs[side], 0, g->units[side] * g->cells * sizeof(double));
        memset(g->counts[side], 0, g->units[side] * g->cells * sizeof(double));
    }
    for (size_t at = 0, end; at < g->count; at = end) {
        if (!next_cell(g, at, &end))
            continue;
        for (size_t i = at; i < end; i++) {
            const struct compare_point *p = &g->points[i];
            size_t place = p->unit * g->cells + cell;

            if (isnan(p->sample.values[metric].value))
                continue;
            g->logs[p->sample.side][place] += p->sample.values[metric].value;
            g->counts[p->sample.side][place]++;
        }
        cell++;
    }
    for (int side = STATS_A; side <= STATS_B; side++)
        for (size_t i = 0; i < g->units[side] * g->cells; i++)
            g->logs[side][i] /= g->counts[side][i]; /* 0 / 0: none */
}

/* Whether any cell has a value on any side. */
static bool
is_measured(const struct group *g)
{
    for (int side = STATS_A; side <= STATS_B; side++)
        for (size_t i = 0; i < g->units[side] * g->cells; i++)
            if (!isnan(g->logs[side][i]))
                return true;
    return false;
}

/* The geometric mean of a cell's values. */
static double
mean_value(const struct group *g, int side, size_t cell)
{
    double sum = 0, count = 0;

    for (size_t unit = 0; unit < g->units[side]; unit++) {
        double value = g->logs[side][unit * g->cells + cell];

        if (!isnan(value)) {
            sum += value;
            count++;
        }
    }
    return exp(sum / count);
}

/* --- rows --- */

static struct compare_row *
add_row(struct compare *c)
{
    if (c->row_count == c->row_room) {
        size_t room = c->row_room > 0 ? 2 * c->row_room : 64;
        struct compare_row *rows = reallocarray(c->rows, room, sizeof *c->rows);

        if (rows == NULL)
            return NULL;
        c->rows = rows;
        c->row_room = room;
    }
    memset(&c->rows[c->row_count], 0, sizeof *c->rows);
    return &c->rows[c->row_count++];
}

/* One value a side, each with an error of its own from inside its run. */
static void
judge_blocks(struct compare *c, struct compare_row *row,
             const struct compare_point *points, size_t n)
{
    double mean[2], error[2], df[2];
    const struct compare_value *value;

    if (n != 2 || !isnan(row->d.p))
        return;
    for (int i = 0; i < 2; i++) {
        value = &points[i].sample.values[row->metric];
        mean[points[i].sample.side] = value->value;
        error[points[i].sample.side] = value->error;
        df[points[i].sample.side] = value->df;
        if (!(value->df > 0))
            return;
    }
    stats_compare_two(&row->d, mean, error, df);
    c->unit = COMPARE_BLOCKS;
}

static int
add_cells(struct compare *c, const struct group *g, size_t metric)
{
    size_t cell = 0;

    for (size_t at = 0, end; at < g->count; at = end) {
        struct compare_row *row;

        if (!next_cell(g, at, &end))
            continue;
        row = add_row(c);
        if (row == NULL)
            return ENOMEM;
        row->cell = g->points[at].sample.cell;
        row->metric = metric;
        row->d = g->cell[cell];
        for (int side = STATS_A; side <= STATS_B; side++)
            row->value[side] = mean_value(g, side, cell);
        for (size_t i = at; i < end; i++) {
            const struct compare_sample *sample = &g->points[i].sample;

            row->marks[sample->side] |= sample->marks;
            row->at_least[sample->side] |= sample->values[metric].at_least;
        }
        judge_blocks(c, row, g->points + at, end - at);
        cell++;
    }
    return 0;
}

/* If one of the cells may be more, so may their mean. */
static void
note_bounds(struct compare_row *row, const struct group *g)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct compare_sample *sample = &g->points[i].sample;

        row->at_least[sample->side] |= sample->values[row->metric].at_least;
    }
}

static int
add_metric(struct compare *c, struct group *g, size_t metric)
{
    struct stats_panel panel = {.cells = g->cells,
                                .units = {g->units[0], g->units[1]},
                                .logs = {g->logs[0], g->logs[1]}};
    struct stats_difference whole;
    struct compare_row *row;
    int err;

    fill_panel(g, metric);
    if (!is_measured(g))
        return 0;
    err = stats_panel_compare(&whole, g->cell, &panel);
    if (err == 0 && g->cells > 1) {
        row = add_row(c);
        if (row == NULL)
            return ENOMEM;
        row->cell.phase = g->points->sample.cell.phase;
        row->cell.target = g->points->sample.cell.target;
        row->cells = g->cells;
        row->metric = metric;
        row->d = whole;
        for (int side = STATS_A; side <= STATS_B; side++)
            row->value[side] = NAN; /* of cells that differ */
        note_bounds(row, g);
    }
    return err != 0 ? err : add_cells(c, g, metric);
}

static int
add_group(struct compare *c, const struct compare_point *points, size_t count)
{
    struct group g = {.points = points, .count = count};
    int err;

    count_cells(c, &g);
    err = group_init(&g);
    for (size_t i = 0; err == 0 && i < c->settings.metric_count; i++)
        err = add_metric(c, &g, i);
    group_clear(&g);
    return err;
}

/* --- verdicts --- */

static int
correct(struct compare *c, bool wholes)
{
    double *p = calloc(c->row_count + 1, sizeof *p);
    int err;

    if (p == NULL)
        return ENOMEM;
    for (size_t i = 0; i < c->row_count; i++)
        p[i] = (c->rows[i].cells > 0) == wholes ? c->rows[i].d.p : NAN;
    err = stats_bh(p, p, c->row_count);
    for (size_t i = 0; err == 0 && i < c->row_count; i++)
        if ((c->rows[i].cells > 0) == wholes)
            c->rows[i].d.q = p[i];
    free(p);
    return err;
}

static enum compare_verdict
judge(const struct compare *c, const struct compare_row *row)
{
    bool more_is_better = c->settings.metrics[row->metric]->more_is_better;
    enum stats_verdict v = stats_compare_verdict(&row->d, c->settings.alpha,
                                                 c->settings.threshold);

    /* What may be more on one side is no proof against that side. */
    if ((row->at_least[STATS_A] && v != STATS_LOWER) ||
        (row->at_least[STATS_B] && v != STATS_HIGHER))
        return COMPARE_UNKNOWN;
    switch (v) {
    case STATS_HIGHER:
        return more_is_better ? COMPARE_BETTER : COMPARE_WORSE;
    case STATS_LOWER:
        return more_is_better ? COMPARE_WORSE : COMPARE_BETTER;
    case STATS_SAME:
        return COMPARE_SAME;
    default:
        return COMPARE_UNKNOWN;
    }
}

/* Wholes first, then cells by their place, each with all its metrics. */
static int
by_output(const void *a, const void *b)
{
    const struct compare_row *x = a, *y = b;
    int order = ORDER(x->cell.phase, y->cell.phase);

    if (order == 0)
        order = ORDER(x->cell.target, y->cell.target);
    if (order == 0)
        order = ORDER(y->cells, x->cells);
    if (order == 0)
        order = ORDER(x->cell.size, y->cell.size);
    if (order == 0)
        order = ORDER(x->cell.concurrency, y->cell.concurrency);
    return order != 0 ? order : ORDER(x->metric, y->metric);
}

int
compare_judge(struct compare *c)
{
    int err = set_units(c);

    c->row_count = c->cells = c->only[STATS_A] = c->only[STATS_B] = 0;
    for (size_t at = 0, end; err == 0 && at < c->point_count; at = end) {
        for (end = at; end < c->point_count &&
                       by_group(&c->points[at], &c->points[end]) == 0;)
            end++;
        err = add_group(c, c->points + at, end - at);
    }
    if (err == 0)
        err = correct(c, true);
    if (err == 0)
        err = correct(c, false);
    if (err != 0)
        return err;
    for (size_t i = 0; i < c->row_count; i++)
        c->rows[i].verdict = judge(c, &c->rows[i]);
    if (c->row_count > 0)
        qsort(c->rows, c->row_count, sizeof *c->rows, by_output);
    return 0;
}

size_t
compare_count(const struct compare *c, bool wholes,
              enum compare_verdict verdict)
{
    size_t n = 0;

    for (size_t i = 0; i < c->row_count; i++)
        n += (c->rows[i].cells > 0) == wholes && c->rows[i].verdict == verdict;
    return n;
}
