/* SPDX-License-Identifier: MIT */
/*
 * One request as it came: raw target, headers; and decoded: bucket, key,
 * parameters.
 */
#ifndef S3PERF_MEM_REQUEST_H
#define S3PERF_MEM_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "sigv4.h"
#include "uri.h"

#define MEM_PARAMS_MAX 64
#define MEM_TARGET_MAX ((size_t) 16 << 10)

struct mem_request {
    const char *domain; /* below it hosts are buckets; "localhost" */
    const char *method; /* not owned, as header texts are not */
    struct buf target; /* the raw path; a NUL; the raw query */
    const char *path, *query; /* within it */
    struct sigv4_header headers[SIGV4_HEADERS_MAX];
    size_t header_count;
    bool headers_lost; /* there were more */

    struct buf text; /* decoded; what the next ones point into */
    bool virtual_host; /* the bucket stood in the Host header */
    const char *bucket; /* "" for the service itself */
    const char *key; /* "" for the bucket itself; may hold any byte but NUL */
    size_t key_len;
    struct uri_param params[MEM_PARAMS_MAX]; /* in the order they came */
    size_t param_count;
};

void mem_request_init(struct mem_request *r);
void mem_request_clear(struct mem_request *r);

/* Keep the raw TARGET. Returns: 0, ENOMEM or EMSGSIZE. */
int mem_request_target(struct mem_request *r, const char *target);

/* Another header, whose texts must outlive R. */
void mem_request_header(struct mem_request *r, const char *name,
                        const char *value);

/*
 * Decode target and Host, once all headers are in. A Host of
 * "BUCKET.DOMAIN" names the bucket; otherwise the path does.
 * Returns: 0, EINVAL when the target cannot be decoded, E2BIG for too many
 *          parameters, ENOMEM or EMSGSIZE.
 */
int mem_request_decode(struct mem_request *r);

/* The first header called NAME, or NULL. */
const char *mem_request_find(const struct mem_request *r, const char *name);

/* The value of parameter NAME, "" without one in it; NULL: not there. */
const char *mem_request_param(const struct mem_request *r, const char *name);

#endif
