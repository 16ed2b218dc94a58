/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_request.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* Where decoded texts lie while `text` may still move. */
struct offsets {
    size_t bucket, key, key_len;
    size_t names[MEM_PARAMS_MAX], values[MEM_PARAMS_MAX];
};

void
mem_request_init(struct mem_request *r)
{
    r->domain = "localhost";
    r->method = "";
    r->path = r->query = r->bucket = r->key = "";
    r->key_len = 0;
    r->header_count = r->param_count = 0;
    r->headers_lost = r->virtual_host = false;
    buf_init(&r->target, MEM_TARGET_MAX);
    buf_init(&r->text, 2 * MEM_TARGET_MAX);
}

void
mem_request_clear(struct mem_request *r)
{
    buf_clear(&r->target);
    buf_clear(&r->text);
    mem_request_init(r);
}

int
mem_request_target(struct mem_request *r, const char *target)
{
    size_t path_len = strcspn(target, "?");
    int err = buf_adds(&r->target, target);

    /* also when there is no query: it is "" then */
    if (err == 0)
        err = buf_addc(&r->target, '\0');
    if (err != 0) {
        buf_reset(&r->target);
        return err;
    }
    r->target.data[path_len] = '\0';
    r->path = r->target.data;
    r->query = r->target.data + path_len + 1;
    return 0;
}

void
mem_request_header(struct mem_request *r, const char *name, const char *value)
{
    if (r->header_count == SIGV4_HEADERS_MAX) {
        r->headers_lost = true;
        return;
    }
    r->headers[r->header_count].name = name;
    r->headers[r->header_count].value = value;
    r->header_count++;
}

const char *
mem_request_find(const struct mem_request *r, const char *name)
{
    for (size_t i = 0; i < r->header_count; i++)
        /* The first letter settles most of them. */
        if ((r->headers[i].name[0] | 32) == (name[0] | 32) &&
            strcasecmp(r->headers[i].name, name) == 0)
            return r->headers[i].value;
    return NULL;
}

const char *
mem_request_param(const struct mem_request *r, const char *name)
{
    for (size_t i = 0; i < r->param_count; i++)
        if (strcmp(r->params[i].name, name) == 0)
            return r->params[i].value;
    return NULL;
}

/* Decode the N bytes at RAW behind the others, with a NUL. */
static int
decode(struct mem_request *r, size_t *at, const char *raw, size_t n,
       bool plus_is_blank)
{
    int err;

    *at = r->text.len;
    err = uri_decode(&r->text, raw, n, plus_is_blank);
    return err != 0 ? err : buf_addc(&r->text, '\0');
}

/* The bucket of a virtual-hosted request. Returns: its length in *HOST. */
static size_t
virtual_bucket(const struct mem_request *r, const char **host)
{
    size_t suffix = strlen(r->domain) + 1, n;

    *host = mem_request_find(r, "host");
    if (*host == NULL)
        return 0;
    n = strcspn(*host, ":");
    if (n <= suffix || (*host)[n - suffix] != '.' ||
        strncasecmp(*host + n - suffix + 1, r->domain, suffix - 1) != 0)
        return 0;
    return n - suffix;
}

static int
decode_path(struct mem_request *r, struct offsets *o)
{
    const char *host, *key = r->path + 1;
    size_t n = virtual_bucket(r, &host);
    int err;

    if (r->path[0] != '/')
        return EINVAL;
    if (n > 0) {
        r->virtual_host = true;
        err = decode(r, &o->bucket, host, n, false);
    } else {
        n = strcspn(key, "/");
        err = decode(r, &o->bucket, key, n, false);
        key += n;
        if (*key == '/')
            key++;
    }
    if (err == 0)
        err = decode(r, &o->key, key, strlen(key), false);
    o->key_len = r->text.len - o->key - 1;
    return err;
}

static int
decode_query(struct mem_request *r, struct offsets *o)
{
    const char *at = r->query;
    int err = 0;

    while (*at != '\0' && err == 0) {
        size_t n = strcspn(at, "&"), name = strcspn(at, "=&");
        size_t i = r->param_count;

        if (n > 0) {
            if (i == MEM_PARAMS_MAX)
                return E2BIG;
            err = decode(r, &o->names[i], at, name, true);
            if (err == 0)
                err = decode(r, &o->values[i], at + name + (name < n),
                             n - name - (name < n), true);
            r->param_count++;
        }
        at += n;
        at += *at == '&';
    }
    return err;
}

int
mem_request_decode(struct mem_request *r)
{
    struct offsets o;
    int err;

    o.bucket = o.key = o.key_len = 0;
    err = decode_path(r, &o);
    if (err == 0)
        err = decode_query(r, &o);
    if (err != 0) {
        r->param_count = 0;
        return err;
    }
    r->bucket = r->text.data + o.bucket;
    r->key = r->text.data + o.key;
    r->key_len = o.key_len;
    for (size_t i = 0; i < r->param_count; i++) {
        r->params[i].name = r->text.data + o.names[i];
        r->params[i].value = r->text.data + o.values[i];
    }
    return 0;
}
