/* SPDX-License-Identifier: MIT */
/* The target of a request: its path, and the query that says what is asked
 * of it. */
#include "config.h"

#include "request_parts.h"

#include <stdio.h>
#include <string.h>

#include "uri.h"

#define PARAMS_MAX 10
#define NUMBER_SIZE 16

struct query {
    struct uri_param params[PARAMS_MAX];
    size_t count;
    char max_keys[NUMBER_SIZE], part[NUMBER_SIZE];
};

/* A parameter without a VALUE is left out. */
static void
add_param(struct query *q, const char *name, const char *value)
{
    if (value != NULL && value[0] != '\0')
        q->params[q->count++] = (struct uri_param){name, value};
}

static void
add_number(struct query *q, char text[NUMBER_SIZE], const char *name,
           uint32_t number)
{
    if (number == 0)
        return;
    snprintf(text, NUMBER_SIZE, "%u", number);
    add_param(q, name, text);
}

/* A listing of versions goes on after a key and one of its versions: the
 * TOKEN has the version's id first, which has no line break in it. */
static int
add_version_token(struct query *q, struct request *r, const char *token)
{
    const char *key = token != NULL ? strchr(token, '\n') : NULL;
    int err;

    if (key == NULL)
        return 0;
    buf_reset(&r->name);
    err = buf_add(&r->name, token, (size_t) (key - token));
    add_param(q, "key-marker", key + 1);
    add_param(q, "version-id-marker", r->name.data);
    return err;
}

static int
add_list(struct query *q, struct request *r, const struct request_spec *spec)
{
    bool versions = spec->op == REQUEST_LIST_VERSIONS;
    bool v2 = !versions && !spec->list_v1;

    add_param(q, "list-type", v2 ? "2" : NULL);
    add_param(q, "prefix", spec->prefix);
    add_param(q, "delimiter", spec->delimiter);
    add_number(q, q->max_keys, "max-keys", spec->max_keys);
    add_param(q, "encoding-type", spec->encode ? "url" : NULL);
    if (versions)
        return add_version_token(q, r, spec->token);
    add_param(q, v2 ? "continuation-token" : "marker", spec->token);
    return 0;
}

static int
add_query(struct request *r, const struct request_spec *spec)
{
    const struct request_row *row = request_row(spec->op);
    struct query q = {.count = 0};
    int err = 0;

    if (row->query != NULL)
        q.params[q.count++] = (struct uri_param){row->query, ""};
    if (row->list)
        err = add_list(&q, r, spec);
    if (row->upload)
        add_param(&q, "uploadId", spec->upload_id);
    if (row->part)
        add_number(&q, q.part, "partNumber", spec->part_number);
    if (row->version)
        add_param(&q, "versionId", spec->version_id);
    return err != 0 ? err : uri_canonical_query(&r->target, q.params, q.count);
}

int
request_build_target(struct request *r, const struct request_spec *spec,
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
    err = add_query(r, spec);
    if (err == 0 && r->target.len == *query) {
        r->target.data[--r->target.len] = '\0'; /* no parameter at all */
        *query = 0;
    }
    return err;
}
