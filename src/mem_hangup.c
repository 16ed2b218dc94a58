/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_hangup.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS 64

int
mem_hangup_init(struct mem_hangup *h, size_t max)
{
    *h = (struct mem_hangup){.epoll = epoll_create1(EPOLL_CLOEXEC), .max = max};
    if (h->epoll < 0)
        return errno;
    h->fds = malloc(max * sizeof(*h->fds));
    return h->fds != NULL ? 0 : ENOMEM;
}

void
mem_hangup_clear(struct mem_hangup *h)
{
    if (h->epoll >= 0)
        close(h->epoll);
    free(h->fds);
    *h = (struct mem_hangup){.epoll = -1};
}

static void
forget(struct mem_hangup *h, int fd)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->fds[i] == fd)
            h->fds[i--] = h->fds[--h->count];
}

void
mem_hangup_watch(struct mem_hangup *h, int fd)
{
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLET, .data.fd = fd};

    /* The number of one that was closed; nobody else opens sockets. */
    forget(h, fd);
    (void) epoll_ctl(h->epoll, EPOLL_CTL_ADD, fd, &event);
}

bool
mem_hangup_step(struct mem_hangup *h)
{
    struct epoll_event events[EVENTS];
    int n = epoll_wait(h->epoll, events, EVENTS, 0);

    for (int i = 0; i < n && h->count < h->max; i++) {
        forget(h, events[i].data.fd);
        h->fds[h->count++] = events[i].data.fd;
    }
    for (size_t i = 0; i < h->count; i++)
        /* Changes nothing, what has come can still be read, but wakes. It
         * fails once the library has closed the socket. */
        if (shutdown(h->fds[i], SHUT_RD) != 0)
            h->fds[i--] = h->fds[--h->count];
    return h->count > 0;
}
