/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the report for people have in common: text of at most
 * 80 columns that can steer no terminal. Private to them.
 */
#ifndef S3PERF_REPORT_PAGE_H
#define S3PERF_REPORT_PAGE_H

#include "report.h"
#include "units.h"

#define PAGE_WIDTH 80
#define PAGE_LABEL 11 /* columns of a line's label */
#define PAGE_FITTED_SIZE                                                       \
    (4 * PAGE_WIDTH + 4) /* UTF-8 takes up to four bytes                       \
                          */

/* Sticky error, and which footnotes the tables need. */
struct report_page {
    struct buf *out;
    int err;
    bool few, none, beyond;
};

void page_put(struct report_page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * TEXT in at most COLUMNS, taking one UTF-8 character for a column; what
 * is too long ends in "...".
 */
void page_fit(char out[PAGE_FITTED_SIZE], const char *text, size_t columns);

/* Three significant digits, whole numbers from 100 on. */
void page_format_rate(char out[UNITS_TEXT_SIZE], double value);

/* "s", unless there is one of it. */
const char *page_plural(uint64_t n);

/* A column of ten with a time, MARK in front of it. */
void page_put_time(struct report_page *page, int64_t ns, const char *mark);

/* The same with percentile P, marked as its sample supports it. */
void page_put_percentile(struct report_page *page, const struct histogram *h,
                         uint64_t censored, double p);

/* What TLS there was; nothing without any. */
void page_put_tls(struct report_page *page, const struct transport_tls *tls);

/* The tables of what R's total consists of. */
void page_put_slices(struct report_page *page, const struct report *r);

#endif
