/* SPDX-License-Identifier: MIT */
/* One request of the probe, without a signature: who answers, and when. */
#include "config.h"

#include "probe_parts.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/err.h>

#include "clock.h"

#define HEAD_MAX 65536

/* Send or receive up to N bytes. Returns as read() does, 0 at the end, -1
 * for an error or when the time is over. */
static ssize_t
move_bytes(struct probe *p, bool out, void *bytes, size_t n,
           int64_t deadline_ns)
{
    for (;;) {
        short wanted = out ? POLLOUT : POLLIN;
        ssize_t got;

        if (p->ssl != NULL) {
            int why;

            ERR_clear_error();
            got = out ? SSL_write(p->ssl, bytes, (int) n)
                      : SSL_read(p->ssl, bytes, (int) n);
            if (got > 0)
                return got;
            why = SSL_get_error(p->ssl, (int) got);
            if (why == SSL_ERROR_ZERO_RETURN)
                return 0;
            if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE)
                return -1;
            wanted = why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
        } else {
            got = out ? send(p->fd, bytes, n, MSG_NOSIGNAL)
                      : recv(p->fd, bytes, n, 0);
            if (got >= 0)
                return got;
            if (errno != EAGAIN && errno != EINTR)
                return -1;
        }
        if (!probe_wait(p->fd, wanted, deadline_ns))
            return -1;
    }
}

/* Keep what is worth knowing of a header line. */
static void
read_line(struct probe *p, const char *line)
{
    if (strncasecmp(line, "server:", 7) == 0)
        snprintf(p->server, sizeof p->server, "%s",
                 line + 7 + (line[7] == ' '));
    else if (strncasecmp(line, "date:", 5) == 0)
        snprintf(p->date, sizeof p->date, "%s", line + 5 + (line[5] == ' '));
    else if (strncasecmp(line, "age:", 4) == 0)
        p->aged = true;
}

static bool
read_head(struct probe *p, char *head)
{
    char *line, *rest = head;

    if (sscanf(head, "HTTP/%*d.%*d %d", &p->status) != 1)
        return probe_fail(p, PROBE_HTTP, "the answer is not HTTP");
    while ((line = strsep(&rest, "\n")) != NULL) {
        line[strcspn(line, "\r")] = '\0';
        if (*line == '\0')
            break;
        read_line(p, line);
    }
    return true;
}

/* The server's date has no fractions of a second: compare whole ones. */
static void
compare_clocks(struct probe *p, time_t before, time_t after)
{
    struct tm date = {0};
    const char *end = strptime(p->date, "%a, %d %b %Y %H:%M:%S GMT", &date);
    time_t server;

    if (end == NULL || *end != '\0' || p->aged)
        return;
    server = timegm(&date);
    p->offset_known = true;
    p->offset_s = server < before  ? (int64_t) (server - before)
                  : server > after ? (int64_t) (server - after)
                                   : 0;
}

bool
probe_http(struct probe *p)
{
    char request[ENDPOINT_HOST_MAX + 256], *head = malloc(HEAD_MAX);
    struct buf host;
    int64_t begun_ns = clock_now_ns();
    int64_t deadline_ns = begun_ns + p->o->connect_timeout_ns;
    time_t before = clock_wall();
    size_t n = 0, sent = 0, len;
    ssize_t got = 1;
    bool good = false;

    buf_init(&host, ENDPOINT_HOST_MAX + 16);
    if (head == NULL || endpoint_add_host(&host, &p->service.request.endpoint,
                                          "", false) != 0) {
        probe_fail(p, PROBE_HTTP, "no memory");
        goto done;
    }
    len = (size_t) snprintf(request, sizeof request,
                            "GET / HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\n"
                            "Accept: */*\r\nConnection: close\r\n\r\n",
                            host.data, p->service.request.user_agent);
    while (sent < len && got > 0) {
        got = move_bytes(p, true, request + sent, len - sent, deadline_ns);
        sent += got > 0 ? (size_t) got : 0;
    }
    head[0] = '\0';
    while (got > 0 && n < HEAD_MAX - 1 && strstr(head, "\r\n\r\n") == NULL) {
        got = move_bytes(p, false, head + n, HEAD_MAX - 1 - n, deadline_ns);
        n += got > 0 ? (size_t) got : 0;
        head[n] = '\0';
    }
    p->answer_ns = clock_now_ns() - begun_ns;
    if (n == 0)
        probe_fail(p, PROBE_HTTP, "%s",
                   clock_now_ns() >= deadline_ns
                       ? "no answer in time"
                       : "the server closed the connection");
    else
        good = read_head(p, head);
    if (good)
        compare_clocks(p, before, clock_wall());
done:
    buf_clear(&host);
    free(head);
    return good;
}
