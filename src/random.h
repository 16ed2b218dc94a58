/* SPDX-License-Identifier: MIT */
/*
 * Numbers that repeat themselves when the seed does, on any machine. Never
 * for secrets.
 */
#ifndef S3PERF_RANDOM_H
#define S3PERF_RANDOM_H

#include <stdint.h>

/* The next number of splitmix64, whose STATE starts with any seed. */
uint64_t random_next(uint64_t *state);

/* Number INDEX, from 0, of those that random_next() gives after SEED. */
uint64_t random_at(uint64_t seed, uint64_t index);

/* A seed for one USE of numbers, far from those for other uses. */
uint64_t random_fork(uint64_t seed, uint64_t use);

/* A number below LIMIT, which is not 0; all are as likely. */
uint64_t random_below(uint64_t *state, uint64_t limit);

/* A fraction: at least 0, below 1, in steps of 2^-53. */
double random_fraction(uint64_t *state);

/* One of a standard normal distribution. */
double random_normal(uint64_t *state);

/* e^X and the natural logarithm of X > 0, to some 15 digits. Made of nothing
 * but what IEEE 754 rounds in one way, so that they have the same bits
 * everywhere, which those of the system's library need not have. */
double random_exp(double x);
double random_log(double x);

#endif
