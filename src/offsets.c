/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "offsets.h"

#include <string.h>

#include "random.h"
#include "units.h"

#define USE_OFFSETS 0x0ff5e7 /* random numbers for offsets */

static const char *
parse_offset(struct offsets *o, const char *text)
{
    static const char *const names[] = {
        [OFFSETS_RANDOM] = "random",
        [OFFSETS_ALIGNED] = "aligned",
        [OFFSETS_SEQUENTIAL] = "sequential",
    };

    for (int i = OFFSETS_RANDOM; i <= OFFSETS_SEQUENTIAL; i++) {
        if (strcmp(text, names[i]) == 0) {
            o->form = (enum offsets_form) i;
            return NULL;
        }
    }
    if (strcmp(text, "seq") == 0) {
        o->form = OFFSETS_SEQUENTIAL;
        return NULL;
    }
    o->form = OFFSETS_FIXED;
    if (!units_parse_size(&o->at, text))
        return "an offset is random, aligned, sequential, or bytes";
    return NULL;
}

const char *
offsets_parse(struct offsets *out, const char *range, const char *offset)
{
    struct offsets o = {.form = OFFSETS_RANDOM};
    const char *why = NULL;

    if (strcmp(range, "random") == 0) {
        if (offset != NULL && strcmp(offset, "random") != 0)
            return "a random range has a random offset";
    } else if (!units_parse_size(&o.length, range) || o.length == 0) {
        return "a range is a size above 0, or random";
    } else if (offset != NULL) {
        why = parse_offset(&o, offset);
    }
    if (why == NULL && o.at > UINT64_MAX - o.length)
        why = "the range ends beyond any object";
    if (why == NULL)
        *out = o;
    return why;
}

uint64_t
offsets_need(const struct offsets *o)
{
    if (o->length == 0 || o->form == OFFSETS_SEQUENTIAL)
        return 1;
    return o->at + o->length;
}

void
offsets_choose(struct range *range, const struct offsets *o, uint64_t seed,
               uint64_t turn, uint64_t size)
{
    uint64_t state = random_at(random_fork(seed, USE_OFFSETS), turn);

    *range = (struct range){.length = o->length};
    if (o->length == 0) {
        uint64_t one = random_below(&state, size);
        uint64_t other = random_below(&state, size);

        range->offset = one < other ? one : other;
        range->length = (one < other ? other : one) - range->offset + 1;
        return;
    }
    switch (o->form) {
    case OFFSETS_RANDOM:
        range->offset = random_below(&state, size - o->length + 1);
        break;
    case OFFSETS_ALIGNED:
        range->offset = random_below(&state, size / o->length) * o->length;
        break;
    case OFFSETS_SEQUENTIAL:
        if (size < o->length)
            range->length = size;
        break;
    case OFFSETS_FIXED:
        range->offset = o->at;
        break;
    }
}

bool
offsets_advance(struct range *range, const struct offsets *o, uint64_t size)
{
    uint64_t next = range->offset + range->length;

    if (next >= size)
        return false;
    range->offset = next;
    range->length = size - next < o->length ? size - next : o->length;
    return true;
}
