/* SPDX-License-Identifier: MIT */
/* Intervals count what fell into them, and stay bounded. */
#include "config.h"

#include "interval.h"

#include <math.h>
#include <stdlib.h>

#include "tap.h"

#define MS INT64_C(1000000)

static void
test_counts(void)
{
    struct interval_table t;

    if (interval_init(&t, 1000 * MS) != 0)
        return;
    interval_begin(&t, 5000 * MS);
    interval_take_up(&t, 5500 * MS);
    interval_wire(&t, 5900 * MS, 10);
    interval_wire(&t, 6100 * MS, 30);
    interval_finish(&t, 7500 * MS, 2000 * MS, true, 40);
    is_int(t.count, 3, "three intervals");
    is_int((int64_t) t.rows[0].wire_bytes, 10, "wire bytes where they crossed");
    is_int((int64_t) t.rows[1].wire_bytes, 30, "not smeared");
    is_int((int64_t) t.rows[2].good_bytes, 40, "good bytes where it ended");
    ok(fabs(t.rows[0].flight_ns - 500.0 * MS) < 1, "half of the first");
    ok(fabs(t.rows[1].flight_ns - 1000.0 * MS) < 1, "all of the second");
    ok(fabs(t.rows[2].flight_ns - 500.0 * MS) < 1, "half of the third");
    interval_finish(&t, 7600 * MS, 1 * MS, false, 0);
    is_int((int64_t) t.rows[2].errors, 1, "an error");
    is_int((int64_t) t.rows[2].ops, 1, "is no operation");
    interval_clear(&t);
}

/* Within 3.2 % of the exact percentile, from 1 us to minutes. */
static void
test_percentiles(void)
{
    for (int64_t value = 1000; value < 300000 * MS; value *= 7) {
        struct interval row = {0};
        struct interval_table t;
        int64_t p;

        if (interval_init(&t, MS) != 0)
            return;
        interval_begin(&t, 0);
        interval_take_up(&t, 0);
        interval_finish(&t, 0, value, true, 0);
        row = t.rows[0];
        p = interval_percentile(&row, 0.5);
        ok(fabs((double) (p - value)) <= 0.032 * (double) value,
           "%" PRId64 " ns reads %" PRId64, value, p);
        interval_clear(&t);
    }
}

static void
test_bounded(void)
{
    struct interval_table t;
    uint64_t ops = 0;
    double flight = 0;

    if (interval_init(&t, 1000 * MS) != 0)
        return;
    interval_begin(&t, 0);
    for (int64_t i = 0; i < 10 * (int64_t) INTERVAL_MAX; i++) {
        interval_take_up(&t, i * 1000 * MS);
        interval_finish(&t, i * 1000 * MS + 500 * MS, 500 * MS, true, 1);
    }
    ok(t.count <= INTERVAL_MAX, "a long run keeps %u intervals", t.count);
    for (uint32_t i = 0; i < t.count; i++) {
        ops += t.rows[i].ops;
        flight += t.rows[i].flight_ns;
    }
    is_int((int64_t) ops, 10 * (int64_t) INTERVAL_MAX, "and loses nothing");
    ok(fabs(flight - 10.0 * INTERVAL_MAX * 500 * MS) < 1e3,
       "nor time in flight");
    is_int((int64_t) t.ops, (int64_t) ops, "the running total agrees");
    interval_clear(&t);
}

static void
test_merge(void)
{
    struct interval_table a, b;

    if (interval_init(&a, 1000 * MS) != 0 || interval_init(&b, 1000 * MS) != 0)
        return;
    interval_begin(&a, 0);
    interval_begin(&b, 0);
    interval_wire(&a, 1500 * MS, 3);
    interval_wire(&b, 1600 * MS, 4);
    /* This one needs wider intervals. */
    interval_wire(&b, INTERVAL_MAX * 1000 * MS + 1, 5);
    interval_merge(&a, &b);
    is_int(a.width_ns, 2000 * MS, "the wider width wins");
    is_int((int64_t) a.rows[0].wire_bytes, 7, "sums are exact");
    is_int((int64_t) a.rows[a.count - 1].wire_bytes, 5, "to the last one");
    interval_clear(&a);
    interval_clear(&b);
}

static void
test_last(void)
{
    struct interval_table t;
    struct interval last;
    int64_t width;

    if (interval_init(&t, 1000 * MS) != 0)
        return;
    interval_begin(&t, 0);
    interval_wire(&t, 100 * MS, 1);
    ok(!interval_last(&t, 900 * MS, &last, &width), "none is over yet");
    ok(interval_last(&t, 1100 * MS, &last, &width), "the first is over");
    is_int((int64_t) last.wire_bytes, 1, "and is what it was");
    interval_clear(&t);
}

int
main(void)
{
    test_counts();
    test_percentiles();
    test_bounded();
    test_merge();
    test_last();
    return done_testing();
}
