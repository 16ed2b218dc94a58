/* SPDX-License-Identifier: MIT */
/*
 * One HTTP request and its answer: between libmicrohttpd, whose callbacks
 * these are, and mem_op.
 */
#ifndef S3PERF_MEM_EXCHANGE_H
#define S3PERF_MEM_EXCHANGE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <microhttpd.h>

#include "mem_delay.h"
#include "mem_log.h"
#include "mem_op.h"
#include "mem_pool.h"

/* What all exchanges of a server share. The first part is the caller's. */
struct mem_exchanges {
    const struct mem_service *service;
    const struct mem_pool *pool; /* NULL: objects have bytes of their own */
    struct mem_log *log; /* NULL: none is written */
    int64_t delay_first_ns, delay_last_ns;

    struct mem_delay *delay; /* NULL without delays */
    pthread_key_t local; /* what each thread keeps */
    bool has_local;
    atomic_uint_fast64_t next_id;
    atomic_int_fast64_t lead_ns;
};

/* For at most CONNECTIONS at a time. Returns: 0 or an errno value; either
 * way mem_exchanges_clear() is needed. */
int mem_exchanges_init(struct mem_exchanges *s, size_t connections);
void mem_exchanges_clear(struct mem_exchanges *s);

/* Callbacks of libmicrohttpd, with the struct mem_exchanges as CLS. The
 * context of a connection's socket is the connection's number. */
void *mem_exchange_target(void *cls, const char *target,
                          struct MHD_Connection *connection);
enum MHD_Result mem_exchange_request(void *cls,
                                     struct MHD_Connection *connection,
                                     const char *url, const char *method,
                                     const char *version, const char *body,
                                     size_t *body_len, void **ctx);
void mem_exchange_completed(void *cls, struct MHD_Connection *connection,
                            void **ctx, enum MHD_RequestTerminationCode how);

#endif
