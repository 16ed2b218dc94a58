/* SPDX-License-Identifier: MIT */
/* Each number comes once, anywhere. */
#include "config.h"

#include "permutation.h"

#include <stdlib.h>

#include "chi-square.h"
#include "tap.h"

/* Every number below COUNT has one place. */
static bool
is_permutation(uint64_t count, uint64_t seed)
{
    unsigned char *seen = calloc((size_t) count, 1);
    struct permutation p;
    bool good = seen != NULL;

    permutation_init(&p, count, seed);
    for (uint64_t i = 0; good && i < count; i++) {
        uint64_t at = permutation_at(&p, i);

        good = at < count && seen[at]++ == 0;
    }
    free(seen);
    return good;
}

static void
test_once(void)
{
    bool good = true;

    for (uint64_t count = 1; count <= 300; count++)
        good &= is_permutation(count, count);
    ok(good, "each number once, for 1 to 300 of them");
    ok(is_permutation(100000, 7), "... and for 100000");
    ok(is_permutation(65536, 7) && is_permutation(65537, 7),
       "... and around a power of four");
}

/* Over many seeds, the number at each place is any of them. */
static void
test_anywhere(uint64_t count)
{
    uint64_t counts[16 * 16] = {0};
    bool good = true;

    for (uint64_t seed = 0; seed < 40000; seed++) {
        struct permutation p;

        permutation_init(&p, count, seed);
        for (uint64_t i = 0; i < count; i++)
            counts[i * count + permutation_at(&p, i)]++;
    }
    for (uint64_t i = 0; i < count; i++)
        good &= chi_square_fits(&counts[i * count], NULL, (size_t) count);
    ok(good, "of %d numbers, each is anywhere", (int) count);
}

/* The number after another one is any but that. */
static void
test_next(void)
{
    uint64_t counts[10] = {0};

    for (uint64_t seed = 0; seed < 40000; seed++) {
        struct permutation p;
        uint64_t a, b;

        permutation_init(&p, 11, seed);
        a = permutation_at(&p, 3);
        b = permutation_at(&p, 4);
        counts[(b + 11 - a) % 11 - 1]++;
    }
    ok(chi_square_fits(counts, NULL, 10), "neighbours are independent");
}

static void
test_large(void)
{
    struct permutation p;
    bool inside = true;

    permutation_init(&p, UINT64_MAX, 1);
    ok(permutation_at(&p, 0) != permutation_at(&p, UINT64_MAX - 1),
       "nearly all 64 bits");
    permutation_init(&p, UINT64_C(1) << 40, 1);
    for (uint64_t i = 0; i < 1000; i++)
        inside &= permutation_at(&p, i) < UINT64_C(1) << 40;
    ok(inside, "2^40 numbers need no memory");
}

int
main(void)
{
    test_once();
    for (uint64_t count = 2; count <= 16; count += count < 6 ? 1 : 5)
        test_anywhere(count);
    test_next();
    test_large();
    return done_testing();
}
