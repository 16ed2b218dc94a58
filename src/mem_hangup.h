/* SPDX-License-Identifier: MIT */
/*
 * libmicrohttpd 0.9.75 does not see that a client has closed its side when
 * that arrives together with data: an upload that was broken off would keep
 * its connection and its bytes until a time-out. This watches for it, and
 * gives the library another event to see it by.
 * Threads: one, the same that accepts connections.
 */
#ifndef S3PERF_MEM_HANGUP_H
#define S3PERF_MEM_HANGUP_H

#include <stdbool.h>
#include <stddef.h>

#define MEM_HANGUP_MS 50 /* how often mem_hangup_step() is due */

struct mem_hangup {
    int epoll; /* readable when there is something new */
    int *fds; /* closed by the client, and maybe not yet by us */
    size_t count, max;
};

/* For at most MAX sockets. Returns: 0 or an errno value; either way
 * mem_hangup_clear() is needed. */
int mem_hangup_init(struct mem_hangup *h, size_t max);
void mem_hangup_clear(struct mem_hangup *h);

/* Watch FD, just accepted, until it is closed. */
void mem_hangup_watch(struct mem_hangup *h, int fd);

/* Look and act. Returns: whether another step is due in MEM_HANGUP_MS. */
bool mem_hangup_step(struct mem_hangup *h);

#endif
