/* SPDX-License-Identifier: MIT */
/* Copies inside of the server, of objects and as parts: see mem_op.h. */
#include "config.h"

#include "mem_op.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "mem_part.h"
#include "mem_read.h"
#include "uri.h"

#define SOURCE_MAX ((size_t) 8 << 10)

/* Take "[/]BUCKET/KEY[?versionId=ID]" apart, encoded, and get that object.
 * Returns: false with the answer failed. */
static bool
find_source(struct mem_op *op, struct mem_object **out, struct buf *name)
{
    const char *text = mem_request_find(&op->request, "x-amz-copy-source");
    size_t n = strcspn(text, "?");
    const char *version = text + n;
    char *slash;
    int err;

    if ((*text == '/' || strncasecmp(text, "%2f", 3) == 0) && n > 0) {
        size_t skip = *text == '/' ? 1 : 3;

        text += skip;
        n -= skip;
    }
    err = uri_decode(name, text, n, false);
    slash = err == 0 ? strchr(name->data, '/') : NULL;
    if (slash == NULL || slash[1] == '\0') {
        mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                        "x-amz-copy-source must be BUCKET/KEY, URL-encoded");
        return false;
    }
    if (*version != '\0' && strcmp(version, "?versionId=null") != 0) {
        mem_answer_fail(&op->answer, MEM_NO_SUCH_VERSION, NULL);
        return false;
    }
    *slash = '\0';
    err = mem_store_get(op->service->store, out, name->data, slash + 1,
                        name->len - (size_t) (slash + 1 - name->data));
    if (err == 0)
        return true;
    mem_op_fail_errno(op, err);
    if (err == ENODATA)
        op->answer.extra.out.len = 0; /* it named the target */
    return false;
}

/* "COPY" or "REPLACE", as the header NAME says; false when it is another. */
static bool
read_directive(struct mem_op *op, const char *name, bool *replace)
{
    const char *value = mem_request_find(&op->request, name);

    *replace = value != NULL && strcasecmp(value, "REPLACE") == 0;
    if (value == NULL || *replace || strcasecmp(value, "COPY") == 0)
        return true;
    mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                    "%s must be COPY or REPLACE", name);
    return false;
}

/* Fill O from LENGTH bytes at OFFSET of SOURCE, with their MD5 as ETag. */
static int
copy_content(const struct mem_op *op, struct mem_object *o,
             const struct mem_object *source, uint64_t offset, uint64_t length)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    const void *bytes;
    int err;

    if (mem_store_is_null(op->service->store)) {
        snprintf(o->etag, sizeof(o->etag), "%032" PRIx64, length);
        return mem_object_add(o, NULL, length);
    }
    bytes = length > 0 ? source->bytes + offset : (const void *) "";
    err = mem_object_add(o, bytes, length);
    if (err == 0 && !EVP_Digest(bytes, length, digest, NULL, EVP_md5(), NULL))
        err = EIO;
    if (err == 0)
        sigv4_hex(o->etag, digest, 16);
    return err;
}

static void
write_result(struct mem_op *op, const char *root, const struct mem_object *o)
{
    struct mem_xml *x = &op->answer.xml;
    char iso[MEM_ISO_SIZE];

    mem_format_iso(iso, o->modified);
    mem_op_xml(op, root);
    mem_xml_element(x, "LastModified", iso);
    mem_xml_raw(x, "<ETag>&quot;");
    mem_xml_raw(x, o->etag);
    mem_xml_raw(x, "&quot;</ETag>");
    if (o->sum_kind >= 0)
        mem_xml_element(x, mem_checksum_element(o->sum_kind), o->sum);
    mem_op_xml_end(op, root);
}

/* Headers and tags of the copy, into a new object. */
static int
begin_copy(struct mem_op *op, const struct mem_object *source, bool meta,
           bool tags)
{
    struct mem_store *store = op->service->store;
    size_t key_len = op->request.key_len;
    struct buf texts;
    int err = 0;

    buf_init(&texts, MEM_TAGS_MAX);
    if (meta && !mem_op_meta(op, &texts))
        err = ECONNABORTED; /* the answer says why */
    else if (meta)
        err = mem_object_new(&op->object, store, source->size, key_len,
                             texts.data, texts.len);
    else
        err = mem_object_new(&op->object, store, source->size, key_len,
                             source->meta, source->meta_len);
    buf_clear(&texts);
    if (err == 0 && tags && !mem_op_tag(op, op->object))
        err = ECONNABORTED;
    if (err == 0 && !tags) {
        texts.max = MEM_TAGS_MAX;
        err = mem_store_tags(store, &texts, source);
        if (err == 0)
            err = mem_object_tag(op->object, texts.data, texts.len,
                                 atomic_load(&source->tag_count));
    }
    buf_clear(&texts);
    return err;
}

