/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_digest.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include <openssl/crypto.h>

#define MD5_LEN 16
#define MD5_BASE64_LEN 24

void
mem_digest_init(struct mem_digest *d)
{
    d->sha256 = d->md5 = NULL;
    mem_checksum_init(&d->sum);
    d->sum_in_trailer = false;
    d->sum_text[0] = '\0';
}

void
mem_digest_clear(struct mem_digest *d)
{
    EVP_MD_CTX_free(d->sha256);
    EVP_MD_CTX_free(d->md5);
    mem_checksum_clear(&d->sum);
    mem_digest_init(d);
}

static bool
is_hash(const char *text)
{
    size_t n = strspn(text, "0123456789abcdefABCDEF");

    return n == SIGV4_HEX_SIZE - 1 && text[n] == '\0';
}

static bool
begin_one(EVP_MD_CTX **out, struct mem_answer *answer, const EVP_MD *md)
{
    *out = EVP_MD_CTX_new();
    if (*out != NULL && EVP_DigestInit_ex2(*out, md, NULL))
        return true;
    mem_answer_fail(answer, MEM_INTERNAL_ERROR, NULL);
    return false;
}

/* Look at x-amz-content-sha256, if there is one. */
static bool
begin_sha256(struct mem_digest *d, struct mem_answer *answer,
             const struct mem_request *r, bool has_body)
{
    const char *hash = mem_request_find(r, "x-amz-content-sha256");

    if (hash == NULL || strcmp(hash, SIGV4_UNSIGNED) == 0 ||
        mem_chunks_is_kind(hash))
        return true;
    if (!is_hash(hash)) {
        mem_answer_fail(answer, MEM_INVALID_ARGUMENT,
                        "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a "
                        "SHA-256 in hex or a STREAMING- value that is known");
        return false;
    }
    return !has_body || begin_one(&d->sha256, answer, EVP_sha256());
}

/* Read Content-MD5 into OUT. */
static bool
read_md5(unsigned char out[MD5_LEN], const char *base64)
{
    unsigned char bytes[MD5_BASE64_LEN / 4 * 3];

    if (strlen(base64) != MD5_BASE64_LEN ||
        strcmp(base64 + MD5_BASE64_LEN - 2, "==") != 0 ||
        EVP_DecodeBlock(bytes, (const unsigned char *) base64,
                        MD5_BASE64_LEN) != (int) sizeof(bytes))
        return false;
    memcpy(out, bytes, MD5_LEN);
    return true;
}

static bool
begin_md5(struct mem_digest *d, struct mem_answer *answer,
          const struct mem_request *r, bool with_md5)
{
    const char *given = mem_request_find(r, "content-md5");
    unsigned char wanted[MD5_LEN];

    if (given != NULL && !read_md5(wanted, given)) {
        mem_answer_fail(answer, MEM_INVALID_DIGEST, NULL);
        return false;
    }
    return (given == NULL && !with_md5) ||
           begin_one(&d->md5, answer, EVP_md5());
}

/* Which checksum comes, -1 for none; -2 for several. */
static int
find_sum(const struct mem_request *r, bool *in_trailer)
{
    int kind = -1;

    for (size_t i = 0; i < r->header_count; i++) {
        const struct sigv4_header *h = &r->headers[i];
        bool trailer = strcasecmp(h->name, "x-amz-trailer") == 0;
        int found = mem_checksum_by_header(trailer ? h->value : h->name);

        if (found < 0)
            continue;
        if (kind >= 0)
            return -2;
        kind = found;
        *in_trailer = trailer;
    }
    return kind;
}

static bool
begin_sum(struct mem_digest *d, struct mem_answer *answer,
          const struct mem_request *r)
{
    const char *named = mem_request_find(r, "x-amz-sdk-checksum-algorithm");
    int kind = find_sum(r, &d->sum_in_trailer);

    if (kind == -2) {
        mem_answer_fail(answer, MEM_INVALID_REQUEST,
                        "Expecting a single x-amz-checksum- header");
        return false;
    }
    if (named != NULL &&
        (kind < 0 || strcasecmp(named, mem_checksum_name(kind)) != 0)) {
        mem_answer_fail(answer, MEM_INVALID_REQUEST,
                        "x-amz-sdk-checksum-algorithm is there, but no "
                        "x-amz-checksum- or x-amz-trailer header for it");
        return false;
    }
    if (kind < 0 || mem_checksum_begin(&d->sum, kind) == 0)
        return true;
    mem_answer_fail(answer, MEM_INTERNAL_ERROR, NULL);
    return false;
}

