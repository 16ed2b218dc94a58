/* SPDX-License-Identifier: MIT */
/*
 * What a body must agree with: x-amz-content-sha256, Content-MD5, and a
 * checksum in a header or a trailer.
 */
#ifndef S3PERF_MEM_DIGEST_H
#define S3PERF_MEM_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#include <openssl/evp.h>

#include "mem_answer.h"
#include "mem_checksum.h"
#include "mem_chunks.h"
#include "mem_request.h"

struct mem_digest {
    EVP_MD_CTX *sha256, *md5; /* running; NULL when not needed */
    struct mem_checksum sum;
    bool sum_in_trailer;
    unsigned char md5_bytes[16]; /* once checked, when md5 is not NULL */
    char sum_text[MEM_CHECKSUM_TEXT]; /* once checked, when there is one */
};

void mem_digest_init(struct mem_digest *d);
void mem_digest_clear(struct mem_digest *d);

/*
 * Start what R asks for. HAS_BODY false: none comes, whose hashes are known.
 * WITH_MD5: also where it is not given, as for an ETag.
 * Returns: false with the error in ANSWER.
 */
bool mem_digest_begin(struct mem_digest *d, struct mem_answer *answer,
                      const struct mem_request *r, bool has_body,
                      bool with_md5);

/* Does R say what its body must agree with, by Content-MD5 or a checksum? */
bool mem_digest_is_given(const struct mem_request *r);

/* Returns: 0 or EIO. */
int mem_digest_add(struct mem_digest *d, const void *bytes, size_t n);

/* The body, and what CHUNKS kept of its trailer, is there: does it agree?
 * Returns: false with the error in ANSWER. */
bool mem_digest_check(struct mem_digest *d, struct mem_answer *answer,
                      const struct mem_request *r,
                      const struct mem_chunks *chunks);

#endif
