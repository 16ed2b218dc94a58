/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "fanout.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buf.h"
#include "clock.h"
#include "complain.h"
#include "process.h"

#define JOBS_MAX ((size_t) 256 << 20)
/* From the word to the start, so that it reaches all before. */
#define RUN_UP_NS (50 * CLOCK_NS_PER_MS)
#define HELLO_NS (60 * CLOCK_NS_PER_S) /* to get a process started */
#define TURN_MS 100 /* how soon the end of GNU parallel is noticed */
#define ORPHAN_NS (30 * CLOCK_NS_PER_S) /* to end without GNU parallel */

extern char **environ;

int
fanout_check(void)
{
    static const char gnu[] = "GNU parallel ";
    struct process_command command;
    struct buf out;
    int status = 0, err;

    buf_init(&out, 1 << 16);
    err = process_split(&command, "parallel --version");
    if (err == 0)
        err = process_run(&out, &status, &command, 20 * CLOCK_NS_PER_S);
    if (err == 0 && strncmp(out.data, gnu, sizeof gnu - 1) != 0)
        err = ENOENT;
    process_clear(&command);
    buf_clear(&out);
    if (err == ENOENT)
        return complain(2, "--workers needs GNU parallel, and there is no such "
                           "'parallel' here");
    if (err != 0)
        return complain(2, "--workers: cannot run 'parallel': %s",
                        strerror(err));
    return 0;
}

/* --- the folder --- */

/* The path of FILE.I, or of FILE alone without a worker. */
static void
path_of(char out[FANOUT_PATH_SIZE], const struct fanout *f, const char *file,
        uint32_t i)
{
    snprintf(out, FANOUT_PATH_SIZE, "%s/%s.%" PRIu32, f->folder, file, i + 1);
}

static int
make_fifo(int *fd, const struct fanout *f, const char *file, uint32_t i,
          int flags)
{
    char path[FANOUT_PATH_SIZE];

    path_of(path, f, file, i);
    if (mkfifo(path, 0600) != 0)
        return errno;
    *fd = open(path, flags | O_CLOEXEC);
    return *fd < 0 ? errno : 0;
}

int
fanout_open(struct fanout *f, uint32_t count)
{
    const char *tmp = getenv("TMPDIR");
    int err = 0;

    *f = (struct fanout){.count = count, .wake_fd = -1};
    f->workers = calloc(count, sizeof *f->workers);
    if (f->workers == NULL)
        return ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        f->workers[i].go_fd = f->workers[i].said_fd = -1;
    if (tmp == NULL || strlen(tmp) > sizeof f->folder - 32)
        tmp = "/tmp";
    snprintf(f->folder, sizeof f->folder, "%s/s3op-workers.XXXXXX", tmp);
    if (mkdtemp(f->folder) == NULL) {
        f->folder[0] = '\0';
        return errno;
    }
    for (uint32_t i = 0; err == 0 && i < count; i++) {
        struct fanout_worker *w = &f->workers[i];

        path_of(w->part, f, "part", i);
        snprintf(w->log, sizeof w->log, "%.*s.ops", FANOUT_PATH_SIZE - 8,
                 w->part);
        /* Both ends of one side are ours, so that no open() waits. */
        err = make_fifo(&w->go_fd, f, "go", i, O_RDWR);
        if (err == 0)
            err = make_fifo(&w->said_fd, f, "said", i, O_RDONLY | O_NONBLOCK);
    }
    return err;
}

static void
unlink_in(const struct fanout *f, const char *file)
{
    char path[FANOUT_PATH_SIZE];

    snprintf(path, sizeof path, "%s/%s", f->folder, file);
    unlink(path);
}

void
fanout_clear(struct fanout *f)
{
    static const char *const files[] = {"go", "said", "part"};
    char path[FANOUT_PATH_SIZE];

    for (uint32_t i = 0; f->workers != NULL && i < f->count; i++) {
        struct fanout_worker *w = &f->workers[i];

        if (w->go_fd >= 0)
            close(w->go_fd);
        if (w->said_fd >= 0)
            close(w->said_fd);
        for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
            path_of(path, f, files[k], i);
            unlink(path);
        }
        unlink(w->log);
        snprintf(path, sizeof path, "%.*s.tmp", FANOUT_PATH_SIZE - 8, w->part);
        unlink(path);
    }
    if (f->folder[0] != '\0') {
        unlink_in(f, "jobs");
        unlink_in(f, "joblog");
        unlink_in(f, "endpoints");
        rmdir(f->folder);
    }
    free(f->workers);
    *f = (struct fanout){.wake_fd = -1};
}

