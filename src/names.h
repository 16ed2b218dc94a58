/* SPDX-License-Identifier: MIT */
/*
 * Distinct texts as small numbers: hosts, endpoints, names of operations.
 * Bounded, since a file may hold anything.
 */
#ifndef S3PERF_NAMES_H
#define S3PERF_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define NAMES_MAX 4096u /* texts */
#define NAMES_LENGTH_MAX 4096u /* bytes of each */

struct names {
    char **texts; /* owned; in the order in which they came */
    uint32_t count;
    uint32_t *slots; /* private: number + 1 by hash */
    uint32_t last; /* private: the one found last */
    size_t *lengths; /* private */
};

/* Allocates nothing. Pair with names_clear(); safe twice. */
void names_init(struct names *t);
void names_clear(struct names *t);

/* The number of the N bytes at TEXT, which hold no NUL; a new one for a
 * text that is new.
 * Returns: 0; E2BIG for one text too many or too long; ENOMEM. */
int names_find(uint32_t *number, struct names *t, const char *text, size_t n);

/* ORDER, which has room for T->count numbers, becomes the numbers in the order
 * of their texts. */
void names_order(uint32_t *order, const struct names *t);

#endif
