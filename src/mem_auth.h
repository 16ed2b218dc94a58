/* SPDX-License-Identifier: MIT */
/*
 * Is a request signed as it should be? Signature versions 4 and 2, in the
 * Authorization header or in the query (presigned URLs). The path is taken
 * raw, as it arrived; of version 4 the query is made canonical first.
 * Sources: AWS, "Authenticating Requests (AWS Signature Version 4)";
 * AWS, "Signing and Authenticating REST Requests" (version 2).
 */
#ifndef S3PERF_MEM_AUTH_H
#define S3PERF_MEM_AUTH_H

#include <stdbool.h>
#include <time.h>

#include "mem_answer.h"
#include "mem_request.h"

#define MEM_SKEW_MAX_S (15 * 60)
#define MEM_EXPIRES_MAX_S (7 * 24 * 3600) /* of a presigned URL */

struct mem_keys {
    const char *access_key, *secret_key, *region;
    const char *token; /* the session's; NULL: none is taken */
    bool anonymous; /* requests without a signature are fine */
};

enum mem_auth_kind {
    MEM_AUTH_NONE,
    MEM_AUTH_V4,
    MEM_AUTH_V4_QUERY,
    MEM_AUTH_V2,
    MEM_AUTH_V2_QUERY
};

/* How a request is signed; also when the signature is a wrong one. */
struct mem_auth {
    enum mem_auth_kind kind;
    const char *signed_headers; /* "a;b" of version 4; points into R */
    size_t signed_headers_len;
    /* Of version 4, once it is checked: what chunks go on from. */
    char signature[SIGV4_HEX_SIZE];
    char stamp[CLOCK_AMZ_SIZE];
};

/* "none", "v4", "v4-query", "v2", "v2-query" */
const char *mem_auth_name(enum mem_auth_kind kind);

/* A thread's own signer, with its cached key and its buffers. */
struct mem_signer;

/* Returns: 0 with *OUT for mem_signer_free(), or ENOMEM. */
int mem_signer_new(struct mem_signer **out);
void mem_signer_free(struct mem_signer *s);

/* The signature of what is no request: see sigv4_sign_lines(). */
int mem_signer_sign(struct mem_signer *s, char signature[SIGV4_HEX_SIZE],
                    const struct mem_keys *keys, const char *stamp,
                    const char *algorithm, const char *const *lines,
                    size_t count);

/*
 * Check R, decoded, against KEYS at the time NOW; OUT is about R then.
 * Returns: true; or false with the error in ANSWER.
 */
bool mem_auth_check(struct mem_signer *s, struct mem_auth *out,
                    struct mem_answer *answer, const struct mem_request *r,
                    const struct mem_keys *keys, time_t now);

/* Version 2, in mem_auth_v2.c; QUERY: presigned. As mem_auth_check(). */
bool mem_auth_check_v2(struct mem_answer *answer, const struct mem_request *r,
                       const struct mem_keys *keys, time_t now, bool query);

/* Is the time AT, which the request writes as STAMP, close enough to NOW? */
bool mem_auth_check_skew(struct mem_answer *answer, const char *stamp,
                         time_t at, time_t now);

/* Is TOKEN, NULL for none, the session token that KEYS ask for? */
bool mem_auth_check_token(struct mem_answer *answer,
                          const struct mem_keys *keys, const char *token);

#endif
