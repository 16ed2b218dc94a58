/* SPDX-License-Identifier: MIT */
/*
 * The access log: one line of TSV for each request. doc/s3mem.md tells
 * what the columns mean.
 * Threads: any.
 */
#ifndef S3PERF_MEM_LOG_H
#define S3PERF_MEM_LOG_H

#include <stdint.h>

#include "mem_op.h"

struct mem_log;

/* What a line tells besides what is in the operation. */
struct mem_log_entry {
    int64_t begin_wall_us; /* since 1970 */
    int64_t first_ns, total_ns; /* since then; first is -1 without answer */
    uint64_t connection;
    const char *request_id, *ended;
    uint64_t bytes_in, bytes_out;
};

/* Open PATH for appending. Returns: 0 with *OUT for mem_log_close(), or an
 * errno value. */
int mem_log_open(struct mem_log **out, const char *path);

/* NULL is fine. */
void mem_log_close(struct mem_log *l);

/* Write a line, at once. Failures are told on standard error, once. */
void mem_log_write(struct mem_log *l, const struct mem_log_entry *e,
                   const struct mem_op *op);

#endif
