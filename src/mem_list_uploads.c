/* SPDX-License-Identifier: MIT */
/* The listing of a bucket's multipart uploads: see mem_op.h. */
#include "config.h"

#include "mem_op.h"

#include <errno.h>
#include <string.h>

#include "units.h"

#define PAGE_MAX 1000 /* uploads in one listing */

struct uploads_page {
    struct mem_xml *x;
    struct mem_xml prefixes; /* follow behind all uploads */
    const char *prefix, *delimiter;
    const char *key_marker;
    bool encode, truncated;
    uint64_t max, count;
    struct buf last; /* the key, or the common prefix, given last */
    char last_id[MEM_UPLOAD_ID_SIZE];
    int err;
};

/* Keep where the listing has come to. */
static void
keep(struct uploads_page *p, const char *name, size_t n, const char *id)
{
    buf_reset(&p->last);
    if (buf_add(&p->last, name, n) != 0)
        p->err = ENOMEM;
    memcpy(p->last_id, id, strlen(id) + 1);
    p->count++;
}

static void
write_upload(struct uploads_page *p, const char *key, size_t n,
             const struct mem_upload *upload)
{
    char iso[MEM_ISO_SIZE];

    mem_format_iso(iso, upload->initiated);
    mem_xml_raw(p->x, "<Upload>");
    mem_op_xml_name(p->x, "Key", key, n, p->encode);
    mem_xml_element(p->x, "UploadId", upload->id);
    mem_op_xml_owner(p->x, "Initiator");
    mem_op_xml_owner(p->x, "Owner");
    mem_xml_element(p->x, "StorageClass", mem_op_storage_class(upload->object));
    mem_xml_element(p->x, "Initiated", iso);
    mem_xml_raw(p->x, "</Upload>");
    keep(p, key, n, upload->id);
}

/* How long KEY's common prefix is; 0 when it is listed itself. */
static size_t
common_prefix(const struct uploads_page *p, const char *key)
{
    const char *found = p->delimiter[0] != '\0'
                            ? strstr(key + strlen(p->prefix), p->delimiter)
                            : NULL;

    return found != NULL ? (size_t) (found - key) + strlen(p->delimiter) : 0;
}

static bool
each_upload(void *ctx, const char *key, size_t n,
            const struct mem_upload *upload)
{
    struct uploads_page *p = ctx;
    int order = strncmp(key, p->prefix, strlen(p->prefix));
    size_t common;

    if (order != 0)
        return order < 0; /* not there yet, or past it */
    common = common_prefix(p, key);
    /* Said already: on this page, or on the one before. */
    if (common > 0 &&
        ((p->last.len == common && memcmp(p->last.data, key, common) == 0) ||
         strncmp(p->key_marker, key, common) == 0))
        return true;
    if (p->count == p->max) {
        p->truncated = p->max > 0;
        return false;
    }
    if (common == 0) {
        write_upload(p, key, n, upload);
        return true;
    }
    mem_xml_raw(&p->prefixes, "<CommonPrefixes>");
    mem_op_xml_name(&p->prefixes, "Prefix", key, common, p->encode);
    mem_xml_raw(&p->prefixes, "</CommonPrefixes>");
    keep(p, key, common, "");
    return true;
}

static void
begin(struct mem_op *op)
{
    const char *max = mem_request_param(&op->request, "max-uploads");
    uint64_t n;

    if (max != NULL && (!units_parse_count(&n, max) || n > INT32_MAX))
        mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                        "max-uploads is not a number from 0 to 2147483647");
    else
        (void) mem_op_needs_bucket(op);
}

static void
write_asked(struct mem_op *op, const struct uploads_page *p)
{
    mem_op_xml(op, "ListMultipartUploadsResult");
    mem_xml_element(p->x, "Bucket", op->request.bucket);
    mem_op_xml_name(p->x, "KeyMarker", p->key_marker, strlen(p->key_marker),
                    p->encode);
    mem_xml_element(p->x, "UploadIdMarker",
                    mem_op_param(op, "upload-id-marker"));
    mem_op_xml_name(p->x, "Prefix", p->prefix, strlen(p->prefix), p->encode);
    if (p->delimiter[0] != '\0')
        mem_op_xml_name(p->x, "Delimiter", p->delimiter, strlen(p->delimiter),
                        p->encode);
    if (p->encode)
        mem_xml_raw(p->x, "<EncodingType>url</EncodingType>");
    mem_xml_uint(p->x, "MaxUploads", p->max);
}

static void
list_uploads(struct mem_op *op)
{
    struct uploads_page p = {.x = &op->answer.xml,
                             .prefix = mem_op_param(op, "prefix"),
                             .delimiter = mem_op_param(op, "delimiter"),
                             .key_marker = mem_op_param(op, "key-marker"),
                             .encode =
                                 mem_op_param(op, "encoding-type")[0] != '\0',
                             .max = PAGE_MAX};

    mem_xml_init(&p.prefixes);
    buf_init(&p.last, MEM_KEY_MAX);
    (void) units_parse_count(&p.max, mem_op_param(op, "max-uploads"));
    if (p.max > PAGE_MAX)
        p.max = PAGE_MAX;
    write_asked(op, &p);
    mem_uploads_list(op->service->uploads, op->request.bucket, p.key_marker,
                     mem_op_param(op, "upload-id-marker"), each_upload, &p);
    mem_xml_element(p.x, "IsTruncated", p.truncated ? "true" : "false");
    if (p.truncated) {
        mem_op_xml_name(p.x, "NextKeyMarker", p.last.data, p.last.len,
                        p.encode);
        mem_xml_element(p.x, "NextUploadIdMarker", p.last_id);
    }
    mem_xml_raw(p.x, p.prefixes.out.data);
    mem_op_xml_end(op, "ListMultipartUploadsResult");
    if (p.err != 0 || p.prefixes.err != 0)
        mem_op_fail_errno(op, ENOMEM);
    mem_xml_clear(&p.prefixes);
    buf_clear(&p.last);
}

const struct mem_op_kind mem_list_uploads = {.begin = begin,
                                             .end = list_uploads};
