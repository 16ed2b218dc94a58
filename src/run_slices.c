/* SPDX-License-Identifier: MIT */
/* What a run's results are told apart by, beside the total. */
#include "config.h"

#include "run_parts.h"

#include <stdlib.h>

#include "complain.h"

/* Have the report tell what is called NAME, a text that lives as long as R,
 * apart. Returns its number, from 1; 0 without memory, or when there are too
 * many. */
static uint32_t
add_slice(struct run *r, enum report_by by, const char *name)
{
    struct report_slice *slices;

    if (r->slice_count == REPORT_SLICES_MAX)
        return 0;
    slices = realloc(r->slices, (r->slice_count + 1) * sizeof *slices);
    if (slices == NULL)
        return 0;
    r->slices = slices;
    slices[r->slice_count++] = (struct report_slice){.by = by, .name = name};
    return r->slice_count;
}

/* Several endpoints have results of their own. */
static int
tell_endpoints_apart(struct run *r)
{
    struct service *s = &r->service;

    if (s->endpoints.count < 2)
        return 0;
    for (size_t i = 0; i < s->endpoints.count; i++) {
        s->places[i].slice =
            add_slice(r, REPORT_BY_ENDPOINT, s->places[i].label);
        if (s->places[i].slice == 0)
            return complain(2, "too much to tell apart: name fewer endpoints");
    }
    return 0;
}

/* So have classes of sizes, the smallest first. */
static int
tell_sizes_apart(struct run *r)
{
    const struct sizes *sizes = r->plan.workload.sizes;
    uint32_t count, last = 1;

    if (sizes == NULL || sizes_class_count(sizes) == 1)
        return 0;
    count = sizes_class_count(sizes);
    r->size_names = calloc(count, sizeof *r->size_names);
    if (r->size_names == NULL)
        return complain(1, "out of memory");
    r->plan.workload.first_slice = r->slice_count + 1;
    for (uint32_t i = 0; last != 0 && i < count; i++) {
        sizes_class_name(sizes, i, r->size_names[i]);
        last = add_slice(r, REPORT_BY_SIZE, r->size_names[i]);
    }
    return last != 0
               ? 0
               : complain(
                     2, "too much to tell apart: name fewer classes of sizes");
}

/* So have the operations of a mix. */
static int
tell_operations_apart(struct run *r)
{
    uint32_t op = 0;

    if (r->plan.workload.pool == NULL)
        return 0;
    for (int kind = 0; kind < MIX_KINDS; kind++) {
        if (r->o->mix.weights[kind] == 0)
            continue;
        r->ops[op].slice =
            add_slice(r, REPORT_BY_OPERATION, mix_name((enum mix_kind) kind));
        if (r->ops[op++].slice == 0)
            return complain(1, "out of memory");
    }
    return 0;
}

int
run_tell_apart(struct run *r)
{
    int status = tell_operations_apart(r);

    if (status == 0)
        status = tell_endpoints_apart(r);
    return status == 0 ? tell_sizes_apart(r) : status;
}
