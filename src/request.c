/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "request.h"

#include <string.h>

#include "request_parts.h"

#define TARGET_MAX 65536
#define LINES_MAX 65536
#define XML_MAX (4u << 20) /* 1000 keys of 1024 bytes, escaped */

int
request_maker_init(struct request_maker *m,
                   const struct request_service *service)
{
    *m = (struct request_maker){.service = service, .wall = -1};
    return signer_init(&m->signer,
                       service->signer != NULL ? service->signer : &signer_v4);
}

void
request_maker_clear(struct request_maker *m)
{
    signer_clear(&m->signer);
}

int
request_init(struct request *r)
{
    int err;

    *r = (struct request){0};
    buf_init(&r->host, 512);
    buf_init(&r->target, TARGET_MAX);
    buf_init_secret(&r->lines, LINES_MAX);
    buf_init(&r->xml, XML_MAX);
    buf_init(&r->source, LINES_MAX);
    request_init_list(r);
    err = buf_reserve(&r->target, 192);
    return err != 0 ? err : buf_reserve(&r->lines, 640);
}

void
request_clear(struct request *r)
{
    buf_clear(&r->host);
    buf_clear(&r->target);
    buf_wipe(&r->lines); /* holds the session token */
    buf_clear(&r->xml);
    buf_clear(&r->source);
    buf_clear(&r->held);
    buf_clear(&r->name);
    buf_clear(&r->last[0]);
    buf_clear(&r->last[1]);
    if (r->chunked_ready)
        chunked_clear(&r->chunked);
    r->chunked_ready = false;
    request_clear_sum(r);
    if (r->answer_ready)
        answer_clear(&r->answer);
    r->answer_ready = false;
}

/* Fill in what the transport reads, now that no buffer will move. */
static void
fill_exchange(struct request *r, const struct request_headers *l,
              const struct endpoint *e, const char *address)
{
    struct exchange *x = &r->x;

    x->method = request_row(r->op)->method;
    x->scheme = e->tls ? "https" : "http";
    x->host = r->host.data;
    x->address = address;
    x->port = e->port;
    x->target = r->target.data;
    for (size_t i = 0; i < l->count; i++)
        x->headers[i] = r->lines.data + l->items[i].line;
    x->header_count = l->count;
    x->head = strcmp(x->method, "HEAD") == 0;
}

/* The name to connect to: without a port, which travels apart. */
static int
build_connect_name(struct request *r, const struct endpoint *e,
                   const char *bucket, bool virtual_host)
{
    int err = 0;

    buf_reset(&r->host);
    if (virtual_host)
        err = buf_addf(&r->host, "%s.", bucket);
    return err != 0 ? err : buf_adds(&r->host, e->host);
}

int
request_build(struct request *r, struct request_maker *m,
              const struct request_spec *spec, time_t wall)
{
    const struct endpoint *e =
        spec->endpoint != NULL ? spec->endpoint : &m->service->endpoint;
    struct request_headers list = {.r = r};
    size_t query = 0;
    bool virtual_host =
        endpoint_is_virtual(e, m->service->addressing, spec->bucket);
    int err;

    r->op = spec->op;
    if (wall != m->wall) {
        clock_format_amz(m->stamp, wall);
        m->signer.ops->format_date(m->date, wall);
        m->wall = wall;
    }
    err = request_build_target(r, spec, virtual_host, &query);
    if (err == 0)
        err = request_build_body(r, m, spec);
    if (err == 0)
        err = request_expect_answer(r, m->service, spec);
    buf_reset(&r->host);
    if (err == 0)
        err = endpoint_add_host(&r->host, e, spec->bucket, virtual_host);
    if (err == 0)
        err = request_build_headers(&list, m, spec, virtual_host, query);
    if (err == 0)
        err = build_connect_name(r, e, spec->bucket, virtual_host);
    if (err == 0)
        fill_exchange(r, &list, e, spec->address);
    return err;
}
