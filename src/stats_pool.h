/* SPDX-License-Identifier: MIT */
/*
 * One variance for many cells that were each measured a few times: Smyth,
 * Stat. Appl. Genet. Mol. Biol. 3, 2004 (his empirical Bayes, "moderated"
 * variances). How much the cells' variances differ more than chance makes
 * them says how far each is drawn to the common one: all the way when they
 * do not, hardly when they do.
 */
#ifndef S3PERF_STATS_POOL_H
#define S3PERF_STATS_POOL_H

#include <stddef.h>

struct stats_pool {
    double variance; /* the common one */
    double df; /* what it is worth beside a cell's own; infinite: all */
    double df_max; /* of all cells together */
};

/* Estimate from N VARIANCES with DF degrees of freedom each; those with none
 * are left out. POOL is all NaN when no cell has any. */
void stats_pool_init(struct stats_pool *pool, const double *variances,
                     const double *df, size_t n);

/* The variance of a cell whose own is VARIANCE with DF (0: unknown), and its
 * degrees of freedom. */
double stats_pool_variance(const struct stats_pool *pool, double variance,
                           double df, double *pooled_df);

#endif
