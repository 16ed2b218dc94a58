/* SPDX-License-Identifier: MIT */
/* The operations on objects: see mem_op.h. */
#include "config.h"

#include "mem_op.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define META_MAX ((size_t) 8 << 10) /* all kept headers of an object */
#define USER_META "x-amz-meta-"
#define USER_META_MAX 2048 /* names and values, as AWS */

/* Headers of an upload that come back with the object. */
static const char *const kept_headers[] = {
    "cache-control",    "content-disposition", "content-encoding",
    "content-language", "content-type",        "expires",
};

static bool
is_user_meta(const char *name)
{
    return strncasecmp(name, USER_META, strlen(USER_META)) == 0;
}

static bool
is_kept(const char *name)
{
    for (size_t i = 0; i < sizeof(kept_headers) / sizeof(*kept_headers); i++)
        if (strcasecmp(kept_headers[i], name) == 0)
            return true;
    return is_user_meta(name);
}

/* Add one header. libmicrohttpd can send neither an empty value nor a tab,
 * so the former goes and the latter turns into a blank. "aws-chunked" is
 * about the way the content came. */
static int
add_meta(struct buf *out, const char *name, const char *value)
{
    size_t at;
    int err;

    if (strcasecmp(name, "content-encoding") == 0 &&
        strncasecmp(value, "aws-chunked", 11) == 0) {
        value += 11;
        value += strspn(value, " \t,");
    }
    if (value[0] == '\0')
        return 0;
    err = buf_add(out, name, strlen(name) + 1);
    at = out->len;
    if (err == 0)
        err = buf_add(out, value, strlen(value) + 1);
    for (; at < out->len; at++)
        if (out->data[at] == '\t')
            out->data[at] = ' ';
    return err;
}

bool
mem_op_meta(struct mem_op *op, struct buf *out)
{
    const struct mem_request *r = &op->request;
    size_t user = 0;
    int err = 0;

    out->max = META_MAX;
    for (size_t i = 0; i < r->header_count && err == 0; i++) {
        const char *name = r->headers[i].name, *value = r->headers[i].value;

        if (!is_kept(name))
            continue;
        if (is_user_meta(name))
            user += strlen(name) - strlen(USER_META) + strlen(value);
        err = add_meta(out, name, value);
    }
    if (err == EMSGSIZE || user > USER_META_MAX)
        mem_answer_fail(&op->answer, MEM_METADATA_TOO_LARGE, NULL);
    else if (err != 0)
        mem_op_fail_errno(op, err);
    else
        return true;
    return false;
}

static void
begin_put(struct mem_op *op)
{
    struct mem_request *r = &op->request;
    struct mem_store *store = op->service->store;
    struct buf meta;
    int err;

    buf_init(&meta, META_MAX);
    if (r->key_len > MEM_KEY_MAX) {
        mem_op_fail_errno(op, ENAMETOOLONG);
        return;
    }
    if (!mem_op_put_condition(op))
        return;
    if (mem_store_is_null(store) || mem_op_meta(op, &meta)) {
        err = mem_object_new(&op->object, store, (uint64_t) op->length,
                             r->key_len, meta.data, meta.len);
        if (err != 0)
            mem_op_fail_errno(op, err);
        else
            (void) mem_op_tag(op, op->object);
    }
    buf_clear(&meta);
}

static void
end_put(struct mem_op *op)
{
    struct mem_request *r = &op->request;
    struct mem_object *o = op->object;
    int err;

    mem_op_set_etag(op, o);
    err = mem_store_put_if(op->service->store, r->bucket, r->key, r->key_len, o,
                           &op->condition);
    if (err != 0) {
        mem_op_fail_errno(op, err);
        return;
    }
    mem_op_etag(&op->answer, o);
    mem_op_sum_header(&op->answer, o);
}

/* Read a number of a range; *TEXT moves behind it. Huge ones saturate. */
static bool
read_number(uint64_t *out, const char **text)
{
    const char *start = *text;

    for (*out = 0; **text >= '0' && **text <= '9'; (*text)++)
        *out = *out > UINT64_MAX / 10 - 10
                   ? UINT64_MAX / 10
                   : *out * 10 + (uint64_t) (**text - '0');
    return *text > start;
}

/* "-N": the last N bytes. Returns as mem_op_range(). */
static int
read_suffix(uint64_t *offset, uint64_t *length, const char *text, uint64_t size)
{
    uint64_t n;

    if (!read_number(&n, &text) || *text != '\0')
        return EINVAL;
    if (n == 0 || size == 0)
        return ERANGE;
    *length = n < size ? n : size;
    *offset = size - *length;
    return 0;
}

