/* SPDX-License-Identifier: MIT */
/*
 * The bytes that a null store serves: a small block of noise which repeats.
 * A window maps it many times over, so that any piece up to a limit can be
 * sent without a copy and stays in the processor's cache.
 * Threads: read-only once made.
 */
#ifndef S3PERF_MEM_POOL_H
#define S3PERF_MEM_POOL_H

#include <stddef.h>
#include <stdint.h>

#define MEM_POOL_BLOCK ((size_t) 1 << 20)
#define MEM_POOL_PIECE_MAX ((size_t) 64 << 20)

struct mem_pool {
    char *window; /* NULL when not made */
};

/* Returns: 0 with P for mem_pool_clear(), or an errno value. */
int mem_pool_make(struct mem_pool *p);

/* Safe twice. */
void mem_pool_clear(struct mem_pool *p);

/* The bytes from OFFSET of an object on; MEM_POOL_PIECE_MAX of them may be
 * read. */
const char *mem_pool_at(const struct mem_pool *p, uint64_t offset);

#endif
