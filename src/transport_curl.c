/* SPDX-License-Identifier: MIT */
/*
 * libcurl as a carrier: curl_multi_socket_action on the caller's epoll.
 *
 * libcurl 7.88 looks at every connection of a multi handle when a request
 * starts and when it ends, so lanes are spread over shards of SHARD_LANES,
 * each with a multi handle of its own. Finished transfers are reaped after
 * every socket action, not at the end of a batch, so that no completion
 * waits for its neighbours before it is stamped. Sockets stay registered
 * between requests.
 */
#include "config.h"

#include "transport.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <curl/curl.h>

#include "clock.h"
#include "curl_lane.h"

/* The most lanes that share a multi handle: measured, see
 * doc/performance.md. */
#define SHARD_LANES 32

/* Of so many destinations, each lane has a connection of its own to each; of
 * more, there are a few for all lanes of a shard. */
#define POOL_FEW 8
#define POOL_EACH 4

struct shard {
    CURLM *multi;
    int64_t deadline_ns; /* when libcurl wants to be called */
};

/* What epoll knows of a file descriptor. */
struct watch {
    uint32_t events; /* registered for; 0: not registered */
    bool ours; /* a connection: on_close() is told of its end. libcurl also
                  has sockets of its own (its resolver's), which come and go
                  unseen */
    bool idle; /* libcurl has let go of it for now */
    uint16_t local_port; /* of a connection, once it has one */
};

struct transport {
    struct transport_config config;
    struct curl_lane *lanes;
    struct curl_slist *resolves;
    struct shard *shards;
    size_t shard_count;
    struct watch *watches; /* indexed by file descriptor */
    size_t watch_count;
    struct transport_tls tls; /* of all connections */
    struct transport_totals closed; /* of connections that are */
    int err; /* what failed where no error can be returned */
};

static struct shard *
lane_shard(struct transport *t, size_t lane)
{
    return &t->shards[lane / t->config.shard_lanes];
}

/* --- sockets: libcurl says what it waits for, epoll is told --- */

static bool
watches_reach(struct transport *t, size_t fd)
{
    size_t count = t->watch_count > 0 ? t->watch_count : 256;
    struct watch *watches;

    if (fd < t->watch_count)
        return true;
    while (count <= fd)
        count *= 2;
    watches = realloc(t->watches, count * sizeof *watches);
    if (watches == NULL)
        return false;
    memset(watches + t->watch_count, 0,
           (count - t->watch_count) * sizeof *watches);
    t->watches = watches;
    t->watch_count = count;
    return true;
}

static uint16_t
local_port(int fd)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;

    if (getsockname(fd, (struct sockaddr *) &address, &size) != 0)
        return 0;
    if (address.ss_family == AF_INET)
        return ntohs(((struct sockaddr_in *) &address)->sin_port);
    if (address.ss_family == AF_INET6)
        return ntohs(((struct sockaddr_in6 *) &address)->sin6_port);
    return 0;
}

static int
on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *socket_ctx)
{
    struct transport *t = ctx;
    struct curl_lane *lane;
    struct epoll_event event = {0};
    struct watch *watch;

    (void) socket_ctx;
    if (!watches_reach(t, (size_t) fd)) {
        t->err = ENOMEM;
        return -1;
    }
    watch = &t->watches[fd];
    if (what == CURL_POLL_REMOVE && !watch->ours) {
        /* It will be closed behind our back, and its number used again. */
        epoll_ctl(t->config.epoll_fd, EPOLL_CTL_DEL, fd, NULL);
        *watch = (struct watch){0};
        return 0;
    }
    watch->idle = what == CURL_POLL_REMOVE;
    if (watch->idle)
        return 0;
    if (watch->ours && watch->local_port == 0)
        watch->local_port = local_port(fd);
    if (what & CURL_POLL_IN)
        event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT)
        event.events |= EPOLLOUT;
    if (event.events == watch->events)
        return 0;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &lane);
    event.data.u64 = (uint64_t) (lane_shard(t, lane->index) - t->shards) << 32 |
                     (uint32_t) fd;
    if (epoll_ctl(t->config.epoll_fd,
                  watch->events == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd,
                  &event) != 0) {
        t->err = errno;
        return -1;
    }
    watch->events = event.events;
    return 0;
}

/* False, *INFO zeroed, when the kernel does not tell. */
static bool
ask_tcp(int fd, struct tcp_info *info)
{
    socklen_t size = sizeof *info;

    memset(info, 0, sizeof *info);
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &size) == 0;
}

/* Written to the socket, and not acknowledged by the peer. The kernel counts
 * the SYN among what was acknowledged, but not among what was sent. */
static int64_t
outstanding(const struct tcp_info *info)
{
    return 1 + (int64_t) info->tcpi_notsent_bytes +
           (int64_t) (info->tcpi_bytes_sent - info->tcpi_bytes_retrans) -
           (int64_t) info->tcpi_bytes_acked;
}

