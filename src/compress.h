/* SPDX-License-Identifier: MIT */
/*
 * A file whose bytes pass through the zstd command on their way.
 */
#ifndef S3PERF_COMPRESS_H
#define S3PERF_COMPRESS_H

#include <stdbool.h>
#include <stdio.h>

/* Whether PATH asks for it by its name. */
bool compress_wanted(const char *path);

/*
 * Make the file PATH and start zstd, which fills it from what is written to
 * *OUT. fclose() waits until all is there; it, or a write before it, fails
 * when zstd did, which then has said why on standard error. A child that is
 * gone raises no SIGPIPE, and the terminal's Ctrl-C does not reach it: it
 * ends when the file is closed or our process is gone.
 * Returns: 0; ENOENT without a zstd command or PATH's folder; an errno value.
 */
int compress_open(FILE **out, const char *path);

#endif
