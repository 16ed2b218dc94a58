/* SPDX-License-Identifier: MIT */
/* Name lookup and connections of the probe. */
#include "config.h"

#include "probe_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "route.h"

bool
probe_wait(int fd, short events, int64_t deadline_ns)
{
    for (;;) {
        struct pollfd watch = {.fd = fd, .events = events};
        int64_t left_ns = deadline_ns - clock_now_ns();
        int n;

        if (left_ns <= 0)
            return false;
        n = poll(&watch, 1, (int) (left_ns / CLOCK_NS_PER_MS) + 1);
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
    }
}

static void
add_addresses(struct probe *p, const struct addrinfo *list)
{
    for (; list != NULL && p->address_count < PROBE_ADDRESSES_MAX;
         list = list->ai_next) {
        struct probe_address *a = &p->addresses[p->address_count++];

        memcpy(&a->socket, list->ai_addr, list->ai_addrlen);
        a->len = list->ai_addrlen;
        if (getnameinfo(list->ai_addr, list->ai_addrlen, a->text,
                        sizeof a->text, NULL, 0, NI_NUMERICHOST) != 0)
            strcpy(a->text, "?");
    }
}

/* Look TEXT up. Returns getaddrinfo()'s error. */
static int
look_up(struct probe *p, const char *text)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
    char port[8];
    int err;

    snprintf(port, sizeof port, "%u", p->service.request.endpoint.port);
    err = getaddrinfo(text, port, &hints, &list);
    if (err != 0)
        return err;
    add_addresses(p, list);
    freeaddrinfo(list);
    return 0;
}

/* The address that --resolve gives for the endpoint; false without one. */
static bool
find_fixed(const struct probe *p, char *out, size_t size)
{
    for (size_t i = 0; i < p->o->resolves.count; i++) {
        struct route_entry e;
        size_t skip;

        if (!route_parse(&e, p->o->resolves.items[i]) ||
            e.port != p->service.request.endpoint.port ||
            e.host_len != strlen(p->name) ||
            strncasecmp(e.host, p->name, e.host_len) != 0)
            continue;
        skip = e.address[0] == '[';
        snprintf(out, size, "%.*s", (int) (e.address_len - 2 * skip),
                 e.address + skip);
        return true;
    }
    return false;
}

bool
probe_lookup(struct probe *p)
{
    char fixed[INET6_ADDRSTRLEN + 2];
    int64_t begun_ns = clock_now_ns();
    int err = look_up(p, find_fixed(p, fixed, sizeof fixed) ? fixed : p->name);

    p->lookup_ns = clock_now_ns() - begun_ns;
    if (err != 0)
        return probe_fail(p, PROBE_LOOKUP, "%s: %s", p->name,
                          err == EAI_SYSTEM ? strerror(errno)
                                            : gai_strerror(err));
    return true;
}

/* Bind FD to --interface. Returns 0 or an errno value. */
static int
bind_to(int fd, const char *interface, int family)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    int err = 0;

    if (if_nametoindex(interface) != 0)
        err = setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, interface,
                         (socklen_t) strlen(interface));
    else if (family == AF_INET &&
             inet_pton(AF_INET, interface, &v4.sin_addr) == 1)
        err = bind(fd, (struct sockaddr *) &v4, sizeof v4);
    else if (family == AF_INET6 &&
             inet_pton(AF_INET6, interface, &v6.sin6_addr) == 1)
        err = bind(fd, (struct sockaddr *) &v6, sizeof v6);
    else
        return EAFNOSUPPORT;
    return err == 0 ? 0 : errno;
}

/* Connect to A. Returns the socket, or -1 with *ERR set. */
static int
connect_to(const struct probe *p, const struct probe_address *a, int *err)
{
    int fd = socket(a->socket.ss_family,
                    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int64_t deadline_ns = clock_now_ns() + p->o->connect_timeout_ns;
    socklen_t size = sizeof *err;
    int one = 1;

    if (fd < 0) {
        *err = errno;
        return -1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    *err = p->o->interface != NULL
               ? bind_to(fd, p->o->interface, a->socket.ss_family)
               : 0;
    if (*err == 0 &&
        connect(fd, (const struct sockaddr *) &a->socket, a->len) != 0)
        *err = errno;
    if (*err == EINPROGRESS) {
        *err = ETIMEDOUT;
        if (probe_wait(fd, POLLOUT, deadline_ns))
            getsockopt(fd, SOL_SOCKET, SO_ERROR, err, &size);
    }
    if (*err == 0)
        return fd;
    close(fd);
    return -1;
}

/* The first address that answers, then a few more connections to it: the
 * quickest one is nearest to the round trip. The last one stays open. */
bool
probe_connect(struct probe *p)
{
    int err = 0;

    for (size_t i = 0; i < p->address_count && p->fd < 0; i++) {
        p->address = &p->addresses[i];
        p->fd = connect_to(p, p->address, &err);
    }
    if (p->fd < 0)
        return probe_fail(p, PROBE_CONNECT, "%s port %u: %s", p->address->text,
                          p->service.request.endpoint.port, strerror(err));
    p->connect_ns = INT64_MAX;
    for (int i = 0; i < PROBE_CONNECTS; i++) {
        int64_t begun_ns = clock_now_ns(), took_ns;
        int fd = connect_to(p, p->address, &err);

        if (fd < 0)
            break;
        took_ns = clock_now_ns() - begun_ns;
        if (took_ns < p->connect_ns)
            p->connect_ns = took_ns;
        p->connects++;
        close(p->fd);
        p->fd = fd;
    }
    if (p->connects == 0)
        return probe_fail(p, PROBE_CONNECT, "%s port %u: a second time: %s",
                          p->address->text, p->service.request.endpoint.port,
                          strerror(err));
    return true;
}
