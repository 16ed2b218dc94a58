/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <expat.h>

#include "mem_checksum.h"
#include "mem_upload.h"
#include "units.h"

#define KEYS_MAX ((size_t) 4 << 20)
#define TEXT_MAX ((size_t) 8 << 10)
#define DEPTH_MAX 16 /* S3's own documents need 3 */

struct reader {
    XML_Parser parser;
    const char *root; /* the document element that is wanted */
    /* An element has ended, whose text is in `text`. */
    void (*on_end)(struct reader *r, const char *name);
    int depth; /* open elements */
    char item[16]; /* the element of depth 2 or above it that is open */
    struct buf text; /* of the element that was opened last */
    int err;
    struct buf first, second; /* two texts of the item that is open */
    struct mem_wanted_part part; /* the one that is open */
    struct mem_delete *del; /* what is filled: one of these three */
    struct buf *out;
    struct mem_field *fields;
    size_t field_count;
};

static void
stop(struct reader *r, int err)
{
    if (r->err == 0)
        r->err = err;
    XML_StopParser(r->parser, XML_FALSE);
}

/* Keep the first error of an addition. */
static void
keep(struct reader *r, int err)
{
    if (err != 0)
        stop(r, err == ENOMEM ? ENOMEM : EINVAL);
}

/* NAME without its prefix. */
static const char *
local(const char *name)
{
    const char *colon = strrchr(name, ':');

    return colon != NULL ? colon + 1 : name;
}

static void XMLCALL
on_start(void *ctx, const XML_Char *name, const XML_Char **attributes)
{
    struct reader *r = ctx;

    (void) attributes;
    if ((r->depth == 0 && strcmp(local(name), r->root) != 0) ||
        r->depth == DEPTH_MAX) {
        stop(r, EINVAL);
        return;
    }
    r->depth++;
    buf_reset(&r->text);
    if (r->depth == 2 || (r->depth == 3 && strcmp(r->item, "TagSet") == 0)) {
        /* A longer name is none of those that matter. */
        snprintf(r->item, sizeof(r->item), "%s", local(name));
        buf_reset(&r->first);
        buf_reset(&r->second);
        r->part = (struct mem_wanted_part){.sum_kind = -1};
    }
}

static void XMLCALL
on_text(void *ctx, const XML_Char *text, int n)
{
    struct reader *r = ctx;

    keep(r, buf_add(&r->text, text, (size_t) n));
}

/* Keep the text of the element that has ended. */
static void
keep_text(struct reader *r, struct buf *out)
{
    buf_reset(out);
    keep(r, buf_add(out, r->text.data, r->text.len));
}

static bool
in_item(const struct reader *r, const char *item, int depth)
{
    return r->depth == depth && strcmp(r->item, item) == 0;
}

/* An Object of a Delete has ended. */
static void
end_object(struct reader *r)
{
    struct mem_delete *d = r->del;

    if (r->first.len == 0) {
        stop(r, EINVAL);
        return;
    }
    if (d->count == MEM_DELETE_MAX) {
        stop(r, E2BIG);
        return;
    }
    d->count++;
    keep(r, buf_add(&d->keys, r->first.data, r->first.len + 1));
    keep(r, buf_add(&d->keys, r->second.data, r->second.len + 1));
}

static void
end_of_delete(struct reader *r, const char *name)
{
    if (in_item(r, "Object", 2))
        end_object(r);
    else if (in_item(r, "Quiet", 2))
        r->del->quiet = strcmp(r->text.data, "true") == 0;
    else if (in_item(r, "Object", 3) && strcmp(name, "Key") == 0)
        keep_text(r, &r->first);
    else if (in_item(r, "Object", 3) && strcmp(name, "VersionId") == 0)
        keep_text(r, &r->second);
}

/* A Part has ended. */
static void
end_part(struct reader *r)
{
    const char *etag = r->second.data;
    size_t quote = etag[0] == '"', n = strlen(etag);
    uint64_t number;

    if (n >= 2 && quote == 1 && etag[n - 1] == '"')
        n -= 2;
    else
        quote = 0;
    if (!units_parse_count(&number, r->first.data) || number < 1 ||
        number > MEM_PARTS_MAX || n == 0) {
        stop(r, EINVAL);
        return;
    }
    r->part.number = (unsigned) number;
    /* One that is too long matches nothing, as when it is cut. */
    if (n < sizeof(r->part.etag))
        memcpy(r->part.etag, etag + quote, n);
    keep(r, buf_add(r->out, &r->part, sizeof(r->part)));
}

