/* SPDX-License-Identifier: MIT */
/*
 * AWS Signature Version 4 as S3 uses it: request + keys + time to an
 * Authorization header, or to the query of a URL. A pure function: no clock, no
 * network; memory only in sigv4_new(), for a new key and in the first use of a
 * text buffer (the three digests of a signature cost OpenSSL 3.0 one small
 * state each). Source: AWS, "Authenticating Requests (AWS Signature Version
 * 4)", S3 API reference; tested with the vectors in t/data/.
 */
#ifndef S3PERF_SIGV4_H
#define S3PERF_SIGV4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "clock.h"

#define SIGV4_HEX_SIZE 65 /* 64 hex digits and NUL */
#define SIGV4_HEADERS_MAX 64
#define SIGV4_EMPTY_HASH                                                       \
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define SIGV4_UNSIGNED "UNSIGNED-PAYLOAD"
#define SIGV4_EXPIRES_MAX 604800u /* seconds that a URL may be good for */

struct sigv4_header {
    const char *name; /* any case */
    const char *value; /* as sent; canonicalised here */
};

/* What is signed. Nothing is owned; all texts end in NUL. */
struct sigv4_request {
    const char *method;
    const char *path; /* encoded, "/" at least */
    const char *query; /* canonical, "" for none */
    const struct sigv4_header *headers; /* all that are to be signed */
    size_t header_count; /* at most SIGV4_HEADERS_MAX */
    const char *payload_hash; /* hex SHA-256 or a literal such as
                                 SIGV4_UNSIGNED: the last canonical line */
};

/* What a signature is valid for. Not owned. */
struct sigv4_scope {
    const char *access_key;
    const char *secret_key;
    const char *region;
    const char *service; /* "s3" */
    const char *stamp; /* "20130524T000000Z" */
};

/*
 * A signer: digest objects and the derived key, which is cached until
 * secret, day, region or service change. One thread at a time.
 */
struct sigv4;

/* Returns: 0 with *OUT to be freed by sigv4_free(), or ENOMEM. */
int sigv4_new(struct sigv4 **out);

/* Wipes the derived key. NULL is fine. */
void sigv4_free(struct sigv4 *s);

/* What was computed on the way; the buffers are the caller's, reset here
 * and reused, so that a warmed-up signature allocates nothing. */
struct sigv4_texts {
    struct buf canonical; /* the canonical request */
    struct buf to_sign; /* the string to sign */
    struct buf signed_headers; /* "host;x-amz-date" */
    struct buf authorization; /* the header's value; "" for a URL */
    struct buf query; /* a URL's, with its signature; "" for the header */
    char signature[SIGV4_HEX_SIZE];
};

void sigv4_texts_init(struct sigv4_texts *t);
void sigv4_texts_clear(struct sigv4_texts *t);

/*
 * Sign R within SCOPE into T.
 * Headers are lower-cased, trimmed, inner runs of blanks squeezed, sorted
 * by name; repeated names are joined by commas in the order given.
 * Returns: 0, E2BIG above SIGV4_HEADERS_MAX, EINVAL for a bad stamp, ENOMEM
 *          or EMSGSIZE of a buffer, EIO if OpenSSL fails.
 */
int sigv4_sign(struct sigv4 *s, struct sigv4_texts *t,
               const struct sigv4_request *r, const struct sigv4_scope *scope);

/*
 * The query form: R's query, which is canonical already, and the parameters
 * X-Amz-... are merged, signed, and with the signature at the end become
 * T's `query`. The URL is good for EXPIRES_S seconds from the scope's stamp.
 * TOKEN: the session's, NULL without. R's headers are what a user of the URL
 * must send; host is one of them.
 * Returns: as sigv4_sign(); ERANGE for an expiry of 0 or above the maximum.
 */
int sigv4_presign(struct sigv4 *s, struct sigv4_texts *t,
                  const struct sigv4_request *r,
                  const struct sigv4_scope *scope, uint32_t expires_s,
                  const char *token);

/*
 * Sign what is not a request: TO_SIGN becomes ALGORITHM, the scope's stamp,
 * the scope, and the COUNT lines (at most SIGV4_LINES_MAX).
 * Returns: as sigv4_sign().
 */
#define SIGV4_LINES_MAX 3
int sigv4_sign_lines(struct sigv4 *s, struct buf *to_sign,
                     char signature[SIGV4_HEX_SIZE],
                     const struct sigv4_scope *scope, const char *algorithm,
                     const char *const *lines, size_t count);

/* Hex SHA-256 of N bytes. */
void sigv4_hash_hex(char out[SIGV4_HEX_SIZE], const void *bytes, size_t n);

/* Lower-case hex of N bytes, NUL at out[2 * n]. */
void sigv4_hex(char *out, const unsigned char *bytes, size_t n);

#endif
