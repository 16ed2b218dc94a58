/* SPDX-License-Identifier: MIT */
/*
 * In what order objects are visited: which one an operation takes is a
 * function of the seed and of the operation's number, so threads and
 * processes need not agree, and memory is constant.
 *
 *   sequential   1, 2, ..., N, and again
 *   shuffle      each once in a random order, then in another one: without
 *                replacement
 *   uniform      any, each time: with replacement
 *   zipf:S       any, the k-th of them in popularity with a weight of
 *                1 / k^S; which ones are popular is random
 */
#ifndef S3PERF_PICK_H
#define S3PERF_PICK_H

#include <stdbool.h>
#include <stdint.h>

#include "permutation.h"

#define PICK_SKEW_MAX 20 /* of zipf: almost always the same one */

enum pick_form { PICK_SEQUENTIAL, PICK_SHUFFLE, PICK_UNIFORM, PICK_ZIPF };

struct pick {
    enum pick_form form;
    double skew; /* zipf's S, above 0 */
    /* the rest is pick_init()'s */
    uint64_t count;
    uint64_t seed;
    double high, low, sure; /* zipf */
    struct permutation popular; /* zipf: from rank to object */
};

/* Read a form; false, *OUT untouched, if it is none. */
bool pick_parse(struct pick *out, const char *text);

/* Get ready for COUNT objects, at least 1; form and skew are set. */
void pick_init(struct pick *p, uint64_t count, uint64_t seed);

/* The object, from 0, that operation TURN takes. */
uint64_t pick_at(const struct pick *p, uint64_t turn);

#endif
