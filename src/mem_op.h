/* SPDX-License-Identifier: MIT */
/*
 * One S3 operation from the request's headers over its body to the
 * answer. Knows no sockets: begin, body..., end, in this order, and the
 * answer can be sent.
 * Threads: one operation belongs to one thread at a time.
 */
#ifndef S3PERF_MEM_OP_H
#define S3PERF_MEM_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "mem_answer.h"
#include "mem_auth.h"
#include "mem_chunks.h"
#include "mem_digest.h"
#include "mem_request.h"
#include "mem_store.h"
#include "mem_upload.h"

#define MEM_OBJECT_SIZE_MAX (UINT64_C(5) << 30) /* one PutObject, as AWS */
#define MEM_BODY_XML_MAX ((size_t) 4 << 20)

/* What all operations share. */
struct mem_service {
    struct mem_store *store;
    struct mem_uploads *uploads;
    struct mem_keys keys;
    const char *domain; /* hosts below it are buckets; NULL: "localhost" */
    uint64_t part_min; /* bytes of all parts but the last */
    unsigned without; /* what is not done here: bits of mem_feature.h */
    bool keys_refused; /* SSE-C's, since the connection is not a safe one */
};

struct mem_op;

/* How one kind of operation is done; either function may be NULL. */
struct mem_op_kind {
    /* After the headers: may fail the answer, which ends it there. */
    void (*begin)(struct mem_op *op);
    /* The body is complete, its digests agree: fill the answer. */
    void (*end)(struct mem_op *op);
    bool object_body; /* the body is an object's content */
    bool xml_body; /* the body is XML, kept in `body` */
    bool sum_of_object; /* a checksum header is not about the body */
    bool needs_digest; /* of the body: Content-MD5 or a checksum header */
};

struct mem_op {
    const struct mem_service *service;
    const struct mem_op_kind *kind; /* NULL once the answer is decided */
    struct mem_request request;
    struct mem_answer answer;
    struct mem_auth auth;
    int64_t length; /* of the content; -1 when it is not known */
    bool chunked; /* Transfer-Encoding: chunked */
    struct mem_chunks chunks; /* aws-chunked, when in use */
    struct buf body;
    struct mem_object *object; /* that is being uploaded */
    struct mem_condition condition; /* of a PUT */
    struct mem_bucket bucket; /* as it was when a PUT, or a list, began */
    struct mem_digest digest;
};

void mem_op_init(struct mem_op *op, const struct mem_service *service);

/* Safe twice. */
void mem_op_clear(struct mem_op *op);

/* As clear and init, but memory that most requests need is kept. */
void mem_op_reset(struct mem_op *op);

/*
 * All headers are in op->request, not yet decoded: check and decide.
 * Afterwards op->answer.code tells whether the operation was refused.
 */
void mem_op_begin(struct mem_op *op, struct mem_signer *signer, time_t now);

/* N more bytes of the body; dropped once the operation was refused. */
void mem_op_body(struct mem_op *op, const void *bytes, size_t n);

/* The request is complete: fill op->answer, REQUEST_ID goes into errors. */
void mem_op_end(struct mem_op *op, const char *request_id);

/* Fail OP's answer for an errno value of the store. */
void mem_op_fail_errno(struct mem_op *op, int err);

/* Find what R asks for (mem_route.c); NULL, the ANSWER failed, when it is
 * nothing that is done here. */
const struct mem_op_kind *mem_op_route(struct mem_answer *answer,
                                       const struct mem_request *r);

/* The bucket must be there: op->bucket tells about it.
 * Returns: false with the answer failed. */
bool mem_op_needs_bucket(struct mem_op *op);

/* The object that the request names: the newest version, or the one of its
 * parameter versionId. */
struct mem_name mem_op_name(const struct mem_op *op);
struct mem_name mem_op_version(const struct mem_op *op);

/* Get the object of mem_op_version(), which has to be dropped.
 * Returns: false with the answer failed, also for a delete marker. */
bool mem_op_find(struct mem_op *op, struct mem_found *out);

/* Parameter NAME's value, "" when it is not there. */
const char *mem_op_param(const struct mem_op *op, const char *name);

/* Begin and end an XML document with the element ROOT. */
void mem_op_xml(struct mem_op *op, const char *root);
void mem_op_xml_end(struct mem_op *op, const char *root);

/* <NAME>TEXT</NAME>, TEXT encoded like a form when ENCODE. */
void mem_op_xml_name(struct mem_xml *x, const char *name, const char *text,
                     size_t n, bool encode);
void mem_op_xml_owner(struct mem_xml *x, const char *element);

/* The ETag header of O. */
void mem_op_etag(struct mem_answer *a, const struct mem_object *o);

