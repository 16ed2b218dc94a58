/* SPDX-License-Identifier: MIT */
/*
 * How evenly something is spread over several: rates over endpoints, say.
 * Source: Jain, Chiu, Hawe, "A Quantitative Measure Of Fairness", DEC
 * TR-301, 1984.
 */
#ifndef S3PERF_FAIRNESS_H
#define S3PERF_FAIRNESS_H

#include <stddef.h>

/* Jain's index of N values, none of them negative: from 1/N (one has all)
 * to 1 (all have the same). NaN when all are 0, or there are none. */
double fairness_jain(const double *values, size_t n);

/* The smallest of N values as a share of the largest; NaN likewise. */
double fairness_spread(const double *values, size_t n);

#endif
