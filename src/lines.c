/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE (8 * (size_t) LINES_MAX)

int
lines_init(struct lines *l, int fd)
{
    *l = (struct lines){.fd = fd, .data = malloc(SIZE)};
    return l->data != NULL ? 0 : ENOMEM;
}

void
lines_clear(struct lines *l)
{
    free(l->data);
    l->data = NULL;
}

/* Read more behind what is left. */
static int
fill(struct lines *l)
{
    ssize_t n;

    memmove(l->data, l->data + l->from, l->to - l->from);
    l->to -= l->from;
    l->from = 0;
    do
        n = read(l->fd, l->data + l->to, SIZE - l->to);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno;
    l->ended = n == 0;
    l->to += (size_t) n;
    return 0;
}

int
lines_next(struct lines *l, char **line, size_t *n)
{
    size_t seen = 0; /* bytes that hold no newline */

    for (;;) {
        char *begin = l->data + l->from;
        char *end = memchr(begin + seen, '\n', l->to - l->from - seen);
        int err;

        if (end != NULL && (size_t) (end - begin) < LINES_MAX) {
            *end = '\0';
            *line = begin;
            *n = (size_t) (end - begin);
            l->from += *n + 1;
            l->number++;
            return 0;
        }
        seen = l->to - l->from;
        if (end == NULL && l->ended && seen == 0)
            return ENODATA;
        if (end != NULL || seen >= LINES_MAX || l->ended) {
            l->number++;
            return end == NULL && seen < LINES_MAX ? EPIPE : EMSGSIZE;
        }
        err = fill(l);
        if (err != 0)
            return err;
    }
}
