/* SPDX-License-Identifier: MIT */
/* The Universal Scalability Law, fitted to what is known. */
#include "config.h"

#include "stats_usl.h"

#include <errno.h>
#include <math.h>

#include "random.h"
#include "stats_math.h"
#include "tap.h"

#define LEVEL 0.95
#define POINTS 11 /* 1, 2, 4 ... 1024 */
#define RUNS 200

static double lanes[POINTS];

static double
law(double lambda, double sigma, double kappa, double n)
{
    return lambda * n / (1 + sigma * (n - 1) + kappa * n * (n - 1));
}

static bool
near(double got, double want, double share, const char *what)
{
    bool good = fabs(got - want) <= share * fabs(want);

    ok(good, "%s", what);
    if (!good)
        printf("#  got %g\n# want %g\n", got, want);
    return good;
}

/* Fit what the law itself says, each point off by NOISE. */
static void
fit(struct stats_usl *usl, double lambda, double sigma, double kappa,
    double noise, uint64_t *state)
{
    double logs[POINTS];

    for (size_t i = 0; i < POINTS; i++) {
        double u =
            ((double) (random_next(state) >> 11) + 0.5) / 9007199254740992;

        logs[i] = log(law(lambda, sigma, kappa, lanes[i])) +
                  noise * stats_normal_quantile(u);
    }
    stats_usl_fit(usl, lanes, logs, POINTS, LEVEL, 1);
}

static void
test_exact(void)
{
    struct stats_usl usl;
    uint64_t state = 1;

    fit(&usl, 500, 0.02, 0.00001, 0, &state);
    near(usl.lambda.value, 500, 1e-4, "one lane");
    near(usl.sigma.value, 0.02, 1e-3, "contention");
    near(usl.kappa.value, 0.00001, 1e-2, "coherency");
    near(usl.peak_n.value, sqrt(0.98 / 0.00001), 1e-2, "the peak");
    near(usl.peak.value, law(500, 0.02, 0.00001, sqrt(0.98 / 0.00001)), 1e-3,
         "throughput there");
    near(stats_usl_at(&usl, 100), law(500, 0.02, 0.00001, 100), 1e-3,
         "throughput elsewhere");
    ok(usl.misfit < 1e-6, "nothing is missed");
    ok(usl.sigma.low <= usl.sigma.value + 1e-9 &&
           usl.sigma.high >= usl.sigma.value - 1e-9,
       "the interval is around it");
}

static void
test_limits(void)
{
    struct stats_usl usl;
    uint64_t state = 2;

    fit(&usl, 100, 0.05, 0, 0, &state);
    ok(usl.kappa.value == 0 && isinf(usl.peak_n.value), "Amdahl: no peak");
    near(usl.peak.value, 2000, 1e-3, "a ceiling instead");
    fit(&usl, 100, 0, 0, 0, &state);
    ok(usl.sigma.value == 0 && usl.kappa.value == 0 && isinf(usl.peak.value),
       "a straight line has neither");
    fit(&usl, 100, 0, 0.0001, 0, &state);
    ok(usl.sigma.value < 1e-5, "coherency alone");
    near(usl.peak_n.value, 100, 1e-2, "peaks at 100");
    fit(&usl, 100, 1, 0, 0, &state);
    near(usl.sigma.value, 1, 1e-3, "more lanes do nothing at all");
}

static void
test_counts(void)
{
    static const double two[] = {1, 2}, three[] = {4, 1, 2};
    double logs[] = {log(200), log(100), log(150)};
    struct stats_usl usl;

    ok(stats_usl_fit(&usl, two, logs, 2, LEVEL, 1) == EINVAL, "two points");
    ok(stats_usl_fit(&usl, three, logs, 3, LEVEL, 1) == 0 &&
           isnan(usl.sigma.low) && isnan(usl.misfit),
       "three make a curve without an interval, in any order");
    near(stats_usl_at(&usl, 2), 150, 0.01, "which goes through them");
}

/* The SPEC SDM benchmark of 1991 that Gunther's book fits (scripts a minute
 * for so many generators). He finds a peak at about 97 generators; his
 * fit weighs the large values more. */
static void
test_published(void)
{
    static const double load[] = {1, 18, 36, 72, 108, 144, 216};
    static const double scripts[] = {64.9,   995.9,  1652.4, 1853.2,
                                     1828.9, 1775.0, 1702.2};
    double logs[7];
    struct stats_usl usl;

    for (size_t i = 0; i < 7; i++)
        logs[i] = log(scripts[i]);
    stats_usl_fit(&usl, load, logs, 7, LEVEL, 1);
    printf("# sigma %.4f (%.4f to %.4f), kappa %.6f (%.6f to %.6f)\n"
           "# peak %.0f at %.0f (%.0f to %.0f), misfit %.3f\n",
           usl.sigma.value, usl.sigma.low, usl.sigma.high, usl.kappa.value,
           usl.kappa.low, usl.kappa.high, usl.peak.value, usl.peak_n.value,
           usl.peak_n.low, usl.peak_n.high, usl.misfit);
    ok(usl.peak_n.low < 97 && usl.peak_n.high > 97 &&
           fabs(usl.peak_n.value - 97) < 25,
       "the published peak");
    ok(usl.peak.value > 1700 && usl.peak.value < 2000, "and its height");
}

/* How often intervals hold the truth. */
static void
test_coverage(void)
{
    double sigma = 0, kappa = 0, peak = 0;
    uint64_t state = 5;

    for (int run = 0; run < RUNS; run++) {
        struct stats_usl usl;

        fit(&usl, 500, 0.02, 0.00001, 0.05, &state);
        sigma += usl.sigma.low <= 0.02 && usl.sigma.high >= 0.02;
        kappa += usl.kappa.low <= 0.00001 && usl.kappa.high >= 0.00001;
        peak += usl.peak_n.low <= 313.05 && usl.peak_n.high >= 313.05;
    }
    printf("# sigma %.1f %%, kappa %.1f %%, peak %.1f %%\n", 100 * sigma / RUNS,
           100 * kappa / RUNS, 100 * peak / RUNS);
    ok(sigma / RUNS > 0.9 && kappa / RUNS > 0.9 && peak / RUNS > 0.9,
       "95 %% intervals hold the truth, or nearly that often");
}

int
main(void)
{
    for (size_t i = 0; i < POINTS; i++)
        lanes[i] = (double) (1u << i);
    test_exact();
    test_limits();
    test_counts();
    test_published();
    test_coverage();
    return done_testing();
}
