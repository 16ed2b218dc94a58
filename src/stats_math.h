/* SPDX-License-Identifier: MIT */
/*
 * The distributions that tests and intervals need. Pure functions.
 *
 * Sources: incomplete beta by its continued fraction, NIST DLMF 8.17.22, and
 * incomplete gamma by its series 8.7.1 and its fraction 8.9.2, both
 * evaluated after Lentz as Thompson and Barnett do (J. Comput. Phys. 64,
 * 1986); the normal quantile begins at Abramowitz and Stegun 26.2.23 and is
 * polished against erfc(); quantiles of t begin at Cornish-Fisher's
 * expansion. Relative error below 1e-9 where the tests look.
 */
#ifndef S3PERF_STATS_MATH_H
#define S3PERF_STATS_MATH_H

/* The probability of a standard normal value up to X, and its inverse. */
double stats_normal_p(double x);
double stats_normal_quantile(double p);

/* Regularised incomplete beta I_x(a, b), 0 <= X <= 1, A and B above 0. */
double stats_beta(double x, double a, double b);

/* Regularised incomplete gamma P(a, x), A above 0, X from 0. */
double stats_gamma(double a, double x);

/* Student's t with DF degrees of freedom, not necessarily whole: the
 * probability of a value as far from 0 as T, on both sides; the quantile. */
double stats_t_two_sided(double t, double df);
double stats_t_quantile(double p, double df);

double stats_chi2_p(double x, double df);
double stats_chi2_quantile(double p, double df);

/* Fisher's F: the probability of a value above F; the quantile. */
double stats_f_above(double f, double df1, double df2);
double stats_f_quantile(double p, double df1, double df2);

/* The probability of at most K successes in N, each of probability P. */
double stats_binomial_p(double k, double n, double p);

/* Derivatives of the logarithm of gamma, X above 0, and the inverse of the
 * second. */
double stats_digamma(double x);
double stats_trigamma(double x);
double stats_trigamma_inverse(double y);

#endif
