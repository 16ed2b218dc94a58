/* SPDX-License-Identifier: MIT */
/* A mix of operations over one pool of objects. */
#include "config.h"

#include "plan_parts.h"

#include <string.h>

#include "buf.h"

#define COPIES "copy-" /* between what keys begin with and their numbers */

void
plan_check_mix(const struct plan *p)
{
    const struct options *o = p->o;
    const struct mix *m = &o->mix;
    bool sized = o->size != OPTIONS_UNSET;

    options_refuse_if(o->objects == OPTIONS_UNSET,
                      "mixed needs to know how many objects there are, KEY1 to "
                      "KEYN as put -n N makes them: --objects N");
    options_refuse_if(o->objects > POOL_OBJECTS_MAX,
                      "mixed is for at most 2147483647 objects");
    options_refuse_if(o->count == OPTIONS_UNSET && o->duration_ns == 0,
                      "mixed needs an end: -n or -d");
    options_refuse_if(m->weights[MIX_PUT] > 0 && !sized,
                      "a mix with puts needs a --size");
    options_refuse_if((m->weights[MIX_GET_RANGE] > 0) != (o->range != NULL),
                      "get-range in the mix and --range go together");
    options_refuse_if(o->range != NULL && o->offsets.length > 0 &&
                          o->offsets.form == OFFSETS_SEQUENTIAL,
                      "a mix reads no ranges one after another");
    plan_check_range(o);
}

/* Where copies go. */
static void
name_copies(struct plan *p)
{
    const char *key = p->targets[0].key;

    buf_init(&p->copies, WORKLOAD_NAME_MAX);
    if (buf_addf(&p->copies, "%s" COPIES, key) != 0)
        options_refuse("the key of target 1 is too long");
    p->workload.copies = p->copies.data;
}

/* How many operations the processes before ours do; against time, as many as
 * set them apart. */
static uint64_t
dealt_before(const struct plan *p)
{
    uint64_t before = 0;

    if (p->o->count == OPTIONS_UNSET)
        return p->share.number;
    for (uint32_t i = 0; i < p->share.number; i++) {
        struct share other = {i, p->share.of};

        before += share_count(&other, p->o->count);
    }
    return before;
}

void
plan_mix_workload(struct plan *p)
{
    struct workload *w = &p->workload;
    uint32_t ops = 0;

    w->pooled = share_count(&p->share, p->o->objects);
    /* Else most of the pool would be in their hands. */
    options_refuse_if(p->o->rate_per_s > 0 && w->pooled < plan_lanes(p),
                      "at a rate each operation in flight is chosen ahead: "
                      "mixed needs --objects of at least -c");
    options_refuse_if(w->pooled == 0, "each worker needs an object of its own: "
                                      "--objects");
    if (pool_init(&p->pool, &p->o->mix, (uint32_t) w->pooled, 0,
                  dealt_before(p), p->o->seed) != 0)
        options_refuse("out of memory");
    w->pool = &p->pool;
    w->round = 0;
    for (int kind = 0; kind < MIX_KINDS; kind++)
        if (p->o->mix.weights[kind] > 0)
            w->ops[kind] = ops++;
    name_copies(p);
}
