/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "engine.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "clock.h"

/* Small, so that no completion waits long behind its neighbours. */
#define BATCH 16

struct engine {
    const struct engine_config *config;
    const struct transport_ops *ops;
    const struct engine_job *job;
    struct transport *transport;
    bool *busy; /* one a lane */
    bool starting; /* not every lane has had its first operation yet */
    size_t in_flight;
    int err; /* the first failure of the tool itself */
};

static bool
stopping(const struct engine *e)
{
    return *e->config->stop != 0 || e->err != 0;
}

static void
take_up(struct engine *e, size_t lane)
{
    int64_t now = clock_now_ns();
    struct exchange *x = e->job->start(e->job->ctx, lane, now, now);
    int err = x == NULL ? ECANCELED : e->ops->start(e->transport, lane, x);

    if (err != 0) {
        e->err = err;
        return;
    }
    e->busy[lane] = true;
    e->in_flight++;
}

/* Give LANE its next operation, if there is one. */
static void
feed(struct engine *e, size_t lane)
{
    if (!stopping(e) && e->job->prepare(e->job->ctx, lane))
        take_up(e, lane);
}

static void
on_done(void *ctx, size_t lane)
{
    struct engine *e = ctx;

    e->busy[lane] = false;
    e->in_flight--;
    if (e->job->done(e->job->ctx, lane)) {
        if (!stopping(e))
            take_up(e, lane);
    } else if (!e->starting) {
        feed(e, lane);
    }
}

/* Milliseconds until UNTIL_NS, rounded up, for epoll; -1 for never. */
static int
wait_ms(int64_t until_ns)
{
    int64_t left;

    if (until_ns == INT64_MAX)
        return -1;
    left = until_ns - clock_now_ns();
    if (left <= 0)
        return 0;
    left = (left + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS;
    return left > 1000 ? 1000 : (int) left;
}

/* One wait and what it brought. UNTIL_NS is the engine's own deadline. */
static void
turn(struct engine *e, int64_t until_ns, const sigset_t *waiting)
{
    struct epoll_event events[BATCH];
    int64_t deadline = e->ops->deadline(e->transport);
    int n;

    if (until_ns < deadline)
        deadline = until_ns;
    n = epoll_pwait(e->config->transport.epoll_fd, events, BATCH,
                    wait_ms(deadline), waiting);
    if (n < 0 && errno != EINTR)
        e->err = errno;
    for (int i = 0; i < n; i++)
        e->ops->ready(e->transport, events[i].data.u64, events[i].events);
    deadline = clock_now_ns();
    if (e->ops->deadline(e->transport) <= deadline)
        e->ops->expire(e->transport, deadline);
}

/* End what is still in flight; each operation is told. */
static void
cancel_all(struct engine *e)
{
    for (size_t lane = 0; lane < e->config->lanes; lane++) {
        if (!e->busy[lane])
            continue;
        e->ops->cancel(e->transport, lane);
        e->busy[lane] = false;
        e->in_flight--;
        e->job->done(e->job->ctx, lane);
    }
}

/* Give each lane its first operation. */
static void
start_lanes(struct engine *e, const sigset_t *waiting)
{
    size_t started;

    e->starting = true;
    for (started = 0; started < e->config->lanes && !stopping(e); started++) {
        feed(e, started);
        /* Look at what has arrived before the next lane is set up, or the
         * first lanes' answers would be stamped after the last start. */
        turn(e, 0, waiting);
    }
    e->starting = false;
    /* Lanes that are done already waited, so that none was left out. */
    for (size_t lane = 0; lane < started; lane++)
        if (!e->busy[lane])
            feed(e, lane);
}

static void
loop(struct engine *e)
{
    int64_t give_up_ns = INT64_MAX;
    sigset_t blocked, before, waiting;

    /* Blocked outside the wait, or a signal that comes between the look at
     * `stop` and the wait would not end the wait. */
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    waiting = before;
    sigdelset(&waiting, SIGINT);
    sigdelset(&waiting, SIGTERM);
    start_lanes(e, &waiting);
    while (e->in_flight > 0 && e->err == 0) {
        if (give_up_ns == INT64_MAX && *e->config->stop != 0)
            give_up_ns = clock_now_ns() + e->config->drain_ns;
        if (clock_now_ns() >= give_up_ns)
            break;
        turn(e, give_up_ns, &waiting);
    }
    cancel_all(e);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int
engine_run(const struct engine_config *config, const struct transport_ops *ops,
           const struct engine_job *job)
{
    struct engine_config filled = *config;
    struct engine e = {.config = &filled, .ops = ops, .job = job};
    int err;

    e.busy = calloc(config->lanes, sizeof *e.busy);
    if (e.busy == NULL)
        return ENOMEM;
    filled.transport.lanes = config->lanes;
    filled.transport.done = on_done;
    filled.transport.ctx = &e;
    filled.transport.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (filled.transport.epoll_fd < 0) {
        err = errno;
        goto done;
    }
    err = ops->open(&e.transport, &filled.transport);
    if (err != 0)
        goto done;
    loop(&e);
    err = e.err;
    ops->close(e.transport);
done:
    if (filled.transport.epoll_fd >= 0)
        close(filled.transport.epoll_fd);
    free(e.busy);
    return err;
}
