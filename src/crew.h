/* SPDX-License-Identifier: MIT */
/*
 * The threads of a run: starts a worker in each at one moment, watches them
 * for the live view, and adds up what they saw.
 */
#ifndef S3PERF_CREW_H
#define S3PERF_CREW_H

#include <stdbool.h>
#include <stdint.h>

#include "interval.h"
#include "part.h"
#include "stop.h"
#include "worker.h"

/* What the live view is told, about once a second. */
struct crew_view {
    int64_t elapsed_ns;
    int64_t left_ns; /* until the deadline; -1: there is none */
    uint64_t ops, errors; /* until now */
    uint64_t left_ops; /* UINT64_MAX: no limit */
    struct interval last; /* the last interval that is over */
    double ops_per_s, good_bytes_per_s; /* in it */
};

struct crew_config {
    struct worker_config worker; /* window and parts are filled in here */
    enum window_kind kind;
    int64_t warmup_ns, duration_ns;
    void (*show)(void *ctx, const struct crew_view *view); /* NULL: silent */
    void *ctx;
    /* All is ready: waits for the moment at which the run is to begin, in
     * CLOCK_MONOTONIC, and returns it. NULL: at once. */
    int64_t (*agree)(void *ctx);
    void *agree_ctx;
    struct stop_watch *stop; /* may end it before its time; NULL: nothing */
};

/*
 * Run it all.
 * PART is empty; what the threads saw is added to it.
 * Returns: 0, also when operations failed; an errno value when the tool
 *          itself failed. part->write_err as worker_write_err().
 */
int crew_run(const struct crew_config *config, struct part *part);

#endif
