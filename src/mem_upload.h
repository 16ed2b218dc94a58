/* SPDX-License-Identifier: MIT */
/*
 * Multipart uploads that have begun and not ended, with their parts. Knows
 * no HTTP. Parts are objects, so the store's bound holds for them.
 *
 * errno values: ENODATA no such upload, ENOSPC, ENOMEM.
 * Threads: any.
 */
#ifndef S3PERF_MEM_UPLOAD_H
#define S3PERF_MEM_UPLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "mem_store.h"

#define MEM_UPLOAD_ID_SIZE 33 /* 32 hex digits and NUL */
#define MEM_PARTS_MAX 10000

struct mem_uploads;

struct mem_part {
    unsigned number;
    struct mem_object *object;
};

struct mem_upload {
    char id[MEM_UPLOAD_ID_SIZE];
    time_t initiated;
    /* What it becomes: headers and tags are set, content and size are not.
     * Its sum_kind is the checksum that was asked for. */
    struct mem_object *object;
    bool sum_whole; /* the checksum is of the whole, not of the parts' */
    struct mem_part *parts; /* by number */
    size_t count, room;
};

/* Which upload is meant. */
struct mem_upload_name {
    const char *bucket, *key;
    size_t key_len;
    const char *id;
};

/* Returns: 0 with *OUT for mem_uploads_free(), or ENOMEM. */
int mem_uploads_new(struct mem_uploads **out);

/* Before the store is freed. NULL is fine. */
void mem_uploads_free(struct mem_uploads *u);

/* Begin one, with a reference to OBJECT of its own; ID receives its name.
 * Returns: 0, ENAMETOOLONG, ENOMEM, EIO without random bytes. */
int mem_uploads_begin(struct mem_uploads *u, char id[MEM_UPLOAD_ID_SIZE],
                      const char *bucket, const char *key, size_t key_len,
                      struct mem_object *object, bool sum_whole);

/* Add part NUMBER, or replace it; takes a reference of its own. */
int mem_uploads_put(struct mem_uploads *u, const struct mem_upload_name *name,
                    unsigned number, struct mem_object *object);

/*
 * Have a LOOK at an upload, under a lock: LOOK must not call in here. When
 * it returns true the upload is taken out, into *TAKEN, which the caller
 * frees by mem_upload_free(); else *TAKEN is NULL.
 */
int mem_uploads_look(struct mem_uploads *u, struct mem_upload **taken,
                     const struct mem_upload_name *name,
                     bool (*look)(void *ctx, const struct mem_upload *upload),
                     void *ctx);

/* Put back what was taken. Returns: 0, or ENOMEM with UPLOAD freed. */
int mem_uploads_put_back(struct mem_uploads *u,
                         const struct mem_upload_name *name,
                         struct mem_upload *upload);

/* NULL is fine. */
void mem_upload_free(struct mem_upload *upload);

/*
 * Call EACH for the uploads of BUCKET behind key AFTER (all when it is "")
 * and, with an ID, for those of key AFTER behind that one; by key, then by
 * id, under a lock, until EACH returns false.
 */
void mem_uploads_list(struct mem_uploads *u, const char *bucket,
                      const char *after, const char *after_id,
                      bool (*each)(void *ctx, const char *key, size_t key_len,
                                   const struct mem_upload *upload),
                      void *ctx);

/* BUCKET is gone: so are its uploads. */
void mem_uploads_drop(struct mem_uploads *u, const char *bucket);

#endif
