/* SPDX-License-Identifier: MIT */
/*
 * The shapes in which a summary is printed, on standard output.
 */
#ifndef S3PERF_STAT_STYLES_H
#define S3PERF_STAT_STYLES_H

#include <stdbool.h>

#include "json.h"
#include "stat_result.h"

#define STAT_JSON_FORMAT "s3perf-stat 1"
#define STAT_TSV_FORMAT "s3perf-summaries 1"

/* For people. NAMED: begin with the file's name. */
void stat_print_table(struct stat_result *r, bool named);

/* As warp and s3bench print theirs; doc/measuring.md says what differs. */
void stat_print_warp(struct stat_result *r);
void stat_print_s3bench(struct stat_result *r);

/* One JSON object, "s3perf-stat 1". Returns: 0 or a buffer's errno value. */
int stat_print_json(struct stat_result *r);

/* A table, one line a group; HEAD: its "#" lines and names of columns
 * first. */
void stat_print_tsv(struct stat_result *r, bool head);

/* --- what several commands print --- */

/* Members of an object that is open in J: where it all comes from; a
 * distribution; the failures. */
void stat_add_source(struct json *j, const struct stat_result *r);
void stat_add_times(struct json *j, const char *name, struct dist *d,
                    uint64_t censored);
void stat_add_failures(struct json *j, const struct tally *t);

/* The first "#" lines of a table. */
void stat_put_tsv_head(const char *format);
/* A tab and a number, "-" for NaN; and a percentile in microseconds. */
void stat_put_tsv_number(double value, int decimals);
void stat_put_tsv_percentile(struct dist *d, uint64_t censored, double p);
/* A field, encoded, without a tab. */
void stat_put_tsv_text(const char *text);

/* The table of failures, at most MOST rows of it. */
void stat_put_failures(const struct tally *t, uint32_t most);

#endif
