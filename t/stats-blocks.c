/* SPDX-License-Identifier: MIT */
/* Intervals from blocks of time hold the truth as often as they say. */
#include "config.h"

#include "stats_blocks.h"

#include <math.h>
#include <stdlib.h>

#include "random.h"
#include "stats_math.h"
#include "tap.h"

#define MOMENTS 256
#define RUNS 1000
#define LEVEL 0.95

static uint64_t state;

static double
uniform(void)
{
    return ((double) (random_next(&state) >> 11) + 0.5) / 9007199254740992.0;
}

static double
normal(void)
{
    return stats_normal_quantile(uniform());
}

/* Three standard errors of a share of RUNS below LEVEL. */
static double
least(double level)
{
    return level - 3 * sqrt(level * (1 - level) / RUNS);
}

static void
test_by_hand(void)
{
    double y[20], x[20];
    struct stats_ratio r;

    for (size_t i = 0; i < 20; i++) {
        y[i] = i % 2 == 0 ? 9 : 11;
        x[i] = 2;
    }
    stats_blocks_ratio(&r, y, x, 20);
    ok(r.value == 5 && r.blocks == 20 && r.df == 19, "the ratio of the sums");
    ok(fabs(r.error - 0.5 / sqrt(19)) < 1e-12, "its error");
    ok(r.lag1 == 0 && !r.correlated, "what alternates is no memory");
    ok(fabs(stats_blocks_half(&r, LEVEL) - 2.093024054 * r.error) < 1e-9,
       "half the interval: t with 19 degrees of freedom");
    stats_blocks_ratio(&r, y, NULL, 9);
    ok(fabs(r.value - 89.0 / 9) < 1e-12 && isnan(r.error) && r.blocks == 0 &&
           isnan(stats_blocks_half(&r, LEVEL)),
       "nine moments have a mean and no error");
    stats_blocks_ratio(&r, y, NULL, 0);
    ok(isnan(r.value) && r.blocks == 0, "no moments, no mean");
}

static void
test_swings(void)
{
    double y[320];
    struct stats_ratio r;

    for (size_t i = 0; i < 320; i++)
        y[i] = 100 + (i / 10 % 2 == 0 ? 1 : -1);
    stats_blocks_ratio(&r, y, NULL, 320);
    ok(r.blocks == STATS_BLOCKS_MAX && !r.correlated && r.df == 31,
       "short swings are no trouble");
    for (size_t i = 0; i < 320; i++)
        y[i] = 100 + (i / 20 % 2 == 0 ? 1 : -1);
    stats_blocks_ratio(&r, y, NULL, 320);
    ok(fabs(r.lag1 - (1.0 / 32 + (1 + 3.0 / 32) / 32)) < 1e-12,
       "alike in pairs: what is left once the bias is gone");
    for (size_t i = 0; i < 320; i++)
        y[i] = 100 + (double) i;
    stats_blocks_ratio(&r, y, NULL, 320);
    ok(r.correlated && r.df == 1 && r.lag1 == 0.9,
       "a drift is one swing: one degree of freedom");
    ok(stats_blocks_half(&r, LEVEL) > 300, "and hardly an interval");
}

static void
test_ranks(void)
{
    double y[32], x[32], low, high;
    struct stats_ratio r;

    for (size_t i = 0; i < 32; i++) {
        x[i] = 100;
        y[i] = i % 2 == 0 ? 48 : 52;
    }
    stats_blocks_ratio(&r, y, x, 32);
    stats_blocks_ranks(&low, &high, &r, 0.5, LEVEL, 3200);
    ok(low > 0.49 && low < 0.5 && high > 0.5 && high < 0.51 &&
           fabs(low + high - 1) < 1e-12,
       "ranks around the median");
    for (size_t i = 0; i < 32; i++)
        y[i] = i % 2 == 0 ? 98 : 100;
    stats_blocks_ratio(&r, y, x, 32);
    stats_blocks_ranks(&low, &high, &r, 0.99, LEVEL, 3200);
    ok(low > 0.98 && low < 0.99 && high > 0.99 && high < 1 &&
           0.99 - low > high - 0.99,
       "ranks around p99 stay below 1");
    stats_blocks_ranks(&low, &high, &r, 0.9999, LEVEL, 3200);
    ok(isnan(high) && !isnan(low), "an end that no operation lies beyond");
    r.blocks = 0;
    stats_blocks_ranks(&low, &high, &r, 0.5, LEVEL, 3200);
    ok(isnan(low) && isnan(high), "no blocks, no ranks");
}