/* --- the start --- */

/* Add TEXT as one word of a shell command. */
static int
add_quoted(struct buf *out, const char *text)
{
    int err = buf_addc(out, '\'');

    for (; err == 0 && *text != '\0'; text++)
        err = *text == '\'' ? buf_adds(out, "'\\''") : buf_addc(out, *text);
    return err != 0 ? err : buf_adds(out, "' ");
}

/* The command of worker I, which ends in NUL. */
static int
add_job(struct buf *out, const struct fanout *f, uint32_t i, char **argv,
        int argc, const char *program)
{
    char number[32], path[FANOUT_PATH_SIZE];
    const char *own[] = {program,           "--share", number,
                         "--start-at",      "-",       "--part-file",
                         f->workers[i].part};
    int err = buf_adds(out, "exec ");

    snprintf(number, sizeof number, "%" PRIu32 "/%" PRIu32, i + 1, f->count);
    for (size_t k = 0; err == 0 && k < sizeof own / sizeof *own; k++)
        err = add_quoted(out, own[k]);
    for (int k = 1; err == 0 && k < argc; k++)
        err = add_quoted(out, argv[k]);
    path_of(path, f, "go", i);
    if (err == 0)
        err = buf_addc(out, '<');
    if (err == 0)
        err = add_quoted(out, path);
    path_of(path, f, "said", i);
    if (err == 0)
        err = buf_addc(out, '>');
    if (err == 0)
        err = add_quoted(out, path);
    return err != 0 ? err : buf_add(out, "", 1);
}

static int
write_jobs(const char *path, const struct buf *jobs)
{
    FILE *file = fopen(path, "we");
    bool good;

    if (file == NULL)
        return errno;
    good = fwrite(jobs->data, 1, jobs->len, file) == jobs->len;
    return fclose(file) == 0 && good ? 0 : EIO;
}

/* In a process group of its own: what the terminal sends goes to us, and
 * we hand it on in our way. */
static int
spawn(pid_t *pid, char **argv, const char *input, int out)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    int err;

    sigemptyset(&none);
    err = posix_spawn_file_actions_init(&files);
    if (err != 0)
        return err;
    err = posix_spawnattr_init(&attributes);
    if (err != 0) {
        posix_spawn_file_actions_destroy(&files);
        return err;
    }
    err = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, input,
                                           O_RDONLY, 0);
    if (err == 0)
        err = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    if (err == 0)
        err = posix_spawnattr_setsigmask(&attributes, &none);
    if (err == 0)
        err = posix_spawnattr_setpgroup(&attributes, 0);
    if (err == 0)
        err = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
                                                        POSIX_SPAWN_SETPGROUP);
    if (err == 0)
        err = posix_spawnp(pid, argv[0], &files, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return err;
}

int
fanout_start(struct fanout *f, char **argv, int argc)
{
    char program[4096], jobs[FANOUT_PATH_SIZE], joblog[FANOUT_PATH_SIZE];
    char number[16];
    /* --plain: without the user's own settings of it. */
    const char *parallel[] = {"parallel", "--plain", "--will-cite", "-0",
                              "-u",       "-j",      number,        "--joblog",
                              joblog,     NULL};
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    struct buf text;
    int err = n < 0 ? errno : 0;

    if (err != 0)
        return err;
    program[n] = '\0';
    buf_init(&text, JOBS_MAX);
    for (uint32_t i = 0; err == 0 && i < f->count; i++)
        err = add_job(&text, f, i, argv, argc, program);
    snprintf(jobs, sizeof jobs, "%s/jobs", f->folder);
    snprintf(joblog, sizeof joblog, "%s/joblog", f->folder);
    snprintf(number, sizeof number, "%" PRIu32, f->count);
    if (err == 0)
        err = write_jobs(jobs, &text);
    buf_clear(&text);
    if (err == 0 && setenv("PARALLEL_SHELL", "/bin/sh", 1) != 0)
        err = errno;
    /* Our results are on standard output: it has no business there. */
    return err != 0
               ? err
               : spawn(&f->parallel, (char **) parallel, jobs, STDERR_FILENO);
}

