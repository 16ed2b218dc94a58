/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

static char nothing[1]; /* what data points at before the first addition */

void
buf_init(struct buf *b, size_t max)
{
    *b = (struct buf){.data = nothing, .max = max};
}

void
buf_init_secret(struct buf *b, size_t max)
{
    buf_init(b, max);
    b->secret = true;
}

void
buf_clear(struct buf *b)
{
    if (b->size > 0)
        free(b->data);
    *b = (struct buf){.data = nothing, .max = b->max, .secret = b->secret};
}

void
buf_wipe(struct buf *b)
{
    if (b->size > 0)
        OPENSSL_cleanse(b->data, b->size);
    buf_clear(b);
}

void
buf_reset(struct buf *b)
{
    b->len = 0;
    if (b->size > 0)
        b->data[0] = '\0';
}

int
buf_reserve(struct buf *b, size_t n)
{
    size_t want, size;
    char *data;

    if (n > b->max - b->len)
        return EMSGSIZE;
    want = b->len + n + 1;
    if (want <= b->size)
        return 0;
    size = b->size > 0 ? b->size : 64;
    while (size < want)
        size += size / 2;
    if (size > b->max + 1)
        size = b->max + 1;
    data =
        b->secret ? malloc(size) : realloc(b->size > 0 ? b->data : NULL, size);
    if (data == NULL)
        return ENOMEM;
    if (b->secret && b->size > 0) {
        memcpy(data, b->data, b->len);
        OPENSSL_cleanse(b->data, b->size);
        free(b->data);
    }
    data[b->len] = '\0';
    b->data = data;
    b->size = size;
    return 0;
}

int
buf_add(struct buf *b, const void *bytes, size_t n)
{
    int err = buf_reserve(b, n);

    if (err != 0)
        return err;
    if (n > 0)
        memcpy(b->data + b->len, bytes, n);
    b->len += n;
    b->data[b->len] = '\0';
    return 0;
}

int
buf_adds(struct buf *b, const char *text)
{
    return buf_add(b, text, strlen(text));
}

int
buf_addc(struct buf *b, char c)
{
    return buf_add(b, &c, 1);
}

int
buf_addf(struct buf *b, const char *format, ...)
{
    va_list args;
    int n, err;

    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0)
        return EINVAL;
    err = buf_reserve(b, (size_t) n);
    if (err != 0)
        return err;
    va_start(args, format);
    vsnprintf(b->data + b->len, (size_t) n + 1, format, args);
    va_end(args);
    b->len += (size_t) n;
    return 0;
}
