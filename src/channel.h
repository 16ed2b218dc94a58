/* SPDX-License-Identifier: MIT */
/*
 * How a worker process agrees with whoever started it, over standard input
 * and output, one word a line (doc/formats.md):
 *
 *     worker:  hello PID    I am there, and getting ready
 *              ready        waits for the start
 *              done         the part file is in place
 *     starter: start NS     begin at this moment of CLOCK_MONOTONIC
 *              stop         end now, as at SIGTERM; so does end of file
 */
#ifndef S3PERF_CHANNEL_H
#define S3PERF_CHANNEL_H

#include <stdint.h>

#define CHANNEL_LINE_SIZE 64

struct channel {
    int start_fd; /* becomes readable once start_ns is known */
    int wake_fd; /* becomes readable when a signal has come; not owned */
    int64_t start_ns; /* written before start_fd */
};

/*
 * Say hello, and watch standard input from now on: "stop" and its end
 * become a SIGTERM to this process. WAKE_FD also ends channel_agree().
 * C must live until the process ends.
 * Returns: 0 or an errno value.
 */
int channel_open(struct channel *c, int wake_fd);

/* Over a struct channel: say that all is ready and wait for the start.
 * Returns: the agreed moment; now, when a signal came instead. */
int64_t channel_agree(void *channel);

void channel_say_done(void);

#endif
