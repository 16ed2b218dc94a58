/* SPDX-License-Identifier: MIT */
/* Which operation a request asks for: see mem_op.h. */
#include "config.h"

#include "mem_op.h"

#include <string.h>
#include <strings.h>

/* Which part of the service a request is about. */
enum level { SERVICE, BUCKET, OBJECT };

static const struct {
    const char *method;
    enum level level;
    const char *sub; /* the sub-resource; "" for none */
    const struct mem_op_kind *kind;
} routes[] = {
    {"GET", OBJECT, "", &mem_get_object},
    {"PUT", OBJECT, "", &mem_put_object},
    {"DELETE", OBJECT, "", &mem_delete_object},
    {"GET", SERVICE, "", &mem_list_buckets},
    {"PUT", BUCKET, "", &mem_create_bucket},
    {"HEAD", BUCKET, "", &mem_head_bucket},
    {"DELETE", BUCKET, "", &mem_delete_bucket},
    {"GET", BUCKET, "", &mem_list_objects},
    {"GET", BUCKET, "acl", &mem_get_acl},
    {"GET", BUCKET, "location", &mem_get_location},
    {"GET", BUCKET, "object-lock", &mem_get_lock_rule},
    {"PUT", BUCKET, "object-lock", &mem_put_lock_rule},
    {"GET", BUCKET, "tagging", &mem_get_bucket_tagging},
    {"GET", BUCKET, "uploads", &mem_list_uploads},
    {"GET", BUCKET, "versioning", &mem_get_versioning},
    {"PUT", BUCKET, "versioning", &mem_put_versioning},
    {"GET", BUCKET, "versions", &mem_list_versions},
    {"POST", BUCKET, "delete", &mem_delete_objects},
    {"GET", OBJECT, "acl", &mem_get_acl},
    {"GET", OBJECT, "partNumber", &mem_get_object},
    {"PUT", OBJECT, "legal-hold", &mem_put_legal_hold},
    {"GET", OBJECT, "legal-hold", &mem_get_legal_hold},
    {"PUT", OBJECT, "retention", &mem_put_retention},
    {"GET", OBJECT, "retention", &mem_get_retention},
    {"PUT", OBJECT, "tagging", &mem_put_tagging},
    {"GET", OBJECT, "tagging", &mem_get_tagging},
    {"DELETE", OBJECT, "tagging", &mem_delete_tagging},
    {"POST", OBJECT, "uploads", &mem_create_upload},
    {"PUT", OBJECT, "uploadId", &mem_upload_part},
    {"POST", OBJECT, "uploadId", &mem_complete_upload},
    {"DELETE", OBJECT, "uploadId", &mem_abort_upload},
    {"GET", OBJECT, "uploadId", &mem_list_parts},
};

/* S3's sub-resources: parameters that turn a request into another one. */
static const char *const sub_resources[] = {
    "accelerate",
    "acl",
    "analytics",
    "append",
    "attributes",
    "cors",
    "delete",
    "encryption",
    "intelligent-tiering",
    "inventory",
    "legal-hold",
    "lifecycle",
    "location",
    "logging",
    "metrics",
    "notification",
    "object-lock",
    "ownershipControls",
    "partNumber",
    "policy",
    "policyStatus",
    "position",
    "publicAccessBlock",
    "replication",
    "requestPayment",
    "restore",
    "retention",
    "select",
    "session",
    "tagging",
    "torrent",
    "uploadId",
    "uploads",
    "versioning",
    "versions",
    "website",
};

/* Headers that ask for what would silently not be done. */
static const char *const refused_headers[] = {
    "x-amz-website-redirect-location",
};

static bool
is_sub_resource(const char *name)
{
    for (size_t i = 0; i < sizeof(sub_resources) / sizeof(*sub_resources); i++)
        if (strcmp(sub_resources[i], name) == 0)
            return true;
    return false;
}

static const char *
find_sub_resource(const struct mem_request *r)
{
    const char *sub = "";

    for (size_t i = 0; i < r->param_count; i++) {
        const char *name = r->params[i].name;

        /* A part's number belongs to its upload. */
        if (strcmp(name, "uploadId") == 0)
            return "uploadId";
        if (is_sub_resource(name))
            sub = name;
    }
    return sub;
}

static const struct mem_op_kind *
find_route(const char *method, enum level level, const char *sub)
{
    for (size_t i = 0; i < sizeof(routes) / sizeof(*routes); i++)
        if (routes[i].level == level && strcmp(routes[i].method, method) == 0 &&
            strcmp(routes[i].sub, sub) == 0)
            return routes[i].kind;
    return NULL;
}

static bool
check_headers(struct mem_answer *answer, const struct mem_request *r)
{
    size_t n = sizeof(refused_headers) / sizeof(*refused_headers);

    for (size_t h = 0; h < r->header_count; h++) {
        const char *name = r->headers[h].name;

        if (strncasecmp(name, "x-amz-", 6) != 0)
            continue;
        for (size_t i = 0; i < n; i++) {
            if (strcasecmp(name, refused_headers[i]) != 0)
                continue;
            mem_answer_fail(answer, MEM_NOT_IMPLEMENTED,
                            "s3mem does not implement the header %s", name);
            mem_answer_extra(answer, "Header", refused_headers[i]);
            return false;
        }
    }
    return true;
}

/* A PUT of an object whose headers make it something else. */
static const struct mem_op_kind *
other_put(const struct mem_request *r, const struct mem_op_kind *kind)
{
    if (mem_request_find(r, "x-amz-copy-source") != NULL)
        return kind == &mem_put_object ? &mem_copy_object : &mem_copy_part;
    if (kind == &mem_put_object &&
        mem_request_find(r, "x-amz-write-offset-bytes") != NULL)
        return &mem_append_object;
    return kind;
}

const struct mem_op_kind *
mem_op_route(struct mem_answer *answer, const struct mem_request *r)
{
    enum level level = r->bucket[0] == '\0' ? SERVICE
                       : r->key_len == 0    ? BUCKET
                                            : OBJECT;
    const char *sub = find_sub_resource(r);
    const struct mem_op_kind *kind = find_route(r->method, level, sub);

    if (!check_headers(answer, r))
        return NULL;
    if (kind == NULL && strcmp(r->method, "HEAD") == 0)
        kind = find_route("GET", level, sub);
    if (kind == &mem_put_object || kind == &mem_upload_part)
        kind = other_put(r, kind);
    if (kind != NULL)
        return kind;
    if (sub[0] != '\0')
        mem_answer_fail(answer, MEM_NOT_IMPLEMENTED,
                        "s3mem does not implement %s ?%s", r->method, sub);
    else
        mem_answer_fail(answer, MEM_METHOD_NOT_ALLOWED, NULL);
    return NULL;
}
