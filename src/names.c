/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS (2 * NAMES_MAX) /* a power of two */

void
names_init(struct names *t)
{
    *t = (struct names){0};
}

void
names_clear(struct names *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        free(t->texts[i]);
    free(t->texts);
    free(t->lengths);
    free(t->slots);
    names_init(t);
}

/* FNV-1a */
static uint32_t
hash(const char *text, size_t n)
{
    uint32_t h = 2166136261u;

    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char) text[i]) * 16777619u;
    return h ^ h >> 16;
}

static bool
is_number(const struct names *t, uint32_t number, const char *text, size_t n)
{
    return t->lengths[number] == n && memcmp(t->texts[number], text, n) == 0;
}

static int
make_tables(struct names *t)
{
    t->texts = calloc(NAMES_MAX, sizeof *t->texts);
    t->lengths = calloc(NAMES_MAX, sizeof *t->lengths);
    t->slots = calloc(SLOTS, sizeof *t->slots);
    return t->texts != NULL && t->lengths != NULL && t->slots != NULL ? 0
                                                                      : ENOMEM;
}

static int
add(struct names *t, uint32_t *slot, const char *text, size_t n)
{
    char *copy;

    if (t->count == NAMES_MAX || n > NAMES_LENGTH_MAX)
        return E2BIG;
    copy = strndup(text, n);
    if (copy == NULL)
        return ENOMEM;
    t->texts[t->count] = copy;
    t->lengths[t->count] = n;
    *slot = ++t->count;
    return 0;
}

int
names_find(uint32_t *number, struct names *t, const char *text, size_t n)
{
    uint32_t at;
    int err = 0;

    if (t->count > 0 && is_number(t, t->last, text, n)) {
        *number = t->last;
        return 0;
    }
    if (t->slots == NULL)
        err = make_tables(t);
    if (err != 0) {
        names_clear(t);
        return err;
    }
    at = hash(text, n) % SLOTS;
    while (t->slots[at] != 0 && !is_number(t, t->slots[at] - 1, text, n))
        at = (at + 1) % SLOTS;
    if (t->slots[at] == 0)
        err = add(t, &t->slots[at], text, n);
    if (err == 0)
        *number = t->last = t->slots[at] - 1;
    return err;
}

static int
compare(const void *a, const void *b, void *texts)
{
    char *const *t = texts;

    return strcmp(t[*(const uint32_t *) a], t[*(const uint32_t *) b]);
}

void
names_order(uint32_t *order, const struct names *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        order[i] = i;
    if (t->count > 0)
        qsort_r(order, t->count, sizeof *order, compare, t->texts);
}
