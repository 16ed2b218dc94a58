/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "sign.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "json.h"
#include "service.h"
#include "sigv4.h"
#include "source.h"
#include "uri.h"

#define TEXT_MAX_BYTES (1u << 20)

struct job {
    const struct options *o;
    struct service service;
    bool tls;
    struct buf host, path, query;
    char stamp[CLOCK_AMZ_SIZE];
    char hash[PAYLOAD_HASH_SIZE];
    const char *payload; /* the canonical request's last line */
    struct sigv4_header headers[OPTIONS_LIST_MAX + 8];
    size_t header_count;
    struct sigv4_texts texts;
};

/* --- the target --- */

/* "s3://bucket/key": raw bytes, encoded here. */
static int
read_s3_target(struct job *j, const char *text)
{
    const struct endpoint *e = &j->service.request.endpoint;
    struct target t;
    const char *why = target_parse(&t, text);
    bool virtual_host;

    j->tls = e->tls;
    if (why != NULL)
        return complain(2, "bad target '%s': it %s", text, why);
    virtual_host =
        endpoint_is_virtual(e, j->service.request.addressing, t.bucket);
    if (endpoint_add_host(&j->host, e, t.bucket, virtual_host) != 0 ||
        endpoint_add_path(&j->path, t.bucket, t.key[0] != '\0' ? t.key : NULL,
                          strlen(t.key), virtual_host) != 0)
        return complain(2, "the target is too long");
    return 0;
}

/* Split "a=b&c" at & and decode each part; *STORE holds the texts. */
static int
read_url_query(struct job *j, const char *text, struct buf *store)
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
    return uri_canonical_query(&j->query, params, n) == 0
               ? 0
               : complain(2, "the query is too long");
}

/* A URL: existing escapes stay. */
static int
read_url_target(struct job *j, const char *text)
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
    j->tls = status == 0 && e.tls;
    if (status == 0 && endpoint_add_host(&j->host, &e, "", false) != 0)
        status = complain(2, "the target is too long");
    if (status == 0 &&
        (path_len == 0 ? buf_addc(&j->path, '/')
                       : uri_encode_url_path(&j->path, path, path_len)) != 0)
        status = complain(2, "the target is too long");
    if (status == 0 && path[path_len] == '?')
        status = read_url_query(j, path + path_len + 1, &store);
    buf_clear(&url);
    buf_clear(&store);
    return status;
}

/* --query K=V, decoded texts. */
static int
read_queries(struct job *j)
{
    const struct options_list *list = &j->o->queries;
    struct uri_param params[OPTIONS_LIST_MAX];
    char *copies[OPTIONS_LIST_MAX];
    size_t n;
    int err = 0;

    if (list->count == 0)
        return 0;
    if (j->query.len > 0)
        return complain(2, "the target has a query already, --query cannot add");
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
        params[n] = (struct uri_param){copies[n],
                                       equals != NULL ? equals + 1 : ""};
    }
    if (err == 0)
        err = uri_canonical_query(&j->query, params, n);
    while (n > 0)
        free(copies[--n]);
    return err == 0 ? 0 : complain(2, "the query is too long");
}

static int
read_target(struct job *j)
{
    const struct options *o = j->o;
    const char *text;
    int status;

    if (o->target_count != 1)
        return complain(2, "sign takes one target");
    text = o->targets[0];
    if (strncmp(text, "s3://", 5) == 0)
        status = read_s3_target(j, text);
    else if (strncmp(text, "http://", 7) == 0 ||
             strncmp(text, "https://", 8) == 0)
        status = read_url_target(j, text);
    else
        status = complain(2, "bad target '%s': it is s3://BUCKET/KEY or a URL",
                        text);
    return status != 0 ? status : read_queries(j);
}

/* --- the rest of the request --- */