bool
mem_digest_begin(struct mem_digest *d, struct mem_answer *answer,
                 const struct mem_request *r, bool has_body, bool with_md5)
{
    return begin_sha256(d, answer, r, has_body) &&
           begin_md5(d, answer, r, with_md5) && begin_sum(d, answer, r);
}

bool
mem_digest_is_given(const struct mem_request *r)
{
    bool in_trailer;

    return mem_request_find(r, "content-md5") != NULL ||
           find_sum(r, &in_trailer) != -1;
}

int
mem_digest_add(struct mem_digest *d, const void *bytes, size_t n)
{
    if (d->sha256 != NULL && !EVP_DigestUpdate(d->sha256, bytes, n))
        return EIO;
    if (d->md5 != NULL && !EVP_DigestUpdate(d->md5, bytes, n))
        return EIO;
    return mem_checksum_add(&d->sum, bytes, n);
}

static bool
check_sha256(struct mem_digest *d, struct mem_answer *answer,
             const struct mem_request *r)
{
    const char *hash = mem_request_find(r, "x-amz-content-sha256");
    unsigned char digest[EVP_MAX_MD_SIZE];
    char hex[SIGV4_HEX_SIZE] = SIGV4_EMPTY_HASH;

    if (hash == NULL || !is_hash(hash))
        return true;
    if (d->sha256 != NULL) {
        EVP_DigestFinal_ex(d->sha256, digest, NULL);
        sigv4_hex(hex, digest, (SIGV4_HEX_SIZE - 1) / 2);
    }
    if (strcasecmp(hex, hash) == 0)
        return true;
    mem_answer_fail(answer, MEM_SHA256_MISMATCH, NULL);
    mem_answer_extra(answer, "ClientComputedContentSHA256", hash);
    mem_answer_extra(answer, "S3ComputedContentSHA256", hex);
    return false;
}

static bool
check_md5(struct mem_digest *d, struct mem_answer *answer,
          const struct mem_request *r)
{
    const char *given = mem_request_find(r, "content-md5");
    unsigned char wanted[MD5_LEN];

    if (d->md5 == NULL)
        return true;
    EVP_DigestFinal_ex(d->md5, d->md5_bytes, NULL);
    if (given == NULL || !read_md5(wanted, given) ||
        CRYPTO_memcmp(wanted, d->md5_bytes, MD5_LEN) == 0)
        return true;
    mem_answer_fail(answer, MEM_BAD_DIGEST, NULL);
    return false;
}

static bool
check_sum(struct mem_digest *d, struct mem_answer *answer,
          const struct mem_request *r, const struct mem_chunks *chunks)
{
    int kind = d->sum.kind;
    const char *wanted;

    if (kind < 0)
        return true;
    wanted = mem_request_find(r, mem_checksum_header(kind));
    if (d->sum_in_trailer)
        wanted = chunks->in_use && strcasecmp(chunks->name,
                                              mem_checksum_header(kind)) == 0
                     ? chunks->value
                     : NULL;
    mem_checksum_end(&d->sum, d->sum_text);
    if (wanted == NULL || strlen(wanted) != mem_checksum_text_len(kind))
        mem_answer_fail(answer, MEM_INVALID_REQUEST,
                        "Value for %s header is invalid",
                        mem_checksum_header(kind));
    else if (strcmp(wanted, d->sum_text) != 0)
        mem_answer_fail(answer, MEM_BAD_DIGEST,
                        "The %s you specified did not match the calculated "
                        "checksum",
                        mem_checksum_name(kind));
    else
        return true;
    return false;
}

bool
mem_digest_check(struct mem_digest *d, struct mem_answer *answer,
                 const struct mem_request *r, const struct mem_chunks *chunks)
{
    return check_sha256(d, answer, r) && check_md5(d, answer, r) &&
           check_sum(d, answer, r, chunks);
}
