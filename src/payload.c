/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "payload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/sha.h>

#include "payload_text.h"
#include "sigv4.h"

#define BLOCK 16u /* AES block */
#define PIECE 16384u /* made at a time when the bytes are only looked at */

/* Compressible content is made of these: keystream first, then zeros. Small,
 * so that the share also holds for small objects; each has some keystream,
 * so that no two blocks are alike. */
#define CELL 512u
#define CELL_MIN 2u

struct payload {
    struct payload_style style;
    EVP_CIPHER_CTX *cipher;
    EVP_MD_CTX *digest;
    uint64_t object, at; /* what next() makes */
    uint32_t dense; /* bytes of keystream in each cell */
    bool has_text; /* `text` holds block TEXT_BLOCK of TEXT_OBJECT */
    uint64_t text_object, text_block;
    char text[PAYLOAD_TEXT_ROOM];
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

bool
payload_parse_form(enum payload_form *out, const char *name)
{
    static const struct {
        const char *name;
        enum payload_form form;
    } forms[] = {{"random", PAYLOAD_RANDOM},
                 {"zero", PAYLOAD_ZERO},
                 {"text", PAYLOAD_TEXT}};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(name, forms[i].name) != 0)
            continue;
        *out = forms[i].form;
        return true;
    }
    return false;
}

bool
payload_is_alike(const struct payload_style *style)
{
    return style->form == PAYLOAD_ZERO || style->form == PAYLOAD_REPEAT;
}

int
payload_new(struct payload **out, const struct payload_style *style,
            uint64_t seed)
{
    static const char label[] = "s3perf payload 1";
    unsigned char text[sizeof label - 1 + 8], hash[SHA256_DIGEST_LENGTH];
    struct payload *p = calloc(1, sizeof *p);
    int err = ENOMEM;

    if (p == NULL)
        return ENOMEM;
    p->style = *style;
    p->dense = CELL - CELL * style->percent / 100;
    if (p->dense < CELL_MIN)
        p->dense = CELL_MIN;
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

/* Put the cipher to OFFSET of OBJECT's keystream, also in mid-block. */
static void
seek_keystream(struct payload *p, uint64_t object, uint64_t offset)
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
seek(struct payload *p, uint64_t object, uint64_t offset)
{
    uint64_t within = offset % CELL;

    p->object = object;
    p->at = offset;
    if (p->style.form == PAYLOAD_RANDOM)
        seek_keystream(p, object,
                       offset / CELL * p->dense +
                           (within < p->dense ? within : p->dense));
}

static void
add_keystream(struct payload *p, unsigned char *out, size_t n)
{
    while (n > 0) {
        size_t piece = n < PIECE ? n : PIECE;
        int made;

        EVP_EncryptUpdate(p->cipher, out, &made, zeros, (int) piece);
        out += piece;
        n -= piece;
    }
}

/* Keystream and zeros in turn. */
static void
add_cells(struct payload *p, unsigned char *out, size_t n)
{
    uint64_t at = p->at;

    while (n > 0) {
        size_t within = (size_t) (at % CELL), piece;

        if (within < p->dense) {
            piece = p->dense - within < n ? p->dense - within : n;
            add_keystream(p, out, piece);
        } else {
            piece = CELL - within < n ? CELL - within : n;
            memset(out, 0, piece);
        }
        out += piece;
        at += piece;
        n -= piece;
    }
}

static void
add_text(struct payload *p, unsigned char *out, size_t n)
{
    unsigned char choice[PAYLOAD_TEXT_CHOICES];
    uint64_t at = p->at;

    while (n > 0) {
        uint64_t block = at / PAYLOAD_TEXT_BLOCK;
        size_t within = (size_t) (at % PAYLOAD_TEXT_BLOCK);
        size_t left = PAYLOAD_TEXT_BLOCK - within, piece = left < n ? left : n;

        if (!p->has_text || p->text_block != block ||
            p->text_object != p->object) {
            seek_keystream(p, p->object, block * sizeof choice);
            add_keystream(p, choice, sizeof choice);
            payload_text_make(p->text, choice);
            p->has_text = true;
            p->text_object = p->object;
            p->text_block = block;
        }
        memcpy(out, p->text + within, piece);
        out += piece;
        at += piece;
        n -= piece;
    }
}

static void
add_repeated(const struct payload *p, unsigned char *out, size_t n)
{
    uint64_t at = p->at % p->style.len;

    while (n > 0) {
        uint64_t left = p->style.len - at;
        size_t piece = left < n ? (size_t) left : n;

        memcpy(out, p->style.bytes + at, piece);
        out += piece;
        n -= piece;
        at = 0;
    }
}

/* Make the next N bytes. */
static void
next(struct payload *p, unsigned char *out, size_t n)
{
    switch (p->style.form) {
    case PAYLOAD_RANDOM:
        if (p->dense == CELL)
            add_keystream(p, out, n);
        else
            add_cells(p, out, n);
        break;
    case PAYLOAD_ZERO:
        memset(out, 0, n);
        break;
    case PAYLOAD_TEXT:
        add_text(p, out, n);
        break;
    case PAYLOAD_REPEAT:
        add_repeated(p, out, n);
        break;
    }
    p->at += n;
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
payload_hash(struct payload *p, uint64_t object, uint64_t offset, uint64_t size,
             char out[PAYLOAD_HASH_SIZE])
{
    unsigned char hash[SHA256_DIGEST_LENGTH];

    seek(p, object, offset);
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
