/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_op.h"

#include <errno.h>
#include <string.h>

#include "mem_feature.h"
#include "units.h"

#define KEPT_MAX ((size_t) 8 << 10)

void
mem_op_init(struct mem_op *op, const struct mem_service *service)
{
    op->service = service;
    op->kind = NULL;
    mem_request_init(&op->request);
    if (service->domain != NULL)
        op->request.domain = service->domain;
    mem_answer_init(&op->answer);
    op->auth = (struct mem_auth){.signed_headers = ""};
    op->length = -1;
    op->chunked = false;
    mem_chunks_init(&op->chunks);
    buf_init(&op->body, MEM_BODY_XML_MAX);
    op->object = NULL;
    op->bucket = (struct mem_bucket){.lock = false};
    mem_digest_init(&op->digest);
}

void
mem_op_clear(struct mem_op *op)
{
    mem_request_clear(&op->request);
    mem_answer_clear(&op->answer);
    mem_chunks_clear(&op->chunks);
    buf_clear(&op->body);
    mem_object_drop(op->object);
    op->object = NULL;
    mem_digest_clear(&op->digest);
}

/* Empty B; what is usual is kept, what is large goes. */
static void
empty(struct buf *b)
{
    if (b->size > KEPT_MAX)
        buf_clear(b);
    else
        buf_reset(b);
}

void
mem_op_reset(struct mem_op *op)
{
    struct buf target = op->request.target, text = op->request.text;
    struct buf headers = op->answer.headers;

    buf_init(&op->request.target, target.max);
    buf_init(&op->request.text, text.max);
    buf_init(&op->answer.headers, headers.max);
    mem_op_clear(op);
    mem_op_init(op, op->service);
    empty(&target);
    empty(&text);
    empty(&headers);
    op->request.target = target;
    op->request.text = text;
    op->answer.headers = headers;
}

/* What an errno value of the store means, and which element of the error
 * document names the culprit. */
static const struct {
    int err;
    enum mem_code code;
    const char *element;
} failures[] = {
    {ENOENT, MEM_NO_SUCH_BUCKET, "BucketName"},
    {ENODATA, MEM_NO_SUCH_KEY, "Key"},
    {ENXIO, MEM_NO_SUCH_VERSION, "Key"},
    {EISDIR, MEM_METHOD_NOT_ALLOWED, "Key"},
    {EEXIST, MEM_BUCKET_ALREADY_OWNED_BY_YOU, "BucketName"},
    {ENOTEMPTY, MEM_BUCKET_NOT_EMPTY, "BucketName"},
    {ENAMETOOLONG, MEM_KEY_TOO_LONG, NULL},
    {ECANCELED, MEM_PRECONDITION_FAILED, "Condition"},
    {EACCES, MEM_ACCESS_DENIED, NULL},
    {EBUSY, MEM_INVALID_BUCKET_STATE, "BucketName"},
    {ERANGE, MEM_INVALID_WRITE_OFFSET, NULL},
    {EMLINK, MEM_TOO_MANY_PARTS, NULL},
    {ENOSPC, MEM_INSUFFICIENT_STORAGE, NULL},
};

/* How the message goes on, where S3's usual one does not do. */
static void
explain(struct mem_op *op, int err)
{
    struct mem_store *s = op->service->store;

    if (err == ENOSPC)
        mem_answer_fail(&op->answer, MEM_INSUFFICIENT_STORAGE,
                        "The memory bound of %llu bytes (--memory) would be "
                        "passed; %llu are in use",
                        (unsigned long long) mem_store_bound(s),
                        (unsigned long long) mem_store_used(s));
    else if (err == EACCES)
        mem_answer_fail(&op->answer, MEM_ACCESS_DENIED,
                        "Access denied: the object is protected by object "
                        "lock");
}

static const char *
culprit(const struct mem_op *op, const char *element)
{
    if (strcmp(element, "Key") == 0)
        return op->request.key;
    if (strcmp(element, "BucketName") == 0)
        return op->request.bucket;
    return mem_request_find(&op->request, "if-match") != NULL ? "If-Match"
                                                              : "If-None-Match";
}

