/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "compress.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct child {
    int fd; /* our end of a socket, which unlike a pipe can be written to
               without SIGPIPE */
    pid_t pid;
};

bool
compress_wanted(const char *path)
{
    static const char ending[] = ".zst";
    size_t n = strlen(path);

    return n >= sizeof ending && strcmp(path + n - 4, ending) == 0;
}

static ssize_t
on_write(void *cookie, const char *bytes, size_t n)
{
    const struct child *child = cookie;
    size_t done = 0;

    while (done < n) {
        ssize_t sent = send(child->fd, bytes + done, n - done, MSG_NOSIGNAL);

        if (sent < 0 && errno != EINTR)
            return 0; /* an error, of which errno tells more */
        if (sent > 0)
            done += (size_t) sent;
    }
    return (ssize_t) n;
}

static int
on_close(void *cookie)
{
    struct child *child = cookie;
    int status = 0;
    pid_t pid;

    close(child->fd);
    do
        pid = waitpid(child->pid, &status, 0);
    while (pid < 0 && errno == EINTR);
    free(child);
    if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    errno = EIO;
    return -1;
}

/* Start zstd between IN and OUT. */
static int
spawn_zstd(pid_t *pid, int in, int out)
{
    char name[] = "zstd", quiet[] = "-q", to_stdout[] = "-c";
    char *const words[] = {name, quiet, to_stdout, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int err = posix_spawn_file_actions_init(&files);

    if (err != 0)
        return err;
    err = posix_spawnattr_init(&attributes);
    if (err != 0) {
        posix_spawn_file_actions_destroy(&files);
        return err;
    }
    err = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    if (err == 0)
        err = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    if (err == 0)
        err = posix_spawnattr_setpgroup(&attributes, 0);
    if (err == 0)
        err = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (err == 0)
        err = posix_spawnp(pid, name, &files, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return err;
}

int
compress_open(FILE **out, const char *path)
{
    const cookie_io_functions_t functions = {.write = on_write,
                                             .close = on_close};
    struct child *child = malloc(sizeof *child);
    int ends[2] = {-1, -1}, err = 0;
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (child == NULL)
        err = ENOMEM;
    else if (file < 0 ||
             socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        err = errno;
    if (err == 0)
        err = spawn_zstd(&child->pid, ends[1], file);
    if (err == 0) {
        child->fd = ends[0];
        *out = fopencookie(child, "w", functions);
        if (*out == NULL) {
            on_close(child);
            child = NULL;
            err = ENOMEM;
        }
        ends[0] = -1;
    }
    if (file >= 0)
        close(file);
    if (ends[0] >= 0)
        close(ends[0]);
    if (ends[1] >= 0)
        close(ends[1]);
    if (err != 0)
        free(child);
    return err;
}
