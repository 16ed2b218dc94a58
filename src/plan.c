/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "plan.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PUT_MAX (UINT64_C(5) << 30) /* AWS's limit */
/* In flight at most in an open loop, unless -c says otherwise. */
#define OPEN_LOOP_LANES 256

static enum request_op
choose_op(const struct plan *p)
{
    bool bucket = p->targets[0].bucket[0] != '\0';
    bool key = p->targets[0].key[0] != '\0';

    switch (p->o->verb) {
    case VERB_MB:
        return REQUEST_CREATE_BUCKET;
    case VERB_RB:
        return REQUEST_DELETE_BUCKET;
    case VERB_PUT:
        return REQUEST_PUT;
    case VERB_GET:
        return REQUEST_GET;
    case VERB_HEAD:
        return key ? REQUEST_HEAD : REQUEST_HEAD_BUCKET;
    case VERB_RM:
        return p->o->batch || p->o->target_count > 1 ? REQUEST_DELETE_MANY
                                                     : REQUEST_DELETE;
    default:
        return bucket ? REQUEST_LIST : REQUEST_LIST_BUCKETS;
    }
}

/* What each verb's target must have. */
static void
check_target(const struct options *o, const struct target *t, const char *text)
{
    bool bucket = t->bucket[0] != '\0', key = t->key[0] != '\0';

    switch (o->verb) {
    case VERB_MB:
    case VERB_RB:
        if (!bucket || key)
            options_refuse("bad target '%s': it is s3://BUCKET", text);
        break;
    case VERB_PUT:
    case VERB_GET:
    case VERB_RM:
        if (!bucket || !key)
            options_refuse("bad target '%s': it is s3://BUCKET/KEY", text);
        break;
    case VERB_HEAD:
        if (!bucket)
            options_refuse("bad target '%s': it is s3://BUCKET or "
                           "s3://BUCKET/KEY",
                           text);
        break;
    default:
        break;
    }
}

static void
check_names(const struct plan *p)
{
    for (size_t i = 0; i < p->o->target_count; i++) {
        if (strlen(p->names[i]) >= WORKLOAD_NAME_MAX)
            options_refuse("the key of target %zu is too long", i + 1);
        if (strcmp(p->targets[i].bucket, p->targets[0].bucket) != 0)
            options_refuse("rm takes keys of one bucket at a time");
        for (const char *c = p->names[i]; *c != '\0'; c++)
            if (p->op == REQUEST_DELETE_MANY && (unsigned char) *c < 0x20 &&
                strchr("\t\n\r", *c) == NULL)
                options_refuse("'%s' has a control character, which one "
                               "request for many keys cannot carry: delete it "
                               "alone",
                               p->o->targets[i]);
    }
}

static void
read_targets(struct plan *p)
{
    const struct options *o = p->o;
    static char service[] = "s3://";
    static char *everything[] = {service};
    char **texts = o->target_count > 0 ? o->targets : everything;
    size_t count = o->target_count > 0 ? o->target_count : 1;

    if (o->target_count == 0 && o->verb != VERB_LS)
        options_refuse("%s needs a target", options_verb_name(o->verb));
    if (count > 1 && o->verb != VERB_RM)
        options_refuse("%s takes one target, not %zu",
                       options_verb_name(o->verb), count);
    p->targets = calloc(count, sizeof *p->targets);
    p->names = calloc(count, sizeof *p->names);
    if (p->targets == NULL || p->names == NULL)
        options_refuse("out of memory");
    for (size_t i = 0; i < count; i++) {
        const char *why = target_parse(&p->targets[i], texts[i]);

        if (why != NULL)
            options_refuse("bad target '%s': it %s", texts[i], why);
        check_target(o, &p->targets[i], texts[i]);
        p->names[i] = p->targets[i].key;
        if (o->verb == VERB_MB || o->verb == VERB_RB)
            p->names[i] = p->targets[i].bucket;
    }
    p->op = choose_op(p);
    check_names(p);
}

