/* SPDX-License-Identifier: MIT */
/* Multipart uploads from their creation to the listing of their parts: see
 * mem_op.h. Their completion is in mem_complete.c. */
#include "config.h"

#include "mem_part.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "units.h"

#define PAGE_MAX 1000 /* parts, or uploads, in one listing */

static struct mem_upload_name
upload_name(const struct mem_op *op)
{
    const struct mem_request *r = &op->request;

    return (struct mem_upload_name){r->bucket, r->key, r->key_len,
                                    mem_op_param(op, "uploadId")};
}

/* Fail for an errno value of mem_upload.h. */
static void
fail(struct mem_op *op, int err)
{
    if (err == ENODATA) {
        mem_answer_fail(&op->answer, MEM_NO_SUCH_UPLOAD, NULL);
        mem_answer_extra(&op->answer, "UploadId", mem_op_param(op, "uploadId"));
    } else {
        mem_op_fail_errno(op, err);
    }
}

static void
begin_create(struct mem_op *op)
{
    if (op->request.key_len > MEM_KEY_MAX)
        mem_op_fail_errno(op, ENAMETOOLONG);
    else if (mem_op_asked_sum(&op->request) == -2)
        mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                        "Checksum algorithm provided is unsupported");
    else
        (void) mem_op_needs_bucket(op);
}

static void
write_created(struct mem_op *op, const char *id)
{
    struct mem_xml *x = &op->answer.xml;

    mem_op_xml(op, "InitiateMultipartUploadResult");
    mem_xml_element(x, "Bucket", op->request.bucket);
    mem_xml_element(x, "Key", op->request.key);
    mem_xml_element(x, "UploadId", id);
    mem_op_xml_end(op, "InitiateMultipartUploadResult");
}

static void
create_upload(struct mem_op *op)
{
    struct mem_request *r = &op->request;
    const char *type = mem_request_find(r, "x-amz-checksum-type");
    char id[MEM_UPLOAD_ID_SIZE];
    struct mem_object *o;
    bool whole;
    int err;

    if (!mem_op_make(op, 0, NULL, NULL))
        return;
    o = op->object;
    o->sum_kind = mem_op_asked_sum(r);
    whole = o->sum_kind == MEM_CRC64NVME ||
            (type != NULL && strcasecmp(type, "FULL_OBJECT") == 0);
    if (whole && o->sum_kind >= 0 && !mem_checksum_is_crc(o->sum_kind)) {
        mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                        "%s has no checksum of the type FULL_OBJECT",
                        mem_checksum_name(o->sum_kind));
        return;
    }
    err = mem_uploads_begin(op->service->uploads, id, r->bucket, r->key,
                            r->key_len, o, whole);
    if (err != 0) {
        mem_op_fail_errno(op, err);
        return;
    }
    mem_op_sse_headers(op, o);
    if (o->sum_kind >= 0) {
        mem_answer_header(&op->answer, "x-amz-checksum-algorithm",
                          mem_checksum_name(o->sum_kind));
        mem_answer_header(&op->answer, "x-amz-checksum-type",
                          whole ? "FULL_OBJECT" : "COMPOSITE");
    }
    write_created(op, id);
}

/* Is the part's checksum the one that UPLOAD was begun with? As at AWS, one
 * of parts' checksums needs all of them. */
static bool
check_sum(struct mem_op *op, const struct mem_upload *upload)
{
    int wanted = upload->object->sum_kind, given = op->digest.sum.kind;

    if (!op->kind->object_body || wanted < 0 || given == wanted ||
        (given < 0 && upload->sum_whole) ||
        mem_store_is_null(op->service->store))
        return true;
    mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                    "The upload was begun for parts with a checksum by %s; "
                    "this one has %s",
                    mem_checksum_name(wanted),
                    given < 0 ? "none" : mem_checksum_name(given));
    return false;
}

/* Does the part fit UPLOAD? It is only looked at. */
static bool
look(void *ctx, const struct mem_upload *upload)
{
    struct mem_op *op = ctx;

    if (mem_op_sse_part(op, upload->object) && check_sum(op, upload))
        mem_op_sse_headers(op, upload->object);
    return false;
}

static bool
read_part_number(const struct mem_op *op, unsigned *out)
{
    uint64_t n;

    if (!units_parse_count(&n, mem_op_param(op, "partNumber")) || n < 1 ||
        n > MEM_PARTS_MAX)
        return false;
    *out = (unsigned) n;
    return true;
}

void
mem_part_begin(struct mem_op *op)
{
    const struct mem_upload_name name = upload_name(op);
    struct mem_upload *none;
    unsigned number;
    int err;

    if (!mem_op_needs_bucket(op))
        return;
    if (!read_part_number(op, &number)) {
        mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                        "Part number must be an integer between 1 and 10000, "
                        "inclusive");
        return;
    }
    err = mem_uploads_look(op->service->uploads, &none, &name, look, op);
    if (err != 0)
        fail(op, err);
}

bool
mem_part_put(struct mem_op *op, struct mem_object *o)
{
    const struct mem_upload_name name = upload_name(op);
    unsigned number = 0;
    int err;

    (void) read_part_number(op, &number); /* it could be read before */
    err = mem_uploads_put(op->service->uploads, &name, number, o);
    if (err != 0)
        fail(op, err);
    return err == 0;
}

