/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "sigv4.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#define ALGORITHM "AWS4-HMAC-SHA256"
#define TERMINATOR "aws4_request"
#define BLOCK SHA256_CBLOCK
#define DIGEST SHA256_DIGEST_LENGTH
#define DAY_LEN 8 /* "20130524" */

#define TEXT_MAX ((size_t) 1 << 20)
#define PARTS_MAX (5 + 2 * SIGV4_LINES_MAX) /* of a text put together */

/* A key of an HMAC, as the digest states after its padded block. */
struct hmac_key {
    EVP_MD_CTX *inner, *outer;
};

struct sigv4 {
    EVP_MD *sha256; /* fetched once: a fetch costs more than a signature */
    EVP_MD_CTX *work;
    struct hmac_key key; /* the derived one, for what stands below */
    bool derived;
    struct buf secret; /* "AWS4" and the secret key */
    struct buf region, service;
    char day[DAY_LEN + 1];
    struct buf scope; /* "20130524/us-east-1/s3/aws4_request" */
};

void
sigv4_hex(char *out, const unsigned char *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = '\0';
}

void
sigv4_hash_hex(char out[SIGV4_HEX_SIZE], const void *bytes, size_t n)
{
    unsigned char digest[DIGEST];

    SHA256((const unsigned char *) bytes, n, digest);
    sigv4_hex(out, digest, sizeof(digest));
}

/* SHA-256 of N bytes, begun from the state FROM when there is one. */
static int
digest_from(struct sigv4 *s, unsigned char out[DIGEST], const EVP_MD_CTX *from,
            const void *bytes, size_t n)
{
    int good = from != NULL ? EVP_MD_CTX_copy_ex(s->work, from)
                            : EVP_DigestInit_ex2(s->work, s->sha256, NULL);

    return good && EVP_DigestUpdate(s->work, bytes, n) &&
                   EVP_DigestFinal_ex(s->work, out, NULL)
               ? 0
               : EIO;
}

static int
hmac_start(struct sigv4 *s, EVP_MD_CTX *state, const unsigned char *block,
           unsigned char pad)
{
    unsigned char padded[BLOCK];
    int good;

    for (size_t i = 0; i < BLOCK; i++)
        padded[i] = block[i] ^ pad;
    good = EVP_DigestInit_ex2(state, s->sha256, NULL) &&
           EVP_DigestUpdate(state, padded, BLOCK);
    OPENSSL_cleanse(padded, sizeof(padded));
    return good ? 0 : EIO;
}

/* Make the N bytes at KEY the signer's HMAC key. */
static int
hmac_set_key(struct sigv4 *s, const void *key, size_t n)
{
    unsigned char block[BLOCK] = {0};
    int err = 0;

    if (n > BLOCK)
        err = digest_from(s, block, NULL, key, n);
    else
        memcpy(block, key, n);
    if (err == 0)
        err = hmac_start(s, s->key.inner, block, 0x36);
    if (err == 0)
        err = hmac_start(s, s->key.outer, block, 0x5c);
    OPENSSL_cleanse(block, sizeof(block));
    return err;
}

static int
hmac(struct sigv4 *s, unsigned char out[DIGEST], const void *bytes, size_t n)
{
    int err = digest_from(s, out, s->key.inner, bytes, n);

    return err != 0 ? err : digest_from(s, out, s->key.outer, out, DIGEST);
}

static int
set_text(struct buf *b, const char *prefix, const char *text)
{
    size_t prefix_len = strlen(prefix), len = strlen(text);
    int err;

    buf_reset(b);
    /* at once: a later growth would leave a secret in freed memory */
    err = buf_reserve(b, prefix_len + len);
    if (err == 0)
        err = buf_add(b, prefix, prefix_len);
    if (err == 0)
        err = buf_add(b, text, len);
    return err;
}

static bool
has_key_of(const struct sigv4 *s, const struct sigv4_scope *scope)
{
    return s->derived && memcmp(s->day, scope->stamp, DAY_LEN) == 0 &&
           strcmp(s->secret.data + strlen("AWS4"), scope->secret_key) == 0 &&
           strcmp(s->region.data, scope->region) == 0 &&
           strcmp(s->service.data, scope->service) == 0;
}

