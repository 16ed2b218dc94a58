/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stats_blocks.h"

#include <math.h>

#include "stats_math.h"

#define LAG_MAX 0.9 /* whatever is above: there is too little to tell */

/* Sums of BLOCKS nearly equal shares of the moments. */
struct blocks {
    double y[STATS_BLOCKS_MAX], x[STATS_BLOCKS_MAX];
    size_t count;
};

static void
cut(struct blocks *b, const double *y, const double *x, size_t n, size_t count)
{
    b->count = count;
    for (size_t i = 0; i < count; i++) {
        b->y[i] = b->x[i] = 0;
        for (size_t j = i * n / count; j < (i + 1) * n / count; j++) {
            b->y[i] += y[j];
            b->x[i] += x != NULL ? x[j] : 1;
        }
    }
}

/* Complete OUT, whose value is there, by how the blocks differ from it. */
static void
judge(struct stats_ratio *out, const struct blocks *b)
{
    double squares = 0, products = 0, x = 0, before = 0, lag1, spread;
    double count = (double) b->count;

    for (size_t i = 0; i < b->count; i++) {
        double rest = b->y[i] - out->value * b->x[i];

        squares += rest * rest;
        products += i > 0 ? rest * before : 0;
        before = rest;
        x += b->x[i];
    }
    lag1 = squares > 0 ? products / squares : 0;
    lag1 += (1 + 3 * lag1) / count;
    out->lag1 = lag1 > 0 ? fmin(lag1, LAG_MAX) : 0;
    spread = (1 + out->lag1) / (1 - out->lag1);
    out->error = sqrt(squares * spread * count / (count - 1)) / x;
    out->df = fmax(count / spread - 1, 1);
    out->blocks = b->count;
    out->correlated = count / spread < STATS_BLOCKS_MIN;
}

void
stats_blocks_ratio(struct stats_ratio *out, const double *y, const double *x,
                   size_t n)
{
    struct blocks b;
    double all_y = 0, all_x = 0;

    for (size_t i = 0; i < n; i++) {
        all_y += y[i];
        all_x += x != NULL ? x[i] : 1;
    }
    *out = (struct stats_ratio){.value = all_x > 0 ? all_y / all_x : NAN,
                                .error = NAN,
                                .df = NAN,
                                .lag1 = NAN};
    if (n < STATS_BLOCKS_MIN || !(all_x > 0))
        return;
    cut(&b, y, x, n, n < STATS_BLOCKS_MAX ? n : STATS_BLOCKS_MAX);
    judge(out, &b);
}

double
stats_blocks_half(const struct stats_ratio *r, double level)
{
    return r->blocks > 0 ? stats_t_quantile((1 + level) / 2, r->df) * r->error
                         : NAN;
}

static double
rank_at(double logit)
{
    return 1 / (1 + exp(-logit));
}

void
stats_blocks_ranks(double *low, double *high, const struct stats_ratio *below,
                   double p, double level, double n)
{
    double share = below->value * (1 - below->value), logit = log(p / (1 - p));

    /* The share that was counted may not be P; its error is that of a
     * share, whose square goes with share x (1 - share). */
    double half = stats_blocks_half(below, level) / sqrt(share * p * (1 - p));

    *low = rank_at(logit - half);
    *high = rank_at(logit + half);
    if (!(*low * n >= 1))
        *low = NAN;
    if (!((1 - *high) * n >= 1))
        *high = NAN;
}
