/* SPDX-License-Identifier: MIT */
/*
 * The event loop: keeps lanes busy, or starts them when operations are due,
 * until nothing is left to do, time is up, or it is told to stop. Knows
 * nothing of S3 and nothing of libcurl.
 *
 * Life of a lane: prepare (what comes next, untimed), start (taken up: the
 * service time begins), done (the exchange has ended); then prepare again.
 * An operation may need several lanes: those that are parked help the one
 * that was given it.
 * Threads: one engine belongs to one thread.
 */
#ifndef S3PERF_ENGINE_H
#define S3PERF_ENGINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histogram.h"
#include "pace.h"
#include "transport.h"
#include "window.h"

struct engine;

/* What prepare() has for a free lane. */
enum engine_offer {
    ENGINE_NOTHING, /* nothing is left for it */
    ENGINE_READY, /* an operation */
    ENGINE_NOT_YET, /* one that cannot begin yet: ask again soon */
    ENGINE_PARKED /* nothing of its own: it helps with other lanes'
                     operations, whenever engine_wake() names it */
};

/* How a lane goes on when its exchange has ended. */
enum engine_next {
    ENGINE_FREE, /* its operation is over */
    ENGINE_AGAIN, /* another exchange of it (a further page, another attempt),
                     unless the run is at its end */
    ENGINE_MORE, /* another one, which belongs to the operation: also while
                    what is in flight drains */
    ENGINE_HOLD /* it is not over, and waits for engine_wake() */
};

struct engine_job {
    void *ctx;
    /* Called once before all others, when not NULL. */
    void (*attach)(void *ctx, struct engine *engine);
    /* LANE is free: make its next operation ready, body and all. */
    enum engine_offer (*prepare)(void *ctx, size_t lane);
    /* Take up LANE's operation, which was due at DUE_NS; START_NS was
     * stamped just now. Returns what to carry out, or NULL when the
     * tool itself has failed: the run then ends. */
    struct exchange *(*start)(void *ctx, size_t lane, int64_t due_ns,
                              int64_t start_ns);
    /* LANE's exchange has ended. When its operation goes on, start() is
     * called again without prepare(): at RESUME_NS if that was set (a pause
     * before the next attempt), else at once, or after engine_wake(). */
    enum engine_next (*done)(void *ctx, size_t lane, int64_t *resume_ns);
};

/* LANE's operation, which it holds, is over: it is free. Of any other lane,
 * nothing happens. Threads: only from the job's callbacks. */
void engine_release(struct engine *engine, size_t lane);

/*
 * Let LANE, which is parked or holds an operation, have an exchange: start()
 * is called for it soon, from the loop. Of any other lane, nothing happens.
 * Threads: only from the job's callbacks.
 */
void engine_wake(struct engine *engine, size_t lane);

struct engine_config {
    size_t lanes; /* exchanges in flight at most */
    size_t helpers; /* of these lanes, the last so many are parked from the
                       start: they are never prepared */
    int64_t drain_ns; /* after the end: how long to wait for what is in
                         flight before it is cancelled */
    const atomic_int *stop; /* not 0: end; set by a signal handler, which
                               also makes wake_fd readable */
    int wake_fd; /* an eventfd that nobody reads; -1: none */
    struct window *window; /* when the run begins and ends; a stop closes it */
    int64_t ramp_ns; /* closed loop: lanes start spread over this time */
    size_t first_lane, all_lanes; /* where these lanes stand among those of
                                     all threads; 0: there are no others */
    int64_t think_ns; /* closed loop: a lane's pause after each operation */
    struct pace *pace; /* open loop: when operations are due; NULL: closed */
    struct transport_config transport; /* lanes, epoll_fd, done and ctx are
                                          filled in here */
};

/* What the loop saw of itself. */
struct engine_stats {
    struct histogram *lag; /* the caller's: how late the loop handled what
                              epoll had reported, or started what was due */
    uint64_t started; /* operations taken up, not counting further
                         exchanges */
    uint64_t due; /* open loop: arrivals until the end */
    uint64_t backlog[3]; /* due but not started after 2/3, 5/6 and all of
                            the time */
    int64_t late_ns; /* open loop: how late the last start was */
    int64_t last_due_ns;
    int64_t ran_ns, waited_ns; /* how long the loop ran, and for how much of
                                  it there was nothing to do */
    uint64_t cancelled; /* in flight when the drain time was over */
    uint32_t retransmits; /* of the transport's connections */
    uint64_t tcp_bytes, tcp_segments; /* likewise */
    uint64_t kernel_bytes; /* most that their buffers held */
    struct transport_tls tls;
};

/*
 * Open loop: whether the rate was not delivered to this loop (design 3.8).
 * With a deadline: fewer than 99 % of the due operations were started by
 * then, or the backlog grew through the last third. Without one all are
 * started in the end: the last one came too late.
 */
bool engine_missed_rate(const struct engine_stats *stats,
                        const struct window *window);

/*
 * Run JOB over OPS until every lane has nothing left, the window closes, or
 * *stop is set. STATS, whose lag is set, is filled in.
 * Returns: 0, also when operations failed or the run was stopped; an errno
 *          value when the tool itself failed (memory, descriptors).
 */
int engine_run(const struct engine_config *config,
               const struct transport_ops *ops, const struct engine_job *job,
               struct engine_stats *stats);

#endif