/* The ETag of O, an upload whose digest is complete, or a null store's. */
void mem_op_set_etag(const struct mem_op *op, struct mem_object *o);

/*
 * Make op->object, of SIZE bytes, with the headers, tags, encryption and lock
 * that the request gives it; or with headers or tags of the objects METAS
 * and TAGS, where those are not NULL (mem_meta.c).
 * Returns: false with the answer failed.
 */
bool mem_op_make(struct mem_op *op, uint64_t size,
                 const struct mem_object *metas, const struct mem_object *tags);

/* The answer's header that names O's version. */
void mem_op_version_header(struct mem_op *op, const char *name,
                           const struct mem_object *o);

/* The answer's headers after O has been put. */
void mem_op_put_headers(struct mem_op *op, const struct mem_object *o);

/* O's storage class. */
const char *mem_op_storage_class(const struct mem_object *o);

/* Check the encryption that the request asks for, and add the headers that
 * O is to keep of it to OUT (mem_sse.c).
 * Returns: false with the answer failed. */
bool mem_op_sse(struct mem_op *op, struct buf *out);

/* Does the request give the key that O needs? SOURCE: the one of a copy's
 * source. Returns: false with the answer failed. */
bool mem_op_sse_read(struct mem_op *op, const struct mem_object *o,
                     bool source);

/* The same for a part of an upload that becomes O. */
bool mem_op_sse_part(struct mem_op *op, const struct mem_object *o);

/* The answer's headers that tell of O's encryption after a PUT. */
void mem_op_sse_headers(struct mem_op *op, const struct mem_object *o);

/* Is O's ETag something else than an MD5, since it is encrypted? */
bool mem_op_sse_etag(const struct mem_object *o);

/* Make the ETag of O, whose content has that MD5. */
void mem_op_md5_etag(struct mem_object *o, const unsigned char md5[16]);

/* Give O the lock that the request asks for (mem_retention.c).
 * Returns: false with the answer failed. */
bool mem_op_lock(struct mem_op *op, struct mem_object *o);

/* The answer's headers that tell of O's lock. */
void mem_op_lock_headers(struct mem_op *op, const struct mem_object *o);

/* Does the request ask that GOVERNANCE does not count? */
bool mem_op_bypass(const struct mem_op *op);

/* The answer's headers that tell of O's checksum, if it has one. */
void mem_op_sum_header(struct mem_answer *a, const struct mem_object *o);

/* The checksum that R asks to be computed; -1: none, -2: an unknown one. */
int mem_op_asked_sum(const struct mem_request *r);

/* Read what must hold for a PUT, and what its bucket is like, into OP
 * (mem_condition.c). Returns: false with the answer failed when it does not
 * hold now. */
bool mem_op_put_condition(struct mem_op *op);

/* Do the conditions of a GET or HEAD hold for O? Returns: false with the
 * answer filled (304) or failed (412). */
bool mem_op_get_condition(struct mem_op *op, const struct mem_object *o);

/* The same of x-amz-copy-source-if-*; always 412. */
bool mem_op_copy_condition(struct mem_op *op, const struct mem_object *o);

/* Read the one range in TEXT for SIZE bytes. Returns: 0; EINVAL when it is
 * none; ERANGE when it lies outside. */
int mem_op_range(uint64_t *offset, uint64_t *length, const char *text,
                 uint64_t size);

/* Give O the tags of x-amz-tagging, if there are any (mem_tag.c).
 * Returns: false with the answer failed. */
bool mem_op_tag(struct mem_op *op, struct mem_object *o);

/* The kinds, file by file. */
extern const struct mem_op_kind mem_list_buckets, mem_create_bucket,
    mem_head_bucket, mem_delete_bucket, mem_get_location, mem_get_acl,
    mem_delete_objects;
extern const struct mem_op_kind mem_get_versioning, mem_put_versioning;
extern const struct mem_op_kind mem_list_objects, mem_list_versions;
extern const struct mem_op_kind mem_put_object, mem_delete_object;
extern const struct mem_op_kind mem_get_object;
extern const struct mem_op_kind mem_append_object;
extern const struct mem_op_kind mem_copy_object, mem_copy_part;
extern const struct mem_op_kind mem_create_upload, mem_upload_part,
    mem_complete_upload, mem_abort_upload, mem_list_parts, mem_list_uploads;
extern const struct mem_op_kind mem_put_tagging, mem_get_tagging,
    mem_delete_tagging, mem_get_bucket_tagging;
extern const struct mem_op_kind mem_put_retention, mem_get_retention,
    mem_put_legal_hold, mem_get_legal_hold, mem_put_lock_rule,
    mem_get_lock_rule;

#endif
