/* SPDX-License-Identifier: MIT */
/* The listings of a bucket's objects: see mem_op.h. */
#include "config.h"

#include "mem_op.h"

#include <errno.h>
#include <string.h>

#include <openssl/evp.h>

#include "units.h"

#define PAGE_MAX 1000 /* entries in one listing */

/* How the three kinds of listing differ. */
struct form {
    const char *root;
    const char *start_param, *start_element;
    bool start_always; /* its element is there without a value, too */
};

enum { FIRST, SECOND, VERSIONS };

static const struct form forms[] = {
    [FIRST] = {"ListBucketResult", "marker", "Marker", true},
    [SECOND] = {"ListBucketResult", "start-after", "StartAfter", false},
    [VERSIONS] = {"ListVersionsResult", "key-marker", "KeyMarker", true},
};

/* What a listing's callback needs. */
struct page {
    const struct mem_op *op;
    int form;
    struct mem_xml *x;
    struct mem_xml prefixes; /* follow behind all objects */
    struct buf last; /* the entry given last */
    char last_version[MEM_VERSION_SIZE]; /* "" for a common prefix */
    bool encode; /* encoding-type=url */
    bool owner;
    int err;
};

/* What only a listing of versions has. */
static void
write_version(struct page *p, const struct mem_object *o, bool newest)
{
    mem_store_version(p->op->service->store, p->last_version, o);
    mem_xml_element(p->x, "VersionId", p->last_version);
    mem_xml_element(p->x, "IsLatest", newest ? "true" : "false");
}

/* What a delete marker does not have. */
static void
write_content(struct page *p, const struct mem_object *o)
{
    mem_xml_raw(p->x, "<ETag>&quot;");
    mem_xml_raw(p->x, o->etag);
    mem_xml_raw(p->x, "&quot;</ETag>");
    if (o->sum_kind >= 0)
        mem_xml_element(p->x, "ChecksumAlgorithm",
                        mem_checksum_name(o->sum_kind));
    mem_xml_uint(p->x, "Size", o->size);
    mem_xml_element(p->x, "StorageClass", mem_op_storage_class(o));
}

static void
write_entry(void *ctx, const char *name, size_t n, const struct mem_object *o,
            bool newest)
{
    struct page *p = ctx;
    const char *close = p->form != VERSIONS      ? "</Contents>"
                        : o != NULL && o->marker ? "</DeleteMarker>"
                                                 : "</Version>";
    char iso[MEM_ISO_SIZE];

    buf_reset(&p->last);
    if (buf_add(&p->last, name, n) != 0)
        p->err = ENOMEM;
    p->last_version[0] = '\0';
    if (o == NULL) {
        mem_xml_raw(&p->prefixes, "<CommonPrefixes>");
        mem_op_xml_name(&p->prefixes, "Prefix", name, n, p->encode);
        mem_xml_raw(&p->prefixes, "</CommonPrefixes>");
        return;
    }
    mem_format_iso(iso, o->modified);
    mem_xml_raw(p->x, "<");
    mem_xml_raw(p->x, close + 2);
    mem_op_xml_name(p->x, "Key", name, n, p->encode);
    if (p->form == VERSIONS)
        write_version(p, o, newest);
    mem_xml_element(p->x, "LastModified", iso);
    if (!o->marker)
        write_content(p, o);
    if (p->owner)
        mem_op_xml_owner(p->x, "Owner");
    mem_xml_raw(p->x, close);
}

static void
begin_list(struct mem_op *op)
{
    const char *max = mem_request_param(&op->request, "max-keys");
    const char *type = mem_request_param(&op->request, "encoding-type");
    const char *version = mem_request_param(&op->request, "list-type");
    uint64_t n;

    if (max != NULL && (!units_parse_count(&n, max) || n > INT32_MAX))
        mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                        "max-keys is not a number from 0 to 2147483647");
    else if (type != NULL && strcmp(type, "url") != 0)
        mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                        "encoding-type can only be url");
    else if (version != NULL && strcmp(version, "2") != 0)
        mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                        "list-type can only be 2");
    else
        (void) mem_op_needs_bucket(op);
}

/* Turn a continuation token back into the name it stands for. */
static bool
read_token(struct buf *out, const char *token)
{
    size_t n = strlen(token), pads = 0;
    int decoded;

    while (pads < 2 && pads < n && token[n - 1 - pads] == '=')
        pads++;
    if (n == 0 || n % 4 != 0 || strcspn(token, "=") != n - pads ||
        buf_reserve(out, n) != 0)
        return false;
    decoded = EVP_DecodeBlock((unsigned char *) out->data,
                              (const unsigned char *) token, (int) n);
    if (decoded < 0)
        return false;
    out->len = (size_t) decoded - pads;
    out->data[out->len] = '\0';
    return true;
}

static void
write_token(struct mem_xml *x, const struct buf *last)
{
    struct buf token;

    buf_init(&token, last->len * 2 + 8);
    if (buf_reserve(&token, last->len * 2 + 8) != 0) {
        x->err = ENOMEM;
        return;
    }
    EVP_EncodeBlock((unsigned char *) token.data,
                    (const unsigned char *) last->data, (int) last->len);
    mem_xml_element(x, "NextContinuationToken", token.data);
    buf_clear(&token);
}

