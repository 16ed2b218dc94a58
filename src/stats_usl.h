/* SPDX-License-Identifier: MIT */
/*
 * The Universal Scalability Law (Gunther, Guerrilla Capacity Planning, 2007):
 *
 *     X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1))
 *
 * lambda is the throughput of one lane, sigma the share that cannot be done
 * side by side (contention), kappa what each pair of lanes costs the others
 * (coherency). With kappa above 0 throughput peaks at
 * N = sqrt((1 - sigma) / kappa), else it nears lambda / sigma.
 *
 * Fit: least squares of log X, so an error is a share of the value, one
 * point for each N (repeats are averaged first: what the model misses at one
 * N it misses in all its repeats). Levenberg-Marquardt in log sigma and log
 * kappa from several starts; lambda follows from the mean.
 * Intervals: bootstrap of the residuals, seeded, each blown up by
 * sqrt(n / (n - 3)); percentiles of it, widened for few points as Hesterberg
 * (Am. Stat. 69, 2015) does.
 */
#ifndef S3PERF_STATS_USL_H
#define S3PERF_STATS_USL_H

#include <stddef.h>
#include <stdint.h>

#define STATS_USL_MIN 3 /* points for a fit; one more for intervals */
#define STATS_USL_MAX 256

struct stats_usl_value {
    double value;
    double low, high; /* NaN without an interval; high may be infinite */
};

struct stats_usl {
    struct stats_usl_value lambda, sigma, kappa;
    struct stats_usl_value peak_n; /* infinite: no peak */
    struct stats_usl_value peak; /* throughput there, or what it nears */
    double misfit; /* typical distance of a point, as a share of it */
};

/*
 * Fit N points: LANES from 1, no two alike, and the logarithm of THROUGHPUT.
 * LEVEL is that of the intervals.
 * Returns: 0, EINVAL with too few or too many points.
 */
int stats_usl_fit(struct stats_usl *usl, const double *lanes,
                  const double *log_throughput, size_t n, double level,
                  uint64_t seed);

/* The model's throughput at LANES. */
double stats_usl_at(const struct stats_usl *usl, double lanes);

#endif
