/* SPDX-License-Identifier: MIT */
/* The query form of a signature: presigned URLs. */
#include "config.h"

#include "sigv4.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "uri.h"

#define ALGORITHM "AWS4-HMAC-SHA256"
#define PARAMS_MAX ((size_t) 1 << 16)

/* Add "NAME=" and the encoded VALUE. */
static int
add_param(struct buf *out, const char *name, const char *value)
{
    int err = buf_adds(out, name);

    return err != 0 ? err : uri_encode(out, value, strlen(value), false);
}

/* Write the parameters of a signature in the order of their names. */
static int
write_params(struct buf *out, const struct sigv4_scope *scope,
             uint32_t expires_s, const char *token, const char *signed_headers)
{
    char expires[16];
    int err;

    snprintf(expires, sizeof(expires), "%u", expires_s);
    err = buf_adds(out, "X-Amz-Algorithm=" ALGORITHM);
    if (err == 0)
        err = add_param(out, "&X-Amz-Credential=", scope->access_key);
    if (err == 0)
        err = buf_addf(out, "%%2F%.8s", scope->stamp);
    if (err == 0)
        err = add_param(out, "%2F", scope->region);
    if (err == 0)
        err = add_param(out, "%2F", scope->service);
    if (err == 0)
        err = buf_adds(out, "%2Faws4_request");
    if (err == 0)
        err = add_param(out, "&X-Amz-Date=", scope->stamp);
    if (err == 0)
        err = add_param(out, "&X-Amz-Expires=", expires);
    if (err == 0 && token != NULL)
        err = add_param(out, "&X-Amz-Security-Token=", token);
    if (err == 0)
        err = add_param(out, "&X-Amz-SignedHeaders=", signed_headers);
    return err;
}

/* Whether the parameter at A stands before that at B, by name. */
static bool
is_before(const char *a, const char *b)
{
    size_t a_len = strcspn(a, "=&"), b_len = strcspn(b, "=&");
    int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

    return order != 0 ? order < 0 : a_len <= b_len;
}

/* Write two canonical queries as one. */
static int
merge_queries(struct buf *out, const char *a, const char *b)
{
    int err = 0;

    while (err == 0 && (*a != '\0' || *b != '\0')) {
        bool first = *b == '\0' || (*a != '\0' && is_before(a, b));
        const char **from = first ? &a : &b;
        size_t n = strcspn(*from, "&");

        if (out->len > 0)
            err = buf_addc(out, '&');
        if (err == 0)
            err = buf_add(out, *from, n);
        *from += n + ((*from)[n] == '&');
    }
    return err;
}

int
sigv4_presign(struct sigv4 *s, struct sigv4_texts *t,
              const struct sigv4_request *r, const struct sigv4_scope *scope,
              uint32_t expires_s, const char *token)
{
    struct sigv4_request full = *r;
    struct buf params, query;
    int err;

    if (expires_s == 0 || expires_s > SIGV4_EXPIRES_MAX)
        return ERANGE;
    buf_init(&params, PARAMS_MAX);
    buf_init(&query, t->query.max);
    /* The names of the signed headers are one of the parameters. */
    err = sigv4_sign(s, t, r, scope);
    if (err == 0)
        err = write_params(&params, scope, expires_s, token,
                           t->signed_headers.data);
    if (err == 0)
        err = merge_queries(&query, r->query, params.data);
    full.query = query.data;
    if (err == 0)
        err = sigv4_sign(s, t, &full, scope);
    buf_reset(&t->authorization);
    if (err == 0)
        err = buf_addf(&t->query, "%s&X-Amz-Signature=%s", query.data,
                       t->signature);
    buf_wipe(&params); /* they may hold a token */
    buf_wipe(&query);
    return err;
}
