/* SPDX-License-Identifier: MIT */
/* The generator is the one that it says it is; what is made of it has the
 * right distribution, and the same bits everywhere. */
#include "config.h"

#include "random.h"

#include <math.h>

#include "chi-square.h"
#include "tap.h"

static void
test_next(void)
{
    uint64_t state = 1234567;

    /* First numbers of the published algorithm for this seed. */
    ok(random_next(&state) == UINT64_C(6457827717110365317), "the first");
    ok(random_next(&state) == UINT64_C(3203168211198807973), "the second");
    ok(random_next(&state) == UINT64_C(9817491932198370423), "the third");
    ok(random_at(1234567, 0) == UINT64_C(6457827717110365317) &&
           random_at(1234567, 2) == UINT64_C(9817491932198370423),
       "they can be had by their place");
    ok(random_fork(1, 1) != random_fork(1, 2) &&
           random_fork(1, 1) != random_fork(2, 1),
       "seeds for different uses differ");
}

static void
test_below(void)
{
    uint64_t counts[7] = {0}, state = 1, large = 0;
    bool inside = true;

    for (int i = 0; i < 70000; i++) {
        uint64_t x = random_below(&state, 7);

        inside &= x < 7;
        counts[x % 7]++;
        large += random_below(&state, UINT64_C(3) << 62) >= UINT64_C(1) << 63;
    }
    ok(inside, "no number is too large");
    ok(chi_square_fits(counts, NULL, 7), "all are as likely");
    /* Without drawing again it would be half of them. */
    ok(large > 23333 - 600 && large < 23333 + 600,
       "also below 3/4 of all numbers: %d of 70000 in the upper third",
       (int) large);
    is_int((int64_t) random_below(&state, 1), 0, "one number is 0");
}

static void
test_normal(void)
{
    /* Parts of ten percent: where they end. */
    static const double ends[] = {-1.2815515655446004,
                                  -0.8416212335729143,
                                  -0.5244005127080407,
                                  -0.2533471031357997,
                                  0,
                                  0.2533471031357997,
                                  0.5244005127080407,
                                  0.8416212335729143,
                                  1.2815515655446004};
    uint64_t counts[10] = {0}, state = 1;

    for (int i = 0; i < 100000; i++) {
        double z = random_normal(&state);
        size_t cell = 0;

        while (cell < 9 && z > ends[cell])
            cell++;
        counts[cell]++;
    }
    ok(chi_square_fits(counts, NULL, 10), "normal numbers are normal");
}

static void
test_functions(void)
{
    double worst = 0;

    for (double x = -30; x < 30; x += 0.0137)
        worst = fmax(worst, fabs(random_exp(x) / exp(x) - 1));
    for (double x = 1e-9; x < 1e15; x *= 1.0137)
        worst = fmax(worst,
                     fabs(random_log(x) - log(x)) / fmax(fabs(log(x)), 1e-3));
    ok(worst < 2e-15, "exp and log: off by %g at most", worst);
    ok(random_exp(0) == 1 && random_log(1) == 0, "exact where they can be");
    /* What x86-64 made, to the last bit, which the library's need not be. */
    ok(random_exp(1) == 0x1.5bf0a8b14576ap+1 &&
           random_exp(-7.25) == 0x1.7455fe323fafep-11 &&
           random_log(10) == 0x1.26bb1bbb55516p+1 &&
           random_log(0.3) == -0x1.34378fcbda721p+0,
       "the same bits everywhere");
}

int
main(void)
{
    test_next();
    test_below();
    test_normal();
    test_functions();
    return done_testing();
}
