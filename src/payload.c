/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "payload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/sha.h>

#include "sigv4.h"

#define BLOCK 16u /* AES block */
#define PIECE 16384u /* made at a time when the bytes are only looked at */

struct payload {
    EVP_CIPHER_CTX *cipher;
    EVP_MD_CTX *digest;
    unsigned char piece[PIECE];
};

static const unsigned char zeros[PIECE];

static void
store_be64(unsigned char *out, uint64_t value)
{
    for (int i = 7; i >= 0; i--) {
        out[i] = (unsigned char) value;
        value >>= 8;
    }
}

int
payload_new(struct payload **out, uint64_t seed)
{
    static const char label[] = "s3perf payload 1";
    unsigned char text[sizeof label - 1 + 8], hash[SHA256_DIGEST_LENGTH];
    struct payload *p = calloc(1, sizeof *p);
    int err = ENOMEM;

    if (p == NULL)
        return ENOMEM;
    p->cipher = EVP_CIPHER_CTX_new();
    p->digest = EVP_MD_CTX_new();
    if (p->cipher == NULL || p->digest == NULL)
        goto done;
    memcpy(text, label, sizeof label - 1);
    store_be64(text + sizeof label - 1, seed);
    SHA256(text, sizeof text, hash);
    err = EIO;
    if (EVP_EncryptInit_ex(p->cipher, EVP_aes_128_ctr(), NULL, hash, NULL) != 1)
        goto done;
    err = 0;
    *out = p;
done:
    if (err != 0)
        payload_free(p);
    return err;
}

void
payload_free(struct payload *p)
{
    if (p == NULL)
        return;
    EVP_CIPHER_CTX_free(p->cipher);
    EVP_MD_CTX_free(p->digest);
    free(p);
}

uint64_t
payload_object(const char *key, size_t len)
{
    unsigned char hash[SHA256_DIGEST_LENGTH];
    uint64_t object = 0;

    SHA256((const unsigned char *) key, len, hash);
    for (int i = 0; i < 8; i++)
        object = object << 8 | hash[i];
    return object;
}

/* Put the cipher to OFFSET of OBJECT, also in the midst of a block. */
static void
seek(struct payload *p, uint64_t object, uint64_t offset)
{
    unsigned char iv[BLOCK], skipped[BLOCK];
    int n, skip = (int) (offset % BLOCK);

    store_be64(iv, object);
    store_be64(iv + 8, offset / BLOCK);
    EVP_EncryptInit_ex(p->cipher, NULL, NULL, NULL, iv);
    if (skip > 0)
        EVP_EncryptUpdate(p->cipher, skipped, &n, zeros, skip);
}

static void
next(struct payload *p, unsigned char *out, size_t n)
{
    while (n > 0) {
        size_t piece = n < PIECE ? n : PIECE;
        int made;

        EVP_EncryptUpdate(p->cipher, out, &made, zeros, (int) piece);
        out += piece;
        n -= piece;
    }
}

void
payload_fill(struct payload *p, uint64_t object, uint64_t offset, void *out,
             size_t n)
{
    seek(p, object, offset);
    next(p, out, n);
}

/* Index of the first byte in which A and B differ; N when none does. */
static size_t
first_difference(const unsigned char *a, const unsigned char *b, size_t n)
{
    size_t i = 0;

    if (memcmp(a, b, n) == 0)
        return n;
    while (a[i] == b[i])
        i++;
    return i;
}

size_t
payload_match(struct payload *p, uint64_t object, uint64_t offset,
              const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    size_t done = 0;

    seek(p, object, offset);
    while (done < n) {
        size_t piece = n - done < PIECE ? n - done : PIECE;
        size_t same;

        next(p, p->piece, piece);
        same = first_difference(p->piece, at + done, piece);
        done += same;
        if (same < piece)
            break;
    }
    return done;
}

void
payload_hash(struct payload *p, uint64_t object, uint64_t size,
             char out[PAYLOAD_HASH_SIZE])
{
    unsigned char hash[SHA256_DIGEST_LENGTH];

    seek(p, object, 0);
    EVP_DigestInit_ex(p->digest, EVP_sha256(), NULL);
    while (size > 0) {
        size_t piece = size < PIECE ? (size_t) size : PIECE;

        next(p, p->piece, piece);
        EVP_DigestUpdate(p->digest, p->piece, piece);
        size -= piece;
    }
    EVP_DigestFinal_ex(p->digest, hash, NULL);
    sigv4_hex(out, hash, sizeof hash);
}
