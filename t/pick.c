/* SPDX-License-Identifier: MIT */
/* Objects are visited in the order that was asked for. */
#include "config.h"

#include "pick.h"

#include <math.h>

#include "chi-square.h"
#include "tap.h"

#define TURNS 200000

static void
test_parse(void)
{
    static const char *const bad[] = {"",        "zipf",    "zipf:",  "zipf:x",
                                      "zipf:-1", "zipf:21", "Shuffle"};
    struct pick p = {.form = PICK_SHUFFLE};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(!pick_parse(&p, bad[i]), "'%s' is none", bad[i]);
    ok(p.form == PICK_SHUFFLE, "nothing was changed");
    ok(pick_parse(&p, "sequential") && p.form == PICK_SEQUENTIAL, "sequential");
    ok(pick_parse(&p, "shuffle") && p.form == PICK_SHUFFLE, "shuffle");
    ok(pick_parse(&p, "uniform") && p.form == PICK_UNIFORM, "uniform");
    ok(pick_parse(&p, "zipf:0.99") && p.form == PICK_ZIPF && p.skew == 0.99,
       "zipf");
    ok(pick_parse(&p, "zipf:0") && p.form == PICK_UNIFORM,
       "without skew it is uniform");
}

static void
test_sequential(void)
{
    struct pick p = {.form = PICK_SEQUENTIAL};

    pick_init(&p, 3, 1);
    ok(pick_at(&p, 0) == 0 && pick_at(&p, 2) == 2 && pick_at(&p, 3) == 0 &&
           pick_at(&p, 7) == 1,
       "one after another, and again");
}

/* Each object once a round, in an order of its own. */
static void
test_shuffle(void)
{
    struct pick p = {.form = PICK_SHUFFLE};
    unsigned seen[97] = {0};
    unsigned same = 0;
    bool once = true;

    pick_init(&p, 97, 1);
    for (uint64_t turn = 0; turn < UINT64_C(97) * 50; turn++) {
        seen[pick_at(&p, turn)]++;
        if (turn % 97 == 96)
            for (size_t i = 0; i < 97; i++)
                once &= seen[i] == turn / 97 + 1;
        same += turn >= 97 && pick_at(&p, turn) == pick_at(&p, turn - 97);
    }
    ok(once, "each object once a round");
    ok(same < 49 * 3, "rounds have orders of their own");
}

static void
test_uniform(void)
{
    struct pick p = {.form = PICK_UNIFORM};
    uint64_t counts[50] = {0};
    bool other = false;

    pick_init(&p, 50, 1);
    for (uint64_t turn = 0; turn < TURNS; turn++)
        counts[pick_at(&p, turn)]++;
    ok(chi_square_fits(counts, NULL, 50), "all are as likely");
    for (uint64_t turn = 0; turn < 10; turn++) {
        struct pick q = {.form = PICK_UNIFORM};

        pick_init(&q, 50, 2);
        other |= pick_at(&p, turn) != pick_at(&q, turn);
    }
    ok(other, "the seed decides");
}

/* The k-th most popular of COUNT has its share, for the first CELLS; the
 * others have the rest. */
static void
check_zipf(double skew, uint64_t count, size_t cells)
{
    struct pick p = {.form = PICK_ZIPF, .skew = skew};
    uint64_t counts[64] = {0};
    double shares[64] = {0};
    bool inside = true;

    pick_init(&p, count, 1);
    for (uint64_t k = 1; k <= count; k++)
        shares[k <= cells ? k - 1 : cells] += pow((double) k, -skew);
    for (uint64_t turn = 0; turn < TURNS; turn++) {
        uint64_t object = pick_at(&p, turn);
        size_t cell = cells;

        inside &= object < count;
        for (size_t k = 0; k < cells; k++)
            if (permutation_at(&p.popular, k) == object)
                cell = k;
        counts[cell]++;
    }
    ok(inside, "zipf:%g of %d: none is outside", skew, (int) count);
    ok(chi_square_fits(counts, shares, cells < count ? cells + 1 : cells),
       "each has its share");
}

static void
test_zipf(void)
{
    struct pick p = {.form = PICK_ZIPF, .skew = 1.1};
    uint64_t sum = 0;

    check_zipf(0.5, 10, 10);
    check_zipf(0.99, 1000, 40);
    check_zipf(1, 1000, 40);
    check_zipf(1.2, 100000, 40);
    check_zipf(3, 5, 5);
    check_zipf(0.0001, 20, 20);
    check_zipf(1.0000000001, 20, 20);
    pick_init(&p, 1, 1);
    for (uint64_t turn = 0; turn < 100; turn++)
        sum += pick_at(&p, turn);
    is_int((int64_t) sum, 0, "of one object, that one");
    p.skew = 20;
    pick_init(&p, UINT64_C(1) << 40, 1);
    for (uint64_t turn = 0; turn < 100; turn++)
        sum += pick_at(&p, turn) == permutation_at(&p.popular, 0);
    ok(sum > 95, "much skew: nearly always the same one");
    p.skew = 0.2;
    pick_init(&p, UINT64_C(1) << 50, 1);
    for (uint64_t turn = 0; turn < 1000; turn++)
        sum |= pick_at(&p, turn) >= UINT64_C(1) << 50;
    ok(sum < 200, "2^50 objects need no memory");
}

int
main(void)
{
    test_parse();
    test_sequential();
    test_shuffle();
    test_uniform();
    test_zipf();
    return done_testing();
}
