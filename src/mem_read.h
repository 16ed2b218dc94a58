/* SPDX-License-Identifier: MIT */
/*
 * The XML that clients send: what to delete, what an upload consists of,
 * tags, where a bucket shall be.
 * Any namespace; unknown elements are skipped; a DTD is refused.
 */
#ifndef S3PERF_MEM_READ_H
#define S3PERF_MEM_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "mem_store.h"

#define MEM_DELETE_MAX 1000 /* keys in one request */

/* The body of a DeleteObjects request. */
struct mem_delete {
    bool quiet;
    size_t count;
    struct buf keys; /* key NUL version NUL ...; "" for no version */
};

/*
 * Read the N bytes at XML. OUT needs mem_delete_clear(), whatever returns:
 * 0, EINVAL when it is not such a document, E2BIG above MEM_DELETE_MAX
 * keys, ENOMEM.
 */
int mem_read_delete(struct mem_delete *out, const char *xml, size_t n);
void mem_delete_clear(struct mem_delete *d);

/* A part of a CompleteMultipartUpload. */
struct mem_wanted_part {
    unsigned number;
    char etag[MEM_ETAG_SIZE]; /* without quotes */
    int sum_kind; /* of the checksum that it names; -1: none */
    char sum[MEM_SUM_SIZE];
};

/* Read one; OUT, an empty buffer, receives mem_wanted_parts.
 * Returns: 0, EINVAL, also for no part, or ENOMEM. */
int mem_read_parts(struct buf *out, const char *xml, size_t n);

#define MEM_TAGS_MAX ((size_t) 32 << 10)

/* Read a Tagging; OUT, an empty buffer, receives name NUL value NUL ...
 * Returns: 0, EINVAL or ENOMEM. */
int mem_read_tags(struct buf *out, const char *xml, size_t n);

#define MEM_FIELD_MAX 128

/* An element without others in it, of a document where each has one name. */
struct mem_field {
    const char *name;
    bool there;
    char text[MEM_FIELD_MAX]; /* "" when it is not there */
};

/* Read the N FIELDS of a document whose element is ROOT.
 * Returns: 0, EINVAL, also when one comes twice or is too long, or ENOMEM. */
int mem_read_fields(struct mem_field *fields, size_t n, const char *root,
                    const char *xml, size_t len);

#endif
