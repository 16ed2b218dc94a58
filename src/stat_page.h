/* SPDX-License-Identifier: MIT */
/*
 * Numbers for people, as all views of s3stat print them.
 */
#ifndef S3PERF_STAT_PAGE_H
#define S3PERF_STAT_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "dist.h"
#include "units.h"

/* "12.4ms": units_format_duration() without the blank; "-" for NaN. */
void stat_format_time(char out[UNITS_TEXT_SIZE], double ns);

/* Three significant digits, whole numbers from 100 on. */
void stat_format_rate(char out[UNITS_TEXT_SIZE], double value);

/* "s", unless there is one of it. */
const char *stat_plural(uint64_t n);

/* Which footnotes a table needs. */
struct stat_marks {
    bool few, none, beyond;
};

/* A column of eight with percentile P, marked as its sample supports it. */
void stat_put_percentile(struct stat_marks *marks, struct dist *d,
                         uint64_t censored, double p);

/* The same with a time. */
void stat_put_time(double ns);

/* Explain the marks that were used. */
void stat_put_marks(const struct stat_marks *marks);

/* TEXT in a column of WIDTH, cut to it; left justified. */
void stat_put_text(const char *text, int width);

#endif
