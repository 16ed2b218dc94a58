/* SPDX-License-Identifier: MIT */
/* Distributions against published tables. */
#include "config.h"

#include "stats_math.h"

#include <math.h>

#include "stats_rank.h"
#include "tap.h"

static bool
near(double got, double want, double share, const char *what)
{
    bool good = fabs(got - want) <= fabs(want) * share;

    ok(good, "%s", what);
    if (!good)
        printf("#  got %.12g\n# want %.12g\n", got, want);
    return good;
}

static void
test_normal(void)
{
    near(stats_normal_quantile(0.975), 1.959963984540054, 1e-12, "z 97.5 %");
    near(stats_normal_quantile(0.995), 2.575829303548901, 1e-12, "z 99.5 %");
    near(stats_normal_quantile(1e-10), -6.361340902404056, 1e-12, "z 1e-10");
    near(stats_normal_quantile(1e-300), -37.0471, 1e-5, "z 1e-300");
    near(stats_normal_p(-1.959963984540054), 0.025, 1e-12, "P(z)");
    near(stats_normal_p(-10), 7.619853024160527e-24, 1e-9, "P(-10)");
    ok(fabs(stats_normal_quantile(0.5)) < 1e-15, "z of a half");
    ok(isnan(stats_normal_quantile(1.5)) && isnan(stats_normal_quantile(NAN)),
       "no probability, no quantile");
}

/* The table of Student's t that every textbook has. */
static void
test_t(void)
{
    static const struct {
        double p, df, t;
    } table[] = {
        {0.975, 1, 12.706204736}, {0.975, 2, 4.302652730},
        {0.975, 3, 3.182446305},  {0.975, 5, 2.570581836},
        {0.975, 8, 2.306004135},  {0.975, 10, 2.228138852},
        {0.975, 30, 2.042272456}, {0.975, 120, 1.979930405},
        {0.995, 1, 63.65674116},  {0.995, 4, 4.604094871},
        {0.95, 7, 1.894578605},   {0.9995, 9, 4.780912586},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char what[64];

        snprintf(what, sizeof what, "t %g, %g degrees of freedom", table[i].p,
                 table[i].df);
        near(stats_t_quantile(table[i].p, table[i].df), table[i].t, 1e-9, what);
        near(stats_t_two_sided(table[i].t, table[i].df), 2 - 2 * table[i].p,
             1e-7, "and back");
    }
    near(stats_t_quantile(0.025, 5), -2.570581836, 1e-9, "the lower side");
    near(stats_t_quantile(0.975, 1e9), 1.959963985, 1e-9, "many degrees");
    near(stats_t_quantile(0.975, 5e5), 1.959968, 1e-6, "half a million");
    near(stats_t_quantile(1 - 1e-9, 1), 318309886.18, 1e-6, "far out");
}

/* A fraction of a degree of freedom less is a little more t. */
static void
test_t_between(void)
{
    bool falls = true, inverse = true;

    for (double df = 0.3; df < 200; df *= 1.17) {
        double t = stats_t_quantile(0.99, df);

        falls = falls && t > stats_t_quantile(0.99, df * 1.01);
        inverse = inverse && fabs(stats_t_two_sided(t, df) - 0.02) < 1e-10;
    }
    ok(falls, "the quantile of t falls with the degrees of freedom");
    ok(inverse, "its inverse holds for any of them");
    ok(isnan(stats_t_quantile(0.9, 0)) && isnan(stats_t_quantile(0.9, NAN)) &&
           isnan(stats_t_two_sided(NAN, 3)),
       "without degrees of freedom there is none");
}

static void
test_others(void)
{
    near(stats_chi2_quantile(0.95, 1), 3.841458821, 1e-9, "chi2 1");
    near(stats_chi2_quantile(0.95, 10), 18.30703805, 1e-9, "chi2 10");
    near(stats_chi2_quantile(0.95, 100), 124.3421134, 1e-9, "chi2 100");
    near(stats_chi2_quantile(0.05, 5), 1.145476226, 1e-9, "chi2 5, low");
    near(stats_chi2_p(18.30703805, 10), 0.95, 1e-9, "and back");
    near(stats_f_quantile(0.95, 1, 1), 161.4476388, 1e-9, "F 1 1");
    near(stats_f_quantile(0.95, 3, 10), 3.708264782, 1e-8, "F 3 10");
    near(stats_f_quantile(0.95, 10, 20), 2.347877567, 1e-9, "F 10 20");
    near(stats_f_above(3.708264782, 3, 10), 0.05, 1e-7, "and back");
    near(stats_binomial_p(3, 10, 0.5), 0.171875, 1e-12, "binomial");
    near(stats_binomial_p(0, 20, 0.05), 0.358485922408542, 1e-12, "none of 20");
    ok(stats_binomial_p(-1, 5, 0.5) == 0 && stats_binomial_p(5, 5, 0.5) == 1,
       "ends of the binomial");
    near(stats_beta(0.3, 2, 5), 0.579825, 1e-12, "beta of whole numbers");
    near(stats_gamma(3, 2), 0.323323583816936, 1e-12, "gamma of whole ones");
}

static void
test_log_gamma(void)
{
    near(stats_digamma(1), -0.5772156649015329, 1e-11, "digamma 1");
    near(stats_digamma(0.5), -1.9635100260214235, 1e-11, "digamma 1/2");
    near(stats_trigamma(1), M_PI * M_PI / 6, 1e-11, "trigamma 1");
    near(stats_trigamma(0.5), M_PI * M_PI / 2, 1e-11, "trigamma 1/2");
    near(stats_trigamma_inverse(M_PI * M_PI / 6), 1, 1e-9, "its inverse");
    ok(isinf(stats_trigamma_inverse(0)), "the inverse of nothing");
}

/* 11 values: ranks 2 and 10 enclose the median with 98.8 % (Conover,
 * Practical Nonparametric Statistics); one rank further in with 93.5 %. */
static void
test_rank(void)
{
    uint64_t low = 0, high = 0;

    ok(stats_rank_interval(&low, &high, 11, 0.5, 0.95) && low == 2 &&
           high == 10,
       "the median of 11");
    ok(stats_rank_interval(&low, &high, 11, 0.5, 0.93) && low == 3 && high == 9,
       "asking for less");
    ok(stats_rank_interval(&low, &high, 6, 0.5, 0.95) && low == 1 && high == 6,
       "six values just do");
    ok(!stats_rank_interval(&low, &high, 5, 0.5, 0.95), "five do not");
    ok(stats_rank_interval(&low, &high, 1000, 0.99, 0.95) &&
           stats_binomial_p((double) low - 1, 1000, 0.99) <= 0.025 &&
           stats_binomial_p((double) low, 1000, 0.99) > 0.025 &&
           1 - stats_binomial_p((double) high - 1, 1000, 0.99) <= 0.025 &&
           1 - stats_binomial_p((double) high - 2, 1000, 0.99) > 0.025,
       "p99 of 1000, by definition");
    ok(!stats_rank_interval(&low, &high, 300, 0.99, 0.95), "p99 of 300");
}

int
main(void)
{
    test_normal();
    test_t();
    test_t_between();
    test_others();
    test_log_gamma();
    test_rank();
    return done_testing();
}
