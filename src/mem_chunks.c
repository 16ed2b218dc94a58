/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_chunks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <openssl/crypto.h>

#define SIGNED "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
#define SIGNED_TRAILER SIGNED "-TRAILER"
#define UNSIGNED_TRAILER "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
#define CHUNK_MAX (UINT64_C(5) << 30)

void
mem_chunks_init(struct mem_chunks *c)
{
    c->in_use = false;
    c->digest = NULL;
}

void
mem_chunks_clear(struct mem_chunks *c)
{
    if (!c->in_use)
        return;
    EVP_MD_CTX_free(c->digest);
    mem_chunks_init(c);
}

bool
mem_chunks_is_kind(const char *hash)
{
    return strcmp(hash, SIGNED) == 0 || strcmp(hash, SIGNED_TRAILER) == 0 ||
           strcmp(hash, UNSIGNED_TRAILER) == 0;
}

int
mem_chunks_begin(struct mem_chunks *c, const char *hash,
                 struct mem_signer *signer, const struct mem_keys *keys,
                 const struct mem_auth *auth)
{
    *c = (struct mem_chunks){
        .in_use = true, .signer = signer, .keys = keys, .auth = auth};
    c->has_trailer = strcmp(hash, SIGNED) != 0;
    c->is_signed =
        strcmp(hash, UNSIGNED_TRAILER) != 0 &&
        (auth->kind == MEM_AUTH_V4 || auth->kind == MEM_AUTH_V4_QUERY);
    if (!c->is_signed)
        return 0;
    memcpy(c->previous, auth->signature, sizeof(c->previous));
    c->digest = EVP_MD_CTX_new();
    return c->digest == NULL ? ENOMEM : 0;
}

/* Is WANTED the signature of the COUNT lines? */
static int
check(struct mem_chunks *c, const char *wanted, const char *algorithm,
      const char *const *lines, size_t count)
{
    int err = mem_signer_sign(c->signer, c->previous, c->keys, c->auth->stamp,
                              algorithm, lines, count);

    if (err != 0)
        return err == EINVAL ? EIO : err;
    return strlen(wanted) == SIGV4_HEX_SIZE - 1 &&
                   CRYPTO_memcmp(wanted, c->previous, SIGV4_HEX_SIZE - 1) == 0
               ? 0
               : EACCES;
}

/* The content of a chunk is complete. */
static int
check_chunk(struct mem_chunks *c)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    char hex[SIGV4_HEX_SIZE], before[SIGV4_HEX_SIZE];
    const char *lines[] = {before, SIGV4_EMPTY_HASH, hex};

    if (!c->is_signed)
        return 0;
    if (!EVP_DigestFinal_ex(c->digest, digest, NULL))
        return EIO;
    sigv4_hex(hex, digest, 32);
    memcpy(before, c->previous, sizeof(before));
    return check(c, c->wanted, "AWS4-HMAC-SHA256-PAYLOAD", lines, 3);
}

/* Read "HEX[;chunk-signature=SIGNATURE]" in c->line. */
static int
read_head(struct mem_chunks *c)
{
    static const char name[] = ";chunk-signature=";
    const char *at = c->line;
    size_t digits = strspn(at, "0123456789abcdefABCDEF");

    if (digits == 0 || digits > 10)
        return EINVAL;
    c->left = 0;
    for (size_t i = 0; i < digits; i++, at++)
        c->left = c->left * 16 +
                  (unsigned) (*at <= '9' ? *at - '0' : (*at | 32) - 'a' + 10);
    if (c->left > CHUNK_MAX)
        return EINVAL;
    c->last = c->left == 0;
    c->total += c->left;
    if (!c->is_signed)
        return *at == '\0' || *at == ';' ? 0 : EINVAL;
    if (strncmp(at, name, strlen(name)) != 0)
        return EINVAL;
    at += strlen(name);
    if (strlen(at) != SIGV4_HEX_SIZE - 1)
        return EACCES;
    memcpy(c->wanted, at, SIGV4_HEX_SIZE);
    return EVP_DigestInit_ex2(c->digest, EVP_sha256(), NULL) ? 0 : EIO;
}

