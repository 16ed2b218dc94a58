/* SPDX-License-Identifier: MIT */
/*
 * What requests say of objects beside their content: type, metadata, tags,
 * storage class and the like, as headers that are made before the run.
 * Source: AWS S3 API reference, PutObject and CreateMultipartUpload.
 * Threads: not changed once the run is under way.
 */
#ifndef S3PERF_ASPECTS_H
#define S3PERF_ASPECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "buf.h"
#include "sse.h"

#define ASPECTS_MAX 34 /* headers; a request has others, too */
#define ASPECTS_RANDOM_MAX 16384 /* bytes of random metadata */

/* Which requests a header goes with; bits. */
enum aspects_when {
    ASPECTS_BEGIN = 1, /* an object begins: by a put, or an upload in parts */
    ASPECTS_COPY = 2, /* likewise, by a copy */
    ASPECTS_PART = 4,
    ASPECTS_READ = 8, /* get, head */
    ASPECTS_BECOME = 16, /* an object is there all at once */
    ASPECTS_DELETE = 32,
    ASPECTS_BUCKET = 64 /* it begins */
};

struct aspect {
    unsigned when;
    size_t name, value; /* offsets into the texts */
};

struct aspects {
    struct aspect items[ASPECTS_MAX];
    size_t count;
    struct buf texts;
};

/* Safe to clear when all is zero, and twice; what was secret is wiped. */
void aspects_init(struct aspects *a);
void aspects_clear(struct aspects *a);

/* Add a header. Returns: 0, E2BIG when there are too many, or a buffer's
 * errno value. */
int aspects_add(struct aspects *a, unsigned when, const char *name,
                const char *value);

const char *aspects_name(const struct aspects *a, size_t i);
const char *aspects_value(const struct aspects *a, size_t i);

/* Whether NAME is among them, in any case. */
bool aspects_have(const struct aspects *a, const char *name);

/* Add "K=V" as x-amz-meta-K. Returns: as aspects_add(), or EINVAL when it is
 * nothing that a header can carry. */
int aspects_add_metadata(struct aspects *a, const char *text);

/* Add x-amz-meta-random with N bytes that SEED gives. */
int aspects_add_random(struct aspects *a, size_t n, uint64_t seed);

/* Add "K=V,K=V" as x-amz-tagging. Returns: as aspects_add(), or EINVAL for a
 * tag without '=' or name. */
int aspects_add_tags(struct aspects *a, const char *text);

/* Add "MODE:TIME", governance or compliance, as retention until so long after
 * WALL. Returns: as aspects_add(), or EINVAL when it is nothing like that. */
int aspects_add_retention(struct aspects *a, const char *text, time_t wall);

/* Add If-Match of the etag TEXT, which may come without its quotes. */
int aspects_add_match(struct aspects *a, const char *text);

/* Add what S asks for. */
int aspects_add_sse(struct aspects *a, const struct sse *s);

/* Whether TEXT can be the value of a header: it is not empty, and nothing in
 * it ends the header or is cut at its ends. */
bool aspects_is_value(const char *text);

#endif
