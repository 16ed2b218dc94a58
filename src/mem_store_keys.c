/* SPDX-License-Identifier: MIT */
/* What happens to the objects of a bucket: see mem_store.h. */
#include "config.h"

#include "mem_store_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"

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

    if (o != NULL && o->marker)
        o = NULL;
    if (c->absent && o != NULL)
        return ECANCELED;
    if (c->match == NULL)
        return 0;
    if (o == NULL)
        return ENODATA;
    return mem_etag_listed(c->match, o->etag) ? 0 : ECANCELED;
}

static struct mem_map_node *
find_node(const struct bucket *b, const struct mem_name *name)
{
    return mem_map_find(&b->objects, name->key, name->key_len);
}

int
mem_store_may_put(struct mem_store *s, struct mem_bucket *bucket,
                  const struct mem_name *name, const struct mem_condition *c)
{
    const struct bucket *b;
    int err = ENOENT;

    pthread_rwlock_rdlock(&s->lock);
    b = mem_store_find_bucket(s, name->bucket);
    if (b != NULL)
        err = c->absent || c->match != NULL
                  ? check_condition(find_node(b, name), c)
                  : 0;
    if (b != NULL && bucket != NULL)
        *bucket = b->is;
    pthread_rwlock_unlock(&s->lock);
    return err;
}

/* O becomes the newest of what NODE, NULL for nothing, holds in B, which has
 * versions. What goes is added to *GONE. */
static int
add_version(struct bucket *b, struct mem_map_node *node,
            const struct mem_name *name, struct mem_object *o,
            struct mem_object **gone)
{
    struct mem_object *head = node != NULL ? node->value : NULL, *null;
    void *old;
    int err;

    if (node == NULL) {
        err = mem_map_put(&b->objects, &old, name->key, name->key_len, o);
        if (err != 0)
            return err;
    }
    o->version = MEM_VERSION_ID;
    if (b->is.versioning == MEM_VERSIONS_OFF) {
        o->version = MEM_VERSION_NULL;
        for (null = head; null != NULL; null = null->older)
            if (null->version != MEM_VERSION_ID)
                break;
        if (null != NULL) {
            mem_chain_remove(&head, null);
            *gone = null;
        }
    }
    o->older = head;
    if (node != NULL)
        node->value = o;
    return 0;
}

/* Put O, to whom a reference is kept, under the lock. */
static int
put_locked(struct mem_store *s, struct bucket *b, const struct mem_name *name,
           struct mem_object *o, struct mem_object **gone)
{
    void *old = NULL;
    int err;

    o->modified = clock_wall();
    o->seq = s->seq + 1;
    if (b->is.rule.mode != MEM_LOCK_NONE && o->lock.mode == MEM_LOCK_NONE) {
        o->lock.mode = b->is.rule.mode;
        o->lock.until = mem_lock_rule_until(&b->is.rule, o->modified);
    }
    if (b->is.versioning == MEM_VERSIONS_NEVER) {
        err = mem_map_put(&b->objects, &old, name->key, name->key_len, o);
        *gone = old;
    } else {
        err = add_version(b, find_node(b, name), name, o, gone);
    }
    if (err == 0)
        s->seq++;
    return err;
}

int
mem_store_put(struct mem_store *s, const struct mem_name *name,
              struct mem_object *o, const struct mem_condition *c)
{
    struct mem_object *gone = NULL;
    struct bucket *b;
    int err;

    if (name->key_len > MEM_KEY_MAX)
        return ENAMETOOLONG;
    mem_object_hold(o);
    pthread_rwlock_wrlock(&s->lock);
    b = mem_store_find_bucket(s, name->bucket);
    err = b == NULL ? ENOENT : 0;
    if (err == 0 && c != NULL && (c->absent || c->match != NULL))
        err = check_condition(find_node(b, name), c);
    if (err == 0)
        err = put_locked(s, b, name, o, &gone);
    pthread_rwlock_unlock(&s->lock);
    mem_object_drop(err == 0 ? gone : o);
    return err;
}