static void
write_param(const struct mem_op *op, const struct page *p, const char *element,
            const char *name, bool always)
{
    const char *value = mem_op_param(op, name);

    if (value[0] != '\0' || always)
        mem_op_xml_name(p->x, element, value, strlen(value), p->encode);
}

/* The elements that say what was asked for. */
static void
write_asked(const struct mem_op *op, const struct page *p)
{
    const struct form *form = &forms[p->form];

    mem_xml_element(p->x, "Name", op->request.bucket);
    write_param(op, p, "Prefix", "prefix", true);
    write_param(op, p, form->start_element, form->start_param,
                form->start_always);
    if (p->form == VERSIONS)
        write_param(op, p, "VersionIdMarker", "version-id-marker", true);
    write_param(op, p, "Delimiter", "delimiter", false);
    if (p->encode)
        mem_xml_raw(p->x, "<EncodingType>url</EncodingType>");
    if (p->form == SECOND)
        write_param(op, p, "ContinuationToken", "continuation-token", false);
}

/* Where the listing starts, into AFTER. */
static bool
find_start(struct mem_op *op, struct buf *after, int form)
{
    const char *token = mem_request_param(&op->request, "continuation-token");

    if (form == SECOND && token != NULL) {
        if (read_token(after, token))
            return true;
        mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                        "The continuation token is not one given here");
        return false;
    }
    if (buf_adds(after, mem_op_param(op, forms[form].start_param)) == 0)
        return true;
    mem_op_fail_errno(op, ENOMEM);
    return false;
}

/* Where the next page starts. */
static void
write_next(const struct page *p, bool delimited)
{
    const struct buf *last = &p->last;

    if (p->form == SECOND) {
        write_token(p->x, last);
    } else if (p->form == VERSIONS) {
        mem_op_xml_name(p->x, "NextKeyMarker", last->data, last->len,
                        p->encode);
        if (p->last_version[0] != '\0')
            mem_xml_element(p->x, "NextVersionIdMarker", p->last_version);
    } else if (delimited) {
        mem_op_xml_name(p->x, "NextMarker", last->data, last->len, p->encode);
    }
}

static void
write_page(struct mem_op *op, struct page *p, struct mem_list *list)
{
    int err;

    mem_op_xml(op, forms[p->form].root);
    write_asked(op, p);
    mem_xml_uint(p->x, "MaxKeys", list->max);
    err = mem_store_list(op->service->store, op->request.bucket, list);
    if (err == 0 && (p->err != 0 || p->prefixes.err != 0))
        err = ENOMEM;
    if (err != 0) {
        mem_op_fail_errno(op, err);
        return;
    }
    mem_xml_raw(p->x, p->prefixes.out.data);
    if (p->form == SECOND)
        mem_xml_uint(p->x, "KeyCount", list->count);
    mem_xml_element(p->x, "IsTruncated", list->truncated ? "true" : "false");
    if (list->truncated)
        write_next(p, list->delimiter_len > 0);
    mem_op_xml_end(op, forms[p->form].root);
}

static void
list(struct mem_op *op, int form)
{
    struct page p = {.op = op,
                     .form = form,
                     .x = &op->answer.xml,
                     .encode = mem_op_param(op, "encoding-type")[0] != '\0',
                     .owner = form != SECOND ||
                              strcmp(mem_op_param(op, "fetch-owner"), //
                                     "true") == 0};
    struct mem_list page = {.prefix = mem_op_param(op, "prefix"),
                            .delimiter = mem_op_param(op, "delimiter"),
                            .versions = form == VERSIONS,
                            .after_version =
                                mem_op_param(op, "version-id-marker"),
                            .each = write_entry,
                            .ctx = &p};
    uint64_t max = PAGE_MAX;
    struct buf after;

    mem_xml_init(&p.prefixes);
    buf_init(&p.last, MEM_KEY_MAX);
    buf_init(&after, MEM_TARGET_MAX);
    (void) units_parse_count(&max, mem_op_param(op, "max-keys"));
    page.max = max < PAGE_MAX ? (size_t) max : PAGE_MAX;
    page.prefix_len = strlen(page.prefix);
    page.delimiter_len = strlen(page.delimiter);
    if (find_start(op, &after, form)) {
        page.after = after.data;
        page.after_len = after.len;
        write_page(op, &p, &page);
    }
    mem_xml_clear(&p.prefixes);
    buf_clear(&p.last);
    buf_clear(&after);
}

static void
list_objects(struct mem_op *op)
{
    list(op,
         mem_request_param(&op->request, "list-type") != NULL ? SECOND : FIRST);
}

static void
begin_versions(struct mem_op *op)
{
    const char *marker = mem_op_param(op, "version-id-marker");

    if (marker[0] == '\0')
        begin_list(op);
    else if (mem_op_param(op, "key-marker")[0] == '\0')
        mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                        "version-id-marker needs a key-marker");
    else if (!mem_version_check(op->service->store, marker))
        mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                        "Invalid version id specified");
    else
        begin_list(op);
}

static void
list_versions(struct mem_op *op)
{
    list(op, VERSIONS);
}

const struct mem_op_kind mem_list_objects = {.begin = begin_list,
                                             .end = list_objects};
const struct mem_op_kind mem_list_versions = {.begin = begin_versions,
                                              .end = list_versions};
