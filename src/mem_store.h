/* SPDX-License-Identifier: MIT */
/*
 * What s3mem keeps: buckets and objects with their versions, in memory,
 * below a bound. Knows no HTTP and no S3 codes.
 *
 * errno values that come back: ENOENT no such bucket, ENODATA no such key
 * or it is deleted, ENXIO no such version, EISDIR it is a delete marker,
 * EEXIST, ENOTEMPTY, ENOSPC the bound would be passed, ENAMETOOLONG a key
 * above MEM_KEY_MAX, ECANCELED when a condition does not hold, EACCES when
 * a lock forbids it, EBUSY when the bucket's state does, ENOMEM.
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
#include "mem_lock.h"

#define MEM_KEY_MAX 1024 /* bytes; S3's limit */
#define MEM_ETAG_SIZE 39 /* 32 hex digits, "-10000" and NUL, no quotes */
#define MEM_SUM_SIZE 56 /* the base64 of 32 bytes, "-10000" and NUL */
#define MEM_VERSION_SIZE 23 /* 22 characters and NUL */
#define MEM_APPENDS_MAX 10000

struct mem_store;

/* What an object's version is called. */
enum mem_version {
    MEM_VERSION_NONE, /* "null", but its bucket had no versions then */
    MEM_VERSION_NULL, /* "null" */
    MEM_VERSION_ID
};

/* A part of an object that came in parts. */
struct mem_piece {
    uint64_t end; /* of the part, in the object */
    char sum[MEM_SUM_SIZE]; /* of the object's sum_kind; "" without one */
};

/* Changes only until it is put; readers hold a reference. */
struct mem_object {
    uint64_t size;
    char *bytes; /* NULL in a null store and for no bytes */
    time_t modified;
    char etag[MEM_ETAG_SIZE]; /* set by the caller before the put */
    /* Kept headers, name NUL value NUL ...: first those that a copy takes
     * along, behind `meta_own` those that belong to this object. */
    char *meta;
    size_t meta_len, meta_own;
    int sum_kind; /* of a checksum that the client asked for; -1: none */
    char sum[MEM_SUM_SIZE];
    struct mem_piece *pieces; /* NULL: it came as a whole */
    unsigned piece_count;
    bool marker; /* a delete marker, which has nothing of the above */
    enum mem_version version;
    uint64_t seq; /* of the put; greater is later */
    /* Once put, under the store's lock: tags, as `meta`, and the lock. */
    char *tags;
    size_t tags_len;
    atomic_uint tag_count;
    struct mem_lock lock;

    struct mem_object *older; /* private from here on: the version before */
    struct mem_store *store;
    atomic_uint refs;
    unsigned appends;
    uint64_t charged; /* bytes counted against the bound */
    uint64_t room; /* bytes allocated at `bytes` */
    uint64_t filled;
};

/* Which object is meant. */
struct mem_name {
    const char *bucket, *key;
    size_t key_len;
    /* NULL: the newest; "null"; or one that mem_version_check() takes */
    const char *version;
};

/*
 * A store that holds at most BOUND bytes, overhead included. A NULL_STORE
 * keeps sizes, not bytes.
 * Returns: 0 with *OUT for mem_store_free(), ENOMEM, or EIO without random
 *          bytes.
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

/* How a bucket treats its objects. */
enum mem_versioning { MEM_VERSIONS_NEVER, MEM_VERSIONS_ON, MEM_VERSIONS_OFF };

struct mem_bucket {
    enum mem_versioning versioning; /* OFF: suspended */
    bool lock; /* versions can be locked */
    struct mem_lock_rule rule; /* for those that say nothing else */
};

/* A new one; with LOCK it has versions, too. */
int mem_store_make_bucket(struct mem_store *s, const char *bucket, bool lock);
int mem_store_remove_bucket(struct mem_store *s, const char *bucket);
bool mem_store_has_bucket(struct mem_store *s, const char *bucket);

/* Returns: 0 or ENOENT. */
int mem_store_get_bucket(struct mem_store *s, struct mem_bucket *out,
                         const char *bucket);

/* Versions from now on, or no new ones. Returns: 0, ENOENT, or EBUSY: a
 * bucket with locks has versions. */
int mem_store_set_versioning(struct mem_store *s, const char *bucket, bool on);

/* Locks, with RULE. Returns: 0, ENOENT, or EBUSY without versions. */
int mem_store_set_rule(struct mem_store *s, const char *bucket,
                       const struct mem_lock_rule *rule);

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

/* The value of the object's own kept header NAME, or NULL. */
const char *mem_object_own(const struct mem_object *o, const char *name);

/*
 * Move the content of the N complete PARTS, in order, into O, which has none
 * and no size yet, and remember them as its pieces; the parts keep their
 * size. At most one part is held twice at a time, and that is not counted
 * against the bound.
 * Returns: 0, or ENOMEM or ENOSPC with nothing moved.
 */
int mem_object_join(struct mem_object *o, struct mem_object *const *parts,
                    size_t n);

/* Give the PARTS back what was joined from them, while O was not put.
 * Returns: 0, or ENOMEM with O and the parts in pieces. */
int mem_object_split(struct mem_object *o, struct mem_object *const *parts,
                     size_t n);

/* Make room for N more bytes in O, which is complete and the caller's alone.
 * Returns: 0, ENOSPC or ENOMEM. */
int mem_object_reserve(struct mem_object *o, uint64_t n);

/* Put the content of TAIL behind that of O, which has the room, and forget
 * its pieces. */