/* Put TAIL behind the object at NODE. *GONE, if any, was replaced. */
static int
append_locked(struct mem_map_node *node, const struct mem_name *name,
              struct mem_object *tail, struct mem_object **gone,
              int (*merge)(struct mem_object *whole,
                           const struct mem_object *tail))
{
    struct mem_object *o = node->value, *copy = NULL;
    int err;

    if (o->appends == MEM_APPENDS_MAX)
        return EMLINK;
    /* Under the lock for writing nobody gets at it anew, but who reads it
     * needs it as it is. */
    if (atomic_load(&o->refs) > 1) {
        err = mem_object_copy(&copy, o, name->key_len);
        if (err != 0)
            return err;
        o = copy;
    }
    err = mem_object_reserve(o, tail->size);
    if (err == 0)
        err = merge(o, tail);
    if (err != 0) {
        mem_object_drop(copy);
        return err;
    }
    mem_object_extend(o, tail);
    o->appends++;
    o->modified = clock_wall();
    if (copy != NULL) {
        *gone = node->value;
        node->value = copy;
    }
    return 0;
}

/* Can something be put at OFFSET of what is at NODE of B? */
static int
check_append(const struct bucket *b, const struct mem_map_node *node,
             uint64_t offset, const struct mem_condition *c)
{
    const struct mem_object *o;
    int err;

    if (b == NULL)
        return ENOENT;
    if (b->is.versioning != MEM_VERSIONS_NEVER)
        return EBUSY;
    err = check_condition(node, c);
    if (err != 0)
        return err;
    if (node == NULL)
        return offset == 0 ? 0 : ENODATA;
    o = node->value;
    return o->size == offset ? 0 : ERANGE;
}

int
mem_store_append(struct mem_store *s, struct mem_object **whole,
                 const struct mem_name *name, struct mem_object *o,
                 uint64_t offset, const struct mem_condition *c,
                 int (*merge)(struct mem_object *whole,
                              const struct mem_object *tail))
{
    struct mem_object *gone = NULL;
    struct mem_map_node *node;
    struct bucket *b;
    int err;

    if (name->key_len > MEM_KEY_MAX)
        return ENAMETOOLONG;
    pthread_rwlock_wrlock(&s->lock);
    b = mem_store_find_bucket(s, name->bucket);
    node = b != NULL ? find_node(b, name) : NULL;
    err = check_append(b, node, offset, c);
    if (err == 0 && node != NULL) {
        err = append_locked(node, name, o, &gone, merge);
        o = node->value;
    } else if (err == 0) {
        err = put_locked(s, b, name, o, &gone);
        if (err == 0)
            mem_object_hold(o);
    }
    if (err == 0)
        *whole = mem_object_hold(o);
    pthread_rwlock_unlock(&s->lock);
    mem_object_drop(gone);
    return err;
}

/* What NAME means in B, NULL for no bucket. */
static int
find_object(const struct mem_store *s, struct mem_object **out,
            const struct bucket *b, const struct mem_name *name)
{
    const struct mem_map_node *node;

    if (b == NULL)
        return ENOENT;
    node = find_node(b, name);
    *out = node != NULL ? node->value : NULL;
    if (name->version == NULL)
        return *out != NULL ? 0 : ENODATA;
    *out = mem_chain_find(s, *out, name->version);
    return *out != NULL ? 0 : ENXIO;
}

/* The same; but a delete marker is none. */
static int
find_content(const struct mem_store *s, struct mem_object **out,
             const struct mem_name *name)
{
    const struct bucket *b = mem_store_find_bucket(s, name->bucket);
    int err = find_object(s, out, b, name);

    if (err == 0 && (*out)->marker)
        err = name->version == NULL ? ENODATA : EISDIR;
    return err;
}

int
mem_store_get(struct mem_store *s, struct mem_found *out,
              const struct mem_name *name)
{
    const struct bucket *b;
    int err;

    pthread_rwlock_rdlock(&s->lock);
    b = mem_store_find_bucket(s, name->bucket);
    err = find_object(s, &out->object, b, name);
    if (err == 0) {
        mem_object_hold(out->object);
        out->versioned = b->is.versioning != MEM_VERSIONS_NEVER;
    }
    pthread_rwlock_unlock(&s->lock);
    return err;
}

