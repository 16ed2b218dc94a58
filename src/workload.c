/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "workload.h"

#include <inttypes.h>

bool
workload_next(struct workload *w, struct workload_item *item)
{
    uint64_t first;

    if (workload_given(w) >= w->count)
        return false; /* the counter must not run away */
    first = atomic_fetch_add(&w->next, w->per_item);
    if (first >= w->count)
        return false;
    item->first = first;
    item->names = w->count - first < w->per_item ? (uint32_t) (w->count - first)
                                                 : w->per_item;
    return true;
}

uint64_t
workload_given(const struct workload *w)
{
    uint64_t next = atomic_load(&w->next);

    return next < w->count ? next : w->count;
}

uint64_t
workload_different(const struct workload *w)
{
    if (!w->numbered)
        return w->name_count;
    return w->round > 0 && w->round < w->count ? w->round : w->count;
}

uint64_t
workload_identity(const struct workload *w, uint64_t index)
{
    if (!w->numbered)
        return index % w->name_count;
    return w->round > 0 ? index % w->round : index;
}

int
workload_name(const struct workload *w, uint64_t index, struct buf *out)
{
    uint64_t identity = workload_identity(w, index);
    int err;

    buf_reset(out);
    if (!w->numbered)
        return buf_adds(out, w->names[identity]);
    err = buf_adds(out, w->names[0]);
    return err != 0 ? err : buf_addf(out, "%" PRIu64, identity + 1);
}
