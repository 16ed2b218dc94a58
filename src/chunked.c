/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "chunked.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PIECE 8192u /* looked at at a time */
#define TO_SIGN_MAX ((size_t) 65536)
#define SIGNATURE_LEN (SIGV4_HEX_SIZE - 1)

static const struct {
    const char *name, *payload;
    bool sign, trailer;
} forms[] = {
    [CHUNKED_SIGNED] = {"signed", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", true,
                        false},
    [CHUNKED_SIGNED_TRAILER] = {"signed-trailer",
                                "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
                                true, true},
    [CHUNKED_UNSIGNED_TRAILER] = {"unsigned-trailer",
                                  "STREAMING-UNSIGNED-PAYLOAD-TRAILER", false,
                                  true},
};

bool
chunked_parse(enum chunked_form *out, const char *name)
{
    for (int i = CHUNKED_SIGNED; i <= CHUNKED_UNSIGNED_TRAILER; i++)
        if (strcmp(name, forms[i].name) == 0) {
            *out = (enum chunked_form) i;
            return true;
        }
    return false;
}

const char *
chunked_payload(enum chunked_form form)
{
    return forms[form].payload;
}

bool
chunked_has_trailer(enum chunked_form form)
{
    return forms[form].trailer;
}

/* --- lengths --- */

static uint64_t
hex_digits(uint64_t n)
{
    uint64_t digits = 1;

    while (n >>= 4)
        digits++;
    return digits;
}

/* "10000;chunk-signature=SIGNATURE\r\n" */
static uint64_t
head_length(enum chunked_form form, uint64_t data_len)
{
    return hex_digits(data_len) +
           (forms[form].sign ? strlen(";chunk-signature=") + SIGNATURE_LEN
                             : 0) +
           2;
}

uint64_t
chunked_length(enum chunked_form form, enum checksum_kind sum_kind,
               uint64_t len)
{
    uint64_t whole = len / CHUNKED_SIZE, rest = len % CHUNKED_SIZE;
    uint64_t sum = whole * (head_length(form, CHUNKED_SIZE) + CHUNKED_SIZE + 2);

    if (rest > 0)
        sum += head_length(form, rest) + rest + 2;
    sum += head_length(form, 0) + 2;
    if (forms[form].trailer)
        sum += strlen(checksum_header(sum_kind)) + 1 +
               checksum_text_len(sum_kind) + 2;
    if (forms[form].trailer && forms[form].sign)
        sum += strlen("x-amz-trailer-signature:") + SIGNATURE_LEN + 2;
    return sum;
}

/* --- the chunk at hand --- */

static void
fetch(struct chunked *c, void *out, size_t n, uint64_t offset)
{
    if (n == 0)
        return;
    if (c->bytes != NULL)
        memcpy(out, c->bytes + offset, n);
    else
        c->read(c->read_ctx, out, n, offset);
}

static void
note(struct chunked *c, bool good)
{
    if (!good && c->err == 0)
        c->err = EIO;
}

/* Hash the chunk's data, and go on with the checksum of the body. */
static void
look_at_data(struct chunked *c, char hash[SIGV4_HEX_SIZE])
{
    unsigned char piece[PIECE], digest[EVP_MAX_MD_SIZE] = {0};
    bool sign = forms[c->form].sign;

    if (sign)
        note(c, EVP_DigestInit_ex(c->digest, EVP_sha256(), NULL) == 1);
    for (uint64_t done = 0; done < c->data_len;) {
        uint64_t left = c->data_len - done;
        size_t n = left < PIECE ? (size_t) left : PIECE;
        const unsigned char *data = piece;

        if (c->bytes != NULL)
            data = c->bytes + c->data_at + done;
        else
            fetch(c, piece, n, c->data_at + done);
        if (sign)
            note(c, EVP_DigestUpdate(c->digest, data, n) == 1);
        if (forms[c->form].trailer)
            checksum_add(&c->sum, data, n);
        done += n;
    }
    if (sign)
        note(c, EVP_DigestFinal_ex(c->digest, digest, NULL) == 1);
    sigv4_hex(hash, digest, 32);
}

static void
sign(struct chunked *c, char signature[SIGV4_HEX_SIZE], const char *algorithm,
     const char *const *lines, size_t count)
{
    note(c, sigv4_sign_lines(c->signer, &c->to_sign, signature, &c->scope,
                             algorithm, lines, count) == 0);
}

static void
write_head(struct chunked *c)
{
    char hash[SIGV4_HEX_SIZE], previous[SIGV4_HEX_SIZE];
    const char *lines[] = {previous, SIGV4_EMPTY_HASH, hash};
    int n;

    look_at_data(c, hash);
    if (forms[c->form].sign) {
        memcpy(previous, c->signature, sizeof(previous));
        sign(c, c->signature, "AWS4-HMAC-SHA256-PAYLOAD", lines, 3);
        n = snprintf(c->head, sizeof(c->head), "%llx;chunk-signature=%s\r\n",
                     (unsigned long long) c->data_len, c->signature);
    } else {
        n = snprintf(c->head, sizeof(c->head), "%llx\r\n",
                     (unsigned long long) c->data_len);
    }
    c->head_len = (size_t) n;
}

