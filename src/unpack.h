/* SPDX-License-Identifier: MIT */
/*
 * A file or pipe for reading, whose bytes pass through the zstd or gzip
 * command when they begin as such data do.
 */
#ifndef S3PERF_UNPACK_H
#define S3PERF_UNPACK_H

#include <stdbool.h>
#include <sys/types.h>

struct unpack {
    int fd; /* read from here; -1 while closed */
    pid_t pid; /* of the command; 0: none */
    const char *tool; /* its name, static */
};

/*
 * Open PATH, "-" for standard input. What a pipe holds is looked at without
 * being taken.
 * Returns: 0, or an errno value; ENOENT with U->tool set: there is no such
 *          command. unpack_close() in any case.
 */
int unpack_open(struct unpack *u, const char *path);

/*
 * Close; safe twice. WHOLE: all was read, so that the command has an end
 * of its own; else it is stopped.
 * Returns: false when the command failed: the data are damaged or cut off.
 */
bool unpack_close(struct unpack *u, bool whole);

#endif
