/* SPDX-License-Identifier: MIT */
/*
 * Reads lines of cells.tsv ("s3perf-cells 1", doc/formats.md): columns by the
 * names of the header line, those that are not known skipped.
 */
#ifndef S3PERF_CELLS_H
#define S3PERF_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Columns that are measured numbers. */
enum cells_number {
    CELLS_OPS,
    CELLS_ERRORS,
    CELLS_GOOD_BYTES,
    CELLS_WIRE_BYTES,
    CELLS_WINDOW_S,
    CELLS_OPS_PER_S,
    CELLS_BYTES_PER_S,
    CELLS_RATE_ASKED,
    CELLS_MEAN,
    CELLS_MIN,
    CELLS_P50,
    CELLS_P90,
    CELLS_P99,
    CELLS_P999,
    CELLS_MAX,
    CELLS_FIRST_P50,
    CELLS_FIRST_P99,
    CELLS_RESPONSE_P50,
    CELLS_RESPONSE_P99,
    CELLS_CPU,
    CELLS_LAG_P99,
    CELLS_REUSED,
    CELLS_NUMBERS
};

/* Marks, as bits. */
enum cells_mark {
    CELLS_FEW = 1u << 0,
    CELLS_NOT_STEADY = 1u << 1,
    CELLS_CLIENT_BOUND = 1u << 2,
    CELLS_RATE_MISSED = 1u << 3,
    CELLS_HAS_ERRORS = 1u << 4,
    CELLS_THROTTLED = 1u << 5,
    CELLS_WORKER_LOST = 1u << 6,
    CELLS_IMPRECISE = 1u << 7, /* --stop-when was not met */
    CELLS_SKIPPED = 1u << 8, /* nothing was measured */
    CELLS_OTHER = 1u << 9 /* one that is not known here */
};

struct cells_line {
    const char *target, *phase, *started, *hist; /* as they stand, encoded */
    uint64_t size, concurrency, repeat;
    uint32_t marks;
    double number[CELLS_NUMBERS]; /* NaN: none */
    uint32_t at_least; /* bit I: number I was written ">..." */
};

#define CELLS_COLUMNS_MAX 64

struct cells_reader {
    uint8_t columns[CELLS_COLUMNS_MAX]; /* what stands at each place */
    size_t count;
};

/* Learn from the line of column NAMES. Returns: NULL; or what is wrong, the
 * name of the column being at *NAME. */
const char *cells_init(struct cells_reader *r, const char **name,
                       const char *names);

/*
 * Read LINE, which ends in NUL; tabs in it become NULs.
 * Returns: NULL; or what is wrong, with the column's name at *NAME and its
 *          value at *VALUE ("" where there is none).
 */
const char *cells_read(struct cells_line *out, const char **name,
                       const char **value, const struct cells_reader *r,
                       char *line);

/* The number of the column of that name; -1 when it is none. */
int cells_find_number(const char *name);

#define CELLS_MARKS_SIZE 128

/* Write MARKS as in the column "mark", without what was skipped; "-" for
 * none. */
void cells_format_marks(char out[CELLS_MARKS_SIZE], uint32_t marks);

#endif
