/* SPDX-License-Identifier: MIT */
/*
 * The verb whoami: shows what a request would use and where each value
 * was found. Secrets are not shown, nothing is sent.
 */
#ifndef S3PERF_WHOAMI_H
#define S3PERF_WHOAMI_H

#include "options.h"

#define WHOAMI_FORMAT "s3perf-whoami 1"

/* Returns: the exit status; 3 without keys or when they cannot be read. */
int whoami_print(const struct options *o);

#endif
