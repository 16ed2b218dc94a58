/* SPDX-License-Identifier: MIT */
/*
 * The numbers that a part file holds, one a line. Private to the part
 * module: what writes and what reads it go by the same tables.
 */
#ifndef S3PERF_PART_MEMBERS_H
#define S3PERF_PART_MEMBERS_H

#include <stddef.h>

enum part_kind { PART_FLAG, PART_INT, PART_U32, PART_U64, PART_I64, PART_REAL };

struct part_member {
    const char *name;
    enum part_kind kind;
    size_t at; /* offset in its struct */
};

/* Of struct part. */
extern const struct part_member part_members[];
extern const size_t part_member_count;

/* Of struct report: all that report_merge() adds up, but histograms and
 * failures. */
extern const struct part_member part_report_members[];
extern const size_t part_report_member_count;

/* Values of `verify`, other than none. */
#define PART_VERIFY_NAMES 2
extern const char *const part_verify_names[PART_VERIFY_NAMES];

#endif