/* --- the run --- */

/* Tell worker W one line. It is shorter than what a pipe holds. */
static void
tell(const struct fanout_worker *w, const char *line)
{
    size_t len = strlen(line);

    if (write(w->go_fd, line, len) != (ssize_t) len)
        return; /* it has ended: that is noticed elsewhere */
}

static void
take_line(struct fanout_worker *w)
{
    char *end;
    long pid;

    if (strcmp(w->line, "ready") == 0) {
        w->ready = true;
    } else if (strcmp(w->line, "done") == 0) {
        w->done = true;
    } else if (strncmp(w->line, "hello ", 6) == 0) {
        pid = strtol(w->line + 6, &end, 10);
        if (pid > 1 && *end == '\0')
            w->pid = (pid_t) pid;
    }
}

/* Read what W has said. */
static void
listen_to(struct fanout_worker *w)
{
    char c;

    while (read(w->said_fd, &c, 1) == 1) {
        if (c == '\n') {
            w->line[w->used] = '\0';
            take_line(w);
            w->used = 0;
        } else if (w->used < sizeof w->line - 1) {
            w->line[w->used++] = c;
        }
    }
}

/* Have all stop: by the signal NUMBER those that can be reached by one. */
static void
stop_all(struct fanout *f, int number)
{
    if (f->asked_to_stop)
        return;
    f->asked_to_stop = true;
    for (uint32_t i = 0; i < f->count; i++) {
        struct fanout_worker *w = &f->workers[i];

        if (w->ended || w->done)
            continue;
        if (w->pid == 0 || kill(w->pid, number) != 0)
            tell(w, "stop\n");
    }
}

/* Whether the wait was cut short by our own signal; else what came. */
static void
hear(struct fanout *f, struct pollfd *fds)
{
    for (uint32_t i = 0; i < f->count; i++) {
        struct fanout_worker *w = &f->workers[i];

        fds[i] =
            (struct pollfd){.fd = w->ended ? -1 : w->said_fd, .events = POLLIN};
    }
    /* Once it has woken us it stays readable. */
    fds[f->count] = (struct pollfd){.fd = f->asked_to_stop ? -1 : f->wake_fd,
                                    .events = POLLIN};
    if (poll(fds, f->count + 1, TURN_MS) <= 0)
        return;
    for (uint32_t i = 0; i < f->count; i++) {
        if (fds[i].revents != 0)
            listen_to(&f->workers[i]);
        /* A writer has been there and is gone. */
        f->workers[i].ended |= (fds[i].revents & POLLHUP) != 0;
    }
}

/* How many workers are as the question goes. */
struct muster {
    uint32_t started, ready, ended, dead;
};

static struct muster
muster(const struct fanout *f)
{
    struct muster m = {0};

    for (uint32_t i = 0; i < f->count; i++) {
        const struct fanout_worker *w = &f->workers[i];

        m.started += w->pid != 0;
        m.ready += w->ready;
        m.ended += w->ended;
        m.dead += w->ended && !w->done;
    }
    return m;
}

static void
begin(const struct fanout *f)
{
    char line[CHANNEL_LINE_SIZE];

    snprintf(line, sizeof line, "start %" PRId64 "\n",
             clock_now_ns() + RUN_UP_NS);
    for (uint32_t i = 0; i < f->count; i++)
        tell(&f->workers[i], line);
}

/* GNU parallel has gone: those that it left behind stop, or are ended. */
static bool
is_deserted(struct fanout *f, const struct muster *m, int64_t *gone_ns)
{
    int64_t now_ns = clock_now_ns();

    if (f->parallel == 0 && *gone_ns == 0)
        *gone_ns = now_ns;
    if (*gone_ns == 0)
        return false;
    if (m->ended >= m->started)
        return true;
    stop_all(f, SIGTERM);
    if (now_ns < *gone_ns + ORPHAN_NS)
        return false;
    for (uint32_t i = 0; i < f->count; i++)
        if (f->workers[i].pid != 0 && !f->workers[i].ended)
            kill(f->workers[i].pid, SIGKILL);
    return true;
}

