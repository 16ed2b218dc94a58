/* SPDX-License-Identifier: MIT */
/* The objects of a store: see mem_store.h. */
#include "config.h"

#include "mem_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mem_map.h"

#define FIRST_ROOM (UINT64_C(1) << 20) /* allocated whole up to here */

/* A copy of N bytes in *OUT, NULL for none. */
static int
copy_bytes(char **out, const char *bytes, size_t n)
{
    *out = NULL;
    if (n == 0)
        return 0;
    *out = malloc(n);
    if (*out == NULL)
        return ENOMEM;
    memcpy(*out, bytes, n);
    return 0;
}

int
mem_object_new(struct mem_object **out, struct mem_store *s, uint64_t size,
               size_t key_len, const char *meta, size_t meta_len)
{
    uint64_t cost = sizeof(struct mem_object) + mem_map_node_bytes(key_len);
    uint64_t used = mem_store_used(s);
    struct mem_object *o;

    cost += meta_len;
    /* An early no for what cannot fit; the real count is taken later. */
    if (!mem_store_is_null(s) &&
        (size > mem_store_bound(s) || used > mem_store_bound(s) - size))
        return ENOSPC;
    if (!mem_store_charge(s, cost))
        return ENOSPC;
    o = calloc(1, sizeof(*o));
    if (o == NULL || copy_bytes(&o->meta, meta, meta_len) != 0) {
        free(o);
        mem_store_discharge(s, cost);
        return ENOMEM;
    }
    o->meta_len = o->meta_own = meta_len;
    o->size = size;
    o->sum_kind = -1;
    o->store = s;
    o->charged = cost;
    atomic_init(&o->refs, 1);
    *out = o;
    return 0;
}

/*
 * Make room for N more bytes. Up to FIRST_ROOM the object's size is taken
 * at once; larger ones double, which costs no copy: the kernel moves the
 * pages of a large block.
 */
static int
grow(struct mem_object *o, uint64_t n)
{
    uint64_t room = o->room > 0 ? o->room : FIRST_ROOM;
    char *bytes;

    while (room < o->filled + n)
        room *= 2;
    if (room > o->size)
        room = o->size;
    if (!mem_store_charge(o->store, room - o->room))
        return ENOSPC;
    bytes = realloc(o->bytes, room);
    if (bytes == NULL) {
        mem_store_discharge(o->store, room - o->room);
        return ENOMEM;
    }
    o->charged += room - o->room;
    o->bytes = bytes;
    o->room = room;
    return 0;
}

int
mem_object_add(struct mem_object *o, const void *bytes, size_t n)
{
    int err;

    if (n > o->size - o->filled)
        return EMSGSIZE;
    if (n == 0)
        return 0;
    if (!mem_store_is_null(o->store)) {
        if (o->filled + n > o->room) {
            err = grow(o, n);
            if (err != 0)
                return err;
        }
        memcpy(o->bytes + o->filled, bytes, n);
    }
    o->filled += n;
    return 0;
}

int
mem_object_tag(struct mem_object *o, const char *tags, size_t tags_len,
               unsigned count)
{
    char *copy;

    if (!mem_store_charge(o->store, tags_len))
        return ENOSPC;
    if (copy_bytes(&copy, tags, tags_len) != 0) {
        mem_store_discharge(o->store, tags_len);
        return ENOMEM;
    }
    mem_store_discharge(o->store, o->tags_len);
    o->charged += tags_len;
    o->charged -= o->tags_len;
    free(o->tags);
    o->tags = copy;
    o->tags_len = tags_len;
    atomic_store(&o->tag_count, count);
    return 0;
}

const char *
mem_object_own(const struct mem_object *o, const char *name)
{
    for (size_t at = o->meta_own; at < o->meta_len;) {
        const char *value = o->meta + at + strlen(o->meta + at) + 1;

        if (strcasecmp(o->meta + at, name) == 0)
            return value;
        at = (size_t) (value - o->meta) + strlen(value) + 1;
    }
    return NULL;
}

static void
forget_pieces(struct mem_object *o)
{
    uint64_t cost = o->piece_count * sizeof(*o->pieces);

    free(o->pieces);
    o->pieces = NULL;
    o->piece_count = 0;
    o->charged -= cost;
    mem_store_discharge(o->store, cost);
}

/* Remember where the N PARTS of O end. */
static int
keep_pieces(struct mem_object *o, struct mem_object *const *parts, size_t n)
{
    uint64_t cost = n * sizeof(*o->pieces), end = 0;

    if (!mem_store_charge(o->store, cost))
        return ENOSPC;
    o->pieces = calloc(n, sizeof(*o->pieces));
    if (o->pieces == NULL) {
        mem_store_discharge(o->store, cost);
        return ENOMEM;
    }
    o->charged += cost;
    o->piece_count = (unsigned) n;
    for (size_t i = 0; i < n; i++) {
        end += parts[i]->size;
        o->pieces[i].end = end;
        if (o->sum_kind >= 0 && parts[i]->sum_kind == o->sum_kind)
            memcpy(o->pieces[i].sum, parts[i]->sum, sizeof(parts[i]->sum));
    }
    return 0;
}