void
mem_op_fail_errno(struct mem_op *op, int err)
{
    struct mem_answer *a = &op->answer;

    for (size_t i = 0; i < sizeof(failures) / sizeof(*failures); i++) {
        const char *element = failures[i].element;

        if (failures[i].err != err)
            continue;
        mem_answer_fail(a, failures[i].code, NULL);
        explain(op, err);
        if (element != NULL)
            mem_answer_extra(a, element, culprit(op, element));
        if (err == ENXIO)
            mem_answer_extra(a, "VersionId", mem_op_param(op, "versionId"));
        return;
    }
    mem_answer_fail(a, MEM_INTERNAL_ERROR, NULL);
}

bool
mem_op_needs_bucket(struct mem_op *op)
{
    int err = mem_store_get_bucket(op->service->store, &op->bucket,
                                   op->request.bucket);

    if (err != 0)
        mem_op_fail_errno(op, err);
    return err == 0;
}

const char *
mem_op_param(const struct mem_op *op, const char *name)
{
    const char *value = mem_request_param(&op->request, name);

    return value != NULL ? value : "";
}

/* Prepare for an aws-chunked body, if that is what comes. */
static bool
begin_chunks(struct mem_op *op, struct mem_signer *signer)
{
    const char *hash = mem_request_find(&op->request, "x-amz-content-sha256");
    const char *length =
        mem_request_find(&op->request, "x-amz-decoded-content-length");
    uint64_t n;
    int err;

    if (hash == NULL || !mem_chunks_is_kind(hash))
        return true;
    if (!op->kind->object_body) {
        mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                        "Only the content of objects can be aws-chunked");
        return false;
    }
    if (op->length < 0 && !op->chunked)
        length = NULL;
    if (length == NULL || !units_parse_count(&n, length)) {
        mem_answer_fail(&op->answer, MEM_MISSING_CONTENT_LENGTH,
                        "An aws-chunked body needs a Content-Length and "
                        "x-amz-decoded-content-length");
        return false;
    }
    op->length = n <= INT64_MAX ? (int64_t) n : INT64_MAX;
    err = mem_chunks_begin(&op->chunks, hash, signer, &op->service->keys,
                           &op->auth);
    if (err != 0)
        mem_op_fail_errno(op, err);
    return err == 0;
}

/* Whether a body of that length may come at all. */
static bool
check_length(struct mem_op *op)
{
    const struct mem_op_kind *kind = op->kind;
    int64_t max = kind->object_body ? (int64_t) MEM_OBJECT_SIZE_MAX
                                    : (int64_t) MEM_BODY_XML_MAX;

    if (op->length < 0 && (kind->object_body || op->chunked)) {
        mem_answer_fail(&op->answer, MEM_MISSING_CONTENT_LENGTH, NULL);
        return false;
    }
    if (op->length <= max)
        return true;
    mem_answer_fail(&op->answer, MEM_ENTITY_TOO_LARGE,
                    "The body is larger than %lld bytes", (long long) max);
    return false;
}

/* Could there be such a version? */
static bool
check_version(struct mem_op *op)
{
    const char *version = mem_request_param(&op->request, "versionId");

    if (version == NULL || mem_version_check(op->service->store, version))
        return true;
    mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                    "Invalid version id specified");
    mem_answer_extra(&op->answer, "ArgumentName", "versionId");
    mem_answer_extra(&op->answer, "ArgumentValue", version);
    return false;
}

/* Is there one where S3 insists on it? */
static bool
check_digest(struct mem_op *op)
{
    if (!op->kind->needs_digest || mem_digest_is_given(&op->request))
        return true;
    mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                    "Missing required header for this request: Content-MD5 "
                    "or an x-amz-checksum header");
    return false;
}

static bool
is_null_upload(const struct mem_op *op)
{
    return op->kind->object_body && mem_store_is_null(op->service->store);
}

