/* SPDX-License-Identifier: MIT */
/* Ranges are what was asked for, and within their object. */
#include "config.h"

#include "offsets.h"

#include "chi-square.h"
#include "tap.h"

static void
test_parse(void)
{
    struct offsets o = {.length = 77};

    ok(offsets_parse(&o, "0", NULL) != NULL &&
           offsets_parse(&o, "4x", NULL) != NULL &&
           offsets_parse(&o, "4Ki", "4x") != NULL &&
           offsets_parse(&o, "4Ki", "") != NULL &&
           offsets_parse(&o, "random", "aligned") != NULL &&
           offsets_parse(&o, "2", "18446744073709551614") != NULL,
       "what is no range is refused");
    is_int((int64_t) o.length, 77, "nothing was changed");
}

static void
test_forms(void)
{
    struct offsets o;

    ok(offsets_parse(&o, "4Ki", NULL) == NULL && o.form == OFFSETS_RANDOM &&
           o.length == 4096 && offsets_need(&o) == 4096,
       "at a random offset");
    ok(offsets_parse(&o, "4Ki", "aligned") == NULL &&
           o.form == OFFSETS_ALIGNED && offsets_need(&o) == 4096,
       "at an aligned one");
    ok(offsets_parse(&o, "4Ki", "sequential") == NULL &&
           o.form == OFFSETS_SEQUENTIAL && offsets_need(&o) == 1,
       "one after another");
    ok(offsets_parse(&o, "4Ki", "1Ki") == NULL && o.form == OFFSETS_FIXED &&
           offsets_need(&o) == 5120,
       "at a given one");
    ok(offsets_parse(&o, "random", "random") == NULL && o.length == 0 &&
           offsets_need(&o) == 1,
       "any range");
}

static void
test_random(void)
{
    struct offsets o = {.length = 3};
    uint64_t counts[8] = {0};
    struct range r;

    for (uint64_t turn = 0; turn < 80000; turn++) {
        offsets_choose(&r, &o, 1, turn, 10);
        counts[r.length == 3 && r.offset < 8 ? r.offset : 0]++;
    }
    ok(chi_square_fits(counts, NULL, 8), "each offset, the last included");
    offsets_choose(&r, &o, 1, 5, 3);
    ok(r.offset == 0 && r.length == 3, "the whole object");
}

static void
test_aligned(void)
{
    struct offsets o = {.length = 4, .form = OFFSETS_ALIGNED};
    uint64_t counts[3] = {0};
    bool aligned = true;
    struct range r;

    for (uint64_t turn = 0; turn < 30000; turn++) {
        offsets_choose(&r, &o, 1, turn, 15);
        aligned &= r.offset % 4 == 0 && r.offset < 12 && r.length == 4;
        counts[r.offset / 4 % 3]++;
    }
    ok(aligned, "multiples, whole ranges");
    ok(chi_square_fits(counts, NULL, 3), "all are as likely");
}

static void
test_any(void)
{
    struct offsets o = {.length = 0};
    uint64_t counts[6] = {0};
    /* 0-0, 0-1, 0-2, 1-1, 1-2, 2-2 of three bytes */
    static const double shares[6] = {1, 2, 2, 1, 2, 1};
    struct range r;

    for (uint64_t turn = 0; turn < 60000; turn++) {
        offsets_choose(&r, &o, 1, turn, 3);
        counts[(r.offset == 0 ? 0 : r.offset == 1 ? 3 : 5) + r.length - 1]++;
    }
    ok(chi_square_fits(counts, shares, 6), "any range of three bytes");
    offsets_choose(&r, &o, 1, 7, 1);
    ok(r.offset == 0 && r.length == 1, "of one byte, that one");
}

static void
test_sequential(void)
{
    struct offsets o = {.length = 4, .form = OFFSETS_SEQUENTIAL};
    struct range r;

    offsets_choose(&r, &o, 1, 5, 10);
    ok(r.offset == 0 && r.length == 4, "from the start");
    ok(offsets_advance(&r, &o, 10) && r.offset == 4 && r.length == 4, "on");
    ok(offsets_advance(&r, &o, 10) && r.offset == 8 && r.length == 2,
       "to the last, shorter one");
    ok(!offsets_advance(&r, &o, 10), "then the object ends");
    offsets_choose(&r, &o, 1, 5, 3);
    ok(r.offset == 0 && r.length == 3 && !offsets_advance(&r, &o, 3),
       "a small object is one range");
    o = (struct offsets){.length = 4, .form = OFFSETS_FIXED, .at = 6};
    offsets_choose(&r, &o, 1, 5, 10);
    ok(r.offset == 6 && r.length == 4, "a given offset");
}

int
main(void)
{
    test_parse();
    test_forms();
    test_random();
    test_aligned();
    test_any();
    test_sequential();
    return done_testing();
}
