/* SPDX-License-Identifier: MIT */
/*
 * Takes the framing of an aws-chunked body away and checks what it says:
 * sizes, the signature of each chunk, and the trailer's.
 * Source: AWS S3 API reference, "Signature Calculations for the
 * Authorization Header: Transferring Payload in Multiple Chunks".
 */
#ifndef S3PERF_MEM_CHUNKS_H
#define S3PERF_MEM_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/evp.h>

#include "mem_auth.h"

#define MEM_CHUNK_LINE_MAX 1024 /* a chunk's head, or a line of a trailer */

struct mem_chunks {
    bool in_use, is_signed, has_trailer;
    struct mem_signer *signer; /* of the thread that the body comes on */
    const struct mem_keys *keys;
    const struct mem_auth *auth;
    EVP_MD_CTX *digest; /* of the chunk, when it is signed */
    char previous[SIGV4_HEX_SIZE]; /* the signature before */
    char wanted[SIGV4_HEX_SIZE]; /* of the chunk that is open */
    enum { HEAD, DATA, DATA_END, TRAILER, DONE } state;
    uint64_t left; /* bytes of the open chunk */
    bool last; /* the open chunk has none */
    uint64_t total; /* bytes of all chunks */
    char line[MEM_CHUNK_LINE_MAX];
    size_t line_len;
    bool trailer_signed;
    char name[64], value[128]; /* the trailer's line; "" without */
};

void mem_chunks_init(struct mem_chunks *c);
void mem_chunks_clear(struct mem_chunks *c);

/* Is HASH, a x-amz-content-sha256, that of such a body, and known here? */
bool mem_chunks_is_kind(const char *hash);

/* Begin for a body of that kind. SIGNER, KEYS and AUTH must outlive C.
 * Returns: 0, ENOMEM, EIO. */
int mem_chunks_begin(struct mem_chunks *c, const char *hash,
                     struct mem_signer *signer, const struct mem_keys *keys,
                     const struct mem_auth *auth);

/*
 * Take from the N bytes at *IN, which move on, until some of them are
 * content: *OUT_N of them at *OUT. None, when all of IN is used up.
 * Returns: 0, EINVAL for what is no such framing, EACCES for a signature
 *          that differs, EIO.
 */
int mem_chunks_next(struct mem_chunks *c, const char **out, size_t *out_n,
                    const char **in, size_t *n);

/* Has all of it come? */
bool mem_chunks_complete(const struct mem_chunks *c);

#endif
