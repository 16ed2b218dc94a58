/* SPDX-License-Identifier: MIT */
/*
 * What a server's answer says: S3's XML documents, read with expat as they
 * arrive, with bounded memory. Any namespace or prefix; unknown elements
 * are skipped; a DTD, HTML, a cut-off or an endless document does no harm.
 * Names come as the server wrote them: encoding-type=url is not undone.
 * Source: AWS S3 API reference; s3 servers' habits in doc/servers.md.
 */
#ifndef S3PERF_ANSWER_H
#define S3PERF_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

#define ANSWER_TEXT_MAX 512 /* longer texts are cut */
#define ANSWER_KEY_MAX 4096 /* an encoded key of 1024 bytes fits */
#define ANSWER_VERSION_MAX 1280 /* an id has at most 1024 bytes */

/* One entry of a listing. Texts live only during the call. */
struct answer_entry {
    enum {
        ANSWER_BUCKET,
        ANSWER_OBJECT,
        ANSWER_PREFIX,
        ANSWER_DELETE_MARKER /* a version that says: it is gone */
    } kind;
    const char *name; /* bucket, key or common prefix */
    uint64_t size; /* objects only */
    const char *modified; /* as sent; "" when missing */
    const char *etag; /* quotes stripped; "" when missing */
    const char *version; /* of a listing of versions; "" otherwise */
    bool latest; /* likewise: the one that counts */
};

/* A key that DeleteObjects could not remove. Texts live during the call. */
struct answer_failed_key {
    const char *key, *code, *message; /* "" when missing */
};

struct answer {
    /* set by the caller after answer_init(), before the first feed */
    void (*on_entry)(void *ctx, const struct answer_entry *entry);
    void (*on_failed_key)(void *ctx, const struct answer_failed_key *key);
    void *ctx;

    /* results, valid after answer_finish() */
    char root[64]; /* local name of the document element, "" without one */
    bool complete; /* well-formed up to its end, nothing had to be cut that
                      must be whole (names, tokens) */
    struct {
        char code[ANSWER_TEXT_MAX], message[ANSWER_TEXT_MAX],
            request_id[ANSWER_TEXT_MAX], region[ANSWER_TEXT_MAX],
            endpoint[ANSWER_TEXT_MAX], server_time[ANSWER_TEXT_MAX];
    } error; /* of an <Error> document; all "" otherwise */
    bool truncated; /* IsTruncated */
    struct buf next_token; /* NextContinuationToken, as text */
    struct buf next_marker; /* NextMarker or NextKeyMarker, as the server
                               wrote it */
    struct buf next_version; /* NextVersionIdMarker */
    bool encoded; /* EncodingType is url */
    uint64_t entries; /* objects, prefixes and buckets seen */
    uint64_t deleted; /* <Deleted> of a DeleteResult */
    uint64_t failed_keys; /* <Error> of a DeleteResult */
    char location[ANSWER_TEXT_MAX]; /* LocationConstraint */
    char etag[ANSWER_TEXT_MAX]; /* of a Copy or Complete result */
    char upload_id[ANSWER_TEXT_MAX]; /* of an InitiateMultipartUploadResult */

    struct answer_parser *parser; /* private */
};

/* Returns: 0 or ENOMEM. Pair with answer_clear(); safe twice. */
int answer_init(struct answer *a);
void answer_clear(struct answer *a);

/* Forget the last document, keep memory and callbacks. Returns 0/ENOMEM. */
int answer_reset(struct answer *a);

/* Feed N bytes as they arrive. After a syntax error further bytes are
 * ignored, so this never fails. */
void answer_feed(struct answer *a, const void *bytes, size_t n);

/* No more bytes will come. */
void answer_finish(struct answer *a);

/*
 * The code to report for STATUS (an HTTP status of 300 or more, or an
 * Error in a 200) of an operation on a KEY or only a bucket: the
 * document's own, else one that depends on the status alone: 301
 * PermanentRedirect, 304 NotModified, 307 TemporaryRedirect, 400
 * BadRequest, 403 AccessDenied, 404 NoSuchKey (KEY) or NoSuchBucket, 405
 * MethodNotAllowed, 408 RequestTimeout, 409 Conflict, 411
 * MissingContentLength, 412 PreconditionFailed, 416 InvalidRange, 429
 * TooManyRequests, 500 InternalError, 501 NotImplemented, 502 BadGateway,
 * 503 SlowDown, 504 GatewayTimeout, 507 InsufficientStorage, and
 * "HTTP599" for all others. *DERIVED says which of the two.
 * Returns: a text that lives as long as A; never "".
 */
const char *answer_code(const struct answer *a, int status, bool key,
                        bool *derived);

#endif