static void
check_put(const struct options *o)
{
    options_refuse_if((o->size == OPTIONS_UNSET) == (o->file == NULL),
                      "put needs one of --size and --file");
    options_refuse_if(o->output != NULL &&
                          (o->count == OPTIONS_UNSET || o->file != NULL),
                      "put keeps copies (-o) only of generated objects, "
                      "with -n");
    options_refuse_if(o->size != OPTIONS_UNSET && o->size > PUT_MAX,
                      "a single put takes at most 5 GiB");
}

static void
check_options(const struct plan *p)
{
    const struct options *o = p->o;
    bool counted = o->count != OPTIONS_UNSET;

    if (o->verb == VERB_PUT)
        check_put(o);
    options_refuse_if(counted && o->target_count > 1,
                      "-n numbers the keys of one target, not of several");
    options_refuse_if(counted && o->output != NULL && o->verb == VERB_GET &&
                          strcmp(o->output, "-") == 0,
                      "with -n, -o names a folder");
}

/* Whether the keys are KEY1, KEY2, ... A listing, or a bucket that is asked
 * for, is the same each time; so is an object that is read against time. */
static bool
is_numbered(const struct plan *p)
{
    const struct options *o = p->o;

    if (p->op == REQUEST_LIST || p->op == REQUEST_LIST_BUCKETS ||
        p->op == REQUEST_HEAD_BUCKET)
        return false;
    if (o->count != OPTIONS_UNSET || o->objects != OPTIONS_UNSET)
        return true;
    return o->duration_ns > 0 && p->op != REQUEST_GET && p->op != REQUEST_HEAD;
}

static void
fill_workload(struct plan *p)
{
    const struct options *o = p->o;
    enum request_op op = p->op;
    bool list = op == REQUEST_LIST || op == REQUEST_LIST_BUCKETS;

    p->workload = (struct workload){
        .names = p->names, .name_count = 1, .count = 1, .per_item = 1};
    if (o->target_count > 1)
        p->workload.count = p->workload.name_count = o->target_count;
    if (list) /* its key is a prefix; each operation lists the same */
        p->names[0] = "";
    if (o->count != OPTIONS_UNSET)
        p->workload.count = o->count;
    else if (o->duration_ns > 0)
        p->workload.count = WORKLOAD_ENDLESS;
    else if (o->concurrency != OPTIONS_UNSET && o->target_count <= 1)
        p->workload.count = o->concurrency; /* the same once on each lane */
    p->workload.numbered = is_numbered(p);
    if (o->objects != OPTIONS_UNSET)
        p->workload.round = o->objects;
    if (op == REQUEST_DELETE_MANY)
        p->workload.per_item = REQUEST_BATCH_MAX;
}

bool
plan_is_plain(const struct options *o)
{
    return o->count == OPTIONS_UNSET && o->concurrency == OPTIONS_UNSET &&
           o->duration_ns == 0 && o->objects == OPTIONS_UNSET && o->log == NULL;
}

uint64_t
plan_lanes(const struct plan *p)
{
    const struct workload *w = &p->workload;
    uint64_t items = w->count / w->per_item + (w->count % w->per_item > 0);
    uint64_t wish = p->o->rate_per_s > 0 ? OPEN_LOOP_LANES : 1;

    if (p->o->concurrency != OPTIONS_UNSET)
        wish = p->o->concurrency;
    return wish < items ? wish : items;
}

uint32_t
plan_threads(const struct plan *p)
{
    uint64_t lanes = plan_lanes(p);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t wish = cores > 0 ? (uint64_t) cores : 1;
    cpu_set_t usable;

    if (sched_getaffinity(0, sizeof usable, &usable) == 0)
        wish = (uint64_t) CPU_COUNT(&usable);
    if (p->o->threads != OPTIONS_UNSET)
        wish = p->o->threads;
    return (uint32_t) (wish < lanes ? wish : lanes);
}

void
plan_init(struct plan *p, const struct options *o)
{
    *p = (struct plan){.o = o};
    read_targets(p);
    check_options(p);
    fill_workload(p);
}

void
plan_clear(struct plan *p)
{
    free(p->targets);
    free(p->names);
    p->targets = NULL;
    p->names = NULL;
}
