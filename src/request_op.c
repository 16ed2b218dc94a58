/* SPDX-License-Identifier: MIT */
/* What each operation is on the wire. */
#include "config.h"

#include "request_parts.h"

static const struct request_row rows[REQUEST_OPS] = {
    [REQUEST_LIST_BUCKETS] = {"GET", .root = "ListAllMyBucketsResult"},
    [REQUEST_CREATE_BUCKET] = {"PUT", .write = request_write_location},
    [REQUEST_HEAD_BUCKET] = {"HEAD"},
    [REQUEST_DELETE_BUCKET] = {"DELETE"},
    [REQUEST_LIST] = {"GET", .root = "ListBucketResult", .list = true},
    [REQUEST_LIST_VERSIONS] = {"GET", .query = "versions",
                               .root = "ListVersionsResult", .list = true},
    [REQUEST_PUT] = {"PUT", .key = true, .data = true},
    [REQUEST_COPY] = {"PUT", .root = "CopyObjectResult", .key = true},
    [REQUEST_CREATE_UPLOAD] = {"POST", .query = "uploads",
                               .root = "InitiateMultipartUploadResult",
                               .key = true},
    [REQUEST_UPLOAD_PART] = {"PUT", .key = true, .data = true, .part = true,
                             .upload = true},
    [REQUEST_COMPLETE_UPLOAD] = {"POST",
                                 .root = "CompleteMultipartUploadResult",
                                 .key = true, .upload = true,
                                 .write = request_write_complete},
    [REQUEST_ABORT_UPLOAD] = {"DELETE", .key = true, .upload = true},
    [REQUEST_GET] = {"GET", .key = true, .part = true, .version = true},
    [REQUEST_HEAD] = {"HEAD", .key = true, .part = true, .version = true},
    [REQUEST_DELETE] = {"DELETE", .key = true, .version = true},
    [REQUEST_DELETE_MANY] = {"POST", .query = "delete", .root = "DeleteResult",
                             .md5 = true, .write = request_write_delete},
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
