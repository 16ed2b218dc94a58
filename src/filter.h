/* SPDX-License-Identifier: MIT */
/*
 * Which records count: by operation, host, endpoint, size, and by
 * conditions on columns ("total_us>10ms", "code=SlowDown").
 */
#ifndef S3PERF_FILTER_H
#define S3PERF_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record_view.h"

#define FILTER_MAX 64 /* conditions */

enum filter_relation {
    FILTER_SAME,
    FILTER_OTHER,
    FILTER_BELOW,
    FILTER_UP_TO,
    FILTER_ABOVE,
    FILTER_FROM
};

struct filter_condition {
    unsigned column; /* enum record_column, or FILTER_OK */
    enum filter_relation relation;
    unsigned group; /* conditions of one option: any of them will do */
    bool none; /* compared with "-": is it there? */
    int64_t number; /* nanoseconds for times */
    int64_t up_to; /* of a range of sizes; else `number` */
    const char *pattern; /* of texts; not owned */
};

struct filter {
    struct filter_condition conditions[FILTER_MAX];
    size_t count;
    unsigned groups;
};

void filter_init(struct filter *f);

/*
 * Add a condition, TEXT: a column, one of = != < <= > >=, a value. Times
 * take units and are microseconds without, sizes take units, texts compare
 * with = and != against a shell's pattern, and "-" means none. "ok" is 1 for
 * successes. TEXT must outlive F.
 * Returns: NULL, or a static text that says what is wrong with it.
 */
const char *filter_add(struct filter *f, const char *text);

/* Add that COLUMN matches one of the N patterns or, of RECORD_SIZE, sizes
 * and ranges ("4Ki-1Mi"); no condition for N of 0. *BAD is the one that is
 * bad. Likewise. */
const char *filter_add_list(struct filter *f, enum record_column column,
                            const char *const *values, size_t n,
                            const char **bad);

/* Whether V meets them all. */
bool filter_matches(const struct filter *f, const struct record_view *v);

#endif
