/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "workload.h"

#include <inttypes.h>

bool
workload_next(struct workload *w, struct workload_item *item)
{
    uint64_t left = w->count - w->next;

    if (left == 0)
        return false;
    item->first = w->next;
    item->names = left < w->per_item ? (uint32_t) left : w->per_item;
    w->next += item->names;
    return true;
}

int
workload_name(const struct workload *w, uint64_t index, struct buf *out)
{
    int err;

    buf_reset(out);
    if (!w->numbered)
        return buf_adds(out, w->names[index % w->name_count]);
    err = buf_adds(out, w->names[0]);
    return err != 0 ? err : buf_addf(out, "%" PRIu64, index + 1);
}
