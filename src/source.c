/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/sha.h>

#include "sigv4.h"

/* AWS takes no single PUT above 5 GiB. */
#define BODY_MAX (UINT64_C(5) << 30)

void
source_init(struct source *s, uint64_t size, bool sign)
{
    *s = (struct source){.size = size,
                         .sign = sign,
                         .cut = {.stride = 1, .wish.unhashed = !sign}};
}

static int
map_file(struct source *s, int fd, uint64_t size)
{
    void *map;

    if (size > BODY_MAX)
        return EFBIG;
    s->size = size;
    s->bytes = (const unsigned char *) "";
    s->mapped = false;
    if (size == 0)
        return 0;
    map = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (map == MAP_FAILED)
        return errno;
    s->bytes = map;
    s->mapped = true;
    return 0;
}

/* Read FD to its end. */
static int
slurp(struct source *s, int fd)
{
    unsigned char *bytes = NULL, *larger;
    size_t size = 0, len = 0;
    ssize_t n = 1;

    while (n > 0 && len <= BODY_MAX) {
        if (len == size) {
            size = size > 0 ? size * 2 : 65536;
            larger = realloc(bytes, size);
            if (larger == NULL) {
                free(bytes);
                return ENOMEM;
            }
            bytes = larger;
        }
        n = read(fd, bytes + len, size - len);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            len += (size_t) n;
    }
    if (n < 0 || len > BODY_MAX) {
        int err = n < 0 ? errno : EFBIG;

        free(bytes);
        return err;
    }
    s->bytes = bytes;
    s->owned = true;
    s->size = len;
    return 0;
}

int
source_init_file(struct source *s, const char *path, bool sign)
{
    bool standard = strcmp(path, "-") == 0;
    struct stat st;
    int fd, err = 0;

    *s = (struct source){.sign = sign,
                         .cut = {.stride = 1, .wish.unhashed = !sign}};
    fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    if (fstat(fd, &st) != 0)
        err = errno;
    else if (S_ISDIR(st.st_mode))
        err = EISDIR;
    else if (S_ISREG(st.st_mode) && !standard)
        err = map_file(s, fd, (uint64_t) st.st_size);
    else
        err = slurp(s, fd);
    if (!standard)
        close(fd);
    if (err == 0 && sign)
        sigv4_hash_hex(s->hash, s->bytes, (size_t) s->size);
    return err;
}

void
source_hash_end(struct source *s)
{
    hasher_close(s->hasher);
    s->hasher = NULL;
}

void
source_clear(struct source *s)
{
    if (s->mapped)
        munmap((void *) s->bytes, (size_t) s->size);
    else if (s->owned)
        free((void *) s->bytes);
    free(s->hashes);
    free(s->sums);
    source_hash_end(s);
    *s = (struct source){0};
}

/* What a checksum takes: its text. */
static size_t
sum_size(const struct source *s)
{
    return checksum_text_len(s->sum) + 1;
}

