/* SPDX-License-Identifier: MIT */
/*
 * Carries exchanges, one at a time per lane, on the lane's connection. A
 * table of functions, so that the load path can have another carrier
 * than libcurl without its neighbours noticing. Knows no S3.
 * Threads: one transport belongs to one thread.
 */
#ifndef S3PERF_TRANSPORT_H
#define S3PERF_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exchange.h"

/* Tags that the transport gives to epoll keep the top bit clear; those with
 * it set belong to the engine. */
#define TRANSPORT_TAG_FOREIGN (UINT64_C(1) << 63)

struct transport; /* one carrier's state */

struct transport_config {
    size_t lanes; /* exchanges in flight at most */
    int epoll_fd; /* where sockets are registered; the engine's */
    /* Called when LANE's exchange has ended, from within ready() or
     * expire(); it may start() the lane again. */
    void (*done)(void *ctx, size_t lane);
    void *ctx;
    size_t shard_lanes; /* how many share one pool of connections; 0: the
                           transport's own choice */
    size_t destinations; /* hosts and addresses that a lane may need a
                            connection to; 0: one */
    bool reuse; /* keep connections for the next exchange */
    bool tls_resume; /* new connections may resume a TLS session */
    int64_t connect_timeout_ns, timeout_ns; /* 0: none */
    const char *ca_file; /* NULL: the system's */
    const char *cert_file, *key_file; /* client certificate, PEM; NULL: none,
                                         in the same file */
    const char *const *resolves; /* HOST:PORT:ADDR: fixed addresses */
    size_t resolve_count;
    const char *interface; /* connect from this one, or this address; NULL:
                              as the system likes */
    bool insecure; /* do not verify TLS */
    int tls_minor; /* TLS 1.2 or 1.3 only: 2 or 3; 0: what both sides can */
    const char *ciphers; /* of TLS 1.2 and before, and of TLS 1.3; NULL: */
    const char *suites; /* OpenSSL's own */
    const char *proxy; /* URL of what to go through; NULL: nothing, whatever
                          the environment says */
    bool large_upload; /* bodies of 64 KiB and more go out */
    bool large_download;
    bool expect_100; /* wait for the server's word before a body is sent */
    void (*trace)(void *ctx, const char *line); /* -v; NULL: silent */
    void *trace_ctx;
};

/* Connections that LANES may hold open to so many DESTINATIONS: to a few, one
 * for each lane; to many, what is rarely surpassed, for to look through a
 * large pool costs each exchange time. */
size_t transport_pool(size_t lanes, size_t destinations);

/* What TLS connections agreed on: version and cipher suite in TLS's own
 * numbers, 0x03041302 for example; 0: none. */
struct transport_tls {
    uint32_t first; /* what the first of them did */
    uint32_t other; /* another one, if there was any */
    uint64_t handshakes;
    uint64_t resumed; /* of these: those that resumed a session */
};

/* What its connections add up to. */
struct transport_totals {
    uint32_t retransmits; /* TCP segments sent again, closed ones included */
    uint64_t tcp_bytes; /* that TCP carried for us, both ways, closed ones
                           included: headers, TLS, what was sent again */
    uint64_t tcp_segments; /* in which it did */
    uint64_t kernel_bytes; /* in socket buffers of this side, now */
    struct transport_tls tls;
};

struct transport_ops {
    const char *name; /* "libcurl/7.88.1 OpenSSL/3.0.19": for reports */
    int (*open)(struct transport **out, const struct transport_config *c);
    /* Begin; the outcome comes through done(). X must live until then.
     * Returns 0, or ENOMEM, with X untouched. */
    int (*start)(struct transport *t, size_t lane, struct exchange *x);
    /* epoll reported EVENTS for TAG. */
    void (*ready)(struct transport *t, uint64_t tag, uint32_t events);
    /* When expire() wants to be called; INT64_MAX for never. */
    int64_t (*deadline)(const struct transport *t);
    void (*expire)(struct transport *t, int64_t now_ns);
    /* End LANE's exchange at once, with EXCHANGE_ABORTED, without done(). */
    void (*cancel)(struct transport *t, size_t lane);
    void (*survey)(struct transport *t, struct transport_totals *totals);
    void (*close)(struct transport *t); /* cancels what is in flight */
};

/* libcurl's carrier. Threads: call once before any thread is started. */
const struct transport_ops *transport_curl(void);

#endif
