/* SPDX-License-Identifier: MIT */
/* What requests ask for besides, as the summary tells it. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "run_parts.h"

static void
add_fact(struct run *r, const char *name, const char *value)
{
    if (value != NULL && r->fact_count < RUN_FACTS_MAX)
        r->facts[r->fact_count++] = (struct report_fact){name, value};
}

static void
add_range(struct run *r)
{
    const struct options *o = r->o;

    if (o->range == OPTIONS_UNSET)
        return;
    snprintf(r->range, sizeof r->range, "%" PRIu64 " B from byte %" PRIu64,
             o->range, o->offset);
    add_fact(r, "range", r->range);
}

void
run_collect_facts(struct run *r)
{
    const struct options *o = r->o;

    r->fact_count = 0;
    add_range(r);
    if (o->part_number != 0) {
        snprintf(r->part_number, sizeof r->part_number, "%" PRIu64,
                 o->part_number);
        add_fact(r, "part", r->part_number);
    }
    add_fact(r, "version", o->version_id);
    add_fact(r, "pick", o->pick);
    add_fact(r, "keys", o->keys_file);
    if (o->batch > 0) {
        snprintf(r->batch, sizeof r->batch, "%" PRIu64 " keys a request",
                 o->batch);
        add_fact(r, "batch", r->batch);
    }
}
