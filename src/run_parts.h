/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the run module share. Private to them.
 */
#ifndef S3PERF_RUN_PARTS_H
#define S3PERF_RUN_PARTS_H

#include <stdatomic.h>

#include "ceiling.h"
#include "channel.h"
#include "crew.h"
#include "host.h"
#include "part.h"
#include "payload.h"
#include "plan.h"
#include "repair.h"
#include "results.h"
#include "service.h"
#include "sink.h"
#include "source.h"

#define RUN_FACTS_MAX 32

struct run {
    const struct options *o;
    struct plan plan;
    struct service service;
    struct endpoints_choice choice; /* among its endpoints */
    struct payload_style style;
    struct source repeated; /* what --payload FILE repeats */
    struct source source;
    struct sink sink;
    struct worker_op ops[MIX_KINDS]; /* of a mix; else the only one */
    uint32_t op_count;
    bool has_source, has_sink;
    struct part part; /* what this process saw */
    struct channel channel; /* to whoever has started this worker */
    int64_t start_ns; /* the moment that --start-at names */
    char part_log[4096]; /* a worker's records */
    struct stop_watch stop; /* when it may end before its time */
    struct report report;
    struct interval_table intervals;
    struct results results;
    struct repair repair;
    struct host host;
    struct report_fact facts[RUN_FACTS_MAX]; /* about the requests */
    uint32_t fact_count;
    /* texts of some */
    char range[64], part_number[24], batch[48], metadata[64];
    struct report_slice *slices; /* owned: what the report tells apart */
    uint32_t slice_count;
    char (*size_names)[SIZES_NAME_SIZE]; /* owned: of classes of sizes */
};

/* The signal that came, or 0; and what becomes readable when it comes. They
 * are caught by run_catch_signals(), see run.h. */
const atomic_int *run_stop(void);
int run_wake_fd(void);

/* What the workers are to do; R must stay where it is. */
void run_fill_worker(struct run *r, struct worker_config *c);

/* Find out where requests go. Returns: 0, or the exit status with one line
 * printed. */
int run_find_endpoints(struct run *r);

/* Choose what the report tells apart beside the total. Returns: 0, or the
 * exit status with one line printed. */
int run_tell_apart(struct run *r);

/* What was asked for, but the command line. */
void run_describe(struct run *r, struct report_asked *a);

/* Collect what requests ask for besides. */
void run_collect_facts(struct run *r);

/* How fast the client can be here, if that was measured. Returns: 0, or 2
 * with one line printed. */
int run_find_ceiling(const struct run *r, struct report_asked *asked);

/* Our share of the arrivals, per second. */
double run_own_rate(const struct run *r);

/* Constant arrivals are dealt out in turn: worker I begins I arrivals
 * later. Poisson streams add up as they are. */
int64_t run_first_arrival(const struct run *r);

/* Make R the run of a worker (--share), with options OWN: its results go to
 * its part file, the rest is its starter's. Returns: 0, or 2 with one line
 * printed. */
int run_become_worker(struct run *r, struct options *own);

/* Let CREW begin when the starter says (--start-at). Returns: 0 or an errno
 * value. */
int run_join_others(struct run *r, struct crew_config *crew);

/* Let CREW run until it ends, perhaps by the rule that was asked for; what
 * became of that, and of the warm-up, is in the report then. Returns: 0 or an
 * errno value. */
int run_to_end(struct run *r, struct crew_config *crew);

/* Write TEXT to PATH. Returns: 0 or an errno value. */
int run_write_text(const char *path, const struct buf *text);

/* Write what came of the work of this process; ERR: the tool's own failure,
 * or 0. Returns: the exit status. */
int run_finish(struct run *r, int err);

/*
 * Do it with worker processes (--workers): run_operations() without what
 * comes before and after.
 * Returns: the exit status.
 */
int run_workers(struct run *r, const char *command);

#endif
