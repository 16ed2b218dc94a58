/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "crew.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "clock.h"
#include "host.h"

/* From the moment all is ready to the start, so that no thread is late. */
#define RUN_UP_NS (200 * CLOCK_NS_PER_US)

#define SHOW_NS CLOCK_NS_PER_S /* between live views */
#define LOOK_MS 100 /* between looks at whether it may end */

struct member {
    struct crew *crew;
    struct worker *worker;
    pthread_t thread;
    int err;
};

struct crew {
    const struct crew_config *config;
    struct worker_config worker; /* with the window */
    struct window window;
    struct member *members;
    uint32_t count, started;
    int64_t ended_ns; /* when the last thread was through */
    pthread_mutex_t gate; /* held until the threads may go */
    bool called_off; /* not all of them could be started */
    int done_fd; /* counts the threads that are through */
};

static void *
work(void *ctx)
{
    struct member *m = ctx;
    uint64_t one = 1;

    pthread_mutex_lock(&m->crew->gate);
    pthread_mutex_unlock(&m->crew->gate);
    if (!m->crew->called_off)
        m->err = worker_run(m->worker);
    if (write(m->crew->done_fd, &one, sizeof one) < 0)
        m->err = m->err != 0 ? m->err : errno;
    return NULL;
}

/* --- the live view --- */

static void
look(struct crew *crew, struct crew_view *view)
{
    const struct window *w = &crew->window;
    const struct workload *workload = crew->worker.workload;
    int64_t now_ns = clock_now_ns(), width_ns;
    struct interval last;

    *view = (struct crew_view){.elapsed_ns = now_ns - w->begin_ns,
                               .left_ns = -1,
                               .left_ops = UINT64_MAX};
    if (w->close_ns != WINDOW_NEVER)
        view->left_ns = w->close_ns > now_ns ? w->close_ns - now_ns : 0;
    if (workload->count != WORKLOAD_ENDLESS)
        view->left_ops = workload->count - workload_given(workload);
    for (uint32_t i = 0; i < crew->count; i++) {
        struct interval_table *t = worker_intervals(crew->members[i].worker);

        /* Threads' intervals may differ in width: rates add up. */
        if (interval_last(t, now_ns, &last, &width_ns)) {
            interval_add(&view->last, &last);
            view->ops_per_s += (double) last.ops * 1e9 / (double) width_ns;
            view->good_bytes_per_s +=
                (double) last.good_bytes * 1e9 / (double) width_ns;
        }
        interval_total(t, &view->ops, &view->errors);
    }
}

static bool
wait_done(struct crew *crew, int timeout_ms)
{
    struct pollfd fd = {.fd = crew->done_fd, .events = POLLIN};
    uint64_t n = 0;

    while (crew->started > 0 && poll(&fd, 1, timeout_ms) > 0)
        if (read(crew->done_fd, &n, sizeof n) == sizeof n)
            crew->started -= (uint32_t) n;
    return crew->started == 0;
}

/* End the run if what was seen will do. */
static void
look_for_end(struct crew *crew)
{
    struct stop_watch *stop = crew->config->stop;
    int64_t open_ns = window_open_ns(&crew->window), now_ns = clock_now_ns();
    struct interval_table **tables;

    if (stop == NULL || stop->met || open_ns == WINDOW_NEVER)
        return;
    tables = calloc(crew->count, sizeof *tables);
    for (uint32_t i = 0; tables != NULL && i < crew->count; i++)
        tables[i] = worker_intervals(crew->members[i].worker);
    if (tables != NULL &&
        stop_watch_look(stop, tables, crew->count, open_ns, now_ns, false))
        window_stop(&crew->window, now_ns);
    free(tables);
}

static void
watch(struct crew *crew)
{
    const struct crew_config *c = crew->config;
    int64_t show_ns = clock_now_ns() + SHOW_NS;
    struct crew_view *view = NULL;
    int pause_ms = -1;

    if (c->show != NULL)
        view = malloc(sizeof *view);
    if (view != NULL)
        pause_ms = SHOW_NS / CLOCK_NS_PER_MS;
    if (c->stop != NULL)
        pause_ms = LOOK_MS;
    while (!wait_done(crew, pause_ms)) {
        look_for_end(crew);
        if (view == NULL || (c->stop != NULL && clock_now_ns() < show_ns))
            continue;
        show_ns += SHOW_NS;
        look(crew, view);
        c->show(c->ctx, view);
    }
    free(view);
}

/* --- the threads --- */