static void
add_tcp(struct transport_totals *totals, const struct tcp_info *info)
{
    totals->retransmits += info->tcpi_total_retrans;
    totals->tcp_bytes += info->tcpi_bytes_sent + info->tcpi_bytes_received;
    totals->tcp_segments += info->tcpi_segs_out + info->tcpi_segs_in;
}

static curl_socket_t
on_open(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct transport *t = ctx;
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC,
                    address->protocol);

    (void) purpose;
    if (fd < 0)
        return CURL_SOCKET_BAD;
    if (!watches_reach(t, (size_t) fd)) {
        close(fd);
        return CURL_SOCKET_BAD;
    }
    t->watches[fd] = (struct watch){.ours = true};
    return fd;
}

static int
on_close(void *ctx, curl_socket_t fd)
{
    struct transport *t = ctx;
    struct tcp_info info;
    struct watch watch = {0};

    /* Closing takes it out of epoll. */
    if ((size_t) fd < t->watch_count) {
        watch = t->watches[fd];
        t->watches[fd] = (struct watch){0};
    }
    if (ask_tcp(fd, &info)) {
        add_tcp(&t->closed, &info);
        for (size_t i = 0; t->config.reuse && i < t->config.lanes; i++)
            curl_lane_closing(&t->lanes[i], watch.local_port,
                              outstanding(&info));
    }
    return close(fd);
}

static int
on_timer(CURLM *multi, long timeout_ms, void *ctx)
{
    struct shard *shard = ctx;

    (void) multi;
    shard->deadline_ns = timeout_ms < 0
                             ? INT64_MAX
                             : clock_now_ns() + timeout_ms * CLOCK_NS_PER_MS;
    return 0;
}

static void
reap(struct transport *t, struct shard *shard)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(shard->multi, &left)) != NULL) {
        CURLcode code = message->data.result;
        CURL *easy = message->easy_handle;
        struct curl_lane *lane;

        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &lane);
        curl_lane_finish(lane, code);
        curl_multi_remove_handle(shard->multi, easy);
        t->config.done(t->config.ctx, lane->index);
    }
}

static void
act(struct transport *t, struct shard *shard, curl_socket_t fd, int events)
{
    int running;

    curl_multi_socket_action(shard->multi, fd, events, &running);
    reap(t, shard);
    /* What reap() has started waits for its first push. */
    while (shard->deadline_ns <= clock_now_ns()) {
        shard->deadline_ns = INT64_MAX;
        curl_multi_socket_action(shard->multi, CURL_SOCKET_TIMEOUT, 0,
                                 &running);
        reap(t, shard);
    }
}

/* --- the table's functions --- */

