/* SPDX-License-Identifier: MIT */
/*
 * The lines of a file, one at a time, without copying them. One can go back
 * to a mark, which works for pipes, too: what was read since is kept.
 */
#ifndef S3PERF_LINES_H
#define S3PERF_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINES_MAX 65536u /* bytes of a line, its newline included */
#define LINES_KEPT_MAX ((size_t) 16 << 20) /* bytes since the mark */

struct lines {
    int fd; /* the caller's */
    uint64_t number; /* of the last line given out, from 1 */
    /* private */
    char *data; /* owned */
    size_t size;
    size_t from, to; /* what was read and not given out */
    size_t cut; /* where a newline has become a NUL; SIZE_MAX: nowhere */
    size_t mark; /* what follows is kept; SIZE_MAX: nothing is */
    uint64_t mark_number;
    bool ended; /* nothing more comes */
};

/* Returns: 0 or ENOMEM. Pair with lines_clear(); safe twice. */
int lines_init(struct lines *l, int fd);
void lines_clear(struct lines *l);

/*
 * The next line: *LINE ends in NUL where its newline was, may be changed
 * unless there is a mark, and lives until the next call; *N is its length.
 * Returns: 0; ENODATA at the end; EMSGSIZE for a line that is too long and
 *          EPIPE for a last one without a newline, L->number being that line;
 *          ENOBUFS when too much was read since the mark; ENOMEM; or an
 *          errno value of reading.
 */
int lines_next(struct lines *l, char **line, size_t *n);

/* Remember this place, and go back there, once. */
void lines_mark(struct lines *l);
void lines_rewind(struct lines *l);

#endif
