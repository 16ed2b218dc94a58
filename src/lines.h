/* SPDX-License-Identifier: MIT */
/*
 * The lines of a file, one at a time, without copying them.
 */
#ifndef S3PERF_LINES_H
#define S3PERF_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINES_MAX 65536u /* bytes of a line, its newline included */

struct lines {
    int fd; /* the caller's */
    char *data; /* owned */
    size_t from, to; /* what was read and not given out */
    uint64_t number; /* of the last line given out, from 1 */
    bool ended; /* nothing more comes */
};

/* Returns: 0 or ENOMEM. Pair with lines_clear(); safe twice. */
int lines_init(struct lines *l, int fd);
void lines_clear(struct lines *l);

/*
 * The next line: *LINE ends in NUL where its newline was, and lives until
 * the next call; *N is its length.
 * Returns: 0; ENODATA at the end; EMSGSIZE for a line that is too long and
 *          EPIPE for a last one without a newline, L->number being that line;
 *          or an errno value of reading.
 */
int lines_next(struct lines *l, char **line, size_t *n);

#endif
