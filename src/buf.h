/* SPDX-License-Identifier: MIT */
/*
 * The one growable buffer. It knows its limit from the start, so no input
 * can make it grow without bound.
 *
 * Invariants: `data` is never NULL after buf_init() and always ends in NUL,
 * at data[len]; len <= max. A failed addition changes nothing.
 */
#ifndef S3PERF_BUF_H
#define S3PERF_BUF_H

#include <stdbool.h>
#include <stddef.h>

struct buf {
    char *data; /* owned; valid until the next addition */
    size_t len; /* bytes held, without the final NUL */
    size_t size; /* bytes allocated, 0 while nothing is */
    size_t max; /* the most that len may become */
    bool secret; /* it leaves nothing behind as it grows */
};

/* An empty buffer that will hold at most MAX bytes; allocates nothing. */
void buf_init(struct buf *b, size_t max);

/* The same for secrets: no copy stays behind. Pair with buf_wipe(). */
void buf_init_secret(struct buf *b, size_t max);

/* Free; safe twice. The buffer can be used again, with the same limit. */
void buf_clear(struct buf *b);

/* As buf_clear(), after overwriting what was held: for secrets. */
void buf_wipe(struct buf *b);

/* Forget the content, keep the memory. */
void buf_reset(struct buf *b);

/*
 * Make room for N more bytes, so that adding them allocates nothing.
 * Returns: 0, ENOMEM, or EMSGSIZE when the limit would be passed; the same
 *          holds for the additions below.
 */
int buf_reserve(struct buf *b, size_t n);

int buf_add(struct buf *b, const void *bytes, size_t n);
int buf_adds(struct buf *b, const char *text);
int buf_addc(struct buf *b, char c);
int buf_addf(struct buf *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