void mem_object_extend(struct mem_object *o, const struct mem_object *tail);

/* A copy in *OUT, with one reference. Returns: 0, ENOSPC or ENOMEM. */
int mem_object_copy(struct mem_object **out, const struct mem_object *o,
                    size_t key_len);

/* Another reference to O. */
struct mem_object *mem_object_hold(struct mem_object *o);

/* Drop a reference; the last one frees. NULL is fine. */
void mem_object_drop(struct mem_object *o);

/* What must hold for a put; nothing when both are unset. */
struct mem_condition {
    const char *match; /* as in If-Match: there is one with such an ETag */
    bool absent; /* there is none */
};

/* Whether ETAG is in LIST, a list as in If-Match, or LIST is "*". */
bool mem_etag_listed(const char *list, const char *etag);

/* Would mem_store_put() be let pass now? Returns as it does, and BUCKET,
 * unless it is NULL, tells about the bucket. */
int mem_store_may_put(struct mem_store *s, struct mem_bucket *bucket,
                      const struct mem_name *name,
                      const struct mem_condition *c);

/*
 * Store O under NAME, as a new version or instead of what was there, if C
 * holds (NULL: nothing must); takes a reference of its own. Sets the time
 * of modification, the version, and the lock by the bucket's rule.
 * Returns: 0, ENOENT, ENAMETOOLONG, ENOMEM, ECANCELED, or ENODATA where
 *          there is nothing that could match.
 */
int mem_store_put(struct mem_store *s, const struct mem_name *name,
                  struct mem_object *o, const struct mem_condition *c);

/*
 * Put O's content behind the OFFSET bytes that are there, if C holds; with
 * OFFSET 0 and nothing there it is put. WHOLE, in a reference to be
 * dropped, is what is there then. MERGE gives the object, before that, what
 * follows from what it was and O: ETag and checksum.
 * Returns: 0, ENOENT, ENODATA, ENAMETOOLONG, ENOMEM, ENOSPC, ECANCELED,
 *          ERANGE when it has another size, EMLINK after MEM_APPENDS_MAX
 *          times, EBUSY in a bucket with versions, or what MERGE returns.
 */
int mem_store_append(struct mem_store *s, struct mem_object **whole,
                     const struct mem_name *name, struct mem_object *o,
                     uint64_t offset, const struct mem_condition *c,
                     int (*merge)(struct mem_object *whole,
                                  const struct mem_object *tail));

/* What was found. */
struct mem_found {
    struct mem_object *object; /* a reference; may be a delete marker */
    bool versioned; /* its bucket has, or had, versions */
};

/* Returns: 0, ENOENT, ENODATA or ENXIO. */
int mem_store_get(struct mem_store *s, struct mem_found *out,
                  const struct mem_name *name);

/* Replace the tags of a stored object.
 * Returns: 0, ENOENT, ENODATA, ENXIO, EISDIR, ENOSPC or ENOMEM. */
int mem_store_tag(struct mem_store *s, const struct mem_name *name,
                  const char *tags, size_t tags_len, unsigned count);

/* Add O's tags to OUT. Returns: 0 or a buffer's errno value. */
int mem_store_tags(struct mem_store *s, struct buf *out,
                   const struct mem_object *o);

/* The lock of O as it is now. */
struct mem_lock mem_store_lock_of(struct mem_store *s,
                                  const struct mem_object *o);

/*
 * Change the lock of a stored object to what LOCK says of mode and time, or,
 * with HOLD_ONLY, of the legal hold. BYPASS: a GOVERNANCE lock does not
 * count.
 * Returns: 0, ENOENT, ENODATA, ENXIO, EISDIR, or EACCES.
 */
int mem_store_set_lock(struct mem_store *s, const struct mem_name *name,
                       const struct mem_lock *lock, bool hold_only,
                       bool bypass);

/* What a deletion did. */
struct mem_deleted {
    bool versioned; /* the bucket has, or had, versions */
    bool marker; /* a delete marker was put, or one was removed */
    char version[MEM_VERSION_SIZE]; /* which one; "" for none */
};

/*
 * Delete NAME: with a version that one, else all there is of it, which in a
 * bucket with versions is done by a delete marker. BYPASS as above.
 * Returns: 0, also where there is no such version; ENOENT, EACCES; ENODATA
 *          when there was nothing; ENOSPC or ENOMEM for a marker.
 */
int mem_store_delete(struct mem_store *s, struct mem_deleted *out,
                     const struct mem_name *name, bool bypass);

/* The version of O as text. */
void mem_store_version(const struct mem_store *s, char out[MEM_VERSION_SIZE],
                       const struct mem_object *o);

/* Is TEXT a version's name as they are given here, though perhaps not of
 * one that is there? */
bool mem_version_check(const struct mem_store *s, const char *text);

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
    bool versions; /* all of them, the newest first, and delete markers */
    const char *after_version; /* and of `after` what is older; "": none */
    size_t max;
    /* O is NULL for a common prefix. Runs under a lock: must not call in
     * here but for mem_store_version(). Entries come in bytewise order. */
    void (*each)(void *ctx, const char *name, size_t name_len,
                 const struct mem_object *o, bool newest);
    void *ctx;

    size_t count; /* result: entries given */
    bool truncated; /* result: there are more */
};

/* Returns: 0 or ENOENT. */
int mem_store_list(struct mem_store *s, const char *bucket,
                   struct mem_list *list);

#endif
