/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the request module share. Private to them.
 */
#ifndef S3PERF_REQUEST_PARTS_H
#define S3PERF_REQUEST_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "request.h"
#include "signer.h"

/* --- what each operation is: request_op.c --- */

struct request_row {
    const char *method;
    const char *query; /* the sub-resource, "uploads"; NULL: none */
    const char *root; /* of the document that is a success; NULL: the answer
                         has none */
    bool key; /* it is about an object, not only about a bucket */
    bool data; /* its body is the caller's */
    bool list; /* its answer is a page of keys: request_list.c */
    bool md5; /* its document is not taken without Content-MD5 */
    unsigned aspects; /* ASPECTS_*: which of them go with it */
    bool upload, part, version; /* which of these its query may name */
    /* Write the document that is its body; NULL: it has none. An empty one
     * is no document. Returns as request_build(). */
    int (*write)(struct buf *xml, const struct request_spec *spec);
};

/* Of operation OP. */
const struct request_row *request_row(enum request_op op);

/* --- the target: request_target.c --- */

/* Write R's target; *QUERY becomes the offset of its query, 0 without. */
int request_build_target(struct request *r, const struct request_spec *spec,
                         bool virtual_host, size_t *query);

/* --- the body: request_body.c --- */

/* Documents. */
int request_write_complete(struct buf *xml, const struct request_spec *spec);
int request_write_delete(struct buf *xml, const struct request_spec *spec);
int request_write_versioning(struct buf *xml, const struct request_spec *spec);
int request_write_release(struct buf *xml, const struct request_spec *spec);
int request_write_location(struct buf *xml, const struct request_spec *spec);

/* Whether the body of SPEC is framed. */
bool request_is_chunked(const struct request_maker *m,
                        const struct request_spec *spec);

/* The kind of the checksum that goes ahead of the body of SPEC. */
enum checksum_kind request_sum(const struct request_service *s,
                               const struct request_spec *spec);

/* What M signs SPEC with. */
void request_keys(struct signer_keys *keys, const struct request_maker *m,
                  const struct request_spec *spec);

/* Give R's exchange its body. Returns: as request_build(). */
int request_build_body(struct request *r, const struct request_maker *m,
                       const struct request_spec *spec);

/* After R is signed: the chain of frames begins with that signature. */
void request_start_frames(struct request *r, struct request_maker *m,
                          const struct request_spec *spec);

/* --- the headers: request_headers.c --- */

/* Headers on their way: lines are offsets while the buffer may still move. */
struct request_headers {
    struct request *r;
    struct {
        const char *name;
        size_t line, value; /* offsets into r->lines */
        bool sign;
    } items[EXCHANGE_HEADERS_MAX];
    size_t count;
    int err; /* the first that went wrong: the rest is left out */
};

/* Write and sign the header lines. QUERY is where the target's query
 * begins, 0 without one. */
int request_build_headers(struct request_headers *l, struct request_maker *m,
                          const struct request_spec *spec, bool virtual_host,
                          size_t query);

/* --- checksums that come back: request_verify.c --- */

/* Whether what SPEC reads is compared with the checksum of S: no part of an
 * object has one. */
bool request_is_verified(const struct request_service *s,
                         const struct request_spec *spec);

/* A request begins. Returns: 0, ENOMEM. */
int request_expect_sum(struct request *r, const struct request_service *s,
                       const struct request_spec *spec);
void request_clear_sum(struct request *r);

/* A header has come, or N bytes of the object. */
void request_take_sum(struct request *r, const char *name, size_t name_len,
                      const char *value, size_t value_len);
void request_add_sum(struct request *r, const void *bytes, size_t n);

/* All has come: whether it is something else than the server says. O is told
 * then. */
bool request_has_wrong_sum(struct request *r, struct request_outcome *o);

/* --- the answer on its way in: request_answer.c, request_list.c --- */

/* Make R ready for the answer to SPEC of S. Returns: 0, ENOMEM. */
int request_expect_answer(struct request *r, const struct request_service *s,
                          const struct request_spec *spec);

/* The buffers of a page's names. */
void request_init_list(struct request *r);

/* A page begins. */
void request_begin_list(struct request *r, const struct request_spec *spec);

/* An answer's on_entry, over a request. */
void request_on_entry(void *ctx, const struct answer_entry *entry);

/* The page has ended: hand on what was held.
 * Returns: 0, EINVAL when names are badly encoded, or a buffer's errno
 *          value. */
int request_finish_list(struct request *r);

#endif