/* Derive the signing key of SCOPE, unless it is the one at hand. */
static int
derive_key(struct sigv4 *s, const struct sigv4_scope *scope)
{
    const char *parts[] = {s->day, scope->region, scope->service, TERMINATOR};
    unsigned char key[DIGEST];
    int err;

    if (has_key_of(s, scope))
        return 0;
    s->derived = false;
    OPENSSL_cleanse(s->secret.data, s->secret.len);
    memcpy(s->day, scope->stamp, DAY_LEN);
    err = set_text(&s->secret, "AWS4", scope->secret_key);
    if (err == 0)
        err = set_text(&s->region, "", scope->region);
    if (err == 0)
        err = set_text(&s->service, "", scope->service);
    buf_reset(&s->scope);
    if (err == 0)
        err = buf_addf(&s->scope, "%s/%s/%s/" TERMINATOR, s->day, scope->region,
                       scope->service);
    if (err == 0)
        err = hmac_set_key(s, s->secret.data, s->secret.len);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) && err == 0; i++) {
        err = hmac(s, key, parts[i], strlen(parts[i]));
        if (err == 0)
            err = hmac_set_key(s, key, sizeof(key));
    }
    OPENSSL_cleanse(key, sizeof(key));
    s->derived = err == 0;
    return err;
}

static bool
is_stamp(const char *text)
{
    static const char shape[] = "dddddddd"
                                "T"
                                "dddddd"
                                "Z";

    for (size_t i = 0; i < sizeof(shape); i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';

        if (shape[i] == 'd' ? !digit : text[i] != shape[i])
            return false;
    }
    return true;
}

static char
lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
}

/* Names as their lower case sorts; strcasecmp() would follow the locale. */
static int
compare_names(const char *a, const char *b)
{
    while (*a != '\0' && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return (unsigned char) lower(*a) - (unsigned char) lower(*b);
}

/* Order the headers by name. An insertion sort is stable, which repeated
 * names need, and quick for the five or so of a request. */
static void
sort_headers(const struct sigv4_header **sorted,
             const struct sigv4_header *headers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct sigv4_header *header = &headers[i];
        size_t at = i;

        while (at > 0 &&
               compare_names(sorted[at - 1]->name, header->name) > 0) {
            sorted[at] = sorted[at - 1];
            at--;
        }
        sorted[at] = header;
    }
}

static int
add_name(struct buf *out, const char *name)
{
    size_t n = strlen(name);
    int err = buf_reserve(out, n);
    char *at;

    if (err != 0 || n == 0)
        return err;
    at = out->data + out->len;
    for (size_t i = 0; i < n; i++)
        at[i] = lower(name[i]);
    at[n] = '\0';
    out->len += n;
    return 0;
}

/* Add VALUE's words with one blank between them. */
static int
add_value(struct buf *out, const char *value)
{
    int err = 0;

    value += strspn(value, " \t");
    while (*value != '\0' && err == 0) {
        size_t n = strcspn(value, " \t");

        err = buf_add(out, value, n);
        value += n;
        value += strspn(value, " \t");
        if (err == 0 && *value != '\0')
            err = buf_addc(out, ' ');
    }
    return err;
}

/* Add one "name:value\n" for each name, and the names to SIGNED_HEADERS. */
static int
add_headers(struct sigv4_texts *t, const struct sigv4_request *r)
{
    const struct sigv4_header *sorted[SIGV4_HEADERS_MAX];
    struct buf *out = &t->canonical, *names = &t->signed_headers;
    size_t count = r->header_count;
    int err = 0;

    sort_headers(sorted, r->headers, count);
    for (size_t i = 0; i < count && err == 0; i++) {
        const char *name = sorted[i]->name;
        size_t start;

        if (i > 0 && compare_names(sorted[i - 1]->name, name) == 0) {
            out->len--; /* take the line's end back */
            err = buf_addc(out, ',');
        } else {
            if (i > 0)
                err = buf_addc(names, ';');
            start = names->len;
            if (err == 0)
                err = add_name(names, name);
            if (err == 0)
                err = buf_add(out, names->data + start, names->len - start);
            if (err == 0)
                err = buf_addc(out, ':');
        }
        if (err == 0)
            err = add_value(out, sorted[i]->value);
        if (err == 0)
            err = buf_addc(out, '\n');
    }
    return err;
}

/* Add all of the N texts, at most PARTS_MAX: one check of the room. */
static int
add_all(struct buf *out, const char *const *texts, size_t n)
{
    size_t len[PARTS_MAX], room = 0;
    char *at;
    int err;

    for (size_t i = 0; i < n; i++) {
        len[i] = strlen(texts[i]);
        room += len[i];
    }
    err = buf_reserve(out, room);
    if (err != 0)
        return err;
    at = out->data + out->len;
    for (size_t i = 0; i < n; i++) {
        memcpy(at, texts[i], len[i]);
        at += len[i];
    }
    *at = '\0';
    out->len += room;
    return 0;
}

static int
write_canonical(struct sigv4_texts *t, const struct sigv4_request *r)
{
    const char *head[] = {r->method, "\n", r->path, "\n", r->query, "\n"};
    const char *tail[] = {"\n", NULL, "\n", r->payload_hash};
    int err;

    buf_reset(&t->canonical);
    buf_reset(&t->signed_headers);
    err = add_all(&t->canonical, head, sizeof(head) / sizeof(*head));
    if (err == 0)
        err = add_headers(t, r);
    tail[1] = t->signed_headers.data;
    if (err == 0)
        err = add_all(&t->canonical, tail, sizeof(tail) / sizeof(*tail));
    return err;
}

