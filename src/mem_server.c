/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_server.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#include "mem_exchange.h"
#include "mem_hangup.h"
#include "mem_listen.h"

/* More slows every request down, 4 KiB would refuse long keys. */
#define CONNECTION_MEMORY ((size_t) 16 << 10)
#define CONNECTION_IDLE_S 120u
/* The library counts a connection a moment longer than we do. */
#define CONNECTIONS_ENDING 7
#define FILES_BESIDE 64 /* for all but connections and threads */
#define FILES_PER_THREAD 3
#define RETRY_MS 20 /* after a failed accept() */

/* A thread of the library, with its connections. */
struct worker {
    struct mem_server *server;
    struct MHD_Daemon *daemon;
    atomic_uint connections;
};

struct mem_server {
    struct mem_server_config config;
    struct mem_exchanges exchanges;
    int listen_fd;
    struct sockaddr_storage address;
    unsigned per_worker; /* connections, at most */
    unsigned cores;
    atomic_uintptr_t next_connection;
    struct mem_hangup hangup;
    pthread_t acceptor;
    bool accepting;
    int wakeup; /* a connection has ended, or the server ends */
    atomic_bool stopping;
    struct worker workers[MEM_THREADS_MAX];
};

/* A connection begins or ends. Its number is its socket's context. */
static void
on_connection(void *cls, struct MHD_Connection *connection, void **ctx,
              enum MHD_ConnectionNotificationCode what)
{
    struct worker *w = cls;
    struct mem_server *s = w->server;

    (void) connection;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        *ctx = (void *) (atomic_fetch_add(&s->next_connection, 1) + 1);
        return;
    }
    /* Only when it was full may somebody wait for it. */
    if (atomic_fetch_sub(&w->connections, 1) == s->per_worker)
        (void) eventfd_write(s->wakeup, 1);
}

/*
 * The worker that takes the next connection, or NULL when all are full. As
 * few threads as the cores and the library's limit ask for are used: one
 * that finds much to do at a time costs less than many that find little.
 */
static struct worker *
choose_worker(struct mem_server *s)
{
    struct worker *best = NULL;
    unsigned fewest = s->per_worker;

    for (unsigned i = 0; i < s->config.threads; i++) {
        unsigned n = atomic_load(&s->workers[i].connections);

        if (i >= s->cores && best != NULL)
            break;
        if (n < fewest) {
            fewest = n;
            best = &s->workers[i];
        }
    }
    return best;
}

/* Take one connection. Returns: false when none is waiting. */
static bool
accept_one(struct mem_server *s, struct worker *w)
{
    struct sockaddr_storage peer;
    socklen_t n = sizeof(peer);
    int fd = accept4(s->listen_fd, (struct sockaddr *) &peer, &n,
                     SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0)
        return errno == EINTR || errno == ECONNABORTED;
    mem_hangup_watch(&s->hangup, fd);
    atomic_fetch_add(&w->connections, 1);
    /* On failure the library closes it, and says nothing to us. */
    if (MHD_add_connection(w->daemon, fd, (struct sockaddr *) &peer, n) !=
        MHD_YES)
        atomic_fetch_sub(&w->connections, 1);
    return true;
}

static void *
accept_all(void *ctx)
{
    struct mem_server *s = ctx;
    struct pollfd files[] = {{.fd = s->wakeup, .events = POLLIN},
                             {.fd = s->hangup.epoll, .events = POLLIN},
                             {.fd = s->listen_fd, .events = POLLIN}};
    int wait_ms = -1;
    eventfd_t count;

    while (!atomic_load(&s->stopping)) {
        struct worker *w = choose_worker(s);
        bool tired;

        if (w != NULL && accept_one(s, w))
            continue;
        /* Out of files: the socket stays readable, so leave it alone. */
        tired = w == NULL || errno != EAGAIN;
        if (tired && w != NULL && wait_ms < 0)
            wait_ms = RETRY_MS;
        (void) poll(files, tired ? 2 : 3, wait_ms);
        if (files[0].revents != 0)
            (void) eventfd_read(s->wakeup, &count);
        wait_ms = mem_hangup_step(&s->hangup) ? MEM_HANGUP_MS : -1;
    }
    return NULL;
}

/* How many connections a thread may have, by the limit of open files. */
static unsigned
connections_per_worker(unsigned threads)
{
    uint64_t beside = FILES_BESIDE + (uint64_t) FILES_PER_THREAD * threads;
    uint64_t wanted = (uint64_t) MEM_CONNECTIONS_PER_THREAD * threads;
    uint64_t files = mem_listen_files(wanted + beside);
    uint64_t each = files > beside ? (files - beside) / threads : 0;

    if (each > MEM_CONNECTIONS_PER_THREAD)
        each = MEM_CONNECTIONS_PER_THREAD;
    return (unsigned) each;
}