static void
begin_part(struct mem_op *op)
{
    int err;

    mem_part_begin(op);
    if (op->answer.code != MEM_OK)
        return;
    err = mem_object_new(&op->object, op->service->store, (uint64_t) op->length,
                         0, NULL, 0);
    if (err != 0)
        mem_op_fail_errno(op, err);
}

static void
end_part(struct mem_op *op)
{
    mem_op_set_etag(op, op->object);
    if (!mem_part_put(op, op->object))
        return;
    mem_op_etag(&op->answer, op->object);
    mem_op_sum_header(&op->answer, op->object);
}

static bool
take(void *ctx, const struct mem_upload *upload)
{
    (void) ctx;
    (void) upload;
    return true;
}

static void
abort_upload(struct mem_op *op)
{
    const struct mem_upload_name name = upload_name(op);
    struct mem_upload *upload;
    int err =
        mem_uploads_look(op->service->uploads, &upload, &name, take, NULL);

    mem_upload_free(upload);
    if (err != 0)
        fail(op, err);
    else
        op->answer.status = 204;
}

/* A number of the query, at most MAX; MAX when it is not there. */
static bool
read_max(struct mem_op *op, const char *name, uint64_t *out, uint64_t max)
{
    const char *text = mem_request_param(&op->request, name);

    *out = max;
    if (text == NULL)
        return true;
    if (!units_parse_count(out, text) || *out > INT32_MAX) {
        mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                        "%s is not a number from 0 to 2147483647", name);
        return false;
    }
    if (*out > max)
        *out = max;
    return true;
}

struct parts_page {
    struct mem_op *op;
    uint64_t max, marker;
};

static void
write_part(struct mem_xml *x, const struct mem_part *part)
{
    const struct mem_object *o = part->object;
    char iso[MEM_ISO_SIZE];

    mem_format_iso(iso, o->modified);
    mem_xml_raw(x, "<Part>");
    mem_xml_uint(x, "PartNumber", part->number);
    mem_xml_element(x, "LastModified", iso);
    mem_xml_raw(x, "<ETag>&quot;");
    mem_xml_raw(x, o->etag);
    mem_xml_raw(x, "&quot;</ETag>");
    mem_xml_uint(x, "Size", o->size);
    if (o->sum_kind >= 0)
        mem_xml_element(x, mem_checksum_element(o->sum_kind), o->sum);
    mem_xml_raw(x, "</Part>");
}

static bool
write_parts(void *ctx, const struct mem_upload *upload)
{
    struct parts_page *p = ctx;
    struct mem_op *op = p->op;
    struct mem_xml *x = &op->answer.xml;
    size_t at = 0, end;

    while (at < upload->count && upload->parts[at].number <= p->marker)
        at++;
    end = upload->count - at > p->max ? at + p->max : upload->count;
    mem_op_xml(op, "ListPartsResult");
    mem_xml_element(x, "Bucket", op->request.bucket);
    mem_xml_element(x, "Key", op->request.key);
    mem_xml_element(x, "UploadId", upload->id);
    mem_op_xml_owner(x, "Initiator");
    mem_op_xml_owner(x, "Owner");
    mem_xml_element(x, "StorageClass", mem_op_storage_class(upload->object));
    if (upload->object->sum_kind >= 0) {
        mem_xml_element(x, "ChecksumAlgorithm",
                        mem_checksum_name(upload->object->sum_kind));
        mem_xml_element(x, "ChecksumType",
                        upload->sum_whole ? "FULL_OBJECT" : "COMPOSITE");
    }
    mem_xml_uint(x, "PartNumberMarker", p->marker);
    mem_xml_uint(x, "NextPartNumberMarker",
                 end > at ? upload->parts[end - 1].number : 0);
    mem_xml_uint(x, "MaxParts", p->max);
    mem_xml_element(x, "IsTruncated", end < upload->count ? "true" : "false");
    for (; at < end; at++)
        write_part(x, &upload->parts[at]);
    mem_op_xml_end(op, "ListPartsResult");
    return false;
}

static void
list_parts(struct mem_op *op)
{
    const struct mem_upload_name name = upload_name(op);
    const char *marker = mem_op_param(op, "part-number-marker");
    struct parts_page p = {.op = op};
    struct mem_upload *none;
    int err;

    if (!mem_op_needs_bucket(op) ||
        !read_max(op, "max-parts", &p.max, PAGE_MAX))
        return;
    if (marker[0] != '\0' && !units_parse_count(&p.marker, marker)) {
        mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                        "part-number-marker is not a number");
        return;
    }
    err = mem_uploads_look(op->service->uploads, &none, &name, write_parts, &p);
    if (err != 0)
        fail(op, err);
}

const struct mem_op_kind mem_create_upload = {.begin = begin_create,
                                              .end = create_upload};
const struct mem_op_kind mem_upload_part = {
    .begin = begin_part, .end = end_part, .object_body = true};
const struct mem_op_kind mem_abort_upload = {.end = abort_upload};
const struct mem_op_kind mem_list_parts = {.end = list_parts};