static bool
is_hex_hash(const char *text)
{
    return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static int
read_payload(struct job *j)
{
    const char *how = j->o->payload_hash;
    struct source file;
    int err;

    if (how == NULL || strcmp(how, "signed") == 0) {
        /* Without a body there is only the hash of nothing. */
        j->payload = how == NULL && j->tls && !j->o->no_content_sha256
                         ? SIGV4_UNSIGNED
                         : SIGV4_EMPTY_HASH;
        return 0;
    }
    j->payload = how;
    if (strcmp(how, "unsigned") == 0)
        j->payload = SIGV4_UNSIGNED;
    else if (strncmp(how, "file:", 5) == 0) {
        err = source_init_file(&file, how + 5, true);
        if (err != 0)
            return complain(2, "cannot read '%s': %s", how + 5, strerror(err));
        memcpy(j->hash, file.hash, sizeof j->hash);
        j->payload = j->hash;
        source_clear(&file);
    } else if (!is_hex_hash(how) && strncmp(how, "STREAMING-", 10) != 0 &&
               strcmp(how, SIGV4_UNSIGNED) != 0) {
        return complain(2, "bad payload-hash '%s': it is signed, unsigned, a hex "
                      "SHA-256, file:PATH or a STREAMING- value",
                      how);
    }
    return 0;
}

static void
add_header(struct job *j, const char *name, const char *value)
{
    j->headers[j->header_count++] = (struct sigv4_header){name, value};
}

static int
read_headers(struct job *j)
{
    const struct request_service *s = &j->service.request;

    add_header(j, "host", j->host.data);
    if (!j->o->no_content_sha256)
        add_header(j, "x-amz-content-sha256", j->payload);
    add_header(j, "x-amz-date", j->stamp);
    if (s->creds->session_token != NULL)
        add_header(j, "x-amz-security-token", s->creds->session_token);
    for (size_t i = 0; i < s->header_count; i++)
        add_header(j, s->headers[i].name, s->headers[i].value);
    return 0;
}

static int
read_time(struct job *j)
{
    time_t wall = clock_wall();

    if (j->o->at != NULL && !clock_parse_amz(&wall, j->o->at))
        return complain(2, "bad at '%s': it looks like 20130524T000000Z", j->o->at);
    clock_format_amz(j->stamp, wall);
    return 0;
}

/* --- output --- */

static void
mask_token(struct buf *canonical)
{
    char *line = strstr(canonical->data, "\nx-amz-security-token:");

    if (line == NULL)
        return;
    for (line = strchr(line, ':') + 1; *line != '\n' && *line != '\0'; line++)
        *line = '*';
}

static int
print(struct job *j)
{
    struct sigv4_texts *t = &j->texts;
    struct buf out;
    struct json json;
    int status = 0;

    buf_init(&out, TEXT_MAX_BYTES);
    mask_token(&t->canonical);
    json_init(&json, &out);
    if (j->o->json) {
        json_open(&json, NULL, '{');
        json_string(&json, "canonical_request", t->canonical.data);
        json_string(&json, "string_to_sign", t->to_sign.data);
        json_string(&json, "signature", t->signature);
        json_string(&json, "authorization", t->authorization.data);
        json_close(&json, '}');
    } else {
        buf_addf(&out,
                 "Canonical request:\n%s\n\nString to sign:\n%s\n\n"
                 "Signature:\n%s\n\nAuthorization:\n%s",
                 t->canonical.data, t->to_sign.data, t->signature,
                 t->authorization.data);
    }
    if (printf("%s\n", out.data) < 0 || fflush(stdout) != 0) {
        status =
            complain(4, "cannot write the result: %s", strerror(errno));
    }
    buf_clear(&out);
    return status;
}

static int
sign_job(struct job *j)
{
    const struct request_service *s = &j->service.request;
    struct sigv4_request request = {.method = j->o->method,
                                    .path = j->path.data,
                                    .query = j->query.data,
                                    .headers = j->headers,
                                    .header_count = j->header_count,
                                    .payload_hash = j->payload};
    struct sigv4_scope scope = {s->creds->access_key, s->creds->secret_key,
                                s->region, j->o->service, j->stamp};
    struct sigv4 *signer = NULL;
    int err = sigv4_new(&signer);

    if (err == 0)
        err = sigv4_sign(signer, &j->texts, &request, &scope);
    sigv4_free(signer);
    return err == 0 ? 0 : complain(2, "cannot sign: %s", strerror(err));
}

int
sign_request(const struct options *o)
{
    struct job j = {.o = o};
    int status;

    buf_init(&j.host, 1024);
    buf_init(&j.path, TEXT_MAX_BYTES);
    buf_init(&j.query, TEXT_MAX_BYTES);
    sigv4_texts_init(&j.texts);
    status = service_init(&j.service, o);
    if (status == 0)
        status = read_target(&j);
    if (status == 0)
        status = read_time(&j);
    if (status == 0)
        status = read_payload(&j);
    if (status == 0)
        status = read_headers(&j);
    if (status == 0)
        status = sign_job(&j);
    if (status == 0)
        status = print(&j);
    sigv4_texts_clear(&j.texts);
    buf_clear(&j.host);
    buf_clear(&j.path);
    buf_clear(&j.query);
    service_clear(&j.service);
    return status;
}
