/* SPDX-License-Identifier: MIT */
/*
 * A percentile's interval from the order of independent values alone. For
 * operations of one lane with pauses between them, or for repeats; values of
 * one busy run are not independent: stats_blocks.h is for those.
 */
#ifndef S3PERF_STATS_RANK_H
#define S3PERF_STATS_RANK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Of N values in order, those with the ranks *LOW and *HIGH (from 1) enclose
 * percentile P with probability LEVEL or more, at most (1 - LEVEL) / 2 on
 * either side: the number of values below a percentile is binomial (David
 * and Nagaraja, Order Statistics, 7.1).
 * Returns: false when N is too small for either end.
 */
bool stats_rank_interval(uint64_t *low, uint64_t *high, uint64_t n, double p,
                         double level);

#endif
