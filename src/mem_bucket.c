/* SPDX-License-Identifier: MIT */
/* The operations on the service and on buckets: see mem_op.h. */
#include "config.h"

#include "mem_op.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mem_read.h"

#define US_EAST_1 "us-east-1"

static void
write_bucket(void *ctx, const char *bucket, time_t created)
{
    struct mem_xml *x = ctx;
    char iso[MEM_ISO_SIZE];

    mem_format_iso(iso, created);
    mem_xml_raw(x, "<Bucket>");
    mem_xml_element(x, "Name", bucket);
    mem_xml_element(x, "CreationDate", iso);
    mem_xml_raw(x, "</Bucket>");
}

static void
list_buckets(struct mem_op *op)
{
    struct mem_xml *x = &op->answer.xml;

    mem_op_xml(op, "ListAllMyBucketsResult");
    mem_op_xml_owner(x, "Owner");
    mem_xml_raw(x, "<Buckets>");
    mem_store_buckets(op->service->store, write_bucket, x);
    mem_xml_raw(x, "</Buckets>");
    mem_op_xml_end(op, "ListAllMyBucketsResult");
}

/* "192.168.5.4" and the like: digits and dots only. */
static bool
is_address(const char *name)
{
    return name[strspn(name, "0123456789.")] == '\0';
}

static bool
is_bucket_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.-");

    return name[n] == '\0' && n >= 3 && n <= 63 &&
           strchr(letters, name[0]) != NULL &&
           strchr(letters, name[n - 1]) != NULL && strstr(name, "..") == NULL &&
           !is_address(name);
}

static void
begin_create(struct mem_op *op)
{
    if (is_bucket_name(op->request.bucket))
        return;
    mem_answer_fail(&op->answer, MEM_INVALID_BUCKET_NAME, NULL);
    mem_answer_extra(&op->answer, "BucketName", op->request.bucket);
}

/* Returns: whether the request's location is the one that is here. As at
 * AWS us-east-1 must not be named, and another region may be left out. */
static bool
check_location(struct mem_op *op)
{
    const char *here = op->service->keys.region;
    struct mem_field location = {.name = "LocationConstraint"};
    bool good = false;
    int err;

    if (op->body.len == 0)
        return true;
    err = mem_read_fields(&location, 1, "CreateBucketConfiguration",
                          op->body.data, op->body.len);
    if (err == EINVAL) {
        mem_answer_fail(&op->answer, MEM_MALFORMED_XML, NULL);
    } else if (err != 0) {
        mem_op_fail_errno(op, err);
    } else if (strcmp(location.text, here) != 0 ||
               strcmp(here, US_EAST_1) == 0) {
        mem_answer_fail(&op->answer, MEM_INVALID_LOCATION_CONSTRAINT,
                        "The location constraint is not valid here; s3mem "
                        "takes none%s%s",
                        strcmp(here, US_EAST_1) != 0 ? " or " : "",
                        strcmp(here, US_EAST_1) != 0 ? here : "");
        mem_answer_extra(&op->answer, "LocationConstraint", location.text);
    } else {
        good = true;
    }
    return good;
}

static void
end_create(struct mem_op *op)
{
    const char *lock =
        mem_request_find(&op->request, "x-amz-bucket-object-lock-enabled");
    int err;

    if (!check_location(op))
        return;
    err = mem_store_make_bucket(op->service->store, op->request.bucket,
                                lock != NULL && strcasecmp(lock, "true") == 0);
    if (err != 0) {
        mem_op_fail_errno(op, err);
        return;
    }
    /* A valid name needs no escaping. */
    buf_reset(&op->body);
    if (buf_addf(&op->body, "/%s", op->request.bucket) != 0)
        mem_op_fail_errno(op, ENOMEM);
    else
        mem_answer_header(&op->answer, "Location", op->body.data);
}

static void
begin_in_bucket(struct mem_op *op)
{
    (void) mem_op_needs_bucket(op);
}

static void
head_bucket(struct mem_op *op)
{
    mem_answer_header(&op->answer, "x-amz-bucket-region",
                      op->service->keys.region);
}

static void
delete_bucket(struct mem_op *op)
{
    int err = mem_store_remove_bucket(op->service->store, op->request.bucket);

    if (err != 0) {
        mem_op_fail_errno(op, err);
        return;
    }
    mem_uploads_drop(op->service->uploads, op->request.bucket);
    op->answer.status = 204;
}

static void
get_location(struct mem_op *op)
{
    const char *region = op->service->keys.region;

    mem_op_xml(op, "LocationConstraint");
    /* Empty for us-east-1. */
    if (strcmp(region, US_EAST_1) != 0)
        mem_xml_text(&op->answer.xml, region, strlen(region));
    mem_op_xml_end(op, "LocationConstraint");
}

