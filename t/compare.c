/* SPDX-License-Identifier: MIT */
/* Verdicts over cells, and how often they are wrong. */
#include "config.h"

#include "compare.h"

#include "nights.h"
#include "tap.h"

#define RUNS 200
#define ALPHA 0.05

static struct compare_settings
settings(const char *first, const char *second)
{
    struct compare_settings s = {.metrics = {compare_find_metric(first)},
                                 .metric_count = 1,
                                 .alpha = ALPHA,
                                 .threshold = log(1.05)};

    if (second != NULL)
        s.metrics[s.metric_count++] = compare_find_metric(second);
    return s;
}

/* Add VALUE of the first metric in the cell of SIZE. */
static void
add(struct compare *c, enum stats_side side, uint32_t run, uint64_t repeat,
    uint64_t size, double value)
{
    struct compare_sample sample = {.cell = {.size = size, .concurrency = 1},
                                    .side = side,
                                    .run = run,
                                    .repeat = repeat,
                                    .marks = 1u << run,
                                    .values = {{.value = value}}};

    compare_add(c, &sample);
}

static void
test_names(void)
{
    size_t i = 0;

    ok(compare_find_metric("p99_us") != NULL &&
           !compare_find_metric("p99_us")->more_is_better &&
           compare_find_metric("ops_per_s")->more_is_better,
       "metrics and which way is better");
    ok(compare_find_metric("min_us") == NULL && compare_find_metric("") == NULL,
       "others are none");
    while (compare_metric_name(i) != NULL)
        i++;
    ok(i > 8 && compare_metric_name(i + 1) == NULL, "their names");
}

/* Five runs of one cell a side, B by FACTOR more. */
static enum compare_verdict
verdict_of(const char *metric, double factor)
{
    static const double scatter[] = {1, 1.01, 0.99, 1.005, 0.995};
    struct compare_settings s = settings(metric, NULL);
    enum compare_verdict verdict;
    struct compare c;

    compare_init(&c, &s);
    for (uint32_t run = 0; run < 5; run++) {
        add(&c, STATS_A, run, 1, 4096, 100 * scatter[run]);
        add(&c, STATS_B, run, 1, 4096, 100 * scatter[run] * factor);
    }
    compare_judge(&c);
    verdict = c.row_count == 1 && c.unit == COMPARE_RUNS ? c.rows->verdict
                                                         : COMPARE_UNKNOWN;
    compare_clear(&c);
    return verdict;
}

static void
test_directions(void)
{
    ok(verdict_of("p50_us", 1.2) == COMPARE_WORSE, "longer is worse");
    ok(verdict_of("p50_us", 0.8) == COMPARE_BETTER, "shorter is better");
    ok(verdict_of("ops_per_s", 1.2) == COMPARE_BETTER, "more is better");
    ok(verdict_of("ops_per_s", 0.8) == COMPARE_WORSE, "less is worse");
    ok(verdict_of("ops_per_s", 1.01) == COMPARE_SAME, "1 %% is the same");
}

static void
test_units(void)
{
    struct compare_settings s = settings("p50_us", NULL);
    struct compare c;

    compare_init(&c, &s);
    for (uint64_t repeat = 1; repeat <= 3; repeat++) {
        add(&c, STATS_A, 0, repeat, 1, 10);
        add(&c, STATS_B, 0, 1, 1, 10); /* the same number each time */
    }
    compare_judge(&c);
    ok(c.unit == COMPARE_REPEATS && c.rows->d.n[0] == 3 && c.rows->d.n[1] == 3,
       "one run a side: its repeats, also without numbers");
    add(&c, STATS_B, 1, 1, 1, 40);
    compare_judge(&c);
    ok(c.unit == COMPARE_RUNS && c.rows->d.n[0] == 1 && c.rows->d.n[1] == 2,
       "more runs: they are the evidence");
    ok(fabs(c.rows->value[1] - 20) < 1e-9, "geometric mean of both");
    ok(fabs(c.rows->d.change - log(2)) < 1e-9, "repeats weigh nothing more");
    compare_clear(&c);
    compare_clear(&c);
    ok(compare_judge(&c) == 0 && c.row_count == 0, "nothing at all");
    compare_clear(&c);
}

