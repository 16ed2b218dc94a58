/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "clock.h"

/* Small, so that no completion waits long behind its neighbours. */
#define BATCH 16
/* Lanes taken up before sockets are looked at again. */
#define BURST 4
/* How often the transport's connections are surveyed. */
#define SURVEY_NS CLOCK_NS_PER_S
/* Until a lane that was not ready is asked again. */
#define SOON_NS (100 * CLOCK_NS_PER_US)
#define WAKE_TAG (TRANSPORT_TAG_FOREIGN | 1)

enum lane_state {
    LANE_OVER, /* nothing is left for it */
    LANE_READY, /* open loop: prepared, waits for an arrival */
    LANE_WAITING, /* in the heap: ramp, think time, pause before a retry */
    LANE_PARKED, /* until it is woken, for another lane's operation */
    LANE_HOLDING, /* until it is woken, for its own */
    LANE_BUSY
};

struct engine_lane {
    enum lane_state state;
    bool resumes; /* WAITING with an operation that goes on */
    bool drains; /* ... also when nothing new is taken up */
    int64_t due_ns; /* of the operation under way */
    int64_t start_ns; /* of its exchange */
};

/* A lane that waits, in a binary heap by time. */
struct waiting {
    int64_t at_ns;
    size_t lane;
};

struct engine {
    const struct engine_config *config;
    const struct transport_ops *ops;
    const struct engine_job *job;
    struct engine_stats *stats;
    struct transport *transport;
    struct engine_lane *lanes;
    struct waiting *heap;
    size_t waiting;
    size_t *ready; /* open loop: a stack of prepared lanes */
    size_t ready_count;
    size_t in_flight;
    size_t draining; /* lanes in the heap whose exchange belongs to an
                        operation under way */
    bool ending; /* nothing new is taken up */
    int64_t woke_ns; /* when epoll last returned */
    int64_t survey_ns; /* when to look at the connections next */
    int64_t ended_ns; /* when nothing new was taken up any more */
    int marks; /* backlog samples taken */
    int err; /* the first failure of the tool itself */
};

/* --- lanes that wait --- */

static void
push_waiting(struct engine *e, size_t lane, int64_t at_ns)
{
    size_t i = e->waiting++;

    while (i > 0 && e->heap[(i - 1) / 2].at_ns > at_ns) {
        e->heap[i] = e->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    e->heap[i] = (struct waiting){at_ns, lane};
    e->lanes[lane].state = LANE_WAITING;
}

static size_t
pop_waiting(struct engine *e)
{
    size_t lane = e->heap[0].lane, i = 0;
    struct waiting last = e->heap[--e->waiting];

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= e->waiting)
            break;
        if (child + 1 < e->waiting &&
            e->heap[child + 1].at_ns < e->heap[child].at_ns)
            child++;
        if (e->heap[child].at_ns >= last.at_ns)
            break;
        e->heap[i] = e->heap[child];
        i = child;
    }
    e->heap[i] = last;
    return lane;
}

/* --- operations --- */

static void
fail(struct engine *e, int err)
{
    if (e->err == 0)
        e->err = err;
    e->ending = true;
}

/* Start LANE's exchange; FIRST of its operation, or a further one. */
static void
take_up(struct engine *e, size_t index, int64_t due_ns, bool first)
{
    struct engine_lane *lane = &e->lanes[index];
    int64_t now_ns = clock_now_ns();
    struct exchange *x;
    int err;

    if (first) {
        lane->due_ns = e->config->pace != NULL ? due_ns : now_ns;
        e->stats->started++;
    }
    lane->start_ns = now_ns;
    x = e->job->start(e->job->ctx, index, lane->due_ns, now_ns);
    err = x == NULL ? ECANCELED : e->ops->start(e->transport, index, x);
    if (err != 0) {
        lane->state = LANE_OVER;
        fail(e, err);
        return;
    }
    lane->state = LANE_BUSY;
    e->in_flight++;
}

/* Give LANE its next operation, if there is one. */
static void
give_next(struct engine *e, size_t index)
{
    struct engine_lane *lane = &e->lanes[index];
    enum engine_offer offer = ENGINE_NOTHING;

    if (!e->ending)
        offer = e->job->prepare(e->job->ctx, index);
    lane->state = offer == ENGINE_PARKED ? LANE_PARKED : LANE_OVER;
    lane->resumes = false;
    if (offer == ENGINE_NOT_YET)
        push_waiting(e, index, clock_now_ns() + SOON_NS);
    if (offer != ENGINE_READY)
        return;
    if (e->config->pace != NULL) {
        lane->state = LANE_READY;
        e->ready[e->ready_count++] = index;
    } else {
        take_up(e, index, 0, true);
    }
}

