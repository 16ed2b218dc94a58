/* SPDX-License-Identifier: MIT */
/*
 * What requests and traffic cost: a file of "NAME NUMBER" lines.
 */
#ifndef S3PERF_PRICES_H
#define S3PERF_PRICES_H

#include <stddef.h>

#define PRICES_CURRENCY_SIZE 16
#define PRICES_MAX_BYTES 65536

struct prices {
    char currency[PRICES_CURRENCY_SIZE]; /* "USD"; "" when it is not said */
    double put_1000, list_1000, get_1000, delete_1000; /* of 1000 requests */
    double up_gib, down_gib; /* of 2^30 bytes */
};

/*
 * Read the LEN bytes at TEXT, followed by a NUL; they are changed. What they
 * do not name costs nothing.
 * Returns: NULL, or a static text that says what is wrong with line *NUMBER.
 */
const char *prices_parse(struct prices *p, char *text, size_t len,
                         unsigned *number);

#endif
