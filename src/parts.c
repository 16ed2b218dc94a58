/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "parts.h"

#define MIB (UINT64_C(1) << 20)

/* A / B, rounded up. */
static uint64_t
divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b > 0);
}

static uint64_t
count_parts(uint64_t object_bytes, uint64_t part_bytes)
{
    return object_bytes > 0 ? divide_up(object_bytes, part_bytes) : 1;
}

static enum parts_fault
cut(struct parts *out, uint64_t object_bytes, uint64_t part_bytes, uint64_t max)
{
    uint64_t count = count_parts(object_bytes, part_bytes);

    if (count > max)
        return PARTS_TOO_MANY;
    *out = (struct parts){.object_bytes = object_bytes,
                          .part_bytes = part_bytes,
                          .count = (uint32_t) count};
    return PARTS_FINE;
}

enum parts_fault
parts_for_upload(struct parts *out, uint64_t object_bytes, uint64_t part_bytes)
{
    /* A part that is larger than its object never gets so long. */
    uint64_t longest = part_bytes < object_bytes ? part_bytes : object_bytes;

    if (longest > PARTS_BYTES_MAX)
        return PARTS_TOO_LARGE;
    if (part_bytes < object_bytes && part_bytes < PARTS_BYTES_MIN)
        return PARTS_TOO_SMALL;
    return cut(out, object_bytes, part_bytes, PARTS_COUNT_MAX);
}

enum parts_fault
parts_for_download(struct parts *out, uint64_t object_bytes,
                   uint64_t part_bytes)
{
    return cut(out, object_bytes, part_bytes, UINT32_MAX);
}

bool
parts_apply(struct parts *out, const struct parts_rule *rule,
            uint64_t object_bytes)
{
    if (rule->part_bytes == 0 || object_bytes < rule->threshold_bytes)
        return false;
    return cut(out, object_bytes, rule->part_bytes, UINT32_MAX) == PARTS_FINE;
}

uint64_t
parts_least_bytes(uint64_t object_bytes)
{
    uint64_t least = divide_up(object_bytes, PARTS_COUNT_MAX);

    if (least > PARTS_BYTES_MAX)
        return 0;
    if (least < PARTS_BYTES_MIN)
        least = PARTS_BYTES_MIN;
    return divide_up(least, MIB) * MIB;
}

uint64_t
parts_offset(const struct parts *p, uint32_t index)
{
    return index * p->part_bytes;
}

uint64_t
parts_length(const struct parts *p, uint32_t index)
{
    uint64_t left = p->object_bytes - parts_offset(p, index);

    return left < p->part_bytes ? left : p->part_bytes;
}