/* LANE is free. Lanes that wait and are due come first, or a few would do
 * all the work while others still have their first operation to come. */
static void
set_free(struct engine *e, size_t index, int64_t now_ns)
{
    if (!e->ending && e->waiting > 0 && e->heap[0].at_ns <= now_ns)
        push_waiting(e, index, now_ns);
    else
        give_next(e, index);
}

/* LANE's next exchange belongs to an operation under way. */
static void
push_draining(struct engine *e, size_t index, int64_t at_ns)
{
    e->lanes[index].resumes = e->lanes[index].drains = true;
    e->draining++;
    push_waiting(e, index, at_ns);
}

void
engine_wake(struct engine *e, size_t index)
{
    enum lane_state state = e->lanes[index].state;

    if (state == LANE_PARKED || state == LANE_HOLDING)
        push_draining(e, index, clock_now_ns());
}

void
engine_release(struct engine *e, size_t index)
{
    struct engine_lane *lane = &e->lanes[index];
    bool thinks = e->config->think_ns > 0 && e->config->pace == NULL;

    if (lane->state != LANE_HOLDING)
        return;
    lane->state = LANE_OVER;
    lane->resumes = lane->drains = false;
    push_waiting(e, index, clock_now_ns() + (thinks ? e->config->think_ns : 0));
}

/* LANE's operation goes on. */
static void
go_on(struct engine *e, size_t index, enum engine_next next, int64_t now_ns,
      int64_t resume_ns)
{
    struct engine_lane *lane = &e->lanes[index];

    if (next == ENGINE_HOLD)
        lane->state = LANE_HOLDING;
    else if (next == ENGINE_MORE && resume_ns > now_ns)
        push_draining(e, index, resume_ns);
    else if (resume_ns > now_ns)
        push_waiting(e, index, resume_ns);
    else if (next == ENGINE_MORE || !e->ending)
        take_up(e, index, 0, false);
}

static void
on_done(void *ctx, size_t index)
{
    struct engine *e = ctx;
    struct engine_lane *lane = &e->lanes[index];
    int64_t resume_ns = 0, now_ns = clock_now_ns();
    enum engine_next next;

    histogram_add(e->stats->lag, now_ns - e->woke_ns);
    if (now_ns >= e->config->window->close_ns)
        e->ending = true;
    e->in_flight--;
    lane->state = LANE_OVER;
    next = e->job->done(e->job->ctx, index, &resume_ns);
    lane->resumes = next != ENGINE_FREE;
    lane->drains = false;
    if (lane->resumes && e->err == 0)
        go_on(e, index, next, now_ns, resume_ns);
    else if (e->config->think_ns > 0 && e->config->pace == NULL && !e->ending)
        push_waiting(e, index, now_ns + e->config->think_ns);
    else
        set_free(e, index, now_ns);
}

/* Take up what waits no longer, a few at a time. */
static void
serve_waiting(struct engine *e)
{
    int burst = 0;

    while (e->waiting > 0 && burst++ < BURST &&
           e->heap[0].at_ns <= clock_now_ns()) {
        size_t index = pop_waiting(e);

        e->lanes[index].state = LANE_OVER;
        e->draining -= e->lanes[index].drains;
        if (e->ending && !e->lanes[index].drains)
            continue;
        e->lanes[index].drains = false;
        if (e->lanes[index].resumes)
            take_up(e, index, 0, false);
        else
            give_next(e, index);
    }
}

/* Open loop: give arrivals that are due to lanes that are free. */
static void
serve_arrivals(struct engine *e)
{
    struct pace *pace = e->config->pace;
    int burst = 0;

    while (!e->ending && e->ready_count > 0 && burst++ < BURST) {
        int64_t now_ns = clock_now_ns(), due_ns = pace->due_ns;
        size_t index;

        if (due_ns > now_ns || due_ns >= e->config->window->close_ns)
            break;
        pace_take(pace);
        index = e->ready[--e->ready_count];
        /* A lane was free: whatever is late about it is the loop's doing. */
        if (due_ns >= e->woke_ns)
            histogram_add(e->stats->lag, now_ns - due_ns);
        e->stats->late_ns = now_ns - due_ns;
        e->stats->last_due_ns = due_ns;
        take_up(e, index, due_ns, true);
    }
}

/* --- time --- */

