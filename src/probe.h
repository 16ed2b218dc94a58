/* SPDX-License-Identifier: MIT */
/*
 * A look at the way to the service, without keys: its name, the connection,
 * TLS, and what it says of itself. For "s3op probe".
 */
#ifndef S3PERF_PROBE_H
#define S3PERF_PROBE_H

#include "options.h"

#define PROBE_FORMAT "s3perf-probe 1"

/* Returns: the exit status; 0 when the service answered and, unless
 * --insecure was given, its certificate is trusted. */
int probe_print(const struct options *o);

#endif
