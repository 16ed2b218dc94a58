/* SPDX-License-Identifier: MIT */
/*
 * The HTTP side of s3mem: libmicrohttpd carries requests to mem_op and its
 * answers back, by mem_exchange.
 */
#ifndef S3PERF_MEM_SERVER_H
#define S3PERF_MEM_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "mem_log.h"
#include "mem_op.h"
#include "mem_pool.h"
#include "mem_tls.h"

/* libmicrohttpd 0.9.75 can fall asleep when 128 connections of a thread are
 * ready at once, so that a thread never gets that many. */
#define MEM_CONNECTIONS_PER_THREAD 120
#define MEM_THREADS_DEFAULT 16
#define MEM_THREADS_MAX 256

struct mem_server;

struct mem_server_config {
    const struct mem_service *service; /* must outlive the server */
    const struct mem_pool *pool; /* for a null store, else NULL */
    const char *listen; /* a numeric IP address, or "localhost" */
    uint16_t port; /* 0: any free one */
    const struct mem_tls *tls; /* NULL: plain HTTP */
    struct mem_log *log; /* NULL: none is written */
    unsigned threads;
    int64_t delay_first_ns, delay_last_ns;
};

/*
 * Listen and serve, on threads of its own.
 * Returns: 0 with *OUT for mem_server_stop(); or an errno value with WHAT
 *          set to the static text of what failed ("listen", ...).
 */
int mem_server_start(struct mem_server **out, const char **what,
                     const struct mem_server_config *config);

/* Add the server's URL. Returns 0 or a buffer's errno value. */
int mem_server_url(const struct mem_server *s, struct buf *out);

/* How many connections it takes; fewer than MEM_CONNECTIONS_PER_THREAD for
 * each thread when the limit of open files stands in the way. */
unsigned mem_server_connections(const struct mem_server *s);

/* End all connections and free. NULL is fine. */
void mem_server_stop(struct mem_server *s);

#endif
