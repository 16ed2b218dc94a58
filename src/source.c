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
    *s = (struct source){.size = size, .sign = sign};
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

    *s = (struct source){.sign = sign};
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

static int
hash_each(struct source *s, const struct workload *w, struct payload *payload,
          const atomic_int *stop)
{
    uint64_t count = workload_different(w);
    char hex[PAYLOAD_HASH_SIZE];
    struct buf name;
    int err = 0;

    s->hashes = calloc((size_t) count, SHA256_DIGEST_LENGTH);
    if (s->hashes == NULL)
        return ENOMEM;
    buf_init(&name, WORKLOAD_NAME_MAX + 32);
    for (uint64_t i = 0; i < count && *stop == 0; i++) {
        err = workload_name(w, i, &name);
        if (err != 0)
            break;
        payload_hash(payload, payload_object(name.data, name.len),
                     workload_size(w, i), hex);
        store_hash(s->hashes + i * SHA256_DIGEST_LENGTH, hex);
    }
    buf_clear(&name);
    return err;
}

int
source_hash_ahead(struct source *s, const struct workload *w,
                  const struct payload_style *style, uint64_t seed,
                  const atomic_int *stop)
{
    bool alike = payload_is_alike(style);
    struct payload *payload;
    int err;

    if (!s->sign || s->bytes != NULL || s->size == 0)
        return 0;
    if (!alike && workload_different(w) > SOURCE_HASHES_MAX)
        return hasher_open(&s->hasher, w, style, seed, stop);
    err = payload_new(&payload, style, seed);
    if (err != 0)
        return err;
    if (alike)
        payload_hash(payload, 0, s->size, s->hash);
    else
        err = hash_each(s, w, payload, stop);
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

/* The hash of B, which has one of its own. */
static bool
take_hash(struct source_body *b, const struct source *s, uint64_t index)
{
    enum hasher_answer answer = HASHER_GONE;

    if (s->hasher != NULL)
        answer = hasher_take(s->hasher, index, b->hash);
    if (answer == HASHER_GONE)
        payload_hash(b->payload, b->object, b->size, b->hash);
    b->late_hashes += answer != HASHER_TAKEN && !b->waits;
    b->waits = answer == HASHER_NOT_YET;
    return !b->waits;
}

bool
source_prepare(struct source_body *b, const struct source *s,
               const struct workload *w, const struct workload_item *item,
               const struct buf *name)
{
    uint64_t identity = workload_identity(w, item->first);

    b->size = s->bytes != NULL ? s->size : item->size;
    if (s->bytes != NULL) {
        memcpy(b->hash, s->hash, sizeof b->hash);
        return true;
    }
    b->object = payload_object(name->data, name->len);
    if (b->size <= SOURCE_SMALL && !b->waits)
        payload_fill(b->payload, b->object, 0, b->small, (size_t) b->size);
    if (s->hashes != NULL) {
        sigv4_hex(b->hash, s->hashes + identity * SHA256_DIGEST_LENGTH,
                  SHA256_DIGEST_LENGTH);
    } else if (s->hash[0] != '\0') {
        memcpy(b->hash, s->hash, sizeof b->hash);
    } else if (s->sign && b->size > 0) {
        return take_hash(b, s, item->first);
    } else {
        b->hash[0] = '\0';
    }
    return true;
}

const void *
source_bytes(const struct source_body *b, const struct source *s)
{
    if (s->bytes != NULL)
        return s->bytes;
    return b->size <= SOURCE_SMALL ? b->small : NULL;
}

void
source_read(void *body, void *out, size_t n, uint64_t offset)
{
    struct source_body *b = body;

    payload_fill(b->payload, b->object, offset, out, n);
}
