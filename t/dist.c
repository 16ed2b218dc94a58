/* SPDX-License-Identifier: MIT */
/* Distributions: exact against brute force, parts against the whole, values
 * against histograms. */
#include "config.h"

#include "dist.h"

#include <math.h>
#include <stdlib.h>

#include "random.h"
#include "tap.h"

#define N 5000

static const double ps[] = {0.001, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1};

#define PS (sizeof ps / sizeof *ps)

static int
compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

    return (x > y) - (x < y);
}

static void
draw(int64_t *values, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        values[i] = (int64_t) (2e6 * random_exp(0.7 * random_normal(&seed)));
}

/* The smallest value that at least p n values do not exceed. */
static int64_t
brute(const int64_t *sorted, size_t n, double p)
{
    size_t i = 0;

    while (i + 1 < n && (double) (i + 1) < p * (double) n - 1e-6)
        i++;
    return sorted[i];
}

static double
deviation(const int64_t *values, size_t n, double *mean)
{
    long double sum = 0, squares = 0;

    for (size_t i = 0; i < n; i++)
        sum += values[i];
    *mean = (double) (sum / n);
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - sum / n) * (values[i] - sum / n);
    return (double) sqrtl(squares / (n - 1));
}

static bool
is_near(double got, double want, double share)
{
    return fabs(got - want) <= share * fabs(want);
}

/* All that can be asked, of SIZE bytes for values. */
static void
test_against_brute_force(size_t bytes, double share)
{
    static int64_t values[N];
    struct dist_pool pool;
    struct dist d;
    double mean, dev;
    bool good = true;

    draw(values, N, 7);
    dist_pool_init(&pool, bytes);
    dist_init(&d, &pool);
    for (size_t i = 0; i < N; i++)
        good = dist_add(&d, values[i]) == 0 && good;
    ok(good, "%d values with room for %zu bytes", N, bytes);
    ok(dist_is_exact(&d) == (share == 0), "exact or not");
    dev = deviation(values, N, &mean);
    qsort(values, N, sizeof *values, compare);
    ok(is_near(dist_mean(&d), mean, 1e-9), "mean");
    ok(is_near(dist_deviation(&d), dev, 1e-9), "deviation");
    is_int(d.min_ns, values[0], "minimum");
    is_int(d.max_ns, values[N - 1], "maximum");
    for (size_t i = 0; i < PS; i++)
        ok(is_near((double) dist_percentile(&d, ps[i]),
                   (double) brute(values, N, ps[i]), share),
           "p%g", 100 * ps[i]);
    for (size_t i = 0; i < N; i += N / 7) {
        double n = (double) dist_up_to(&d, values[i]);

        ok(fabs(n - (double) (i + 1)) <= (share > 0 ? 0.004 * N : 0),
           "%g values up to number %zu", n, i + 1);
    }
    dist_clear(&d);
    dist_clear(&d);
    is_int((int64_t) pool.left, (int64_t) bytes, "all bytes are back");
}

/* Add VALUES in parts, those of part K from last to first if REVERSED. */
static void
test_merge(size_t bytes, bool reversed)
{
    static int64_t values[N];
    struct dist_pool pool;
    struct dist whole, parts[3], sum;
    bool good = true;

    draw(values, N, 11);
    dist_pool_init(&pool, bytes);
    dist_init(&whole, &pool);
    dist_init(&sum, &pool);
    for (size_t k = 0; k < 3; k++)
        dist_init(&parts[k], &pool);
    for (size_t i = 0; i < N; i++) {
        size_t at = reversed ? N - 1 - i : i;

        good = dist_add(&whole, values[i]) == 0 && good;
        good = dist_add(&parts[at % 7 % 3], values[at]) == 0 && good;
    }
    for (size_t k = 0; k < 3; k++)
        good = dist_merge(&sum, &parts[reversed ? 2 - k : k]) == 0 && good;
    ok(good, "parts merge, room for %zu bytes%s", bytes,
       reversed ? ", the other way round" : "");
    is_int((int64_t) sum.count, N, "all are there");
    is_int(sum.min_ns, whole.min_ns, "minimum");
    is_int(sum.max_ns, whole.max_ns, "maximum");
    ok(is_near(dist_mean(&sum), dist_mean(&whole), 1e-9), "mean");
    ok(is_near(dist_deviation(&sum), dist_deviation(&whole), 1e-9),
       "deviation");
    ok(dist_is_exact(&sum) == dist_is_exact(&whole), "all exact or none");
    for (size_t i = 0; i < PS; i++)
        is_int(dist_percentile(&sum, ps[i]), dist_percentile(&whole, ps[i]),
               "p%g", 100 * ps[i]);
    for (size_t k = 0; k < 3; k++)
        dist_clear(&parts[k]);
    dist_clear(&sum);
    dist_clear(&whole);
    is_int((int64_t) pool.left, (int64_t) bytes, "all bytes are back");
}

