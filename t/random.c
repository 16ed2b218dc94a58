/* SPDX-License-Identifier: MIT */
/* The generator is the one that it says it is. */
#include "config.h"

#include "random.h"

#include "tap.h"

int
main(void)
{
    uint64_t state = 1234567;

    /* First numbers of the published algorithm for this seed. */
    ok(random_next(&state) == UINT64_C(6457827717110365317), "the first");
    ok(random_next(&state) == UINT64_C(3203168211198807973), "the second");
    ok(random_next(&state) == UINT64_C(9817491932198370423), "the third");
    return done_testing();
}