/* A run whose moments hang together: each remembers RHO of the last one. */
static void
make_rates(double *y, double rho)
{
    double now = normal();

    for (size_t i = 0; i < MOMENTS; i++) {
        y[i] = 1000 * exp(0.1 * now);
        now = rho * now + sqrt(1 - rho * rho) * normal();
    }
}

static void
test_coverage(double rho, double wanted)
{
    double y[MOMENTS], truth = 1000 * exp(0.005), covered = 0, naive = 0;

    state = 42;
    for (int run = 0; run < RUNS; run++) {
        struct stats_ratio r;
        double squares = 0;

        make_rates(y, rho);
        stats_blocks_ratio(&r, y, NULL, MOMENTS);
        covered += fabs(r.value - truth) <= stats_blocks_half(&r, LEVEL);
        for (size_t i = 0; i < MOMENTS; i++)
            squares += (y[i] - r.value) * (y[i] - r.value);
        naive += fabs(r.value - truth) <= 1.96 * sqrt(squares) / MOMENTS;
    }
    ok(covered / RUNS >= wanted, "rates with memory %.2f: 95 %% hold the truth",
       rho);
    printf("# %.1f %% do; %.1f %% if moments were independent\n",
           covered / RUNS * 100, naive / RUNS * 100);
}

static int
by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* OPS operations a moment, all slowed down by what hangs together. */
static void
test_percentile(double p, double rho, int ops, double wanted)
{
    static double all[MOMENTS * 64], sorted[MOMENTS * 64];
    double y[MOMENTS], x[MOMENTS], covered = 0, n = MOMENTS * ops;
    double truth = exp(stats_normal_quantile(p) * sqrt(0.3 * 0.3 + 0.25));
    int runs = RUNS / 4;

    state = 7;
    for (int run = 0; run < runs; run++) {
        double now = normal(), low, high;
        struct stats_ratio r;

        for (int i = 0; i < MOMENTS; i++) {
            for (int k = 0; k < ops; k++)
                all[i * ops + k] = exp(0.3 * now + 0.5 * normal());
            now = rho * now + sqrt(1 - rho * rho) * normal();
        }
        memcpy(sorted, all, sizeof all);
        qsort(sorted, (size_t) n, sizeof *sorted, by_value);
        for (int i = 0; i < MOMENTS; i++) {
            x[i] = ops;
            y[i] = 0;
            for (int k = 0; k < ops; k++)
                y[i] += all[i * ops + k] <= sorted[(size_t) (p * n)];
        }
        stats_blocks_ratio(&r, y, x, MOMENTS);
        stats_blocks_ranks(&low, &high, &r, p, LEVEL, n);
        covered +=
            !(sorted[(size_t) (low * n)] > truth) &&
            (isnan(high) || sorted[(size_t) ceil(high * n) - 1] >= truth);
    }
    ok(covered / runs >= wanted, "p%g with memory %.2f", p * 100, rho);
    printf("# %.1f %%\n", covered / runs * 100);
}

int
main(void)
{
    test_by_hand();
    test_swings();
    test_ranks();
    test_coverage(0, least(LEVEL));
    test_coverage(0.5, least(LEVEL));
    test_coverage(0.8, least(LEVEL));
    test_coverage(0.9, least(LEVEL));
    test_coverage(0.95, least(LEVEL));
    test_percentile(0.5, 0, 16, least(LEVEL));
    test_percentile(0.5, 0.8, 16, least(LEVEL));
    test_percentile(0.99, 0, 16, least(LEVEL));
    test_percentile(0.99, 0.8, 16, least(LEVEL));
    return done_testing();
}