static struct MHD_Daemon *
start_daemon(struct mem_server *s, struct worker *w)
{
    const struct mem_server_config *c = &s->config;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                     MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC;
    struct mem_exchanges *x = &s->exchanges;
    struct MHD_OptionItem options[] = {
        {MHD_OPTION_CONNECTION_LIMIT,
         (intptr_t) MEM_CONNECTIONS_PER_THREAD + CONNECTIONS_ENDING, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t) CONNECTION_MEMORY,
         NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, CONNECTION_IDLE_S, NULL},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t) mem_exchange_target, x},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t) mem_exchange_completed, x},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t) on_connection, w},
        {MHD_OPTION_END, 0, NULL}, /* room for TLS */
        {MHD_OPTION_END, 0, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    size_t n = sizeof(options) / sizeof(*options) - 3;

    if (c->tls != NULL) {
        flags |= MHD_USE_TLS;
        options[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0,
                                               c->tls->key.data};
        options[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0,
                                               c->tls->certificate.data};
    }
    return MHD_start_daemon(flags, 0, NULL, NULL, mem_exchange_request, x,
                            MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

static unsigned
count_cores(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) == 0
               ? (unsigned) CPU_COUNT(&set)
               : 1;
}

/* Everything but the listening socket and the threads. */
static int
prepare(struct mem_server *s)
{
    const struct mem_server_config *c = &s->config;
    int err;

    s->cores = count_cores();
    s->per_worker = connections_per_worker(c->threads);
    if (s->per_worker == 0)
        return EMFILE;
    s->wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->wakeup < 0)
        return errno;
    err = mem_hangup_init(&s->hangup, (size_t) s->per_worker * c->threads);
    if (err != 0)
        return err;
    s->exchanges.service = c->service;
    s->exchanges.pool = c->pool;
    s->exchanges.log = c->log;
    s->exchanges.delay_first_ns = c->delay_first_ns;
    s->exchanges.delay_last_ns = c->delay_last_ns;
    return mem_exchanges_init(&s->exchanges,
                              (size_t) s->per_worker * c->threads);
}

static int
start_threads(struct mem_server *s)
{
    int err = 0;

    for (unsigned i = 0; i < s->config.threads && err == 0; i++) {
        struct worker *w = &s->workers[i];

        w->server = s;
        errno = 0;
        w->daemon = start_daemon(s, w);
        if (w->daemon == NULL)
            err = errno != 0 ? errno : EIO;
    }
    if (err == 0)
        err = pthread_create(&s->acceptor, NULL, accept_all, s);
    s->accepting = err == 0;
    return err;
}

int
mem_server_start(struct mem_server **out, const char **what,
                 const struct mem_server_config *config)
{
    struct mem_server *s = calloc(1, sizeof(*s));
    int err;

    *what = "start";
    if (s == NULL)
        return ENOMEM;
    s->config = *config;
    s->listen_fd = s->wakeup = s->hangup.epoll = -1;
    err = prepare(s);
    if (err == 0) {
        *what = "listen";
        err = mem_listen_open(&s->listen_fd, &s->address, config->listen,
                              config->port);
    }
    if (err == 0) {
        *what = "start libmicrohttpd";
        err = start_threads(s);
    }
    if (err != 0)
        mem_server_stop(s);
    else
        *out = s;
    return err;
}

int
mem_server_url(const struct mem_server *s, struct buf *out)
{
    int err = buf_adds(out, s->config.tls != NULL ? "https://" : "http://");

    if (err == 0)
        err = mem_listen_host(out, &s->address, true);
    if (err == 0)
        err = buf_addf(out, ":%u", (unsigned) mem_listen_port(&s->address));
    return err;
}

unsigned
mem_server_connections(const struct mem_server *s)
{
    return s->per_worker * s->config.threads;
}

void
mem_server_stop(struct mem_server *s)
{
    if (s == NULL)
        return;
    atomic_store(&s->stopping, true);
    if (s->accepting) {
        (void) eventfd_write(s->wakeup, 1);
        pthread_join(s->acceptor, NULL);
    }
    if (s->listen_fd >= 0)
        close(s->listen_fd);
    /* A sleeping connection must not be there when a daemon stops. */
    mem_delay_stop(s->exchanges.delay);
    for (unsigned i = 0; i < s->config.threads; i++)
        if (s->workers[i].daemon != NULL)
            MHD_stop_daemon(s->workers[i].daemon);
    mem_exchanges_clear(&s->exchanges);
    mem_hangup_clear(&s->hangup);
    if (s->wakeup >= 0)
        close(s->wakeup);
    free(s);
}
