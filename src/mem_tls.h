/* SPDX-License-Identifier: MIT */
/*
 * A key and a certificate for loopback, made at start and signed by
 * itself: localhost, 127.0.0.1, ::1 and the address listened on.
 */
#ifndef S3PERF_MEM_TLS_H
#define S3PERF_MEM_TLS_H

#include "buf.h"

struct mem_tls {
    struct buf key; /* PEM */
    struct buf certificate; /* PEM */
};

/* Make both; ADDRESS is a numeric IP address.
 * Returns: 0 with T for mem_tls_clear(), or EIO when OpenSSL fails. */
int mem_tls_make(struct mem_tls *t, const char *address);

/* Wipes the key; safe twice. */
void mem_tls_clear(struct mem_tls *t);

/* Write the certificate as PATH, which appears whole or not at all.
 * Returns: 0 or an errno value. */
int mem_tls_write(const struct mem_tls *t, const char *path);

#endif