/* A head is complete: what comes next. */
static int
end_head(struct mem_chunks *c)
{
    int err = read_head(c);

    c->state = DATA;
    if (err != 0 || !c->last)
        return err;
    c->state = TRAILER; /* at least the empty line that ends it all */
    return check_chunk(c);
}

static int
sign_trailer(struct mem_chunks *c, const char *wanted)
{
    char text[256], hex[SIGV4_HEX_SIZE], before[SIGV4_HEX_SIZE];
    const char *lines[] = {before, hex};
    int n = snprintf(text, sizeof(text), "%s:%s\n", c->name, c->value);

    if (n < 0 || (size_t) n >= sizeof(text))
        return EINVAL;
    sigv4_hash_hex(hex, text, (size_t) n);
    c->trailer_signed = true;
    memcpy(before, c->previous, sizeof(before));
    return check(c, wanted, "AWS4-HMAC-SHA256-TRAILER", lines, 2);
}

/* A line of the trailer is complete. */
static int
end_trailer_line(struct mem_chunks *c)
{
    char *colon = strchr(c->line, ':');
    const char *value;

    if (c->line_len == 0) {
        c->state = DONE;
        /* Whatever is promised to be signed must be. */
        return c->is_signed && c->has_trailer && !c->trailer_signed ? EACCES
                                                                    : 0;
    }
    if (colon == NULL || !c->has_trailer)
        return EINVAL;
    *colon = '\0';
    value = colon + 1 + strspn(colon + 1, " \t");
    if (strcasecmp(c->line, "x-amz-trailer-signature") == 0)
        return c->is_signed ? sign_trailer(c, value) : 0;
    if (c->name[0] != '\0' || c->trailer_signed ||
        strlen(c->line) >= sizeof(c->name) || strlen(value) >= sizeof(c->value))
        return EINVAL;
    memcpy(c->name, c->line, strlen(c->line) + 1);
    memcpy(c->value, value, strlen(value) + 1);
    return 0;
}

static int
end_line(struct mem_chunks *c)
{
    int err;

    if (c->line_len > 0 && c->line[c->line_len - 1] == '\r')
        c->line_len--;
    c->line[c->line_len] = '\0';
    if (strlen(c->line) != c->line_len)
        return EINVAL;
    switch (c->state) {
    case HEAD:
        err = end_head(c);
        break;
    case DATA_END:
        err = c->line_len == 0 ? 0 : EINVAL;
        c->state = HEAD;
        break;
    default:
        err = end_trailer_line(c);
        break;
    }
    c->line_len = 0;
    return err;
}

/* Take content from IN. */
static int
take(struct mem_chunks *c, const char **out, size_t *out_n, const char **in,
     size_t *n)
{
    *out = *in;
    *out_n = c->left < *n ? (size_t) c->left : *n;
    *in += *out_n;
    *n -= *out_n;
    c->left -= *out_n;
    if (c->is_signed && !EVP_DigestUpdate(c->digest, *out, *out_n))
        return EIO;
    if (c->left > 0)
        return 0;
    c->state = DATA_END;
    return check_chunk(c);
}

int
mem_chunks_next(struct mem_chunks *c, const char **out, size_t *out_n,
                const char **in, size_t *n)
{
    int err = 0;

    *out_n = 0;
    while (*n > 0 && err == 0) {
        char byte = **in;

        if (c->state == DATA)
            return take(c, out, out_n, in, n);
        if (c->state == DONE || c->line_len == MEM_CHUNK_LINE_MAX - 1)
            return EINVAL;
        (*in)++;
        (*n)--;
        if (byte == '\n')
            err = end_line(c);
        else
            c->line[c->line_len++] = byte;
    }
    return err;
}

bool
mem_chunks_complete(const struct mem_chunks *c)
{
    return c->state == DONE;
}
