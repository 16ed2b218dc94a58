/* SPDX-License-Identifier: MIT */
/* The elements of S3's documents. */
#include "config.h"

#include "answer_parts.h"

#include <string.h>

#include "answer.h"

#define ERROR_FIELD(name, member)                                              \
    {                                                                          \
        ERROR, name, FIELD, offsetof(struct answer, error.member)              \
    }

static const struct step steps[] = {
    {OUTSIDE, "Error", ERROR, 0},
    {OUTSIDE, "ListBucketResult", LIST, 0},
    {OUTSIDE, "ListVersionsResult", LIST, 0},
    {OUTSIDE, "ListAllMyBucketsResult", ALL_BUCKETS, 0},
    {OUTSIDE, "DeleteResult", DELETE, 0},
    {OUTSIDE, "LocationConstraint", FIELD, offsetof(struct answer, location)},
    {OUTSIDE, "CopyObjectResult", RESULT, 0},
    {OUTSIDE, "CopyPartResult", RESULT, 0},
    {OUTSIDE, "CompleteMultipartUploadResult", RESULT, 0},
    ERROR_FIELD("Code", code),
    ERROR_FIELD("Message", message),
    ERROR_FIELD("RequestId", request_id),
    ERROR_FIELD("Region", region),
    ERROR_FIELD("Endpoint", endpoint),
    ERROR_FIELD("ServerTime", server_time),
    {LIST, "Contents", CONTENTS, 0},
    {LIST, "Version", CONTENTS, 0},
    {LIST, "DeleteMarker", DELETE_MARKER, 0},
    {LIST, "CommonPrefixes", COMMON, 0},
    {LIST, "IsTruncated", TRUNCATED, 0},
    {LIST, "NextContinuationToken", TOKEN, 0},
    {LIST, "NextMarker", MARKER, 0},
    {LIST, "NextKeyMarker", MARKER, 0},
    {LIST, "NextVersionIdMarker", VERSION_MARKER, 0},
    {LIST, "EncodingType", ENCODING, 0},
    {CONTENTS, "Key", NAME, 0},
    {CONTENTS, "Size", SIZE, 0},
    {CONTENTS, "LastModified", MODIFIED, 0},
    {CONTENTS, "ETag", ETAG, 0},
    {CONTENTS, "VersionId", VERSION, 0},
    {CONTENTS, "IsLatest", LATEST, 0},
    {DELETE_MARKER, "Key", NAME, 0},
    {DELETE_MARKER, "LastModified", MODIFIED, 0},
    {DELETE_MARKER, "VersionId", VERSION, 0},
    {DELETE_MARKER, "IsLatest", LATEST, 0},
    {COMMON, "Prefix", NAME, 0},
    {ALL_BUCKETS, "Buckets", BUCKETS, 0},
    {BUCKETS, "Bucket", BUCKET, 0},
    {BUCKET, "Name", NAME, 0},
    {BUCKET, "CreationDate", MODIFIED, 0},
    {DELETE, "Deleted", DELETED, 0},
    {DELETE, "Error", FAILED, 0},
    {FAILED, "Key", NAME, 0},
    {FAILED, "Code", FAILED_CODE, 0},
    {FAILED, "Message", FAILED_MESSAGE, 0},
    {OUTSIDE, "InitiateMultipartUploadResult", RESULT, 0},
    {RESULT, "ETag", RESULT_ETAG, 0},
    {RESULT, "UploadId", FIELD, offsetof(struct answer, upload_id)},
};

static const struct step skip = {SKIP, "", SKIP, 0};

const struct step *
answer_find_step(enum place from, const char *name)
{
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        if (steps[i].from == from && strcmp(steps[i].name, name) == 0)
            return &steps[i];
    return &skip;
}