/* Give bytes and what they cost to TO. */
static void
move_charge(struct mem_object *to, struct mem_object *from, uint64_t n)
{
    to->charged += n;
    from->charged -= n;
}

int
mem_object_join(struct mem_object *o, struct mem_object *const *parts, size_t n)
{
    uint64_t size = 0, kept = 0;
    size_t first = n; /* part that has bytes */
    char *bytes;
    int err = keep_pieces(o, parts, n);

    if (err != 0)
        return err;
    for (size_t i = 0; i < n; i++) {
        size += parts[i]->size;
        if (parts[i]->bytes == NULL)
            continue;
        if (first == n)
            first = i;
        kept += parts[i]->size;
    }
    if (first < n) {
        /* All at once, so that nothing fails once parts are in pieces; the
         * kernel gives memory where bytes are written. */
        bytes = realloc(parts[first]->bytes, kept);
        if (bytes == NULL) {
            forget_pieces(o);
            return ENOMEM;
        }
        parts[first]->bytes = NULL;
        o->bytes = bytes;
        o->room = kept;
    }
    for (size_t i = 0; i < n; i++) {
        struct mem_object *part = parts[i];

        if (part->bytes != NULL)
            memcpy(o->bytes + o->filled, part->bytes, part->size);
        free(part->bytes);
        part->bytes = NULL;
        o->filled += part->size;
        move_charge(o, part, part->room);
        part->room = 0;
    }
    o->size = size;
    return 0;
}

int
mem_object_split(struct mem_object *o, struct mem_object *const *parts,
                 size_t n)
{
    bool has_bytes = o->bytes != NULL;
    char *less;

    forget_pieces(o);
    /* From the end, so that what remains can shrink. */
    while (n-- > 0) {
        struct mem_object *part = parts[n];

        o->filled -= part->size;
        if (!has_bytes || part->size == 0)
            continue;
        if (o->filled == 0) {
            part->bytes = o->bytes;
            o->bytes = NULL;
        } else {
            part->bytes = malloc(part->size);
            if (part->bytes == NULL)
                return ENOMEM;
            memcpy(part->bytes, o->bytes + o->filled, part->size);
            less = realloc(o->bytes, o->filled);
            if (less != NULL)
                o->bytes = less;
        }
        part->room = part->size;
        move_charge(part, o, part->room);
    }
    o->size = o->room = 0;
    return 0;
}

int
mem_object_reserve(struct mem_object *o, uint64_t n)
{
    uint64_t room = o->room * 2, more;
    char *bytes;

    if (mem_store_is_null(o->store) || n <= o->room - o->filled)
        return 0;
    /* Twice as much, or many small ones would be copied again and again. */
    if (room < o->filled + n)
        room = o->filled + n;
    more = room - o->room;
    if (!mem_store_charge(o->store, more)) {
        room = o->filled + n;
        more = room - o->room;
        if (!mem_store_charge(o->store, more))
            return ENOSPC;
    }
    bytes = realloc(o->bytes, room);
    if (bytes == NULL) {
        mem_store_discharge(o->store, more);
        return ENOMEM;
    }
    o->charged += more;
    o->bytes = bytes;
    o->room = room;
    return 0;
}

void
mem_object_extend(struct mem_object *o, const struct mem_object *tail)
{
    if (tail->bytes != NULL)
        memcpy(o->bytes + o->filled, tail->bytes, tail->size);
    o->filled += tail->size;
    o->size += tail->size;
    forget_pieces(o);
}

int
mem_object_copy(struct mem_object **out, const struct mem_object *o,
                size_t key_len)
{
    struct mem_object *copy;
    int err =
        mem_object_new(&copy, o->store, o->size, key_len, o->meta, o->meta_len);

    if (err != 0)
        return err;
    err =
        mem_object_tag(copy, o->tags, o->tags_len, atomic_load(&o->tag_count));
    if (err == 0)
        err = mem_object_add(copy, o->bytes, o->size);
    if (err != 0) {
        mem_object_drop(copy);
        return err;
    }
    copy->meta_own = o->meta_own;
    copy->modified = o->modified;
    copy->seq = o->seq;
    copy->version = o->version;
    copy->appends = o->appends;
    copy->sum_kind = o->sum_kind;
    memcpy(copy->etag, o->etag, sizeof(copy->etag));
    memcpy(copy->sum, o->sum, sizeof(copy->sum));
    *out = copy;
    return 0;
}

struct mem_object *
mem_object_hold(struct mem_object *o)
{
    atomic_fetch_add(&o->refs, 1);
    return o;
}

void
mem_object_drop(struct mem_object *o)
{
    uint64_t charged;
    struct mem_store *s;

    if (o == NULL || atomic_fetch_sub(&o->refs, 1) > 1)
        return;
    s = o->store;
    charged = o->charged;
    free(o->bytes);
    free(o->meta);
    free(o->tags);
    free(o->pieces);
    free(o);
    mem_store_discharge(s, charged);
}