static int
open_lane(struct transport *t, size_t index)
{
    struct curl_lane *lane = &t->lanes[index];
    int err = curl_lane_init(lane, &t->config);

    if (err != 0)
        return err;
    lane->index = index;
    lane->seen = &t->tls;
    if (t->resolves != NULL)
        curl_easy_setopt(lane->easy, CURLOPT_RESOLVE, t->resolves);
    curl_easy_setopt(lane->easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
    curl_easy_setopt(lane->easy, CURLOPT_OPENSOCKETDATA, t);
    curl_easy_setopt(lane->easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
    curl_easy_setopt(lane->easy, CURLOPT_CLOSESOCKETDATA, t);
    return 0;
}

static int
list_resolves(struct transport *t)
{
    for (size_t i = 0; i < t->config.resolve_count; i++) {
        struct curl_slist *list =
            curl_slist_append(t->resolves, t->config.resolves[i]);

        if (list == NULL)
            return ENOMEM;
        t->resolves = list;
    }
    return 0;
}

static int
open_shard(struct transport *t, struct shard *shard)
{
    shard->deadline_ns = INT64_MAX;
    shard->multi = curl_multi_init();
    if (shard->multi == NULL)
        return ENOMEM;
    curl_multi_setopt(shard->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(shard->multi, CURLMOPT_SOCKETDATA, t);
    curl_multi_setopt(shard->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(shard->multi, CURLMOPT_TIMERDATA, shard);
    curl_multi_setopt(
        shard->multi, CURLMOPT_MAXCONNECTS,
        (long) transport_pool(t->config.shard_lanes, t->config.destinations));
    curl_multi_setopt(shard->multi, CURLMOPT_PIPELINING,
                      (long) CURLPIPE_NOTHING);
    return 0;
}

static void
transport_close(struct transport *t)
{
    for (size_t i = 0; t->lanes != NULL && i < t->config.lanes; i++) {
        if (t->lanes[i].x != NULL)
            curl_multi_remove_handle(lane_shard(t, i)->multi, t->lanes[i].easy);
        curl_lane_clear(&t->lanes[i]);
    }
    for (size_t i = 0; t->shards != NULL && i < t->shard_count; i++)
        curl_multi_cleanup(t->shards[i].multi);
    curl_slist_free_all(t->resolves);
    free(t->lanes);
    free(t->shards);
    free(t->watches);
    free(t);
}

static int
transport_open(struct transport **out, const struct transport_config *c)
{
    struct transport *t = calloc(1, sizeof *t);
    int err = 0;

    if (t == NULL)
        return ENOMEM;
    t->config = *c;
    if (t->config.shard_lanes == 0)
        t->config.shard_lanes = SHARD_LANES;
    t->shard_count =
        (c->lanes + t->config.shard_lanes - 1) / t->config.shard_lanes;
    t->lanes = calloc(c->lanes, sizeof *t->lanes);
    t->shards = calloc(t->shard_count, sizeof *t->shards);
    if (t->lanes == NULL || t->shards == NULL)
        err = ENOMEM;
    if (err == 0)
        err = list_resolves(t);
    for (size_t i = 0; err == 0 && i < t->shard_count; i++)
        err = open_shard(t, &t->shards[i]);
    for (size_t i = 0; err == 0 && i < c->lanes; i++)
        err = open_lane(t, i);
    if (err != 0) {
        transport_close(t);
        return err;
    }
    *out = t;
    return 0;
}

static int
transport_start(struct transport *t, size_t index, struct exchange *x)
{
    struct curl_lane *lane = &t->lanes[index];

    if (t->err != 0)
        return t->err;
    if (!curl_lane_load(lane, x))
        return ENOMEM;
    if (curl_multi_add_handle(lane_shard(t, index)->multi, lane->easy) !=
        CURLM_OK) {
        lane->x = NULL;
        return ENOMEM;
    }
    return 0;
}

static void
transport_ready(struct transport *t, uint64_t tag, uint32_t events)
{
    struct shard *shard = &t->shards[tag >> 32];
    int fd = (int) (uint32_t) tag, what = 0;

    if (t->watches[fd].idle) {
        /* An idle connection was closed by the server, or said something
         * unasked. libcurl will see that when it wants to use it again. */
        epoll_ctl(t->config.epoll_fd, EPOLL_CTL_DEL, fd, NULL);
        t->watches[fd].events = 0;
        return;
    }
    if (events & EPOLLIN)
        what |= CURL_CSELECT_IN;
    if (events & EPOLLOUT)
        what |= CURL_CSELECT_OUT;
    if (events & (EPOLLERR | EPOLLHUP))
        what |= CURL_CSELECT_ERR;
    act(t, shard, fd, what);
}

static int64_t
transport_deadline(const struct transport *t)
{
    int64_t first = INT64_MAX;

    for (size_t i = 0; i < t->shard_count; i++)
        if (t->shards[i].deadline_ns < first)
            first = t->shards[i].deadline_ns;
    return first;
}

static void
transport_expire(struct transport *t, int64_t now_ns)
{
    for (size_t i = 0; i < t->shard_count; i++) {
        struct shard *shard = &t->shards[i];

        if (shard->deadline_ns <= now_ns) {
            shard->deadline_ns = INT64_MAX;
            act(t, shard, CURL_SOCKET_TIMEOUT, 0);
        }
    }
}

static void
transport_survey(struct transport *t, struct transport_totals *totals)
{
    *totals = t->closed;
    totals->tls = t->tls;
    for (size_t fd = 0; fd < t->watch_count; fd++) {
        struct tcp_info info;
        uint32_t memory[SK_MEMINFO_VARS] = {0};
        socklen_t size = sizeof memory;

        if (!t->watches[fd].ours)
            continue;
        if (ask_tcp((int) fd, &info))
            add_tcp(totals, &info);
        if (getsockopt((int) fd, SOL_SOCKET, SO_MEMINFO, memory, &size) == 0)
            totals->kernel_bytes += (uint64_t) memory[SK_MEMINFO_RMEM_ALLOC] +
                                    memory[SK_MEMINFO_WMEM_QUEUED];
    }
}

static void
transport_cancel(struct transport *t, size_t index)
{
    struct curl_lane *lane = &t->lanes[index];

    if (lane->x == NULL)
        return;
    curl_multi_remove_handle(lane_shard(t, index)->multi, lane->easy);
    lane->x->end_ns = clock_now_ns();
    lane->x->error = EXCHANGE_CANCELLED;
    snprintf(lane->x->detail, sizeof lane->x->detail,
             "given up when the run ended");
    lane->x = NULL;
}

size_t
transport_pool(size_t lanes, size_t destinations)
{
    size_t few = destinations < POOL_FEW ? destinations : POOL_FEW;
    size_t many = destinations - few;

    return lanes * (few > 0 ? few : 1) +
           many * POOL_EACH * (lanes / SHARD_LANES + 1);
}

const struct transport_ops *
transport_curl(void)
{
    static char name[64];
    static struct transport_ops ops = {
        .name = name,
        .open = transport_open,
        .start = transport_start,
        .ready = transport_ready,
        .deadline = transport_deadline,
        .expire = transport_expire,
        .cancel = transport_cancel,
        .survey = transport_survey,
        .close = transport_close,
    };
    const curl_version_info_data *v;

    curl_global_init(CURL_GLOBAL_DEFAULT);
    v = curl_version_info(CURLVERSION_NOW);
    snprintf(name, sizeof name, "libcurl/%s %s", v->version,
             v->ssl_version != NULL ? v->ssl_version : "without TLS");
    return &ops;
}
