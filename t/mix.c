/* SPDX-License-Identifier: MIT */
/* Shares are exact, whatever is possible when. */
#include "config.h"

#include "mix.h"

#include <math.h>

#include "random.h"
#include "tap.h"

#define ALL ((1u << MIX_KINDS) - 1)

static void
test_parse(void)
{
    static const char *const bad[] = {
        "",
        "get",
        "get=",
        "=1",
        "get=1,",
        "get=1,get=2",
        "fetch=1",
        "get=x",
        "get=-1",
        "get=0",
        "get=0,rm=0",
        "get=1,put=2/s",
        "get=1.5",
        "get=0/s",
        "get=1/h",
        "get=2000000000/s",
        "get=1000000001",
        "get = 1",
        "get=1;put=1",
    };
    struct mix m = {.rate_per_s = 77};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(mix_parse(&m, bad[i]) != NULL, "'%s' is none", bad[i]);
    ok(m.rate_per_s == 77, "nothing was changed");
    ok(mix_parse(&m, "get=45,head=30,put=15,rm=10,ls=0") == NULL, "shares");
    is_int(m.weights[MIX_GET], 9, "are reduced");
    is_int(mix_sum(&m), 20, "all of them");
    ok(m.rate_per_s == 0 && mix_share(&m, MIX_RM) == 0.1, "they are no rates");
    ok(mix_parse(&m, "get=200/s,put=20/s,rm=30/m") == NULL, "rates");
    ok(m.rate_per_s == 220.5, "add up");
    is_int(m.weights[MIX_GET], 400, "and are shares, too");
    is_int(m.weights[MIX_RM], 1, "also per minute");
    ok(mix_parse(&m, "get=7.123457/s,put=1000000000/s") == NULL,
       "rates far apart");
    ok(mix_sum(&m) < INT64_C(10000000000), "have weights that do not overflow");
    ok(mix_parse(&m, "get-range=1,cp=0") == NULL &&
           m.weights[MIX_GET_RANGE] == 1,
       "a kind with a dash");
    is_str(mix_name(MIX_GET_RANGE), "get-range", "its name");
}

/* After each of N operations, each kind has had its share but for less than
 * one. */
static double
worst_of(const struct mix *m, int n)
{
    int64_t dealt[MIX_KINDS] = {0};
    struct mix_dealer d;
    double worst = 0;

    mix_begin(&d, m, 0);
    for (int i = 1; i <= n; i++) {
        dealt[mix_deal(&d, m, ALL)]++;
        for (int kind = 0; kind < MIX_KINDS; kind++)
            worst = fmax(worst, fabs((double) dealt[kind] -
                                     i * mix_share(m, (enum mix_kind) kind)));
    }
    return worst;
}

static void
test_shares(void)
{
    uint64_t state = 1;
    double worst = 0;
    struct mix m;

    mix_parse(&m, "get=45,head=30,put=15,rm=10");
    ok(worst_of(&m, 1000) < 1, "warp's mix");
    for (int round = 0; round < 300; round++) {
        m = (struct mix){.rate_per_s = 0};
        for (int kind = 0; kind < MIX_KINDS; kind++)
            m.weights[kind] = (int64_t) random_below(&state, 60);
        m.weights[round % MIX_KINDS] = 1 + (round % 5) * 1000;
        worst = fmax(worst, worst_of(&m, 3000));
    }
    ok(worst < 1, "any mix is off by less than one operation: %g", worst);
}

/* A kind that is not possible for a while catches up. */
static void
test_possible(void)
{
    int64_t dealt[MIX_KINDS] = {0};
    struct mix_dealer d;
    struct mix m;
    bool kept = true;

    mix_parse(&m, "get=50,put=30,rm=20");
    mix_begin(&d, &m, 0);
    for (int i = 0; i < 1000; i++) {
        enum mix_kind kind =
            mix_deal(&d, &m, i < 400 ? ALL & ~(1u << MIX_RM) : ALL);

        kept &= i >= 400 || kind != MIX_RM;
        dealt[kind]++;
    }
    ok(kept, "what is not possible is not dealt");
    is_int(dealt[MIX_RM], 200, "and has its share in the end");
    is_int(dealt[MIX_GET], 500, "as have the others");
    ok(mix_deal(&d, &m, 1u << MIX_LS) == MIX_NONE, "nothing is possible");
    ok(mix_deal(&d, &m, 1u << MIX_PUT) == MIX_PUT, "one thing is");
}

/* Three processes that share 100 operations deal what one would. */
static void
test_processes(void)
{
    int64_t dealt[MIX_KINDS] = {0};
    struct mix_dealer d;
    struct mix m;
    uint64_t first = 0;

    mix_parse(&m, "get=45,head=30,put=15,rm=10");
    for (int i = 0; i < 3; i++) {
        uint64_t own = 33 + (i == 0);

        mix_begin(&d, &m, first);
        for (uint64_t k = 0; k < own; k++)
            dealt[mix_deal(&d, &m, ALL)]++;
        first += own;
    }
    is_int(dealt[MIX_GET], 45, "gets of three processes");
    is_int(dealt[MIX_HEAD], 30, "heads");
    is_int(dealt[MIX_PUT], 15, "puts");
    is_int(dealt[MIX_RM], 10, "removals");
    mix_begin(&d, &m, UINT64_MAX);
    ok(mix_deal(&d, &m, ALL) != MIX_NONE, "any number may come before");
}

int
main(void)
{
    test_parse();
    test_shares();
    test_possible();
    test_processes();
    return done_testing();
}