int
mem_op_range(uint64_t *offset, uint64_t *length, const char *text,
             uint64_t size)
{
    uint64_t first, last = UINT64_MAX;

    if (strncasecmp(text, "bytes=", 6) != 0)
        return EINVAL;
    text += 6;
    if (*text == '-')
        return read_suffix(offset, length, text + 1, size);
    if (!read_number(&first, &text) || *text++ != '-')
        return EINVAL;
    if (*text != '\0' && (!read_number(&last, &text) || last < first))
        return EINVAL;
    if (*text != '\0')
        return EINVAL;
    if (first >= size)
        return ERANGE;
    *offset = first;
    *length = (last < size ? last + 1 : size) - first;
    return 0;
}

static void
apply_range(struct mem_op *op, const char *range)
{
    struct mem_answer *a = &op->answer;
    uint64_t size = a->object->size;
    char text[80];

    switch (mem_op_range(&a->offset, &a->length, range, size)) {
    case 0:
        a->status = 206;
        snprintf(text, sizeof(text), "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64,
                 a->offset, a->offset + a->length - 1, size);
        mem_answer_header(a, "Content-Range", text);
        break;
    case ERANGE:
        mem_answer_fail(a, MEM_INVALID_RANGE, NULL);
        snprintf(text, sizeof(text), "%" PRIu64, size);
        mem_answer_extra(a, "RangeRequested", range);
        mem_answer_extra(a, "ActualObjectSize", text);
        snprintf(text, sizeof(text), "bytes */%" PRIu64, size);
        mem_answer_header(a, "Content-Range", text);
        break;
    default: /* S3 ignores what is no range, and several */
        break;
    }
}

static void
write_headers(struct mem_answer *a, const struct mem_object *o)
{
    char date[MEM_HTTP_DATE_SIZE];
    bool typed = false;

    for (size_t at = 0; at < o->meta_len;) {
        const char *name = o->meta + at;
        const char *value = name + strlen(name) + 1;

        typed = typed || strcasecmp(name, "content-type") == 0;
        mem_answer_header(a, name, value);
        at = (size_t) (value - o->meta) + strlen(value) + 1;
    }
    if (!typed)
        mem_answer_header(a, "Content-Type", "binary/octet-stream");
    mem_format_http_date(date, o->modified);
    mem_answer_header(a, "Last-Modified", date);
    mem_answer_header(a, "Accept-Ranges", "bytes");
    mem_op_etag(a, o);
}

/* A presigned URL can say which headers come back. */
static void
write_overrides(struct mem_op *op)
{
    static const struct {
        const char *param, *header;
    } overrides[] = {
        {"response-cache-control", "Cache-Control"},
        {"response-content-disposition", "Content-Disposition"},
        {"response-content-encoding", "Content-Encoding"},
        {"response-content-language", "Content-Language"},
        {"response-content-type", "Content-Type"},
        {"response-expires", "Expires"},
    };

    if (op->auth.kind == MEM_AUTH_NONE || op->request.param_count == 0)
        return;
    for (size_t i = 0; i < sizeof(overrides) / sizeof(*overrides); i++) {
        const char *value = mem_op_param(op, overrides[i].param);

        if (value[0] != '\0' && value[strcspn(value, "\r\n\t")] == '\0')
            mem_answer_replace(&op->answer, overrides[i].header, value);
    }
}

static void
write_counts(struct mem_op *op, const struct mem_object *o)
{
    const char *mode = mem_request_find(&op->request, "x-amz-checksum-mode");
    unsigned tags = atomic_load(&o->tag_count);
    char text[16];

    if (mode != NULL && strcasecmp(mode, "ENABLED") == 0 &&
        mem_request_find(&op->request, "range") == NULL)
        mem_op_sum_header(&op->answer, o);
    if (tags == 0)
        return;
    snprintf(text, sizeof(text), "%u", tags);
    mem_answer_header(&op->answer, "x-amz-tagging-count", text);
}

static void
get_object(struct mem_op *op)
{
    struct mem_request *r = &op->request;
    struct mem_answer *a = &op->answer;
    const char *range = mem_request_find(r, "range");
    struct mem_object *o;
    int err =
        mem_store_get(op->service->store, &o, r->bucket, r->key, r->key_len);

    if (err != 0) {
        mem_op_fail_errno(op, err);
        return;
    }
    if (!mem_op_get_condition(op, o)) {
        mem_object_drop(o);
        return;
    }
    a->object = o;
    a->length = o->size;
    write_headers(a, o);
    write_overrides(op);
    write_counts(op, o);
    if (range != NULL && a->code == MEM_OK)
        apply_range(op, range);
}

static void
delete_object(struct mem_op *op)
{
    struct mem_request *r = &op->request;
    int err =
        mem_store_delete(op->service->store, r->bucket, r->key, r->key_len);

    if (err == ENOENT)
        mem_op_fail_errno(op, err);
    else
        op->answer.status = 204;
}

const struct mem_op_kind mem_put_object = {
    .begin = begin_put, .end = end_put, .object_body = true};
const struct mem_op_kind mem_get_object = {.end = get_object};
const struct mem_op_kind mem_delete_object = {.end = delete_object};
