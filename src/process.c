/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/wait.h>

#include <openssl/crypto.h>

#include "clock.h"

#define POLL_MS 20 /* how soon an end without an end of file is seen */

extern char **environ;

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Add what stands up to QUOTE. Returns what follows it, NULL for none. */
static const char *
add_quoted(char **out, const char *line, char quote)
{
    for (; *line != quote; line++) {
        if (*line == '\0')
            return NULL;
        if (quote == '"' && *line == '\\' &&
            (line[1] == '"' || line[1] == '\\'))
            line++;
        *(*out)++ = *line;
    }
    return line + 1;
}

/* Add one word. Returns what follows it, NULL for an open end. */
static const char *
add_word(char **out, const char *line)
{
    while (line != NULL && *line != '\0' && !is_blank(*line)) {
        if (*line == '\'' || *line == '"') {
            line = add_quoted(out, line + 1, *line);
        } else {
            if (*line == '\\' && *++line == '\0')
                return NULL;
            *(*out)++ = *line++;
        }
    }
    *(*out)++ = '\0';
    return line;
}

int
process_split(struct process_command *command, const char *line)
{
    size_t n = 0;
    char *out;

    *command = (struct process_command){0};
    if (strlen(line) > PROCESS_COMMAND_MAX)
        return E2BIG;
    /* words with their NULs are never longer than LINE with its own */
    out = command->texts = (char *) calloc(1, strlen(line) + 2);
    if (out == NULL)
        return ENOMEM;
    for (;;) {
        while (is_blank(*line))
            line++;
        if (*line == '\0')
            break;
        if (n == PROCESS_WORDS_MAX)
            return E2BIG;
        command->words[n++] = out;
        line = add_word(&out, line);
        if (line == NULL)
            return EINVAL;
    }
    return n > 0 && *command->words[0] != '\0' ? 0 : EINVAL;
}

void
process_clear(struct process_command *command)
{
    /* a user may well have put a secret there */
    for (size_t i = 0; command->words[i] != NULL; i++)
        OPENSSL_cleanse(command->words[i], strlen(command->words[i]));
    free(command->texts);
    *command = (struct process_command){0};
}

/* Start it with standard output in FD. */
static int
start(pid_t *pid, const struct process_command *command, int fd)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, standard;
    int err;

    sigemptyset(&none);
    sigemptyset(&standard);
    sigaddset(&standard, SIGPIPE);
    err = posix_spawn_file_actions_init(&files);
    if (err != 0)
        return err;
    err = posix_spawnattr_init(&attributes);
    if (err != 0) {
        posix_spawn_file_actions_destroy(&files);
        return err;
    }
    err = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null",
                                           O_RDONLY, 0);
    if (err == 0)
        err = posix_spawn_file_actions_adddup2(&files, fd, STDOUT_FILENO);
    if (err == 0)
        err = posix_spawnattr_setsigmask(&attributes, &none);
    if (err == 0)
        err = posix_spawnattr_setsigdefault(&attributes, &standard);
    if (err == 0)
        err = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
                                                        POSIX_SPAWN_SETSIGDEF);
    if (err == 0)
        err = posix_spawnp(pid, command->words[0], &files, &attributes,
                           command->words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return err;
}

/* Add all that FD has now. *END: it will not have more. */
static int
drain(struct buf *out, int fd, bool *end)
{
    while (!*end) {
        char one;
        bool full = out->len == out->max;
        ssize_t got = read(fd, full ? &one : out->data + out->len,
                           full ? 1 : out->max - out->len);

        if (got > 0 && full)
            return EMSGSIZE;
        if (got > 0)
            out->len += (size_t) got;
        else if (got == 0)
            *end = true;
        else if (errno == EAGAIN)
            return 0;
        else if (errno != EINTR)
            return errno;
    }
    return 0;
}

/*
 * Collect output until the program has ended. Its own children may keep
 * the pipe open for longer; they are not waited for.
 */
static int
collect(struct buf *out, int *status, pid_t *pid, int fd, int64_t timeout_ns)
{
    int64_t limit_ns = clock_now_ns() + timeout_ns;
    bool end = false;
    int err = 0;

    while (err == 0 && *pid > 0) {
        struct pollfd wanted = {.fd = end ? -1 : fd, .events = POLLIN};
        pid_t ended;

        if (poll(&wanted, 1, end ? 1 : POLL_MS) < 0 && errno != EINTR)
            return errno;
        ended = waitpid(*pid, status, WNOHANG);
        if (ended == *pid)
            *pid = 0;
        else if (ended < 0 && errno != EINTR)
            return errno;
        err = drain(out, fd, &end);
        if (err == 0 && *pid > 0 && clock_now_ns() >= limit_ns)
            err = ETIMEDOUT;
    }
    return err;
}

int
process_run(struct buf *out, int *status, const struct process_command *command,
            int64_t timeout_ns)
{
    int ends[2], err;
    pid_t pid = 0;

    /* all at once: growth would leave secrets in freed memory */
    err = buf_reserve(out, out->max - out->len);
    if (err != 0)
        return err;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    err = fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
    if (err == 0)
        err = start(&pid, command, ends[1]);
    close(ends[1]);
    if (err == 0)
        err = collect(out, status, &pid, ends[0], timeout_ns);
    close(ends[0]);
    if (err != 0 && pid > 0) {
        kill(pid, SIGKILL);
        while (waitpid(pid, status, 0) < 0 && errno == EINTR)
            continue;
    }
    out->data[out->len] = '\0';
    return err;
}
