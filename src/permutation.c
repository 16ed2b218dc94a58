/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "permutation.h"

#include "random.h"

void
permutation_init(struct permutation *p, uint64_t count, uint64_t seed)
{
    uint64_t last = count - 1;

    *p = (struct permutation){.count = count, .half_bits = 1};
    while (p->half_bits < 32 && last >> 2 * p->half_bits > 0)
        p->half_bits++;
    for (int i = 0; i < PERMUTATION_ROUNDS; i++)
        p->keys[i] = random_next(&seed);
}

uint64_t
permutation_at(const struct permutation *p, uint64_t index)
{
    const uint64_t mask = (UINT64_C(1) << p->half_bits) - 1;

    do { /* at most four times on average */
        uint64_t left = index >> p->half_bits, right = index & mask;

        for (int i = 0; i < PERMUTATION_ROUNDS; i++) {
            uint64_t next = (left ^ random_at(p->keys[i], right)) & mask;

            left = right;
            right = next;
        }
        index = left << p->half_bits | right;
    } while (index >= p->count);
    return index;
}
