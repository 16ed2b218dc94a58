/* SPDX-License-Identifier: MIT */
/*
 * Parts of S3 that a server may lack: s3mem --without.
 */
#ifndef S3PERF_MEM_FEATURE_H
#define S3PERF_MEM_FEATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "mem_answer.h"
#include "mem_request.h"

/* What is no request of its own: SSE-C's keys over plain HTTP. */
#define MEM_WITHOUT_HTTP_KEYS 1u

/* The bit of the feature called NAME; 0 when there is none. */
unsigned mem_feature_find(const char *name);

/* The name of feature number I, NULL behind the last one. */
const char *mem_feature_name(size_t i);

/* Does R ask for nothing of WITHOUT? Returns: false with ANSWER failed. */
bool mem_feature_check(unsigned without, struct mem_answer *answer,
                       const struct mem_request *r);

#endif
