/* SPDX-License-Identifier: MIT */
/* Arrivals keep their rate, over a virtual day if need be. */
#include "config.h"

#include "pace.h"

#include <math.h>

#include "tap.h"

#define S INT64_C(1000000000)

static void
test_constant(void)
{
    struct pace p;
    int64_t last = 0;
    bool even = true;

    pace_init(&p, PACE_CONSTANT, 3, 0, 1, 1, 100);
    is_int(pace_take(&p), 100, "the first arrival is at the start");
    is_int(pace_take(&p), 100 + S / 3, "the second a gap later");
    pace_init(&p, PACE_CONSTANT, 1000, 0, 1, 1, 0);
    for (int i = 0; i < 86400 * 100; i++) {
        int64_t due = pace_take(&p);

        even &= i == 0 || due - last == S / 1000;
        last = due;
    }
    ok(even, "millions of arrivals are evenly apart");
    is_int(last, (INT64_C(8640000) - 1) * (S / 1000), "with no drift");
}

static void
test_parts(void)
{
    struct pace whole, parts[3];
    bool same = true;

    pace_init(&whole, PACE_CONSTANT, 7, 0, 1, 1, 5);
    for (uint32_t i = 0; i < 3; i++)
        pace_init(&parts[i], PACE_CONSTANT, 7, i, 3, 1, 5);
    for (int i = 0; i < 300; i++)
        same &= pace_take(&whole) == pace_take(&parts[i % 3]);
    ok(same, "three threads in turn make one even stream");
}

static void
test_backlog(void)
{
    struct pace p;

    pace_init(&p, PACE_CONSTANT, 10, 0, 1, 1, 0);
    is_int((int64_t) pace_backlog(&p, 0), 1, "one is due at once");
    is_int((int64_t) pace_backlog(&p, S), 11, "eleven within a second");
    pace_take(&p);
    pace_take(&p);
    is_int((int64_t) pace_backlog(&p, S), 9, "less what was taken");
    is_int(p.due_ns, S / 5, "looking ahead moves nothing");
    pace_init(&p, PACE_POISSON, 10, 0, 1, 1, 0);
    {
        struct pace copy = p;
        uint64_t n = 0;

        while (copy.due_ns <= 100 * S) {
            pace_take(&copy);
            n++;
        }
        is_int((int64_t) pace_backlog(&p, 100 * S), (int64_t) n,
               "Poisson arrivals are counted as they will come");
    }
}

/* Looking ahead, again and again, while arrivals are taken. */
static void
test_backlog_goes_on(void)
{
    struct pace p, alone;
    bool right = true;

    pace_init(&p, PACE_POISSON, 1000, 1, 3, 9, 50);
    alone = p;
    for (int64_t t = 0; t < 200; t++) {
        /* Now and then back in time, and arrivals overtake the look. */
        int64_t until_ns = t % 7 == 6 ? (t - 5) * S / 20 : t * S / 20;
        struct pace count = alone;
        int64_t n = 0;

        for (; count.due_ns <= until_ns; n++)
            pace_take(&count);
        right &= (int64_t) pace_backlog(&p, until_ns) == n;
        for (int k = 0; k < (t % 40 == 0 ? 700 : 10); k++)
            right &= pace_take(&p) == pace_take(&alone);
    }
    ok(right, "each look sees what will come, and disturbs nothing");
    pace_backlog(&p, 1000 * S);
    p.ahead.number += 5; /* seen only if the next look goes on from there */
    is_int((int64_t) (pace_backlog(&p, 1000 * S) + p.next.number),
           (int64_t) p.ahead.number, "and the next one goes on from there");
}

/* Mean, spread and independence of Poisson gaps. */
static void
test_poisson(void)
{
    enum { N = 200000 };
    struct pace p;
    double sum = 0, squares = 0, product = 0, previous = 0;
    int64_t last = 0;

    pace_init(&p, PACE_POISSON, 1000, 0, 1, 42, 0);
    for (int i = 0; i < N; i++) {
        int64_t due = pace_take(&p);
        double gap = (double) (due - last) / 1e6 - 1; /* mean 1 ms */

        last = due;
        sum += gap;
        squares += gap * gap;
        product += gap * previous;
        previous = gap;
    }
    /* Five standard errors: 1 / sqrt(N) of the mean, and so on. */
    ok(fabs(sum / N) < 5 / sqrt(N), "the mean gap is that of the rate");
    ok(fabs(squares / N - 1) < 5 * sqrt(8.0 / N), "gaps are exponential");
    ok(fabs(product / N) < 5 / sqrt(N), "and independent of each other");
}

static void
test_seed(void)
{
    struct pace a, b, c;

    pace_init(&a, PACE_POISSON, 5, 0, 1, 7, 0);
    pace_init(&b, PACE_POISSON, 5, 0, 1, 7, 0);
    pace_init(&c, PACE_POISSON, 5, 0, 1, 8, 0);
    pace_take(&a);
    pace_take(&b);
    pace_take(&c);
    is_int(pace_take(&a), pace_take(&b), "a seed repeats itself");
    ok(a.due_ns != c.due_ns, "another does not");
}

int
main(void)
{
    enum pace_arrivals arrivals = PACE_POISSON;

    test_constant();
    test_parts();
    test_backlog();
    test_backlog_goes_on();
    test_poisson();
    test_seed();
    ok(pace_parse_arrivals(&arrivals, "constant") && arrivals == PACE_CONSTANT,
       "constant is read");
    ok(!pace_parse_arrivals(&arrivals, "uniform"), "uniform is not");
    return done_testing();
}