/* Take a sample of the backlog when its time has come. */
static void
sample_backlog(struct engine *e, int64_t now_ns)
{
    const struct window *w = e->config->window;
    int64_t length;

    if (e->config->pace == NULL || w->close_ns == WINDOW_NEVER)
        return;
    length = w->close_ns - w->warm_ns;
    while (e->marks < 3 && now_ns >= w->warm_ns + length * (4 + e->marks) / 6) {
        e->stats->backlog[e->marks] = pace_backlog(e->config->pace, now_ns);
        e->marks++;
    }
}

static void
survey(struct engine *e)
{
    struct transport_totals totals = {0};

    e->ops->survey(e->transport, &totals);
    if (totals.kernel_bytes > e->stats->kernel_bytes)
        e->stats->kernel_bytes = totals.kernel_bytes;
    e->stats->retransmits = totals.retransmits;
    e->stats->tcp_bytes = totals.tcp_bytes;
    e->stats->tcp_segments = totals.tcp_segments;
    e->stats->tls = totals.tls;
}

/* When the loop itself wants to wake up, at the latest. */
static int64_t
next_moment(const struct engine *e, int64_t give_up_ns)
{
    const struct window *w = e->config->window;
    int64_t moment = give_up_ns < e->survey_ns ? give_up_ns : e->survey_ns;
    int64_t transport = e->ops->deadline(e->transport);

    if (transport < moment)
        moment = transport;
    if (!e->ending && w->close_ns < moment)
        moment = w->close_ns;
    if (e->waiting > 0 && e->heap[0].at_ns < moment)
        moment = e->heap[0].at_ns;
    if (!e->ending && e->ready_count > 0 && e->config->pace->due_ns < moment)
        moment = e->config->pace->due_ns;
    return moment;
}