static void
test_cells(void)
{
    struct compare_settings s = settings("p50_us", "ops_per_s");
    struct compare_sample other = {.cell = {.phase = 1, .concurrency = 2},
                                   .side = STATS_B,
                                   .values = {{.value = 5}}};
    struct compare_sample rate = {.cell = {.size = 1, .concurrency = 1},
                                  .values = {{.value = NAN}, {.value = 7}}};
    struct compare c;

    compare_init(&c, &s);
    compare_add(&c, &rate);
    for (uint32_t run = 0; run < 3; run++) {
        for (uint64_t size = 3; size > 0; size--) {
            add(&c, STATS_A, run, 1, size, 10 + run);
            if (size < 3)
                add(&c, STATS_B, run, 1, size, 10 + run);
        }
        other.run = run;
        compare_add(&c, &other);
    }
    compare_judge(&c);
    ok(c.rows[2].marks[STATS_A] == 7 && c.rows[2].marks[STATS_B] == 7,
       "marks of all runs");
    ok(c.cells == 2 && c.only[0] == 1 && c.only[1] == 1,
       "cells of both sides, and of one alone");
    ok(c.row_count == 6 && c.rows[0].cells == 2 && c.rows[0].metric == 0 &&
           c.rows[1].cells == 2 && c.rows[1].metric == 1 &&
           c.rows[2].cell.size == 1 && c.rows[3].cell.size == 1 &&
           c.rows[4].cell.size == 2,
       "wholes come first, then cells with their metrics");
    ok(c.rows[3].verdict == COMPARE_UNKNOWN && isnan(c.rows[3].d.change),
       "a metric that one side lacks has no verdict");
    ok(compare_count(&c, false, COMPARE_UNKNOWN) >= 2, "and is counted");
    compare_clear(&c);
    add(&c, STATS_A, 0, 1, 1, 5);
    add(&c, STATS_B, 0, 1, 1, 5);
    compare_judge(&c);
    ok(c.row_count == 1, "one that both lack has no row");
    compare_clear(&c);
}

/* What is at least 90, and was 60 to 62. */
static void
test_at_least(void)
{
    static const struct {
        double a, b;
        bool a_bound, b_bound;
        enum compare_verdict verdict;
    } table[] = {
        {60, 90, false, true, COMPARE_WORSE},
        {60, 90, true, false, COMPARE_UNKNOWN},
        {90, 60, false, true, COMPARE_UNKNOWN},
        {90, 60, true, false, COMPARE_BETTER},
        {60, 90, true, true, COMPARE_UNKNOWN},
        {60, 60, false, true, COMPARE_UNKNOWN},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct compare_settings s = settings("p99_us", NULL);
        struct compare c;

        compare_init(&c, &s);
        for (uint32_t run = 0; run < 6; run++) {
            struct compare_sample sample = {
                .run = run,
                .values = {{.value = table[i].a + run % 3,
                            .at_least = table[i].a_bound}}};

            compare_add(&c, &sample);
            sample.side = STATS_B;
            sample.values[0].value = table[i].b + run % 3;
            sample.values[0].at_least = table[i].b_bound && run == 3;
            compare_add(&c, &sample);
        }
        compare_judge(&c);
        is_int(c.rows->verdict, table[i].verdict, "%s%g against %s%g",
               table[i].a_bound ? ">" : "", table[i].a,
               table[i].b_bound ? ">" : "", table[i].b);
        compare_clear(&c);
    }
}

