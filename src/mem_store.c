/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_store.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "mem_map.h"

#define TRIM_EVERY (UINT64_C(64) << 20) /* bytes freed between trims */

struct mem_store {
    pthread_rwlock_t lock; /* guards the maps */
    struct mem_map buckets; /* of struct bucket */
    uint64_t bound;
    bool null_store;
    atomic_uint_fast64_t used;
    atomic_uint_fast64_t freed; /* small blocks, since the last trim */
};

struct bucket {
    struct mem_map objects; /* of struct mem_object */
    time_t created;
    uint64_t charged;
};

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
    mem_object_drop(value);
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

static struct bucket *
find_bucket(const struct mem_store *s, const char *name)
{
    struct mem_map_node *node = mem_map_find(&s->buckets, name, strlen(name));

    return node != NULL ? node->value : NULL;
}

int
mem_store_make_bucket(struct mem_store *s, const char *name)
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
    pthread_rwlock_wrlock(&s->lock);
    if (find_bucket(s, name) != NULL)
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
    b = find_bucket(s, name);
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
    found = find_bucket(s, name) != NULL;
    pthread_rwlock_unlock(&s->lock);
    return found;
}

bool
mem_etag_listed(const char *list, const char *etag)
{
    size_t len = strlen(etag);

    if (strcmp(list, "*") == 0)
        return true;
    while (*list != '\0') {
        size_t n;

        list += strspn(list, " \t,\"");
        n = strcspn(list, " \t,\"");
        if (n == len && memcmp(list, etag, n) == 0)
            return true;
        list += n;
    }
    return false;
}

/* Whether C holds for what is at NODE, NULL for nothing. */
static int
check_condition(const struct mem_map_node *node, const struct mem_condition *c)
{
    const struct mem_object *o = node != NULL ? node->value : NULL;

    if (c->absent && o != NULL)
        return ECANCELED;
    if (c->match == NULL)
        return 0;
    if (o == NULL)
        return ENODATA;
    return mem_etag_listed(c->match, o->etag) ? 0 : ECANCELED;
}

int
mem_store_may_put(struct mem_store *s, const char *bucket, const char *key,
                  size_t key_len, const struct mem_condition *c)
{
    struct bucket *b;
    int err;

    pthread_rwlock_rdlock(&s->lock);
    b = find_bucket(s, bucket);
    err = b == NULL
              ? ENOENT
              : check_condition(mem_map_find(&b->objects, key, key_len), c);
    pthread_rwlock_unlock(&s->lock);
    return err;
}

int
mem_store_put_if(struct mem_store *s, const char *bucket, const char *key,
                 size_t key_len, struct mem_object *o,
                 const struct mem_condition *c)
{
    struct bucket *b;
    void *old = NULL;
    int err;

    if (key_len > MEM_KEY_MAX)
        return ENAMETOOLONG;
    o->modified = clock_wall();
    atomic_fetch_add(&o->refs, 1);
    pthread_rwlock_wrlock(&s->lock);
    b = find_bucket(s, bucket);
    err = b == NULL ? ENOENT : 0;
    if (err == 0 && (c->absent || c->match != NULL))
        err = check_condition(mem_map_find(&b->objects, key, key_len), c);
    if (err == 0)
        err = mem_map_put(&b->objects, &old, key, key_len, o);
    pthread_rwlock_unlock(&s->lock);
    mem_object_drop(err == 0 ? old : o);
    return err;
}

int
mem_store_put(struct mem_store *s, const char *bucket, const char *key,
              size_t key_len, struct mem_object *o)
{
    static const struct mem_condition none = {NULL, false};

    return mem_store_put_if(s, bucket, key, key_len, o, &none);
}

int
mem_store_tag(struct mem_store *s, const char *bucket, const char *key,
              size_t key_len, const char *tags, size_t tags_len, unsigned count)
{
    struct mem_map_node *node = NULL;
    struct bucket *b;
    int err;

    pthread_rwlock_wrlock(&s->lock);
    b = find_bucket(s, bucket);
    if (b != NULL)
        node = mem_map_find(&b->objects, key, key_len);
    if (node != NULL)
        err = mem_object_tag(node->value, tags, tags_len, count);
    else
        err = b == NULL ? ENOENT : ENODATA;
    pthread_rwlock_unlock(&s->lock);
    return err;
}

