/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "buckets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 10 /* digits of a number of 32 bits */

int
buckets_init(struct buckets *b, const char *base, uint32_t count)
{
    *b = (struct buckets){.room = strlen(base) + NUMBER_MAX + 1,
                          .count = count > 0 ? count : 1};
    b->names = malloc(b->count * b->room);
    if (b->names == NULL)
        return ENOMEM;
    for (uint32_t i = 0; i < b->count; i++) {
        char *name = b->names + i * b->room;

        if (count > 0)
            snprintf(name, b->room, "%s%u", base, i + 1);
        else
            snprintf(name, b->room, "%s", base);
    }
    return 0;
}

void
buckets_clear(struct buckets *b)
{
    free(b->names);
    b->names = NULL;
}

const char *
buckets_name(const struct buckets *b, uint64_t index)
{
    return b->names + index % b->count * b->room;
}
