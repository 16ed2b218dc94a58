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
    const struct offsets *f = &o->offsets;

    if (o->range == NULL)
        return;
    if (f->length == 0)
        snprintf(r->range, sizeof r->range, "random");
    else if (f->form == OFFSETS_FIXED)
        snprintf(r->range, sizeof r->range, "%" PRIu64 " B from byte %" PRIu64,
                 f->length, f->at);
    else
        snprintf(r->range, sizeof r->range, "%" PRIu64 " B, %.16s", f->length,
                 o->offset);
    add_fact(r, "range", r->range);
}

/* Values may be long, or nobody's business: how much is what counts. */
static void
add_metadata(struct run *r)
{
    const struct options *o = r->o;
    char own[40] = "", made[40] = "";

    if (o->metadata.count > 0)
        snprintf(own, sizeof own, "%zu given%s", o->metadata.count,
                 o->metadata_size > 0 ? ", " : "");
    if (o->metadata_size > 0)
        snprintf(made, sizeof made, "%" PRIu64 " B random", o->metadata_size);
    snprintf(r->metadata, sizeof r->metadata, "%s%s", own, made);
    add_fact(r, "metadata", r->metadata[0] != '\0' ? r->metadata : NULL);
}

void
run_collect_facts(struct run *r)
{
    const struct options *o = r->o;

    r->fact_count = 0;
    add_fact(r, "mix", o->mix_text);
    add_range(r);
    if (o->part_number != 0) {
        snprintf(r->part_number, sizeof r->part_number, "%" PRIu64,
                 o->part_number);
        add_fact(r, "part", r->part_number);
    }
    add_fact(r, "version", o->version_id);
    add_fact(r, "pick", o->pick);
    add_fact(r, "keys", o->keys_file);
    add_fact(r, "proxy", o->proxy);
    add_fact(r, "tls version", o->tls_version);
    add_fact(r, "ciphers", o->ciphers);
    add_fact(r, "session reuse", o->session_reuse);
    add_fact(r, "checksum", o->checksum);
    add_fact(r, "content type", o->content_type);
    add_metadata(r);
    add_fact(r, "tags", o->tags);
    add_fact(r, "encryption", o->sse);
    add_fact(r, "storage class", o->storage_class);
    add_fact(r, "if-none-match", o->if_none_match ? "*" : NULL);
    add_fact(r, "if-match", o->if_match);
    add_fact(r, "retention", o->retention);
    add_fact(r, "legal hold", o->legal_hold ? "on" : NULL);
    add_fact(r, "bypass governance", o->bypass_governance ? "yes" : NULL);
    add_fact(r, "append", o->append ? "yes" : NULL);
    add_fact(r, "version ids", o->version_ids);
    add_fact(r, "object lock", o->object_lock ? "yes" : NULL);
    add_fact(r, "versioned", o->versioned ? "yes" : NULL);
    if (o->batch > 0) {
        snprintf(r->batch, sizeof r->batch, "%" PRIu64 " keys a request",
                 o->batch);
        add_fact(r, "batch", r->batch);
    }
}