int
mem_store_tag(struct mem_store *s, const struct mem_name *name,
              const char *tags, size_t tags_len, unsigned count)
{
    struct mem_object *o;
    int err;

    pthread_rwlock_wrlock(&s->lock);
    err = find_content(s, &o, name);
    if (err == 0)
        err = mem_object_tag(o, tags, tags_len, count);
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

struct mem_lock
mem_store_lock_of(struct mem_store *s, const struct mem_object *o)
{
    struct mem_lock lock;

    pthread_rwlock_rdlock(&s->lock);
    lock = o->lock;
    pthread_rwlock_unlock(&s->lock);
    return lock;
}

int
mem_store_set_lock(struct mem_store *s, const struct mem_name *name,
                   const struct mem_lock *lock, bool hold_only, bool bypass)
{
    struct mem_object *o;
    int err;

    pthread_rwlock_wrlock(&s->lock);
    err = find_content(s, &o, name);
    if (err == 0 && hold_only) {
        o->lock.hold = lock->hold;
    } else if (err == 0) {
        if (mem_lock_may_change(&o->lock, lock, bypass, clock_wall())) {
            o->lock.mode = lock->mode;
            o->lock.until = lock->until;
        } else {
            err = EACCES;
        }
    }
    pthread_rwlock_unlock(&s->lock);
    return err;
}

/* Take one version out of B. */
static int
delete_version(struct mem_store *s, struct bucket *b, struct mem_deleted *out,
               const struct mem_name *name, bool bypass,
               struct mem_object **gone)
{
    struct mem_map_node *node = find_node(b, name);
    struct mem_object *head, *o;

    if (node == NULL)
        return ENODATA;
    head = node->value;
    o = mem_chain_find(s, head, name->version);
    if (o == NULL)
        return ENODATA;
    if (!mem_lock_may_delete(&o->lock, bypass, clock_wall()))
        return EACCES;
    out->marker = o->marker;
    mem_chain_remove(&head, o);
    *gone = o;
    if (head != NULL)
        node->value = head;
    else
        mem_map_remove(&b->objects, name->key, name->key_len);
    return 0;
}

static int
put_marker(struct mem_store *s, struct bucket *b, struct mem_deleted *out,
           const struct mem_name *name, struct mem_object **gone)
{
    struct mem_object *o;
    int err = mem_object_new(&o, s, 0, name->key_len, NULL, 0);

    if (err != 0)
        return err;
    o->marker = true;
    o->modified = clock_wall();
    o->seq = s->seq + 1;
    err = add_version(b, find_node(b, name), name, o, gone);
    if (err != 0) {
        mem_object_drop(o);
        return err;
    }
    s->seq++;
    out->marker = true;
    mem_store_version(s, out->version, o);
    return 0;
}

int
mem_store_delete(struct mem_store *s, struct mem_deleted *out,
                 const struct mem_name *name, bool bypass)
{
    struct mem_object *gone = NULL;
    struct bucket *b;
    int err;

    *out = (struct mem_deleted){.version = ""};
    pthread_rwlock_wrlock(&s->lock);
    b = mem_store_find_bucket(s, name->bucket);
    if (b != NULL)
        out->versioned = b->is.versioning != MEM_VERSIONS_NEVER;
    if (b == NULL) {
        err = ENOENT;
    } else if (name->version != NULL) {
        snprintf(out->version, sizeof(out->version), "%s", name->version);
        err = delete_version(s, b, out, name, bypass, &gone);
    } else if (out->versioned) {
        err = name->key_len > MEM_KEY_MAX ? ENODATA
                                          : put_marker(s, b, out, name, &gone);
    } else {
        gone = mem_map_remove(&b->objects, name->key, name->key_len);
        err = gone != NULL ? 0 : ENODATA;
    }
    pthread_rwlock_unlock(&s->lock);
    mem_object_drop(gone);
    return err;
}
