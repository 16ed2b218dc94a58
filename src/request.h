/* SPDX-License-Identifier: MIT */
/*
 * One signed S3 exchange as plain data, and what its answer means. Knows
 * nothing of libcurl, loops over nothing, hides no retry.
 * Source: AWS S3 API reference.
 */
#ifndef S3PERF_REQUEST_H
#define S3PERF_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "answer.h"
#include "aspects.h"
#include "buf.h"
#include "checksum.h"
#include "chunked.h"
#include "clock.h"
#include "credentials.h"
#include "endpoint.h"
#include "exchange.h"
#include "signer.h"

#define REQUEST_BATCH_MAX 1000 /* keys in one DeleteObjects */

enum request_op {
    REQUEST_LIST_BUCKETS,
    REQUEST_CREATE_BUCKET,
    REQUEST_SET_VERSIONING, /* on */
    REQUEST_HEAD_BUCKET,
    REQUEST_DELETE_BUCKET,
    REQUEST_LIST, /* one page of ListObjectsV2, or of the first form */
    REQUEST_LIST_VERSIONS, /* one page of all versions */
    REQUEST_PUT,
    REQUEST_COPY,
    REQUEST_CREATE_UPLOAD, /* of an object in parts */
    REQUEST_UPLOAD_PART,
    REQUEST_COMPLETE_UPLOAD,
    REQUEST_ABORT_UPLOAD,
    REQUEST_GET,
    REQUEST_HEAD,
    REQUEST_DELETE,
    REQUEST_RELEASE, /* from legal hold */
    REQUEST_DELETE_MANY,
    REQUEST_OPS
};

/* Whether OP asks for a page of keys or buckets. */
bool request_is_listing(enum request_op op);

struct request_header {
    const char *name, *value;
};

/* The service as a run sees it. Nothing is owned; shared by all lanes and
 * never changed while one is at work. */
struct request_service {
    struct endpoint endpoint;
    enum addressing addressing;
    const struct credentials *creds;
    const char *region;
    const struct signer_ops *signer; /* NULL: version 4 */
    bool sign_payload; /* else UNSIGNED-PAYLOAD */
    enum chunked_form chunked; /* of objects that are put */
    enum checksum_kind checksum; /* that goes along with them, and is compared
                                    when they are read */
    const struct request_header *headers; /* the user's own */
    size_t header_count;
    const char *user_agent;
    /* --trace-signing; NULL: silent. Threads: called by any. */
    void (*on_signed)(const struct signer_result *result);
};

/* Whether the user may set the header NAME. SENT: the request will be sent,
 * so what describes its body is not the user's either.
 * Returns: NULL, or a static text that says why not. */
const char *request_header_refused(const char *name, bool sent);

/* How S signs bodies that are put: "signed", "unsigned", "chunked-FORM", or
 * "none" where the version of the signature cannot. A static text. */
const char *request_payload_name(const struct request_service *s);

/* The kind of the checksum that follows bodies that are put. */
enum checksum_kind request_trailer(const struct request_service *s);

/* Makes requests: the signer and its caches. One per thread. */
struct request_maker {
    const struct request_service *service;
    struct signer signer; /* with the texts of the last request made */
    time_t wall; /* what the two below say */
    char stamp[CLOCK_AMZ_SIZE];
    char date[SIGNER_DATE_SIZE]; /* as the header has it */
};

int request_maker_init(struct request_maker *m,
                       const struct request_service *service);
void request_maker_clear(struct request_maker *m);

/* The object that is copied. */
struct request_source {
    const char *bucket, *key;
    const char *version; /* NULL: the newest */
};

/* A part of an object that is to be completed. */
struct request_part {
    uint32_t number; /* from 1, ascending */
    const char *etag; /* as the part was answered */
    const char *checksum; /* in base64; NULL: none was sent along */
};

