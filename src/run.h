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

#endif
