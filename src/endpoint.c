/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "endpoint.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <arpa/inet.h>

#include "uri.h"

#define HTTP_PORT 80
#define HTTPS_PORT 443
#define NAME_MAX_LEN 253 /* RFC 1035, as text without the final dot */
#define LABEL_MAX_LEN 63

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Underscores are in no standard, but in the names of many a container. */
static bool
is_host_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
           c == '-' || c == '_';
}

/* Whether the N bytes at TEXT are labels with single dots between. */
static bool
is_host_name(const char *text, size_t n)
{
    size_t label = 0;

    if (n == 0 || n > NAME_MAX_LEN)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '.') {
            if (label == 0)
                return false;
            label = 0;
        } else if (!is_host_char(text[i]) || ++label > LABEL_MAX_LEN) {
            return false;
        }
    }
    return label > 0;
}

/* A last label of digits, or of 0x and more, is read as a number by some
 * resolvers: then it must be a proper IPv4 address. */
static bool
ends_in_number(const char *host)
{
    const char *dot = strrchr(host, '.');
    const char *label = dot != NULL ? dot + 1 : host;

    return label[strspn(label, "0123456789")] == '\0' ||
           strncmp(label, "0x", 2) == 0;
}

static bool
ends_with(const char *text, const char *tail)
{
    size_t n = strlen(text), tail_len = strlen(tail);

    return n >= tail_len && strcmp(text + n - tail_len, tail) == 0;
}

