/* SPDX-License-Identifier: MIT */
/* The objects of a store: see mem_store.h. */
#include "config.h"

#include "mem_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
    o->meta_len = meta_len;
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

/* Make room in O for N bytes, which are counted already. */
static int
stretch(struct mem_object *o, uint64_t n)
{
    char *bytes = realloc(o->bytes, n);

    if (bytes == NULL)
        return ENOMEM;
    o->bytes = bytes;
    o->room = n;
    return 0;
}

int
mem_object_join(struct mem_object *o, struct mem_object **parts, size_t n)
{
    int err = 0;

    for (size_t i = 0; i < n; i++)
        o->size += parts[i]->size;
    for (size_t i = 0; i < n && err == 0; i++) {
        struct mem_object *part = parts[i];

        if (part->bytes != NULL && o->bytes == NULL) {
            o->bytes = part->bytes;
            o->room = part->size;
            part->bytes = NULL;
        } else if (part->bytes != NULL) {
            err = stretch(o, o->filled + part->size);
            if (err == 0)
                memcpy(o->bytes + o->filled, part->bytes, part->size);
        }
        /* What the part's bytes cost is O's from now on. */
        o->filled += part->size;
        o->charged += part->room;
        part->charged -= part->room;
        part->room = 0;
        mem_object_drop(part);
        parts[i] = NULL;
    }
    return err;
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
    free(o);
    mem_store_discharge(s, charged);
}
