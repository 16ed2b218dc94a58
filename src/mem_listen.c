/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define BACKLOG 4096 /* the kernel may hold it lower */

int
mem_listen_open(int *fd, struct sockaddr_storage *at, const char *host,
                uint16_t port)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    socklen_t n;
    int on = 1, err = 0, s;

    if (strcmp(host, "localhost") == 0)
        host = "127.0.0.1";
    if (getaddrinfo(host, NULL, &hints, &found) != 0)
        return EINVAL;
    n = found->ai_addrlen;
    memset(at, 0, sizeof(*at));
    memcpy(at, found->ai_addr, n);
    freeaddrinfo(found);
    if (at->ss_family == AF_INET6)
        ((struct sockaddr_in6 *) at)->sin6_port = htons(port);
    else
        ((struct sockaddr_in *) at)->sin_port = htons(port);

    s = socket(at->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s < 0)
        return errno;
    if (setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
        setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0 ||
        bind(s, (struct sockaddr *) at, n) != 0 || listen(s, BACKLOG) != 0 ||
        getsockname(s, (struct sockaddr *) at, &n) != 0)
        err = errno;
    if (err != 0)
        close(s);
    else
        *fd = s;
    return err;
}

bool
mem_listen_is_loopback(const char *host)
{
    struct in6_addr in6;

    return strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 ||
           (inet_pton(AF_INET6, host, &in6) == 1 && IN6_IS_ADDR_LOOPBACK(&in6));
}

int
mem_listen_host(struct buf *out, const struct sockaddr_storage *at,
                bool brackets)
{
    char text[INET6_ADDRSTRLEN];

    if (at->ss_family != AF_INET6) {
        inet_ntop(AF_INET, &((const struct sockaddr_in *) at)->sin_addr, text,
                  sizeof(text));
        return buf_adds(out, text);
    }
    inet_ntop(AF_INET6, &((const struct sockaddr_in6 *) at)->sin6_addr, text,
              sizeof(text));
    return buf_addf(out, brackets ? "[%s]" : "%s", text);
}

uint16_t
mem_listen_port(const struct sockaddr_storage *at)
{
    return ntohs(at->ss_family == AF_INET6
                     ? ((const struct sockaddr_in6 *) at)->sin6_port
                     : ((const struct sockaddr_in *) at)->sin_port);
}

uint64_t
mem_listen_files(uint64_t wanted)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return wanted;
    if (limit.rlim_cur >= wanted)
        return limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    (void) setrlimit(RLIMIT_NOFILE, &limit);
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : wanted;
}