/* Some other element of a Part has ended: is it a checksum? */
static void
end_part_sum(struct reader *r, const char *name)
{
    int kind = mem_checksum_by_element(name);

    if (kind < 0)
        return;
    r->part.sum_kind = kind;
    snprintf(r->part.sum, sizeof(r->part.sum), "%s", r->text.data);
}

static void
end_of_parts(struct reader *r, const char *name)
{
    if (in_item(r, "Part", 2))
        end_part(r);
    else if (in_item(r, "Part", 3) && strcmp(name, "PartNumber") == 0)
        keep_text(r, &r->first);
    else if (in_item(r, "Part", 3) && strcmp(name, "ETag") == 0)
        keep_text(r, &r->second);
    else if (in_item(r, "Part", 3))
        end_part_sum(r, name);
}

static void
end_of_tags(struct reader *r, const char *name)
{
    if (in_item(r, "Tag", 3)) {
        keep(r, buf_add(r->out, r->first.data, r->first.len + 1));
        keep(r, buf_add(r->out, r->second.data, r->second.len + 1));
        memcpy(r->item, "TagSet", sizeof("TagSet"));
    } else if (in_item(r, "Tag", 4) && strcmp(name, "Key") == 0) {
        keep_text(r, &r->first);
    } else if (in_item(r, "Tag", 4) && strcmp(name, "Value") == 0) {
        keep_text(r, &r->second);
    } else if (r->depth == 3) {
        memcpy(r->item, "TagSet", sizeof("TagSet"));
    }
}

static void
end_of_field(struct reader *r, const char *name)
{
    for (size_t i = 0; i < r->field_count; i++) {
        struct mem_field *field = &r->fields[i];

        if (strcmp(field->name, name) != 0)
            continue;
        if (field->there || r->text.len >= sizeof(field->text)) {
            stop(r, EINVAL);
            return;
        }
        field->there = true;
        memcpy(field->text, r->text.data, r->text.len + 1);
    }
}

static void XMLCALL
on_end(void *ctx, const XML_Char *name)
{
    struct reader *r = ctx;

    r->on_end(r, local(name));
    buf_reset(&r->text);
    r->depth--;
}

static void XMLCALL
on_doctype(void *ctx, const XML_Char *name, const XML_Char *system_id,
           const XML_Char *public_id, int internal)
{
    (void) name;
    (void) system_id;
    (void) public_id;
    (void) internal;
    stop(ctx, EINVAL);
}

static int
run(struct reader *r, const char *xml, size_t n)
{
    if (n > KEYS_MAX)
        return EINVAL;
    r->parser = XML_ParserCreate(NULL);
    if (r->parser == NULL)
        return ENOMEM;
    buf_init(&r->text, TEXT_MAX);
    buf_init(&r->first, TEXT_MAX);
    buf_init(&r->second, TEXT_MAX);
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, on_start, on_end);
    XML_SetCharacterDataHandler(r->parser, on_text);
    XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
    if (XML_Parse(r->parser, xml, (int) n, XML_TRUE) != XML_STATUS_OK &&
        r->err == 0)
        r->err = XML_GetErrorCode(r->parser) == XML_ERROR_NO_MEMORY ? ENOMEM
                                                                    : EINVAL;
    XML_ParserFree(r->parser);
    buf_clear(&r->text);
    buf_clear(&r->first);
    buf_clear(&r->second);
    return r->err;
}

int
mem_read_delete(struct mem_delete *out, const char *xml, size_t n)
{
    struct reader r = {.root = "Delete", .on_end = end_of_delete, .del = out};
    int err;

    *out = (struct mem_delete){.quiet = false};
    buf_init(&out->keys, KEYS_MAX);
    err = run(&r, xml, n);
    return err == 0 && out->count == 0 ? EINVAL : err;
}

void
mem_delete_clear(struct mem_delete *d)
{
    buf_clear(&d->keys);
}

int
mem_read_fields(struct mem_field *fields, size_t n, const char *root,
                const char *xml, size_t len)
{
    struct reader r = {.root = root,
                       .on_end = end_of_field,
                       .fields = fields,
                       .field_count = n};

    return run(&r, xml, len);
}

int
mem_read_parts(struct buf *out, const char *xml, size_t n)
{
    struct reader r = {
        .root = "CompleteMultipartUpload", .on_end = end_of_parts, .out = out};
    int err = run(&r, xml, n);

    return err == 0 && out->len == 0 ? EINVAL : err;
}

int
mem_read_tags(struct buf *out, const char *xml, size_t n)
{
    struct reader r = {.root = "Tagging", .on_end = end_of_tags, .out = out};

    return run(&r, xml, n);
}
