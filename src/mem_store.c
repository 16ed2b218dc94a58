/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_store_parts.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/rand.h>

#include "clock.h"

#define TRIM_EVERY (UINT64_C(64) << 20) /* bytes freed between trims */

bool
mem_store_charge(struct mem_store *s, uint64_t n)
{
    uint_fast64_t used = atomic_load(&s->used);

    do {
        if (n > s->bound || used > s->bound - n)
            return false;
    } while (!atomic_compare_exchange_weak(&s->used, &used, used + n));
    return true;
}

/*
 * N bytes were freed. Large blocks went straight back to the kernel
 * (M_MMAP_THRESHOLD is fixed below); the heaps of small ones are trimmed
 * now and then.
 */
void
mem_store_discharge(struct mem_store *s, uint64_t n)
{
    atomic_fetch_sub(&s->used, n);
    if (atomic_fetch_add(&s->freed, n) + n < TRIM_EVERY)
        return;
    if (atomic_exchange(&s->freed, 0) >= TRIM_EVERY)
        malloc_trim(0);
}

int
mem_store_new(struct mem_store **out, uint64_t bound, bool null_store)
{
    struct mem_store *s = calloc(1, sizeof(*s));
    pthread_rwlockattr_t attr;

    if (s == NULL)
        return ENOMEM;
    if (RAND_bytes((unsigned char *) &s->seed, sizeof(s->seed)) != 1) {
        free(s);
        return EIO;
    }
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    pthread_rwlockattr_init(&attr);
    /* Or many readers starve the writer. */
    pthread_rwlockattr_setkind_np(&attr,
                                  PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&s->lock, &attr);
    pthread_rwlockattr_destroy(&attr);
    mem_map_init(&s->buckets);
    s->bound = bound;
    s->null_store = null_store;
    *out = s;
    return 0;
}

static void
drop_value(void *value)
{
    mem_chain_drop(value);
}

static void
free_bucket(void *value)
{
    struct bucket *b = value;

    mem_map_clear(&b->objects, drop_value);
    free(b);
}

void
mem_store_free(struct mem_store *s)
{
    if (s == NULL)
        return;
    mem_map_clear(&s->buckets, free_bucket);
    pthread_rwlock_destroy(&s->lock);
    free(s);
}

uint64_t
mem_store_bound(const struct mem_store *s)
{
    return s->bound;
}

uint64_t
mem_store_used(const struct mem_store *s)
{
    return atomic_load(&s->used);
}

bool
mem_store_is_null(const struct mem_store *s)
{
    return s->null_store;
}

struct bucket *
mem_store_find_bucket(const struct mem_store *s, const char *name)
{
    struct mem_map_node *node = mem_map_find(&s->buckets, name, strlen(name));

    return node != NULL ? node->value : NULL;
}

int
mem_store_make_bucket(struct mem_store *s, const char *name, bool lock)
{
    uint64_t cost = sizeof(struct bucket) + mem_map_node_bytes(strlen(name));
    struct bucket *b;
    void *old;
    int err = 0;

    if (!mem_store_charge(s, cost))
        return ENOSPC;
    b = calloc(1, sizeof(*b));
    if (b == NULL) {
        mem_store_discharge(s, cost);
        return ENOMEM;
    }
    mem_map_init(&b->objects);
    b->created = clock_wall();
    b->charged = cost;
    b->is.lock = lock;
    b->is.versioning = lock ? MEM_VERSIONS_ON : MEM_VERSIONS_NEVER;
    pthread_rwlock_wrlock(&s->lock);
    if (mem_store_find_bucket(s, name) != NULL)
        err = EEXIST;
    else
        err = mem_map_put(&s->buckets, &old, name, strlen(name), b);
    pthread_rwlock_unlock(&s->lock);
    if (err != 0) {
        mem_store_discharge(s, cost);
        free(b);
    }
    return err;
}

int
mem_store_remove_bucket(struct mem_store *s, const char *name)
{
    struct bucket *b;
    int err = 0;

    pthread_rwlock_wrlock(&s->lock);
    b = mem_store_find_bucket(s, name);
    if (b == NULL)
        err = ENOENT;
    else if (b->objects.count > 0)
        err = ENOTEMPTY;
    else
        mem_map_remove(&s->buckets, name, strlen(name));
    pthread_rwlock_unlock(&s->lock);
    if (err != 0)
        return err;
    mem_store_discharge(s, b->charged);
    free_bucket(b);
    return 0;
}

bool
mem_store_has_bucket(struct mem_store *s, const char *name)
{
    bool found;

    pthread_rwlock_rdlock(&s->lock);
    found = mem_store_find_bucket(s, name) != NULL;
    pthread_rwlock_unlock(&s->lock);
    return found;
}

int
mem_store_get_bucket(struct mem_store *s, struct mem_bucket *out,
                     const char *name)
{
    const struct bucket *b;

    pthread_rwlock_rdlock(&s->lock);
    b = mem_store_find_bucket(s, name);
    if (b != NULL)
        *out = b->is;
    pthread_rwlock_unlock(&s->lock);
    return b != NULL ? 0 : ENOENT;
}

int
mem_store_set_versioning(struct mem_store *s, const char *name, bool on)
{
    struct bucket *b;
    int err = 0;

    pthread_rwlock_wrlock(&s->lock);
    b = mem_store_find_bucket(s, name);
    if (b == NULL)
        err = ENOENT;
    else if (b->is.lock && !on)
        err = EBUSY;
    else
        b->is.versioning = on ? MEM_VERSIONS_ON : MEM_VERSIONS_OFF;
    pthread_rwlock_unlock(&s->lock);
    return err;
}

int
mem_store_set_rule(struct mem_store *s, const char *name,
                   const struct mem_lock_rule *rule)
{
    struct bucket *b;
    int err = 0;

    pthread_rwlock_wrlock(&s->lock);
    b = mem_store_find_bucket(s, name);
    if (b == NULL) {
        err = ENOENT;
    } else if (b->is.versioning != MEM_VERSIONS_ON) {
        err = EBUSY;
    } else {
        b->is.lock = true;
        b->is.rule = *rule;
    }
    pthread_rwlock_unlock(&s->lock);
    return err;
}

void
mem_store_buckets(struct mem_store *s,
                  void (*each)(void *ctx, const char *bucket, time_t created),
                  void *ctx)
{
    const struct mem_map_node *node;

    pthread_rwlock_rdlock(&s->lock);
    for (node = mem_map_from(&s->buckets, "", 0, false); node != NULL;
         node = mem_map_next(node)) {
        const struct bucket *b = node->value;

        each(ctx, mem_map_key(node), b->created);
    }
    pthread_rwlock_unlock(&s->lock);
}
