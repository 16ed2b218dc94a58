/* SPDX-License-Identifier: MIT */
/* Appending to an object, as S3 Express One Zone does: see mem_op.h. */
#include "config.h"

#include "mem_op.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "units.h"

#define OFFSET "x-amz-write-offset-bytes"

static bool
read_offset(struct mem_op *op, uint64_t *out)
{
    const char *text = mem_request_find(&op->request, OFFSET);

    if (text != NULL && units_parse_count(out, text))
        return true;
    mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                    OFFSET " is not a number of bytes");
    mem_answer_extra(&op->answer, "ArgumentName", OFFSET);
    return false;
}

static void
begin(struct mem_op *op)
{
    uint64_t offset;

    if (!read_offset(op, &offset))
        return;
    /* What there is already keeps its headers; these are for a new one. */
    mem_put_object.begin(op);
    if (op->answer.code == MEM_OK &&
        op->bucket.versioning != MEM_VERSIONS_NEVER)
        mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                        "A bucket with versions takes no appends");
}

/* The checksum of the whole, if it goes on from the one of before. */
static void
merge_sum(struct mem_object *whole, const struct mem_object *tail)
{
    struct mem_checksum sum;
    bool good = whole->sum_kind == tail->sum_kind &&
                mem_checksum_is_crc(whole->sum_kind);

    mem_checksum_init(&sum);
    good = good && mem_checksum_resume(&sum, whole->sum_kind, whole->sum) &&
           mem_checksum_add(&sum, tail->bytes, tail->size) == 0;
    if (good)
        mem_checksum_end(&sum, whole->sum);
    else
        whole->sum_kind = -1;
    mem_checksum_clear(&sum);
}

/* The ETag is no MD5 any more, but another one after each append. */
static int
merge(struct mem_object *whole, const struct mem_object *tail)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    char both[2 * MEM_ETAG_SIZE];
    int n = snprintf(both, sizeof(both), "%s%s", whole->etag, tail->etag);

    if (mem_store_is_null(whole->store)) {
        snprintf(whole->etag, sizeof(whole->etag), "%032" PRIx64,
                 whole->size + tail->size);
        return 0;
    }
    if (!EVP_Digest(both, (size_t) n, digest, NULL, EVP_md5(), NULL))
        return ENOMEM;
    sigv4_hex(whole->etag, digest, 16);
    merge_sum(whole, tail);
    return 0;
}

static void
end(struct mem_op *op)
{
    const struct mem_name name = mem_op_name(op);
    struct mem_object *whole;
    uint64_t offset = 0;
    char text[24];
    int err;

    (void) read_offset(op, &offset); /* it could be read before */
    mem_op_set_etag(op, op->object);
    err = mem_store_append(op->service->store, &whole, &name, op->object,
                           offset, &op->condition, merge);
    if (err == EBUSY)
        mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                        "A bucket with versions takes no appends");
    else if (err != 0)
        mem_op_fail_errno(op, err);
    if (err != 0)
        return;
    mem_op_put_headers(op, whole);
    snprintf(text, sizeof(text), "%" PRIu64, whole->size);
    mem_answer_header(&op->answer, "x-amz-object-size", text);
    mem_object_drop(whole);
}

const struct mem_op_kind mem_append_object = {
    .begin = begin, .end = end, .object_body = true};
