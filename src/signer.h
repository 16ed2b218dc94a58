/* SPDX-License-Identifier: MIT */
/*
 * The choice between the versions of a signature: one table of functions
 * each, so that whoever makes a request does not ask which one it is.
 */
#ifndef S3PERF_SIGNER_H
#define S3PERF_SIGNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "clock.h"
#include "sigv2.h"
#include "sigv4.h"

#define SIGNER_DATE_SIZE CLOCK_HTTP_SIZE /* the longer of the two dates */

/* What is signed, for either version. Nothing is owned. */
struct signer_request {
    const char *method;
    const char *bucket; /* "" for none; looked at when virtual_host */
    bool virtual_host;
    const char *path, *query; /* encoded; canonical */
    const struct sigv4_header *headers;
    size_t header_count;
    const char *payload; /* what x-amz-content-sha256 says */
};

/* With what. `stamp` is the time in SigV4's form for both versions. */
struct signer_keys {
    struct sigv4_scope scope;
    const char *token; /* of a session, NULL for none */
};

/* The texts of the last signature, until the next. */
struct signer_result {
    const char *canonical; /* the canonical request, NULL where none is */
    const char *to_sign, *signature;
    const char *authorization; /* the header's value, "" for a URL */
    const char *query; /* a URL's whole query, "" for the header */
};

struct signer_ops;

struct signer {
    const struct signer_ops *ops;
    struct signer_result result;
    struct sigv4 *sigv4;
    struct sigv4_texts texts;
    struct sigv2_texts v2;
};

/*
 * Errors: as sigv4_sign(); of presign() also ERANGE for an expiry that the
 * version does not allow, and EINVAL for a stamp that is no time.
 */
struct signer_ops {
    const char *name; /* "v4" */
    const char *date_header; /* its name */
    bool payload_header; /* x-amz-content-sha256 is sent and signed */
    void (*format_date)(char out[SIGNER_DATE_SIZE], time_t wall);
    int (*sign)(struct signer *s, const struct signer_request *r,
                const struct signer_keys *keys);
    int (*presign)(struct signer *s, const struct signer_request *r,
                   const struct signer_keys *keys, uint32_t expires_s);
};

extern const struct signer_ops signer_v4, signer_v2;

/* Returns: the table called NAME, or NULL. */
const struct signer_ops *signer_find(const char *name);

/* Add what was computed as people read it: canonical request, string to
 * sign, signature; session tokens and customers' keys as asterisks.
 * Returns 0 or a buffer's errno value. */
int signer_explain(struct buf *out, const struct signer_result *r);

/* Overwrite session token and customer's key, which TEXT may show as a
 * header's line or as a parameter. */
void signer_mask_token(char *text);

int signer_init(struct signer *s, const struct signer_ops *ops);
void signer_clear(struct signer *s);

#endif
