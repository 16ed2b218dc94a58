/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the probe share. Private to them.
 */
#ifndef S3PERF_PROBE_PARTS_H
#define S3PERF_PROBE_PARTS_H

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

#include <openssl/ssl.h>

#include "options.h"
#include "service.h"

#define PROBE_ADDRESSES_MAX 8
#define PROBE_CONNECTS 5
#define PROBE_TEXT_SIZE 256

enum probe_step {
    PROBE_NONE,
    PROBE_LOOKUP,
    PROBE_CONNECT,
    PROBE_TLS,
    PROBE_CERTIFICATE,
    PROBE_HTTP
};

struct probe_address {
    struct sockaddr_storage socket;
    socklen_t len;
    char text[INET6_ADDRSTRLEN];
};

struct probe {
    const struct options *o;
    struct service service;
    char name[ENDPOINT_HOST_MAX + 1]; /* of the host, without brackets */

    enum probe_step failed;
    char message[PROBE_TEXT_SIZE]; /* why */

    struct probe_address addresses[PROBE_ADDRESSES_MAX];
    size_t address_count;
    int64_t lookup_ns;
    const struct probe_address *address; /* that could be connected to */
    int64_t connect_ns; /* the least of `connects` */
    uint32_t connects;

    int fd; /* -1: none */
    SSL_CTX *ssl_context;
    SSL *ssl; /* NULL: plain http */
    int64_t tls_ns;
    char tls_version[16], tls_cipher[64];
    char subject[PROBE_TEXT_SIZE], issuer[PROBE_TEXT_SIZE];
    time_t expires; /* 0: not known */
    bool verified;
    char verify_message[PROBE_TEXT_SIZE];

    int status; /* HTTP; 0: no answer */
    int64_t answer_ns;
    char server[PROBE_TEXT_SIZE], date[64];
    bool aged; /* the answer came out of a cache, and so did its date */
    bool offset_known;
    int64_t offset_s; /* the server's clock minus ours */
};

/* Note that STEP failed. Returns false. */
bool probe_fail(struct probe *p, enum probe_step step, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Wait until FD can be read or written. False when the time is over. */
bool probe_wait(int fd, short events, int64_t deadline_ns);

/* Each step: false when it failed, which is noted. */
bool probe_lookup(struct probe *p);
bool probe_connect(struct probe *p);
bool probe_tls(struct probe *p);
bool probe_http(struct probe *p);

#endif
