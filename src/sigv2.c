/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "sigv2.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "uri.h"

#define TEXT_MAX ((size_t) 1 << 20)
#define AMZ "x-amz-"
#define TOKEN_HEADER AMZ "security-token"

/* The parameters that belong to the resource, and so are signed. */
static bool
is_subresource(const char *name, size_t n)
{
    static const char *const names[] = {
        "acl",
        "cors",
        "delete",
        "lifecycle",
        "location",
        "logging",
        "notification",
        "object-lock",
        "partNumber",
        "policy",
        "replication",
        "requestPayment",
        "response-cache-control",
        "response-content-disposition",
        "response-content-encoding",
        "response-content-language",
        "response-content-type",
        "response-expires",
        "restore",
        "tagging",
        "torrent",
        "uploadId",
        "uploads",
        "versionId",
        "versioning",
        "versions",
        "website",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0)
            return true;
    return false;
}

/* The value of the header NAME, "" without it. */
static const char *
find_header(const struct sigv2_request *r, const char *name)
{
    for (size_t i = 0; i < r->header_count; i++)
        if (strcasecmp(r->headers[i].name, name) == 0)
            return r->headers[i].value;
    return "";
}

static int
add_trimmed(struct buf *out, const char *value)
{
    size_t n;

    value += strspn(value, " \t");
    n = strlen(value);
    while (n > 0 && (value[n - 1] == ' ' || value[n - 1] == '\t'))
        n--;
    return buf_add(out, value, n);
}

static int
add_line(struct buf *out, const char *value)
{
    int err = add_trimmed(out, value);

    return err != 0 ? err : buf_addc(out, '\n');
}

static int
add_lower(struct buf *out, const char *name)
{
    int err = 0;

    for (; err == 0 && *name != '\0'; name++)
        err = buf_addc(out, *name >= 'A' && *name <= 'Z'
                                ? (char) (*name - 'A' + 'a')
                                : *name);
    return err;
}

/* The x-amz-* headers by name, repeated ones in the order given. */
static size_t
sort_amz(const struct sigv4_header **sorted, const struct sigv2_request *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->header_count; i++) {
        const struct sigv4_header *header = &r->headers[i];
        size_t at = n;

        if (strncasecmp(header->name, AMZ, strlen(AMZ)) != 0)
            continue;
        for (; at > 0 && strcasecmp(sorted[at - 1]->name, header->name) > 0;
             at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = header;
        n++;
    }
    return n;
}

static int
add_amz_headers(struct buf *out, const struct sigv2_request *r)
{
    const struct sigv4_header *sorted[SIGV4_HEADERS_MAX];
    size_t n = sort_amz(sorted, r);
    int err = 0;

    for (size_t i = 0; err == 0 && i < n; i++) {
        if (i > 0 && strcasecmp(sorted[i - 1]->name, sorted[i]->name) == 0) {
            out->len--; /* take the line's end back */
            err = buf_addc(out, ',');
        } else {
            err = add_lower(out, sorted[i]->name);
            if (err == 0)
                err = buf_addc(out, ':');
        }
        if (err == 0)
            err = add_line(out, sorted[i]->value);
    }
    return err;
}

/* The sub-resources of a canonical query, which has them in order. */
static int
add_subresources(struct buf *out, const char *query)
{
    char separator = '?';
    int err = 0;

    while (err == 0 && *query != '\0') {
        size_t n = strcspn(query, "&"), name = strcspn(query, "=&");

        if (is_subresource(query, name)) {
            err = buf_addc(out, separator);
            separator = '&';
            if (err == 0)
                err = buf_add(out, query, name);
            if (err == 0 && n > name + 1)
                err = buf_addc(out, '=');
            if (err == 0 && n > name + 1)
                err = uri_decode(out, query + name + 1, n - name - 1, false);
        }
        query += n + (query[n] == '&');
    }
    return err;
}

