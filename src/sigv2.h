/* SPDX-License-Identifier: MIT */
/*
 * AWS Signature Version 2 for S3, which old stores still ask for: request +
 * keys to an Authorization header, or to the query of a URL. A pure function,
 * as sigv4.
 * Source: AWS, "Signing and Authenticating REST Requests", S3 developer
 * guide; tested with the examples in t/data/.
 */
#ifndef S3PERF_SIGV2_H
#define S3PERF_SIGV2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "sigv4.h"

#define SIGV2_BASE64_SIZE 29 /* 20 bytes of HMAC-SHA1, and NUL */

/* What is signed. Nothing is owned; all texts end in NUL. */
struct sigv2_request {
    const char *method;
    const char *bucket; /* one that stands in the host name; "" when it is in
                           the path, or when there is none */
    const char *path; /* encoded, as sent */
    const char *query; /* canonical, "" for none */
    /* As sent. Content-MD5, Content-Type, Date and x-amz-* are signed; the
     * Date's place stays empty when there is an x-amz-date. */
    const struct sigv4_header *headers;
    size_t header_count; /* at most SIGV4_HEADERS_MAX */
};

/* The buffers are the caller's, reset here and reused. */
struct sigv2_texts {
    struct buf to_sign; /* the string to sign */
    struct buf authorization; /* the header's value; "" for a URL */
    struct buf query; /* a URL's, with its signature; "" for the header */
    char signature[SIGV2_BASE64_SIZE];
};

void sigv2_texts_init(struct sigv2_texts *t);
void sigv2_texts_clear(struct sigv2_texts *t);

/*
 * Sign R into T with the keys.
 * Returns: 0, E2BIG for too many headers, ENOMEM or EMSGSIZE of a buffer,
 *          EINVAL for a query that is not canonical, EIO if OpenSSL fails.
 */
int sigv2_sign(struct sigv2_texts *t, const struct sigv2_request *r,
               const char *access_key, const char *secret_key);

/*
 * The query form, good until EXPIRES (seconds since 1970). TOKEN: the
 * session's, NULL without; it becomes a parameter that counts as a header.
 * Returns: as sigv2_sign().
 */
int sigv2_presign(struct sigv2_texts *t, const struct sigv2_request *r,
                  const char *access_key, const char *secret_key,
                  uint64_t expires, const char *token);

#endif
