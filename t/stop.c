/* SPDX-License-Identifier: MIT */
/* When a run may end, and where its warm-up does. */
#include "config.h"

#include "stop.h"

#include <math.h>
#include <stdlib.h>

#include "clock.h"
#include "random.h"
#include "stats_blocks.h"
#include "stats_math.h"
#include "stats_steady.h"
#include "tap.h"

#define WIDTH (100 * CLOCK_NS_PER_MS)

static uint64_t state;

static double
normal(void)
{
    return stats_normal_quantile(((double) (random_next(&state) >> 11) + 0.5) /
                                 9007199254740992);
}

static bool
parses(const char *text)
{
    struct stop_rule rule;

    return stop_parse(&rule, text);
}

static void
test_rules(void)
{
    static const char *const bad[] = {
        "",
        "p50<2%",
        "ci(p50)",
        "ci(p50)<",
        "ci(p50)<0",
        "ci(p50)<100%",
        "ci(p50)<2%%",
        "ci(p50)<2%,",
        "ci(p0)<2%",
        "ci(p100)<2%",
        "ci(p)<2%",
        "ci(mean)<2%",
        "ci(p50>2%",
        "ci)p50(<2%",
        "CI(p50)<2%",
        "ci(p50)<-2%",
        "steady()",
        "steady(5%)",
        "steady(5%,x)",
        "steady(5%,15s)<2",
        "steady(5%,15s) ",
        "ci(p50)<2%,ci(p50)<2%,ci(p50)<2%,ci(p50)<2%,ci(p50)<2%",
        "ci(p5000000000000000000000000000000000000000000000000000000000)<2%"};
    struct stop_rule rule;

    ok(stop_parse(&rule, "ci(p50)<2%") && rule.count == 1 &&
           rule.conditions[0].p == 0.5 &&
           fabs(rule.conditions[0].width - 0.02) < 1e-12 &&
           !rule.conditions[0].steady,
       "the median within 2 %%");
    ok(stop_parse(&rule, "ci(rate)<0.01,ci(p99.9)<5%,steady(7.5%,15s)") &&
           rule.count == 3 && rule.conditions[0].p == 0 &&
           fabs(rule.conditions[1].p - 0.999) < 1e-12 &&
           rule.conditions[2].steady &&
           rule.conditions[2].calm_ns == 15 * CLOCK_NS_PER_S,
       "three of them");
    ok(parses(STOP_AUTOTERM), "warp's");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(!parses(bad[i]), "'%s' is none", bad[i]);
}

/* A thread's run of SECONDS: one lane whose operations take US(t) each. */
static void
run(struct interval_table *t, double seconds, double (*us)(double at))
{
    int64_t now = 0, end = (int64_t) (seconds * 1e9);

    interval_init(t, WIDTH);
    interval_begin(t, 0);
    while (now < end) {
        int64_t service = (int64_t) (us((double) now / 1e9) * 1e3);

        interval_take_up(t, now);
        now += service;
        interval_finish(t, now, service, INTERVAL_OK, 0);
    }
}

static double
steady(double at)
{
    (void) at;
    return 1000 * exp(0.3 * normal());
}

/* Slower and slower. */
static double
drifting(double at)
{
    return 1000 * exp(0.1 * at + 0.3 * normal());
}

/* Cold for four seconds. */
static double
warming(double at)
{
    return (at < 4 ? 3000 : 1000) * exp(0.3 * normal());
}

static bool
stops(struct stop_watch *s, const char *text, double (*us)(double),
      double seconds, double min_s)
{
    struct interval_table t, *tables[] = {&t};
    struct stop_rule rule;
    bool met;

    state = 4;
    run(&t, seconds, us);
    if (!stop_parse(&rule, text) ||
        stop_watch_init(s, &rule, (int64_t) (min_s * 1e9)) != 0)
        return false;
    met = stop_watch_look(s, tables, 1, 0, (int64_t) (seconds * 1e9), false);
    stop_watch_clear(s);
    interval_clear(&t);
    return met;
}

static void
test_intervals(void)
{
    struct stop_watch s;

    ok(stops(&s, "ci(p50)<2%", steady, 5, 0), "a steady run ends");
    printf("# +- %.2f %% after 5 s\n", 100 * s.reached[0]);
    /* The median of 5000 of them: +- 1.96 x 1.2533 x 0.3 / sqrt(5000). */
    ok(s.reached[0] > 0.006 && s.reached[0] < 0.018,
       "half the interval is about what theory says");
    ok(s.after_ns == 5 * CLOCK_NS_PER_S, "when it was looked at");
    ok(stops(&s, "ci(rate)<2%", steady, 5, 0) && s.reached[0] > 0.004,
       "so does its rate");
    printf("# +- %.2f %%\n", 100 * s.reached[0]);
    ok(stops(&s, "ci(p50)<2%,ci(rate)<2%", steady, 5, 0), "both");
    ok(!stops(&s, "ci(p50)<2%,ci(rate)<0.1%", steady, 5, 0) &&
           s.reached[0] < 0.02,
       "but not if one is missed");
    ok(!stops(&s, "ci(p50)<2%", drifting, 20, 0), "a drifting run does not");
    ok(!stops(&s, "ci(p50)<2%", steady, 1.9, 0) && isnan(s.reached[0]),
       "19 stretches are too few");
    ok(!stops(&s, "ci(p99.99)<50%", steady, 5, 0) && isnan(s.reached[0]),
       "a percentile that the sample does not support");
    ok(!stops(&s, "ci(p50)<2%", steady, 5, 6), "not before its least time");
}

