/* SPDX-License-Identifier: MIT */
/*
 * One HTTP exchange as plain data: what to send, where the answer goes, and
 * how it went. The request module fills the upper half, the transport
 * carries it out and fills the lower half; neither knows the other.
 */
#ifndef S3PERF_EXCHANGE_H
#define S3PERF_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXCHANGE_HEADERS_MAX 48
#define EXCHANGE_NONE INT64_MIN /* a moment that was not reached */

/* Fills OUT with the N bytes of the body at OFFSET; never fails. */
typedef void exchange_read_fn(void *ctx, void *out, size_t n, uint64_t offset);

enum exchange_error {
    EXCHANGE_OK,
    EXCHANGE_LOOKUP, /* the name could not be resolved */
    EXCHANGE_CONNECT, /* refused, unreachable */
    EXCHANGE_CONNECT_TIMEOUT,
    EXCHANGE_TLS, /* handshake failed */
    EXCHANGE_CERTIFICATE, /* the peer's certificate is not trusted */
    EXCHANGE_TIMEOUT, /* the whole exchange took too long */
    EXCHANGE_RESET, /* connection broke before or within the answer */
    EXCHANGE_STALE, /* a reused connection broke as the request was sent:
                       nothing of an answer came, it was not sent again */
    EXCHANGE_SHORT, /* the body ended before its promised length */
    EXCHANGE_PROTOCOL, /* not HTTP, or headers beyond the limit */
    EXCHANGE_ABORTED, /* on_body refused */
    EXCHANGE_CANCELLED, /* given up when the run ended */
    EXCHANGE_INTERNAL /* the transport itself failed (memory) */
};

struct exchange {
    /* What to send; all texts are the sender's until `done`. */
    const char *method;
    const char *scheme; /* "http" or "https" */
    const char *host; /* name or address to connect to; IPv6 in brackets */
    const char *address; /* connect to this one of the name's addresses; NULL:
                            look it up */
    uint16_t port;
    const char *target; /* encoded path and query, sent as it is */
    const char *headers[EXCHANGE_HEADERS_MAX]; /* "Name: value", Host among
                                                  them */
    size_t header_count;
    const void *body; /* in memory, or NULL: `read` gives it */
    exchange_read_fn *read;
    void *read_ctx;
    uint64_t body_len; /* exact; sent as Content-Length when has_body */
    bool has_body; /* PUT and POST, also when empty */
    bool head; /* the answer has no body, whatever its length says */

    /* Where the answer goes. NAME is as sent. */
    void (*on_header)(void *ctx, const char *name, size_t name_len,
                      const char *value, size_t value_len);
    /* Returns false to abort the exchange. */
    bool (*on_body)(void *ctx, const void *bytes, size_t n);
    /* N more body bytes have crossed, in either direction; may be NULL. */
    void (*on_wire)(void *ctx, size_t n);
    void *wire_ctx;
    void *ctx;

    /* How it went. Moments are CLOCK_MONOTONIC nanoseconds, EXCHANGE_NONE
     * when they were not reached. */
    enum exchange_error error;
    char detail[160]; /* the transport's own words, "" when fine */
    int status; /* HTTP; 0 when no answer came */
    int64_t sent_ns; /* the last byte was handed to the kernel */
    int64_t first_ns; /* first header line of the final answer */
    int64_t body_ns; /* first body byte */
    int64_t end_ns; /* last byte, or the failure */
    int64_t lookup_ns, connect_ns, tls_ns; /* done with each; not reached on
                                              a reused connection */
    uint64_t sent_bytes, received_bytes; /* body bytes */
    int64_t promised_bytes; /* the answer's Content-Length, -1 without */
    bool reused;
    bool untouched; /* STALE: the peer's TCP has acknowledged nothing of it,
                       so that nobody can have acted on it */
    uint32_t connections; /* opened for this exchange */
};

/* A fixed name for records: "connect", "timeout", ...; NULL for OK. */
const char *exchange_error_name(enum exchange_error error);

#endif
