/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the worker share. Private to them.
 */
#ifndef S3PERF_WORKER_PARTS_H
#define S3PERF_WORKER_PARTS_H

#include "payload.h"
#include "worker.h"

struct worker_lane {
    struct worker *w;
    struct request request;
    struct request_spec spec;
    struct workload_item item;
    struct buf name; /* of the item's first key or bucket */
    struct buf batch; /* all of the item's keys, one after another */
    const char **keys; /* into `batch` */
    struct source_body body;
    struct sink_body sink;
    struct buf token; /* ls: the next page */
    struct buf seen_token; /* of an earlier page, to notice a circle */
    uint64_t pages;
    int64_t due_ns, start_ns;
    uint32_t attempt;
    bool finished; /* has had its first operation: the window asks */
};

/* A record that waits for its body to be compared or written. */
struct worker_kept {
    struct record record;
    uint64_t index;
    char message[REPORT_MESSAGE_SIZE];
};

struct worker {
    const struct worker_config *config;
    uint32_t part; /* number of the thread */
    size_t lane_count, first_lane; /* of all threads' lanes, which are ours */
    struct request_maker maker;
    struct payload *payload;
    struct worker_lane *lanes;
    struct worker_kept *kept; /* SINK_KEEP: room for all of the sink's */
    size_t kept_count;
    struct report whole; /* everything */
    struct report inside; /* what the window counts */
    struct window_books books;
    struct interval_table intervals;
    struct pace pace;
    struct engine_stats stats;
    int err; /* the tool itself failed */
    int write_err; /* a result could not be written */
};

/* Keep the first error. */
void worker_note(int *first, int err);

/* The engine's job, over a struct worker. */
bool worker_on_prepare(void *ctx, size_t lane);
struct exchange *worker_on_start(void *ctx, size_t lane, int64_t due_ns,
                                 int64_t start_ns);
bool worker_on_done(void *ctx, size_t lane, int64_t *resume_ns);

/* A request_spec's on_entry, over a lane. */
void worker_on_entry(void *ctx, const struct answer_entry *entry);

/* Hand on the record of a finished operation; WAIT: the clock has stopped. */
void worker_emit(struct worker *w, const struct record *r, uint64_t index,
                 const char *message, bool wait);

/* A body that was compared and differs makes its operation a failure. */
void worker_blame_difference(struct record *r, const struct sink_body *sink,
                             char *message, size_t size);

#endif
