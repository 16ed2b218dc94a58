/* SPDX-License-Identifier: MIT */
/*
 * The machine that a result comes from, and what this process took of it.
 */
#ifndef S3PERF_HOST_H
#define S3PERF_HOST_H

#include <stdbool.h>
#include <stdint.h>

#define HOST_TEXT_SIZE 128

struct host {
    char name[256]; /* "localhost" when the machine has none */
    char kernel[HOST_TEXT_SIZE]; /* "Linux 6.1.0-18-amd64 x86_64" */
    char cpu[HOST_TEXT_SIZE]; /* the processor's model; "" when not known */
    uint32_t cores; /* that this process may use */
    uint64_t memory_kib; /* of the machine; 0 when not known */
};

/* MODEL: also ask for the processor's, which takes the kernel a moment. */
void host_look(struct host *h, bool model);

/* Most memory that this process has had so far, in KiB; 0: not known. */
uint64_t host_max_rss_kib(void);

/* What host_forget_rss() needs, or -1 where it cannot be had. For a moment
 * the process may be dumped, so call it before keys are in memory. */
int host_open_rss(void);

/* From now on host_max_rss_kib() tells of what comes. -1 is fine. */
void host_forget_rss(int fd);

#endif
