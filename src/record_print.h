/* SPDX-License-Identifier: MIT */
/*
 * Writes records as they were viewed: texts stay encoded as they stand.
 */
#ifndef S3PERF_RECORD_PRINT_H
#define S3PERF_RECORD_PRINT_H

#include "buf.h"
#include "json.h"
#include "record_view.h"

/* The text of column C, none for a column that is no text. */
struct record_text record_view_text(const struct record_view *v,
                                    enum record_column c);

/* Add the value of column C as tables have it: "" for a time that was not
 * reached. Returns 0 or a buffer's errno value, as below. */
int record_view_add(struct buf *out, const struct record_view *v,
                    enum record_column c);

/* Add V as a line of "s3perf-ops 1", with its newline. */
int record_view_add_tsv(struct buf *out, const struct record_view *v);

/* Add V's members to the object that is open in J, as record_add_json(). */
void record_view_add_json(struct json *j, const struct record_view *v);

#endif
