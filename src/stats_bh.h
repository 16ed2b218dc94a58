/* SPDX-License-Identifier: MIT */
/*
 * Many tests at once: Benjamini and Hochberg, J. R. Stat. Soc. B 57, 1995.
 */
#ifndef S3PERF_STATS_BH_H
#define S3PERF_STATS_BH_H

#include <stddef.h>

/*
 * Q: for each of the N probabilities P, the lowest share of false ones among
 * those called different at which it would be called so. NaN stays NaN and
 * counts as no test. With nothing different anywhere, the chance that any Q
 * is at most a level is at most that level. Q may be P.
 * Returns: 0 or ENOMEM.
 */
int stats_bh(double *q, const double *p, size_t n);

#endif
