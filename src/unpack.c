/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAGIC 4 /* bytes that tell */
#define LOOKS 100 /* at a pipe that holds fewer, ... */
#define LOOK_MS 10 /* ... so long apart */

extern char **environ;

/* The command that unpacks what begins with the N bytes at HEAD; NULL: none
 * is needed. */
static const char *
tool_for(const unsigned char *head, size_t n)
{
    if (n >= 2 && head[0] == 0x1f && head[1] == 0x8b)
        return "gzip";
    if (n < MAGIC)
        return NULL;
    if (memcmp(head, "\x28\xb5\x2f\xfd", MAGIC) == 0)
        return "zstd";
    /* a frame to skip, with which zstd data may begin */
    if ((head[0] & 0xf0) == 0x50 && memcmp(head + 1, "\x2a\x4d\x18", 3) == 0)
        return "zstd";
    return NULL;
}

/* Copy what the pipe FD holds into another one, and read that. */
static size_t
look_at_pipe(unsigned char *head, int fd)
{
    const struct timespec pause = {0, LOOK_MS * 1000000L};
    ssize_t n = 0;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return 0;
    for (int i = 0; i < LOOKS; i++) {
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        bool over;

        (void) poll(&poll_fd, 1, -1);
        over = (poll_fd.revents & POLLHUP) != 0;
        n = tee(fd, ends[1], MAGIC, 0);
        if (n > 0)
            n = read(ends[0], head, MAGIC);
        if (n >= MAGIC || over || (n < 0 && errno != EINTR))
            break;
        nanosleep(&pause, NULL);
    }
    close(ends[0]);
    close(ends[1]);
    return n > 0 ? (size_t) n : 0;
}

/* The first bytes of FD, which stay there. */
static size_t
look(unsigned char *head, int fd)
{
    struct stat s;
    ssize_t n = 0;

    if (fstat(fd, &s) != 0)
        return 0;
    if (S_ISREG(s.st_mode))
        n = pread(fd, head, MAGIC, lseek(fd, 0, SEEK_CUR));
    else if (S_ISFIFO(s.st_mode))
        return look_at_pipe(head, fd);
    return n > 0 ? (size_t) n : 0;
}

/* Start the command between IN and OUT. What it says when data are damaged
 * is told by the reader, who knows the file. */
static int
spawn_tool(pid_t *pid, const char *tool, int in, int out)
{
    char name[8], how[] = "-dc";
    char *const words[] = {name, how, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t standard;
    int err = posix_spawn_file_actions_init(&files);

    if (err != 0)
        return err;
    err = posix_spawnattr_init(&attributes);
    if (err != 0) {
        posix_spawn_file_actions_destroy(&files);
        return err;
    }
    strcpy(name, tool);
    sigemptyset(&standard);
    sigaddset(&standard, SIGPIPE);
    err = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    if (err == 0)
        err = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    if (err == 0)
        err = posix_spawn_file_actions_addopen(&files, STDERR_FILENO,
                                               "/dev/null", O_WRONLY, 0);
    if (err == 0)
        err = posix_spawnattr_setsigdefault(&attributes, &standard);
    if (err == 0)
        err = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    if (err == 0)
        err = posix_spawnp(pid, name, &files, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return err;
}

int
unpack_open(struct unpack *u, const char *path)
{
    unsigned char head[MAGIC];
    int ends[2], err;

    *u = (struct unpack){.fd = strcmp(path, "-") == 0
                                   ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                   : open(path, O_RDONLY | O_CLOEXEC)};
    if (u->fd < 0)
        return errno;
    u->tool = tool_for(head, look(head, u->fd));
    if (u->tool == NULL)
        return 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    err = spawn_tool(&u->pid, u->tool, u->fd, ends[1]);
    close(ends[1]);
    close(u->fd);
    u->fd = ends[0];
    /* As many bytes at a time as the system allows; it works without. */
    (void) fcntl(u->fd, F_SETPIPE_SZ, 1 << 20);
    return err;
}

bool
unpack_close(struct unpack *u, bool whole)
{
    int status = 0;
    pid_t pid = 0;

    if (u->fd >= 0)
        close(u->fd);
    u->fd = -1;
    if (u->pid <= 0)
        return true;
    if (!whole) /* it may wait for input that never comes */
        kill(u->pid, SIGKILL);
    do
        pid = waitpid(u->pid, &status, 0);
    while (pid < 0 && errno == EINTR);
    u->pid = 0;
    return !whole || (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
