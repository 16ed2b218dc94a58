/* SPDX-License-Identifier: MIT */
/* The engine keeps lanes busy and stops when it should: over a carrier that
 * is only a list. */
#include "config.h"

#include "engine.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "tap.h"

#define LANES 8

/* A carrier that ends every exchange at its next chance, unless it hangs. */
struct transport {
    struct transport_config config;
    struct exchange *flying[LANES];
};

static bool fake_hangs;
static unsigned cancelled;

static int
fake_open(struct transport **out, const struct transport_config *c)
{
    *out = calloc(1, sizeof **out);
    (*out)->config = *c;
    return 0;
}

static int
fake_start(struct transport *t, size_t lane, struct exchange *x)
{
    t->flying[lane] = x;
    return 0;
}

static void
fake_ready(struct transport *t, uint64_t tag, uint32_t events)
{
    (void) t, (void) tag, (void) events;
}

static int64_t
fake_deadline(const struct transport *t)
{
    for (size_t i = 0; i < LANES; i++)
        if (t->flying[i] != NULL && !fake_hangs)
            return 0;
    return INT64_MAX;
}

static void
fake_expire(struct transport *t, int64_t now_ns)
{
    (void) now_ns;
    for (size_t i = 0; i < LANES; i++) {
        if (t->flying[i] == NULL)
            continue;
        t->flying[i] = NULL;
        t->config.done(t->config.ctx, i);
    }
}

static void
fake_cancel(struct transport *t, size_t lane)
{
    t->flying[lane] = NULL;
    cancelled++;
}

static void
fake_close(struct transport *t)
{
    free(t);
}

static const struct transport_ops fake = {
    .name = "fake",
    .open = fake_open,
    .start = fake_start,
    .ready = fake_ready,
    .deadline = fake_deadline,
    .expire = fake_expire,
    .cancel = fake_cancel,
    .close = fake_close,
};

/* A job of `left` operations, each of `parts` exchanges. */
struct job {
    struct exchange x[LANES];
    unsigned left, parts;
    unsigned part[LANES];
    unsigned by_lane[LANES];
    bool flying[LANES];
    unsigned prepared, started, done, in_flight, peak;
    bool twice; /* a lane was started while it was in flight */
    bool clock_went_back;
    int64_t last_start_ns;
    unsigned fail_at; /* start() number that fails; 0: none */
    unsigned stop_at; /* done() number that sets the stop flag */
};

static volatile sig_atomic_t stop;

static bool
job_prepare(void *ctx, size_t lane)
{
    struct job *j = ctx;

    if (j->left == 0)
        return false;
    j->left--;
    j->prepared++;
    j->by_lane[lane]++;
    j->part[lane] = 0;
    return true;
}

static struct exchange *
job_start(void *ctx, size_t lane, int64_t due_ns, int64_t start_ns)
{
    struct job *j = ctx;

    j->started++;
    if (j->started == j->fail_at)
        return NULL;
    j->twice |= j->flying[lane];
    j->clock_went_back |= start_ns < j->last_start_ns || due_ns > start_ns;
    j->last_start_ns = start_ns;
    j->flying[lane] = true;
    if (++j->in_flight > j->peak)
        j->peak = j->in_flight;
    return &j->x[lane];
}

static bool
job_done(void *ctx, size_t lane)
{
    struct job *j = ctx;

    j->flying[lane] = false;
    j->in_flight--;
    j->done++;
    if (j->done == j->stop_at)
        stop = 1;
    return ++j->part[lane] < j->parts;
}

static int
run(struct job *j, size_t lanes, int64_t drain_ns)
{
    const struct engine_config config = {
        .lanes = lanes, .drain_ns = drain_ns, .stop = &stop};
    const struct engine_job job = {.ctx = j,
                                   .prepare = job_prepare,
                                   .start = job_start,
                                   .done = job_done};

    stop = 0;
    cancelled = 0;
    return engine_run(&config, &fake, &job);
}

static void
test_count(void)
{
    struct job j = {.left = 1000, .parts = 1};

    is_int(run(&j, LANES, 0), 0, "a counted run ends well");
    is_int(j.done, 1000, "every operation is done once");
    is_int(j.prepared, 1000, "and prepared once");
    is_int(j.peak, LANES, "all lanes are used, no more");
    for (int i = 0; i < LANES; i++)
        ok(j.by_lane[i] > 0, "lane %d had its share: %u", i, j.by_lane[i]);
    ok(!j.twice, "no lane has two operations in flight");
    ok(!j.clock_went_back, "start stamps never go back, none is before due");
    is_int(cancelled, 0, "nothing is cancelled");
}

static void
test_fewer_than_lanes(void)
{
    struct job j = {.left = 3, .parts = 1};

    is_int(run(&j, LANES, 0), 0, "fewer operations than lanes");
    is_int(j.done, 3, "are all done");
    ok(j.by_lane[0] == 1 && j.by_lane[1] == 1 && j.by_lane[2] == 1,
       "on as many lanes");
    j = (struct job){.left = LANES, .parts = 1};
    is_int(run(&j, LANES, 0), 0, "as many operations as lanes");
    for (int i = 0; i < LANES; i++)
        is_int(j.by_lane[i], 1, "lane %d has one", i);
    j = (struct job){.left = 0, .parts = 1};
    is_int(run(&j, LANES, 0), 0, "no operation at all ends at once");
    is_int(j.started, 0, "and starts nothing");
}

static void
test_follow_up(void)
{
    struct job j = {.left = 10, .parts = 4};

    is_int(run(&j, 2, 0), 0, "operations of several exchanges");
    is_int(j.prepared, 10, "are prepared once each");
    is_int(j.started, 40, "and started for each exchange");
}

static void
test_tool_failure(void)
{
    struct job j = {.left = 100, .parts = 1, .fail_at = 20};

    is_int(run(&j, 4, 0), ECANCELED, "a start that fails ends the run");
    is_int(j.in_flight, 0, "with no operation left in flight");
}

static void
test_stop(void)
{
    struct job j = {.left = 1000000, .parts = 1, .stop_at = 50};

    is_int(run(&j, 4, CLOCK_NS_PER_S), 0, "a stopped run ends well");
    ok(j.done < 60, "and takes up nothing more");
    is_int(j.in_flight, 0, "what was in flight was drained");
    is_int(cancelled, 0, "and not cancelled");
}

static void
on_alarm(int number)
{
    stop = number;
}

static void
test_stop_hanging(void)
{
    struct job j = {.left = 4, .parts = 1};
    struct sigaction action = {.sa_handler = on_alarm};

    /* The signal that stops comes while all four lanes hang in the wait. */
    sigaction(SIGALRM, &action, NULL);
    alarm(1);
    fake_hangs = true;
    is_int(run(&j, 4, 20 * CLOCK_NS_PER_MS), 0, "hanging exchanges end");
    fake_hangs = false;
    is_int(cancelled, 4, "they are cancelled after the drain time");
    is_int(j.done, 4, "and each operation is told");
}

int
main(void)
{
    test_count();
    test_fewer_than_lanes();
    test_follow_up();
    test_tool_failure();
    test_stop();
    test_stop_hanging();
    return done_testing();
}
