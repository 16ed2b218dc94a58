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
    *s = (struct source){.size = size, .sign = sign, .cut.stride = 1};
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

    *s = (struct source){.sign = sign, .cut.stride = 1};
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
    source_hash_end(s);
    *s = (struct source){0};
}

static int
from_hex(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

static void
store_hash(unsigned char hash[SHA256_DIGEST_LENGTH], const char *hex)
{
    for (int k = 0; k < SHA256_DIGEST_LENGTH; k++)
        hash[k] = (unsigned char) (from_hex(hex[2 * k]) << 4 |
                                   from_hex(hex[2 * k + 1]));
}

void
source_cut(struct source *s, const struct parts_rule *rule)
{
    struct parts parts = {.count = 1};

    parts_apply(&parts, rule, s->size);
    s->cut = (struct hasher_cut){*rule, parts.count};
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

/* Store the hashes of the bodies of name number I, whose text is NAME. */
static void
hash_name(struct source *s, const struct workload *w, struct payload *payload,
          uint64_t i, const struct buf *name)
{
    unsigned char *out = s->hashes + i * s->cut.stride * SHA256_DIGEST_LENGTH;
    uint64_t object = payload_object(name->data, name->len);
    char hex[PAYLOAD_HASH_SIZE];

    for (uint32_t piece = 0; piece < s->cut.stride; piece++) {
        hasher_hash(payload, &s->cut, object, workload_size(w, i), piece, hex);
        if (hex[0] != '\0')
            store_hash(out + (size_t) piece * SHA256_DIGEST_LENGTH, hex);
    }
}

/* The same for a file, which is sent whole or in parts. */
static void
hash_file(struct source *s)
{
    struct parts parts = {s->size, s->size, 1};
    char hex[PAYLOAD_HASH_SIZE];

    parts_apply(&parts, &s->cut.rule, s->size);
    for (uint32_t piece = 0; piece < parts.count; piece++) {
        sigv4_hash_hex(hex, s->bytes + parts_offset(&parts, piece),
                       (size_t) parts_length(&parts, piece));
        store_hash(s->hashes + (size_t) piece * SHA256_DIGEST_LENGTH, hex);
    }
}

static int
hash_each(struct source *s, const struct workload *w, struct payload *payload,
          uint64_t names, const atomic_int *stop)
{
    struct buf name;
    int err = 0;

    s->hashes = calloc((size_t) (names * s->cut.stride), SHA256_DIGEST_LENGTH);
    if (s->hashes == NULL)
        return ENOMEM;
    s->hashed = names;
    if (s->bytes != NULL) {
        hash_file(s);
        return 0;
    }
    buf_init(&name, WORKLOAD_NAME_ROOM);
    for (uint64_t i = 0; err == 0 && i < names && *stop == 0; i++) {
        err = workload_name_of(w, i, &name);
        if (err == 0)
            hash_name(s, w, payload, i, &name);
    }
    buf_clear(&name);
    return err;
}

int
source_hash_ahead(struct source *s, const struct workload *w,
                  const struct payload_style *style, uint64_t seed,
                  const atomic_int *stop)
{
    uint64_t names = different(s, w, payload_is_alike(style));
    struct payload *payload;
    int err;

    if (!s->sign || s->size == 0 || (s->bytes != NULL && s->cut.stride == 1))
        return 0;
    if (names > SOURCE_HASHES_MAX / s->cut.stride && s->bytes == NULL)
        return hasher_open(&s->hasher, w, &s->cut, style, seed, stop);
    err = payload_new(&payload, style, seed);
    if (err != 0)
        return err;
    err = hash_each(s, w, payload, names, stop);
    payload_free(payload);
    return err;
}

int
source_body_init(struct source_body *b, const struct source *s,
                 struct payload *payload)
{
    size_t room = (size_t) (s->size < SOURCE_SMALL ? s->size : SOURCE_SMALL);

    *b = (struct source_body){.payload = payload};
    if (s->bytes != NULL || room == 0)
        return 0;
    b->small = malloc(room);
    return b->small == NULL ? ENOMEM : 0;
}

void
source_body_clear(struct source_body *b)
{
    free(b->small);
    b->small = NULL;
}

/* The hash of B, body PIECE of name number INDEX, from the hasher. */
static void
take_hash(struct source_body *b, const struct source *s, uint64_t index,
          uint32_t piece)
{
    enum hasher_answer answer = HASHER_GONE;

    if (s->hasher != NULL)
        answer = hasher_take(s->hasher, index, piece, b->hash);
    if (answer == HASHER_GONE)
        payload_hash(b->payload, b->object, b->offset, b->size, b->hash);
    b->late_hashes += answer != HASHER_TAKEN && !b->waits;
    b->waits = answer == HASHER_NOT_YET;
}

/* Its content and its hash, which may still be waited for. */
static void
prepare(struct source_body *b, const struct source *s, const struct workload *w,
        const struct workload_item *item, const struct buf *name,
        uint32_t piece)
{
    uint64_t identity = workload_identity(w, item->first);

    if (s->bytes == NULL) {
        b->object = payload_object(name->data, name->len);
        if (b->size <= SOURCE_SMALL && !b->waits)
            payload_fill(b->payload, b->object, b->offset, b->small,
                         (size_t) b->size);
    }
    if (s->hashes != NULL) {
        uint64_t at = identity % s->hashed * s->cut.stride + piece;

        sigv4_hex(b->hash, s->hashes + at * SHA256_DIGEST_LENGTH,
                  SHA256_DIGEST_LENGTH);
    } else if (s->bytes != NULL) {
        memcpy(b->hash, s->hash, sizeof b->hash);
    } else if (s->sign && b->size > 0) {
        take_hash(b, s, item->first, piece);
    } else {
        b->hash[0] = '\0';
    }
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
        payload_hash(b->payload, b->object, b->offset, b->size, b->hash);
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
