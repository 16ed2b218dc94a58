/* SPDX-License-Identifier: MIT */
/* The shape of a workload: sizes, names, and in what order they come. */
#include "config.h"

#include "plan_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"

#define TURNS_MAX (UINT64_C(1) << 26)

/* --- names from a file --- */

/* In one request for many keys XML has to carry the name. */
static void
check_listed(const struct plan *p)
{
    for (uint64_t i = 0; p->o->batch && i < p->list.count; i++)
        for (const char *c = keys_listed(&p->list, i); *c != '\0'; c++)
            if ((unsigned char) *c < 0x20 && strchr("\t\n\r", *c) == NULL)
                options_refuse("name %" PRIu64 " in '%s' has a control "
                               "character, which --batch cannot carry",
                               i + 1, p->o->keys_file);
}

/* Read PATH, of --NAME, whose names END. */
static void
read_list(struct keys_list *list, const char *name, const char *path, char end)
{
    struct keys_fault fault;
    int err = keys_read(list, path, end, &fault);

    if (err == EINVAL)
        options_refuse("bad %s '%s', line %" PRIu64 ": %s", name, path,
                       fault.line, fault.what);
    if (err != 0)
        options_refuse("cannot read the %s '%s': %s", name, path,
                       strerror(err));
}

void
plan_read_keys(struct plan *p)
{
    const struct options *o = p->o;

    options_refuse_if(o->keys_null && o->keys_file == NULL,
                      "--null says how names end in --keys");
    options_refuse_if(o->version_ids != NULL && o->keys_file == NULL,
                      "--version-ids are those of --keys");
    if (o->keys_file == NULL)
        return;
    read_list(&p->list, "keys", o->keys_file, o->keys_null ? '\0' : '\n');
    check_listed(p);
    if (o->version_ids == NULL)
        return;
    read_list(&p->versions, "version-ids", o->version_ids, '\n');
    if (p->versions.count != p->list.count)
        options_refuse("--keys has %" PRIu64 " names, --version-ids %" PRIu64,
                       p->list.count, p->versions.count);
}

/* --- checks --- */

static void
check_keys(const struct plan *p)
{
    const struct options *o = p->o;

    if (o->keys_file == NULL)
        return;
    options_refuse_if(o->objects != OPTIONS_UNSET || o->prefixes > 0 ||
                          o->key_entropy != NULL,
                      "--keys has names of its own: --objects, --prefixes "
                      "and --key-entropy do not go with it");
    options_refuse_if(p->target_count > 1, "--keys goes with one target");
    options_refuse_if(o->output != NULL && o->verb != VERB_LS,
                      "--keys does not go with -o: names may be no file names");
    options_refuse_if(o->workers != OPTIONS_UNSET &&
                          strcmp(o->keys_file, "-") == 0,
                      "--workers cannot read one standard input: name the "
                      "file of --keys");
}

void
plan_check_shape(const struct plan *p)
{
    const struct options *o = p->o;
    enum keys_entropy entropy;
    struct pick pick;

    check_keys(p);
    if (o->key_entropy != NULL && !keys_parse_entropy(&entropy, o->key_entropy))
        options_refuse("bad key-entropy '%s': it is head or tail",
                       o->key_entropy);
    if (o->pick == NULL)
        return;
    if (!pick_parse(&pick, o->pick))
        options_refuse("bad pick '%s': it is sequential, shuffle, uniform or "
                       "zipf:S, S up to %d",
                       o->pick, PICK_SKEW_MAX);
    options_refuse_if(o->verb == VERB_RM &&
                          (pick.form == PICK_UNIFORM || pick.form == PICK_ZIPF),
                      "rm deletes each object once: --pick is sequential or "
                      "shuffle");
}

void
plan_check_range(const struct options *o)
{
    const struct offsets *f = &o->offsets;
    bool sized = o->size != OPTIONS_UNSET;
    uint64_t least = sized ? o->sizes.min : UINT64_MAX;

    if (o->range == NULL)
        return;
    options_refuse_if(!sized && (f->length == 0 || f->form != OFFSETS_FIXED),
                      "such ranges need to know how large objects are: --size");
    options_refuse_if(f->form == OFFSETS_SEQUENTIAL && f->length > 0 &&
                          !sizes_is_fixed(&o->sizes),
                      "ranges one after another are for objects of one size");
    if (offsets_need(f) > least)
        options_refuse("the range ends behind the object: %s bytes from byte "
                       "%s on, of %" PRIu64,
                       o->range, o->offset != NULL ? o->offset : "0", least);
}

/* --- the workload --- */

static void
shape_sizes(struct plan *p)
{
    const struct options *o = p->o;

    p->workload.seed = o->seed;
    if (o->size_text != NULL && !sizes_is_fixed(&o->sizes))
        p->workload.sizes = &o->sizes;
}

/* In which order the objects are visited; ALL: how many operations all
 * processes do. */
static void
shape_order(struct plan *p, uint64_t all)
{
    const struct options *o = p->o;
    struct workload *w = &p->workload;

    if (o->pick == NULL)
        return;
    if (w->round == 0)
        w->round = all;
    options_refuse_if(w->round == WORKLOAD_ENDLESS,
                      "--pick needs to know of how many: --objects, -n or "
                      "--keys");
    pick_parse(&p->pick, o->pick);
    if (p->pick.form == PICK_SEQUENTIAL)
        return;
    pick_init(&p->pick, w->round, o->seed);
    w->pick = &p->pick;
}

/* Appends to an object follow one another, where there are several. */
static void
shape_turns(struct plan *p)
{
    struct workload *w = &p->workload;
    uint64_t different = workload_different(w);

    if (!p->o->append || different >= w->count)
        return;
    p->turns = different <= TURNS_MAX
                   ? calloc((size_t) different, sizeof *p->turns)
                   : NULL;
    options_refuse_if(p->turns == NULL, "--append: too many --objects");
    w->turns = p->turns;
}

void
plan_shape_workload(struct plan *p)
{
    const struct options *o = p->o;
    struct workload *w = &p->workload;
    uint64_t all = o->count != OPTIONS_UNSET ? o->count : WORKLOAD_ENDLESS;

    shape_sizes(p);
    if (!w->numbered) {
        options_refuse_if(o->prefixes > 0 || o->key_entropy != NULL ||
                              o->pick != NULL,
                          "--prefixes, --key-entropy and --pick are for "
                          "numbered keys: -n or --objects, or for --keys");
        shape_turns(p);
        return;
    }
    w->style.prefixes = o->prefixes;
    if (o->key_entropy != NULL)
        keys_parse_entropy(&w->style.entropy, o->key_entropy);
    if (o->objects != OPTIONS_UNSET)
        w->round = o->objects;
    if (o->keys_file != NULL) {
        w->list = &p->list;
        w->versions = o->version_ids != NULL ? &p->versions : NULL;
        w->round = p->list.count;
    }
    shape_order(p, all);
    shape_turns(p);
}
