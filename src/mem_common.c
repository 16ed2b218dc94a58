/* SPDX-License-Identifier: MIT */
/* What the answers of several operations have in common: see mem_op.h. */
#include "config.h"

#include "mem_op.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "uri.h"

#define XML_HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

void
mem_op_xml(struct mem_op *op, const char *root)
{
    struct mem_xml *x = &op->answer.xml;

    mem_xml_raw(x, XML_HEAD "<");
    mem_xml_raw(x, root);
    mem_xml_raw(x, " xmlns=\"" MEM_XMLNS "\">");
}

void
mem_op_xml_end(struct mem_op *op, const char *root)
{
    struct mem_xml *x = &op->answer.xml;

    mem_xml_raw(x, "</");
    mem_xml_raw(x, root);
    mem_xml_raw(x, ">");
}

void
mem_op_xml_owner(struct mem_xml *x, const char *element)
{
    mem_xml_raw(x, "<");
    mem_xml_raw(x, element);
    mem_xml_raw(x, "><ID>s3mem</ID><DisplayName>s3mem</DisplayName></");
    mem_xml_raw(x, element);
    mem_xml_raw(x, ">");
}

void
mem_op_xml_name(struct mem_xml *x, const char *name, const char *text, size_t n,
                bool encode)
{
    struct buf encoded;

    mem_xml_raw(x, "<");
    mem_xml_raw(x, name);
    mem_xml_raw(x, ">");
    if (encode) {
        buf_init(&encoded, 3 * n);
        if (uri_encode(&encoded, text, n, true) != 0)
            x->err = ENOMEM;
        for (char *at = encoded.data; (at = strstr(at, "%20")) != NULL;) {
            *at++ = '+';
            memmove(at, at + 2, strlen(at + 2) + 1);
        }
        mem_xml_raw(x, encoded.data);
        buf_clear(&encoded);
    } else {
        mem_xml_text(x, text, n);
    }
    mem_xml_raw(x, "</");
    mem_xml_raw(x, name);
    mem_xml_raw(x, ">");
}

struct mem_name
mem_op_name(const struct mem_op *op)
{
    const struct mem_request *r = &op->request;

    return (struct mem_name){
        .bucket = r->bucket, .key = r->key, .key_len = r->key_len};
}

struct mem_name
mem_op_version(const struct mem_op *op)
{
    struct mem_name name = mem_op_name(op);

    name.version = mem_request_param(&op->request, "versionId");
    return name;
}

void
mem_op_version_header(struct mem_op *op, const char *name,
                      const struct mem_object *o)
{
    char version[MEM_VERSION_SIZE];

    mem_store_version(op->service->store, version, o);
    mem_answer_header(&op->answer, name, version);
}

/* A delete marker is there instead of an object. */
static void
fail_marker(struct mem_op *op, const struct mem_object *marker, bool by_version)
{
    char date[MEM_HTTP_DATE_SIZE];

    mem_op_fail_errno(op, by_version ? EISDIR : ENODATA);
    mem_answer_header(&op->answer, "x-amz-delete-marker", "true");
    mem_op_version_header(op, "x-amz-version-id", marker);
    if (!by_version)
        return;
    mem_format_http_date(date, marker->modified);
    mem_answer_header(&op->answer, "Last-Modified", date);
    mem_answer_header(&op->answer, "Allow", "DELETE");
}

bool
mem_op_find(struct mem_op *op, struct mem_found *out)
{
    const struct mem_name name = mem_op_version(op);
    int err = mem_store_get(op->service->store, out, &name);

    if (err != 0) {
        mem_op_fail_errno(op, err);
        return false;
    }
    if (!out->object->marker)
        return true;
    fail_marker(op, out->object, name.version != NULL);
    mem_object_drop(out->object);
    return false;
}

void
mem_op_etag(struct mem_answer *a, const struct mem_object *o)
{
    char quoted[MEM_ETAG_SIZE + 2];

    snprintf(quoted, sizeof(quoted), "\"%s\"", o->etag);
    mem_answer_header(a, "ETag", quoted);
}

void
mem_op_md5_etag(struct mem_object *o, const unsigned char md5[16])
{
    unsigned char digest[EVP_MAX_MD_SIZE];

    /* The ETag of what is encrypted is not the MD5 of its content. */
    if (mem_op_sse_etag(o) &&
        EVP_Digest(md5, 16, digest, NULL, EVP_md5(), NULL))
        md5 = digest;
    sigv4_hex(o->etag, md5, 16);
}

void
mem_op_set_etag(const struct mem_op *op, struct mem_object *o)
{
    /* A null store knows nothing but the size. */
    if (op->digest.md5 != NULL)
        mem_op_md5_etag(o, op->digest.md5_bytes);
    else
        snprintf(o->etag, sizeof(o->etag), "%032" PRIx64, o->size);
    if (op->digest.sum_text[0] != '\0') {
        o->sum_kind = op->digest.sum.kind;
        snprintf(o->sum, sizeof(o->sum), "%s", op->digest.sum_text);
    }
}

void
mem_op_put_headers(struct mem_op *op, const struct mem_object *o)
{
    mem_op_etag(&op->answer, o);
    mem_op_sum_header(&op->answer, o);
    mem_op_sse_headers(op, o);
    if (o->version != MEM_VERSION_NONE)
        mem_op_version_header(op, "x-amz-version-id", o);
}

void
mem_op_sum_header(struct mem_answer *a, const struct mem_object *o)
{
    if (o->sum_kind < 0 || o->sum[0] == '\0')
        return;
    mem_answer_header(a, mem_checksum_header(o->sum_kind), o->sum);
    mem_answer_header(a, "x-amz-checksum-type",
                      strchr(o->sum, '-') != NULL ? "COMPOSITE"
                                                  : "FULL_OBJECT");
}

int
mem_op_asked_sum(const struct mem_request *r)
{
    const char *name = mem_request_find(r, "x-amz-checksum-algorithm");
    int kind;

    if (name == NULL)
        return -1;
    kind = mem_checksum_by_name(name);
    return kind >= 0 ? kind : -2;
}
