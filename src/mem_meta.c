/* SPDX-License-Identifier: MIT */
/* A new object with what its request's headers give it: see mem_op.h. */
#include "config.h"

#include "mem_op.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "mem_read.h"

#define META_MAX ((size_t) 8 << 10) /* all headers that copies take along */
#define OWN_MAX ((size_t) 8 << 10) /* the others */
#define USER_META "x-amz-meta-"
#define USER_META_MAX 2048 /* names and values, as AWS */
#define STORAGE_CLASS "x-amz-storage-class"
#define STANDARD "STANDARD"

/* Headers of an upload that come back with the object. */
static const char *const kept_headers[] = {
    "cache-control",    "content-disposition", "content-encoding",
    "content-language", "content-type",        "expires",
};

static const char *const storage_classes[] = {
    STANDARD,
    "REDUCED_REDUNDANCY",
    "STANDARD_IA",
    "ONEZONE_IA",
    "INTELLIGENT_TIERING",
    "GLACIER",
    "GLACIER_IR",
    "DEEP_ARCHIVE",
    "EXPRESS_ONEZONE",
    "OUTPOSTS",
    "SNOW",
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

/* Headers that a copy takes along. */
static bool
add_metas(struct mem_op *op, struct buf *out)
{
    const struct mem_request *r = &op->request;
    size_t user = 0;
    int err = 0;

    for (size_t i = 0; i < r->header_count && err == 0; i++) {
        const char *name = r->headers[i].name, *value = r->headers[i].value;

        if (!is_kept(name))
            continue;
        if (is_user_meta(name))
            user += strlen(name) - strlen(USER_META) + strlen(value);
        err = add_meta(out, name, value);
    }
    if (err == EMSGSIZE || out->len > META_MAX || user > USER_META_MAX)
        mem_answer_fail(&op->answer, MEM_METADATA_TOO_LARGE, NULL);
    else if (err != 0)
        mem_op_fail_errno(op, err);
    else
        return true;
    return false;
}

static bool
is_storage_class(const char *text)
{
    size_t n = sizeof(storage_classes) / sizeof(*storage_classes);

    for (size_t i = 0; i < n; i++)
        if (strcmp(storage_classes[i], text) == 0)
            return true;
    return false;
}

static bool
add_storage_class(struct mem_op *op, struct buf *out)
{
    const char *class = mem_request_find(&op->request, STORAGE_CLASS);
    int err = 0;

    /* As at AWS it is told only when it is another one. */
    if (class == NULL || strcmp(class, STANDARD) == 0)
        return true;
    if (!is_storage_class(class)) {
        mem_answer_fail(&op->answer, MEM_INVALID_STORAGE_CLASS, NULL);
        mem_answer_extra(&op->answer, "StorageClassRequested", class);
        return false;
    }
    err = add_meta(out, STORAGE_CLASS, class);
    if (err != 0)
        mem_op_fail_errno(op, err);
    return err == 0;
}

const char *
mem_op_storage_class(const struct mem_object *o)
{
    const char *class = mem_object_own(o, STORAGE_CLASS);

    return class != NULL ? class : STANDARD;
}

/* Is there a header that begins so? Most requests have none of those that
 * tell of storage, encryption or locks, and they are many. */
static bool
has_prefix(const struct mem_request *r, const char *prefix)
{
    for (size_t i = 0; i < r->header_count; i++)
        if (strncasecmp(r->headers[i].name, prefix, strlen(prefix)) == 0)
            return true;
    return false;
}

static int
copy_tags(struct mem_op *op, const struct mem_object *from)
{
    struct buf tags;
    int err;

    buf_init(&tags, MEM_TAGS_MAX);
    err = mem_store_tags(op->service->store, &tags, from);
    if (err == 0)
        err = mem_object_tag(op->object, tags.data, tags.len,
                             atomic_load(&from->tag_count));
    buf_clear(&tags);
    return err;
}

/* All headers that the object keeps, of which those from *OWN on are its own.
 * Returns: false with the answer failed. */
static bool
collect(struct mem_op *op, struct buf *out, size_t *own,
        const struct mem_object *metas)
{
    int err;

    if (metas != NULL) {
        err = buf_add(out, metas->meta, metas->meta_own);
        if (err != 0) {
            mem_op_fail_errno(op, err);
            return false;
        }
    } else if (!mem_store_is_null(op->service->store)) {
        if (!add_metas(op, out))
            return false;
    }
    *own = out->len;
    return !has_prefix(&op->request, "x-amz-s") ||
           (add_storage_class(op, out) && mem_op_sse(op, out));
}

/* Give the object what is not a kept header. */
static bool
complete(struct mem_op *op, const struct mem_object *tags)
{
    int err = tags != NULL ? copy_tags(op, tags) : 0;

    if (err != 0) {
        mem_op_fail_errno(op, err);
        return false;
    }
    if (tags == NULL && !mem_op_tag(op, op->object))
        return false;
    if (op->bucket.rule.mode == MEM_LOCK_NONE &&
        !has_prefix(&op->request, "x-amz-object-lock-"))
        return true;
    return mem_op_lock(op, op->object);
}

bool
mem_op_make(struct mem_op *op, uint64_t size, const struct mem_object *metas,
            const struct mem_object *tags)
{
    struct buf meta;
    size_t own = 0;
    bool good;
    int err;

    buf_init(&meta, META_MAX + OWN_MAX);
    good = collect(op, &meta, &own, metas);
    if (good) {
        err = mem_object_new(&op->object, op->service->store, size,
                             op->request.key_len, meta.data, meta.len);
        if (err != 0)
            mem_op_fail_errno(op, err);
        good = err == 0;
    }
    buf_clear(&meta);
    if (!good)
        return false;
    op->object->meta_own = own;
    return complete(op, tags);
}
