/* SPDX-License-Identifier: MIT */
/*
 * Two sides and how sure one can be that they differ. Everything is a
 * logarithm, so a difference is that of a ratio B / A, and a unit (a run, or
 * a repeat) is one value.
 */
#ifndef S3PERF_STATS_COMPARE_H
#define S3PERF_STATS_COMPARE_H

#include <stddef.h>

enum stats_side { STATS_A, STATS_B };

#define STATS_POWER 0.8 /* what "found" means: in four of five cases */
#define STATS_NEEDED_MAX 1000 /* more repeats than anybody makes */

struct stats_difference {
    size_t n[2]; /* units on either side */
    double change; /* mean of B less that of A; NaN: a side has none */
    double deviation; /* standard deviation between units of a side */
    double error; /* standard error of the change */
    double df; /* degrees of freedom of both; NaN: nothing to tell by */
    double p; /* two-sided, of no difference; NaN likewise */
    double q; /* after correction for many tests: the caller's */
};

/* From the means and standard errors (with degrees of freedom) of the two
 * sides: Welch's test. */
void stats_compare_two(struct stats_difference *d, const double mean[2],
                       const double error[2], const double df[2]);

/* From a deviation and what it is worth; N and CHANGE are there already. */
void stats_compare_finish(struct stats_difference *d, double deviation,
                          double df);

/* Half the width of the interval that holds the true change with probability
 * LEVEL (0.95). */
double stats_compare_half(const struct stats_difference *d, double level);

enum stats_verdict {
    STATS_CANNOT_TELL,
    STATS_SAME, /* the interval lies within the threshold */
    STATS_LOWER, /* B is: q is small, and the change is worth noticing */
    STATS_HIGHER
};

/* ALPHA: the chance of false alarm (0.05). THRESHOLD: the smallest change
 * worth noticing, a logarithm, from 0. */
enum stats_verdict stats_compare_verdict(const struct stats_difference *d,
                                         double alpha, double threshold);

/* How many times its standard deviation the sides differ by, corrected for
 * few units (Hedges, J. Educ. Stat. 6, 1981); NaN when not known. */
double stats_compare_effect(const struct stats_difference *d);

/* The smallest change that is found with this many units. */
double stats_compare_detectable(const struct stats_difference *d, double alpha,
                                double threshold);

/*
 * How many units a side would tell, with STATS_POWER: a change as large as
 * the one that was seen, where that is worth noticing; else that equal sides
 * are the same within THRESHOLD. More than there are now, where these could
 * not tell.
 * Returns: 0 when not known; STATS_NEEDED_MAX + 1 for more than that.
 */
unsigned stats_compare_needed(const struct stats_difference *d, double alpha,
                              double threshold);

#endif
