/* SPDX-License-Identifier: MIT */
/* Percentiles against exact ones; merging; bounds. */
#include "config.h"

#include "histogram.h"

#include <math.h>
#include <stdlib.h>

#include "tap.h"

#define VALUES 20000

static uint64_t state = 42;

/* Uniform in (0, 1); xorshift, so the test is the same everywhere. */
static double
uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double) (state >> 11) + 0.5) / 9007199254740992.0;
}

static double
draw_uniform(void)
{
    return 1e3 + uniform() * 1e7;
}

static double
draw_exponential(void)
{
    return 2e3 - 1e6 * log(uniform());
}

static double
draw_bimodal(void)
{
    return uniform() < 0.95 ? 1e5 * (1 + uniform()) : 5e9 * (1 + uniform());
}

static double
draw_wide(void)
{
    return 1000 * pow(3.6e9, uniform());
}

static int
compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

    return (x > y) - (x < y);
}

static struct histogram
make(uint32_t sub)
{
    struct histogram h;
    uint64_t *counts = calloc(histogram_buckets(sub), sizeof(*counts));

    if (counts == NULL)
        abort();
    histogram_init(&h, sub, counts);
    return h;
}

/* The largest relative error over many percentiles. */
static double
worst_error(const struct histogram *h, const int64_t *sorted, size_t n)
{
    double worst = 0;

    for (int i = 1; i <= 1000; i++) {
        double p = i / 1000.0;
        size_t rank = ((size_t) i * n + 999) / 1000;
        double exact = (double) sorted[rank - 1];
        double error =
            fabs((double) histogram_percentile(h, p) - exact) / exact;

        if (error > worst)
            worst = error;
    }
    return worst;
}

static void
test_distribution(const char *name, double (*draw)(void))
{
    struct histogram fine = make(HISTOGRAM_SUB_OPS);
    struct histogram coarse = make(HISTOGRAM_SUB_STAGES);
    int64_t *values = malloc(VALUES * sizeof(*values));
    double sum = 0, error;

    if (values == NULL)
        abort();
    for (size_t i = 0; i < VALUES; i++) {
        values[i] = (int64_t) draw();
        sum += (double) values[i];
        histogram_add(&fine, values[i]);
        histogram_add(&coarse, values[i]);
    }
    qsort(values, VALUES, sizeof(*values), compare);
    error = worst_error(&fine, values, VALUES);
    ok(error <= 0.001, "%s, 512 per octave: error %.5f %%", name, error * 100);
    error = worst_error(&coarse, values, VALUES);
    ok(error <= 0.01, "%s, 64 per octave: error %.5f %%", name, error * 100);
    is_int(fine.min_ns, values[0], "%s: exact minimum", name);
    is_int(fine.max_ns, values[VALUES - 1], "%s: exact maximum", name);
    is_int(histogram_percentile(&fine, 1), values[VALUES - 1],
           "%s: p100 is the maximum", name);
    ok(histogram_mean(&fine) == sum / VALUES, "%s: exact mean", name);
    free(fine.counts);
    free(coarse.counts);
    free(values);
}

/* Every bucket edge: the value, its neighbours, and the promised error. */
static void
test_edges(uint32_t sub, double limit)
{
    struct histogram h = make(sub);
    double worst = 0;

    for (int64_t octave = 1; octave < INT64_C(1) << 42; octave *= 2) {
        for (int64_t v = octave - 2; v <= octave + 2; v++) {
            double error;

            if (v < HISTOGRAM_MIN_NS || v > HISTOGRAM_MAX_NS)
                continue;
            histogram_reset(&h);
            /* Neighbours on both sides, so that no end is clamped. */
            histogram_add(&h, v - v / 8);
            histogram_add(&h, v);
            histogram_add(&h, v + v / 8);
            error =
                fabs((double) (histogram_percentile(&h, 0.5) - v)) / (double) v;
            if (error > worst)
                worst = error;
        }
    }
    ok(worst > 0 && worst <= limit, "edges, %u per octave: error %.5f %%", sub,
       worst * 100);
    free(h.counts);
}

static void
test_merge(void)
{
    struct histogram all = make(HISTOGRAM_SUB_OPS);
    struct histogram parts[3] = {make(HISTOGRAM_SUB_OPS),
                                 make(HISTOGRAM_SUB_OPS),
                                 make(HISTOGRAM_SUB_OPS)};
    struct histogram merged = make(HISTOGRAM_SUB_OPS);

    for (int i = 0; i < VALUES; i++) {
        int64_t v = i % 100 == 0   ? i
                    : i % 100 == 1 ? HISTOGRAM_MAX_NS + i
                                   : (int64_t) draw_wide();

        histogram_add(&all, v);
        histogram_add(&parts[i % 2], v);
    }
    for (int i = 0; i < 3; i++)
        histogram_merge(&merged, &parts[i]);
    ok(memcmp(all.counts, merged.counts, all.buckets * sizeof(*all.counts)) ==
           0,
       "merged counts are those of one histogram");
    is_int((int64_t) merged.count, VALUES, "merged count");
    ok(merged.below == all.below && merged.below > 0, "merged below");
    ok(merged.above == all.above && merged.above > 0, "merged above");
    ok(merged.sum_ns == all.sum_ns, "merged sum");
    ok(merged.min_ns == all.min_ns && merged.max_ns == all.max_ns,
       "merged minimum and maximum");
    is_int(histogram_percentile(&merged, 0.99),
           histogram_percentile(&all, 0.99), "merged p99");
    free(all.counts);
    free(merged.counts);
    for (int i = 0; i < 3; i++)
        free(parts[i].counts);
}

