/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void
mem_map_init(struct mem_map *m)
{
    *m = (struct mem_map){.height = 1, .random = 0x9e3779b97f4a7c15};
}

void
mem_map_clear(struct mem_map *m, void (*values)(void *value))
{
    struct mem_map_node *node = m->head[0];

    while (node != NULL) {
        struct mem_map_node *next = node->next[0];

        values(node->value);
        free(node);
        node = next;
    }
    mem_map_init(m);
}

size_t
mem_map_node_bytes(size_t key_len)
{
    /* One pointer in four has another above it: 4/3 on average. */
    return sizeof(struct mem_map_node) + 2 * sizeof(void *) + key_len + 1;
}

const char *
mem_map_key(const struct mem_map_node *node)
{
    return (const char *) &node->next[node->height];
}

static int
compare(const struct mem_map_node *node, const char *key, size_t key_len)
{
    size_t n = node->key_len < key_len ? node->key_len : key_len;
    int order = n > 0 ? memcmp(mem_map_key(node), key, n) : 0;

    if (order != 0)
        return order;
    return node->key_len < key_len ? -1 : node->key_len > key_len;
}

/*
 * Walk down to KEY. LINKS, unless NULL, receives the link that would lead
 * to KEY on each level, also on those that have no node yet.
 * Returns: the first node at KEY or above.
 */
static struct mem_map_node *
descend(struct mem_map *m, struct mem_map_node ***links, const char *key,
        size_t key_len)
{
    struct mem_map_node **level = m->head;
    struct mem_map_node *passed = NULL; /* known to be at KEY or above */

    if (links != NULL)
        for (uint32_t h = 0; h < MEM_MAP_HEIGHT_MAX; h++)
            links[h] = &m->head[h];
    for (uint32_t h = m->height; h-- > 0;) {
        while (level[h] != NULL && level[h] != passed &&
               compare(level[h], key, key_len) < 0)
            level = level[h]->next;
        passed = level[h];
        if (links != NULL)
            links[h] = &level[h];
    }
    return level[0];
}

struct mem_map_node *
mem_map_from(const struct mem_map *m, const char *key, size_t key_len,
             bool after)
{
    /* Without links nothing is written, so the const goes for a moment. */
    struct mem_map_node *node =
        descend((struct mem_map *) m, NULL, key, key_len);

    if (after && node != NULL && compare(node, key, key_len) == 0)
        node = node->next[0];
    return node;
}

struct mem_map_node *
mem_map_find(const struct mem_map *m, const char *key, size_t key_len)
{
    struct mem_map_node *node = mem_map_from(m, key, key_len, false);

    return node != NULL && compare(node, key, key_len) == 0 ? node : NULL;
}

struct mem_map_node *
mem_map_next(const struct mem_map_node *node)
{
    return node->next[0];
}

/* 1 with probability 3/4, 2 with 3/16, ... (xorshift64) */
static uint32_t
draw_height(struct mem_map *m)
{
    uint32_t height = 1;
    uint64_t bits;

    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    for (bits = m->random >> 16; (bits & 3) == 0 && height < MEM_MAP_HEIGHT_MAX;
         bits >>= 2)
        height++;
    return height;
}

int
mem_map_put(struct mem_map *m, void **old, const char *key, size_t key_len,
            void *value)
{
    struct mem_map_node **links[MEM_MAP_HEIGHT_MAX];
    struct mem_map_node *node = descend(m, links, key, key_len);
    uint32_t height;
    char *copy;

    *old = NULL;
    if (node != NULL && compare(node, key, key_len) == 0) {
        *old = node->value;
        node->value = value;
        return 0;
    }
    height = draw_height(m);
    node = malloc(sizeof(*node) + height * sizeof(node->next[0]) + key_len + 1);
    if (node == NULL)
        return ENOMEM;
    node->value = value;
    node->key_len = key_len;
    node->height = height;
    copy = (char *) &node->next[height];
    if (key_len > 0)
        memcpy(copy, key, key_len);
    copy[key_len] = '\0';
    if (m->height < height)
        m->height = height;
    node->next[0] = *links[0];
    *links[0] = node;
    for (uint32_t h = 1; h < height; h++) {
        node->next[h] = *links[h];
        *links[h] = node;
    }
    m->count++;
    return 0;
}

void *
mem_map_remove(struct mem_map *m, const char *key, size_t key_len)
{
    struct mem_map_node **links[MEM_MAP_HEIGHT_MAX];
    struct mem_map_node *node = descend(m, links, key, key_len);
    void *value;

    if (node == NULL || compare(node, key, key_len) != 0)
        return NULL;
    for (uint32_t h = 0; h < node->height; h++)
        *links[h] = node->next[h];
    while (m->height > 1 && m->head[m->height - 1] == NULL)
        m->height--;
    value = node->value;
    free(node);
    m->count--;
    return value;
}
