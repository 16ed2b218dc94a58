/* SPDX-License-Identifier: MIT */
/*
 * Records in other people's formats, one record a line. Private to
 * s3stat convert.
 */
#ifndef S3PERF_STAT_CONVERT_H
#define S3PERF_STAT_CONVERT_H

#include "record_print.h"
#include "stat_result.h"

/* Add V in one format; START_NS is the run's start, since 1970. Returns 0 or
 * a buffer's errno value. */
typedef int stat_convert_fn(struct buf *out, const struct record_view *v,
                            int64_t start_ns);

stat_convert_fn stat_convert_csv, stat_convert_json, stat_convert_influx;

/* Add the names of columns, as CSV. */
int stat_convert_csv_names(struct buf *out);

/* Print R as OpenMetrics text, its end included. */
void stat_print_openmetrics(struct stat_result *r);

#endif
