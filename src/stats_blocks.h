/* SPDX-License-Identifier: MIT */
/*
 * Intervals of confidence from one run, whose operations are not
 * independent of each other: the run is cut into blocks of time, long enough
 * that the blocks are (method of batch means).
 *
 * All that is estimated is a ratio of two sums over time: operations over
 * seconds, bytes over seconds, operations below a duration over all
 * operations. Its error comes from how the blocks differ from it (ratio
 * estimator, Cochran, Sampling Techniques, ch. 6). A percentile's interval
 * reaches from the value at one rank to that at another (Woodruff, J. Am.
 * Stat. Assoc. 47, 1952), which are the ends of the interval of the share of
 * operations below it, on the logit scale so that they stay within 0 and 1
 * (Korn and Graubard, Surv. Methodol. 24, 1998): nothing is assumed of the
 * distribution, and no percentiles of blocks are averaged.
 *
 * How long a block is: a 32nd of the run, or one moment where there are
 * fewer, since more blocks gain little and shorter ones hide slow swings
 * (Schmeiser, Oper. Res. 30, 1982). What correlation remains between
 * neighbours (r, its bias taken away after Kendall, Biometrika 41, 1954)
 * widens the interval as that of a first-order autoregression does, by
 * sqrt((1 + r) / (1 - r)), as in Skart (Tafazzoli et al., INFORMS J. Comput.
 * 23, 2011), and takes degrees of freedom away: n (1 - r) / (1 + r) blocks'
 * worth are left. Merging blocks until they look independent was tried, too:
 * its intervals are wider and hold the truth less often.
 */
#ifndef S3PERF_STATS_BLOCKS_H
#define S3PERF_STATS_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#define STATS_BLOCKS_MIN 10
#define STATS_BLOCKS_MAX 32

struct stats_ratio {
    double value; /* sum of y over sum of x; NaN when the latter is 0 */
    double error; /* standard error; NaN with fewer than ten blocks */
    double df; /* degrees of freedom of the error */
    double lag1; /* autocorrelation of neighbours that was allowed for */
    size_t blocks; /* how many there are; 0 without an error */
    bool correlated; /* they are worth less than ten independent ones */
};

/*
 * The ratio of the sums of Y and X over N moments of equal length in order
 * of time; X may be NULL for all ones: Y's mean. Moments may be empty; none
 * may be short against one operation, or its neighbours share it.
 */
void stats_blocks_ratio(struct stats_ratio *out, const double *y,
                        const double *x, size_t n);

/* Half the width of the interval that holds the truth with probability
 * LEVEL (0.95); NaN without an error. */
double stats_blocks_half(const struct stats_ratio *r, double level);

/* The ranks, as probabilities, between which percentile P lies: the values
 * there are the ends of its interval. BELOW is the ratio of operations up to
 * about that percentile to all; N is how many these are. Either end is NaN
 * when fewer than one of them lies beyond it, and both without an error. */
void stats_blocks_ranks(double *low, double *high,
                        const struct stats_ratio *below, double p, double level,
                        double n);

#endif
