/* SPDX-License-Identifier: MIT */
/* The headers of a request, and its signature over them. */
#include "config.h"

#include "request_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <openssl/evp.h>
#include <openssl/md5.h>

#include "uri.h"

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

/* What fails is told by L once all are added. */
static void
add_header(struct request_headers *l, const char *name, const char *value)
{
    struct buf *lines = &l->r->lines;
    size_t line = lines->len;
    int err;

    if (l->count == EXCHANGE_HEADERS_MAX)
        l->err = E2BIG;
    if (l->err != 0)
        return;
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
    l->err = err;
}

/* Content-MD5 of the body that the request itself wrote. */
static void
add_md5(struct request_headers *l)
{
    unsigned char md5[MD5_DIGEST_LENGTH];
    char text[25];

    if (EVP_Digest(l->r->xml.data, l->r->xml.len, md5, NULL, EVP_md5(), NULL) !=
        1) {
        l->err = EIO;
        return;
    }
    EVP_EncodeBlock((unsigned char *) text, md5, sizeof md5);
    add_header(l, "Content-MD5", text);
}

static void
add_chunked_headers(struct request_headers *l, const struct request_spec *spec,
                    const struct request_service *s)
{
    enum checksum_kind sum = request_trailer(s);
    char length[24];

    snprintf(length, sizeof length, "%llu",
             (unsigned long long) spec->body_len);
    add_header(l, "Content-Encoding", "aws-chunked");
    add_header(l, "x-amz-decoded-content-length", length);
    if (sum != CHECKSUM_NONE)
        add_header(l, "x-amz-trailer", checksum_header(sum));
}

/* The checksum of a body, or the wish to have it back with one. */
static void
add_sum(struct request_headers *l, const struct request_spec *spec,
        const struct request_service *s)
{
    enum checksum_kind kind = request_sum(s, spec);

    if (kind != CHECKSUM_NONE)
        add_header(l, checksum_header(kind), spec->body_sum);
    else if (request_is_verified(s, spec))
        add_header(l, "x-amz-checksum-mode", "ENABLED");
    else if (spec->op == REQUEST_CREATE_UPLOAD &&
             s->checksum != CHECKSUM_NONE && s->checksum != CHECKSUM_MD5)
        add_header(l, "x-amz-checksum-algorithm",
                   checksum_algorithm(s->checksum));
}

static void
add_range(struct request_headers *l, const struct request_spec *spec)
{
    uint64_t last = spec->range_offset + spec->range_len - 1;
    char text[64];

    snprintf(text, sizeof text, "bytes=%llu-%llu",
             (unsigned long long) spec->range_offset,
             (unsigned long long) last);
    add_header(l, "Range", text);
}

/* What is copied: encoded as a path is, and the version behind it. */
static void
add_copy_source(struct request_headers *l, const struct request_spec *spec)
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
    if (err != 0)
        l->err = err;
    add_header(l, "x-amz-copy-source", text->data);
}

/* Those that the version of the signature asks for. */
static void
add_signing_headers(struct request_headers *l, const struct request_maker *m,
                    const char *hash)
{
    const char *token = m->service->creds->session_token;

    if (m->signer.ops->payload_header)
        add_header(l, "x-amz-content-sha256", hash);
    add_header(l, m->signer.ops->date_header, m->date);
    if (token != NULL)
        add_header(l, "x-amz-security-token", token);
}

/* The user's own, among which may be what to call us. */
static void
add_users_headers(struct request_headers *l, const struct request_service *s)
{
    bool named = false;

    for (size_t i = 0; i < s->header_count; i++) {
        add_header(l, s->headers[i].name, s->headers[i].value);
        named |= strcasecmp(s->headers[i].name, "User-Agent") == 0;
    }
    if (!named)
        add_header(l, "User-Agent", s->user_agent);
}

static void
add_append(struct request_headers *l, const struct request_spec *spec)
{
    char text[24];

    snprintf(text, sizeof text, "%llu",
             (unsigned long long) spec->append_offset);
    add_header(l, "x-amz-write-offset-bytes", text);
}

/* What goes with this request of what is said of objects. */
static void
add_aspects(struct request_headers *l, const struct request_spec *spec)
{
    const struct aspects *a = spec->aspects;
    unsigned mask = request_row(spec->op)->aspects;

    for (size_t i = 0; a != NULL && i < a->count; i++)
        if ((a->items[i].when & mask) != 0)
            add_header(l, aspects_name(a, i), aspects_value(a, i));
}

/* All but the signature. */
static int
add_headers(struct request_headers *l, const struct request_maker *m,
            const struct request_spec *spec, const char *hash)
{
    const struct request_service *s = m->service;

    add_header(l, "Host", l->r->host.data);
    add_signing_headers(l, m, hash);
    if (request_is_chunked(m, spec))
        add_chunked_headers(l, spec, s);
    add_sum(l, spec, s);
    if (spec->append)
        add_append(l, spec);
    if (spec->op == REQUEST_COPY)
        add_copy_source(l, spec);
    if (spec->op == REQUEST_GET && spec->range_len > 0)
        add_range(l, spec);
    if (request_row(spec->op)->md5)
        add_md5(l);
    if (l->r->xml.len > 0)
        add_header(l, "Content-Type", "application/xml");
    add_aspects(l, spec);
    add_users_headers(l, s);
    return l->err;
}

static int
sign(struct request_headers *l, struct request_maker *m,
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
    if (request_row(spec->op)->data)
        return spec->body_hash;
    sigv4_hash_hex(hex, r->xml.data, r->xml.len);
    return hex;
}

/* Write and sign the header lines. QUERY is where the target's query
 * begins, 0 without one. */
int
request_build_headers(struct request_headers *l, struct request_maker *m,
                      const struct request_spec *spec, bool virtual_host,
                      size_t query)
{
    struct request *r = l->r;
    char hex[SIGV4_HEX_SIZE];
    const char *hash = payload_line(r, m, spec, hex);
    struct signer_request to_sign = {.method = request_row(r->op)->method,
                                     .bucket = spec->bucket,
                                     .virtual_host = virtual_host,
                                     .path = r->target.data,
                                     .query = query > 0 ? r->target.data + query
                                                        : "",
                                     .payload = hash};
    int err;

    buf_reset(&r->lines);
    err = add_headers(l, m, spec, hash);
    if (err != 0)
        return err;
    /* The path must end where the query begins while it is signed. */
    if (query > 0)
        r->target.data[query - 1] = '\0';
    err = sign(l, m, spec, &to_sign);
    if (query > 0)
        r->target.data[query - 1] = '?';
    if (err != 0)
        return err;
    if (request_is_chunked(m, spec))
        request_start_frames(r, m, spec);
    add_header(l, "Authorization", m->signer.result.authorization);
    return l->err;
}
