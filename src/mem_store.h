/* SPDX-License-Identifier: MIT */
/*
 * What s3mem keeps: buckets and objects, in memory, below a bound. Knows
 * no HTTP and no S3 codes.
 *
 * errno values that come back: ENOENT no such bucket, ENODATA no such key,
 * EEXIST, ENOTEMPTY, ENOSPC the bound would be passed, ENAMETOOLONG a key
 * above MEM_KEY_MAX, ECANCELED when a condition does not hold, ENOMEM.
 * Threads: everything here may be called from any thread; a new object
 * belongs to one thread until mem_store_put().
 */
#ifndef S3PERF_MEM_STORE_H
#define S3PERF_MEM_STORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "buf.h"

#define MEM_KEY_MAX 1024 /* bytes; S3's limit */
#define MEM_ETAG_SIZE 39 /* 32 hex digits, "-10000" and NUL, no quotes */
#define MEM_SUM_SIZE 56 /* the base64 of 32 bytes, "-10000" and NUL */

struct mem_store;

/* Changes only until it is put; readers hold a reference. */
struct mem_object {
    uint64_t size;
    char *bytes; /* NULL in a null store and for no bytes */
    time_t modified;
    char etag[MEM_ETAG_SIZE]; /* set by the caller before the put */
    char *meta; /* kept headers: name NUL value NUL ... */
    size_t meta_len;
    int sum_kind; /* of a checksum that the client asked for; -1: none */
    char sum[MEM_SUM_SIZE];
    /* Tags: name NUL value NUL ...; once put, under the store's lock. */
    char *tags;
    size_t tags_len;
    atomic_uint tag_count;

    struct mem_store *store; /* private from here on */
    atomic_uint refs;
    uint64_t charged; /* bytes counted against the bound */
    uint64_t room; /* bytes allocated at `bytes` */
    uint64_t filled;
};

/*
 * A store that holds at most BOUND bytes, overhead included. A NULL_STORE
 * keeps sizes, not bytes.
 * Returns: 0 with *OUT for mem_store_free(), or ENOMEM.
 */
int mem_store_new(struct mem_store **out, uint64_t bound, bool null_store);

/* No reference to an object may be held any more. NULL is fine. */
void mem_store_free(struct mem_store *s);

uint64_t mem_store_bound(const struct mem_store *s);
uint64_t mem_store_used(const struct mem_store *s);
bool mem_store_is_null(const struct mem_store *s);

/* Count N more bytes; false, and nothing is counted, beyond the bound. */
bool mem_store_charge(struct mem_store *s, uint64_t n);
void mem_store_discharge(struct mem_store *s, uint64_t n);

int mem_store_make_bucket(struct mem_store *s, const char *bucket);
int mem_store_remove_bucket(struct mem_store *s, const char *bucket);
bool mem_store_has_bucket(struct mem_store *s, const char *bucket);

/*
 * A new object of SIZE bytes for a key of KEY_LEN bytes, with a copy of
 * the META_LEN bytes at META. Memory for its content is taken as it comes,
 * so a SIZE that lies costs nothing; one that cannot fit is refused now.
 * Returns: 0 with *OUT, one reference to be dropped; ENOSPC or ENOMEM.
 */
int mem_object_new(struct mem_object **out, struct mem_store *s, uint64_t size,
                   size_t key_len, const char *meta, size_t meta_len);

/* Append. Returns: 0, EMSGSIZE beyond the object's size, ENOSPC, ENOMEM. */
int mem_object_add(struct mem_object *o, const void *bytes, size_t n);

/* Replace the tags of an object that is not put yet. Returns: 0, ENOSPC or
 * ENOMEM. */
int mem_object_tag(struct mem_object *o, const char *tags, size_t tags_len,
                   unsigned count);

/*
 * Move the content of the N complete PARTS, in order, into O, which has none
 * and no size yet; the parts keep their size. At most one part is held twice
 * at a time, and that is not counted against the bound.
 * Returns: 0, or ENOMEM with nothing moved.
 */
int mem_object_join(struct mem_object *o, struct mem_object *const *parts,
                    size_t n);

/* Give the PARTS back what was joined from them, while O was not put.
 * Returns: 0, or ENOMEM with O and the parts in pieces. */
int mem_object_split(struct mem_object *o, struct mem_object *const *parts,
                     size_t n);

/* Drop a reference; the last one frees. NULL is fine. */
void mem_object_drop(struct mem_object *o);

/* Store O as KEY, replacing what was there; takes a reference of its own.
 * Sets the time of modification. Returns: 0, ENOENT, ENAMETOOLONG, ENOMEM. */
int mem_store_put(struct mem_store *s, const char *bucket, const char *key,
                  size_t key_len, struct mem_object *o);

/* What must hold for a put; nothing when both are unset. */
struct mem_condition {
    const char *match; /* as in If-Match: there is one with such an ETag */
    bool absent; /* there is none */
};

/* Whether ETAG is in LIST, a list as in If-Match, or LIST is "*". */
bool mem_etag_listed(const char *list, const char *etag);

/* Would mem_store_put_if() be let pass now? Returns as it does. */
int mem_store_may_put(struct mem_store *s, const char *bucket, const char *key,
                      size_t key_len, const struct mem_condition *c);

/* As mem_store_put(), but only when C holds: else ECANCELED, or ENODATA
 * where there is nothing that could match. */
int mem_store_put_if(struct mem_store *s, const char *bucket, const char *key,
                     size_t key_len, struct mem_object *o,
                     const struct mem_condition *c);

/* Replace the tags of a stored object.
 * Returns: 0, ENOENT, ENODATA, ENOSPC or ENOMEM. */
int mem_store_tag(struct mem_store *s, const char *bucket, const char *key,
                  size_t key_len, const char *tags, size_t tags_len,
                  unsigned count);

/* Add O's tags to OUT. Returns: 0 or a buffer's errno value. */
int mem_store_tags(struct mem_store *s, struct buf *out,
                   const struct mem_object *o);

/* Returns: 0 with a reference in *OUT, ENOENT or ENODATA. */
int mem_store_get(struct mem_store *s, struct mem_object **out,
                  const char *bucket, const char *key, size_t key_len);

/* Returns: 0, ENOENT or ENODATA. */
int mem_store_delete(struct mem_store *s, const char *bucket, const char *key,
                     size_t key_len);

/* Call EACH for all buckets in order, under a lock: EACH must not call in
 * here. */
void mem_store_buckets(struct mem_store *s,
                       void (*each)(void *ctx, const char *bucket,
                                    time_t created),
                       void *ctx);

/* One page of a listing. Lengths count, the texts may hold any byte. */
struct mem_list {
    const char *prefix;
    size_t prefix_len;
    const char *delimiter;
    size_t delimiter_len; /* 0: none */
    const char *after; /* only names above this one */
    size_t after_len; /* 0: from the start */
    size_t max;
    /* O is NULL for a common prefix. Runs under a lock: must not call in
     * here. Entries come in bytewise order. */
    void (*each)(void *ctx, const char *name, size_t name_len,
                 const struct mem_object *o);
    void *ctx;

    size_t count; /* result: entries given */
    bool truncated; /* result: there are more */
};

/* Returns: 0 or ENOENT. */
int mem_store_list(struct mem_store *s, const char *bucket,
                   struct mem_list *list);

#endif
