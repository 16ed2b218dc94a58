/* SPDX-License-Identifier: MIT */
/*
 * One thread's lanes: turns workload items into requests, lets the engine
 * run them, and turns what came back into records.
 */
#ifndef S3PERF_WORKER_H
#define S3PERF_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "endpoints.h"
#include "engine.h"
#include "journal.h"
#include "repair.h"
#include "report.h"
#include "request.h"
#include "sink.h"
#include "source.h"
#include "workload.h"

/* One kind of operation of a run. Nothing is owned. */
struct worker_op {
    const char *name; /* in records: "put", ... */
    struct request_spec spec; /* what all of its requests have in common */
    bool names_are_buckets; /* mb and rb: the workload names buckets */
    uint32_t slice; /* of the report, numbered from 1; 0: none */
    struct source *source; /* put; else NULL */
    struct sink *sink; /* get, and put that keeps copies; else NULL */
    FILE *listing; /* ls: entries are written there; NULL: only counted */
    uint64_t pages; /* ls: at most so many; 0: all */
};

/* Where requests go. Nothing is owned. */
struct worker_endpoint {
    const struct endpoint *endpoint;
    uint32_t service; /* whose keys, region and addressing are used there */
    const char *address; /* to connect to; NULL: look its name up */
    const char *label; /* in records */
    uint32_t slice; /* of the report, numbered from 1; 0: none */
};

/* What a run is about. Nothing is owned. */
struct worker_config {
    const struct worker_op *ops; /* the workload's items say which */
    uint32_t op_count; /* at least 1 */
    /* Sets of keys; the first one also says what all have in common. */
    const struct request_service *const *services;
    uint32_t service_count; /* at least 1 */
    const struct worker_endpoint *endpoints;
    uint32_t endpoint_count; /* at least 1 */
    struct endpoints_choice *choice; /* among them, shared by all threads */
    struct workload *workload;
    uint64_t seed;
    const struct payload_style *style; /* of generated content */
    struct repair *repair; /* shared by all threads */
    const char *host_name; /* for the records */
    struct journal *journal; /* NULL: records are only counted */
    struct window *window; /* shared by all threads */
    double rate_per_s; /* open loop, of all threads; 0: closed */
    struct share share; /* of this process among others */
    int64_t pace_shift_ns; /* its first arrival, after the start */
    enum pace_arrivals arrivals;
    int64_t interval_ns;
    uint32_t parts; /* threads */
    uint32_t retries; /* further attempts after a failure that may pass */
    struct engine_config engine; /* of all threads: each takes its share of
                                    the lanes */
    const struct transport_ops *transport;
};

struct worker;

/* Make worker PART of config->parts; memory is got here, not in the run.
 * Returns: 0 or an errno value. */
int worker_new(struct worker **out, const struct worker_config *config,
               const struct report_asked *asked, uint32_t part);
void worker_free(struct worker *w);

/*
 * Run until the workload or the window ends; in a thread of its own.
 * Returns: 0, also when operations failed; an errno value when the tool
 *          itself failed.
 */
int worker_run(struct worker *w);

/* After all have run, one after another: compare and write what was kept,
 * write copies. */
void worker_settle(struct worker *w);

/* Add what W saw to OUT: the WHOLE run, or what the window counts; each at
 * most once. */
void worker_report(struct worker *w, struct report *out, bool whole);

/* 0, or the errno value of a result that could not be written (a downloaded
 * file, the list). */
int worker_write_err(const struct worker *w);

/* For the live view, and for the sum once all is over. */
struct interval_table *worker_intervals(struct worker *w);

#endif
