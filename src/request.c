/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/md5.h>

#include "request_answer.h"
#include "request_body.h"
#include "uri.h"

#define TARGET_MAX 65536
#define LINES_MAX 65536
#define XML_MAX (4u << 20) /* 1000 keys of 1024 bytes, escaped */

static const char *const methods[] = {
    [REQUEST_LIST_BUCKETS] = "GET", [REQUEST_CREATE_BUCKET] = "PUT",
    [REQUEST_HEAD_BUCKET] = "HEAD", [REQUEST_DELETE_BUCKET] = "DELETE",
    [REQUEST_LIST] = "GET",         [REQUEST_PUT] = "PUT",
    [REQUEST_COPY] = "PUT",         [REQUEST_GET] = "GET",
    [REQUEST_HEAD] = "HEAD",        [REQUEST_DELETE] = "DELETE",
    [REQUEST_DELETE_MANY] = "POST", [REQUEST_CREATE_UPLOAD] = "POST",
    [REQUEST_UPLOAD_PART] = "PUT",  [REQUEST_ABORT_UPLOAD] = "DELETE",
};

/* --- headers --- */

/* Headers on their way: lines are offsets while the buffer may still move. */
struct header_list {
    struct request *r;
    struct {
        const char *name;
        size_t line, value; /* offsets into r->lines */
        bool sign;
    } items[EXCHANGE_HEADERS_MAX];
    size_t count;
};

/* Hops may change these, so they are sent but never signed. */
static bool
is_never_signed(const char *name)
{
    static const char *const names[] = {
        "accept",          "accept-encoding", "connection",
        "expect",          "keep-alive",      "te",
        "trailer",         "upgrade",         "user-agent",
        "x-amzn-trace-id",
    };

    if (strncasecmp(name, "proxy-", 6) == 0)
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return false;
}

static int
add_header(struct header_list *l, const char *name, const char *value)
{
    struct buf *lines = &l->r->lines;
    size_t line = lines->len;
    int err;

    if (l->count == EXCHANGE_HEADERS_MAX)
        return E2BIG;
    err = buf_adds(lines, name);
    if (err == 0)
        err = buf_adds(lines, ": ");
    l->items[l->count].name = name;
    l->items[l->count].line = line;
    l->items[l->count].value = lines->len;
    l->items[l->count].sign = !is_never_signed(name);
    if (err == 0)
        err = buf_add(lines, value, strlen(value) + 1);
    if (err == 0)
        l->count++;
    return err;
}

/* Content-MD5 of the body that the request itself wrote. */
static int
add_md5(struct header_list *l)
{
    unsigned char md5[MD5_DIGEST_LENGTH];
    char text[25];

    if (EVP_Digest(l->r->xml.data, l->r->xml.len, md5, NULL, EVP_md5(), NULL) !=
        1)
        return EIO;
    EVP_EncodeBlock((unsigned char *) text, md5, sizeof md5);
    return add_header(l, "Content-MD5", text);
}

static int
add_chunked_headers(struct header_list *l, const struct request_spec *spec,
                    enum chunked_form form)
{
    char length[24];
    int err = add_header(l, "Content-Encoding", "aws-chunked");

    snprintf(length, sizeof length, "%llu",
             (unsigned long long) spec->body_len);
    if (err == 0)
        err = add_header(l, "x-amz-decoded-content-length", length);
    if (err == 0 && chunked_has_trailer(form))
        err = add_header(l, "x-amz-trailer", CHUNKED_TRAILER);
    return err;
}

/* What is copied: encoded as a path is, and the version behind it. */
static int
add_copy_source(struct header_list *l, const struct request_spec *spec)
{
    const struct request_source *from = &spec->source;
    struct buf *text = &l->r->source;
    int err;

    buf_reset(text);
    err = endpoint_add_path(text, from->bucket, from->key, strlen(from->key),
                            false);
    if (err == 0 && from->version != NULL)
        err = buf_adds(text, "?versionId=");
    if (err == 0 && from->version != NULL)
        err = uri_encode(text, from->version, strlen(from->version), false);
    return err != 0 ? err : add_header(l, "x-amz-copy-source", text->data);
}

/* Those that the version of the signature asks for. */
static int
add_signing_headers(struct header_list *l, const struct request_maker *m,
                    const char *hash)
{
    const char *token = m->service->creds->session_token;
    int err = 0;

    if (m->signer.ops->payload_header)
        err = add_header(l, "x-amz-content-sha256", hash);
    if (err == 0)
        err = add_header(l, m->signer.ops->date_header, m->date);
    if (err == 0 && token != NULL)
        err = add_header(l, "x-amz-security-token", token);
    return err;
}