/* Design 3.6 and 3.5: what a sample supports, what is censored. */
static void
test_support(void)
{
    struct dist_pool pool;
    struct dist d;
    int64_t ns = 0;

    dist_pool_init(&pool, DIST_POOL_BYTES);
    dist_init(&d, &pool);
    is_int(dist_supported(&d, 0, 0.5, &ns), DIST_NONE, "nothing has no p50");
    is_int(dist_percentile(&d, 0.5), -1, "nor any value");
    ok(isnan(dist_mean(&d)), "nor a mean");
    for (int64_t i = 1; i <= 100; i++)
        if (dist_add(&d, i * 1000000) != 0)
            return;
    is_int(dist_supported(&d, 0, 0.5, &ns), DIST_FULL, "p50 of 100");
    is_int(ns, 50 * 1000000, "is the 50th");
    is_int(dist_supported(&d, 0, 0.99, &ns), DIST_FEW, "p99 of 100: few");
    is_int(ns, 99 * 1000000, "is the 99th");
    is_int(dist_supported(&d, 0, 0.999, &ns), DIST_NONE, "p99.9 of 100: none");
    is_int(dist_supported(&d, 100, 0.5, &ns), DIST_FULL, "p50 of 200");
    is_int(ns, 100 * 1000000, "is the 100th seen");
    is_int(dist_supported(&d, 101, 0.5, &ns), DIST_BEYOND, "p50 of 201");
    is_int(ns, 100 * 1000000, "is above the largest seen");
    is_int(dist_supported(&d, 50, 0.4, &ns), DIST_FULL, "p40 of 150");
    is_int(ns, 60 * 1000000, "is the 60th seen");
    dist_clear(&d);
}

/* What comes from a histogram file keeps its percentiles. */
static void
test_histogram(uint32_t sub, double share)
{
    static int64_t values[N];
    struct histogram h;
    struct dist_pool pool;
    struct dist d;
    uint64_t *counts = calloc(histogram_buckets(sub), sizeof *counts);

    if (counts == NULL)
        return;
    histogram_init(&h, sub, counts);
    draw(values, N, 13);
    values[0] = 200; /* below the range */
    values[1] = HISTOGRAM_MAX_NS + 5; /* above it */
    for (size_t i = 0; i < N; i++)
        histogram_add(&h, values[i]);
    dist_pool_init(&pool, DIST_POOL_BYTES);
    dist_init(&d, &pool);
    ok(dist_add_histogram(&d, &h) == 0 && dist_add_histogram(&d, &h) == 0,
       "%" PRIu32 " sub-buckets, twice", sub);
    is_int((int64_t) d.count, 2 * N, "all are there");
    ok(is_near(dist_mean(&d), histogram_mean(&h), 1e-9), "the mean is exact");
    is_int(d.min_ns, 200, "minimum");
    is_int(d.max_ns, HISTOGRAM_MAX_NS + 5, "maximum");
    qsort(values, N, sizeof *values, compare);
    for (size_t i = 0; i < PS; i++)
        ok(is_near((double) dist_percentile(&d, ps[i]),
                   (double) brute(values, N, ps[i]), share),
           "p%g", 100 * ps[i]);
    dist_clear(&d);
    free(counts);
}

int
main(void)
{
    test_against_brute_force(DIST_POOL_BYTES, 0);
    test_against_brute_force(0, 0.001);
    test_against_brute_force(16384, 0.001); /* spills on the way */
    test_merge(DIST_POOL_BYTES, false);
    test_merge(DIST_POOL_BYTES, true);
    test_merge(65536, false); /* spills while merging, or before */
    test_merge(130000, true);
    test_merge(1024, false);
    test_support();
    test_histogram(HISTOGRAM_SUB_OPS, 0.001);
    test_histogram(HISTOGRAM_SUB_STAGES, 0.01);
    return done_testing();
}
