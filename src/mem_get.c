/* SPDX-License-Identifier: MIT */
/* Reading an object: all of it, a range, a part: see mem_op.h. */
#include "config.h"

#include "mem_op.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "units.h"

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

/* The answer has only a part of the object: say which one. */
static void
answer_part(struct mem_answer *a)
{
    char text[80];

    a->status = 206;
    snprintf(text, sizeof(text), "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64,
             a->offset, a->offset + a->length - 1, a->object->size);
    mem_answer_header(a, "Content-Range", text);
}

static void
apply_range(struct mem_op *op, const char *range)
{
    struct mem_answer *a = &op->answer;
    uint64_t size = a->object->size;
    char text[80];

    switch (mem_op_range(&a->offset, &a->length, range, size)) {
    case 0:
        answer_part(a);
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

/* Send part NUMBER. An object that came as a whole is its own first part. */
static void
apply_number(struct mem_op *op, unsigned number)
{
    struct mem_answer *a = &op->answer;
    const struct mem_object *o = a->object;
    char text[16];

    if (number > (o->pieces != NULL ? o->piece_count : 1)) {
        mem_answer_fail(a, MEM_INVALID_PART_NUMBER, NULL);
        return;
    }
    if (o->pieces != NULL) {
        snprintf(text, sizeof(text), "%u", o->piece_count);
        mem_answer_header(a, "x-amz-mp-parts-count", text);
        a->offset = number > 1 ? o->pieces[number - 2].end : 0;
        a->length = o->pieces[number - 1].end - a->offset;
    }
    if (a->length > 0)
        answer_part(a);
}

/* The parameter partNumber, 0 without one.
 * Returns: false with the answer failed. */
static bool
read_number_param(struct mem_op *op, unsigned *out, const char *range)
{
    const char *text = mem_request_param(&op->request, "partNumber");
    uint64_t n;

    *out = 0;
    if (text == NULL)
        return true;
    if (!units_parse_count(&n, text) || n < 1 || n > MEM_PARTS_MAX) {
        mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                        "partNumber is not a number from 1 to 10000");
        return false;
    }
    if (range != NULL) {
        mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                        "Range and partNumber do not go together");
        return false;
    }
    *out = (unsigned) n;
    return true;
}

static void
write_headers(struct mem_op *op, const struct mem_object *o)
{
    struct mem_answer *a = &op->answer;
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

/* The checksum of what is sent, where it is known and asked for. */
static void
write_sum(struct mem_op *op, const struct mem_object *o, unsigned number)
{
    const char *mode = mem_request_find(&op->request, "x-amz-checksum-mode");

    if (mode == NULL || strcasecmp(mode, "ENABLED") != 0 ||
        mem_request_find(&op->request, "range") != NULL)
        return;
    if (number == 0 || o->pieces == NULL)
        mem_op_sum_header(&op->answer, o);
    else if (number <= o->piece_count && o->pieces[number - 1].sum[0] != '\0')
        mem_answer_header(&op->answer, mem_checksum_header(o->sum_kind),
                          o->pieces[number - 1].sum);
}

static void
write_counts(struct mem_op *op, const struct mem_object *o)
{
    unsigned tags = atomic_load(&o->tag_count);
    char text[16];

    if (tags == 0)
        return;
    snprintf(text, sizeof(text), "%u", tags);
    mem_answer_header(&op->answer, "x-amz-tagging-count", text);
}

/* May it be read, in the storage class and by who asks? */
static bool
check_access(struct mem_op *op, const struct mem_object *o)
{
    const char *class;

    if (!mem_op_sse_read(op, o, false))
        return false;
    if (o->meta_own == o->meta_len || strcmp(op->request.method, "GET") != 0)
        return true;
    class = mem_op_storage_class(o);
    if (strcmp(class, "GLACIER") != 0 && strcmp(class, "DEEP_ARCHIVE") != 0)
        return true;
    mem_answer_fail(&op->answer, MEM_INVALID_OBJECT_STATE, NULL);
    mem_answer_extra(&op->answer, "StorageClass", class);
    return false;
}

/* Fill the answer with O, whose reference becomes the answer's. */
static void
answer_object(struct mem_op *op, const struct mem_found *found)
{
    struct mem_answer *a = &op->answer;
    struct mem_object *o = found->object;
    const char *range = mem_request_find(&op->request, "range");
    unsigned number;

    a->object = o;
    if (!read_number_param(op, &number, range))
        return;
    a->length = o->size;
    write_headers(op, o);
    write_overrides(op);
    write_sum(op, o, number);
    write_counts(op, o);
    if (found->versioned) {
        mem_op_version_header(op, "x-amz-version-id", o);
        mem_op_lock_headers(op, o);
    }
    if (number > 0)
        apply_number(op, number);
    else if (range != NULL)
        apply_range(op, range);
}

static void
get_object(struct mem_op *op)
{
    struct mem_found found;

    if (!mem_op_find(op, &found))
        return;
    if (check_access(op, found.object) &&
        mem_op_get_condition(op, found.object))
        answer_object(op, &found);
    else
        mem_object_drop(found.object);
}

const struct mem_op_kind mem_get_object = {.end = get_object};
