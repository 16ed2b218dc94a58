/* SPDX-License-Identifier: MIT */
/*
 * The listening socket of s3mem, and how many files a process may open.
 */
#ifndef S3PERF_MEM_LISTEN_H
#define S3PERF_MEM_LISTEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "buf.h"

/*
 * Listen on HOST, a numeric IP address or "localhost" (127.0.0.1), and on
 * PORT, 0 for any free one. Accepted sockets inherit TCP_NODELAY.
 * Returns: 0 with the socket in *FD and its address in *AT; EINVAL when
 *          HOST is no such address; another errno value.
 */
int mem_listen_open(int *fd, struct sockaddr_storage *at, const char *host,
                    uint16_t port);

/* Add the address without its port; IPv6 in brackets when BRACKETS.
 * Returns 0 or a buffer's errno value. */
int mem_listen_host(struct buf *out, const struct sockaddr_storage *at,
                    bool brackets);

uint16_t mem_listen_port(const struct sockaddr_storage *at);

/* Is HOST, as above, one that only this machine reaches? */
bool mem_listen_is_loopback(const char *host);

/* Raise the limit of open files to WANTED if that is allowed.
 * Returns: the limit that holds now. */
uint64_t mem_listen_files(uint64_t wanted);

#endif