static void
copy(struct mem_op *op, const struct mem_object *source, bool meta, bool tags)
{
    struct mem_request *r = &op->request;
    struct mem_object *o;
    int err = begin_copy(op, source, meta, tags);

    if (err == 0 && !mem_op_put_condition(op))
        return;
    o = op->object;
    if (err == 0)
        err = copy_content(op, o, source, 0, source->size);
    if (err == 0 && source->sum_kind >= 0 && strchr(source->sum, '-') == NULL) {
        o->sum_kind = source->sum_kind;
        memcpy(o->sum, source->sum, sizeof(o->sum));
    }
    if (err == 0)
        err = mem_store_put_if(op->service->store, r->bucket, r->key,
                               r->key_len, o, &op->condition);
    if (err == 0)
        write_result(op, "CopyObjectResult", o);
    else if (err != ECONNABORTED)
        mem_op_fail_errno(op, err);
}

static void
copy_object(struct mem_op *op)
{
    struct mem_request *r = &op->request;
    struct mem_object *source = NULL;
    bool meta, tags, itself;
    struct buf name;

    buf_init(&name, SOURCE_MAX);
    if (r->key_len > MEM_KEY_MAX) {
        mem_op_fail_errno(op, ENAMETOOLONG);
        goto done;
    }
    if (!read_directive(op, "x-amz-metadata-directive", &meta) ||
        !read_directive(op, "x-amz-tagging-directive", &tags) ||
        !mem_op_needs_bucket(op) || !find_source(op, &source, &name) ||
        !mem_op_copy_condition(op, source))
        goto done;
    itself = strcmp(name.data, r->bucket) == 0 &&
             strcmp(name.data + strlen(name.data) + 1, r->key) == 0;
    if (itself && !meta && !tags)
        mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                        "An object can be copied to itself only with a "
                        "directive to REPLACE");
    else
        copy(op, source, meta, tags);
done:
    mem_object_drop(source);
    buf_clear(&name);
}

/* Which bytes of SOURCE become the part. */
static bool
read_part_range(struct mem_op *op, const struct mem_object *source,
                uint64_t *offset, uint64_t *length)
{
    const char *range =
        mem_request_find(&op->request, "x-amz-copy-source-range");
    const char *dash;

    *offset = 0;
    *length = source->size;
    if (range == NULL)
        return true;
    dash = strchr(range, '-');
    /* Unlike a GET's, it must have both ends, and they must be there. */
    if (dash != NULL && dash > range && dash[-1] != '=' && dash[1] != '\0' &&
        mem_op_range(offset, length, range, source->size) == 0 &&
        strtoull(dash + 1, NULL, 10) < source->size)
        return true;
    mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                    "x-amz-copy-source-range must be bytes=FIRST-LAST within "
                    "the source's %" PRIu64 " bytes",
                    source->size);
    return false;
}

static void
copy_part(struct mem_op *op)
{
    struct mem_object *source = NULL;
    uint64_t offset, length;
    struct buf name;
    int err;

    buf_init(&name, SOURCE_MAX);
    if (!find_source(op, &source, &name) ||
        !mem_op_copy_condition(op, source) ||
        !read_part_range(op, source, &offset, &length))
        goto done;
    err = mem_object_new(&op->object, op->service->store, length, 0, NULL, 0);
    if (err == 0)
        err = copy_content(op, op->object, source, offset, length);
    if (err != 0)
        mem_op_fail_errno(op, err);
    else if (mem_part_put(op, op->object))
        write_result(op, "CopyPartResult", op->object);
done:
    mem_object_drop(source);
    buf_clear(&name);
}

const struct mem_op_kind mem_copy_object = {.end = copy_object};
const struct mem_op_kind mem_copy_part = {.begin = mem_part_begin,
                                          .end = copy_part};