static bool
is_aws_name(const char *host)
{
    static const char *const names[] = {".amazonaws.com", ".amazonaws.com.cn"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (ends_with(host, names[i]) || strcmp(host, names[i] + 1) == 0)
            return true;
    return false;
}

/* Fill the host's fields from the N bytes at TEXT. */
static const char *
set_host(struct endpoint *e, const char *text, size_t n)
{
    struct in_addr v4;

    if (n == 0)
        return "has no host";
    if (!is_host_name(text, n))
        return "has a bad host name";
    for (size_t i = 0; i < n; i++)
        e->host[i] = text[i] >= 'A' && text[i] <= 'Z'
                         ? (char) (text[i] - 'A' + 'a')
                         : text[i];
    e->host[n] = '\0';
    e->ip = ends_in_number(e->host);
    if (e->ip && inet_pton(AF_INET, e->host, &v4) != 1)
        return "has a bad IPv4 address";
    e->aws = is_aws_name(e->host);
    return NULL;
}

/* The same for an IPv6 literal, its N bytes without the brackets. It is
 * kept as it was written, apart from the case: what is signed is sent. */
static const char *
set_literal(struct endpoint *e, const char *text, size_t n)
{
    struct in6_addr v6;
    char plain[INET6_ADDRSTRLEN];

    if (n >= sizeof(plain))
        return "has a bad IPv6 address";
    for (size_t i = 0; i < n; i++)
        plain[i] = text[i] >= 'A' && text[i] <= 'F'
                       ? (char) (text[i] - 'A' + 'a')
                       : text[i];
    plain[n] = '\0';
    if (memchr(text, '%', n) != NULL)
        return "has an IPv6 zone";
    if (inet_pton(AF_INET6, plain, &v6) != 1)
        return "has a bad IPv6 address";
    snprintf(e->host, sizeof(e->host), "[%s]", plain);
    e->ip = true;
    return NULL;
}

static const char *
set_port(struct endpoint *e, const char *text, size_t n)
{
    unsigned port = 0;

    if (n == 0 || n > 5)
        return "has a bad port";
    for (size_t i = 0; i < n; i++) {
        if (!is_digit(text[i]))
            return "has a bad port";
        port = port * 10 + (unsigned) (text[i] - '0');
    }
    if (port == 0 || port > UINT16_MAX)
        return "has a bad port";
    e->port = (uint16_t) port;
    return NULL;
}

/* Read host and port from the N bytes at TEXT. */
static const char *
set_authority(struct endpoint *e, const char *text, size_t n)
{
    const char *end = text + n, *colon;
    const char *wrong;

    if (memchr(text, '@', n) != NULL)
        return "has user information";
    if (n > 0 && *text == '[') {
        const char *bracket = memchr(text, ']', n);

        if (bracket == NULL)
            return "has a bad IPv6 address";
        wrong = set_literal(e, text + 1, (size_t) (bracket - text - 1));
        colon = bracket + 1;
        if (wrong == NULL && colon < end && *colon != ':')
            wrong = "has a bad port";
    } else {
        colon = memchr(text, ':', n);
        if (colon == NULL)
            colon = end;
        else if (memchr(colon + 1, ':', (size_t) (end - colon - 1)) != NULL)
            return "has an IPv6 address without brackets";
        wrong = set_host(e, text, (size_t) (colon - text));
    }
    if (wrong == NULL && colon < end)
        wrong = set_port(e, colon + 1, (size_t) (end - colon - 1));
    return wrong;
}

/* What follows the authority: nothing, or one slash. */
static const char *
check_rest(const char *rest)
{
    if (*rest == '/')
        rest++;
    switch (*rest) {
    case '\0':
        return NULL;
    case '?':
        return "has a query";
    case '#':
        return "has a fragment";
    default:
        return "has a path";
    }
}

const char *
endpoint_parse(struct endpoint *out, const char *url)
{
    struct endpoint e = {.tls = true};
    const char *wrong;
    size_t n;

    if (strncasecmp(url, "http://", 7) == 0) {
        e.tls = false;
        url += 7;
    } else if (strncasecmp(url, "https://", 8) == 0) {
        url += 8;
    } else if (strstr(url, "://") != NULL) {
        return "has a scheme other than http and https";
    }
    e.port = e.tls ? HTTPS_PORT : HTTP_PORT;
    n = strcspn(url, "/?#");
    wrong = set_authority(&e, url, n);
    if (wrong == NULL)
        wrong = check_rest(url + n);
    if (wrong == NULL)
        *out = e;
    return wrong;
}

bool
endpoint_is_loopback(const struct endpoint *e)
{
    return (e->ip && strncmp(e->host, "127.", 4) == 0) ||
           strcmp(e->host, "localhost") == 0 || strcmp(e->host, "[::1]") == 0;
}

bool
endpoint_aws(struct endpoint *out, const char *region)
{
    struct endpoint e = {.tls = true, .port = HTTPS_PORT};
    char host[ENDPOINT_HOST_MAX + 1];
    int n = snprintf(host, sizeof(host), "s3.%s.amazonaws.com%s", region,
                     strncmp(region, "cn-", 3) == 0 ? ".cn" : "");

    if (n < 0 || (size_t) n >= sizeof(host) ||
        set_host(&e, host, (size_t) n) != NULL)
        return false;
    *out = e;
    return true;
}

bool
endpoint_is_same(const struct endpoint *a, const struct endpoint *b)
{
    return strcmp(a->host, b->host) == 0 && a->port == b->port &&
           a->tls == b->tls;
}

bool
addressing_parse(enum addressing *out, const char *text)
{
    static const char *const names[] = {
        [ADDRESSING_AUTO] = "auto",
        [ADDRESSING_PATH] = "path",
        [ADDRESSING_VIRTUAL] = "virtual",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(text, names[i]) == 0) {
            *out = (enum addressing) i;
            return true;
        }
    return false;
}

/* A label that DNS and the certificate of *.s3.REGION.amazonaws.com know:
 * no dot, nothing but small letters, digits and hyphens. */
static bool
is_plain_label(const char *bucket)
{
    size_t n = strlen(bucket);

    return n <= LABEL_MAX_LEN &&
           strspn(bucket, "abcdefghijklmnopqrstuvwxyz0123456789-") == n;
}

bool
endpoint_is_virtual(const struct endpoint *e, enum addressing wish,
                    const char *bucket)
{
    if (wish == ADDRESSING_PATH || e->ip ||
        !is_host_name(bucket, strlen(bucket)))
        return false;
    return wish == ADDRESSING_VIRTUAL || (e->aws && is_plain_label(bucket));
}

static bool
is_default_port(const struct endpoint *e)
{
    return e->port == (e->tls ? HTTPS_PORT : HTTP_PORT);
}

int
endpoint_add_host(struct buf *out, const struct endpoint *e, const char *bucket,
                  bool virtual_host)
{
    const char *dot = virtual_host ? "." : "";

    if (!virtual_host)
        bucket = "";
    if (is_default_port(e))
        return buf_addf(out, "%s%s%s", bucket, dot, e->host);
    return buf_addf(out, "%s%s%s:%u", bucket, dot, e->host, (unsigned) e->port);
}

int
endpoint_add_path(struct buf *out, const char *bucket, const char *key,
                  size_t key_len, bool virtual_host)
{
    int err = buf_addc(out, '/');

    if (err == 0 && !virtual_host && *bucket != '\0') {
        err = uri_encode(out, bucket, strlen(bucket), false);
        if (err == 0 && key != NULL)
            err = buf_addc(out, '/');
    }
    if (err == 0 && key != NULL)
        err = uri_encode(out, key, key_len, true);
    return err;
}

int
endpoint_add_url(struct buf *out, const struct endpoint *e)
{
    const char *scheme = e->tls ? "https" : "http";

    if (is_default_port(e))
        return buf_addf(out, "%s://%s", scheme, e->host);
    return buf_addf(out, "%s://%s:%u", scheme, e->host, (unsigned) e->port);
}
