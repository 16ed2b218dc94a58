/* SPDX-License-Identifier: MIT */
/* What a request keeps of its answer while it comes in. */
#include "config.h"

#include "request_parts.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum when {
    ALWAYS,
    FAILED, /* it matters only then */
    WHOLE /* always, but never cut: a part of it is of no use */
};

/* The headers that are kept. */
static const struct {
    const char *name;
    size_t name_len, offset, size;
    enum when when;
} kept[] = {
#define KEEP(name, member, when)                                               \
    {                                                                          \
        name, sizeof name - 1, offsetof(struct request, member),               \
            sizeof(((struct request *) NULL)->member), when                    \
    }
    KEEP("x-amz-request-id", request_id, ALWAYS),
    KEEP("x-amz-bucket-region", region, FAILED),
    KEEP("retry-after", retry_after, FAILED),
    KEEP("location", location, FAILED),
    KEEP("date", date, FAILED),
    KEEP("age", age, FAILED),
    KEEP("etag", etag, WHOLE),
    KEEP("x-amz-version-id", version_id, WHOLE),
    KEEP("content-range", content_range, WHOLE),
    KEEP("x-amz-object-size", object_size, WHOLE),
};

#define KEPT (sizeof kept / sizeof *kept)

static void
on_header(void *ctx, const char *name, size_t name_len, const char *value,
          size_t value_len)
{
    struct request *r = ctx;

    request_take_sum(r, name, name_len, value, value_len);
    for (size_t i = 0; i < KEPT; i++) {
        if (kept[i].name_len != name_len ||
            strncasecmp(name, kept[i].name, name_len) != 0 ||
            (kept[i].when == FAILED && r->x.status < 300) ||
            (kept[i].when == WHOLE && value_len >= kept[i].size))
            continue;
        snprintf((char *) r + kept[i].offset, kept[i].size, "%.*s",
                 (int) value_len, value);
    }
}

static bool
on_body(void *ctx, const void *bytes, size_t n)
{
    struct request *r = ctx;

    if (!r->document && r->x.status < 300)
        request_add_sum(r, bytes, n);
    if (!r->document && r->x.status < 300)
        return r->on_data == NULL || r->on_data(r->ctx, bytes, n);
    if (!r->answer_ready) {
        if (answer_init(&r->answer) != 0)
            return false;
        r->answer_ready = true;
    }
    answer_feed(&r->answer, bytes, n);
    return true;
}

/* Keep why the first key could not be deleted. */
static void
on_failed_key(void *ctx, const struct answer_failed_key *key)
{
    struct request *r = ctx;

    if (r->answer.failed_keys > 1)
        return;
    snprintf(r->failed_code, sizeof r->failed_code, "%s", key->code);
    snprintf(r->failed_message, sizeof r->failed_message, "%s: %s", key->key,
             key->message);
}

static void
set_callbacks(struct request *r, const struct request_spec *spec)
{
    struct answer *a = &r->answer;

    a->on_entry = spec->on_entry;
    a->on_failed_key = NULL;
    a->ctx = spec->ctx;
    if (spec->op == REQUEST_DELETE_MANY) {
        a->on_failed_key = on_failed_key;
        a->ctx = r;
    } else if (request_row(spec->op)->list) {
        a->on_entry = request_on_entry;
        a->ctx = r;
    }
}

/* AWS says it of what is added, not of what begins. */
static uint64_t
appended_length(const struct request_spec *spec)
{
    return spec->append && spec->append_offset > 0
               ? spec->append_offset + spec->body_len
               : 0;
}

int
request_expect_answer(struct request *r, const struct request_service *s,
                      const struct request_spec *spec)
{
    int err = request_expect_sum(r, s, spec);

    r->document = request_row(spec->op)->root != NULL;
    r->range_offset = spec->range_offset;
    r->range_len = spec->op == REQUEST_GET ? spec->range_len : 0;
    r->expect_len = spec->op == REQUEST_GET || spec->op == REQUEST_HEAD
                        ? spec->expect_len
                        : UINT64_MAX;
    if (r->range_len > 0)
        r->expect_len = r->range_len;
    r->append_len = appended_length(spec);
    r->on_data = spec->on_data;
    r->ctx = spec->ctx;
    r->x.on_header = on_header;
    r->x.on_body = on_body;
    r->x.ctx = r;
    for (size_t i = 0; i < KEPT; i++)
        ((char *) r)[kept[i].offset] = '\0';
    request_begin_list(r, spec);
    if (err == 0 && r->answer_ready)
        err = answer_reset(&r->answer);
    else if (err == 0 && r->document)
        err = answer_init(&r->answer);
    if (err == 0 && r->document)
        r->answer_ready = true;
    if (err == 0 && r->answer_ready)
        set_callbacks(r, spec);
    return err;
}