int
mem_store_tags(struct mem_store *s, struct buf *out, const struct mem_object *o)
{
    int err;

    pthread_rwlock_rdlock(&s->lock);
    err = buf_add(out, o->tags, o->tags_len);
    pthread_rwlock_unlock(&s->lock);
    return err;
}

int
mem_store_get(struct mem_store *s, struct mem_object **out, const char *bucket,
              const char *key, size_t key_len)
{
    struct mem_map_node *node = NULL;
    struct bucket *b;

    pthread_rwlock_rdlock(&s->lock);
    b = find_bucket(s, bucket);
    if (b != NULL)
        node = mem_map_find(&b->objects, key, key_len);
    if (node != NULL) {
        *out = node->value;
        atomic_fetch_add(&(*out)->refs, 1);
    }
    pthread_rwlock_unlock(&s->lock);
    if (b == NULL)
        return ENOENT;
    return node != NULL ? 0 : ENODATA;
}

int
mem_store_delete(struct mem_store *s, const char *bucket, const char *key,
                 size_t key_len)
{
    struct mem_object *o = NULL;
    struct bucket *b;

    pthread_rwlock_wrlock(&s->lock);
    b = find_bucket(s, bucket);
    if (b != NULL)
        o = mem_map_remove(&b->objects, key, key_len);
    pthread_rwlock_unlock(&s->lock);
    if (b == NULL)
        return ENOENT;
    if (o == NULL)
        return ENODATA;
    mem_object_drop(o);
    return 0;
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

/* The first node behind all keys that begin with the N bytes at PREFIX. */
static const struct mem_map_node *
behind_prefix(const struct mem_map *m, const char *prefix, size_t n)
{
    char bound[MEM_KEY_MAX];

    /* The least string above them: its last byte but 0xff goes up by one. */
    while (n > 0 && (unsigned char) prefix[n - 1] == 0xff)
        n--;
    if (n == 0)
        return NULL;
    memcpy(bound, prefix, n);
    bound[n - 1] = (char) ((unsigned char) bound[n - 1] + 1);
    return mem_map_from(m, bound, n, false);
}

/* How long KEY's common prefix is; 0 when it is listed itself. */
static size_t
common_prefix(const struct mem_list *l, const char *key, size_t key_len)
{
    const char *found;

    if (l->delimiter_len == 0)
        return 0;
    found = memmem(key + l->prefix_len, key_len - l->prefix_len, l->delimiter,
                   l->delimiter_len);
    return found == NULL ? 0 : (size_t) (found - key) + l->delimiter_len;
}

/* Whether NAME lies at or below where the listing starts. */
static bool
passed(const struct mem_list *l, const char *name, size_t n)
{
    size_t least = n < l->after_len ? n : l->after_len;
    int order = least > 0 ? memcmp(name, l->after, least) : 0;

    return l->after_len > 0 && (order < 0 || (order == 0 && n <= l->after_len));
}

static void
list_objects(const struct mem_map *m, struct mem_list *l)
{
    const struct mem_map_node *node =
        mem_map_from(m, l->prefix, l->prefix_len, false);

    if (node != NULL && passed(l, mem_map_key(node), node->key_len))
        node = mem_map_from(m, l->after, l->after_len, true);
    while (node != NULL && node->key_len >= l->prefix_len &&
           (l->prefix_len == 0 ||
            memcmp(mem_map_key(node), l->prefix, l->prefix_len) == 0)) {
        const char *key = mem_map_key(node);
        size_t common = common_prefix(l, key, node->key_len);

        if (common > 0 && passed(l, key, common)) {
            node = behind_prefix(m, key, common);
            continue;
        }
        if (l->count == l->max) {
            l->truncated = l->max > 0;
            return;
        }
        if (common > 0) {
            l->each(l->ctx, key, common, NULL);
            node = behind_prefix(m, key, common);
        } else {
            l->each(l->ctx, key, node->key_len, node->value);
            node = mem_map_next(node);
        }
        l->count++;
    }
}

int
mem_store_list(struct mem_store *s, const char *bucket, struct mem_list *list)
{
    struct bucket *b;

    list->count = 0;
    list->truncated = false;
    pthread_rwlock_rdlock(&s->lock);
    b = find_bucket(s, bucket);
    if (b != NULL)
        list_objects(&b->objects, list);
    pthread_rwlock_unlock(&s->lock);
    return b == NULL ? ENOENT : 0;
}
