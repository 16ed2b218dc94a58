/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the worker share. Private to them.
 */
#ifndef S3PERF_WORKER_PARTS_H
#define S3PERF_WORKER_PARTS_H

#include "payload.h"
#include "repair.h"
#include "retry.h"
#include "worker.h"

/* A record that waits for its body to be compared or written. */
struct worker_kept {
    struct record record;
    uint64_t index;
    uint64_t offset; /* of the body in its object */
    char message[REPORT_MESSAGE_SIZE];
};

struct worker_lane {
    struct worker *w;
    const struct worker_op *op; /* of the operation under way */
    struct request request;
    struct request_spec spec;
    struct workload_item item;
    uint32_t slices[RECORD_SLICES_MAX]; /* of the report: by enum report_by,
                                           numbered from 1; 0: none */
    struct buf name; /* of the item's first key or bucket */
    struct buf batch; /* all of the item's keys, one after another */
    const char **keys; /* into `batch` */
    const char **versions; /* of them */
    struct source_body body;
    struct sink_body sink;
    struct buf token; /* ls: the next page */
    struct buf seen_token; /* of an earlier page, to notice a circle */
    uint64_t pages, empty_pages; /* the latter in a row */
    int64_t due_ns, start_ns; /* start: of this attempt */
    int64_t taken_ns; /* when the operation was taken up: before start_ns if
                         earlier attempts met a dead connection */
    bool resends; /* the next attempt follows such a one */
    uint32_t attempt;
    uint32_t retried; /* of these attempts: how many followed a failure */
    uint32_t mended; /* ... and how many followed a repair */
    unsigned repairs; /* REPAIR_*: what this operation was repaired in */
    const struct worker_endpoint *endpoint; /* of the operation under way,
                                               NULL: none was taken */
    const struct repair_route *route, *next_route; /* NULL: the endpoint's */
    const char *label; /* of where the exchange goes */
    struct worker_kept probed; /* mb of a bucket that exists */
    bool probing; /* HEAD is asked about it */
    struct buf source_key; /* cp */
    struct retry_backoff backoff;
    bool waits; /* prepared, but for its body */
    bool goes_on; /* between two exchanges of an operation */
    struct buf page; /* ls that may be repeated: lines to write */
    bool written; /* some of them are, so it may not */
    bool finished; /* has had its first operation: the window asks */
};

struct worker {
    const struct worker_config *config;
    uint32_t part; /* number of the thread */
    size_t lane_count, first_lane; /* of all threads' lanes, which are ours */
    struct request_maker *makers; /* one for each set of keys */
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

/* The number of lane INDEX among those of all threads and processes. */
size_t worker_lane_number(const struct worker *w, size_t index);

/* Keep the first error. */
void worker_note(int *first, int err);

/* The engine's job, over a struct worker. */
enum engine_offer worker_on_prepare(void *ctx, size_t lane);
struct exchange *worker_on_start(void *ctx, size_t lane, int64_t due_ns,
                                 int64_t start_ns);
enum engine_next worker_on_done(void *ctx, size_t lane, int64_t *resume_ns);

/* LANE's operations are of the kind OP from now on. */
void worker_choose_op(struct worker_lane *lane, const struct worker_op *op);

/* A request_spec's on_entry, over a lane. */
void worker_on_entry(void *ctx, const struct answer_entry *entry);

/* Take an endpoint for LANE's operation, if it has none yet. */
void worker_take_endpoint(struct worker_lane *lane);

/* LANE's operation is over. */
void worker_give_endpoint(struct worker_lane *lane);

/* The service that LANE's operation is about. */
const struct request_service *worker_service(const struct worker_lane *lane);

/* Where the next request of LANE goes, and for which region. */
void worker_choose_route(struct worker_lane *lane);

/* Whether a refusal says how to sign better, and another attempt does: R is
 * handed on then. O's message becomes what can be said about it. */
bool worker_mend(struct worker_lane *lane, struct record *r,
                 struct request_outcome *o);

/* Whether a HEAD is to follow mb's refusal; its end, after which what became
 * of mb is handed on; the same without an answer. */
bool worker_probe(struct worker_lane *lane, const struct record *r,
                  const struct request_outcome *o);
void worker_end_probe(struct worker_lane *lane);
void worker_drop_probe(struct worker_lane *lane);

/* R becomes the record of LANE's exchange, which came to O. */
void worker_fill_record(struct record *r, const struct worker_lane *lane,
                        const struct request_outcome *o);

/* Whether the operation goes on with another attempt, and when. R is marked
 * then, and handed on. */
bool worker_try_again(struct worker_lane *lane, struct record *r,
                      const struct request_outcome *o, int64_t *resume_ns);

/* Write the lines of a page that will not be repeated. */
void worker_write_page(struct worker_lane *lane);

/* Whether a listing goes on, with the token or marker of its next page
 * kept. */
bool worker_next_page(struct worker_lane *lane, struct request_outcome *o);

/* Whether another request belongs to what LANE does: it is an operation of its
 * own, with its own record. */
bool worker_next_step(struct worker_lane *lane,
                      const struct request_outcome *o);

/* Write a line for the id by which an upload goes on. */
void worker_write_upload(struct worker_lane *lane);

/* Count operations that were waiting for another attempt at the end. */
void worker_count_waiting(struct worker *w);

/* Write R to the log only. */
void worker_log(struct worker *w, const struct record *r, uint64_t index,
                const char *message, bool wait);

/* Hand on the record of a finished operation; WAIT: the clock has stopped. */
void worker_emit(struct worker *w, const struct record *r, uint64_t index,
                 const char *message, bool wait);

/* A body that was compared and differs makes its operation a failure. */
void worker_blame_difference(struct record *r, const struct sink_body *sink,
                             char *message, size_t size);

#endif