/* What follows the last chunk. */
static void
write_trailer(struct chunked *c)
{
    unsigned char sum[CHECKSUM_BYTES_MAX];
    const char *name = checksum_header(c->sum.kind);
    char value[CHECKSUM_TEXT_SIZE], line[96];
    char hash[SIGV4_HEX_SIZE], signature[SIGV4_HEX_SIZE];
    const char *lines[] = {c->signature, hash};
    int n;

    note(c, checksum_end(&c->sum, sum) == 0);
    checksum_text(value, c->sum.kind, sum);
    n = snprintf(line, sizeof(line), "%s:%s\n", name, value);
    if (forms[c->form].sign) {
        sigv4_hash_hex(hash, line, (size_t) n);
        sign(c, signature, "AWS4-HMAC-SHA256-TRAILER", lines, 2);
        n = snprintf(c->tail, sizeof(c->tail),
                     "%s:%s\r\nx-amz-trailer-signature:%s\r\n\r\n", name, value,
                     signature);
    } else {
        n = snprintf(c->tail, sizeof(c->tail), "%s:%s\r\n\r\n", name, value);
    }
    c->tail_len = (size_t) n;
}

/* Make the chunk whose data begins at DATA_AT the one at hand. */
static void
load_chunk(struct chunked *c, uint64_t at, uint64_t data_at)
{
    uint64_t left = c->len - data_at;

    c->at = at;
    c->data_at = data_at;
    c->data_len = left < CHUNKED_SIZE ? left : CHUNKED_SIZE;
    c->last = c->data_len == 0;
    write_head(c);
    memcpy(c->tail, "\r\n", 2);
    c->tail_len = 2;
    if (c->last && forms[c->form].trailer)
        write_trailer(c);
}

static void
rewind_to_start(struct chunked *c)
{
    memcpy(c->signature, c->seed, sizeof(c->signature));
    checksum_begin(&c->sum);
    load_chunk(c, 0, 0);
}

static uint64_t
chunk_end(const struct chunked *c)
{
    return c->at + c->head_len + c->data_len + c->tail_len;
}

/* --- public --- */

int
chunked_init(struct chunked *c, enum checksum_kind sum)
{
    int err;

    *c = (struct chunked){0};
    buf_init(&c->to_sign, TO_SIGN_MAX);
    err = checksum_init(&c->sum, sum);
    if (err != 0)
        return err;
    c->digest = EVP_MD_CTX_new();
    return c->digest == NULL ? ENOMEM : buf_reserve(&c->to_sign, 512);
}

void
chunked_clear(struct chunked *c)
{
    EVP_MD_CTX_free(c->digest);
    c->digest = NULL;
    checksum_clear(&c->sum);
    buf_clear(&c->to_sign);
}

void
chunked_start(struct chunked *c, enum chunked_form form,
              const struct chunked_body *body, struct sigv4 *signer,
              const struct sigv4_scope *scope, const char *seed)
{
    c->form = form;
    c->signer = signer;
    c->bytes = body->bytes;
    c->read = body->read;
    c->read_ctx = body->read_ctx;
    c->len = body->len;
    c->err = 0;
    if (forms[form].sign) {
        c->scope = *scope;
        /* The caller's is that of its next request by then. */
        snprintf(c->stamp, sizeof(c->stamp), "%s", scope->stamp);
        c->scope.stamp = c->stamp;
        memcpy(c->seed, seed, sizeof(c->seed));
    }
    rewind_to_start(c);
}

void
chunked_read(void *chunked, void *out, size_t n, uint64_t offset)
{
    struct chunked *c = chunked;
    char *to = out;

    if (offset < c->at)
        rewind_to_start(c);
    while (n > 0) {
        const char *text = c->head;
        uint64_t skip, part;

        while (!c->last && offset >= chunk_end(c))
            load_chunk(c, chunk_end(c), c->data_at + c->data_len);
        skip = offset - c->at;
        part = c->head_len;
        if (skip >= part + c->data_len) { /* the tail */
            skip -= part + c->data_len;
            part = c->tail_len;
            text = c->tail;
        } else if (skip >= part) {
            skip -= part;
            part = c->data_len;
            text = NULL;
        }
        if (skip >= part) /* behind the end: nobody should ask */
            return;
        part = part - skip < n ? part - skip : n;
        if (text != NULL)
            memcpy(to, text + skip, (size_t) part);
        else
            fetch(c, to, (size_t) part, c->data_at + skip);
        to += part;
        offset += part;
        n -= (size_t) part;
    }
}
