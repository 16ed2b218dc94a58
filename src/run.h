/* SPDX-License-Identifier: MIT */
/*
 * One run of s3op against a service, from options to exit status.
 */
#ifndef S3PERF_RUN_H
#define S3PERF_RUN_H

#include "options.h"

/*
 * Do what O asks and print what came of it.
 * COMMAND: the command line as text, for the headers of result files.
 * Returns: the exit status of design chapter 1. After SIGINT or SIGTERM it
 *          does not return: the process dies of the signal once the results
 *          are written.
 */
int run_operations(const struct options *o, const char *command);

/*
 * The same as one of several: a signal ends it, and waits for
 * run_take_signal().
 * Returns: the exit status.
 */
int run_stage(const struct options *o, const char *command);

/* Look at O as closely as is possible without a single request. Prints one
 * line when something is wrong. Returns: 0, 2 or 3; or exits with 2. */
int run_check(const struct options *o);

/* Catch SIGINT and SIGTERM, as a run does; twice is fine. */
void run_catch_signals(void);

/* The signal that has come, which is forgotten then, or 0. */
int run_take_signal(void);

/* Die of the signal NUMBER, if it is not 0. */
void run_die_of(int number);

#endif
