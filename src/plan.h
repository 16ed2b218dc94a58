/* SPDX-License-Identifier: MIT */
/*
 * What a run is to do: from the verb, its targets and -n to an operation
 * and a workload. Opens nothing but the file of --keys, asks nobody.
 */
#ifndef S3PERF_PLAN_H
#define S3PERF_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"
#include "request.h"
#include "workload.h"

struct plan {
    const struct options *o;
    enum request_op op;
    struct target *targets; /* at least one; "s3://" when none was given */
    struct target source; /* cp: the first one; `targets` has the other */
    size_t target_count; /* in `targets` */
    const char **names; /* their keys, or buckets for mb and rb */
    struct share share; /* of this process; all zero: it is alone */
    struct keys_list list, versions; /* what --keys and --version-ids say */
    struct pick pick; /* in which order they come; the workload's */
    struct workload_turn *turns; /* owned: of the workload */
    struct pool pool; /* of a mix; the workload's */
    struct buf copies; /* likewise: begins the names of copies */
    struct workload workload;
};

/* Exits with 2 and one line when the command line makes no sense. P must
 * stay where it is: its workload points into it. */
void plan_init(struct plan *p, const struct options *o);
void plan_clear(struct plan *p);

/* Bytes that each put or get carries; OPTIONS_UNSET when not known. */
uint64_t plan_body_size(const struct options *o);

/* Whether operations carry bodies up, or down. */
bool plan_uploads(const struct options *o);
bool plan_downloads(const struct options *o);

/* Whether one plain operation was asked for: its record is the result. */
bool plan_is_plain(const struct options *o);

/* Operations in flight: as many as asked for and as there are. */
uint64_t plan_lanes(const struct plan *p);

/* Event loops: as many as asked for, or one a core; of all workers. */
uint32_t plan_threads(const struct plan *p);

#endif
