/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "lap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "clock.h"
#include "complain.h"

#define GRACE_NS CLOCK_NS_PER_S /* for a program when we are told to stop */
#define TAIL_SIZE 4096 /* of what it prints */

/* What is looked at while a program runs. */
struct watch {
    pid_t pid;
    int said_fd; /* what it prints */
    int end_fd; /* readable when it has ended */
    int stop_fd; /* readable when we are told to stop */
    int64_t limit_ns; /* kill it then; INT64_MAX: never */
    bool stopped, killed;
    char tail[TAIL_SIZE];
    size_t used;
};

/* The child, up to where it becomes the program. */
static void
become(const struct lap_order *order, int output, int said, const sigset_t *old,
       pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    /* Background jobs of a shell ignore them. */
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    sigprocmask(SIG_SETMASK, old, NULL);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(output >= 0 ? output : said, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    execvp(order->argv[0], order->argv);
    dprintf(STDERR_FILENO, "%s: %s\n", order->argv[0], strerror(errno));
    _exit(127);
}

/* Returns 0 or an errno value. */
static int
start(struct watch *w, const struct lap_order *order, const sigset_t *old)
{
    int ends[2], output = -1, err = 0;
    pid_t parent = getpid();

    if (order->output != NULL) {
        output =
            open(order->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (output < 0)
            return errno;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        err = errno;
        goto done;
    }
    w->said_fd = ends[0];
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    w->pid = fork();
    if (w->pid == 0)
        become(order, output, ends[1], old, parent);
    close(ends[1]);
    if (w->pid < 0) {
        err = errno;
        goto done;
    }
    w->end_fd = pidfd_open(w->pid, 0);
    if (w->end_fd < 0)
        err = errno;
done:
    if (output >= 0)
        close(output);
    return err;
}

/* Keep the end of what the program prints. */
static void
listen_to(struct watch *w)
{
    char text[TAIL_SIZE / 2];
    ssize_t n;

    while ((n = read(w->said_fd, text, sizeof text)) > 0) {
        size_t more = (size_t) n, keep = w->used;

        if (keep + more > sizeof w->tail)
            keep = sizeof w->tail - more;
        memmove(w->tail, w->tail + (w->used - keep), keep);
        memcpy(w->tail + keep, text, more);
        w->used = keep + more;
    }
    if (n == 0) { /* nobody can say anything any more */
        close(w->said_fd);
        w->said_fd = -1;
    }
}

static void
take_stop(struct watch *w)
{
    struct signalfd_siginfo info;
    int64_t limit = clock_now_ns() + GRACE_NS;

    if (read(w->stop_fd, &info, sizeof info) < 0 || w->stopped)
        return;
    w->stopped = true;
    if (limit < w->limit_ns)
        w->limit_ns = limit;
}

/* Milliseconds until NS, rounded up; -1: for ever. */
static int
left_ms(int64_t ns)
{
    int64_t left;

    if (ns == INT64_MAX)
        return -1;
    left = (ns - clock_now_ns() + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS;
    return left < 0 ? 0 : left > 60000 ? 60000 : (int) left;
}

/* Wait for the end of the program. Returns when that was. */
static int64_t
follow(struct watch *w)
{
    for (;;) {
        struct pollfd fds[] = {{.fd = w->end_fd, .events = POLLIN},
                               {.fd = w->said_fd, .events = POLLIN},
                               {.fd = w->stop_fd, .events = POLLIN}};

        if (poll(fds, 3, left_ms(w->limit_ns)) < 0 && errno != EINTR)
            return clock_now_ns();
        if (fds[0].revents != 0)
            return clock_now_ns();
        if (fds[1].revents != 0)
            listen_to(w);
        if (fds[2].revents != 0)
            take_stop(w);
        if (!w->killed && clock_now_ns() >= w->limit_ns) {
            w->killed = true;
            w->limit_ns = INT64_MAX;
            kill(-w->pid, SIGKILL);
        }
    }
}

/* The last line of the tail that is not empty. */
static void
last_line(char out[LAP_SAID_SIZE], struct watch *w)
{
    size_t end = w->used, begin, n;

    while (end > 0 && strchr(" \t\r\n", w->tail[end - 1]) != NULL &&
           w->tail[end - 1] != '\0')
        end--;
    for (begin = end; begin > 0 && w->tail[begin - 1] != '\n';)
        begin--;
    n = end - begin < LAP_SAID_SIZE ? end - begin : LAP_SAID_SIZE - 1;
    for (size_t i = 0; i < n; i++)
        out[i] = w->tail[begin + i] != '\0' ? w->tail[begin + i] : '?';
    out[n] = '\0';
    complain_clean(out);
}

static bool
has_size(const char *path, uint64_t size)
{
    struct stat s;

    return stat(path, &s) == 0 && (uint64_t) s.st_size == size;
}

static void
judge(struct lap *lap, const struct watch *w, const struct lap_order *order,
      int status)
{
    if (w->killed)
        lap->end = w->stopped ? LAP_STOPPED : LAP_TIMEOUT;
    else if (WIFSIGNALED(status))
        lap->end = LAP_SIGNAL;
    else if (WEXITSTATUS(status) != 0)
        lap->end = LAP_EXIT;
    else if (order->result != NULL &&
             !has_size(order->result, order->result_size))
        lap->end = LAP_SHORT;
    if (lap->end == LAP_EXIT)
        lap->number = WEXITSTATUS(status);
    else if (lap->end == LAP_SIGNAL)
        lap->number = WTERMSIG(status);
}

static int64_t
time_ns(const struct timeval *t)
{
    return (int64_t) t->tv_sec * CLOCK_NS_PER_S +
           (int64_t) t->tv_usec * CLOCK_NS_PER_US;
}

static void
clear(struct watch *w)
{
    if (w->said_fd >= 0)
        close(w->said_fd);
    if (w->end_fd >= 0)
        close(w->end_fd);
    if (w->stop_fd >= 0)
        close(w->stop_fd);
}

int
lap_run(struct lap *lap, const struct lap_order *order)
{
    struct watch w = {.said_fd = -1, .end_fd = -1, .limit_ns = INT64_MAX};
    struct rusage used = {0};
    sigset_t stops, old;
    int status = 0, err;

    *lap = (struct lap){0};
    sigemptyset(&stops);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGHUP);
    sigaddset(&stops, SIGURG);
    sigprocmask(SIG_BLOCK, &stops, &old);
    w.stop_fd = signalfd(-1, &stops, SFD_CLOEXEC | SFD_NONBLOCK);
    if (w.stop_fd < 0)
        return errno;
    lap->start_ns = clock_now_ns();
    err = start(&w, order, &old);
    if (err == 0) {
        if (order->timeout_ns > 0)
            w.limit_ns = lap->start_ns + order->timeout_ns;
        lap->end_ns = follow(&w);
    } else if (w.pid > 0) {
        kill(w.pid, SIGKILL);
    }
    if (w.pid > 0)
        while (wait4(w.pid, &status, 0, &used) < 0 && errno == EINTR)
            continue;
    if (err == 0) {
        if (w.said_fd >= 0)
            listen_to(&w);
        lap->cpu_ns = time_ns(&used.ru_utime) + time_ns(&used.ru_stime);
        lap->rss_kib = (uint64_t) used.ru_maxrss;
        last_line(lap->said, &w);
        judge(lap, &w, order, status);
    }
    clear(&w);
    return err;
}

int
lap_status(const struct lap *lap)
{
    return lap->end == LAP_DONE ? 0 : 1;
}
