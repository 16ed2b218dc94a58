/* SPDX-License-Identifier: MIT */
/*
 * A page of a listing: its names decoded where the server encoded them, and
 * where the next page begins.
 *
 * Some servers say only behind the entries that these are encoded. So what
 * comes before is held, if encoding was asked for, until it is known.
 */
#include "config.h"

#include "request_parts.h"

#include <errno.h>
#include <string.h>

#include "uri.h"

#define HELD_MAX ((size_t) 32 << 20)

/* What stands before the texts of an entry that is held. */
struct held {
    uint64_t size;
    int kind;
    bool latest;
    size_t name, modified, etag, version; /* lengths, with their NULs */
};

void
request_init_list(struct request *r)
{
    buf_init(&r->held, HELD_MAX);
    buf_init(&r->name, (size_t) 2 * ANSWER_KEY_MAX); /* or a token */
    buf_init(&r->last[0], ANSWER_KEY_MAX);
    buf_init(&r->last[1], ANSWER_KEY_MAX);
}

void
request_begin_list(struct request *r, const struct request_spec *spec)
{
    r->on_entry = spec->on_entry;
    r->list_v1 = spec->list_v1;
    r->encode = spec->encode;
    r->list_err = 0;
    buf_reset(&r->held);
    buf_reset(&r->last[0]);
    buf_reset(&r->last[1]);
}

static void
note(struct request *r, int err)
{
    if (r->list_err == 0)
        r->list_err = err;
}

static int
hold(struct buf *out, const struct answer_entry *e)
{
    const struct held h = {.size = e->size,
                           .kind = e->kind,
                           .latest = e->latest,
                           .name = strlen(e->name) + 1,
                           .modified = strlen(e->modified) + 1,
                           .etag = strlen(e->etag) + 1,
                           .version = strlen(e->version) + 1};
    int err =
        buf_reserve(out, sizeof h + h.name + h.modified + h.etag + h.version);

    if (err != 0)
        return err;
    buf_add(out, &h, sizeof h);
    buf_add(out, e->name, h.name);
    buf_add(out, e->modified, h.modified);
    buf_add(out, e->etag, h.etag);
    return buf_add(out, e->version, h.version);
}

/* Hand an entry on. */
static int
give(struct request *r, const struct answer_entry *e)
{
    struct answer_entry entry = *e;
    int err = 0;

    if (r->answer.encoded) {
        buf_reset(&r->name);
        err = uri_decode(&r->name, e->name, strlen(e->name), true);
        entry.name = r->name.data;
    }
    if (err == 0 && r->list_v1) {
        struct buf *last = &r->last[e->kind == ANSWER_PREFIX];

        buf_reset(last);
        err = buf_adds(last, entry.name);
    }
    if (err == 0 && r->on_entry != NULL)
        r->on_entry(r->ctx, &entry);
    return err;
}

static int
give_held(struct request *r)
{
    const char *at = r->held.data, *end = at + r->held.len;
    int err = 0;

    while (err == 0 && at < end) {
        struct answer_entry e;
        struct held h;

        memcpy(&h, at, sizeof h);
        at += sizeof h;
        e = (struct answer_entry){.kind = h.kind,
                                  .name = at,
                                  .size = h.size,
                                  .modified = at + h.name,
                                  .etag = at + h.name + h.modified,
                                  .version = at + h.name + h.modified + h.etag,
                                  .latest = h.latest};
        at += h.name + h.modified + h.etag + h.version;
        err = give(r, &e);
    }
    buf_reset(&r->held);
    return err;
}

void
request_on_entry(void *ctx, const struct answer_entry *entry)
{
    struct request *r = ctx;

    if (r->encode && !r->answer.encoded) {
        note(r, hold(&r->held, entry));
        return;
    }
    note(r, give_held(r));
    note(r, give(r, entry));
}

int
request_finish_list(struct request *r)
{
    note(r, give_held(r));
    return r->list_err;
}

/* The first form names the next page only where there is a delimiter, and
 * some servers never do: then it begins after the last name. */
static const char *
next_marker(struct request *r)
{
    const char *marker = r->answer.next_marker.data;

    if (*marker == '\0')
        return strcmp(r->last[0].data, r->last[1].data) >= 0 ? r->last[0].data
                                                             : r->last[1].data;
    if (!r->answer.encoded)
        return marker;
    buf_reset(&r->name);
    return uri_decode(&r->name, marker, strlen(marker), true) == 0
               ? r->name.data
               : "";
}

/* The id of a version, which may be none, a line break, and the key. */
static const char *
next_version(struct request *r)
{
    const struct answer *a = &r->answer;
    int err;

    if (a->next_marker.len == 0)
        return "";
    buf_reset(&r->name);
    err = buf_add(&r->name, a->next_version.data, a->next_version.len);
    if (err == 0)
        err = buf_addc(&r->name, '\n');
    if (err == 0 && a->encoded)
        err =
            uri_decode(&r->name, a->next_marker.data, a->next_marker.len, true);
    else if (err == 0)
        err = buf_add(&r->name, a->next_marker.data, a->next_marker.len);
    return err == 0 ? r->name.data : "";
}

const char *
request_next_page(struct request *r)
{
    if (!request_row(r->op)->list || !r->answer.truncated)
        return NULL;
    if (r->op == REQUEST_LIST_VERSIONS)
        return next_version(r);
    /* A token is never encoded, whatever was asked for. */
    return r->list_v1 ? next_marker(r) : r->answer.next_token.data;
}