/* Of buckets and objects: all belongs to the one user there is. */
static void
get_acl(struct mem_op *op)
{
    struct mem_request *r = &op->request;
    struct mem_xml *x = &op->answer.xml;
    struct mem_found found;

    if (r->key_len > 0) {
        if (!mem_op_find(op, &found))
            return;
        mem_object_drop(found.object);
    }
    mem_op_xml(op, "AccessControlPolicy");
    mem_op_xml_owner(x, "Owner");
    mem_xml_raw(x, "<AccessControlList><Grant><Grantee xmlns:xsi=\"http://"
                   "www.w3.org/2001/XMLSchema-instance\" xsi:type=\""
                   "CanonicalUser\"><ID>s3mem</ID><DisplayName>s3mem"
                   "</DisplayName></Grantee><Permission>FULL_CONTROL"
                   "</Permission></Grant></AccessControlList>");
    mem_op_xml_end(op, "AccessControlPolicy");
}

static void
begin_delete_objects(struct mem_op *op)
{
    if (op->length < 0)
        mem_answer_fail(&op->answer, MEM_MISSING_CONTENT_LENGTH, NULL);
    else
        begin_in_bucket(op);
}

/* Why one of many keys was not deleted. */
static void
write_failure(struct mem_xml *x, const struct mem_name *name, const char *code,
              const char *message)
{
    mem_xml_raw(x, "<Error>");
    mem_xml_element(x, "Key", name->key);
    if (name->version != NULL)
        mem_xml_element(x, "VersionId", name->version);
    mem_xml_element(x, "Code", code);
    mem_xml_element(x, "Message", message);
    mem_xml_raw(x, "</Error>");
}

static void
write_deleted(struct mem_xml *x, const struct mem_name *name,
              const struct mem_deleted *deleted)
{
    mem_xml_raw(x, "<Deleted>");
    mem_xml_element(x, "Key", name->key);
    if (name->version != NULL)
        mem_xml_element(x, "VersionId", name->version);
    if (deleted->marker) {
        mem_xml_raw(x, "<DeleteMarker>true</DeleteMarker>");
        mem_xml_element(x, "DeleteMarkerVersionId", deleted->version);
    }
    mem_xml_raw(x, "</Deleted>");
}

/* Delete KEY and say so. */
static void
delete_one(struct mem_op *op, const char *key, const char *version, bool quiet)
{
    struct mem_store *s = op->service->store;
    struct mem_xml *x = &op->answer.xml;
    struct mem_name name = {.bucket = op->request.bucket,
                            .key = key,
                            .key_len = strlen(key),
                            .version = version[0] != '\0' ? version : NULL};
    struct mem_deleted deleted;
    int err;

    if (name.version != NULL && !mem_version_check(s, version)) {
        write_failure(x, &name, "NoSuchVersion", "There is no such version");
        return;
    }
    err = mem_store_delete(s, &deleted, &name, mem_op_bypass(op));
    if (err == EACCES)
        write_failure(x, &name, "AccessDenied",
                      "The object is protected by object lock");
    else if (err == ENOENT)
        write_failure(x, &name, "NoSuchBucket", "The bucket is gone");
    else if (err != 0 && err != ENODATA)
        write_failure(x, &name, "InternalError", "There is no memory for it");
    else if (!quiet) /* deleting what is not there succeeds */
        write_deleted(x, &name, &deleted);
}

static void
delete_objects(struct mem_op *op)
{
    struct mem_delete del;
    const char *at;
    int err = mem_read_delete(&del, op->body.data, op->body.len);

    if (err == EINVAL || err == E2BIG) {
        mem_answer_fail(&op->answer, MEM_MALFORMED_XML, NULL);
    } else if (err != 0) {
        mem_op_fail_errno(op, err);
    } else {
        mem_op_xml(op, "DeleteResult");
        at = del.keys.data;
        for (size_t i = 0; i < del.count; i++) {
            const char *version = at + strlen(at) + 1;

            delete_one(op, at, version, del.quiet);
            at = version + strlen(version) + 1;
        }
        mem_op_xml_end(op, "DeleteResult");
    }
    mem_delete_clear(&del);
}

const struct mem_op_kind mem_list_buckets = {.end = list_buckets};
const struct mem_op_kind mem_create_bucket = {
    .begin = begin_create, .end = end_create, .xml_body = true};
const struct mem_op_kind mem_head_bucket = {.begin = begin_in_bucket,
                                            .end = head_bucket};
const struct mem_op_kind mem_delete_bucket = {.end = delete_bucket};
const struct mem_op_kind mem_get_location = {.begin = begin_in_bucket,
                                             .end = get_location};
const struct mem_op_kind mem_get_acl = {.begin = begin_in_bucket,
                                        .end = get_acl};
const struct mem_op_kind mem_delete_objects = {.begin = begin_delete_objects,
                                               .end = delete_objects,
                                               .xml_body = true,
                                               .needs_digest = true};
