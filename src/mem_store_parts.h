/* SPDX-License-Identifier: MIT */
/* What the parts of the store share. Private to them. */
#ifndef S3PERF_MEM_STORE_PARTS_H
#define S3PERF_MEM_STORE_PARTS_H

#include <pthread.h>

#include "mem_map.h"
#include "mem_store.h"

struct mem_store {
    pthread_rwlock_t lock; /* guards the maps, and all that is put */
    struct mem_map buckets; /* of struct bucket */
    uint64_t bound;
    bool null_store;
    uint64_t seq; /* of the last put */
    uint64_t seed; /* of the names of versions */
    atomic_uint_fast64_t used;
    atomic_uint_fast64_t freed; /* small blocks, since the last trim */
};

struct bucket {
    struct mem_map objects; /* of struct mem_object, the newest version */
    time_t created;
    uint64_t charged;
    struct mem_bucket is;
};

/* Under the lock: the bucket called NAME, or NULL. */
struct bucket *mem_store_find_bucket(const struct mem_store *s,
                                     const char *name);

/* Drop O and all that is older; as they are taken out of the map. */
void mem_chain_drop(struct mem_object *o);

/* The version called TEXT, "null" or an id, at O or older; NULL: none. */
struct mem_object *mem_chain_find(const struct mem_store *s,
                                  struct mem_object *o, const char *text);

/* The first of O and older ones that is older than the version called
 * TEXT, which may be gone. */
struct mem_object *mem_chain_behind(const struct mem_store *s,
                                    struct mem_object *o, const char *text);

/* Take O out of the chain that begins at *HEAD. */
void mem_chain_remove(struct mem_object **head, struct mem_object *o);

#endif
