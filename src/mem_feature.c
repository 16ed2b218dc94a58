/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_feature.h"

#include <string.h>
#include <strings.h>

#define SSE "x-amz-server-side-encryption"

/* By number. */
enum feature {
    HTTP_KEYS, /* MEM_WITHOUT_HTTP_KEYS */
    ACL,
    APPEND,
    BATCH_DELETE,
    CHECKSUMS,
    CONDITIONAL_WRITES,
    COPY,
    LIST_V2,
    LOCK,
    MULTIPART,
    PART_NUMBER,
    SSE_S3,
    SSE_C,
    SSE_KMS,
    STORAGE_CLASS,
    TAGS,
    TRAILERS,
    VERSIONS,
    FEATURES
};

static const char *const names[FEATURES] = {
    [HTTP_KEYS] = "sse-c-http",
    [ACL] = "acl",
    [APPEND] = "append",
    [BATCH_DELETE] = "batch-delete",
    [CHECKSUMS] = "checksums",
    [CONDITIONAL_WRITES] = "conditional-writes",
    [COPY] = "copy",
    [LIST_V2] = "list-v2",
    [LOCK] = "lock",
    [MULTIPART] = "multipart",
    [PART_NUMBER] = "part-number",
    [SSE_S3] = "sse",
    [SSE_C] = "sse-c",
    [SSE_KMS] = "sse-kms",
    [STORAGE_CLASS] = "storage-class",
    [TAGS] = "tags",
    [TRAILERS] = "trailers",
    [VERSIONS] = "versions",
};

/* What shows that a feature is asked for: a header, where "-" at its end
 * stands for all that begin so, or a parameter of the query. */
static const struct {
    enum feature feature;
    enum { HEADER, PARAM } what;
    const char *name;
    const char *value; /* only with that one; NULL: any */
    const char *methods; /* only of those; NULL: any */
} signs[] = {
    {ACL, HEADER, "x-amz-acl", NULL, NULL},
    {ACL, HEADER, "x-amz-grant-", NULL, NULL},
    {ACL, PARAM, "acl", NULL, NULL},
    {APPEND, HEADER, "x-amz-write-offset-bytes", NULL, NULL},
    {BATCH_DELETE, PARAM, "delete", NULL, NULL},
    {CHECKSUMS, HEADER, "x-amz-checksum-", NULL, NULL},
    {CHECKSUMS, HEADER, "x-amz-sdk-checksum-", NULL, NULL},
    {CHECKSUMS, HEADER, "x-amz-trailer", NULL, NULL},
    {CONDITIONAL_WRITES, HEADER, "if-match", NULL, "PUT POST DELETE"},
    {CONDITIONAL_WRITES, HEADER, "if-none-match", NULL, "PUT POST DELETE"},
    {COPY, HEADER, "x-amz-copy-source", NULL, NULL},
    {LIST_V2, PARAM, "list-type", NULL, NULL},
    {LOCK, HEADER, "x-amz-bucket-object-lock-", NULL, NULL},
    {LOCK, HEADER, "x-amz-object-lock-", NULL, NULL},
    {LOCK, PARAM, "legal-hold", NULL, NULL},
    {LOCK, PARAM, "object-lock", NULL, NULL},
    {LOCK, PARAM, "retention", NULL, NULL},
    {MULTIPART, PARAM, "uploadId", NULL, NULL},
    {MULTIPART, PARAM, "uploads", NULL, NULL},
    {PART_NUMBER, PARAM, "partNumber", NULL, "GET HEAD"},
    {SSE_S3, HEADER, SSE, NULL, NULL},
    {SSE_C, HEADER, SSE "-customer-", NULL, NULL},
    {SSE_C, HEADER, "x-amz-copy-source-server-side-encryption-", NULL, NULL},
    {SSE_KMS, HEADER, SSE, "aws:kms", NULL},
    {SSE_KMS, HEADER, SSE, "aws:kms:dsse", NULL},
    {SSE_KMS, HEADER, SSE "-aws-kms-", NULL, NULL},
    {STORAGE_CLASS, HEADER, "x-amz-storage-class", NULL, NULL},
    {TAGS, HEADER, "x-amz-tagging", NULL, NULL},
    {TAGS, HEADER, "x-amz-tagging-", NULL, NULL},
    {TAGS, PARAM, "tagging", NULL, NULL},
    {TRAILERS, HEADER, "x-amz-trailer", NULL, NULL},
    {VERSIONS, PARAM, "versionId", NULL, NULL},
    {VERSIONS, PARAM, "versioning", NULL, NULL},
    {VERSIONS, PARAM, "versions", NULL, NULL},
};

unsigned
mem_feature_find(const char *name)
{
    for (int i = 0; i < FEATURES; i++)
        if (strcmp(names[i], name) == 0)
            return 1u << i;
    return 0;
}

const char *
mem_feature_name(size_t i)
{
    return i < FEATURES ? names[i] : NULL;
}

static const char *
find_header(const struct mem_request *r, const char *name)
{
    size_t n = strlen(name);

    if (name[n - 1] != '-')
        return mem_request_find(r, name);
    for (size_t i = 0; i < r->header_count; i++)
        if (strncasecmp(r->headers[i].name, name, n) == 0)
            return r->headers[i].value;
    return NULL;
}

/* Does R show sign number I? */
static bool
shows(const struct mem_request *r, size_t i)
{
    const char *value = signs[i].what == HEADER
                            ? find_header(r, signs[i].name)
                            : mem_request_param(r, signs[i].name);

    if (value == NULL ||
        (signs[i].value != NULL && strcmp(value, signs[i].value) != 0))
        return false;
    return signs[i].methods == NULL ||
           strstr(signs[i].methods, r->method) != NULL;
}

bool
mem_feature_check(unsigned without, struct mem_answer *answer,
                  const struct mem_request *r)
{
    if (without == 0)
        return true;
    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
        if ((without & 1u << signs[i].feature) == 0 || !shows(r, i))
            continue;
        mem_answer_fail(answer, MEM_NOT_IMPLEMENTED,
                        "This server was started --without %s",
                        names[signs[i].feature]);
        mem_answer_extra(answer,
                         signs[i].what == HEADER ? "Header" : "Parameter",
                         signs[i].name);
        return false;
    }
    return true;
}
