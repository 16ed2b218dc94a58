/* SPDX-License-Identifier: MIT */
/* The listing of a bucket: see mem_store.h. */
#include "config.h"

#include "mem_store_parts.h"

#include <errno.h>
#include <string.h>

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

/* Is NODE's the key that the listing starts within? */
static bool
is_start(const struct mem_list *l, const struct mem_map_node *node)
{
    return l->versions && l->after_version[0] != '\0' &&
           node->key_len == l->after_len &&
           memcmp(mem_map_key(node), l->after, l->after_len) == 0;
}

/* The first of NODE's versions that is listed, or NULL. */
static const struct mem_object *
first_listed(const struct mem_store *s, const struct mem_list *l,
             const struct mem_map_node *node)
{
    struct mem_object *o = node->value;

    if (!l->versions)
        return o->marker ? NULL : o;
    return is_start(l, node) ? mem_chain_behind(s, o, l->after_version) : o;
}

/* Give NODE's versions from O on. Returns: false when the page is full. */
static bool
list_key(struct mem_list *l, const struct mem_map_node *node,
         const struct mem_object *o)
{
    for (; o != NULL; o = l->versions ? o->older : NULL) {
        if (l->count == l->max) {
            l->truncated = l->max > 0;
            return false;
        }
        l->each(l->ctx, mem_map_key(node), node->key_len, o, o == node->value);
        l->count++;
    }
    return true;
}

/* Give NODE's common prefix. Returns: false when the page is full. */
static bool
list_common(struct mem_list *l, const struct mem_map_node *node, size_t common)
{
    if (l->count == l->max) {
        l->truncated = l->max > 0;
        return false;
    }
    l->each(l->ctx, mem_map_key(node), common, NULL, false);
    l->count++;
    return true;
}

static const struct mem_map_node *
find_first(const struct mem_map *m, const struct mem_list *l)
{
    const struct mem_map_node *node =
        mem_map_from(m, l->prefix, l->prefix_len, false);

    if (node == NULL || !passed(l, mem_map_key(node), node->key_len))
        return node;
    return mem_map_from(m, l->after, l->after_len,
                        !l->versions || l->after_version[0] == '\0');
}

static void
list_objects(const struct mem_store *s, const struct mem_map *m,
             struct mem_list *l)
{
    const struct mem_map_node *node = find_first(m, l);

    while (node != NULL && node->key_len >= l->prefix_len &&
           (l->prefix_len == 0 ||
            memcmp(mem_map_key(node), l->prefix, l->prefix_len) == 0)) {
        const char *key = mem_map_key(node);
        const struct mem_object *o = first_listed(s, l, node);
        size_t common = common_prefix(l, key, node->key_len);

        if (o == NULL) {
            node = mem_map_next(node);
        } else if (common == 0) {
            if (!list_key(l, node, o))
                return;
            node = mem_map_next(node);
        } else {
            if (!passed(l, key, common) && !list_common(l, node, common))
                return;
            node = behind_prefix(m, key, common);
        }
    }
}

int
mem_store_list(struct mem_store *s, const char *bucket, struct mem_list *list)
{
    const struct bucket *b;

    list->count = 0;
    list->truncated = false;
    pthread_rwlock_rdlock(&s->lock);
    b = mem_store_find_bucket(s, bucket);
    if (b != NULL)
        list_objects(s, &b->objects, list);
    pthread_rwlock_unlock(&s->lock);
    return b == NULL ? ENOENT : 0;
}
