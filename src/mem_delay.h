/* SPDX-License-Identifier: MIT */
/*
 * Wakes things up when they are due: one thread, a heap of moments.
 * Threads: any may add.
 */
#ifndef S3PERF_MEM_DELAY_H
#define S3PERF_MEM_DELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mem_delay;

/*
 * Start the thread. WAKE is called from it, once for each thing added; at
 * most CAPACITY things wait at a time.
 * Returns: 0 with *OUT for mem_delay_free(), or an errno value.
 */
int mem_delay_new(struct mem_delay **out, size_t capacity,
                  void (*wake)(void *thing));

/* Wake THING at DUE_NS (clock_now_ns()). Returns: false, and WAKE is not
 * called, when CAPACITY is reached or mem_delay_stop() was called. */
bool mem_delay_add(struct mem_delay *d, void *thing, int64_t due_ns);

/* Wake everything now; nothing can be added any more. NULL is fine. */
void mem_delay_stop(struct mem_delay *d);

/* Stops first. NULL is fine. */
void mem_delay_free(struct mem_delay *d);

#endif
