/* SPDX-License-Identifier: MIT */
/*
 * One thread's lanes: turns workload items into requests, lets the engine
 * run them, and turns what came back into records.
 */
#ifndef S3PERF_WORKER_H
#define S3PERF_WORKER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine.h"
#include "journal.h"
#include "report.h"
#include "request.h"
#include "sink.h"
#include "source.h"
#include "workload.h"

/* What a run is about. Nothing is owned. */
struct worker_config {
    enum request_op op;
    const char *op_name; /* in records: "put", ... */
    const struct request_service *service;
    struct workload *workload;
    bool names_are_buckets; /* mb and rb: the workload names buckets */
    const char *bucket; /* otherwise */
    uint64_t seed;
    struct source *source; /* put; else NULL */
    struct sink *sink; /* get, and put that keeps copies; else NULL */
    uint64_t expect_len; /* get: UINT64_MAX when not known */
    const char *prefix, *delimiter; /* ls */
    uint32_t max_keys;
    FILE *listing; /* ls: entries are written there; NULL: only counted */
    const char *location; /* mb */
    const char *endpoint_url, *host_name; /* for the records */
    struct journal *journal; /* NULL: records are only counted */
    struct report *report;
    struct engine_config engine;
    const struct transport_ops *transport;
};

/*
 * Run the whole workload.
 * Returns: 0, also when operations failed; an errno value when the tool
 *          itself failed. *WRITE_ERR becomes 0 or the errno value of a
 *          result that could not be written (a downloaded file, the list).
 */
int worker_run(const struct worker_config *config, int *write_err);

#endif
