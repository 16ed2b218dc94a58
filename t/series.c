/* SPDX-License-Identifier: MIT */
/* Series: intervals stay bounded, add up, and do not mind the order. */
#include "config.h"

#include "series.h"

#include <math.h>
#include <stdlib.h>

#include "random.h"
#include "tap.h"

#define MS INT64_C(1000000)

static void
test_counts(void)
{
    struct series s;
    int64_t begin, end;

    series_init(&s, 1000 * MS, 100, true);
    ok(series_add(&s, 2500 * MS, 5 * MS, true, 100, 110) == 0 &&
           series_add(&s, 2999 * MS, 5 * MS, false, 0, 7) == 0 &&
           series_add(&s, 5000 * MS, 7 * MS, true, 1, 1) == 0 &&
           series_add(&s, -1, 7 * MS, true, 1, 1) == 0,
       "four records");
    is_int((int64_t) series_at(&s, 2)->ops, 1, "an operation");
    is_int((int64_t) series_at(&s, 2)->errors, 1, "an error");
    is_int((int64_t) series_at(&s, 2)->good_bytes, 100, "good bytes");
    is_int((int64_t) series_at(&s, 2)->wire_bytes, 117, "wire bytes");
    is_int((int64_t) series_at(&s, 5)->ops, 1, "on the border: the later");
    is_int((int64_t) series_at(&s, -1)->ops, 1, "before the beginning");
    is_int((int64_t) series_at(&s, 4)->ops, 0, "nothing between them");
    is_int((int64_t) series_at(&s, 1000)->ops, 0, "nor far away");
    series_inside(&s, &begin, &end, 1, 5999 * MS);
    is_int(begin, 1, "the first whole interval");
    is_int(end, 5, "behind the last whole one");
    series_inside(&s, &begin, &end, 2000 * MS, 3000 * MS);
    is_int(begin, 2, "borders count as inside");
    is_int(end, 3, "on both sides");
    series_inside(&s, &begin, &end, 2100 * MS, 2200 * MS);
    is_int(end, begin, "no whole interval");
    series_clear(&s);
    series_clear(&s);
}

static void
test_percentiles(void)
{
    for (int64_t value = 600; value < 3000000 * MS; value *= 3) {
        struct series s;
        double below, above;
        int64_t p;

        series_init(&s, MS, 10, true);
        for (int i = 0; i < 10; i++)
            if (series_add(&s, 0, value, true, 0, 0) != 0)
                return;
        p = series_percentile(series_at(&s, 0), 0.5);
        below =
            series_up_to(series_at(&s, 0), (int64_t) (0.98 * (double) value));
        above =
            series_up_to(series_at(&s, 0), (int64_t) (1.02 * (double) value));
        ok(fabs((double) (p - value)) <= 0.008 * (double) value && below == 0 &&
               above == 10,
           "%" PRId64 " ns reads %" PRId64 ", %g below, %g up to above", value,
           p, below, above);
        series_clear(&s);
    }
}

static bool
same(const struct series *a, const struct series *b)
{
    if (a->width_ns != b->width_ns)
        return false;
    for (int64_t i = -2; i < 200; i++) {
        const struct series_row *x = series_at(a, i), *y = series_at(b, i);

        if (x->ops != y->ops || x->errors != y->errors ||
            x->good_bytes != y->good_bytes || x->wire_bytes != y->wire_bytes ||
            series_percentile(x, 0.5) != series_percentile(y, 0.5) ||
            series_percentile(x, 0.99) != series_percentile(y, 0.99))
            return false;
    }
    return true;
}

struct event {
    int64_t at_ns, ns;
};

static int
add(struct series *s, const struct event *e)
{
    return series_add(s, e->at_ns, e->ns, e->ns % 5 > 0, 10, 11);
}

/* Forwards, backwards and in parts: the same intervals, which had to become
 * wider on the way. */
static void
test_order(void)
{
    enum { N = 3000 };
    static struct event events[N];
    struct series forward, backward, parts[2], sum;
    uint64_t state = 5;
    bool good = true;

    for (size_t i = 0; i < N; i++)
        events[i] =
            (struct event){(int64_t) random_below(&state, 100000) * MS / 10,
                           (int64_t) random_below(&state, 50 * MS)};
    events[N / 2].at_ns = -MS / 2;
    series_init(&forward, MS, 64, true);
    series_init(&backward, MS, 64, true);
    series_init(&sum, MS, 64, true);
    for (int k = 0; k < 2; k++)
        series_init(&parts[k], MS, 64, true);
    for (size_t i = 0; i < N; i++) {
        good = add(&forward, &events[i]) == 0 && good;
        good = add(&backward, &events[N - 1 - i]) == 0 && good;
        good =
            add(&parts[events[i].at_ns > 1000 * MS], &events[i]) == 0 && good;
    }
    good = series_merge(&sum, &parts[0]) == 0 && good;
    good = series_merge(&sum, &parts[1]) == 0 && good;
    ok(good, "%d events", N);
    ok(forward.count <= 64, "%zu intervals", forward.count);
    ok(forward.width_ns > MS, "of %" PRId64 " ns", forward.width_ns);
    ok(same(&forward, &backward), "backwards is the same");
    ok(same(&forward, &sum), "parts are the same");
    series_clear(&forward);
    series_clear(&backward);
    series_clear(&sum);
    for (int k = 0; k < 2; k++)
        series_clear(&parts[k]);
}

/* Times from a hostile file. */
static void
test_extremes(void)
{
    const int64_t far = INT64_C(1000000000000000000);
    struct series s;

    series_init(&s, MS, 64, true);
    ok(series_add(&s, far, INT64_MAX, true, 1, 1) == 0 &&
           series_add(&s, -far, 0, true, 1, 1) == 0,
       "31 years before and after");
    ok(s.count <= 64, "%zu intervals", s.count);
    series_clear(&s);
}

/* In flight against brute force, while intervals become wider. */
static void
test_flight(void)
{
    enum { N = 400 };
    static int64_t begins[N], ends[N];
    uint64_t state = 9;
    double mean[64];
    struct series s;
    bool good = true;

    series_init(&s, MS, 64, false);
    for (size_t i = 0; i < N; i++) {
        begins[i] = (int64_t) random_below(&state, (1 + i) * 5 * MS) - 20 * MS;
        ends[i] = begins[i] + (int64_t) random_below(&state, 300 * MS);
        good = series_add_flight(&s, begins[i], ends[i]) == 0 && good;
    }
    ok(good && s.width_ns > 16 * MS,
       "%d operations, intervals of %" PRId64 " ns", N, s.width_ns);
    series_flight(&s, mean);
    for (size_t k = 0; k < s.count; k++) {
        int64_t from = (s.first + (int64_t) k) * s.width_ns;
        int64_t to = from + s.width_ns;
        double want = 0;

        for (size_t i = 0; i < N; i++) {
            int64_t begin = begins[i] > from ? begins[i] : from;
            int64_t end = ends[i] < to ? ends[i] : to;

            want += end > begin ? (double) (end - begin) : 0;
        }
        want /= (double) s.width_ns;
        ok(fabs(mean[k] - want) < 1e-6, "row %zu: %.6f of %.6f", k, mean[k],
           want);
    }
    series_clear(&s);
}

int
main(void)
{
    test_counts();
    test_flight();
    test_percentiles();
    test_order();
    test_extremes();
    return done_testing();
}
