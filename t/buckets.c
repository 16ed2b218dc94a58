/* SPDX-License-Identifier: MIT */
/* Names of the buckets that a run is spread over. */
#include "config.h"

#include "buckets.h"

#include "tap.h"

int
main(void)
{
    struct buckets b;
    bool right = true;

    is_int(buckets_init(&b, "data", 0), 0, "one bucket");
    is_str(buckets_name(&b, 0), "data", "is called as it is");
    is_str(buckets_name(&b, UINT64_MAX), "data", "whatever is asked for");
    buckets_clear(&b);
    is_int(buckets_init(&b, "data", 1), 0, "one of several");
    is_str(buckets_name(&b, 7), "data1", "has a number");
    buckets_clear(&b);
    is_int(buckets_init(&b, "b-", 3), 0, "three buckets");
    is_str(buckets_name(&b, 0), "b-1", "the first");
    is_str(buckets_name(&b, 1), "b-2", "the second");
    is_str(buckets_name(&b, 2), "b-3", "the third");
    is_str(buckets_name(&b, 3), "b-1", "and the first again");
    ok(buckets_name(&b, 4) == buckets_name(&b, 1), "names stay where they are");
    buckets_clear(&b);
    buckets_clear(&b);
    is_int(buckets_init(&b, "x", BUCKETS_MAX), 0, "as many as there may be");
    for (uint32_t i = 0; i < BUCKETS_MAX; i++) {
        char want[16];

        snprintf(want, sizeof want, "x%u", i + 1);
        right &= strcmp(buckets_name(&b, i), want) == 0;
    }
    ok(right, "each has its name");
    buckets_clear(&b);
    return done_testing();
}
