/* SPDX-License-Identifier: MIT */
/* The completion of a multipart upload: see mem_op.h. */
#include "config.h"

#include "mem_op.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mem_read.h"
#include "units.h"

/* What a look at the upload needs. */
struct wish {
    struct mem_op *op;
    const struct mem_wanted_part *parts; /* as the client names them */
    size_t count;
};

static const struct mem_part *
find_part(const struct mem_upload *upload, unsigned number)
{
    size_t low = 0, high = upload->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (upload->parts[middle].number == number)
            return &upload->parts[middle];
        if (upload->parts[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Does the client name the checksum that the part has? It must where the
 * upload's is one of the parts' checksums. */
static bool
check_part_sum(struct wish *w, const struct mem_wanted_part *wanted,
               const struct mem_part *part, const struct mem_upload *upload)
{
    struct mem_answer *a = &w->op->answer;
    int kind = upload->object->sum_kind;

    if (mem_store_is_null(w->op->service->store))
        return true;
    if (wanted->sum_kind < 0) {
        if (kind < 0 || upload->sum_whole)
            return true;
        mem_answer_fail(a, MEM_INVALID_REQUEST,
                        "The upload was begun with a checksum by %s, so each "
                        "part must be named with it; part %u is not",
                        mem_checksum_name(kind), wanted->number);
        return false;
    }
    if (wanted->sum_kind == part->object->sum_kind &&
        strcmp(wanted->sum, part->object->sum) == 0)
        return true;
    mem_answer_fail(a, MEM_INVALID_PART, NULL);
    mem_xml_uint(&a->extra, "PartNumber", wanted->number);
    mem_answer_extra(a, "UploadId", upload->id);
    return false;
}

/* Is it the part that is meant, and large enough? */
static bool
check_part(struct wish *w, const struct mem_wanted_part *wanted,
           const struct mem_upload *upload, bool last)
{
    const struct mem_part *part = find_part(upload, wanted->number);
    struct mem_answer *a = &w->op->answer;
    uint64_t min = w->op->service->part_min;

    if (part == NULL || strcasecmp(part->object->etag, wanted->etag) != 0) {
        mem_answer_fail(a, MEM_INVALID_PART, NULL);
        mem_xml_uint(&a->extra, "PartNumber", wanted->number);
        mem_answer_extra(a, "ETag", wanted->etag);
        mem_answer_extra(a, "UploadId", upload->id);
        return false;
    }
    if (!check_part_sum(w, wanted, part, upload))
        return false;
    if (last || part->object->size >= min)
        return true;
    mem_answer_fail(a, MEM_ENTITY_TOO_SMALL, NULL);
    mem_xml_uint(&a->extra, "ProposedSize", part->object->size);
    mem_xml_uint(&a->extra, "MinSizeAllowed", min);
    mem_xml_uint(&a->extra, "PartNumber", wanted->number);
    mem_answer_extra(a, "ETag", part->object->etag);
    return false;
}

/* Is the whole as large as the client says, if it does? */
static bool
check_size(struct wish *w, const struct mem_upload *upload)
{
    const char *text =
        mem_request_find(&w->op->request, "x-amz-mp-object-size");
    uint64_t said, size = 0;

    if (text == NULL)
        return true;
    for (size_t i = 0; i < w->count; i++)
        size += find_part(upload, w->parts[i].number)->object->size;
    if (units_parse_count(&said, text) && said == size)
        return true;
    mem_answer_fail(&w->op->answer, MEM_INVALID_REQUEST,
                    "x-amz-mp-object-size is not the size of the parts, "
                    "%" PRIu64 " bytes",
                    size);
    return false;
}

/* Take the upload when all parts are as they should be. */
static bool
check_parts(void *ctx, const struct mem_upload *upload)
{
    struct wish *w = ctx;

    for (size_t i = 0; i < w->count; i++)
        if (!check_part(w, &w->parts[i], upload, i + 1 == w->count))
            return false;
    return check_size(w, upload);
}

/* The checksum of the N parts' checksums, into O. */
static void
sum_parts(struct mem_object *o, struct mem_object *const *parts, size_t n)
{
    struct mem_checksum sum;
    char text[MEM_CHECKSUM_TEXT];
    int kind = o->sum_kind;
    bool good;

    mem_checksum_init(&sum);
    good = mem_checksum_begin(&sum, kind) == 0;
    for (size_t i = 0; i < n && good; i++) {
        unsigned char bytes[MEM_CHECKSUM_TEXT];
        size_t len = mem_checksum_text_len(kind);

        good = parts[i]->sum_kind == kind &&
               EVP_DecodeBlock(bytes, (const unsigned char *) parts[i]->sum,
                               (int) len) > 0 &&
               mem_checksum_add(&sum, bytes, mem_checksum_bytes(kind)) == 0;
    }
    if (good) {
        mem_checksum_end(&sum, text);
        snprintf(o->sum, sizeof(o->sum), "%s-%zu", text, n);
    } else {
        o->sum_kind = -1;
    }
    mem_checksum_clear(&sum);
}

/* The MD5 of the N parts' MD5s, into O. */
static int
set_etag(struct mem_object *o, struct mem_object *const *parts, size_t n,
         bool null_store)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    EVP_MD_CTX *md5 = EVP_MD_CTX_new();
    uint64_t size = 0;
    int err = 0;

    if (md5 == NULL || !EVP_DigestInit_ex2(md5, EVP_md5(), NULL))
        err = ENOMEM;
    for (size_t i = 0; i < n && err == 0; i++) {
        unsigned char bytes[16] = {0};

        size += parts[i]->size;
        for (int at = 0; at < 16; at++)
            (void) sscanf(parts[i]->etag + 2 * at, "%2hhx", &bytes[at]);
        if (!EVP_DigestUpdate(md5, bytes, sizeof(bytes)))
            err = EIO;
    }
    if (err == 0 && !EVP_DigestFinal_ex(md5, digest, NULL))
        err = EIO;
    if (err == 0) {
        sigv4_hex(o->etag, digest, 16);
        if (null_store) /* knows sizes only */
            snprintf(o->etag, sizeof(o->etag), "%032" PRIx64, size);
        snprintf(o->etag + 32, sizeof(o->etag) - 32, "-%u",
                 (unsigned) n % (MEM_PARTS_MAX + 1));
    }
    EVP_MD_CTX_free(md5);
    return err;
}

/* The checksum of the bytes of all N parts, into O, against the one that is
 * given. */
static bool
sum_whole(struct mem_op *op, struct mem_object *o,
          struct mem_object *const *parts, size_t n)
{
    const char *given =
        mem_request_find(&op->request, mem_checksum_header(o->sum_kind));
    struct mem_checksum sum;
    bool good;

    mem_checksum_init(&sum);
    good = mem_checksum_begin(&sum, o->sum_kind) == 0;
    for (size_t i = 0; i < n && good; i++)
        good = mem_checksum_add(&sum, parts[i]->bytes, parts[i]->size) == 0;
    if (good)
        mem_checksum_end(&sum, o->sum);
    mem_checksum_clear(&sum);
    if (!good) {
        mem_op_fail_errno(op, ENOMEM);
        return false;
    }
    if (given == NULL || strcmp(given, o->sum) == 0)
        return true;
    mem_answer_fail(&op->answer, MEM_BAD_DIGEST,
                    "The %s you specified did not match the calculated "
                    "checksum",
                    mem_checksum_name(o->sum_kind));
    return false;
}

/* The N parts that W names, for free(); NULL without memory. */
static struct mem_object **
collect(const struct mem_upload *upload, const struct wish *w)
{
    struct mem_object **parts = calloc(w->count, sizeof(struct mem_object *));

    for (size_t i = 0; parts != NULL && i < w->count; i++) {
        const struct mem_part *part = find_part(upload, w->parts[i].number);

        assert(part != NULL); /* all were looked up before */
        parts[i] = part->object;
    }
    return parts;
}

/* Make what is known of UPLOAD's object from its PARTS, before they are
 * joined. Returns: whether it went well; else the answer is failed. */
static bool
describe(struct mem_op *op, struct mem_upload *upload,
         struct mem_object *const *parts, size_t n)
{
    struct mem_object *o = upload->object;
    bool null_store = mem_store_is_null(op->service->store);
    int err = set_etag(o, parts, n, null_store);

    if (err != 0) {
        mem_op_fail_errno(op, err);
        return false;
    }
    if (null_store)
        o->sum_kind = -1;
    if (o->sum_kind < 0)
        return true;
    if (upload->sum_whole)
        return sum_whole(op, o, parts, n);
    sum_parts(o, parts, n);
    return true;
}

static void
write_completed(struct mem_op *op, const struct mem_object *o)
{
    struct mem_xml *x = &op->answer.xml;

    mem_op_xml(op, "CompleteMultipartUploadResult");
    mem_xml_raw(x, "<Location>/");
    mem_xml_text(x, op->request.bucket, strlen(op->request.bucket));
    mem_xml_raw(x, "/");
    mem_xml_text(x, op->request.key, op->request.key_len);
    mem_xml_raw(x, "</Location>");
    mem_xml_element(x, "Bucket", op->request.bucket);
    mem_xml_element(x, "Key", op->request.key);
    mem_xml_raw(x, "<ETag>&quot;");
    mem_xml_raw(x, o->etag);
    mem_xml_raw(x, "&quot;</ETag>");
    if (o->sum_kind >= 0) {
        mem_xml_element(x, mem_checksum_element(o->sum_kind), o->sum);
        mem_xml_element(x, "ChecksumType",
                        strchr(o->sum, '-') != NULL ? "COMPOSITE"
                                                    : "FULL_OBJECT");
    }
    mem_op_xml_end(op, "CompleteMultipartUploadResult");
}

/* Make one object of the PARTS, which have been checked, and put it.
 * Returns: whether UPLOAD has had its day; if not it is as it was. */
static bool
put_joined(struct mem_op *op, struct mem_upload *upload,
           struct mem_object *const *parts, size_t n)
{
    const struct mem_name name = mem_op_name(op);
    struct mem_object *o = upload->object;
    int kind = o->sum_kind, err;

    if (describe(op, upload, parts, n)) {
        err = mem_object_join(o, parts, n);
        if (err == 0) {
            err = mem_store_put(op->service->store, &name, o, &op->condition);
            if (err == 0) {
                write_completed(op, o);
                mem_op_sse_headers(op, o);
                if (o->version != MEM_VERSION_NONE)
                    mem_op_version_header(op, "x-amz-version-id", o);
                return true;
            }
            /* Another came first. Without a bucket there is no upload. */
            if (err == ENOENT || mem_object_split(o, parts, n) != 0) {
                mem_op_fail_errno(op, err);
                return true;
            }
        }
        mem_op_fail_errno(op, err);
    }
    o->sum_kind = kind;
    o->sum[0] = '\0';
    return false;
}

static void
complete(struct mem_op *op, struct wish *w)
{
    struct mem_request *r = &op->request;
    const struct mem_upload_name name = {r->bucket, r->key, r->key_len,
                                         mem_op_param(op, "uploadId")};
    struct mem_object **parts;
    struct mem_upload *upload;
    bool over = false;
    int err;

    if (!mem_op_put_condition(op))
        return;
    err =
        mem_uploads_look(op->service->uploads, &upload, &name, check_parts, w);
    if (err != 0) {
        mem_answer_fail(&op->answer, MEM_NO_SUCH_UPLOAD, NULL);
        mem_answer_extra(&op->answer, "UploadId", name.id);
    }
    if (upload == NULL)
        return;
    parts = collect(upload, w);
    if (parts != NULL)
        over = put_joined(op, upload, parts, w->count);
    else
        mem_op_fail_errno(op, ENOMEM);
    free(parts);
    if (over)
        mem_upload_free(upload);
    else /* for another try */
        (void) mem_uploads_put_back(op->service->uploads, &name, upload);
}

static void
complete_upload(struct mem_op *op)
{
    struct wish w = {.op = op};
    struct buf parts;
    int err;

    buf_init(&parts, MEM_PARTS_MAX * sizeof(struct mem_wanted_part));
    err = mem_read_parts(&parts, op->body.data, op->body.len);
    w.parts = (const struct mem_wanted_part *) (const void *) parts.data;
    w.count = parts.len / sizeof(*w.parts);
    for (size_t i = 1; i < w.count && err == 0; i++)
        if (w.parts[i].number <= w.parts[i - 1].number)
            err = ERANGE;
    if (err == ERANGE)
        mem_answer_fail(&op->answer, MEM_INVALID_PART_ORDER, NULL);
    else if (err == EINVAL)
        mem_answer_fail(&op->answer, MEM_MALFORMED_XML, NULL);
    else if (err != 0)
        mem_op_fail_errno(op, err);
    else
        complete(op, &w);
    buf_clear(&parts);
}

const struct mem_op_kind mem_complete_upload = {
    .end = complete_upload, .xml_body = true, .sum_of_object = true};
