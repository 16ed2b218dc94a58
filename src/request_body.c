/* SPDX-License-Identifier: MIT */
/* The bodies of requests: given, framed, or written here. */
#include "config.h"

#include "request_parts.h"

#include <errno.h>

/* Add TEXT as XML character data. EINVAL for what XML 1.0 cannot carry. */
static int
add_xml_text(struct buf *out, const char *text)
{
    int err = 0;

    for (; err == 0 && *text != '\0'; text++) {
        unsigned char c = (unsigned char) *text;

        if (c == '&')
            err = buf_adds(out, "&amp;");
        else if (c == '<')
            err = buf_adds(out, "&lt;");
        else if (c == '>')
            err = buf_adds(out, "&gt;");
        else if (c == '\t' || c == '\n' || c == '\r')
            err = buf_addf(out, "&#%d;", c);
        else if (c < 0x20)
            err = EINVAL;
        else
            err = buf_addc(out, *text);
    }
    return err;
}

/* <NAME>TEXT</NAME>; nothing without a TEXT. */
static int
add_element(struct buf *out, const char *name, const char *text)
{
    int err;

    if (text == NULL || text[0] == '\0')
        return 0;
    err = buf_addf(out, "<%s>", name);
    if (err == 0)
        err = add_xml_text(out, text);
    return err != 0 ? err : buf_addf(out, "</%s>", name);
}

int
request_write_delete(struct buf *xml, const struct request_spec *spec)
{
    int err = buf_adds(xml, "<Delete><Quiet>true</Quiet>");

    for (size_t i = 0; err == 0 && i < spec->key_count; i++) {
        err = buf_adds(xml, "<Object>");
        if (err == 0)
            err = add_element(xml, "Key", spec->keys[i]);
        if (err == 0 && spec->versions != NULL)
            err = add_element(xml, "VersionId", spec->versions[i]);
        if (err == 0)
            err = buf_adds(xml, "</Object>");
    }
    return err != 0 ? err : buf_adds(xml, "</Delete>");
}

/* The constraint of a new bucket; nothing without one. */
int
request_write_location(struct buf *xml, const struct request_spec *spec)
{
    int err;

    if (spec->location == NULL || spec->location[0] == '\0')
        return 0;
    err = buf_adds(xml, "<CreateBucketConfiguration xmlns=\"http://"
                        "s3.amazonaws.com/doc/2006-03-01/\">");
    if (err == 0)
        err = add_element(xml, "LocationConstraint", spec->location);
    return err != 0 ? err : buf_adds(xml, "</CreateBucketConfiguration>");
}

int
request_write_versioning(struct buf *xml, const struct request_spec *spec)
{
    (void) spec;
    return buf_adds(xml, "<VersioningConfiguration><Status>Enabled</Status>"
                         "</VersioningConfiguration>");
}

int
request_write_release(struct buf *xml, const struct request_spec *spec)
{
    (void) spec;
    return buf_adds(xml, "<LegalHold><Status>OFF</Status></LegalHold>");
}

int
request_write_complete(struct buf *xml, const struct request_spec *spec)
{
    int err = buf_adds(xml, "<CompleteMultipartUpload>");

    for (size_t i = 0; err == 0 && i < spec->part_count; i++) {
        const struct request_part *part = &spec->parts[i];

        err = buf_addf(xml, "<Part><PartNumber>%u</PartNumber>", part->number);
        if (err == 0)
            err = add_element(xml, "ETag", part->etag);
        if (err == 0)
            err = add_element(xml, checksum_element(spec->checksum_kind),
                              part->checksum);
        if (err == 0)
            err = buf_adds(xml, "</Part>");
    }
    return err != 0 ? err : buf_adds(xml, "</CompleteMultipartUpload>");
}

enum checksum_kind
request_trailer(const struct request_service *s)
{
    if (s->chunked == CHUNKED_NONE || !chunked_has_trailer(s->chunked))
        return CHECKSUM_NONE;
    return s->checksum != CHECKSUM_NONE ? s->checksum : CHUNKED_TRAILER;
}

enum checksum_kind
request_sum(const struct request_service *s, const struct request_spec *spec)
{
    if (!request_row(spec->op)->data || request_trailer(s) != CHECKSUM_NONE)
        return CHECKSUM_NONE;
    return s->checksum;
}

/* Have the body framed on its way out. */
static int
frame_body(struct request *r, const struct request_service *s)
{
    enum checksum_kind sum = request_trailer(s);
    int err = r->chunked_ready ? 0 : chunked_init(&r->chunked, sum);

    if (err != 0)
        return err;
    r->chunked_ready = true;
    r->x.body = NULL;
    r->x.read = chunked_read;
    r->x.read_ctx = &r->chunked;
    r->x.body_len = chunked_length(s->chunked, sum, r->x.body_len);
    return 0;
}

const char *
request_payload_name(const struct request_service *s)
{
    static const char *const framed[] = {
        [CHUNKED_SIGNED] = "chunked-signed",
        [CHUNKED_SIGNED_TRAILER] = "chunked-signed-trailer",
        [CHUNKED_UNSIGNED_TRAILER] = "chunked-unsigned-trailer",
    };

    if (s->chunked != CHUNKED_NONE)
        return framed[s->chunked];
    if (s->signer != NULL && !s->signer->payload_header)
        return "none";
    return s->sign_payload ? "signed" : "unsigned";
}

bool
request_is_chunked(const struct request_maker *m,
                   const struct request_spec *spec)
{
    return request_row(spec->op)->data && m->service->chunked != CHUNKED_NONE;
}

void
request_keys(struct signer_keys *keys, const struct request_maker *m,
             const struct request_spec *spec)
{
    const struct request_service *s = m->service;

    *keys = (struct signer_keys){
        .scope = {s->creds->access_key, s->creds->secret_key,
                  spec->region != NULL ? spec->region : s->region, "s3",
                  m->stamp},
        .token = s->creds->session_token};
}

int
request_build_body(struct request *r, const struct request_maker *m,
                   const struct request_spec *spec)
{
    const struct request_row *row = request_row(spec->op);
    struct exchange *x = &r->x;
    int err = 0;

    buf_reset(&r->xml);
    x->body = spec->body;
    x->read = spec->read;
    x->read_ctx = spec->read_ctx;
    x->body_len = spec->body_len;
    x->has_body = row->method[0] == 'P'; /* PUT, POST */
    if (row->write != NULL)
        err = row->write(&r->xml, spec);
    if (!row->data) {
        x->body = r->xml.data;
        x->body_len = r->xml.len;
    } else if (request_is_chunked(m, spec)) {
        err = frame_body(r, m->service);
    }
    return err;
}

void
request_start_frames(struct request *r, struct request_maker *m,
                     const struct request_spec *spec)
{
    const struct chunked_body body = {spec->body, spec->read, spec->read_ctx,
                                      spec->body_len};
    struct signer_keys keys;

    request_keys(&keys, m, spec);
    chunked_start(&r->chunked, m->service->chunked, &body, m->signer.sigv4,
                  &keys.scope, m->signer.result.signature);
}
