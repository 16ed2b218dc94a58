/* SPDX-License-Identifier: MIT */
/*
 * The numbers from 0 to COUNT - 1 in an order that the seed chooses, without
 * a table: where each number comes is computed (a Feistel network over the
 * next power of four; what falls outside is sent through again).
 */
#ifndef S3PERF_PERMUTATION_H
#define S3PERF_PERMUTATION_H

#include <stdint.h>

#define PERMUTATION_ROUNDS 8

struct permutation {
    uint64_t count;
    unsigned half_bits; /* of half a number in the network */
    uint64_t keys[PERMUTATION_ROUNDS];
};

/* COUNT is at least 1. */
void permutation_init(struct permutation *p, uint64_t count, uint64_t seed);

/* The number at place INDEX, which is below the count. */
uint64_t permutation_at(const struct permutation *p, uint64_t index);

#endif
