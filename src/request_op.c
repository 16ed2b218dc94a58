/* SPDX-License-Identifier: MIT */
/* What each operation is on the wire. */
#include "config.h"

#include "request_parts.h"

static const struct request_row rows[REQUEST_OPS] = {
    [REQUEST_LIST_BUCKETS] = {.method = "GET",
                              .root = "ListAllMyBucketsResult"},
    [REQUEST_CREATE_BUCKET] = {.method = "PUT",
                               .aspects = ASPECTS_BUCKET,
                               .write = request_write_location},
    [REQUEST_SET_VERSIONING] = {.method = "PUT",
                                .query = "versioning",
                                .md5 = true,
                                .write = request_write_versioning},
    [REQUEST_HEAD_BUCKET] = {.method = "HEAD"},
    [REQUEST_DELETE_BUCKET] = {.method = "DELETE"},
    [REQUEST_LIST] = {.method = "GET",
                      .root = "ListBucketResult",
                      .list = true},
    [REQUEST_LIST_VERSIONS] = {.method = "GET",
                               .query = "versions",
                               .root = "ListVersionsResult",
                               .list = true},
    [REQUEST_PUT] = {.method = "PUT",
                     .key = true,
                     .data = true,
                     .aspects = ASPECTS_BEGIN | ASPECTS_BECOME},
    [REQUEST_COPY] = {.method = "PUT",
                      .root = "CopyObjectResult",
                      .key = true,
                      .aspects = ASPECTS_COPY},
    [REQUEST_CREATE_UPLOAD] = {.method = "POST",
                               .query = "uploads",
                               .root = "InitiateMultipartUploadResult",
                               .key = true,
                               .aspects = ASPECTS_BEGIN},
    [REQUEST_UPLOAD_PART] = {.method = "PUT",
                             .key = true,
                             .data = true,
                             .aspects = ASPECTS_PART,
                             .part = true,
                             .upload = true},
    [REQUEST_COMPLETE_UPLOAD] = {.method = "POST",
                                 .root = "CompleteMultipartUploadResult",
                                 .key = true,
                                 .aspects = ASPECTS_BECOME,
                                 .upload = true,
                                 .write = request_write_complete},
    [REQUEST_ABORT_UPLOAD] = {.method = "DELETE", .key = true, .upload = true},
    [REQUEST_GET] = {.method = "GET",
                     .key = true,
                     .aspects = ASPECTS_READ,
                     .part = true,
                     .version = true},
    [REQUEST_HEAD] = {.method = "HEAD",
                      .key = true,
                      .aspects = ASPECTS_READ,
                      .part = true,
                      .version = true},
    [REQUEST_DELETE] = {.method = "DELETE",
                        .key = true,
                        .aspects = ASPECTS_DELETE,
                        .version = true},
    [REQUEST_RELEASE] = {.method = "PUT",
                         .query = "legal-hold",
                         .key = true,
                         .md5 = true,
                         .version = true,
                         .write = request_write_release},
    [REQUEST_DELETE_MANY] = {.method = "POST",
                             .aspects = ASPECTS_DELETE,
                             .query = "delete",
                             .root = "DeleteResult",
                             .md5 = true,
                             .write = request_write_delete},
};

bool
request_is_listing(enum request_op op)
{
    return op == REQUEST_LIST_BUCKETS || rows[op].list;
}

const struct request_row *
request_row(enum request_op op)
{
    return &rows[op];
}
