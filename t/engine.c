/* SPDX-License-Identifier: MIT */
/* The engine keeps lanes busy, starts them when they are due, and stops when
 * it should: over a carrier that is only a list. */
#include "config.h"

#include "engine.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/eventfd.h>

#include "clock.h"
#include "tap.h"

#define LANES 8
#define MS CLOCK_NS_PER_MS

/* A carrier that ends every exchange after `takes_ns`, unless it hangs. */
struct transport {
    struct transport_config config;
    struct exchange *flying[LANES];
    int64_t ends_ns[LANES];
};

static bool fake_hangs;
static int64_t takes_ns;
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
    t->ends_ns[lane] = clock_now_ns() + takes_ns;
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
    int64_t first = INT64_MAX;

    for (size_t i = 0; i < LANES; i++)
        if (t->flying[i] != NULL && !fake_hangs && t->ends_ns[i] < first)
            first = t->ends_ns[i];
    return first;
}

static void
fake_expire(struct transport *t, int64_t now_ns)
{
    for (size_t i = 0; i < LANES; i++) {
        if (t->flying[i] == NULL || fake_hangs || t->ends_ns[i] > now_ns)
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
fake_survey(struct transport *t, struct transport_totals *totals)
{
    (void) t;
    totals->retransmits = 3;
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
    .survey = fake_survey,
    .close = fake_close,
};

/* A job of `left` operations, each of `parts` exchanges. */
struct job {
    struct exchange x[LANES];
    unsigned left, parts;
    int64_t pause_ns; /* before a further exchange */
    unsigned part[LANES];
    unsigned by_lane[LANES];
    bool flying[LANES];
    unsigned prepared, started, done, in_flight, peak;
    bool twice; /* a lane was started while it was in flight */
    bool early; /* started before it was due */
    int64_t first_start_ns, last_start_ns, last_due_ns, most_late_ns;
    unsigned fail_at; /* start() number that fails; 0: none */
    unsigned stop_at; /* done() number that sets the stop flag */
};

static atomic_int stop;
static int wake_fd = -1;

static enum engine_offer
job_prepare(void *ctx, size_t lane)
{
    struct job *j = ctx;

    if (j->left == 0)
        return ENGINE_NOTHING;
    j->left--;
    j->prepared++;
    j->part[lane] = 0;
    return ENGINE_READY;
}

static struct exchange *
job_start(void *ctx, size_t lane, int64_t due_ns, int64_t start_ns)
{
    struct job *j = ctx;

    j->started++;
    if (j->started == j->fail_at)
        return NULL;
    if (j->started == 1)
        j->first_start_ns = start_ns;
    j->by_lane[lane]++;
    j->twice |= j->flying[lane];
    j->early |= start_ns < j->last_start_ns || due_ns > start_ns;
    j->last_start_ns = start_ns;
    j->last_due_ns = due_ns;
    if (start_ns - due_ns > j->most_late_ns)
        j->most_late_ns = start_ns - due_ns;
    j->flying[lane] = true;
    if (++j->in_flight > j->peak)
        j->peak = j->in_flight;
    return &j->x[lane];
}

static enum engine_next
job_done(void *ctx, size_t lane, int64_t *resume_ns)
{
    struct job *j = ctx;

    j->flying[lane] = false;
    j->in_flight--;
    j->done++;
    if (j->done == j->stop_at)
        stop = 1;
    if (j->pause_ns > 0)
        *resume_ns = clock_now_ns() + j->pause_ns;
    return ++j->part[lane] < j->parts ? ENGINE_AGAIN : ENGINE_FREE;
}

static struct histogram lag;
static struct engine_stats stats;

static void
clear_stats(void)
{
    static uint64_t *counts;

    free(counts);
    counts = calloc(histogram_buckets(HISTOGRAM_SUB_STAGES), sizeof *counts);
    histogram_init(&lag, HISTOGRAM_SUB_STAGES, counts);
    stats = (struct engine_stats){.lag = &lag};
}

/* Run JOB as CONFIG says, with a window of DURATION (0: counted). */
static int
run_job(const struct engine_job *job, struct engine_config config,
        int64_t duration_ns)
{
    struct window window;

    window_init(&window,
                duration_ns == 0      ? WINDOW_WHOLE
                : config.pace != NULL ? WINDOW_TIMED
                                      : WINDOW_STEADY,
                clock_now_ns(), 0, duration_ns, (uint32_t) config.lanes);
    if (config.pace != NULL)
        config.pace->begin_ns = config.pace->due_ns = window.begin_ns;
    config.window = &window;
    config.stop = &stop;
    config.wake_fd = wake_fd;
    stop = 0;
    cancelled = 0;
    clear_stats();
    return engine_run(&config, &fake, job, &stats);
}

static int
run_as(struct job *j, struct engine_config config, int64_t duration_ns)
{
    const struct engine_job job = {
        .ctx = j, .prepare = job_prepare, .start = job_start, .done = job_done};

    return run_job(&job, config, duration_ns);
}

static int
run(struct job *j, size_t lanes, int64_t drain_ns)
{
    return run_as(
        j, (struct engine_config){.lanes = lanes, .drain_ns = drain_ns}, 0);
}

static void
test_count(void)
{
    struct job j = {.left = 1000, .parts = 1};

    is_int(run(&j, LANES, 0), 0, "a counted run ends well");
    is_int(j.done, 1000, "every operation is done once");
    is_int(j.prepared, 1000, "and prepared once");
    ok(!j.twice, "no lane has two operations in flight");
    ok(!j.early, "start stamps never go back, none is before due");
    is_int(cancelled, 0, "nothing is cancelled");
    is_int((int64_t) stats.started, 1000, "the loop counted them");
    is_int((int64_t) lag.count, 1000, "and how late it was with each");
    is_int(stats.retransmits, 3, "and asked the carrier");
}

static void
test_lanes(void)
{
    struct job j = {.left = LANES, .parts = 1};

    takes_ns = 20 * MS;
    is_int(run(&j, LANES, 0), 0, "as many operations as lanes");
    is_int(j.peak, LANES, "are all in flight at once");
    for (int i = 0; i < LANES; i++)
        is_int(j.by_lane[i], 1, "lane %d has one", i);
    takes_ns = 0;
    j = (struct job){.left = 3, .parts = 1};
    is_int(run(&j, LANES, 0), 0, "fewer operations than lanes");
    is_int(j.done, 3, "are all done");
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
    j = (struct job){.left = 1, .parts = 2, .pause_ns = 30 * MS};
    is_int(run(&j, 1, 0), 0, "a pause before the next exchange");
    ok(j.last_start_ns - j.first_start_ns >= 30 * MS, "is kept");
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
    const uint64_t one = 1;

    stop = number;
    if (write(wake_fd, &one, sizeof one) < 0)
        abort();
}

static void
test_stop_hanging(void)
{
    struct job j = {.left = 4, .parts = 1};
    struct sigaction action = {.sa_handler = on_alarm};

    /* The signal comes while all four lanes hang in the wait. */
    wake_fd = eventfd(0, EFD_CLOEXEC);
    sigaction(SIGALRM, &action, NULL);
    alarm(1);
    fake_hangs = true;
    is_int(run(&j, 4, 20 * MS), 0, "hanging exchanges end");
    fake_hangs = false;
    is_int(cancelled, 4, "they are cancelled after the drain time");
    is_int((int64_t) stats.cancelled, 4, "which is counted");
    is_int(j.done, 4, "and each operation is told");
    close(wake_fd);
    wake_fd = -1;
}

static void
test_duration(void)
{
    struct job j = {.left = 1000000, .parts = 1};
    int64_t begun = clock_now_ns(), took;

    takes_ns = MS;
    is_int(run_as(&j, (struct engine_config){.lanes = 4, .drain_ns = MS * 900},
                  100 * MS),
           0, "a timed run ends well");
    took = clock_now_ns() - begun;
    ok(took >= 100 * MS, "not before its time: %" PRId64 " ns", took);
    ok(j.last_start_ns - begun < 200 * MS, "nothing starts after it");
    ok(j.done > 0 && j.left > 0, "time ended it, not the count");
    j = (struct job){.left = 5, .parts = 1};
    is_int(run_as(&j, (struct engine_config){.lanes = 4}, 1000 * MS), 0,
           "with a count, too");
    is_int(j.done, 5, "whichever ends first");
    takes_ns = 0;
}

static void
test_ramp_and_think(void)
{
    struct job j = {.left = LANES, .parts = 1};

    takes_ns = 200 * MS; /* so that no lane does a second one */
    is_int(run_as(&j,
                  (struct engine_config){.lanes = LANES, .ramp_ns = 80 * MS},
                  0),
           0, "a ramp");
    takes_ns = 0;
    ok(j.last_start_ns - j.first_start_ns >= 70 * MS,
       "spreads the lanes' first starts");
    j = (struct job){.left = 5, .parts = 1};
    is_int(
        run_as(&j, (struct engine_config){.lanes = 1, .think_ns = 10 * MS}, 0),
        0, "think time");
    ok(j.last_start_ns - j.first_start_ns >= 40 * MS, "comes between");
    ok(stats.waited_ns >= 35 * MS && stats.waited_ns <= stats.ran_ns,
       "with nothing to do, which is counted");
}

static void
test_rate(void)
{
    struct job j = {.left = 50, .parts = 1};
    struct pace pace;

    pace_init(&pace, PACE_CONSTANT, 1000, 0, 1, 1, 0);
    is_int(run_as(&j, (struct engine_config){.lanes = 4, .pace = &pace}, 0), 0,
           "an open loop");
    is_int(j.done, 50, "does all operations");
    ok(!j.early, "none before it was due");
    is_int(j.last_due_ns - pace.begin_ns, 49 * MS, "the last when it was due");
}

/* One lane that takes 50 ms, an arrival each 10 ms: starts fall behind, and
 * it is the due times that tell (no coordinated omission). */
static void
test_rate_behind(void)
{
    struct job j = {.left = 1000, .parts = 1};
    struct pace pace;

    takes_ns = 50 * MS;
    pace_init(&pace, PACE_CONSTANT, 100, 0, 1, 1, 0);
    is_int(run_as(&j,
                  (struct engine_config){
                      .lanes = 1, .pace = &pace, .drain_ns = 900 * MS},
                  300 * MS),
           0, "a rate that one lane cannot keep");
    takes_ns = 0;
    is_int((int64_t) stats.due, 30, "thirty were due");
    ok(stats.started >= 4 && stats.started <= 7, "%d were started",
       (int) stats.started);
    ok(j.most_late_ns >= 150 * MS, "the last ones late by %" PRId64 " ms",
       j.most_late_ns / MS);
    ok(stats.backlog[0] < stats.backlog[1] &&
           stats.backlog[1] < stats.backlog[2],
       "the backlog grows to the end");
}

/* Design 3.8, on figures. */
static void
test_missed_rate(void)
{
    static const struct {
        const char *what;
        uint64_t due, started, backlog[3];
        bool missed;
    } cases[] = {
        {"all were started", 1000, 1000, {0, 0, 0}, false},
        {"99 % were", 1000, 990, {0, 0, 0}, false},
        {"98.9 % were", 1000, 989, {0, 0, 0}, true},
        {"a steady backlog", 100000, 99900, {100, 100, 100}, false},
        {"a backlog that comes and goes", 100000, 99900, {0, 500, 100}, false},
        {"one that grows through the last third",
         100000,
         99400,
         {100, 300, 600},
         true},
        {"one that grows by next to nothing", 100000, 99990, {0, 1, 2}, false},
        {"a single late arrival", 100, 99, {0, 0, 1}, false},
        {"nothing was due", 0, 0, {0, 0, 0}, false},
    };
    struct window window = {.begin_ns = 5, .close_ns = WINDOW_NEVER};
    struct engine_stats s = {.due = 10, .started = 10};

    s.last_due_ns = 5 + 1000 * MS;
    s.late_ns = 9 * MS;
    ok(!engine_missed_rate(&s, &window), "without a deadline, 0.9 %% late");
    s.late_ns = 11 * MS;
    ok(engine_missed_rate(&s, &window), "1.1 %% is missed");
    s.last_due_ns = 5 + 10 * MS;
    s.late_ns = MS;
    ok(!engine_missed_rate(&s, &window), "a millisecond is nothing");
    window.close_ns = 1000 * MS;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        s.due = cases[i].due;
        s.started = cases[i].started;
        memcpy(s.backlog, cases[i].backlog, sizeof s.backlog);
        ok(engine_missed_rate(&s, &window) == cases[i].missed, "%s",
           cases[i].what);
    }
}

/* --- operations that need several lanes --- */

/* Lane 0 opens an operation, lanes 1 and 2 do its `pieces`, lane 0 closes
 * it. */
struct team {
    struct exchange x[LANES];
    struct engine *engine;
    unsigned left; /* operations to come */
    unsigned pieces, todo, out; /* of an operation: all, not begun, under way */
    unsigned opened, closed, helped;
    bool opening, closing; /* what lane 0 does */
    bool released; /* the helpers' last exchange ends it */
};

static void
team_attach(void *ctx, struct engine *engine)
{
    ((struct team *) ctx)->engine = engine;
}

static enum engine_offer
team_prepare(void *ctx, size_t lane)
{
    struct team *t = ctx;

    if (lane > 0)
        return ENGINE_PARKED;
    if (t->left == 0)
        return ENGINE_NOTHING;
    t->left--;
    t->opening = true;
    return ENGINE_READY;
}

static struct exchange *
team_start(void *ctx, size_t lane, int64_t due_ns, int64_t start_ns)
{
    struct team *t = ctx;

    (void) due_ns, (void) start_ns;
    return &t->x[lane];
}

static enum engine_next
team_done(void *ctx, size_t lane, int64_t *resume_ns)
{
    struct team *t = ctx;

    (void) resume_ns;
    if (lane == 0 && t->closing) {
        t->closing = false;
        t->closed++;
        return ENGINE_FREE;
    }
    if (lane == 0) {
        t->opening = false;
        t->opened++;
        t->todo = t->pieces - 2;
        t->out = 2;
        engine_wake(t->engine, 1);
        engine_wake(t->engine, 2);
        return ENGINE_HOLD;
    }
    t->helped++;
    if (t->todo > 0) {
        t->todo--;
        return ENGINE_MORE;
    }
    if (--t->out == 0 && t->released) {
        t->closed++;
        engine_release(t->engine, 0);
    } else if (t->out == 0) {
        t->closing = true;
        engine_wake(t->engine, 0);
    }
    return t->released ? ENGINE_HOLD : ENGINE_FREE;
}

static int
run_team(struct team *t, struct pace *pace, int64_t duration_ns)
{
    const struct engine_job job = {t, team_attach, team_prepare, team_start,
                                   team_done};
    struct engine_config c = {.lanes = 3, .pace = pace, .drain_ns = 900 * MS};

    c.helpers = t->released ? 2 : 0;
    return run_job(&job, c, duration_ns);
}

static void
test_release(void)
{
    struct team t = {.left = 5, .pieces = 7, .released = true};

    run_team(&t, NULL, 0);
    is_int(t.helped, 35, "helpers end operations whose pieces are done");
    is_int(t.closed, 5, "and each is released");
}

static void
test_team(void)
{
    struct team t = {.left = 10, .pieces = 7};
    struct pace pace;

    is_int(run_team(&t, NULL, 0), 0, "operations that take three lanes");
    is_int(t.opened, 10, "are all opened");
    is_int(t.helped, 70, "their pieces done by the other lanes");
    is_int(t.closed, 10, "and closed");
    is_int((int64_t) stats.started, 10, "each counts once");

    t = (struct team){.left = 5, .pieces = 4};
    pace_init(&pace, PACE_CONSTANT, 500, 0, 1, 1, 0);
    is_int(run_team(&t, &pace, 0), 0, "at a rate,");
    is_int(t.helped, 20, "pieces wait for no arrival");
    is_int(t.closed, 5, "and all are closed");

    takes_ns = 30 * MS;
    t = (struct team){.left = 1000, .pieces = 8};
    is_int(run_team(&t, NULL, 100 * MS), 0, "an operation under way");
    takes_ns = 0;
    is_int(t.closed, t.opened, "is brought to its end while the run drains");
    ok(t.left > 900, "and none is begun then");
}

int
main(void)
{
    test_count();
    test_lanes();
    test_follow_up();
    test_tool_failure();
    test_stop();
    test_stop_hanging();
    test_duration();
    test_ramp_and_think();
    test_rate();
    test_rate_behind();
    test_missed_rate();
    test_team();
    test_release();
    return done_testing();
}
