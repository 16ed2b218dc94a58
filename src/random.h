/* SPDX-License-Identifier: MIT */
/*
 * Numbers that repeat themselves when the seed does. Never for secrets.
 */
#ifndef S3PERF_RANDOM_H
#define S3PERF_RANDOM_H

#include <stdint.h>

/* The next number of splitmix64, whose STATE starts with any seed. */
uint64_t random_next(uint64_t *state);

#endif