/* Take the exit statuses from GNU parallel's log. */
static void
read_joblog(struct fanout *f)
{
    char path[FANOUT_PATH_SIZE], *line = NULL;
    size_t size = 0;
    FILE *file;

    snprintf(path, sizeof path, "%s/joblog", f->folder);
    file = fopen(path, "re");
    if (file == NULL)
        return;
    while (getline(&line, &size, file) > 0) {
        uint32_t number;
        int status, number_of_signal;

        if (sscanf(line, "%" SCNu32 "\t%*[^\t]\t%*s\t%*s\t%*s\t%*s\t%d\t%d",
                   &number, &status, &number_of_signal) != 3 ||
            number == 0 || number > f->count)
            continue;
        f->workers[number - 1].seen = true;
        f->workers[number - 1].status = status;
        f->workers[number - 1].signal = number_of_signal;
    }
    free(line);
    fclose(file);
}

int
fanout_wait(struct fanout *f)
{
    struct pollfd *fds = calloc(f->count + 1, sizeof *fds);
    int64_t limit_ns = clock_now_ns() + HELLO_NS, gone_ns = 0;
    bool begun = false;
    struct muster m;

    if (fds == NULL)
        return ENOMEM;
    do {
        hear(f, fds);
        m = muster(f);
        if (*f->stop != 0)
            stop_all(f, *f->stop);
        if (m.dead > 0 || (m.started < f->count && clock_now_ns() > limit_ns))
            stop_all(f, SIGTERM);
        if (!begun && m.ready == f->count && !f->asked_to_stop) {
            begin(f);
            begun = true;
        }
        if (f->parallel > 0 &&
            waitpid(f->parallel, &f->parallel_status, WNOHANG) == f->parallel)
            f->parallel = 0;
    } while (!is_deserted(f, &m, &gone_ns));
    free(fds);
    read_joblog(f);
    return 0;
}

void
fanout_explain(char *out, size_t size, const struct fanout *f, uint32_t i)
{
    const struct fanout_worker *w = &f->workers[i];

    if (w->seen && w->signal != 0)
        snprintf(out, size, "was killed by signal %d (%s)", w->signal,
                 strsignal(w->signal));
    else if (w->seen)
        snprintf(out, size, "ended with status %d", w->status);
    else if (w->pid == 0)
        snprintf(out, size, "did not start");
    else
        snprintf(out, size, "was left behind when GNU parallel ended");
}

/* Copy what comes from FD to its end. */
static int
copy_all(FILE *out, int fd)
{
    char chunk[65536];
    ssize_t n;

    while ((n = read(fd, chunk, sizeof chunk)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        errno = 0;
        if (fwrite(chunk, 1, (size_t) n, out) != (size_t) n)
            return errno != 0 ? errno : EIO;
    }
    return 0;
}

/* Run ARGV and copy what it prints. */
static int
collect(FILE *out, char **argv)
{
    int ends[2], status = 0, err, copied;
    pid_t pid = 0;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    err = spawn(&pid, argv, "/dev/null", ends[1]);
    close(ends[1]);
    copied = err == 0 ? copy_all(out, ends[0]) : 0;
    close(ends[0]); /* so that it ends, if it has not */
    while (err == 0 && waitpid(pid, &status, 0) < 0)
        err = errno == EINTR ? 0 : errno;
    if (copied != 0)
        return copied;
    return err == 0 && status != 0 ? EIO : err; /* it has said why */
}

int
fanout_merge_logs(const struct fanout *f, FILE *out)
{
    const char *fixed[] = {"sort", "-s", "-t", "\t", "-k3,3n", "--"};
    size_t n = sizeof fixed / sizeof *fixed, first = n;
    char **argv = calloc(n + f->count + 1, sizeof *argv);
    int err = 0;

    if (argv == NULL)
        return ENOMEM;
    memcpy(argv, fixed, sizeof fixed);
    for (uint32_t i = 0; i < f->count; i++)
        if (f->workers[i].done && access(f->workers[i].log, R_OK) == 0)
            argv[n++] = f->workers[i].log;
    if (n > first) /* a point is what parts decimals */
        err = setenv("LC_ALL", "C", 1) == 0 ? collect(out, argv) : errno;
    free(argv);
    return err;
}