static int
add_own_headers(struct header_list *l, const struct request_maker *m,
                const struct request_spec *spec, const char *hash)
{
    const struct request_service *s = m->service;
    struct request *r = l->r;
    bool named = false; /* the user says what to call us */
    int err;

    err = add_header(l, "Host", r->host.data);
    if (err == 0)
        err = add_signing_headers(l, m, hash);
    if (err == 0 && request_is_chunked(m, spec))
        err = add_chunked_headers(l, spec, s->chunked);
    if (err == 0 && spec->op == REQUEST_COPY)
        err = add_copy_source(l, spec);
    if (err == 0 && spec->op == REQUEST_DELETE_MANY)
        err = add_md5(l);
    if (err == 0 && r->xml.len > 0)
        err = add_header(l, "Content-Type", "application/xml");
    for (size_t i = 0; err == 0 && i < s->header_count; i++) {
        err = add_header(l, s->headers[i].name, s->headers[i].value);
        named |= strcasecmp(s->headers[i].name, "User-Agent") == 0;
    }
    if (err == 0 && !named)
        err = add_header(l, "User-Agent", s->user_agent);
    return err;
}

static int
sign(struct header_list *l, struct request_maker *m,
     const struct request_spec *spec, struct signer_request *to_sign)
{
    struct sigv4_header headers[EXCHANGE_HEADERS_MAX];
    struct signer_keys keys;
    int err;

    for (size_t i = 0; i < l->count; i++) {
        if (!l->items[i].sign)
            continue;
        headers[to_sign->header_count++] = (struct sigv4_header){
            l->items[i].name, l->r->lines.data + l->items[i].value};
    }
    to_sign->headers = headers;
    request_keys(&keys, m, spec);
    err = m->signer.ops->sign(&m->signer, to_sign, &keys);
    if (err == 0 && m->service->on_signed != NULL)
        m->service->on_signed(&m->signer.result);
    return err;
}

/* --- target --- */

static void
add_param(struct uri_param *params, size_t *n, const char *name,
          const char *value)
{
    if (value != NULL && value[0] != '\0')
        params[(*n)++] = (struct uri_param){name, value};
}

static int
add_list_query(struct buf *out, const struct request_spec *spec)
{
    struct uri_param params[7];
    char max_keys[16] = "";
    size_t n = 0;

    if (spec->max_keys > 0)
        snprintf(max_keys, sizeof max_keys, "%u", spec->max_keys);
    add_param(params, &n, "list-type", spec->list_v1 ? NULL : "2");
    add_param(params, &n, "prefix", spec->prefix);
    add_param(params, &n, "delimiter", spec->delimiter);
    add_param(params, &n, spec->list_v1 ? "marker" : "continuation-token",
              spec->token);
    add_param(params, &n, "max-keys", max_keys);
    add_param(params, &n, "encoding-type", spec->encode ? "url" : NULL);
    return uri_canonical_query(out, params, n);
}

static int
add_upload_query(struct buf *out, const struct request_spec *spec)
{
    struct uri_param params[2];
    char number[16] = "";
    size_t n = 0;

    if (spec->op == REQUEST_UPLOAD_PART)
        snprintf(number, sizeof number, "%u", spec->part_number);
    add_param(params, &n, "partNumber", number);
    add_param(params, &n, "uploadId", spec->upload_id);
    return uri_canonical_query(out, params, n);
}

static int
add_query(struct buf *out, const struct request_spec *spec)
{
    switch (spec->op) {
    case REQUEST_LIST:
        return add_list_query(out, spec);
    case REQUEST_DELETE_MANY:
        return buf_adds(out, "delete=");
    case REQUEST_CREATE_UPLOAD:
        return buf_adds(out, "uploads=");
    case REQUEST_UPLOAD_PART:
    case REQUEST_ABORT_UPLOAD:
        return add_upload_query(out, spec);
    default:
        return 0;
    }
}

/* Write the target; *QUERY becomes the offset of its query, 0 without. */
static int
build_target(struct request *r, const struct request_spec *spec,
             bool virtual_host, size_t *query)
{
    const char *key = spec->key[0] != '\0' ? spec->key : NULL;
    int err;

    *query = 0;
    buf_reset(&r->target);
    err = endpoint_add_path(&r->target, spec->bucket, key,
                            key != NULL ? strlen(key) : 0, virtual_host);
    if (err == 0)
        err = buf_addc(&r->target, '?');
    if (err != 0)
        return err;
    *query = r->target.len;
    err = add_query(&r->target, spec);
    if (err == 0 && r->target.len == *query) {
        r->target.data[--r->target.len] = '\0'; /* no parameter at all */
        *query = 0;
    }
    return err;
}

/* The value of x-amz-content-sha256. Bodies that are not the object's data
 * are small, so they are always hashed. */
static const char *
payload_line(const struct request *r, const struct request_maker *m,
             const struct request_spec *spec, char hex[SIGV4_HEX_SIZE])
{
    if (request_is_chunked(m, spec))
        return chunked_payload(m->service->chunked);
    if (!m->service->sign_payload)
        return SIGV4_UNSIGNED;
    if (r->x.body_len == 0)
        return SIGV4_EMPTY_HASH;
    if (request_has_data(spec->op))
        return spec->body_hash;
    sigv4_hash_hex(hex, r->xml.data, r->xml.len);
    return hex;
}

