/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE (8 * (size_t) LINES_MAX)
#define NOWHERE SIZE_MAX

int
lines_init(struct lines *l, int fd)
{
    *l = (struct lines){.fd = fd,
                        .data = malloc(SIZE),
                        .size = SIZE,
                        .cut = NOWHERE,
                        .mark = NOWHERE};
    return l->data != NULL ? 0 : ENOMEM;
}

void
lines_clear(struct lines *l)
{
    free(l->data);
    l->data = NULL;
}

/* Let go of what is neither left nor kept. */
static void
shift(struct lines *l)
{
    size_t off = l->mark < l->from ? l->mark : l->from;

    memmove(l->data, l->data + off, l->to - off);
    l->from -= off;
    l->to -= off;
    if (l->mark != NOWHERE)
        l->mark -= off;
}

/* Read more behind what is left. */
static int
fill(struct lines *l)
{
    ssize_t n;

    shift(l);
    if (l->to == l->size) { /* all of it is kept */
        char *data;

        if (l->size >= LINES_KEPT_MAX)
            return ENOBUFS;
        data = realloc(l->data, 2 * l->size);
        if (data == NULL)
            return ENOMEM;
        l->data = data;
        l->size *= 2;
    }
    do
        n = read(l->fd, l->data + l->to, l->size - l->to);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno;
    l->ended = n == 0;
    l->to += (size_t) n;
    return 0;
}

/* Make the last newline one again: it may be read once more. */
static void
mend(struct lines *l)
{
    if (l->cut != NOWHERE)
        l->data[l->cut] = '\n';
    l->cut = NOWHERE;
}

int
lines_next(struct lines *l, char **line, size_t *n)
{
    size_t seen = 0; /* bytes that hold no newline */

    mend(l);
    for (;;) {
        char *begin = l->data + l->from;
        char *end = memchr(begin + seen, '\n', l->to - l->from - seen);
        int err;

        if (end != NULL && (size_t) (end - begin) < LINES_MAX) {
            *end = '\0';
            l->cut = (size_t) (end - l->data);
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

void
lines_mark(struct lines *l)
{
    l->mark = l->from;
    l->mark_number = l->number;
}

void
lines_rewind(struct lines *l)
{
    mend(l);
    l->from = l->mark;
    l->number = l->mark_number;
    l->mark = NOWHERE;
}
