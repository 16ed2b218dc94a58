/* SPDX-License-Identifier: MIT */
/* The bodies of requests: given, framed, or written here. */
#include "config.h"

#include "request_body.h"

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

static int
write_delete(struct buf *xml, const struct request_spec *spec)
{
    int err = buf_adds(xml, "<Delete><Quiet>true</Quiet>");

    for (size_t i = 0; err == 0 && i < spec->key_count; i++) {
        err = buf_adds(xml, "<Object><Key>");
        if (err == 0)
            err = add_xml_text(xml, spec->keys[i]);
        if (err == 0)
            err = buf_adds(xml, "</Key></Object>");
    }
    return err != 0 ? err : buf_adds(xml, "</Delete>");
}

static int
write_location(struct buf *xml, const char *location)
{
    int err = buf_adds(xml, "<CreateBucketConfiguration xmlns=\"http://"
                            "s3.amazonaws.com/doc/2006-03-01/\">"
                            "<LocationConstraint>");

    if (err == 0)
        err = add_xml_text(xml, location);
    return err != 0 ? err
                    : buf_adds(xml, "</LocationConstraint>"
                                    "</CreateBucketConfiguration>");
}

/* Have the body framed on its way out. */
static int
frame_body(struct request *r, enum chunked_form form)
{
    int err = r->chunked_ready ? 0 : chunked_init(&r->chunked);

    if (err != 0)
        return err;
    r->chunked_ready = true;
    r->x.body = NULL;
    r->x.read = chunked_read;
    r->x.read_ctx = &r->chunked;
    r->x.body_len = chunked_length(form, r->x.body_len);
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
request_has_data(enum request_op op)
{
    return op == REQUEST_PUT || op == REQUEST_UPLOAD_PART;
}

bool
request_is_chunked(const struct request_maker *m,
                   const struct request_spec *spec)
{
    return request_has_data(spec->op) && m->service->chunked != CHUNKED_NONE;
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
    struct exchange *x = &r->x;
    int err = 0;

    buf_reset(&r->xml);
    x->body = spec->body;
    x->read = spec->read;
    x->read_ctx = spec->read_ctx;
    x->body_len = spec->body_len;
    x->has_body =
        request_has_data(spec->op) || spec->op == REQUEST_CREATE_UPLOAD ||
        spec->op == REQUEST_COPY || spec->op == REQUEST_CREATE_BUCKET ||
        spec->op == REQUEST_DELETE_MANY;
    if (spec->op == REQUEST_DELETE_MANY)
        err = write_delete(&r->xml, spec);
    else if (spec->op == REQUEST_CREATE_BUCKET && spec->location != NULL &&
             spec->location[0] != '\0')
        err = write_location(&r->xml, spec->location);
    if (!request_has_data(spec->op)) {
        x->body = r->xml.data;
        x->body_len = r->xml.len;
    } else if (request_is_chunked(m, spec)) {
        err = frame_body(r, m->service->chunked);
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