static int
from_hex(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* Keep D as that of body number AT. */
static void
store(struct source *s, uint64_t at, const struct digests *d)
{
    for (size_t k = 0; s->hashes != NULL && k < SHA256_DIGEST_LENGTH; k++)
        s->hashes[at * SHA256_DIGEST_LENGTH + k] =
            (unsigned char) (from_hex(d->hash[2 * k]) << 4 |
                             from_hex(d->hash[2 * k + 1]));
    if (s->sums != NULL)
        memcpy(s->sums + at * sum_size(s), d->sum, sum_size(s));
}

void
source_want_sums(struct source *s, enum checksum_kind kind)
{
    s->sum = kind;
    s->cut.wish = (struct digests_wish){!s->sign, kind};
}

void
source_cut(struct source *s, const struct parts_rule *rule)
{
    struct parts parts = {.count = 1};

    parts_apply(&parts, rule, s->size);
    s->cut.rule = *rule;
    s->cut.stride = parts.count;
}

/* How many names have bodies of their own: content that is ALIKE makes one
 * body only when all are of one size. */
static uint64_t
different(const struct source *s, const struct workload *w, bool alike)
{
    if (s->bytes != NULL || (alike && w->sizes == NULL))
        return 1;
    return workload_different(w);
}

/* Digest the bodies of name number I, whose text is NAME. */
static int
digest_name(struct source *s, const struct workload *w, struct digester *d,
            struct payload *payload, uint64_t i, const struct buf *name)
{
    uint64_t object = payload_object(name->data, name->len);
    struct digests digests;
    int err = 0;

    for (uint32_t piece = 0; err == 0 && piece < s->cut.stride; piece++) {
        err = hasher_digest(d, &digests, payload, &s->cut, object,
                            workload_size(w, i), piece);
        if (err == 0 && (digests.hash[0] != '\0' || digests.sum[0] != '\0'))
            store(s, i * s->cut.stride + piece, &digests);
    }
    return err;
}

/* The same for a file, which is sent whole or in parts. */
static int
digest_file(struct source *s, struct digester *d)
{
    struct parts parts = {s->size, s->size, 1};
    struct digests digests;
    int err = 0;

    parts_apply(&parts, &s->cut.rule, s->size);
    for (uint32_t piece = 0; err == 0 && piece < parts.count; piece++) {
        err =
            digester_bytes(d, &digests, s->bytes + parts_offset(&parts, piece),
                           (size_t) parts_length(&parts, piece));
        if (err == 0)
            store(s, piece, &digests);
    }
    return err;
}

static int
digest_each(struct source *s, const struct workload *w, struct digester *d,
            struct payload *payload, uint64_t names, const atomic_int *stop)
{
    struct buf name;
    int err = 0;

    if (s->bytes != NULL)
        return digest_file(s, d);
    buf_init(&name, WORKLOAD_NAME_ROOM);
    for (uint64_t i = 0; err == 0 && i < names && *stop == 0; i++) {
        err = workload_name_of(w, i, &name);
        if (err == 0)
            err = digest_name(s, w, d, payload, i, &name);
    }
    buf_clear(&name);
    return err;
}

/* Room for the digests of the bodies of NAMES. */
static int
get_room(struct source *s, uint64_t names)
{
    size_t bodies = (size_t) (names * s->cut.stride);

    if (!s->cut.wish.unhashed)
        s->hashes = calloc(bodies, SHA256_DIGEST_LENGTH);
    if (s->sum != CHECKSUM_NONE)
        s->sums = calloc(bodies, sum_size(s));
    s->hashed = names;
    return (!s->cut.wish.unhashed && s->hashes == NULL) ||
                   (s->sum != CHECKSUM_NONE && s->sums == NULL)
               ? ENOMEM
               : 0;
}

/* Whether nothing is left to be digested before a run. */
static bool
is_digested(const struct source *s)
{
    if (s->sum != CHECKSUM_NONE)
        return false; /* those of no bytes, too */
    return !s->sign || s->size == 0 || (s->bytes != NULL && s->cut.stride == 1);
}

int
source_hash_ahead(struct source *s, const struct workload *w,
                  const struct payload_style *style, uint64_t seed,
                  const atomic_int *stop)
{
    uint64_t names = different(s, w, payload_is_alike(style));
    struct payload *payload;
    struct digester d;
    int err;

    if (is_digested(s))
        return 0;
    if (s->bytes != NULL && s->cut.stride == 1)
        s->cut.wish.unhashed = true; /* it has its hash */
    if (names > SOURCE_HASHES_MAX / s->cut.stride && s->bytes == NULL)
        return hasher_open(&s->hasher, w, &s->cut, style, seed, stop);
    err = payload_new(&payload, style, seed);
    if (err != 0)
        return err;
    err = digester_init(&d, &s->cut.wish);
    if (err == 0)
        err = get_room(s, names);
    if (err == 0)
        err = digest_each(s, w, &d, payload, names, stop);
    digester_clear(&d);
    payload_free(payload);
    return err;
}

int
source_body_init(struct source_body *b, const struct source *s,
                 struct payload *payload)
{
    size_t room = (size_t) (s->size < SOURCE_SMALL ? s->size : SOURCE_SMALL);

    int err;

    *b = (struct source_body){.payload = payload};
    err = digester_init(&b->digester, &s->cut.wish);
    if (err != 0 || s->bytes != NULL || room == 0)
        return err;
    b->small = malloc(room);
    return b->small == NULL ? ENOMEM : 0;
}

void
source_body_clear(struct source_body *b)
{
    free(b->small);
    b->small = NULL;
    digester_clear(&b->digester);
}

/* Make those of B itself. */
static void
make_digests(struct source_body *b)
{
    if (digester_generated(&b->digester, &b->digests, b->payload, b->object,
                           b->offset, b->size) != 0)
        b->digests.sum[0] = '\0'; /* the server will say that it is none */
}

/* The digests of B, body PIECE of name number INDEX, from the hasher. */
static void
take_digests(struct source_body *b, const struct source *s, uint64_t index,
             uint32_t piece)
{
    enum hasher_answer answer = HASHER_GONE;

    if (s->hasher != NULL)
        answer = hasher_take(s->hasher, index, piece, &b->digests);
    if (answer == HASHER_GONE)
        make_digests(b);
    b->late_hashes += answer != HASHER_TAKEN && !b->waits;
    b->waits = answer == HASHER_NOT_YET;
}

/* Of body number AT of those that were digested ahead. */
static void
look_up(struct digests *out, const struct source *s, uint64_t at)
{
    out->hash[0] = out->sum[0] = '\0';
    if (s->hashes != NULL)
        sigv4_hex(out->hash, s->hashes + at * SHA256_DIGEST_LENGTH,
                  SHA256_DIGEST_LENGTH);
    else if (s->bytes != NULL)
        memcpy(out->hash, s->hash, sizeof out->hash);
    if (s->sums != NULL)
        memcpy(out->sum, s->sums + at * sum_size(s), sum_size(s));
}

/* Its content and its digests, which may still be waited for. */
static void
prepare(struct source_body *b, const struct source *s, const struct workload *w,
        const struct workload_item *item, const struct buf *name,
        uint32_t piece)
{
    bool wanted = s->sum != CHECKSUM_NONE || (s->sign && b->size > 0);
    uint64_t identity = workload_identity(w, item->first);

    if (s->bytes == NULL) {
        b->object = payload_object(name->data, name->len);
        if (b->size <= SOURCE_SMALL && !b->waits)
            payload_fill(b->payload, b->object, b->offset, b->small,
                         (size_t) b->size);
    }
    if (s->hashed == 1) /* it is that of all */
        look_up(&b->digests, s, piece);
    else if (identity < s->hashed)
        look_up(&b->digests, s, identity * s->cut.stride + piece);
    else if (s->bytes != NULL)
        look_up(&b->digests, s, 0);
    else if (wanted)
        take_digests(b, s, item->first, piece);
    else
        b->digests.hash[0] = b->digests.sum[0] = '\0';
}

bool
source_prepare(struct source_body *b, const struct source *s,
               const struct workload *w, const struct workload_item *item,
               const struct buf *name)
{
    b->offset = 0;
    b->size = s->bytes != NULL ? s->size : item->size;
    prepare(b, s, w, item, name, 0);
    return !b->waits;
}

void
source_prepare_part(struct source_body *b, const struct source *s,
                    const struct workload *w, const struct workload_item *item,
                    const struct buf *name, const struct parts *parts,
                    uint32_t piece)
{
    b->offset = parts_offset(parts, piece);
    b->size = parts_length(parts, piece);
    b->waits = false;
    prepare(b, s, w, item, name, piece);
    if (b->waits)
        make_digests(b);
    b->waits = false;
}

const void *
source_bytes(const struct source_body *b, const struct source *s)
{
    if (s->bytes != NULL)
        return s->bytes + b->offset;
    return b->size <= SOURCE_SMALL ? b->small : NULL;
}

void
source_read(void *body, void *out, size_t n, uint64_t offset)
{
    struct source_body *b = body;

    payload_fill(b->payload, b->object, b->offset + offset, out, n);
}
