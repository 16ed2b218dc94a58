/* SPDX-License-Identifier: MIT */
/*
 * Another client program, timed from outside: one lap is one run of it,
 * from before its start to its end. Laps are kept as lines of a file, since
 * each comes from a process of its own, and added up into a report.
 */
#ifndef S3PERF_LAP_H
#define S3PERF_LAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "buf.h"
#include "report.h"

#define LAP_SAID_SIZE REPORT_MESSAGE_SIZE
#define LAP_LINE_MAX ((size_t) 2048)

enum lap_end {
    LAP_DONE, /* status 0 */
    LAP_EXIT, /* another status */
    LAP_SIGNAL,
    LAP_TIMEOUT, /* ended by us */
    LAP_STOPPED, /* likewise, since we were told to stop */
    LAP_SHORT /* done, but its result has not the right size */
};

struct lap {
    int64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
    int64_t cpu_ns; /* of the program and of those it waited for */
    uint64_t rss_kib; /* most memory of one process */
    enum lap_end end;
    int number; /* exit status or signal */
    char said[LAP_SAID_SIZE]; /* the last line it printed */
};

struct lap_order {
    char **argv; /* the program, found by PATH, and its arguments */
    const char *output; /* its standard output goes there; NULL: nowhere */
    int64_t timeout_ns; /* 0: none */
    const char *result; /* a file that must be there afterwards; NULL: none */
    uint64_t result_size; /* its size */
};

/*
 * Run a program to its end. SIGTERM, SIGINT, SIGHUP, and SIGURG, which others
 * ignore, give it a moment more; it ends when we do.
 * Returns: 0 or an errno value. A program that cannot be started counts as
 *          one that ended with status 127.
 * Threads: none of ours may run; changes the signal mask.
 */
int lap_run(struct lap *lap, const struct lap_order *order);

/* 0 when the lap went well, else a status that says so. */
int lap_status(const struct lap *lap);

/* Set and unset variables of our environment, which the programs inherit:
 * a line "NAME=VALUE" of FILE sets one, "NAME" unsets it.
 * Returns: 0, EINVAL for a bad line, or another errno value. */
int lap_read_environment(FILE *file);

/* Add LAP as a line, and read it back. */
int lap_add_line(struct buf *out, const struct lap *lap);
bool lap_parse_line(struct lap *lap, const char *line);

/*
 * Add all laps of FILE to R, whose `asked` says what they were. MOVES: a
 * success has carried asked.size bytes. One that was stopped counts as
 * unfinished.
 * Returns: 0, EINVAL for a malformed line, or another errno value.
 */
int lap_tally(struct report *r, FILE *file, bool moves);

#endif
