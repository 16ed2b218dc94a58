/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "workload.h"

uint64_t
share_count(const struct share *share, uint64_t total)
{
    if (share->of <= 1)
        return total;
    return total / share->of + (share->number < total % share->of);
}

uint64_t
share_index(const struct share *share, uint64_t index)
{
    return share->of <= 1 ? index : index * share->of + share->number;
}

/* After how many names ours begin again; 0: never. */
static uint64_t
our_round(const struct workload *w)
{
    uint64_t a = w->round, b = w->share.of;

    if (w->round == 0 || w->share.of <= 1)
        return w->round;
    while (b > 0) { /* Euclid */
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return w->round / a;
}

/* The object, from 0, that counts as IDENTITY: the same one in all processes
 * and runs. */
static uint64_t
number_of(const struct workload *w, uint64_t identity)
{
    uint64_t index;

    if (!w->numbered || w->pick != NULL)
        return identity;
    index = share_index(&w->share, identity);
    return w->round > 0 ? index % w->round : index;
}

/* How many ranges cover an object, where they come one after another. */
static uint64_t
ranges_of_each(const struct workload *w)
{
    const struct offsets *o = w->offsets;

    if (o == NULL || o->form != OFFSETS_SEQUENTIAL || w->pool != NULL ||
        w->size == 0)
        return 1;
    return (w->size - 1) / o->length + 1;
}

/* What is read of ITEM's object, by the operation that is number TURN. */
static void
choose_range(const struct workload *w, struct workload_item *item,
             uint64_t turn)
{
    uint64_t each = ranges_of_each(w);
    struct range range;

    item->offset = item->length = 0;
    if (w->offsets == NULL)
        return;
    offsets_choose(&range, w->offsets, w->seed, turn, item->size);
    for (uint64_t i = turn % each; i > 0; i--)
        offsets_advance(&range, w->offsets, item->size);
    item->offset = range.offset;
    item->length = range.length;
}

static uint32_t
slice_of(const struct workload *w, uint64_t size)
{
    return w->first_slice > 0 && size != UINT64_MAX
               ? w->first_slice + sizes_class_of(w->sizes, size)
               : 0;
}

/* The operation that is number TURN, from the pool; false: it has none. */
static bool
take_from_pool(struct workload *w, struct workload_item *item, uint64_t turn)
{
    struct pool_item *taken = &item->pooled;

    if (!pool_begin(w->pool, taken))
        return false;
    item->op = w->ops[taken->kind];
    item->names = 1;
    item->first = taken->object;
    if (taken->kind == MIX_CP)
        item->first += WORKLOAD_COPIES;
    item->offset = item->length = 0;
    item->size =
        taken->kind == MIX_LS ? UINT64_MAX : workload_size(w, taken->object);
    item->slice = slice_of(w, item->size);
    if (taken->kind == MIX_GET_RANGE)
        choose_range(w, item, turn);
    return true;
}

bool
workload_next(struct workload *w, struct workload_item *item)
{
    uint64_t first, turn;

    if (workload_given(w) >= w->count)
        return false; /* the counter must not run away */
    first = atomic_fetch_add(&w->next, w->per_item);
    if (first >= w->count)
        return false;
    turn = share_index(&w->share, first);
    if (w->pool != NULL)
        return take_from_pool(w, item, turn);
    item->op = 0;
    item->first = first / ranges_of_each(w);
    item->size = workload_size(w, workload_identity(w, item->first));
    choose_range(w, item, first);
    item->slice = slice_of(w, item->size);
    item->names = w->count - first < w->per_item ? (uint32_t) (w->count - first)
                                                 : w->per_item;
    return true;
}

void
workload_done(struct workload *w, const struct workload_item *item,
              enum pool_outcome outcome)
{
    struct workload_turn *turn;

    if (w->pool != NULL)
        pool_end(w->pool, &item->pooled, outcome);
    if (w->turns == NULL)
        return; /* nobody has to know: names come once, or as they like */
    turn = &w->turns[workload_identity(w, item->first)];
    if (outcome == POOL_DONE)
        atomic_fetch_add(&turn->good, 1);
    atomic_fetch_add(&turn->ended, 1); /* lets the next one begin */
}

bool
workload_is_turn(const struct workload *w, const struct workload_item *item,
                 uint64_t *good)
{
    struct workload_turn *turn;

    *good = 0;
    if (w->turns == NULL)
        return true;
    turn = &w->turns[workload_identity(w, item->first)];
    if (atomic_load(&turn->ended) < item->first / workload_different(w))
        return false;
    *good = atomic_load(&turn->good);
    return true;
}

uint64_t
workload_size(const struct workload *w, uint64_t identity)
{
    return w->sizes != NULL
               ? sizes_of(w->sizes, w->seed, number_of(w, identity))
               : w->size;
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
    uint64_t round = our_round(w);

    if (!w->numbered)
        return w->name_count;
    if (w->pool != NULL)
        return w->pooled * 2; /* as many come to be as were there */
    if (w->pick != NULL)
        return w->round;
    return round > 0 && round < w->count ? round : w->count;
}

uint64_t
workload_identity(const struct workload *w, uint64_t index)
{
    uint64_t round = our_round(w);

    if (!w->numbered)
        return index % w->name_count;
    if (w->pool != NULL)
        return index % WORKLOAD_COPIES;
    if (w->pick != NULL)
        return pick_at(w->pick, share_index(&w->share, index));
    return round > 0 ? index % round : index;
}

/* Write the name that goes with BASE into OUT. */
static int
name_after(const struct workload *w, uint64_t identity, const char *base,
           struct buf *out)
{
    uint64_t number = number_of(w, identity);
    int err;

    buf_reset(out);
    if (w->numbered && w->list == NULL)
        return keys_add_name(out, &w->style, base, number);
    err = buf_adds(out, base);
    if (err == 0 && w->numbered)
        err = buf_adds(out, keys_listed(w->list, number));
    return err;
}

int
workload_name_after(const struct workload *w, uint64_t index, const char *base,
                    struct buf *out)
{
    return name_after(w, workload_identity(w, index), base, out);
}

int
workload_name_of(const struct workload *w, uint64_t identity, struct buf *out)
{
    return name_after(w, identity, w->names[w->numbered ? 0 : identity], out);
}

int
workload_name(const struct workload *w, uint64_t index, struct buf *out)
{
    if (w->pool != NULL && index == POOL_NO_OBJECT) {
        buf_reset(out);
        return 0;
    }
    if (w->pool != NULL && index >= WORKLOAD_COPIES)
        return name_after(w, index - WORKLOAD_COPIES, w->copies, out);
    return workload_name_of(w, workload_identity(w, index), out);
}

const char *
workload_version(const struct workload *w, uint64_t index)
{
    if (w->versions == NULL)
        return NULL;
    return keys_listed(w->versions, number_of(w, workload_identity(w, index)));
}