/* --- public --- */

int
request_maker_init(struct request_maker *m,
                   const struct request_service *service)
{
    *m = (struct request_maker){.service = service, .wall = -1};
    return signer_init(&m->signer,
                       service->signer != NULL ? service->signer : &signer_v4);
}

void
request_maker_clear(struct request_maker *m)
{
    signer_clear(&m->signer);
}

int
request_init(struct request *r)
{
    int err;

    *r = (struct request){0};
    buf_init(&r->host, 512);
    buf_init(&r->target, TARGET_MAX);
    buf_init(&r->lines, LINES_MAX);
    buf_init(&r->xml, XML_MAX);
    buf_init(&r->source, LINES_MAX);
    request_init_list(r);
    err = buf_reserve(&r->target, 192);
    return err != 0 ? err : buf_reserve(&r->lines, 640);
}

void
request_clear(struct request *r)
{
    buf_clear(&r->host);
    buf_clear(&r->target);
    buf_wipe(&r->lines); /* holds the session token */
    buf_clear(&r->xml);
    buf_clear(&r->source);
    buf_clear(&r->held);
    buf_clear(&r->name);
    buf_clear(&r->last[0]);
    buf_clear(&r->last[1]);
    if (r->chunked_ready)
        chunked_clear(&r->chunked);
    r->chunked_ready = false;
    if (r->answer_ready)
        answer_clear(&r->answer);
    r->answer_ready = false;
}

/* Fill in what the transport reads, now that no buffer will move. */
static void
fill_exchange(struct request *r, const struct header_list *l,
              const struct endpoint *e)
{
    struct exchange *x = &r->x;

    x->method = methods[r->op];
    x->scheme = e->tls ? "https" : "http";
    x->host = r->host.data;
    x->port = e->port;
    x->target = r->target.data;
    for (size_t i = 0; i < l->count; i++)
        x->headers[i] = r->lines.data + l->items[i].line;
    x->header_count = l->count;
    x->head = r->op == REQUEST_HEAD || r->op == REQUEST_HEAD_BUCKET;
}

/* The name to connect to: without a port, which travels apart. */
static int
build_connect_name(struct request *r, const struct endpoint *e,
                   const char *bucket, bool virtual_host)
{
    int err = 0;

    buf_reset(&r->host);
    if (virtual_host)
        err = buf_addf(&r->host, "%s.", bucket);
    return err != 0 ? err : buf_adds(&r->host, e->host);
}

/* Write and sign the header lines. QUERY is where the target's query
 * begins, 0 without one. */
static int
build_headers(struct header_list *l, struct request_maker *m,
              const struct request_spec *spec, bool virtual_host, size_t query)
{
    struct request *r = l->r;
    char hex[SIGV4_HEX_SIZE];
    const char *hash = payload_line(r, m, spec, hex);
    struct signer_request to_sign = {.method = methods[r->op],
                                     .bucket = spec->bucket,
                                     .virtual_host = virtual_host,
                                     .path = r->target.data,
                                     .query = query > 0 ? r->target.data + query
                                                        : "",
                                     .payload = hash};
    int err;

    buf_reset(&r->lines);
    err = add_own_headers(l, m, spec, hash);
    if (err != 0)
        return err;
    /* The path must end where the query begins while it is signed. */
    if (query > 0)
        r->target.data[query - 1] = '\0';
    err = sign(l, m, spec, &to_sign);
    if (query > 0)
        r->target.data[query - 1] = '?';
    if (err == 0 && request_is_chunked(m, spec))
        request_start_frames(r, m, spec);
    return err != 0
               ? err
               : add_header(l, "Authorization", m->signer.result.authorization);
}

int
request_build(struct request *r, struct request_maker *m,
              const struct request_spec *spec, time_t wall)
{
    const struct endpoint *e =
        spec->endpoint != NULL ? spec->endpoint : &m->service->endpoint;
    struct header_list list = {.r = r};
    size_t query = 0;
    bool virtual_host =
        endpoint_is_virtual(e, m->service->addressing, spec->bucket);
    int err;

    r->op = spec->op;
    if (wall != m->wall) {
        clock_format_amz(m->stamp, wall);
        m->signer.ops->format_date(m->date, wall);
        m->wall = wall;
    }
    err = build_target(r, spec, virtual_host, &query);
    if (err == 0)
        err = request_build_body(r, m, spec);
    if (err == 0)
        err = request_expect_answer(r, spec);
    buf_reset(&r->host);
    if (err == 0)
        err = endpoint_add_host(&r->host, e, spec->bucket, virtual_host);
    if (err == 0)
        err = build_headers(&list, m, spec, virtual_host, query);
    if (err == 0)
        err = build_connect_name(r, e, spec->bucket, virtual_host);
    if (err == 0)
        fill_exchange(r, &list, e);
    return err;
}