/* epoll's nanoseconds where the kernel has them (since 5.11). */
static int
wait_events(int fd, struct epoll_event *events, int64_t left_ns)
{
    static bool coarse; /* set once, to the same value, by any thread */
    struct timespec ts = {left_ns / CLOCK_NS_PER_S, left_ns % CLOCK_NS_PER_S};
    int n;

    if (!__atomic_load_n(&coarse, __ATOMIC_RELAXED)) {
        n = epoll_pwait2(fd, events, BATCH, &ts, NULL);
        if (n >= 0 || errno != ENOSYS)
            return n;
        __atomic_store_n(&coarse, true, __ATOMIC_RELAXED);
    }
    return epoll_wait(
        fd, events, BATCH,
        (int) ((left_ns + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS));
}

/* One wait, at most until MOMENT_NS, and what it brought. */
static void
turn(struct engine *e, int64_t moment_ns)
{
    struct epoll_event events[BATCH];
    int64_t asleep_ns = clock_now_ns(), left_ns = moment_ns - asleep_ns;
    int n;

    if (left_ns < 0)
        left_ns = 0;
    n = wait_events(e->config->transport.epoll_fd, events, left_ns);
    e->woke_ns = clock_now_ns();
    e->stats->waited_ns += e->woke_ns - asleep_ns;
    if (n < 0 && errno != EINTR)
        fail(e, errno);
    for (int i = 0; i < n; i++) {
        if (events[i].data.u64 == WAKE_TAG)
            epoll_ctl(e->config->transport.epoll_fd, EPOLL_CTL_DEL,
                      e->config->wake_fd, NULL);
        else
            e->ops->ready(e->transport, events[i].data.u64, events[i].events);
    }
    if (e->ops->deadline(e->transport) <= e->woke_ns)
        e->ops->expire(e->transport, e->woke_ns);
    if (e->survey_ns <= e->woke_ns) {
        survey(e);
        e->survey_ns = e->woke_ns + SURVEY_NS;
    }
}

/* --- what became of the rate --- */

/* Until all are started: the last start must not be later than 1 % of the
 * time that the arrivals take. */
static bool
is_late(const struct engine_stats *s, const struct window *window)
{
    int64_t length = s->last_due_ns - window->begin_ns;

    return s->late_ns > CLOCK_NS_PER_MS &&
           (double) s->late_ns > 0.01 * (double) length;
}

bool
engine_missed_rate(const struct engine_stats *s, const struct window *window)
{
    uint64_t growth = s->backlog[2] - s->backlog[0];

    if (window->close_ns == WINDOW_NEVER)
        return is_late(s, window);
    if ((double) s->started < 0.99 * (double) s->due)
        return true;
    /* A single late arrival is no growth: 1 % of a third is. */
    return s->backlog[1] > s->backlog[0] && s->backlog[2] > s->backlog[1] &&
           (double) growth > 0.01 * (double) s->due / 3;
}

/* --- the run --- */

/* Whether lanes still have something to do. */
static bool
is_going(const struct engine *e)
{
    if (e->in_flight > 0 || e->draining > 0)
        return true;
    return !e->ending && (e->waiting > 0 || e->ready_count > 0);
}

/* End what is still in flight; each operation is told. */
static void
cancel_all(struct engine *e)
{
    int64_t resume_ns;

    for (size_t i = 0; i < e->config->lanes; i++) {
        if (e->lanes[i].state != LANE_BUSY)
            continue;
        e->ops->cancel(e->transport, i);
        e->lanes[i].state = LANE_OVER;
        e->in_flight--;
        e->stats->cancelled++;
        e->job->done(e->job->ctx, i, &resume_ns);
    }
}

/* The first operation of each lane: all at once, spread over the ramp, or
 * (open loop) when it is due. */
static void
start_lanes(struct engine *e)
{
    size_t lanes = e->config->lanes - e->config->helpers;
    size_t first = e->config->first_lane;
    int64_t begin_ns = e->config->window->begin_ns;
    double ramp_ns =
        (double) e->config->ramp_ns /
        (double) (e->config->all_lanes > 0 ? e->config->all_lanes : lanes);

    for (size_t i = lanes; i < e->config->lanes; i++)
        e->lanes[i].state = LANE_PARKED;
    for (size_t i = 0; i < lanes; i++) {
        if (e->config->pace != NULL)
            give_next(e, i);
        else
            push_waiting(e, i,
                         begin_ns + (int64_t) (ramp_ns * (double) (first + i)));
    }
}

static void
end_when_over(struct engine *e, int64_t *give_up_ns)
{
    int64_t now_ns = clock_now_ns();

    sample_backlog(e, now_ns);
    if (*e->config->stop != 0)
        window_stop(e->config->window, now_ns);
    if (now_ns >= e->config->window->close_ns)
        e->ending = true;
    if (!e->ending || *give_up_ns != INT64_MAX)
        return;
    e->ended_ns = e->config->window->close_ns;
    *give_up_ns = now_ns + e->config->drain_ns;
}

static void
loop(struct engine *e)
{
    int64_t give_up_ns = INT64_MAX, begun_ns = clock_now_ns();

    e->woke_ns = begun_ns;
    e->survey_ns = e->woke_ns + SURVEY_NS;
    start_lanes(e);
    for (;;) {
        end_when_over(e, &give_up_ns);
        serve_waiting(e);
        if (e->config->pace != NULL)
            serve_arrivals(e);
        if (!is_going(e) || e->err != 0 || clock_now_ns() >= give_up_ns)
            break;
        turn(e, next_moment(e, give_up_ns));
    }
    e->stats->ran_ns = clock_now_ns() - begun_ns;
    survey(e);
    if (e->config->pace != NULL) {
        sample_backlog(e, clock_now_ns());
        /* What was due until the end, also when a signal ended it; a run
         * whose operations are used up has no backlog. */
        e->stats->due = e->stats->started;
        if (e->ended_ns != 0)
            e->stats->due += pace_backlog(e->config->pace, e->ended_ns - 1);
    }
    cancel_all(e);
}

static int
watch_wake(const struct engine_config *c)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = WAKE_TAG};

    if (c->wake_fd < 0)
        return 0;
    return epoll_ctl(c->transport.epoll_fd, EPOLL_CTL_ADD, c->wake_fd,
                     &event) == 0
               ? 0
               : errno;
}

int
engine_run(const struct engine_config *config, const struct transport_ops *ops,
           const struct engine_job *job, struct engine_stats *stats)
{
    struct engine_config filled = *config;
    struct engine e = {
        .config = &filled, .ops = ops, .job = job, .stats = stats};
    int err = ENOMEM;

    filled.transport.epoll_fd = -1;
    e.lanes = calloc(config->lanes, sizeof *e.lanes);
    e.heap = calloc(config->lanes, sizeof *e.heap);
    e.ready = calloc(config->lanes, sizeof *e.ready);
    if (e.lanes == NULL || e.heap == NULL || e.ready == NULL)
        goto done;
    filled.transport.lanes = config->lanes;
    filled.transport.done = on_done;
    filled.transport.ctx = &e;
    filled.transport.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (filled.transport.epoll_fd < 0) {
        err = errno;
        goto done;
    }
    err = watch_wake(&filled);
    if (err == 0)
        err = ops->open(&e.transport, &filled.transport);
    if (err != 0)
        goto done;
    if (job->attach != NULL)
        job->attach(job->ctx, &e);
    loop(&e);
    err = e.err;
    ops->close(e.transport);
done:
    if (filled.transport.epoll_fd >= 0)
        close(filled.transport.epoll_fd);
    free(e.lanes);
    free(e.heap);
    free(e.ready);
    return err;
}
