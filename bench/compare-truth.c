/* SPDX-License-Identifier: MIT */
/*
 * Does a comparison keep its promises? Simulated nights whose truth is
 * known, many times over: the tables of doc/comparing.md.
 * usage: bench/compare-truth [RUNS [SEED]]
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "../t/nights.h"

#define LEVEL 0.05

/* A service as nightly sweeps see it: nights differ by 3 %, a cell in a
 * night by 2 % more, each of its repeats by 3 % more, and a repeat is half
 * like the one before. */
static const struct nights nightly = {.cells = 25,
                                      .nights = {5, 5},
                                      .repeats = 3,
                                      .night = 0.03,
                                      .cell = 0.02,
                                      .repeat = 0.03,
                                      .repeat_memory = 0.5};

struct scenario {
    const char *name;
    struct nights nights;
};

static struct scenario
scenario(const char *name, size_t a, size_t b)
{
    struct scenario s = {name, nightly};

    s.nights.nights[0] = a;
    s.nights.nights[1] = b;
    return s;
}

static int
print_equals(const struct scenario *s, size_t runs, uint64_t seed)
{
    struct nights_count bare, five;

    if (nights_simulate(&bare, &s->nights, 0, runs, seed) != 0 ||
        nights_simulate(&five, &s->nights, log(1.05), runs, seed) != 0)
        return 1;
    printf("| %s | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.0f %% |\n",
           s->name, 100 * bare.alarms, 100 * bare.whole, 100 * bare.wrong,
           100 * five.alarms, 100 * five.same);
    fflush(stdout);
    return 0;
}

static int
print_all_equals(size_t runs, uint64_t seed)
{
    struct scenario list[] = {
        scenario("5 nights against 5", 5, 5),
        scenario("7 against 1", 7, 1),
        scenario("3 against 3", 3, 3),
        scenario("2 against 2", 2, 2),
        scenario("5 against 5, one cell", 5, 5),
        scenario("5 against 5, 275 cells", 5, 5),
        scenario("5 against 5, cells of unlike noise", 5, 5),
        scenario("5 against 5, nights are alike", 5, 5),
        scenario("5 against 5, nights alone differ", 5, 5),
        scenario("5 against 5, heavy tails", 5, 5),
        scenario("7 against 1, heavy tails (*)", 7, 1),
        scenario("5 against 5, nights remember (*)", 5, 5),
        scenario("5 repeats against 5 of one night", 5, 5),
        scenario("5 repeats against 5 of another night (*)", 5, 5),
    };

    list[4].nights.cells = 1;
    list[5].nights.cells = 275;
    list[6].nights.uneven = 1;
    list[7].nights.night = 0;
    list[8].nights.cell = list[8].nights.repeat = 0.0001;
    list[9].nights.tails = list[10].nights.tails = true;
    list[11].nights.night_memory = 0.3;
    list[12].nights.one_night = list[13].nights.one_night = true;
    list[12].nights.repeat_memory = list[13].nights.repeat_memory = 0;
    list[12].nights.night = list[12].nights.cell = 0;
    printf("Equal sides, %zu pairs each; at most %.1f %% is as promised.\n\n",
           runs, 100 * (LEVEL + 3 * sqrt(LEVEL * (1 - LEVEL) / (double) runs)));
    printf("| sides | worse somewhere | a phase worse | a cell called | worse "
           "at 5 %% | same at 5 %% |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (print_equals(&list[i], runs, seed) != 0)
            return 1;
    return 0;
}

/* All cells slower, then a fifth of them. */
static int
print_slower(const struct scenario *s, double slower, size_t runs,
             uint64_t seed)
{
    struct nights n = s->nights;
    struct nights_count all, fifth;

    n.slower = log(slower);
    n.slow_cells = n.cells;
    if (nights_simulate(&all, &n, 0, runs, seed) != 0)
        return 1;
    n.slow_cells = n.cells / 5;
    if (nights_simulate(&fifth, &n, 0, runs, seed) != 0)
        return 1;
    printf("| %s | %.0f %% | %.0f %% | %.0f %% | %.0f %% | %.0f %% | %.0f %% "
           "|\n",
           s->name, 100 * (slower - 1), 100 * all.whole, 100 * all.found,
           100 * fifth.alarms, 100 * fifth.found, 100 * fifth.false_share);
    fflush(stdout);
    return 0;
}

static int
print_power(size_t runs, uint64_t seed)
{
    static const double slower[] = {1.05, 1.10, 1.20};
    struct scenario list[] = {
        scenario("5 nights against 5", 5, 5), scenario("7 against 1", 7, 1),
        scenario("3 against 3", 3, 3), scenario("10 against 10", 10, 10)};

    printf("\n| sides | slower by | all: phase found | all: cells found | a "
           "fifth: noticed | a fifth: cells found | of those called, wrong "
           "|\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (size_t k = 0; k < sizeof slower / sizeof *slower; k++)
            if (print_slower(&list[i], slower[k], runs, seed) != 0)
                return 1;
    return 0;
}

int
main(int argc, char **argv)
{
    size_t runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

    if (runs == 0) {
        fputs("usage: compare-truth [RUNS [SEED]]\n", stderr);
        return 2;
    }
    return print_all_equals(runs, seed) || print_power(runs, seed);
}
