/* SPDX-License-Identifier: MIT */
/* Which part of a run counts, and that the books balance. */
#include "config.h"

#include "window.h"

#include <math.h>

#include "tap.h"

static void
test_whole(void)
{
    struct window w;

    window_init(&w, WINDOW_WHOLE, 100, 0, 0, 4);
    ok(window_has_start(&w, 100) && window_has_end(&w, INT64_MAX - 1),
       "a counted run counts whole");
}

static void
test_steady(void)
{
    struct window w;

    window_init(&w, WINDOW_STEADY, 0, 0, 1000, 3);
    window_lane_finished(&w, 10);
    window_lane_finished(&w, 20);
    ok(!window_has_end(&w, 25), "closed while a lane has finished nothing");
    window_lane_finished(&w, 30);
    is_int(window_open_ns(&w), 30, "opens with the last lane's first end");
    ok(!window_has_start(&w, 29) && window_has_start(&w, 30), "from there");
    ok(window_has_end(&w, 1000) && !window_has_end(&w, 1001),
       "until the deadline");
    ok(!window_has_start(&w, 1000), "when nothing may start");
}

static void
test_warmup(void)
{
    struct window w;

    window_init(&w, WINDOW_STEADY, 0, 500, 1000, 1);
    window_lane_finished(&w, 10);
    is_int(window_open_ns(&w), 500, "not before the warm-up is over");
    is_int(w.close_ns, 1500, "the duration counts from there");
    window_init(&w, WINDOW_TIMED, 0, 500, 1000, 1);
    is_int(window_open_ns(&w), 500, "an open loop opens then in any case");
}

static void
test_not_steady(void)
{
    struct window w;

    window_init(&w, WINDOW_STEADY, 0, 0, 1000, 2);
    window_lane_finished(&w, 10);
    window_lane_finished(&w, 501);
    is_int(window_open_ns(&w), WINDOW_NEVER,
           "a lane that takes past half time: never");
    window_init(&w, WINDOW_STEADY, 0, 0, 1000, 2);
    window_lane_finished(&w, 10);
    window_lane_finished(&w, 500);
    is_int(window_open_ns(&w), 500, "half time is just in time");
}

/* Operations that overlap the window's edges in every way. */
static void
test_books(void)
{
    static const struct {
        int64_t at, start;
        bool up;
    } events[] = {
        {0, 0, true},       {10, 0, true},   {30, 10, false},
        {40, 0, true},      {120, 0, false}, {150, 0, true},
        {900, 40, false},   {950, 0, true},  {1100, 150, false},
        {1200, 950, false},
    };
    struct window w;
    struct window_books b = {0};

    window_init(&w, WINDOW_STEADY, 0, 0, 1000, 1);
    window_lane_finished(&w, 100);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        if (events[i].up)
            window_take_up(&b, &w, events[i].at);
        else
            window_finish(&b, &w, events[i].start, events[i].at);
    }
    /* 0..120 has 20 inside, 40..900 800, 150..1100 850, 950..1200 50. */
    ok(fabs(b.residence_ns - 1720) < 1e-6, "residence inside: %g",
       b.residence_ns);
    ok(fabs(b.flight_ns - 1720) < 1e-6, "is the integral inside: %g",
       b.flight_ns);
    ok(fabs(b.whole_residence_ns - 2200) < 1e-6, "and the whole: %g",
       b.whole_residence_ns);
    ok(fabs(b.whole_flight_ns - 2200) < 1e-6, "is the whole integral: %g",
       b.whole_flight_ns);
    is_int(b.in_flight, 0, "nothing is left in flight");
}

int
main(void)
{
    test_whole();
    test_steady();
    test_warmup();
    test_not_steady();
    test_books();
    return done_testing();
}
