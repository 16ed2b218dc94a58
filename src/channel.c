/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "channel.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "clock.h"
#include "units.h"

static void
say(const char *text)
{
    size_t len = strlen(text);

    /* Nobody there any more: the end of standard input tells us, too. */
    if (write(STDOUT_FILENO, text, len) != (ssize_t) len)
        return;
}

/* Read one line without its newline; 0: the end, or one that is too long. */
static size_t
read_line(char line[CHANNEL_LINE_SIZE])
{
    size_t n = 0;

    while (n < CHANNEL_LINE_SIZE) {
        ssize_t got = read(STDIN_FILENO, line + n, 1);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return 0;
        if (line[n] == '\n') {
            line[n] = '\0';
            return n;
        }
        n++;
    }
    return 0;
}

static void *
watch(void *ctx)
{
    struct channel *c = ctx;
    char line[CHANNEL_LINE_SIZE];
    const uint64_t one = 1;
    uint64_t start_ns;

    while (read_line(line) > 0 && strncmp(line, "start ", 6) == 0 &&
           units_parse_count(&start_ns, line + 6) && start_ns <= INT64_MAX) {
        c->start_ns = (int64_t) start_ns;
        if (write(c->start_fd, &one, sizeof one) < 0)
            break;
    }
    kill(getpid(), SIGTERM);
    return NULL;
}

int
channel_open(struct channel *c, int wake_fd)
{
    char hello[CHANNEL_LINE_SIZE];
    pthread_t thread;
    sigset_t all, before;
    int err;

    *c = (struct channel){.wake_fd = wake_fd};
    c->start_fd = eventfd(0, EFD_CLOEXEC);
    if (c->start_fd < 0)
        return errno;
    snprintf(hello, sizeof hello, "hello %ld\n", (long) getpid());
    say(hello);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    err = pthread_create(&thread, NULL, watch, c);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err != 0 ? err : pthread_detach(thread);
}

int64_t
channel_agree(void *channel)
{
    struct channel *c = channel;
    struct pollfd fds[] = {{.fd = c->start_fd, .events = POLLIN},
                           {.fd = c->wake_fd, .events = POLLIN}};
    uint64_t n;

    say("ready\n");
    while (poll(fds, 2, -1) < 0 && errno == EINTR)
        continue;
    /* Reading it is what makes start_ns visible here. */
    if (fds[0].revents == 0 || read(c->start_fd, &n, sizeof n) != sizeof n)
        return clock_now_ns();
    return c->start_ns;
}

void
channel_say_done(void)
{
    say("done\n");
}
