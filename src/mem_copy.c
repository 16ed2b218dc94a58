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

/* The version in "?versionId=ID", NULL without one.
 * Returns: false with the answer failed. */
static bool
read_version(struct mem_op *op, const char **out, const char *query)
{
    static const char name[] = "?versionId=";

    *out = NULL;
    if (*query == '\0')
        return true;
    *out = query + strlen(name);
    if (strncmp(query, name, strlen(name)) == 0 &&
        mem_version_check(op->service->store, *out))
        return true;
    mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                    "Invalid version id specified");
    mem_answer_extra(&op->answer, "ArgumentName", "x-amz-copy-source");
    return false;
}

/* Get the source's object, and say which version it is. */
static bool
get_source(struct mem_op *op, struct mem_object **out,
           const struct mem_name *name)
{
    struct mem_found found;
    int err = mem_store_get(op->service->store, &found, name);

    if (err == 0 && found.object->marker) {
        mem_object_drop(found.object);
        err = name->version != NULL ? EISDIR : ENODATA;
    }
    if (err == EISDIR) {
        mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                        "The source of a copy must not be a delete marker");
        return false;
    }
    if (err != 0) {
        mem_op_fail_errno(op, err);
        if (err != ENOENT)
            op->answer.extra.out.len = 0; /* it named the target */
        return false;
    }
    if (found.versioned)
        mem_op_version_header(op, "x-amz-copy-source-version-id", found.object);
    *out = found.object;
    return true;
}

/* Take "[/]BUCKET/KEY[?versionId=ID]" apart, encoded, and get that object,
 * if it may be read. Returns: false with the answer failed. */
static bool
find_source(struct mem_op *op, struct mem_object **out, struct buf *name)
{
    const char *text = mem_request_find(&op->request, "x-amz-copy-source");
    size_t n = strcspn(text, "?");
    const char *query = text + n;
    struct mem_name source;
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
    if (!read_version(op, &source.version, query))
        return false;
    *slash = '\0';
    source.bucket = name->data;
    source.key = slash + 1;
    source.key_len = name->len - (size_t) (slash + 1 - name->data);
    return get_source(op, out, &source) && mem_op_sse_read(op, *out, true);
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
        mem_op_md5_etag(o, digest);
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

/* O's checksum: the one that is asked for, else the source's. */
static int
copy_sum(const struct mem_op *op, struct mem_object *o,
         const struct mem_object *source)
{
    int kind = mem_op_asked_sum(&op->request);
    struct mem_checksum sum;
    int err;

    if (mem_store_is_null(op->service->store))
        return 0;
    if (kind < 0 && source->sum_kind >= 0 && strchr(source->sum, '-') == NULL) {
        o->sum_kind = source->sum_kind;
        memcpy(o->sum, source->sum, sizeof(o->sum));
        return 0;
    }
    if (kind < 0) /* of a composite one the whole's: parts are gone */
        kind = source->sum_kind;
    if (kind < 0)
        return 0;
    mem_checksum_init(&sum);
    err = mem_checksum_begin(&sum, kind);
    if (err == 0)
        err = mem_checksum_add(&sum, o->bytes, o->size);
    if (err == 0) {
        mem_checksum_end(&sum, o->sum);
        o->sum_kind = kind;
    }
    mem_checksum_clear(&sum);
    return err;
}

static void
copy(struct mem_op *op, const struct mem_object *source, bool meta, bool tags)
{
    const struct mem_name name = mem_op_name(op);
    struct mem_object *o;
    int err;

    if (!mem_op_put_condition(op) ||
        !mem_op_make(op, source->size, meta ? NULL : source,
                     tags ? NULL : source))
        return;
    o = op->object;
    err = copy_content(op, o, source, 0, source->size);
    if (err == 0)
        err = copy_sum(op, o, source);
    if (err == 0)
        err = mem_store_put(op->service->store, &name, o, &op->condition);
    if (err != 0) {
        mem_op_fail_errno(op, err);
        return;
    }
    mem_op_sse_headers(op, o);
    if (o->version != MEM_VERSION_NONE)
        mem_op_version_header(op, "x-amz-version-id", o);
    write_result(op, "CopyObjectResult", o);
}

/* Is NAME, the source's, the target's, and would nothing change? S3 refuses
 * that. */
static bool
is_idle(const struct mem_op *op, const struct buf *name, bool meta, bool tags)
{
    const struct mem_request *r = &op->request;

    return !meta && !tags && strcmp(name->data, r->bucket) == 0 &&
           strcmp(name->data + strlen(name->data) + 1, r->key) == 0 &&
           strchr(mem_request_find(r, "x-amz-copy-source"), '?') == NULL &&
           mem_request_find(r, "x-amz-storage-class") == NULL &&
           mem_request_find(r, "x-amz-server-side-encryption") == NULL;
}

static void
copy_object(struct mem_op *op)
{
    struct mem_request *r = &op->request;
    struct mem_object *source = NULL;
    bool meta, tags;
    struct buf name;

    buf_init(&name, SOURCE_MAX);
    if (r->key_len > MEM_KEY_MAX) {
        mem_op_fail_errno(op, ENAMETOOLONG);
        goto done;
    }
    if (mem_op_asked_sum(r) == -2) {
        mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                        "x-amz-checksum-algorithm names an unknown one");
        goto done;
    }
    if (!read_directive(op, "x-amz-metadata-directive", &meta) ||
        !read_directive(op, "x-amz-tagging-directive", &tags) ||
        !mem_op_needs_bucket(op) || !find_source(op, &source, &name) ||
        !mem_op_copy_condition(op, source))
        goto done;
    if (is_idle(op, &name, meta, tags))
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
    if (err == 0 && mem_part_put(op, op->object))
        write_result(op, "CopyPartResult", op->object);
done:
    mem_object_drop(source);
    buf_clear(&name);
}

const struct mem_op_kind mem_copy_object = {.end = copy_object};
const struct mem_op_kind mem_copy_part = {.begin = mem_part_begin,
                                          .end = copy_part};
