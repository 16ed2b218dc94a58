/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "digests.h"

#include <errno.h>
#include <stdlib.h>

#include "sigv4.h"

#define PIECE ((size_t) 65536)

int
digester_init(struct digester *d, const struct digests_wish *wish)
{
    int err;

    *d = (struct digester){.wish = *wish};
    if (wish->sum == CHECKSUM_NONE)
        return 0;
    err = checksum_init(&d->sum, wish->sum);
    d->piece = malloc(PIECE);
    return d->piece == NULL ? ENOMEM : err;
}

void
digester_clear(struct digester *d)
{
    checksum_clear(&d->sum);
    free(d->piece);
    d->piece = NULL;
}

static int
end(struct digester *d, struct digests *out)
{
    unsigned char sum[CHECKSUM_BYTES_MAX];
    int err = checksum_end(&d->sum, sum);

    if (err == 0)
        checksum_text(out->sum, d->wish.sum, sum);
    return err;
}

int
digester_generated(struct digester *d, struct digests *out, struct payload *p,
                   uint64_t object, uint64_t offset, uint64_t size)
{
    out->hash[0] = out->sum[0] = '\0';
    if (!d->wish.unhashed)
        payload_hash(p, object, offset, size, out->hash);
    if (d->wish.sum == CHECKSUM_NONE)
        return 0;
    checksum_begin(&d->sum);
    while (size > 0) {
        size_t n = size < PIECE ? (size_t) size : PIECE;

        payload_fill(p, object, offset, d->piece, n);
        checksum_add(&d->sum, d->piece, n);
        offset += n;
        size -= n;
    }
    return end(d, out);
}

int
digester_bytes(struct digester *d, struct digests *out, const void *bytes,
               size_t n)
{
    out->hash[0] = out->sum[0] = '\0';
    if (!d->wish.unhashed)
        sigv4_hash_hex(out->hash, bytes, n);
    if (d->wish.sum == CHECKSUM_NONE)
        return 0;
    checksum_begin(&d->sum);
    checksum_add(&d->sum, bytes, n);
    return end(d, out);
}