/* What to do. Nothing is owned; all must live until the exchange ends. */
struct request_spec {
    enum request_op op;
    const char *region; /* NULL: the service's */
    const struct endpoint *endpoint; /* NULL: the service's */
    const char *address; /* of it, to connect to; NULL: look its name up */
    const char *bucket; /* "" for the service */
    const char *key; /* "" for none */
    /* put: the body, in memory or read piecemeal, and its hex SHA-256
     * (needed when payloads are signed) */
    const void *body;
    exchange_read_fn *read;
    void *read_ctx;
    uint64_t body_len;
    const char *body_hash;
    const char *body_sum; /* its checksum in base64, where the service has one
                             in a header */
    /* get: where the object's bytes go (NULL: nowhere), and how many there
     * must be (UINT64_MAX: as many as the answer promises); head: how many
     * the answer must promise */
    bool (*on_data)(void *ctx, const void *bytes, size_t n);
    void *ctx;
    uint64_t expect_len;
    /* get: only so many bytes, from this one on; 0: all. Others make it a
     * failure, so expect_len is not looked at then. */
    uint64_t range_offset, range_len;
    /* put: add to the object, which has so many bytes */
    bool append;
    uint64_t append_offset;
    /* get, head, delete: which version; NULL or "": the newest */
    const char *version_id;
    struct request_source source; /* copy */
    /* list; NULL or "" leaves a parameter out */
    const char *prefix, *delimiter;
    const char *token; /* where to go on: what request_next_page() gave */
    bool list_v1; /* the first form, with markers */
    bool encode; /* ask for encoding-type=url; entries are given decoded */
    uint32_t max_keys; /* 0: the server's default */
    void (*on_entry)(void *ctx, const struct answer_entry *entry);
    /* create: LocationConstraint; NULL or "" for none; whether the worker is
     * to set versioning then */
    const char *location;
    bool versioned;
    /* part, complete, abort: what create was answered */
    const char *upload_id;
    /* part, from 1; get and head of what was uploaded as that part, or 0 */
    uint32_t part_number;
    /* complete, with the kind that the parts' checksums are of */
    const struct request_part *parts;
    size_t part_count;
    enum checksum_kind checksum_kind;
    const struct aspects *aspects; /* of objects; NULL: none */
    /* delete many; `versions`: NULL, or one for each key, "" for none */
    const char *const *keys, *const *versions;
    size_t key_count;
};

/* The comparison of what comes with the checksum that the server says. */
struct request_check {
    bool wanted;
    bool ready; /* `sum` is initialised */
    bool done; /* it was compared */
    char text[CHECKSUM_TEXT_SIZE]; /* the server's; "" for none */
    struct checksum sum;
    int64_t took_ns;
};

/* A lane's request: texts, the exchange, and what came back. */
struct request {
    struct exchange x;
    enum request_op op;
    struct buf host; /* to connect to */
    struct buf target;
    struct buf lines; /* all header lines, one after another */
    struct buf xml; /* a body that the request itself writes */
    struct buf source; /* of a copy */
    struct chunked chunked; /* a put's body, framed */
    bool chunked_ready; /* initialised */
    struct answer answer; /* list pages, delete results, errors */
    bool answer_ready; /* initialised */
    bool document; /* a success answers with XML */
    char failed_code[64]; /* of the first key that could not be deleted */
    char failed_message[256]; /* with its name in front */
    uint64_t expect_len;
    uint64_t range_offset, range_len;
    uint64_t append_len; /* of the object afterwards, that the answer has to
                            say; 0: nothing */
    struct request_check check;
    bool (*on_data)(void *ctx, const void *bytes, size_t n);
    void *ctx;
    /* a page of a listing: see request_list.c */
    void (*on_entry)(void *ctx, const struct answer_entry *entry);
    bool list_v1, encode;
    int list_err; /* 0, or why its names could not be read */
    struct buf held; /* entries that may have to be decoded */
    struct buf name; /* the last one that was */
    struct buf last[2]; /* the last key and the last prefix */
    /* headers of the answer, "" without one */
    char request_id[64]; /* x-amz-request-id */
    char etag[160]; /* as sent, with its quotes */
    char version_id[ANSWER_TEXT_MAX]; /* x-amz-version-id */
    char content_range[80];
    char object_size[24]; /* x-amz-object-size */
    /* these only of failures */
    char retry_after[40];
    char region[64]; /* x-amz-bucket-region */
    char location[1024];
    char date[40];
    char age[16];
};

/* Allocates the texts, so that a usual request allocates nothing. */
int request_init(struct request *r);
void request_clear(struct request *r);

/*
 * Make R the request for SPEC, signed for WALL.
 * Returns: 0; E2BIG for too many headers; EINVAL for keys that XML 1.0
 *          cannot carry; ENOMEM, EMSGSIZE of a buffer; EIO of OpenSSL.
 */
int request_build(struct request *r, struct request_maker *m,
                  const struct request_spec *spec, time_t wall);

struct request_outcome {
    bool ok; /* succeeded and all bytes are there */
    int status;
    const char *code; /* S3's code, "" when none */
    const char *transport; /* exchange_error_name(), NULL when none */
    char message[256]; /* one line, "" when none */
};

/* Say what R's ended exchange means. CODE lives as long as R's answer. */
void request_judge(struct request *r, struct request_outcome *o);

/*
 * Where a listing goes on after R's page, which was judged well: a token,
 * or a marker; valid until R's next exchange.
 * Returns: NULL at its end; "" when the server does not say.
 */
const char *request_next_page(struct request *r);

/* Overwrite what must not be shown in a header LINE: signatures, tokens,
 * customers' keys, cookies; as often as they come. */
void request_mask(char *line);

#endif
