/* SPDX-License-Identifier: MIT */
/*
 * The list of what comes next: one operation after another over numbered
 * keys, over given keys, or the same one again and again; or a mix of
 * operations over a pool of numbered keys. Knows no HTTP.
 * Threads: any may call workload_next() and workload_done(); the rest only
 * reads.
 */
#ifndef S3PERF_WORKLOAD_H
#define S3PERF_WORKLOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "keys.h"
#include "offsets.h"
#include "pick.h"
#include "pool.h"
#include "sizes.h"

#define WORKLOAD_NAME_MAX 4096 /* what numbers or listed names follow */
#define WORKLOAD_NAME_ROOM (WORKLOAD_NAME_MAX + KEYS_LENGTH_MAX + KEYS_GROWTH)
#define WORKLOAD_ENDLESS UINT64_MAX
/* With a pool, the copy of name number I has the number I + this. */
#define WORKLOAD_COPIES (UINT64_C(1) << 32)

/* Worker process NUMBER, from 0, of OF takes the indexes that are NUMBER
 * modulo OF. All zero: there are no others. */
struct share {
    uint32_t number, of;
};

/* How many of TOTAL indexes fall to SHARE. */
uint64_t share_count(const struct share *share, uint64_t total);

/* The INDEX-th of those, among all. */
uint64_t share_index(const struct share *share, uint64_t index);

/* What has become of an object that gets one operation after another. */
struct workload_turn {
    _Atomic uint64_t ended, good; /* operations, and those that succeeded */
};

struct workload {
    const char *const *names; /* keys (or buckets) as given, not owned */
    size_t name_count; /* at least 1 */
    bool numbered; /* names[0] followed by 1, 2, 3, ... instead */
    uint64_t round; /* numbered: after so many begin with 1 again; 0: never */
    struct share share; /* numbered: which of the numbers are ours */
    uint64_t count; /* how many names to work on, or WORKLOAD_ENDLESS; of our
                       share */
    uint32_t per_item; /* names per operation: 1, or up to 1000 for rm */
    uint64_t size; /* bytes of each object; UINT64_MAX: not known */
    const struct offsets *offsets; /* what is read of each; NULL: all */
    const struct sizes *sizes; /* ... or of a size of its own; else NULL */
    uint64_t seed; /* of sizes */
    uint32_t first_slice; /* of the report, for the smallest class of sizes;
                             0: none */
    struct keys_style style; /* numbered: what becomes of the numbers */
    const struct keys_list *list; /* numbered, round says how many: these
                                     behind names[0], no numbers; else NULL */
    const struct keys_list *versions; /* a version's id for each of `list`;
                                         NULL: the newest of each */
    const struct pick *pick; /* numbered, of a round: in which order; NULL:
                                one after another */
    struct workload_turn *turns; /* one for each different name: no two
                                    operations on it at a time; NULL: as they
                                    come. Not owned; not with `pick` */
    struct pool *pool; /* numbered: says what is done to which object of our
                          share; NULL: the same to each in turn. `offsets` are
                          those of MIX_GET_RANGE then, `count` counts
                          operations, and `per_item` is 1 */
    uint64_t pooled; /* ... objects that it begins with */
    uint32_t ops[MIX_KINDS]; /* ... the number of each kind's operation */
    const char *copies; /* ... begins the names of copies */
    _Atomic uint64_t next; /* names given out so far */
};

/* One operation: names FIRST to FIRST + NAMES - 1, counted from 0. */
struct workload_item {
    uint64_t first;
    uint32_t names;
    uint32_t op; /* which kind of the run's operations, from 0 */
    struct pool_item pooled; /* with a pool: what was taken from it */
    uint64_t size; /* bytes of the object; UINT64_MAX: not known */
    uint64_t offset, length; /* what is read of it; 0 bytes: all */
    uint32_t slice; /* of the report, for its class of sizes; 0: none */
};

/* Take the next operation; false when all have been given out. */
bool workload_next(struct workload *w, struct workload_item *item);

/* ITEM's operation has ended so. */
void workload_done(struct workload *w, const struct workload_item *item,
                   enum pool_outcome outcome);

/* Whether the operations before ITEM's on its name have ended; then it can
 * begin. *GOOD becomes how many of them succeeded. */
bool workload_is_turn(const struct workload *w,
                      const struct workload_item *item, uint64_t *good);

/* How many names have been given out; with a pool, operations. */
uint64_t workload_given(const struct workload *w);

/* How many different names there are: of those, each has its content. With a
 * pool it is a guess, and names beyond may come. */
uint64_t workload_different(const struct workload *w);

/* Name number INDEX counts as this one of the different names. */
uint64_t workload_identity(const struct workload *w, uint64_t index);

/* Bytes of the object that counts as IDENTITY; UINT64_MAX: not known. */
uint64_t workload_size(const struct workload *w, uint64_t identity);

/* Write name number INDEX into OUT, which is reset. Returns 0 or a buffer's
 * errno value. */
int workload_name(const struct workload *w, uint64_t index, struct buf *out);

/* The name that counts as IDENTITY. */
int workload_name_of(const struct workload *w, uint64_t identity,
                     struct buf *out);

/* Which version of name number INDEX is meant; NULL: the newest. */
const char *workload_version(const struct workload *w, uint64_t index);

/* The same for a name that goes with it, BASE, numbered alike. */
int workload_name_after(const struct workload *w, uint64_t index,
                        const char *base, struct buf *out);

#endif