static void
test_steady(void)
{
    struct stop_watch s;

    ok(stops(&s, "steady(7.5%,1s)", steady, 20, 0), "calm blocks end a run");
    printf("# within %.1f %%\n", 100 * s.reached[0]);
    ok(!stops(&s, "steady(0.1%,1s)", steady, 20, 0) && s.reached[0] > 0.001,
       "not as calm as that");
    ok(!stops(&s, STOP_AUTOTERM, steady, 20, 0) && isnan(s.reached[0]),
       "7 of 25 blocks must be 15 s: not in 20");
    ok(stops(&s, STOP_AUTOTERM, steady, 54, 0), "but in 54");
    ok(!stops(&s, "steady(7.5%,1s)", drifting, 20, 0), "a drift is not calm");
}

static void
test_looks(void)
{
    struct interval_table t, u, *tables[] = {&t, &u};
    struct stop_rule rule;
    struct stop_watch s;

    state = 4;
    run(&t, 10, steady);
    run(&u, 10, steady);
    stop_parse(&rule, "ci(rate)<0.01%");
    stop_watch_init(&s, &rule, 0);
    stop_watch_look(&s, tables, 2, 0, 5 * CLOCK_NS_PER_S, false);
    ok(s.after_ns == 5 * CLOCK_NS_PER_S && s.seen.ops == 0,
       "it is looked at after 5 s");
    stop_watch_look(&s, tables, 2, 0, 5400 * CLOCK_NS_PER_MS, false);
    ok(s.after_ns == 5 * CLOCK_NS_PER_S, "and then not at once");
    stop_watch_look(&s, tables, 2, 0, 5700 * CLOCK_NS_PER_MS, false);
    ok(s.after_ns == 5700 * CLOCK_NS_PER_MS, "but a tenth later");
    stop_watch_look(&s, tables, 2, CLOCK_NS_PER_S, 5800 * CLOCK_NS_PER_MS,
                    true);
    ok(s.after_ns == 4800 * CLOCK_NS_PER_MS && !s.met,
       "and at the end in any case, since the window opened");
    stop_watch_clear(&s);
    stop_watch_clear(&s);
    interval_clear(&t);
    interval_clear(&u);
}

static void
test_warmup(void)
{
    struct interval_table t;
    int64_t warmup = -1;

    state = 4;
    run(&t, 20, warming);
    ok(stop_find_warmup(&warmup, &t, 0, 20 * CLOCK_NS_PER_S) &&
           warmup > 3900 * CLOCK_NS_PER_MS && warmup < 6500 * CLOCK_NS_PER_MS,
       "four cold seconds are found");
    printf("# %.1f s\n", (double) warmup / 1e9);
    ok(stop_find_warmup(&warmup, &t, 5 * CLOCK_NS_PER_S, 20 * CLOCK_NS_PER_S) &&
           warmup < 2 * CLOCK_NS_PER_S,
       "and nothing much behind them");
    ok(!stop_find_warmup(&warmup, &t, 0, CLOCK_NS_PER_S / 2),
       "a run that is too short");
    interval_clear(&t);
    run(&t, 20, drifting);
    ok(!stop_find_warmup(&warmup, &t, 0, 20 * CLOCK_NS_PER_S),
       "a run that never settles");
    interval_clear(&t);
}

static void
test_series(void)
{
    double values[200];
    size_t cut = 99;

    for (size_t i = 0; i < 200; i++)
        values[i] = i < 30 ? 50 : 100 + (double) (i % 2);
    ok(stats_steady_warmup(&cut, values, 200) && cut == 30,
       "MSER cuts 30 of 200");
    ok(stats_steady_warmup(&cut, values + 160, 40) && cut == 0,
       "nothing to cut");
    ok(!stats_steady_warmup(&cut, values, 39), "39 are too few");
    ok(!stats_steady_warmup(&cut, values, 50), "most of it is the warm-up");
    for (size_t i = 0; i < 25; i++)
        values[i] = i < 18 ? 1000 : 100;
    values[20] = 106;
    ok(fabs(stats_steady_distance(values, 25) - 0.06) < 1e-12,
       "7 of 25 blocks, the farthest of them");
    ok(isnan(stats_steady_distance(values, 24)), "24 are no 25 blocks");
    values[24] = 0;
    ok(isnan(stats_steady_distance(values, 25)), "nothing is near nothing");
}

int
main(void)
{
    test_rules();
    test_intervals();
    test_steady();
    test_looks();
    test_warmup();
    test_series();
    return done_testing();
}
