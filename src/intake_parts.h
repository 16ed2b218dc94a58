/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the intake share. Private to them.
 */
#ifndef S3PERF_INTAKE_PARTS_H
#define S3PERF_INTAKE_PARTS_H

#include "intake.h"

/* The next line, comments too. */
enum intake_got intake_any_line(struct intake *in, char **line, size_t *n);

/* Say what is wrong with a record. Returns: INTAKE_BAD. */
enum intake_got intake_complain_fault(struct intake *in,
                                      const struct record_fault *fault);

/* Whether LINE is the first of warp's raw records. */
bool intake_is_warp(const char *line);

/* Learn warp's columns from LINE; false with one line printed. */
bool intake_warp_init(struct intake *in, const char *line);

enum intake_got intake_warp_record(struct intake *in, struct record_view *v);

#endif