static int
write_to_sign(struct buf *out, const struct sigv2_request *r, const char *date)
{
    int err;

    buf_reset(out);
    err = add_line(out, r->method);
    if (err == 0)
        err = add_line(out, find_header(r, "Content-MD5"));
    if (err == 0)
        err = add_line(out, find_header(r, "Content-Type"));
    if (err == 0)
        err = add_line(out, date);
    if (err == 0)
        err = add_amz_headers(out, r);
    if (err == 0 && r->bucket[0] != '\0')
        err = buf_addc(out, '/');
    if (err == 0)
        err = buf_adds(out, r->bucket);
    if (err == 0)
        err = buf_adds(out, r->path);
    return err != 0 ? err : add_subresources(out, r->query);
}

static int
sign(struct sigv2_texts *t, const struct sigv2_request *r, const char *date,
     const char *secret_key)
{
    unsigned char digest[SHA_DIGEST_LENGTH];
    unsigned int n = sizeof(digest);
    int err;

    if (r->header_count > SIGV4_HEADERS_MAX)
        return E2BIG;
    buf_reset(&t->authorization);
    buf_reset(&t->query);
    err = write_to_sign(&t->to_sign, r, date);
    if (err != 0)
        return err;
    if (HMAC(EVP_sha1(), secret_key, (int) strlen(secret_key),
             (unsigned char *) t->to_sign.data, t->to_sign.len, digest,
             &n) == NULL)
        return EIO;
    EVP_EncodeBlock((unsigned char *) t->signature, digest, sizeof(digest));
    return 0;
}

void
sigv2_texts_init(struct sigv2_texts *t)
{
    buf_init(&t->to_sign, TEXT_MAX);
    buf_init(&t->authorization, TEXT_MAX);
    buf_init(&t->query, TEXT_MAX);
    t->signature[0] = '\0';
}

void
sigv2_texts_clear(struct sigv2_texts *t)
{
    buf_wipe(&t->to_sign); /* a session token may stand in it */
    buf_clear(&t->authorization);
    buf_wipe(&t->query);
    t->signature[0] = '\0';
}

int
sigv2_sign(struct sigv2_texts *t, const struct sigv2_request *r,
           const char *access_key, const char *secret_key)
{
    bool amz_date = find_header(r, AMZ "date")[0] != '\0';
    int err = sign(t, r, amz_date ? "" : find_header(r, "Date"), secret_key);

    return err != 0 ? err
                    : buf_addf(&t->authorization, "AWS %s:%s", access_key,
                               t->signature);
}

static int
add_param(struct buf *out, const char *name, const char *value)
{
    int err = buf_adds(out, name);

    return err != 0 ? err : uri_encode(out, value, strlen(value), false);
}

int
sigv2_presign(struct sigv2_texts *t, const struct sigv2_request *r,
              const char *access_key, const char *secret_key, uint64_t expires,
              const char *token)
{
    struct sigv4_header headers[SIGV4_HEADERS_MAX];
    struct sigv2_request full = *r;
    char date[24];
    int err;

    if (r->header_count >= SIGV4_HEADERS_MAX)
        return E2BIG;
    if (r->header_count > 0)
        memcpy(headers, r->headers, r->header_count * sizeof(*headers));
    if (token != NULL)
        headers[full.header_count++] =
            (struct sigv4_header){TOKEN_HEADER, token};
    full.headers = headers;
    snprintf(date, sizeof(date), "%llu", (unsigned long long) expires);
    err = sign(t, &full, date, secret_key);
    if (err == 0)
        err = buf_addf(&t->query, r->query[0] != '\0' ? "%s&" : "%s", r->query);
    if (err == 0)
        err = add_param(&t->query, "AWSAccessKeyId=", access_key);
    if (err == 0)
        err = add_param(&t->query, "&Expires=", date);
    if (err == 0 && token != NULL)
        err = add_param(&t->query, "&" TOKEN_HEADER "=", token);
    return err != 0 ? err : add_param(&t->query, "&Signature=", t->signature);
}
