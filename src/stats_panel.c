/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stats_panel.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats_pool.h"

/* Two values that print alike may be this far apart in the histogram they
 * come from: the standard deviation of an error of up to 0.1 %. */
#define RESOLUTION 0.000577
#define TINY 1e-30 /* in place of a 0 to divide by */

struct work {
    const struct stats_panel *panel;
    double *means[2]; /* of each cell */
    size_t *counts[2]; /* values of each cell */
    double *units[2]; /* how far each unit moves its cells */
    double *variance, *df; /* of each cell's rest */
    double between, between_df; /* variance of the mean over cells */
};

static double
value_at(const struct work *w, int side, size_t unit, size_t cell)
{
    return w->panel->logs[side][unit * w->panel->cells + cell];
}

static void
take_means(struct work *w, int side)
{
    for (size_t cell = 0; cell < w->panel->cells; cell++) {
        double sum = 0;
        size_t count = 0;

        for (size_t unit = 0; unit < w->panel->units[side]; unit++) {
            double value = value_at(w, side, unit, cell);

            if (!isnan(value)) {
                sum += value;
                count++;
            }
        }
        w->means[side][cell] = count > 0 ? sum / (double) count : NAN;
        w->counts[side][cell] = count;
    }
}

/* What is left of a value without its cell's mean; NaN: nothing to learn. */
static double
rest_at(const struct work *w, int side, size_t unit, size_t cell)
{
    return w->counts[side][cell] > 1
               ? value_at(w, side, unit, cell) - w->means[side][cell]
               : NAN;
}

static void
take_units(struct work *w, int side)
{
    double squares = 0;
    size_t units = 0;

    for (size_t unit = 0; unit < w->panel->units[side]; unit++) {
        double sum = 0;
        size_t count = 0;

        for (size_t cell = 0; cell < w->panel->cells; cell++) {
            double rest = rest_at(w, side, unit, cell);

            if (!isnan(rest)) {
                sum += rest;
                count++;
            }
        }
        w->units[side][unit] = count > 0 ? sum / (double) count : 0;
        squares += w->units[side][unit] * w->units[side][unit];
        units += count > 0;
    }
    if (units > 1) {
        w->between += squares;
        w->between_df += (double) units - 1;
    }
}

static void
take_rests(struct work *w, int side)
{
    for (size_t cell = 0; cell < w->panel->cells; cell++) {
        for (size_t unit = 0; unit < w->panel->units[side]; unit++) {
            double rest = rest_at(w, side, unit, cell);

            if (isnan(rest))
                continue;
            rest -= w->units[side][unit];
            w->variance[cell] += rest * rest;
        }
        if (w->counts[side][cell] > 1)
            w->df[cell] += (double) w->counts[side][cell] - 1;
    }
}

static void
compare_cells(const struct work *w, struct stats_difference *cells)
{
    size_t n = w->panel->cells;
    double share = 1 - 1 / (double) n; /* of a rest that no unit takes */
    struct stats_pool pool;

    for (size_t i = 0; i < n; i++)
        if (w->df[i] > 0 && n > 1)
            w->variance[i] /= w->df[i] * share;
    stats_pool_init(&pool, w->variance, w->df, n);
    for (size_t i = 0; i < n; i++) {
        double a = fmax(w->between, TINY), b = 0, df = w->between_df;

        cells[i] = (struct stats_difference){
            .n = {w->counts[STATS_A][i], w->counts[STATS_B][i]},
            .change = w->means[STATS_B][i] - w->means[STATS_A][i]};
        if (n > 1) {
            b = stats_pool_variance(&pool, w->variance[i], w->df[i], &df);
            b *= share;
            df = (a + b) * (a + b) /
                 (a * a / w->between_df + b * b / (df * share));
        }
        a += b;
        stats_compare_finish(&cells[i], sqrt(fmax(a, RESOLUTION * RESOLUTION)),
                             df);
    }
}

static void
compare_whole(const struct work *w, struct stats_difference *whole)
{
    double sum = 0, count = 0;

    for (size_t i = 0; i < w->panel->cells; i++) {
        double change = w->means[STATS_B][i] - w->means[STATS_A][i];

        if (!isnan(change)) {
            sum += change;
            count++;
        }
    }
    *whole = (struct stats_difference){
        .n = {w->panel->units[STATS_A], w->panel->units[STATS_B]},
        .change = count > 0 ? sum / count : NAN};
    stats_compare_finish(whole, sqrt(fmax(w->between, RESOLUTION * RESOLUTION)),
                         w->between_df);
}

static int
work_init(struct work *w, const struct stats_panel *panel)
{
    *w = (struct work){.panel = panel};
    for (int side = STATS_A; side <= STATS_B; side++) {
        w->means[side] = calloc(panel->cells + 1, sizeof(double));
        w->counts[side] = calloc(panel->cells + 1, sizeof(size_t));
        w->units[side] = calloc(panel->units[side] + 1, sizeof(double));
        if (w->means[side] == NULL || w->counts[side] == NULL ||
            w->units[side] == NULL)
            return ENOMEM;
    }
    w->variance = calloc(panel->cells + 1, sizeof(double));
    w->df = calloc(panel->cells + 1, sizeof(double));
    return w->variance == NULL || w->df == NULL ? ENOMEM : 0;
}

static void
work_clear(struct work *w)
{
    for (int side = STATS_A; side <= STATS_B; side++) {
        free(w->means[side]);
        free(w->counts[side]);
        free(w->units[side]);
    }
    free(w->variance);
    free(w->df);
}

int
stats_panel_compare(struct stats_difference *whole,
                    struct stats_difference *cells,
                    const struct stats_panel *panel)
{
    struct work w;
    int err = work_init(&w, panel);

    if (err == 0) {
        for (int side = STATS_A; side <= STATS_B; side++) {
            take_means(&w, side);
            take_units(&w, side);
            take_rests(&w, side);
        }
        w.between = w.between_df > 0 ? w.between / w.between_df : NAN;
        if (!(w.between_df > 0))
            w.between_df = NAN;
        compare_cells(&w, cells);
        compare_whole(&w, whole);
    }
    work_clear(&w);
    return err;
}
