/* SPDX-License-Identifier: MIT */
/*
 * Rows of columns, printed for people, as a table for programs or as JSON,
 * one object a line. The first error sticks and is said at the end.
 */
#ifndef S3PERF_STAT_SHEET_H
#define S3PERF_STAT_SHEET_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "dist.h"
#include "json.h"
#include "stat_page.h"

enum stat_shape { STAT_SHAPE_PEOPLE, STAT_SHAPE_TSV, STAT_SHAPE_JSON };

struct stat_column {
    const char *name; /* for programs */
    const char *title; /* for people; NULL: they do not see it */
    int width; /* for people: negative is left justified */
};

struct stat_sheet {
    enum stat_shape shape;
    const char *format; /* and its version */
    const struct stat_column *columns; /* a name of NULL ends them */
    size_t at; /* next column */
    bool begun; /* its head is printed */
    struct buf line;
    struct json json;
    struct stat_marks marks;
    int err;
};

/* Prints nothing yet: the head comes before the first row. Pair with
 * stat_sheet_close(). */
void stat_sheet_open(struct stat_sheet *s, enum stat_shape shape,
                     const char *format, const struct stat_column *columns);

/* The cells of a row, in order; NaN, NULL and "" are none. */
void stat_sheet_text(struct stat_sheet *s, const char *text);
/* One that is encoded as fields of a table are. */
void stat_sheet_field(struct stat_sheet *s, const char *text, size_t n);
void stat_sheet_uint(struct stat_sheet *s, uint64_t value);
/* People see three digits. */
void stat_sheet_number(struct stat_sheet *s, double value, int decimals);
void stat_sheet_share(struct stat_sheet *s, double value); /* people: "4.2%" */
void stat_sheet_time(struct stat_sheet *s, double ns); /* microseconds */
void stat_sheet_percentile(struct stat_sheet *s, struct dist *d,
                           uint64_t censored, double p);
/* The same of N values whose percentile is NS. */
void stat_sheet_supported(struct stat_sheet *s, double ns, uint64_t n,
                          double p);
void stat_sheet_end_row(struct stat_sheet *s);

/* Print the head if there were no rows, unless STATUS says that the input was
 * bad, and explain the marks. Returns: STATUS, or 4 with one line printed. */
int stat_sheet_close(struct stat_sheet *s, int status);

#endif
