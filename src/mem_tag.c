/* SPDX-License-Identifier: MIT */
/* Tags of objects: see mem_op.h. */
#include "config.h"

#include "mem_op.h"

#include <errno.h>
#include <string.h>

#include "mem_read.h"
#include "uri.h"

#define TAGS_MAX 10
#define NAME_MAX_CHARS 128
#define VALUE_MAX_CHARS 256

/* Characters, not bytes. */
static size_t
count_chars(const char *text)
{
    size_t n = 0;

    for (; *text != '\0'; text++)
        n += ((unsigned char) *text & 0xc0) != 0x80;
    return n;
}

/* Are TAGS, name NUL value NUL ..., as S3 takes them? */
static bool
check_tags(struct mem_answer *answer, const struct buf *tags, unsigned *count)
{
    const char *end = tags->data + tags->len, *next;
    const char *wrong = NULL;

    *count = 0;
    for (const char *at = tags->data; at < end && wrong == NULL; at = next) {
        const char *value = at + strlen(at) + 1;

        next = value + strlen(value) + 1;
        if (++*count > TAGS_MAX)
            wrong = "An object takes at most 10 tags";
        else if (at[0] == '\0' || count_chars(at) > NAME_MAX_CHARS)
            wrong = "A tag's key has 1 to 128 characters";
        else if (count_chars(value) > VALUE_MAX_CHARS)
            wrong = "A tag's value has at most 256 characters";
        for (const char *before = tags->data; before < at && wrong == NULL;) {
            if (strcmp(before, at) == 0)
                wrong = "A tag's key comes twice";
            before += strlen(before) + 1;
            before += strlen(before) + 1;
        }
    }
    if (wrong != NULL)
        mem_answer_fail(answer, MEM_INVALID_TAG, "%s", wrong);
    return wrong == NULL;
}

/* Read "a=b&c=d", encoded like a form. */
static int
read_form(struct buf *out, const char *text)
{
    int err = 0;

    while (*text != '\0' && err == 0) {
        size_t n = strcspn(text, "&"), name = strcspn(text, "=&");
        size_t skip = name < n ? name + 1 : n;

        if (n > 0) {
            err = uri_decode(out, text, name, true);
            if (err == 0)
                err = buf_addc(out, '\0');
            if (err == 0)
                err = uri_decode(out, text + skip, n - skip, true);
            if (err == 0)
                err = buf_addc(out, '\0');
        }
        text += n;
        text += *text == '&';
    }
    return err;
}

bool
mem_op_tag(struct mem_op *op, struct mem_object *o)
{
    const char *text = mem_request_find(&op->request, "x-amz-tagging");
    struct buf tags;
    unsigned count;
    bool good = false;
    int err;

    if (text == NULL)
        return true;
    buf_init(&tags, MEM_TAGS_MAX);
    err = read_form(&tags, text);
    if (err != 0 && err != ENOMEM) {
        mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                        "The header x-amz-tagging must be encoded as a query");
    } else if (err == 0 && check_tags(&op->answer, &tags, &count)) {
        err = mem_object_tag(o, tags.data, tags.len, count);
        good = err == 0;
    }
    if (err == ENOMEM || err == ENOSPC)
        mem_op_fail_errno(op, err);
    buf_clear(&tags);
    return good;
}

static void
begin(struct mem_op *op)
{
    (void) mem_op_needs_bucket(op);
}

static void
put_tagging(struct mem_op *op)
{
    const struct mem_name name = mem_op_version(op);
    struct buf tags;
    unsigned count;
    int err;

    buf_init(&tags, MEM_TAGS_MAX);
    err = mem_read_tags(&tags, op->body.data, op->body.len);
    if (err == EINVAL)
        mem_answer_fail(&op->answer, MEM_MALFORMED_XML, NULL);
    else if (err != 0)
        mem_op_fail_errno(op, err);
    else if (check_tags(&op->answer, &tags, &count)) {
        err = mem_store_tag(op->service->store, &name, tags.data, tags.len,
                            count);
        if (err != 0)
            mem_op_fail_errno(op, err);
    }
    buf_clear(&tags);
}

static void
write_tags(struct mem_op *op, const struct buf *tags)
{
    struct mem_xml *x = &op->answer.xml;
    const char *at = tags->data, *end = at + tags->len;

    mem_op_xml(op, "Tagging");
    mem_xml_raw(x, "<TagSet>");
    while (at < end) {
        const char *value = at + strlen(at) + 1;

        mem_xml_raw(x, "<Tag>");
        mem_xml_element(x, "Key", at);
        mem_xml_element(x, "Value", value);
        mem_xml_raw(x, "</Tag>");
        at = value + strlen(value) + 1;
    }
    mem_xml_raw(x, "</TagSet>");
    mem_op_xml_end(op, "Tagging");
}

static void
get_tagging(struct mem_op *op)
{
    struct mem_found found;
    struct buf tags;
    int err;

    if (!mem_op_find(op, &found))
        return;
    buf_init(&tags, MEM_TAGS_MAX);
    err = mem_store_tags(op->service->store, &tags, found.object);
    if (err != 0)
        mem_op_fail_errno(op, err);
    else
        write_tags(op, &tags);
    if (err == 0 && found.versioned)
        mem_op_version_header(op, "x-amz-version-id", found.object);
    mem_object_drop(found.object);
    buf_clear(&tags);
}

static void
delete_tagging(struct mem_op *op)
{
    const struct mem_name name = mem_op_version(op);
    int err = mem_store_tag(op->service->store, &name, "", 0, 0);

    if (err != 0)
        mem_op_fail_errno(op, err);
    else
        op->answer.status = 204;
}

static void
get_bucket_tagging(struct mem_op *op)
{
    mem_answer_fail(&op->answer, MEM_NO_SUCH_TAG_SET, NULL);
    mem_answer_extra(&op->answer, "BucketName", op->request.bucket);
}

const struct mem_op_kind mem_put_tagging = {
    .begin = begin, .end = put_tagging, .xml_body = true, .needs_digest = true};
const struct mem_op_kind mem_get_tagging = {.begin = begin, .end = get_tagging};
const struct mem_op_kind mem_delete_tagging = {.begin = begin,
                                               .end = delete_tagging};
const struct mem_op_kind mem_get_bucket_tagging = {.begin = begin,
                                                   .end = get_bucket_tagging};
