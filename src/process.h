/* SPDX-License-Identifier: MIT */
/*
 * Runs a helper program, as credential_process names one, and keeps what
 * it prints. No shell; bounded in output and time.
 */
#ifndef S3PERF_PROCESS_H
#define S3PERF_PROCESS_H

#include <stdint.h>

#include "buf.h"

#define PROCESS_WORDS_MAX 256
#define PROCESS_COMMAND_MAX 32768 /* bytes */

/* The words of a command line. */
struct process_command {
    char *texts; /* owned: all words, each ends in NUL */
    char *words[PROCESS_WORDS_MAX + 1]; /* point into it, NULL ends them */
};

/*
 * Cut LINE into words at blanks, as a shell does: '...' keeps everything,
 * in "..." a backslash takes " and \ only, outside it takes any character.
 * Nothing else is special: no variables, globs or pipes.
 * Returns: 0; EINVAL for an open quote or no words; E2BIG; or ENOMEM.
 *          process_clear() in any case.
 */
int process_split(struct process_command *command, const char *line);

/* Wipe and free; safe twice. */
void process_clear(struct process_command *command);

/*
 * Run COMMAND, found by PATH, until it ends. Its standard input is empty,
 * its standard error is ours, its standard output is added to OUT, which
 * may hold a secret: wipe it. The terminal stays with it, so it can ask.
 * A program that is too slow or prints more than OUT may hold is killed.
 * Returns: 0 with *STATUS as of waitpid(); ETIMEDOUT after TIMEOUT_NS;
 *          EMSGSIZE for too much output; or why it cannot be run.
 */
int process_run(struct buf *out, int *status,
                const struct process_command *command, int64_t timeout_ns);

#endif