static int
sign_canonical(struct sigv4 *s, struct sigv4_texts *t,
               const struct sigv4_scope *scope)
{
    char hash[SIGV4_HEX_SIZE];
    const char *line = hash;
    unsigned char digest[DIGEST];
    int err = digest_from(s, digest, NULL, t->canonical.data, t->canonical.len);

    if (err != 0)
        return err;
    sigv4_hex(hash, digest, sizeof(digest));
    return sigv4_sign_lines(s, &t->to_sign, t->signature, scope, ALGORITHM,
                            &line, 1);
}

static int
write_authorization(const struct sigv4 *s, struct sigv4_texts *t,
                    const struct sigv4_scope *scope)
{
    const char *texts[] = {ALGORITHM " Credential=",
                           scope->access_key,
                           "/",
                           s->scope.data,
                           ", SignedHeaders=",
                           t->signed_headers.data,
                           ", Signature=",
                           t->signature};

    buf_reset(&t->authorization);
    return add_all(&t->authorization, texts, sizeof(texts) / sizeof(*texts));
}

int
sigv4_new(struct sigv4 **out)
{
    struct sigv4 *s = (struct sigv4 *) calloc(1, sizeof(*s));

    if (s == NULL)
        return ENOMEM;
    buf_init(&s->secret, TEXT_MAX);
    buf_init(&s->region, TEXT_MAX);
    buf_init(&s->service, TEXT_MAX);
    buf_init(&s->scope, TEXT_MAX);
    s->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    s->work = EVP_MD_CTX_new();
    s->key.inner = EVP_MD_CTX_new();
    s->key.outer = EVP_MD_CTX_new();
    if (s->sha256 == NULL || s->work == NULL || s->key.inner == NULL ||
        s->key.outer == NULL) {
        sigv4_free(s);
        return ENOMEM;
    }
    *out = s;
    return 0;
}

void
sigv4_free(struct sigv4 *s)
{
    if (s == NULL)
        return;
    /* OpenSSL wipes the states of a digest, here those of the key */
    EVP_MD_CTX_free(s->work);
    EVP_MD_CTX_free(s->key.inner);
    EVP_MD_CTX_free(s->key.outer);
    EVP_MD_free(s->sha256);
    buf_wipe(&s->secret);
    buf_clear(&s->region);
    buf_clear(&s->service);
    buf_clear(&s->scope);
    free(s);
}

void
sigv4_texts_init(struct sigv4_texts *t)
{
    buf_init(&t->canonical, TEXT_MAX);
    buf_init(&t->to_sign, TEXT_MAX);
    buf_init(&t->signed_headers, TEXT_MAX);
    buf_init(&t->authorization, TEXT_MAX);
    buf_init(&t->query, TEXT_MAX);
    t->signature[0] = '\0';
}

void
sigv4_texts_clear(struct sigv4_texts *t)
{
    buf_wipe(&t->canonical); /* a session token may stand in it */
    buf_clear(&t->to_sign);
    buf_clear(&t->signed_headers);
    buf_clear(&t->authorization);
    buf_wipe(&t->query);
    t->signature[0] = '\0';
}

int
sigv4_sign_lines(struct sigv4 *s, struct buf *to_sign,
                 char signature[SIGV4_HEX_SIZE],
                 const struct sigv4_scope *scope, const char *algorithm,
                 const char *const *lines, size_t count)
{
    const char *texts[PARTS_MAX] = {algorithm, "\n", scope->stamp, "\n"};
    unsigned char digest[DIGEST];
    size_t n = 5;
    int err;

    if (count > SIGV4_LINES_MAX)
        return E2BIG;
    if (!is_stamp(scope->stamp))
        return EINVAL;
    err = derive_key(s, scope);
    if (err != 0)
        return err;
    texts[4] = s->scope.data;
    for (size_t i = 0; i < count; i++) {
        texts[n++] = "\n";
        texts[n++] = lines[i];
    }
    buf_reset(to_sign);
    err = add_all(to_sign, texts, n);
    if (err == 0)
        err = hmac(s, digest, to_sign->data, to_sign->len);
    if (err == 0)
        sigv4_hex(signature, digest, sizeof(digest));
    return err;
}

int
sigv4_sign(struct sigv4 *s, struct sigv4_texts *t,
           const struct sigv4_request *r, const struct sigv4_scope *scope)
{
    int err;

    if (r->header_count > SIGV4_HEADERS_MAX)
        return E2BIG;
    if (!is_stamp(scope->stamp))
        return EINVAL;
    buf_reset(&t->query);
    err = write_canonical(t, r);
    if (err == 0)
        err = sign_canonical(s, t, scope);
    return err != 0 ? err : write_authorization(s, t, scope);
}