static void
test_blocks(void)
{
    struct compare_settings s = settings("p50_us", NULL);
    struct compare_sample a = {.values = {{100, false, 0.01, 20}}};
    struct compare_sample b = {.side = STATS_B,
                               .values = {{120, false, 0.01, 20}}};
    struct compare c;

    compare_init(&c, &s);
    compare_add(&c, &a);
    compare_add(&c, &b);
    compare_judge(&c);
    ok(c.unit == COMPARE_BLOCKS && c.rows->verdict == COMPARE_WORSE,
       "one run a side, with blocks");
    compare_clear(&c);
    b.values[0].df = 0;
    compare_add(&c, &a);
    compare_add(&c, &b);
    compare_judge(&c);
    ok(c.unit == COMPARE_REPEATS && c.rows->verdict == COMPARE_UNKNOWN &&
           fabs(c.rows->d.change - log(1.2)) < 1e-12,
       "without them there is a change, and no verdict");
    compare_clear(&c);
}

static void
test_targets(void)
{
    struct compare_settings s = settings("p50_us", NULL);
    struct compare_sample one = {.cell = {.target = 1},
                                 .values = {{.value = 1}}};
    struct compare c;

    compare_init(&c, &s);
    compare_add(&c, &one);
    one.side = STATS_B;
    one.cell.target = 2;
    compare_add(&c, &one);
    compare_judge(&c);
    ok(c.cells == 0 && c.only[0] == 1 && c.only[1] == 1,
       "targets tell cells apart");
    compare_join_targets(&c);
    compare_judge(&c);
    ok(c.cells == 1 && c.only[0] == 0, "or do not");
    compare_clear(&c);
}

/* --- promises, on simulated nights: bench/compare-truth has more --- */

static void
check_promise(const char *what, const struct nights *n)
{
    double most = ALPHA + 3 * sqrt(ALPHA * (1 - ALPHA) / RUNS);
    struct nights_count count;
    int err = nights_simulate(&count, n, 0, RUNS, 2026);

    ok(err == 0 && count.alarms <= most && count.whole <= most,
       "equal sides are called worse as seldom as promised: %s", what);
    printf(
        "# worse somewhere %.1f %%, a phase %.1f %%, a cell called %.1f %%\n",
        100 * count.alarms, 100 * count.whole, 100 * count.wrong);
    ok(count.wrong <= most, "so are cells: %s", what);
}

static void
test_promises(void)
{
    struct nights n = {.cells = 12,
                       .nights = {5, 5},
                       .repeats = 3,
                       .night = 0.03,
                       .cell = 0.02,
                       .repeat = 0.03,
                       .repeat_memory = 0.5};
    struct nights_count count;

    check_promise("5 nights against 5", &n);
    n.uneven = 1;
    check_promise("cells of unlike noise", &n);
    n.uneven = 0;
    n.nights[0] = 7;
    n.nights[1] = 1;
    check_promise("7 against 1", &n);
    n.nights[0] = n.nights[1] = 5;
    n.slow_cells = n.cells;
    n.slower = log(1.05);
    nights_simulate(&count, &n, 0, RUNS, 2026);
    ok(count.whole > 0.4, "5 %% slower: a phase is found more often than not");
    printf("# %.0f %%\n", 100 * count.whole);
    n.slower = log(1.2);
    nights_simulate(&count, &n, log(1.05), RUNS, 2026);
    ok(count.whole > 0.99 && count.found > 0.95, "20 %% slower: found");
    printf("# phase %.0f %%, cells %.0f %%\n", 100 * count.whole,
           100 * count.found);
    n.slow_cells = 3;
    nights_simulate(&count, &n, 0, RUNS, 2026);
    ok(count.found > 0.9 && count.false_share < ALPHA + 0.05,
       "in a quarter of the cells, too, and hardly in others");
    printf("# cells %.0f %%, %.1f %% of those called are wrong\n",
           100 * count.found, 100 * count.false_share);
}

int
main(void)
{
    test_names();
    test_directions();
    test_units();
    test_cells();
    test_at_least();
    test_blocks();
    test_targets();
    test_promises();
    return done_testing();
}
