/* SPDX-License-Identifier: MIT */
/*
 * An ordered map from byte strings to pointers: a skip list, sorted as
 * memcmp() sorts. s3mem keeps its buckets and keys in it.
 * Threads: none of its own; the caller locks.
 * Source: W. Pugh, "Skip Lists: A Probabilistic Alternative to Balanced
 * Trees", CACM 33(6), 1990.
 */
#ifndef S3PERF_MEM_MAP_H
#define S3PERF_MEM_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEM_MAP_HEIGHT_MAX 20 /* enough for 4^20 keys */

struct mem_map_node {
    void *value; /* the caller's */
    size_t key_len;
    uint32_t height;
    struct mem_map_node *next[]; /* then the key and a NUL */
};

struct mem_map {
    struct mem_map_node *head[MEM_MAP_HEIGHT_MAX];
    uint32_t height; /* the tallest node's */
    uint64_t random;
    size_t count;
};

void mem_map_init(struct mem_map *m);

/* Free all nodes; VALUES is called for each value. Safe twice. */
void mem_map_clear(struct mem_map *m, void (*values)(void *value));

/* What a node with a key of KEY_LEN bytes costs on average. */
size_t mem_map_node_bytes(size_t key_len);

/* The node's key; ends in NUL, but may hold others. */
const char *mem_map_key(const struct mem_map_node *node);

/* The node of KEY, or NULL. */
struct mem_map_node *mem_map_find(const struct mem_map *m, const char *key,
                                  size_t key_len);

/* The first node at KEY or above it; only above it when AFTER. NULL: none. */
struct mem_map_node *mem_map_from(const struct mem_map *m, const char *key,
                                  size_t key_len, bool after);

/* The node behind NODE, or NULL. */
struct mem_map_node *mem_map_next(const struct mem_map_node *node);

/*
 * Set KEY's value. *OLD is what it replaced, NULL when KEY is new.
 * Returns: 0 or ENOMEM, then nothing has changed.
 */
int mem_map_put(struct mem_map *m, void **old, const char *key, size_t key_len,
                void *value);

/* Take KEY out. Returns: its value, NULL when there was none. */
void *mem_map_remove(struct mem_map *m, const char *key, size_t key_len);

#endif
