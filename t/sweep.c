/* SPDX-License-Identifier: MIT */
/* The plan of a sweep: axes, volumes, limits, order, prices. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "clock.h"
#include "sweep.h"
#include "tap.h"

static const char *const one[] = {"a"}, *const two[] = {"a", "b"};

/* VALUES as they were read, "1 2 4". */
static const char *
axis_text(const char *text, bool bytes)
{
    static char out[4096];
    struct sweep_axis axis;
    const char *where, *wrong;
    size_t len, n = 0;

    wrong = sweep_parse_axis(&axis, text, bytes, &where, &len);
    if (wrong != NULL) {
        snprintf(out, sizeof out, "'%.*s' %s", (int) len, where, wrong);
        return out;
    }
    out[0] = '\0';
    for (size_t i = 0; i < axis.count; i++)
        n += (size_t) snprintf(out + n, sizeof out - n, "%s%" PRIu64,
                               i > 0 ? " " : "", axis.values[i]);
    return out;
}

static void
test_axes(void)
{
    static const struct {
        const char *text, *want;
        bool bytes;
    } cases[] = {
        {"1..16", "1 2 4 8 16", false},
        {"2^0..2^4", "1 2 4 8 16", false},
        {"10^0..10^3", "1 10 100 1000", false},
        {"1..4096*8", "1 8 64 512 4096", false},
        {"2^0..2^8*4", "1 4 16 64 256", false},
        {"7..7", "7", false},
        {"16,1,4,1..4", "1 2 4 16", false},
        {"64Ki,0,1.5Ki,2^10", "0 1024 1536 65536", true},
        {"4Ki..16Ki", "4096 8192 16384", true},
        {"5368709120", "5368709120", true},
        {"1,x", "'x' it is no number", false},
        {"1,4x", "'4x' it is no size", true},
        {"", "'' it is no size", true},
        {"1,", "'' it is no number", false},
        {"1..10", "'1..10' its factors miss its end", false},
        {"8..4", "'8..4' it ends before it begins", false},
        {"0..4", "'0..4' a range of factors cannot begin with 0", true},
        {"1..8*1", "'1..8*1' a factor is at least 2", false},
        {"1..8*x", "'1..8*x' bad factor", false},
        {"1..", "'1..' it is no range", false},
        {"..8", "'..8' it is no range", false},
        {"1...8", "'1...8' it is no range", false},
        {"2^64", "'2^64' it is no number", false},
        {"1^3", "'1^3' it is no number", false},
        {"2^", "'2^' it is no number", false},
        {"-1", "'-1' it is no number", false},
        {"0", "'0' it is at least 1", false},
        {"65537", "'65537' it is more than 65536", false},
        {"5368709121", "'5368709121' a single put takes at most 5 GiB", true},
        {"1..18446744073709551615",
         "'1..18446744073709551615' its factors "
         "miss its end",
         false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        is_str(axis_text(cases[i].text, cases[i].bytes), cases[i].want,
               "axis '%s'", cases[i].text);
    is_str(strstr(axis_text("2^0..2^24", true), " 4194304"),
           " 4194304 8388608 16777216", "to 16 MiB");
}

static void
test_phases(void)
{
    uint32_t phases;
    const char *where;
    size_t len;

    ok(sweep_parse_phases(&phases, "download,upload", &where, &len) &&
           phases == (SWEEP_BIT(SWEEP_UPLOAD) | SWEEP_BIT(SWEEP_DOWNLOAD)),
       "phases are a set");
    ok(!sweep_parse_phases(&phases, "upload,fetch,list", &where, &len) &&
           len == 5 && strncmp(where, "fetch", 5) == 0,
       "an unknown phase is named");
    ok(!sweep_parse_phases(&phases, "list,list", &where, &len) && len == 4,
       "a phase comes once");
    ok(!sweep_parse_phases(&phases, "", &where, &len), "none is no list");
}

static struct sweep
small(void)
{
    struct sweep s = {.targets = one,
                      .target_count = 1,
                      .phases = SWEEP_OBJECTS & ~SWEEP_BIT(SWEEP_HEAD) &
                                ~SWEEP_BIT(SWEEP_RANGE),
                      .repeats = 1,
                      .cell_ops = 100,
                      .cell_ns = CLOCK_NS_PER_S,
                      .seed = 7};

    s.sizes = (struct sweep_axis){{1000, 2000, 4000}, 3};
    s.lanes = (struct sweep_axis){{1, 8}, 2};
    return s;
}

/* The only cell of S. */
static struct sweep_cell
only_cell(struct sweep s)
{
    struct sweep_plan plan;
    struct sweep_cell c = {0};

    if (sweep_plan_make(&plan, &s) == 0 && plan.count == 1)
        c = plan.cells[0];
    sweep_plan_clear(&plan);
    return c;
}

static void
test_volume(void)
{
    struct sweep s = small();
    struct sweep_cell c;

    s.sizes.count = s.lanes.count = 1;
    c = only_cell(s);
    is_int((int64_t) c.volume.puts, 100, "puts");
    is_int((int64_t) c.volume.gets, 100, "gets");
    is_int((int64_t) c.volume.deletes, 100, "deletes");
    is_int((int64_t) c.volume.lists, 101, "listings, and one beside them");
    is_int((int64_t) c.volume.up_bytes, 100000, "bytes up");
    ok(c.volume.down_bytes > 100000, "bytes down, and listings");
    is_int((int64_t) c.volume.alive_bytes, 100000, "bytes stored");
    ok(c.volume.most_ns >= 4 * CLOCK_NS_PER_S &&
           c.volume.likely_ns < CLOCK_NS_PER_S,
       "time");
    s.phases = SWEEP_BIT(SWEEP_RANGE);
    s.range = 10;
    c = only_cell(s);
    ok(c.volume.gets == 100 &&
           c.volume.down_bytes - c.volume.lists * 100 * 400 == 1000,
       "ranges of objects");
    s.range = 5000;
    c = only_cell(s);
    ok(c.volume.down_bytes - c.volume.lists * 100 * 400 == 100000,
       "not more than the objects");
    s.phases = SWEEP_BIT(SWEEP_DOWNLOAD);
    c = only_cell(s);
    ok(c.volume.puts == 100 && c.volume.deletes == 100,
       "what is read is made and taken away all the same");
    s.phases = SWEEP_BUCKETS;
    s.bucket_ops = 5;
    c = only_cell(s);
    ok(c.volume.puts == 5 && c.volume.deletes == 5 && c.volume.gets == 5 &&
           c.lanes == 1 && c.size == 0,
       "buckets: free, created, removed");
}

static void
test_ops(void)
{
    struct sweep s = small();

    s.sizes.count = s.lanes.count = 1;
    s.cell_ops = 0;
    is_int((int64_t) only_cell(s).ops, 1000, "enough for percentiles");
    s.lanes.values[0] = 1024;
    is_int((int64_t) only_cell(s).ops, 20480, "enough for each lane");
    s.cell_ops = 10;
    is_int((int64_t) only_cell(s).ops, 1024, "one for each lane at least");
    s.cell_ops = 0;
    s.cell_bytes = 5000000;
    is_int((int64_t) only_cell(s).ops, 5000, "as many as the bytes allow");
    s.sizes.values[0] = SWEEP_PUT_MAX;
    is_int((int64_t) only_cell(s).ops, 1024, "but one for each lane");
    s.sizes.values[0] = 0;
    is_int((int64_t) only_cell(s).ops, 20480, "nothing weighs nothing");
}

/* By which limit the cell of S is skipped. */
static const char *
skipped_by(struct sweep s, struct sweep_limits limits)
{
    s.sizes.count = s.lanes.count = 1;
    s.limits = limits;
    return sweep_skip_names[only_cell(s).skip];
}

static void
test_limits(void)
{
    struct sweep s = small();

    is_str(skipped_by(s, (struct sweep_limits){0}), "-", "no limit");
    is_str(skipped_by(s, (struct sweep_limits){.alive = 99999}), "max-alive",
           "too much stored");
    is_str(skipped_by(s, (struct sweep_limits){.alive = 100000}), "-",
           "just enough");
    is_str(skipped_by(s, (struct sweep_limits){.bytes = 199999}), "max-bytes",
           "too many bytes");
    is_str(skipped_by(s, (struct sweep_limits){.requests = 400}),
           "max-requests", "too many requests");
    is_str(skipped_by(s, (struct sweep_limits){.requests = 401}), "-",
           "just enough");
    is_str(skipped_by(s, (struct sweep_limits){.time_ns = CLOCK_NS_PER_S}),
           "max-time", "too long");
    s.sizes.values[0] = SWEEP_PUT_MAX;
    s.lanes.values[0] = SWEEP_LANES_MAX;
    s.cell_ops = SWEEP_OBJECTS_MAX;
    is_str(skipped_by(s, (struct sweep_limits){.bytes = UINT64_C(10) << 60}),
           "-", "the largest numbers");
    is_str(skipped_by(s, (struct sweep_limits){.bytes = UINT64_C(9) << 60}),
           "max-bytes", "do not wrap");
}

/* A cell as a number: which one it is, whatever its place. */
static uint64_t
code(const struct sweep_cell *c)
{
    return c->size * 1000000 + c->lanes * 1000 + c->repeat * 10 + c->target;
}

static int
by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Whether all of the plan's cells differ and there are COUNT. */
static bool
are_all(const struct sweep_plan *plan, size_t count)
{
    uint64_t *codes = calloc(plan->count + 1, sizeof *codes);
    bool good = codes != NULL && plan->count == count;

    for (size_t i = 0; codes != NULL && i < plan->count; i++)
        codes[i] = code(&plan->cells[i]);
    if (codes != NULL)
        qsort(codes, plan->count, sizeof *codes, by_value);
    for (size_t i = 1; good && i < plan->count; i++)
        good = codes[i] != codes[i - 1];
    free(codes);
    return good;
}

static void
test_order(void)
{
    struct sweep s = small();
    struct sweep_plan plan, again, other;
    size_t same = 0, differ = 0, pairs = 0, first_a = 0;

    s.repeats = 10;
    s.targets = two;
    s.target_count = 2;
    is_int(sweep_plan_make(&plan, &s), 0, "a plan");
    ok(are_all(&plan, 120), "each cell once");
    for (size_t i = 0; i < plan.count; i++)
        same += plan.cells[i].repeat == i / 12 + 1;
    is_int((int64_t) same, 120, "repeats are interleaved: one after the other");
    for (size_t i = 0; i < plan.count; i += 2) {
        pairs += plan.cells[i].size == plan.cells[i + 1].size &&
                 plan.cells[i].lanes == plan.cells[i + 1].lanes &&
                 plan.cells[i].target != plan.cells[i + 1].target;
        first_a += plan.cells[i].target == 0;
    }
    is_int((int64_t) pairs, 60, "targets take turns, cell by cell");
    ok(first_a > 15 && first_a < 45, "either may be first");
    is_int(sweep_plan_make(&again, &s), 0, "the same again");
    for (size_t i = 0; i < plan.count; i++)
        differ += code(&plan.cells[i]) != code(&again.cells[i]);
    is_int((int64_t) differ, 0, "the seed decides");
    s.seed = 8;
    is_int(sweep_plan_make(&other, &s), 0, "another seed");
    for (size_t i = 0; i < plan.count; i++)
        differ += code(&plan.cells[i]) != code(&other.cells[i]);
    ok(differ > 60, "another order");
    sweep_plan_clear(&again);
    s.ordered = true;
    sweep_plan_make(&again, &s);
    ok(are_all(&again, 120) && code(&again.cells[0]) == 1000001010 &&
           code(&again.cells[1]) == 1000001011 &&
           code(&again.cells[2]) == 1000008010 &&
           code(&again.cells[119]) == 4000008101,
       "or as listed");
    sweep_plan_clear(&plan);
    sweep_plan_clear(&again);
    sweep_plan_clear(&other);
    sweep_plan_clear(&other);
}

static void
test_cold(void)
{
    struct sweep s = small();
    struct sweep_plan plan;
    size_t writes = 0;

    s.cold = true;
    sweep_plan_make(&plan, &s);
    is_int((int64_t) plan.count, 12, "two passes");
    for (size_t i = 0; i < 6; i++)
        writes += plan.cells[i].first && !plan.cells[i].last &&
                  plan.cells[i].phases == SWEEP_BIT(SWEEP_UPLOAD) &&
                  plan.cells[i].volume.gets == 0;
    is_int((int64_t) writes, 6, "first the uploads");
    for (size_t i = 6; i < 12; i++)
        writes += plan.cells[i].last && !plan.cells[i].first &&
                  plan.cells[i].volume.puts == 0 &&
                  (plan.cells[i].phases & SWEEP_BIT(SWEEP_ERASE)) != 0;
    is_int((int64_t) writes, 12, "then the rest");
    is_int((int64_t) plan.total.alive_bytes, 1400000, "all stored at a time");
    sweep_plan_clear(&plan);
    s.limits.alive = 800000;
    sweep_plan_make(&plan, &s);
    ok(plan.total.alive_bytes <= 800000 && plan.skipped[SWEEP_OVER_ALIVE] > 0 &&
           plan.skipped[SWEEP_RUNS] + plan.skipped[SWEEP_OVER_ALIVE] == 6,
       "the limit is for the sum");
    sweep_plan_clear(&plan);
}

static void
test_too_many(void)
{
    struct sweep s = small();
    struct sweep_plan plan;

    s.repeats = 200000;
    is_int(sweep_plan_make(&plan, &s), E2BIG, "more than a million cells");
    sweep_plan_clear(&plan);
}

/* "LINE: what is wrong", or the currency. */
static const char *
prices_text(struct prices *p, const char *text)
{
    static char out[200], in[400];
    unsigned number;
    const char *wrong;

    snprintf(in, sizeof in, "%s", text);
    wrong = prices_parse(p, in, strlen(in), &number);
    if (wrong == NULL)
        return p->currency;
    snprintf(out, sizeof out, "%u: %s", number, wrong);
    return out;
}

static void
test_prices(void)
{
    struct prices p;
    struct sweep_volume v = {.puts = 2000,
                             .gets = 10000,
                             .lists = 1000,
                             .deletes = 5000,
                             .up_bytes = 1 << 30,
                             .down_bytes = UINT64_C(10) << 30};
    double money;

    is_str(prices_text(&p, "# a list\ncurrency\tUSD\nput-1000 0.005\n"
                           "list-1000 0.005 # as put\n\nget-1000 0.0004\n"
                           "download-gib 0.09"),
           "USD", "a file of prices");
    money = sweep_money(&v, &p);
    ok(fabs(money - (0.01 + 0.005 + 0.004 + 0.9)) < 1e-9, "adds up");
    is_str(prices_text(&p, "put-1000"), "1: it is a name and a number",
           "no number");
    is_str(prices_text(&p, "\nput-1000 -1"), "2: bad number", "below 0");
    is_str(prices_text(&p, "put-1000 0x1"), "1: bad number", "hexadecimal");
    is_str(prices_text(&p, "put-1000 1.2.3"), "1: bad number", "two points");
    is_str(prices_text(&p, "put 1"), "1: no such price", "unknown");
    is_str(prices_text(&p, "put-1000 1 2"),
           "1: there is something behind the number", "too much");
    is_str(prices_text(&p, "currency Ducatsandfourteen"),
           "1: the currency is too long", "a long name");
}

int
main(void)
{
    test_axes();
    test_phases();
    test_volume();
    test_ops();
    test_limits();
    test_order();
    test_cold();
    test_too_many();
    test_prices();
    return done_testing();
}
