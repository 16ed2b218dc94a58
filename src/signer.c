/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "signer.h"

#include <errno.h>
#include <string.h>

/* --- version 4 --- */

static struct sigv4_request
request_v4(const struct signer_request *r)
{
    return (struct sigv4_request){.method = r->method,
                                  .path = r->path,
                                  .query = r->query,
                                  .headers = r->headers,
                                  .header_count = r->header_count,
                                  .payload_hash = r->payload};
}

static void
show_v4(struct signer *s)
{
    s->result =
        (struct signer_result){.canonical = s->texts.canonical.data,
                               .to_sign = s->texts.to_sign.data,
                               .signature = s->texts.signature,
                               .authorization = s->texts.authorization.data,
                               .query = s->texts.query.data};
}

static int
sign_v4(struct signer *s, const struct signer_request *r,
        const struct signer_keys *keys)
{
    struct sigv4_request request = request_v4(r);
    int err = sigv4_sign(s->sigv4, &s->texts, &request, &keys->scope);

    show_v4(s);
    return err;
}

static int
presign_v4(struct signer *s, const struct signer_request *r,
           const struct signer_keys *keys, uint32_t expires_s)
{
    struct sigv4_request request = request_v4(r);
    int err = sigv4_presign(s->sigv4, &s->texts, &request, &keys->scope,
                            expires_s, keys->token);

    show_v4(s);
    return err;
}

/* --- version 2 --- */

static struct sigv2_request
request_v2(const struct signer_request *r)
{
    return (struct sigv2_request){.method = r->method,
                                  .bucket = r->virtual_host ? r->bucket : "",
                                  .path = r->path,
                                  .query = r->query,
                                  .headers = r->headers,
                                  .header_count = r->header_count};
}

static void
show_v2(struct signer *s)
{
    s->result =
        (struct signer_result){.to_sign = s->v2.to_sign.data,
                               .signature = s->v2.signature,
                               .authorization = s->v2.authorization.data,
                               .query = s->v2.query.data};
}

static int
sign_v2(struct signer *s, const struct signer_request *r,
        const struct signer_keys *keys)
{
    struct sigv2_request request = request_v2(r);
    int err = sigv2_sign(&s->v2, &request, keys->scope.access_key,
                         keys->scope.secret_key);

    show_v2(s);
    return err;
}

static int
presign_v2(struct signer *s, const struct signer_request *r,
           const struct signer_keys *keys, uint32_t expires_s)
{
    struct sigv2_request request = request_v2(r);
    time_t wall;
    int err;

    if (!clock_parse_amz(&wall, keys->scope.stamp))
        return EINVAL;
    if (expires_s == 0)
        return ERANGE;
    err = sigv2_presign(&s->v2, &request, keys->scope.access_key,
                        keys->scope.secret_key, (uint64_t) wall + expires_s,
                        keys->token);
    show_v2(s);
    return err;
}

/* --- public --- */

const struct signer_ops signer_v4 = {.name = "v4",
                                     .date_header = "x-amz-date",
                                     .payload_header = true,
                                     .format_date = clock_format_amz,
                                     .sign = sign_v4,
                                     .presign = presign_v4};

const struct signer_ops signer_v2 = {.name = "v2",
                                     .date_header = "Date",
                                     .format_date = clock_format_http,
                                     .sign = sign_v2,
                                     .presign = presign_v2};

const struct signer_ops *
signer_find(const char *name)
{
    if (strcmp(name, signer_v4.name) == 0)
        return &signer_v4;
    return strcmp(name, signer_v2.name) == 0 ? &signer_v2 : NULL;
}

int
signer_init(struct signer *s, const struct signer_ops *ops)
{
    *s = (struct signer){.ops = ops};
    sigv4_texts_init(&s->texts);
    sigv2_texts_init(&s->v2);
    return sigv4_new(&s->sigv4);
}

void
signer_clear(struct signer *s)
{
    sigv4_texts_clear(&s->texts);
    sigv2_texts_clear(&s->v2);
    sigv4_free(s->sigv4);
    s->sigv4 = NULL;
}
