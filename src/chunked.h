/* SPDX-License-Identifier: MIT */
/*
 * The aws-chunked coding of a body: framed pieces, each signed in a chain
 * that the request's own signature begins, or followed by a checksum in a
 * trailer, or both. The framed body is computed as it is read, at any offset.
 * Source: AWS, "Transferring Payload in Multiple Chunks (Chunked Upload)"
 * and its form with trailing headers, S3 API reference; tested with the
 * vectors in t/data/.
 */
#ifndef S3PERF_CHUNKED_H
#define S3PERF_CHUNKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/evp.h>

#include "buf.h"
#include "checksum.h"
#include "exchange.h"
#include "sigv4.h"

#define CHUNKED_SIZE                                                           \
    65536u /* bytes of the object in each chunk; AWS wants                     \
              8192 at least */
#define CHUNKED_TRAILER CHECKSUM_CRC32C /* where none was chosen */

enum chunked_form {
    CHUNKED_NONE, /* the body as it is */
    CHUNKED_SIGNED,
    CHUNKED_SIGNED_TRAILER,
    CHUNKED_UNSIGNED_TRAILER
};

/* Read "signed", "signed-trailer" or "unsigned-trailer"; false, *OUT
 * untouched, otherwise. */
bool chunked_parse(enum chunked_form *out, const char *name);

/* What x-amz-content-sha256 says. Not for CHUNKED_NONE. */
const char *chunked_payload(enum chunked_form form);

/* Whether a checksum follows the last chunk. */
bool chunked_has_trailer(enum chunked_form form);

/* Bytes of the framed form of LEN bytes: the Content-Length. SUM is the kind
 * of the trailer, not MD5; of a form without one it is not looked at. */
uint64_t chunked_length(enum chunked_form form, enum checksum_kind sum,
                        uint64_t len);

/*
 * Frames the body of one request after another. Memory is constant and is
 * allocated in chunked_init() only: each chunk is read twice, first for its
 * hash and then for its bytes.
 * Threads: one, that of the signer.
 */
struct chunked {
    enum chunked_form form;
    struct sigv4 *signer; /* not owned */
    struct sigv4_scope scope;
    char stamp[CLOCK_AMZ_SIZE];
    char seed[SIGV4_HEX_SIZE]; /* the signature of the request */
    const unsigned char *bytes; /* the body in memory, or NULL: */
    exchange_read_fn *read;
    void *read_ctx;
    uint64_t len;
    int err; /* of OpenSSL: what was read since is worth nothing */

    /* The chunk at hand: head, data and tail, one after the other. */
    uint64_t at; /* where its head begins in the framed body */
    uint64_t data_at, data_len; /* in the body */
    char head[32 + SIGV4_HEX_SIZE];
    char tail[128 + SIGV4_HEX_SIZE];
    size_t head_len, tail_len;
    bool last;
    char signature[SIGV4_HEX_SIZE]; /* of the chunk */
    struct checksum sum; /* of the body to the chunk's end */

    EVP_MD_CTX *digest;
    struct buf to_sign;
};

/* For trailers of kind SUM. Returns: 0 or ENOMEM. */
int chunked_init(struct chunked *c, enum checksum_kind sum);
void chunked_clear(struct chunked *c);

struct chunked_body {
    const void *bytes; /* in memory, or NULL: READ gives it */
    exchange_read_fn *read;
    void *read_ctx;
    uint64_t len;
};

/*
 * Frame BODY from now on. For the signed forms SIGNER and SCOPE are those of
 * the request, and SEED is its signature; the scope's texts but its stamp
 * must live until the last read.
 */
void chunked_start(struct chunked *c, enum chunked_form form,
                   const struct chunked_body *body, struct sigv4 *signer,
                   const struct sigv4_scope *scope, const char *seed);

/* An exchange_read_fn over a struct chunked. Going back costs a new start
 * of the chain. */
void chunked_read(void *chunked, void *out, size_t n, uint64_t offset);

#endif
