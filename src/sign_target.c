/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "sign_target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "uri.h"

#define TEXT_MAX_BYTES (1u << 20)

/* "s3://bucket/key": raw bytes, encoded here. */
static int
read_s3_target(struct sign_target *t, const struct request_service *s,
               const char *text)
{
    const struct endpoint *e = &s->endpoint;
    struct target parts;
    const char *why = target_parse(&parts, text);
    const char *key = why == NULL && parts.key[0] != '\0' ? parts.key : NULL;

    if (why != NULL)
        return complain(2, "bad target '%s': it %s", text, why);
    t->tls = e->tls;
    memcpy(t->bucket, parts.bucket, sizeof t->bucket);
    t->virtual_host = endpoint_is_virtual(e, s->addressing, t->bucket);
    if (endpoint_add_host(&t->host, e, t->bucket, t->virtual_host) != 0 ||
        endpoint_add_path(&t->path, t->bucket, key,
                          key != NULL ? strlen(key) : 0, t->virtual_host) != 0)
        return complain(2, "the target is too long");
    return 0;
}

/* Split "a=b&c" at & and decode each part; *STORE holds the texts. */
static int
read_url_query(struct sign_target *t, const char *text, struct buf *store)
{
    struct uri_param params[64];
    size_t starts[128], n = 0;

    while (*text != '\0') {
        size_t len = strcspn(text, "&"), name = strcspn(text, "=&");

        if (n == 64)
            return complain(2, "more than 64 query parameters");
        starts[2 * n] = store->len;
        if (uri_decode(store, text, name, false) != 0)
            return complain(2, "bad escape in the query of the target");
        buf_addc(store, '\0');
        starts[2 * n + 1] = store->len;
        if (name < len &&
            uri_decode(store, text + name + 1, len - name - 1, false) != 0)
            return complain(2, "bad escape in the query of the target");
        buf_addc(store, '\0');
        n += len > 0;
        text += len + (text[len] == '&');
    }
    for (size_t i = 0; i < n; i++)
        params[i] = (struct uri_param){store->data + starts[2 * i],
                                       store->data + starts[2 * i + 1]};
    return uri_canonical_query(&t->query, params, n) == 0
               ? 0
               : complain(2, "the query is too long");
}

/* A URL: existing escapes stay. */
static int
read_url_target(struct sign_target *t, const char *text)
{
    const char *authority = strstr(text, "://") + 3;
    size_t len = strcspn(authority, "/?");
    const char *path = authority + len;
    size_t path_len = strcspn(path, "?");
    struct endpoint e;
    struct buf url, store;
    const char *why;
    int status = 0;

    buf_init(&url, 1024);
    buf_init(&store, TEXT_MAX_BYTES);
    if (buf_add(&url, text, (size_t) (authority - text) + len) != 0)
        status = complain(2, "the target is too long");
    why = status == 0 ? endpoint_parse(&e, url.data) : NULL;
    if (why != NULL)
        status = complain(2, "bad target '%s': it %s", text, why);
    t->tls = status == 0 && e.tls;
    if (status == 0 && endpoint_add_host(&t->host, &e, "", false) != 0)
        status = complain(2, "the target is too long");
    if (status == 0 &&
        (path_len == 0 ? buf_addc(&t->path, '/')
                       : uri_encode_url_path(&t->path, path, path_len)) != 0)
        status = complain(2, "the target is too long");
    if (status == 0 && path[path_len] == '?')
        status = read_url_query(t, path + path_len + 1, &store);
    buf_clear(&url);
    buf_clear(&store);
    return status;
}

/* --query K=V, decoded texts. */
static int
read_queries(struct sign_target *t, const struct options *o)
{
    const struct options_list *list = &o->queries;
    struct uri_param params[OPTIONS_LIST_MAX];
    char *copies[OPTIONS_LIST_MAX];
    size_t n;
    int err = 0;

    if (list->count == 0)
        return 0;
    if (t->query.len > 0)
        return complain(2,
                        "the target has a query already, --query cannot add");
    for (n = 0; n < list->count && err == 0; n++) {
        char *equals;

        copies[n] = strdup(list->items[n]);
        if (copies[n] == NULL) {
            err = ENOMEM;
            break;
        }
        equals = strchr(copies[n], '=');
        if (equals != NULL)
            *equals = '\0';
        params[n] =
            (struct uri_param){copies[n], equals != NULL ? equals + 1 : ""};
    }
    if (err == 0)
        err = uri_canonical_query(&t->query, params, n);
    while (n > 0)
        free(copies[--n]);
    return err == 0 ? 0 : complain(2, "the query is too long");
}

void
sign_target_init(struct sign_target *t)
{
    *t = (struct sign_target){.tls = false};
    buf_init(&t->host, 1024);
    buf_init(&t->path, TEXT_MAX_BYTES);
    buf_init(&t->query, TEXT_MAX_BYTES);
}

void
sign_target_clear(struct sign_target *t)
{
    buf_clear(&t->host);
    buf_clear(&t->path);
    buf_clear(&t->query);
}

int
sign_target_read(struct sign_target *t, const struct options *o,
                 const struct request_service *s)
{
    const char *text;
    int status;

    if (o->target_count != 1)
        return complain(2, "%s takes one target", options_verb_name(o->verb));
    text = o->targets[0];
    if (strncmp(text, "s3://", 5) == 0)
        status = read_s3_target(t, s, text);
    else if (!s->signer->payload_header)
        /* Version 2 signs the bucket, which a URL does not tell apart. */
        status = complain(2,
                          "bad target '%s': for --signature %s it is "
                          "s3://BUCKET/KEY",
                          text, s->signer->name);
    else if (strncmp(text, "http://", 7) == 0 ||
             strncmp(text, "https://", 8) == 0)
        status = read_url_target(t, text);
    else
        status = complain(2, "bad target '%s': it is s3://BUCKET/KEY or a URL",
                          text);
    return status != 0 ? status : read_queries(t, o);
}
