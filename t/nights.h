/* SPDX-License-Identifier: MIT */
/*
 * Measurements whose truth is known: a panel of cells that are measured in
 * several nights, some of them slow. For tests and for
 * bench/compare-truth.
 */
#ifndef S3PERF_NIGHTS_H
#define S3PERF_NIGHTS_H

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "compare.h"
#include "random.h"
#include "stats_math.h"

struct nights {
    size_t cells;
    size_t nights[2]; /* of side A and B */
    size_t repeats; /* of each cell in a night; their mean is its value */
    double night; /* standard deviation of what moves all cells, in log */
    double night_memory; /* of one night in the next */
    double cell; /* of what moves one cell in one night */
    double repeat; /* of a repeat */
    double repeat_memory; /* of one repeat in the next */
    double uneven; /* cells differ in noise by a factor of e^(+-this) */
    bool tails; /* Student's t with 4 degrees of freedom, not normal */
    bool one_night; /* there is one a side, and `nights` are its repeats */
    double slower; /* the change of B in the cells below, a logarithm */
    size_t slow_cells;
};

static double
nights_uniform(uint64_t *state)
{
    return ((double) (random_next(state) >> 11) + 0.5) / 9007199254740992.0;
}

/* Of standard deviation 1. */
static double
nights_noise(uint64_t *state, bool tails)
{
    double z = stats_normal_quantile(nights_uniform(state));
    double chi2 = 0;

    if (!tails)
        return z;
    for (int i = 0; i < 4; i++) {
        double x = stats_normal_quantile(nights_uniform(state));

        chi2 += x * x;
    }
    return z / sqrt(chi2 / 4) / M_SQRT2; /* the variance of t(4) is 2 */
}

/* Repeats of one cell in one night, OWN off all of them: the mean of those
 * of a night, or each of them, STEP doubles apart. */
static void
nights_repeats(double *out, size_t step, size_t count, const struct nights *n,
               double own, uint64_t *state)
{
    double keep = sqrt(1 - n->repeat_memory * n->repeat_memory);
    double now = nights_noise(state, n->tails);
    double share = n->repeat / (step > 0 ? 1 : (double) count);

    for (size_t i = 0; i < count; i++) {
        out[i * step] += (i == 0 || step > 0 ? own : 0) + share * now;
        now = n->repeat_memory * now + keep * nights_noise(state, n->tails);
    }
}

/* Fill LOGS (nights x cells) of SIDE. NOISE: what each cell's own noise is
 * multiplied by. NOW: the last night, which the first one remembers. */
static void __attribute__((unused))
nights_make(double *logs, int side, const struct nights *n, const double *noise,
            double *now, uint64_t *state)
{
    double keep = sqrt(1 - n->night_memory * n->night_memory);
    size_t rows = n->nights[side], nights = n->one_night ? 1 : rows;

    for (size_t i = 0; i < rows * n->cells; i++)
        logs[i] = 0;
    for (size_t night = 0; night < nights; night++) {
        *now = n->night_memory * *now + keep * nights_noise(state, n->tails);
        for (size_t cell = 0; cell < n->cells; cell++)
            nights_repeats(logs + night * n->cells + cell,
                           n->one_night ? n->cells : 0,
                           n->one_night ? rows : n->repeats, n,
                           n->cell * nights_noise(state, n->tails), state);
        for (size_t i = 0; i < (n->one_night ? rows : 1) * n->cells; i++) {
            double *log = &logs[night * n->cells + i];
            size_t cell = i % n->cells;

            *log = 5 + (double) cell / 10 + n->night * *now +
                   *log * noise[cell] +
                   (side == 1 && cell < n->slow_cells ? n->slower : 0);
        }
    }
}

/* What a cell's own noise is multiplied by, the same on both sides. */
static void __attribute__((unused))
nights_uneven(double *noise, const struct nights *n, uint64_t *state)
{
    for (size_t cell = 0; cell < n->cells; cell++)
        noise[cell] = exp(n->uneven * (2 * nights_uniform(state) - 1));
}

/*
 * One comparison of two sides in three metrics that hang together as they do
 * in a closed loop: the rate falls when the median rises, and p99 follows the
 * median with noise of its own.
 * Returns: what compare_judge() does; C is the caller's to clear.
 */
