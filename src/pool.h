/* SPDX-License-Identifier: MIT */
/*
 * The objects of a mixed run: which are there, which are being read, written
 * or deleted, and what comes next. An object that is being written or deleted
 * is never read; one that is being read is never deleted. Any number of
 * operations may read the same one. Puts take the number that has been free
 * for longest, or a new one.
 * Every call takes constant time, but for a put that needs room for more
 * objects than there ever were.
 * Threads: any may call pool_begin(), pool_end() and pool_count(), which take
 * one lock for a moment.
 */
#ifndef S3PERF_POOL_H
#define S3PERF_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "mix.h"

#define POOL_OBJECTS_MAX UINT32_C(0x7fffffff)
#define POOL_NO_OBJECT UINT32_MAX

enum pool_outcome {
    POOL_DONE,
    POOL_REFUSED, /* the service said no: everything is as it was */
    POOL_UNCLEAR /* nobody knows whether it was done */
};

/* One operation. */
struct pool_item {
    enum mix_kind kind;
    uint32_t object; /* its number, from 0; POOL_NO_OBJECT for a list */
};

struct pool_object {
    uint32_t place; /* among those that are there, or the next free one */
    uint32_t use; /* private: state, readers, whether it was copied */
};

struct pool {
    pthread_mutex_t lock;
    struct mix mix;
    struct mix_dealer dealer;
    uint64_t random;
    struct pool_object *objects;
    uint32_t *there; /* their numbers: first those that are idle, then those
                        that are being read */
    uint32_t count; /* numbers in use so far */
    uint32_t room;
    uint32_t there_count, idle_count;
    uint32_t first_free, last_free; /* a queue; POOL_NO_OBJECT: empty */
};

/*
 * A pool of COUNT objects, 0 to COUNT - 1, that are all there, with ROOM for
 * so many before more is got. FIRST: operations that other processes deal
 * before ours.
 * Returns: 0 or ENOMEM. Pair with pool_clear().
 */
int pool_init(struct pool *p, const struct mix *mix, uint32_t count,
              uint32_t room, uint64_t first, uint64_t seed);
void pool_clear(struct pool *p);

/* Take the next operation. Returns false when there is none: nothing is there
 * any more and the mix puts nothing. */
bool pool_begin(struct pool *p, struct pool_item *item);

/* ITEM has come to its end. A put that failed leaves its number free; so does
 * a removal unless it was refused. */
void pool_end(struct pool *p, const struct pool_item *item,
              enum pool_outcome outcome);

/* What has been dealt too little of KIND, in operations: 1 or more if it was
 * not possible often enough. */
double pool_owes(struct pool *p, enum mix_kind kind);

/* How many numbers there are: whatever was ever put has one below. */
uint32_t pool_count(struct pool *p);

/* After the run: whether OBJECT may have been copied. */
bool pool_was_copied(const struct pool *p, uint32_t object);

#endif
