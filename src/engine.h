/* SPDX-License-Identifier: MIT */
/*
 * The event loop: keeps lanes busy until nothing is left to do, or until it
 * is told to stop. Knows nothing of S3 and nothing of libcurl.
 *
 * Life of a lane: prepare (what comes next, untimed), start (taken up: the
 * service time begins), done (the exchange has ended); then prepare again.
 * Threads: one engine belongs to one thread.
 */
#ifndef S3PERF_ENGINE_H
#define S3PERF_ENGINE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport.h"

struct engine_job {
    void *ctx;
    /* LANE is free: make its next operation ready, body and all. Returns
     * false when nothing is left for it. */
    bool (*prepare)(void *ctx, size_t lane);
    /* Take up LANE's operation, which was due at DUE_NS; START_NS was
     * stamped just now. Returns what to carry out, or NULL when the
     * tool itself has failed: the run then ends. */
    struct exchange *(*start)(void *ctx, size_t lane, int64_t due_ns,
                              int64_t start_ns);
    /* LANE's exchange has ended. Returns true when its operation goes on
     * with another exchange (a further page, another attempt): start() is
     * called again without prepare(). */
    bool (*done)(void *ctx, size_t lane);
};

struct engine_config {
    size_t lanes; /* operations in flight at most */
    int64_t drain_ns; /* after a stop: how long to wait for what is in flight
                         before it is cancelled */
    const volatile sig_atomic_t *stop; /* set by a handler of SIGINT and
                                          SIGTERM, which are blocked here but
                                          while the loop waits; other threads
                                          must have them blocked */
    struct transport_config transport; /* lanes, epoll_fd, done and ctx are
                                          filled in here */
};

/*
 * Run JOB over OPS until every lane has nothing left, or *stop is set.
 * Returns: 0, also when operations failed or the run was stopped; an errno
 *          value when the tool itself failed (memory, descriptors).
 */
int engine_run(const struct engine_config *config,
               const struct transport_ops *ops, const struct engine_job *job);

#endif
