/* SPDX-License-Identifier: MIT */
/*
 * Starts worker processes under GNU parallel, lets them begin at one
 * moment, and waits for them. What they are to do is their command line.
 * Threads: none of ours may run yet.
 */
#ifndef S3PERF_FANOUT_H
#define S3PERF_FANOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "channel.h"

#define FANOUT_PATH_SIZE 512

struct fanout_worker {
    char part[FANOUT_PATH_SIZE]; /* its part file */
    char log[FANOUT_PATH_SIZE]; /* its records */
    int go_fd, said_fd; /* the channel */
    char line[CHANNEL_LINE_SIZE]; /* that is being read */
    size_t used;
    pid_t pid; /* 0: it has not said hello yet */
    bool ready, done; /* as it said */
    bool ended; /* its side of the channel is closed */
    bool seen; /* the log of GNU parallel has it: */
    int status, signal;
};

struct fanout {
    char folder[FANOUT_PATH_SIZE / 2]; /* for the user alone */
    struct fanout_worker *workers;
    uint32_t count;
    pid_t parallel;
    int parallel_status; /* as of waitpid() */
    const atomic_int *stop; /* the signal that came, or 0 */
    int wake_fd; /* becomes readable when it comes */
    bool asked_to_stop;
};

/* Whether GNU parallel can be run. Returns: 0, or 2 with one line printed. */
int fanout_check(void);

/* Make the folder and channels for COUNT workers; `stop` and `wake_fd` are
 * set afterwards. Returns: 0 or an errno value; fanout_clear() in any
 * case, which removes the folder. */
int fanout_open(struct fanout *f, uint32_t count);
void fanout_clear(struct fanout *f);

/* Start them with the ARGC arguments at ARGV, ARGV[0] being the program,
 * and what makes each a worker. Returns: 0 or an errno value. */
int fanout_start(struct fanout *f, char **argv, int argc);

/*
 * Let them begin, hand on signals, and wait until all have ended. When one
 * dies the others are told to stop.
 * Returns: 0 or an errno value. Who is not `done` has died.
 */
int fanout_wait(struct fanout *f);

/* Write the records of those that are done to OUT, in the order in which
 * their operations ended. Returns: 0 or an errno value. */
int fanout_merge_logs(const struct fanout *f, FILE *out);

/* How worker I ended: "was killed by signal 9", for people. */
void fanout_explain(char *out, size_t size, const struct fanout *f, uint32_t i);

#endif
