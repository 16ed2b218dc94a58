/* SPDX-License-Identifier: MIT */
/* What differs, and how sure one can be. */
#include "config.h"

#include "stats_compare.h"

#include <stdlib.h>

#include "nights.h"
#include "stats_bh.h"
#include "stats_panel.h"
#include "stats_pool.h"
#include "tap.h"

#define ALPHA 0.05

static bool
near(double got, double want, const char *what)
{
    bool good = fabs(got - want) <= 1e-9 * fmax(fabs(want), 1);

    ok(good, "%s", what);
    if (!good)
        printf("#  got %.12g\n# want %.12g\n", got, want);
    return good;
}

/* The example of Benjamini and Hochberg 1995, chapter 3.2: four of the
 * fifteen are called different at 5 %, where Bonferroni calls three. */
static void
test_bh(void)
{
    static const double p[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201,
                               0.0278, 0.0298, 0.0344, 0.0459, 0.3240,
                               0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
    double q[15], shuffled[16], back[16];
    size_t called = 0;

    ok(stats_bh(q, p, 15) == 0, "the example is corrected");
    for (size_t i = 0; i < 15; i++)
        called += q[i] <= 0.05;
    is_int((int64_t) called, 4, "four are called");
    near(q[0], 0.0015, "the least q is p times n");
    near(q[3], 0.0095 * 15 / 4, "the fourth");
    near(q[5], 0.0298 * 15 / 7, "a q is never above that of a larger p");
    near(q[14], 1, "the last");
    shuffled[15] = NAN;
    for (size_t i = 0; i < 15; i++)
        shuffled[i] = p[i * 4 % 15];
    stats_bh(back, shuffled, 16);
    for (size_t i = 0; i < 15; i++)
        called -= back[i] != q[i * 4 % 15];
    ok(called == 4 && isnan(back[15]), "order does not matter, NaN is no test");
    ok(stats_bh(q, p, 0) == 0, "no tests at all");
}

/* N variances with DF, of cells that differ with PRIOR degrees. */
static void
draw_variances(double *s2, double *df, size_t n, double prior, uint64_t *state)
{
    for (size_t i = 0; i < n; i++) {
        double truth = 4;

        df[i] = 6;
        if (isfinite(prior))
            truth *= prior / stats_chi2_quantile(nights_uniform(state), prior);
        s2[i] =
            truth * stats_chi2_quantile(nights_uniform(state), df[i]) / df[i];
    }
}

static void
test_pool(void)
{
    double s2[800], df[800], pooled_df;
    uint64_t state = 3;
    struct stats_pool pool;

    draw_variances(s2, df, 800, INFINITY, &state);
    stats_pool_init(&pool, s2, df, 800);
    ok(pool.df > 60 && fabs(pool.variance - 4) < 0.4,
       "cells that are alike share one variance");
    printf("# %.1f degrees, %.2f\n", pool.df, pool.variance);
    draw_variances(s2, df, 800, 8, &state);
    stats_pool_init(&pool, s2, df, 800);
    ok(pool.df > 6 && pool.df < 11 && fabs(pool.variance - 4) < 0.6,
       "cells that differ keep much of their own");
    printf("# %.1f degrees, %.2f\n", pool.df, pool.variance);
    near(stats_pool_variance(&pool, 10, 6, &pooled_df),
         (pool.df * pool.variance + 60) / (pool.df + 6), "the weighted mean");
    near(pooled_df, pool.df + 6, "and its degrees of freedom");
    near(stats_pool_variance(&pool, 0, 0, &pooled_df), pool.variance,
         "a cell without its own has the common one");
    s2[0] = 3;
    stats_pool_init(&pool, s2, df, 1);
    near(stats_pool_variance(&pool, 3, 6, &pooled_df), 3, "one cell alone");
    near(pooled_df, 6, "gains nothing");
    df[0] = 0;
    stats_pool_init(&pool, s2, df, 1);
    ok(isnan(pool.variance), "nothing to pool");
}

/* Student's own sleep data (Biometrika 6, 1908), as two samples: t = 1.8608
 * with 18 degrees of freedom, p = 0.07919. */
static const double sleep_a[] = {0.7, -1.6, -0.2, -1.2, -0.1,
                                 3.4, 3.7,  0.8,  0.0,  2.0};
static const double sleep_b[] = {1.9, 0.8, 1.1, 0.1, -0.1,
                                 4.4, 5.5, 1.6, 4.6, 3.4};

static void
test_one_cell(void)
{
    struct stats_panel panel = {1, {10, 10}, {sleep_a, sleep_b}};
    struct stats_difference whole, cell;

    ok(stats_panel_compare(&whole, &cell, &panel) == 0, "one cell");
    near(cell.change, 1.58, "its change");
    ok(fabs(cell.change / cell.error - 1.860813) < 1e-6 && cell.df == 18,
       "is Student's t");
    ok(fabs(cell.p - 0.07918671) < 1e-7, "and its p");
    ok(whole.change == cell.change && whole.p == cell.p,
       "the whole of one cell is that cell");
    ok(fabs(stats_compare_half(&cell, 0.95) - 2.10092204 * cell.error) < 1e-8,
       "the interval");
    ok(fabs(stats_compare_effect(&cell) -
            1.58 / 1.898625 * (1 - 3.0 / (4 * 18 - 1))) < 1e-5,
       "Hedges' g");
}

/* Ten cells, five units a side; only the units differ. */
static void
test_common_units(void)
{
    static const double unit[2][5] = {{1, 3, 2, 5, 4}, {6, 4, 5, 8, 7}};
    double logs[2][50];
    struct stats_panel panel = {10, {5, 5}, {logs[0], logs[1]}};
    struct stats_difference whole, cells[10];

    for (int side = 0; side < 2; side++)
        for (size_t u = 0; u < 5; u++)
            for (size_t c = 0; c < 10; c++)
                logs[side][u * 10 + c] = unit[side][u] + (double) c;
    stats_panel_compare(&whole, cells, &panel);
    near(whole.change, 3, "all cells move alike");
    near(whole.deviation, sqrt(2.5), "as the units do");
    near(whole.df, 8, "and that is all there is to learn from");
    near(cells[4].change, 3, "a cell moves with them");
    ok(fabs(cells[4].df - 8) < 1e-6, "ten cells give it no more confidence");
}

/* Forty cells with noise of their own, and nothing common. */
static void
test_own_noise(void)
{
    struct nights n = {.cells = 40, .nights = {5, 5}, .repeats = 1, .cell = 1};
    double logs[2][200], noise[40], now = 0;
    struct stats_panel panel = {40, {5, 5}, {logs[0], logs[1]}};
    struct stats_difference whole, cells[40];
    uint64_t state = 11;

    nights_uneven(noise, &n, &state);
    nights_make(logs[0], 0, &n, noise, &now, &state);
    nights_make(logs[1], 1, &n, noise, &now, &state);
    stats_panel_compare(&whole, cells, &panel);
    ok(cells[7].df > 30 && fabs(cells[7].deviation - 1) < 0.15,
       "cells learn each other's noise");
    ok(whole.error < cells[7].error / 4 && fabs(whole.df - 8) < 1e-9,
       "the mean of forty cells has little");
    printf("# %.0f degrees, deviation %.3f\n", cells[7].df, cells[7].deviation);
}

static void
test_holes(void)
{
    double a[] = {1, NAN, 1.1, 2, 0.9, NAN}, b[] = {1, 5, NAN, NAN};
    struct stats_panel panel = {2, {3, 2}, {a, b}};
    struct stats_difference whole, cells[2];

    stats_panel_compare(&whole, cells, &panel);
    ok(cells[0].n[0] == 3 && cells[0].n[1] == 1 && cells[1].n[0] == 1 &&
           cells[1].n[1] == 1,
       "what is missing is not counted");
    near(cells[0].change, 0, "nor added");
    near(cells[1].change, 3, "one value on either side has a change");
    ok(cells[0].df > 0 && isfinite(cells[0].error), "and others' variance");
    panel.units[0] = panel.units[1] = 1;
    stats_panel_compare(&whole, cells, &panel);
    ok(isnan(cells[0].p) && isnan(whole.p) && cells[0].change == 0,
       "one unit a side: a change, and nothing to judge it by");
    ok(stats_compare_verdict(&cells[0], ALPHA, 0.05) == STATS_CANNOT_TELL &&
           stats_compare_needed(&cells[0], ALPHA, 0.05) == 0,
       "so it cannot tell, nor say what would");
    panel.cells = 0;
    ok(stats_panel_compare(&whole, cells, &panel) == 0 && isnan(whole.change),
       "no cells");
}

static void
test_no_variance(void)
{
    static const double a[] = {1, 2, 1, 2, 1, 2}, b[] = {1, 2.2, 1, 2.2};
    struct stats_panel panel = {2, {3, 2}, {a, b}};
    struct stats_difference whole, cells[2];

    stats_panel_compare(&whole, cells, &panel);
    ok(stats_compare_verdict(&cells[0], ALPHA, 0.05) == STATS_SAME,
       "values that repeat themselves are the same");
    ok(stats_compare_verdict(&cells[1], ALPHA, 0.05) == STATS_HIGHER &&
           cells[1].error > 0,
       "or differ, known as well as a histogram is");
}

static void
test_two(void)
{
    double mean[] = {1, 1.2}, error[] = {0.03, 0.04}, df[] = {10, 20};
    struct stats_difference d;

    stats_compare_two(&d, mean, error, df);
    near(d.change, 0.2, "the change of two runs");
    near(d.error, 0.05, "its error");
    near(d.df, 0.0025 * 0.0025 / (0.0009 * 0.0009 / 10 + 0.0016 * 0.0016 / 20),
         "Welch's degrees of freedom");
    near(d.p, stats_t_two_sided(4, d.df), "and p");
}

static void
test_verdicts(void)
{
    static const struct {
        double change, error, q, threshold;
        enum stats_verdict verdict;
    } table[] = {
        {0.10, 0.02, 0.01, 0.05, STATS_HIGHER},
        {-0.10, 0.02, 0.01, 0.05, STATS_LOWER},
        {0.10, 0.02, 0.06, 0.05, STATS_CANNOT_TELL}, /* among many tests */
        {0.04, 0.001, 0.0001, 0.05, STATS_SAME}, /* sure, and too little */
        {0.04, 0.01, 0.001, 0.05, STATS_CANNOT_TELL}, /* may be too much */
        {0.01, 0.01, 0.4, 0.05, STATS_SAME},
        {0.00, 0.05, 1, 0.05, STATS_CANNOT_TELL},
        {0.01, 0.001, 0.001, 0, STATS_HIGHER},
        {0.00, 0.001, 1, 0, STATS_CANNOT_TELL}, /* nothing is within 0 */
        {0.10, 0.02, NAN, 0.05, STATS_CANNOT_TELL},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct stats_difference d = {.n = {5, 5},
                                     .change = table[i].change,
                                     .error = table[i].error,
                                     .df = 8,
                                     .q = table[i].q};

        is_int(stats_compare_verdict(&d, ALPHA, table[i].threshold),
               table[i].verdict, "%g +- %g, q %g, threshold %g",
               table[i].change, table[i].error, table[i].q, table[i].threshold);
    }
}

static void
test_needed(void)
{
    struct stats_difference d = {.n = {5, 5}, .change = 0};
    unsigned n;

    stats_compare_finish(&d, 0.05, 8);
    n = stats_compare_needed(&d, ALPHA, 0.05);
    /* Two one-sided tests, each at 2.5 %, power 80 %: 2 s^2 (t + t')^2 /
     * threshold^2 with 2 n - 2 degrees of freedom. */
    ok(n == 23, "units to show 5 %% when they scatter by 5 %%");
    printf("# %u\n", n);
    near(stats_compare_detectable(&d, ALPHA, 0.05),
         (2.306004135204 + 0.888889517) * d.error, "what five can find");
    near(stats_compare_detectable(&d, ALPHA, 1), 1 + 0.888889517 * d.error,
         "never below the threshold");
    d.change = 0.1; /* twice the threshold: 2 s^2 (t + t')^2 / 0.01 */
    stats_compare_finish(&d, 0.1, 8);
    n = stats_compare_needed(&d, ALPHA, 0.05);
    is_int(n, 17, "a textbook's 17 a side find one standard deviation");
    d.q = 4 * d.p;
    ok(stats_compare_needed(&d, ALPHA, 0.05) > 20, "among many tests more");
    d.change = 0;
    stats_compare_finish(&d, 0.001, 8);
    is_int(stats_compare_needed(&d, ALPHA, 0.05), 6, "one more at least");
    stats_compare_finish(&d, 5, 8);
    ok(stats_compare_needed(&d, ALPHA, 0.05) == STATS_NEEDED_MAX + 1,
       "more than anybody makes");
    ok(stats_compare_needed(&d, ALPHA, 0) == 0,
       "no change, no threshold: never");
}

int
main(void)
{
    test_bh();
    test_pool();
    test_one_cell();
    test_common_units();
    test_own_noise();
    test_holes();
    test_no_variance();
    test_two();
    test_verdicts();
    test_needed();
    return done_testing();
}
