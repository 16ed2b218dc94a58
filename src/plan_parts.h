/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the plan share. Private to them.
 */
#ifndef S3PERF_PLAN_PARTS_H
#define S3PERF_PLAN_PARTS_H

#include "plan.h"

/* Read the names that --keys says, if any. */
void plan_read_keys(struct plan *p);

/* Refuse ranges that end behind an object. */
void plan_check_range(const struct options *o);

/* Refuse a mix that cannot be; and make it the workload of P, which has all
 * else. */
void plan_check_mix(const struct plan *p);
void plan_mix_workload(struct plan *p);

/* Refuse options about sizes, names and order that make no sense. */
void plan_check_shape(const struct plan *p);

/* The same, once the workload is known but for its shape; and shape it. */
void plan_shape_workload(struct plan *p);

#endif
