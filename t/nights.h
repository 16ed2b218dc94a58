/* SPDX-License-Identifier: MIT */
/*
 * Measurements whose truth is known: a panel of cells that are measured in
 * several nights, some of them slow. For tests and for
 * bench/compare-truth.
 */
#ifndef S3PERF_NIGHTS_H
#define S3PERF_NIGHTS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

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

/* The mean of the repeats of one cell in one night: how far they are off. */
static double
nights_repeats(const struct nights *n, uint64_t *state)
{
    double keep = sqrt(1 - n->repeat_memory * n->repeat_memory);
    double now = nights_noise(state, n->tails), sum = 0;

    for (size_t i = 0; i < n->repeats; i++) {
        sum += now;
        now = n->repeat_memory * now + keep * nights_noise(state, n->tails);
    }
    return n->repeat * sum / (double) n->repeats;
}

/* Fill LOGS (nights x cells) of SIDE. NOISE: what each cell's own noise is
 * multiplied by. NOW: the last night, which the first one remembers. */
static void __attribute__((unused))
nights_make(double *logs, int side, const struct nights *n, const double *noise,
            double *now, uint64_t *state)
{
    double keep = sqrt(1 - n->night_memory * n->night_memory);

    for (size_t night = 0; night < n->nights[side]; night++) {
        *now = n->night_memory * *now + keep * nights_noise(state, n->tails);
        for (size_t cell = 0; cell < n->cells; cell++) {
            double own = n->cell * nights_noise(state, n->tails) +
                         nights_repeats(n, state);

            logs[night * n->cells + cell] =
                5 + (double) cell / 10 + n->night * *now + own * noise[cell] +
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

#endif