static int
gather(struct crew *crew, const struct report_asked *asked)
{
    const struct worker_config *c = &crew->worker;
    int err = 0;

    crew->members = calloc(crew->count, sizeof *crew->members);
    if (crew->members == NULL)
        return ENOMEM;
    for (uint32_t i = 0; err == 0 && i < crew->count; i++) {
        crew->members[i].crew = crew;
        err = worker_new(&crew->members[i].worker, c, asked, i);
    }
    for (uint32_t i = 0; err == 0 && i < c->op_count; i++)
        if (c->ops[i].source != NULL)
            err = source_hash_ahead(c->ops[i].source, c->workload, c->style,
                                    c->seed, c->engine.stop);
    return err;
}

/* Start the threads, with signals left to this one. */
static int
launch(struct crew *crew)
{
    sigset_t all, before;
    int err = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    for (uint32_t i = 0; err == 0 && i < crew->count; i++) {
        err = pthread_create(&crew->members[i].thread, NULL, work,
                             &crew->members[i]);
        crew->started += err == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

static int
go(struct crew *crew)
{
    const struct crew_config *c = crew->config;
    uint32_t lanes = (uint32_t) crew->worker.engine.lanes;
    int64_t begin_ns;
    uint32_t launched;
    int err;

    pthread_mutex_init(&crew->gate, NULL);
    pthread_mutex_lock(&crew->gate);
    err = launch(crew);
    crew->called_off = err != 0;
    begin_ns = c->agree != NULL && err == 0 ? c->agree(c->agree_ctx)
                                            : clock_now_ns() + RUN_UP_NS;
    window_init(&crew->window, c->kind, begin_ns, c->warmup_ns, c->duration_ns,
                lanes);
    pthread_mutex_unlock(&crew->gate);
    launched = crew->started;
    watch(crew);
    for (uint32_t i = 0; i < launched; i++) {
        pthread_join(crew->members[i].thread, NULL);
        if (err == 0)
            err = crew->members[i].err;
    }
    crew->ended_ns = clock_now_ns();
    for (uint32_t i = 0; i < crew->worker.op_count; i++)
        if (crew->worker.ops[i].source != NULL)
            source_hash_end(crew->worker.ops[i].source);
    pthread_mutex_destroy(&crew->gate);
    return err;
}

/* --- what they saw --- */

/* MOMENT_NS since the start of the run. */
static int64_t
since_begin(const struct window *w, int64_t moment_ns)
{
    return moment_ns == WINDOW_NEVER ? PART_NEVER : moment_ns - w->begin_ns;
}

static void
add_up(struct crew *crew, struct part *part)
{
    const struct window *w = &crew->window;

    interval_begin(&part->intervals, w->begin_ns);
    for (uint32_t i = 0; i < crew->count; i++) {
        struct worker *worker = crew->members[i].worker;

        worker_settle(worker);
        worker_report(worker, &part->whole, true);
        if (w->kind != WINDOW_WHOLE)
            worker_report(worker, &part->inside, false);
        interval_merge(&part->intervals, worker_intervals(worker));
        if (part->write_err == 0)
            part->write_err = worker_write_err(worker);
    }
    part->begin_ns = w->begin_ns;
    part->open_ns = since_begin(w, window_open_ns(w));
    part->close_ns = since_begin(w, w->close_ns);
    part->ended_ns = since_begin(w, crew->ended_ns);
    part->timed = w->kind != WINDOW_WHOLE;
    part->stopped = *crew->worker.engine.stop != 0;
}

/* All CPU time goes to the whole run; to the window, the share of the
 * operations that ended in it. */
static void
share_cpu(struct part *part, int64_t cpu_ns)
{
    double all = (double) (part->whole.ops + part->whole.errors);
    double inside = (double) (part->inside.ops + part->inside.errors);

    part->whole.cpu_ns = cpu_ns;
    part->inside.cpu_ns =
        all > 0 ? (int64_t) ((double) cpu_ns * inside / all) : 0;
}

int
crew_run(const struct crew_config *config, struct part *part)
{
    struct crew crew = {.config = config,
                        .worker = config->worker,
                        .count = config->worker.parts};
    int64_t cpu_ns;
    int err;

    crew.worker.window = &crew.window;
    crew.done_fd = eventfd(0, EFD_CLOEXEC);
    if (crew.done_fd < 0)
        return errno;
    err = gather(&crew, &part->whole.asked);
    if (err == 0) {
        cpu_ns = clock_cpu_ns();
        err = go(&crew);
        cpu_ns = clock_cpu_ns() - cpu_ns;
        add_up(&crew, part);
        share_cpu(part, cpu_ns);
        part->whole.max_rss_kib = part->inside.max_rss_kib = host_max_rss_kib();
    }
    for (uint32_t i = 0; crew.members != NULL && i < crew.count; i++)
        worker_free(crew.members[i].worker);
    free(crew.members);
    close(crew.done_fd);
    return err;
}