static int __attribute__((unused))
nights_compare(struct compare *c, const struct nights *n, double threshold,
               uint64_t *state)
{
    struct compare_settings settings = {
        .metrics = {compare_find_metric("ops_per_s"),
                    compare_find_metric("p50_us"),
                    compare_find_metric("p99_us")},
        .metric_count = 3,
        .alpha = 0.05,
        .threshold = threshold};
    size_t most = n->nights[0] > n->nights[1] ? n->nights[0] : n->nights[1];
    double *logs = calloc(most * n->cells, sizeof *logs);
    double *noise = calloc(n->cells, sizeof *noise);
    double now = nights_noise(state, false);
    int err = logs != NULL && noise != NULL ? 0 : ENOMEM;

    compare_init(c, &settings);
    if (err == 0)
        nights_uneven(noise, n, state);
    for (int side = 0; err == 0 && side < 2; side++) {
        nights_make(logs, side, n, noise, &now, state);
        for (size_t i = 0; err == 0 && i < n->nights[side] * n->cells; i++) {
            uint32_t night = (uint32_t) (i / n->cells);
            double own = 2 * n->cell * noise[i % n->cells] *
                         nights_noise(state, n->tails);
            struct compare_sample sample = {
                .cell = {.size = i % n->cells},
                .side = side == 0 ? STATS_A : STATS_B,
                .run = n->one_night ? 0 : night,
                .repeat = n->one_night ? night : 1,
                .values = {{.value = exp(10 - logs[i])},
                           {.value = exp(logs[i])},
                           {.value = exp(logs[i] + 1 + own)}}};

            err = compare_add(c, &sample);
        }
    }
    free(logs);
    free(noise);
    return err != 0 ? err : compare_judge(c);
}

/* What became of many comparisons of a kind. */
struct nights_count {
    double alarms; /* said worse anywhere */
    double whole; /* of a phase, in any metric, said worse */
    double wrong; /* said better or worse of a cell that is neither */
    double found; /* share of the slow cells' rows that are worse */
    double same; /* share of the others' that are the same */
    double false_share; /* of the cells called different, those that are not */
};

/* Add what C says of one comparison to COUNT. */
static void __attribute__((unused))
nights_add(struct nights_count *count, const struct compare *c,
           const struct nights *n)
{
    double slow = 0, found = 0, same = 0, wrong = 0, rows = 0;

    for (size_t i = 0; i < c->row_count; i++) {
        const struct compare_row *row = &c->rows[i];
        bool called =
            row->verdict == COMPARE_WORSE || row->verdict == COMPARE_BETTER;

        if (row->cells > 0)
            continue;
        rows++;
        if (n->slower != 0 && row->cell.size < n->slow_cells) {
            slow++;
            found += row->verdict == COMPARE_WORSE;
            wrong += row->verdict == COMPARE_BETTER;
        } else {
            same += row->verdict == COMPARE_SAME;
            wrong += called;
        }
    }
    count->alarms += compare_count(c, true, COMPARE_WORSE) +
                         compare_count(c, false, COMPARE_WORSE) >
                     0;
    count->whole += compare_count(c, true, COMPARE_WORSE) > 0;
    count->wrong += wrong > 0;
    count->found += slow > 0 ? found / slow : 0;
    count->same += rows > slow ? same / (rows - slow) : 0;
    count->false_share += found + wrong > 0 ? wrong / (found + wrong) : 0;
}

/* RUNS comparisons of a kind. */
static int __attribute__((unused))
nights_simulate(struct nights_count *count, const struct nights *n,
                double threshold, size_t runs, uint64_t seed)
{
    int err = 0;

    *count = (struct nights_count){0};
    for (size_t i = 0; err == 0 && i < runs; i++) {
        struct compare c;

        err = nights_compare(&c, n, threshold, &seed);
        if (err == 0)
            nights_add(count, &c, n);
        compare_clear(&c);
    }
    count->alarms /= (double) runs;
    count->whole /= (double) runs;
    count->wrong /= (double) runs;
    count->found /= (double) runs;
    count->same /= (double) runs;
    count->false_share /= (double) runs;
    return err;
}

#endif