static void
test_bounds(void)
{
    struct histogram h = make(HISTOGRAM_SUB_OPS);

    is_int(histogram_percentile(&h, 0.5), -1, "empty: no percentile");
    ok(isnan(histogram_mean(&h)), "empty: no mean");
    ok(h.min_ns == INT64_MAX && h.max_ns == -1, "empty: no extremes");

    histogram_add(&h, -5);
    is_int(h.min_ns, 0, "a negative value counts as 0");
    histogram_add(&h, HISTOGRAM_MIN_NS - 1);
    is_int((int64_t) h.below, 2, "999 ns is below");
    histogram_add(&h, HISTOGRAM_MIN_NS);
    is_int((int64_t) h.below, 2, "1000 ns is not");
    histogram_add(&h, HISTOGRAM_MAX_NS);
    is_int((int64_t) h.above, 0, "one hour is not above");
    histogram_add(&h, HISTOGRAM_MAX_NS + 1);
    histogram_add(&h, INT64_MAX);
    is_int((int64_t) h.above, 2, "one hour and a nanosecond is");
    is_int((int64_t) h.count, 6, "all are counted");
    is_int(histogram_percentile(&h, 0.1), 0, "the first rank is exact");
    is_int(histogram_percentile(&h, 0.5), HISTOGRAM_MIN_NS, "p50 in range");
    is_int(histogram_percentile(&h, 5 / 6.0), INT64_MAX,
           "a rank above the range gives the maximum");
    is_int(histogram_percentile(&h, 1), INT64_MAX, "the last rank is exact");

    histogram_reset(&h);
    is_int(histogram_percentile(&h, 0.5), -1, "empty again after a reset");
    histogram_add(&h, 123456789);
    is_int(histogram_percentile(&h, 0.001), 123456789, "one value, low p");
    is_int(histogram_percentile(&h, 0.999), 123456789, "one value, high p");
    free(h.counts);
}

static void
test_ranks(void)
{
    struct histogram h = make(HISTOGRAM_SUB_OPS);

    /* Values far enough apart to tell ranks from their buckets. */
    for (int i = 1; i <= 100; i++)
        histogram_add(&h, INT64_C(1000000) * i);
    for (int i = 2; i < 100; i++) {
        double got = (double) histogram_percentile(&h, i / 100.0);

        if (fabs(got / 1e6 - i) > 0.001 * i)
            ok(false, "p%d of 1..100 is %g", i, got / 1e6);
    }
    is_int(histogram_percentile(&h, 0.991), 100000000, "rank 99.1 is 100");
    ok(histogram_percentile(&h, 0.5) < 50100000, "rank 50 is the 50th");
    ok(histogram_percentile(&h, 0.501) > 50900000, "rank 50.1 is the 51st");
    free(h.counts);
}

static void
test_supports(void)
{
    static const struct {
        uint64_t n;
        double p;
        enum histogram_support want;
    } cases[] = {
        {0, 0.5, SUPPORT_NONE},       {1, 0.5, SUPPORT_NONE},
        {2, 0.5, SUPPORT_FEW},        {19, 0.5, SUPPORT_FEW},
        {20, 0.5, SUPPORT_FULL},      {9, 0.9, SUPPORT_NONE},
        {10, 0.9, SUPPORT_FEW},       {99, 0.9, SUPPORT_FEW},
        {100, 0.9, SUPPORT_FULL},     {99, 0.99, SUPPORT_NONE},
        {100, 0.99, SUPPORT_FEW},     {999, 0.99, SUPPORT_FEW},
        {1000, 0.99, SUPPORT_FULL},   {999, 0.999, SUPPORT_NONE},
        {1000, 0.999, SUPPORT_FEW},   {9999, 0.999, SUPPORT_FEW},
        {10000, 0.999, SUPPORT_FULL},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        is_int(histogram_supports(cases[i].n, cases[i].p), cases[i].want,
               "p%g of %" PRIu64, cases[i].p * 100, cases[i].n);
}

int
main(void)
{
    test_distribution("uniform", draw_uniform);
    test_distribution("exponential", draw_exponential);
    test_distribution("bimodal", draw_bimodal);
    test_distribution("all the range", draw_wide);
    test_edges(HISTOGRAM_SUB_OPS, 0.001);
    test_edges(HISTOGRAM_SUB_STAGES, 0.01);
    test_merge();
    test_bounds();
    test_ranks();
    test_supports();
    return done_testing();
}
