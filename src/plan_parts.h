/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the plan share. Private to them.
 */
#ifndef S3PERF_PLAN_PARTS_H
#define S3PERF_PLAN_PARTS_H

#include "plan.h"

/* Read the names that --keys says, if any. */
void plan_read_keys(struct plan *p);

/* Refuse options about sizes, names and order that make no sense. */
void plan_check_shape(const struct plan *p);

/* The same, once the workload is known but for its shape; and shape it. */
void plan_shape_workload(struct plan *p);

#endif