static bool
decide(struct mem_op *op, struct mem_signer *signer, time_t now)
{
    struct mem_answer *a = &op->answer;
    struct mem_request *r = &op->request;

    if (mem_request_decode(r) != 0) {
        mem_answer_fail(a, MEM_INVALID_URI, NULL);
        return false;
    }
    if (!mem_auth_check(signer, &op->auth, a, r, &op->service->keys, now))
        return false;
    op->kind = mem_op_route(a, r);
    if (op->kind == NULL || !mem_feature_check(op->service->without, a, r) ||
        !check_version(op) || !check_digest(op) || !begin_chunks(op, signer) ||
        !check_length(op))
        return false;
    /* A null store hashes nothing of an upload. */
    if (!is_null_upload(op) &&
        !mem_digest_begin(&op->digest, a, r, op->length > 0,
                          op->kind->object_body))
        return false;
    if (op->kind->sum_of_object)
        mem_checksum_clear(&op->digest.sum);
    if (op->kind->begin != NULL)
        op->kind->begin(op);
    return a->code == MEM_OK;
}

void
mem_op_begin(struct mem_op *op, struct mem_signer *signer, time_t now)
{
    if (!decide(op, signer, now))
        op->kind = NULL;
}

/* N bytes of content. Returns: 0, or an errno value. */
static int
take(struct mem_op *op, const void *bytes, size_t n)
{
    int err = 0;

    if (op->object != NULL)
        err = mem_object_add(op->object, bytes, n);
    else if (op->kind->xml_body)
        err = buf_add(&op->body, bytes, n);
    return err != 0 ? err : mem_digest_add(&op->digest, bytes, n);
}

/* N bytes of an aws-chunked body. */
static int
take_chunks(struct mem_op *op, const char *bytes, size_t n)
{
    const char *content;
    size_t content_n;
    int err = 0;

    while (n > 0 && err == 0) {
        err = mem_chunks_next(&op->chunks, &content, &content_n, &bytes, &n);
        if (err == 0 && content_n > 0)
            err = take(op, content, content_n);
    }
    return err;
}

/* The body cannot be taken. */
static void
fail_body(struct mem_op *op, int err)
{
    if (err == EMSGSIZE)
        mem_answer_fail(&op->answer, MEM_INCOMPLETE_BODY, NULL);
    else if (op->chunks.in_use && err == EINVAL)
        mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                        "The body's aws-chunked framing is broken");
    else if (op->chunks.in_use && err == EACCES)
        mem_answer_fail(&op->answer, MEM_SIGNATURE_DOES_NOT_MATCH,
                        "The signature of a chunk or of the trailer is not "
                        "the one computed here");
    else
        mem_op_fail_errno(op, err);
    op->kind = NULL;
    /* Now, not when the rest of the body has been dropped. */
    mem_object_drop(op->object);
    op->object = NULL;
}

void
mem_op_body(struct mem_op *op, const void *bytes, size_t n)
{
    int err;

    if (op->kind == NULL)
        return;
    err = op->chunks.in_use ? take_chunks(op, (const char *) bytes, n)
                            : take(op, bytes, n);
    if (err != 0)
        fail_body(op, err);
}

/* Has as much come as was announced? */
static bool
check_complete(struct mem_op *op)
{
    const struct mem_chunks *c = &op->chunks;

    if (!c->in_use ||
        (mem_chunks_complete(c) && c->total == (uint64_t) op->length))
        return true;
    mem_answer_fail(&op->answer, MEM_INCOMPLETE_BODY, NULL);
    return false;
}

void
mem_op_end(struct mem_op *op, const char *request_id)
{
    if (op->kind != NULL && check_complete(op) &&
        (is_null_upload(op) ||
         mem_digest_check(&op->digest, &op->answer, &op->request, &op->chunks)))
        op->kind->end(op);
    mem_answer_finish(&op->answer, op->request.path, request_id);
}
