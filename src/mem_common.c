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

void
mem_op_etag(struct mem_answer *a, const struct mem_object *o)
{
    char quoted[MEM_ETAG_SIZE + 2];

    snprintf(quoted, sizeof(quoted), "\"%s\"", o->etag);
    mem_answer_header(a, "ETag", quoted);
}

void
mem_op_set_etag(const struct mem_op *op, struct mem_object *o)
{
    /* A null store knows nothing but the size. */
    if (op->digest.md5 != NULL)
        sigv4_hex(o->etag, op->digest.md5_bytes, sizeof(op->digest.md5_bytes));
    else
        snprintf(o->etag, sizeof(o->etag), "%032" PRIx64, o->size);
    if (op->digest.sum_text[0] != '\0') {
        o->sum_kind = op->digest.sum.kind;
        snprintf(o->sum, sizeof(o->sum), "%s", op->digest.sum_text);
    }
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
