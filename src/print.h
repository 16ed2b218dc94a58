/* SPDX-License-Identifier: MIT */
/*
 * What a verb has to say, on standard output.
 */
#ifndef S3PERF_PRINT_H
#define S3PERF_PRINT_H

#include "buf.h"

/* Print OUT, unless making it failed with ERR, and clear it.
 * Returns: 0, or 3 (not made) or 4 (not printed) with one line of VERB's on
 * standard error. */
int print_made(struct buf *out, int err, const char *verb);

#endif
