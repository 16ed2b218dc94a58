/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "plan_parts.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "units.h"

#define PARTS_MAX 10000
#define PUT_MAX (UINT64_C(5) << 30) /* AWS's limit */
/* In flight at most in an open loop, unless -c says otherwise. */
#define OPEN_LOOP_LANES 256

static enum request_op
choose_op(const struct plan *p)
{
    bool bucket = p->targets[0].bucket[0] != '\0';
    bool key = p->targets[0].key[0] != '\0' || p->o->keys_file != NULL;

    switch (p->o->verb) {
    case VERB_MB:
        return REQUEST_CREATE_BUCKET;
    case VERB_RB:
        return REQUEST_DELETE_BUCKET;
    case VERB_PUT:
        return p->o->upload_id != NULL ? REQUEST_UPLOAD_PART : REQUEST_PUT;
    case VERB_GET:
    case VERB_MIXED: /* stands for all that it does to objects */
        return REQUEST_GET;
    case VERB_CP:
        return REQUEST_COPY;
    case VERB_HEAD:
        return key ? REQUEST_HEAD : REQUEST_HEAD_BUCKET;
    case VERB_CREATE_UPLOAD:
        return REQUEST_CREATE_UPLOAD;
    case VERB_RELEASE:
        return REQUEST_RELEASE;
    case VERB_RM:
        if (p->o->upload_id != NULL)
            return REQUEST_ABORT_UPLOAD;
        return p->o->batch > 0 || p->o->target_count > 1 ? REQUEST_DELETE_MANY
                                                         : REQUEST_DELETE;
    default:
        if (!bucket)
            return REQUEST_LIST_BUCKETS;
        return p->o->versions ? REQUEST_LIST_VERSIONS : REQUEST_LIST;
    }
}

/* What each verb's target must have. */
static void
check_target(const struct options *o, const struct target *t, const char *text)
{
    bool bucket = t->bucket[0] != '\0';
    bool key = t->key[0] != '\0' || (bucket && o->keys_file != NULL);

    switch (o->verb) {
    case VERB_MB:
    case VERB_RB:
        if (!bucket || key)
            options_refuse("bad target '%s': it is s3://BUCKET", text);
        break;
    case VERB_PUT:
    case VERB_GET:
    case VERB_RM:
    case VERB_CP:
    case VERB_MIXED:
    case VERB_CREATE_UPLOAD:
    case VERB_RELEASE:
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
    for (size_t i = 0; i < p->target_count; i++) {
        if (strlen(p->names[i]) >= WORKLOAD_NAME_MAX)
            options_refuse("the key of target %zu is too long",
                           i + 1 + (p->op == REQUEST_COPY));
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
read_target(const struct options *o, struct target *t, const char *text)
{
    const char *why = target_parse(t, text);

    if (why != NULL)
        options_refuse("bad target '%s': it %s", text, why);
    check_target(o, t, text);
}

static void
read_targets(struct plan *p)
{
    const struct options *o = p->o;
    static char service[] = "s3://";
    static char *everything[] = {service};
    char **texts = o->target_count > 0 ? o->targets : everything;
    size_t count = o->target_count > 0 ? o->target_count : 1;

    if (o->verb == VERB_CP) {
        if (o->target_count != 2)
            options_refuse("cp takes two targets, not %zu", o->target_count);
        read_target(o, &p->source, *texts++);
        count--;
        options_refuse_if(strlen(p->source.key) >= WORKLOAD_NAME_MAX,
                          "the key of target 1 is too long");
    }
    if (o->target_count == 0 && o->verb != VERB_LS)
        options_refuse("%s needs a target", options_verb_name(o->verb));
    if (count > 1 && o->verb != VERB_RM)
        options_refuse("%s takes one target, not %zu",
                       options_verb_name(o->verb), count);
    p->target_count = count;
    p->targets = calloc(count, sizeof *p->targets);
    p->names = calloc(count, sizeof *p->names);
    if (p->targets == NULL || p->names == NULL)
        options_refuse("out of memory");
    for (size_t i = 0; i < count; i++) {
        read_target(o, &p->targets[i], texts[i]);
        p->names[i] = p->targets[i].key;
        if (o->verb == VERB_MB || o->verb == VERB_RB)
            p->names[i] = p->targets[i].bucket;
    }
    p->op = choose_op(p);
    check_names(p);
}

static void
check_append(const struct options *o)
{
    options_refuse_if(o->offset != NULL && !o->append,
                      "--offset of put needs --append");
    if (!o->append)
        return;
    options_refuse_if(o->upload_id != NULL,
                      "--append does not go with an upload in parts");
    options_refuse_if(o->pick != NULL, "--append takes the objects in turn: "
                                       "--pick does not go with it");
    options_refuse_if(o->size_text != NULL && !sizes_is_fixed(&o->sizes),
                      "--append needs one size for all");
    options_refuse_if(o->workers != OPTIONS_UNSET || o->share != NULL,
                      "--append does not go with --workers");
}

static void
check_put(const struct options *o)
{
    options_refuse_if(o->size == OPTIONS_UNSET && o->file == NULL,
                      "put needs one of --size and --file");
    options_refuse_if(o->size != OPTIONS_UNSET && o->file != NULL,
                      "put takes one of --size and --file, not both");
    options_refuse_if(o->file != NULL && (strcmp(o->payload, "random") != 0 ||
                                          o->compressible > 0),
                      "--payload and --compressible are for generated "
                      "content, not for --file");
    options_refuse_if(o->output != NULL &&
                          (o->count == OPTIONS_UNSET || o->file != NULL),
                      "put keeps copies (-o) only of generated objects, "
                      "with -n");
    check_append(o);
    options_refuse_if(o->size != OPTIONS_UNSET && o->size > PUT_MAX,
                      "a single put takes at most 5 GiB");
}

/* One upload is one object's. */
static void
check_parts(const struct plan *p)
{
    const struct options *o = p->o;

    options_refuse_if(o->verb == VERB_PUT &&
                          (o->part_number != 0) != (o->upload_id != NULL),
                      "a part needs both --upload-id and --part");
    options_refuse_if(o->part_number > PARTS_MAX, "bad part: it is 1 to 10000");
    options_refuse_if(
        o->upload_id != NULL &&
            (!plan_is_plain(o) || o->batch > 0 || p->target_count > 1),
        "--upload-id is for one plain operation");
}

/* Whether the keys are KEY1, KEY2, ... A listing, or a bucket that is asked
 * for, is the same each time; so is an object that is read or copied against
 * time. */
static bool
is_numbered(const struct plan *p)
{
    const struct options *o = p->o;

    if (request_is_listing(p->op) || p->op == REQUEST_HEAD_BUCKET)
        return false;
    if (o->count != OPTIONS_UNSET || o->objects != OPTIONS_UNSET ||
        o->keys_file != NULL)
        return true;
    return o->duration_ns > 0 && p->op != REQUEST_GET &&
           p->op != REQUEST_HEAD && p->op != REQUEST_COPY;
}

static void
check_get(const struct options *o)
{
    options_refuse_if(o->range != NULL && o->part_number != 0,
                      "--range does not go with --part");
    plan_check_range(o);
}

/* What there is one of. */
static void
check_one(const struct plan *p)
{
    const struct options *o = p->o;

    options_refuse_if(o->version_id != NULL && (p->target_count > 1 ||
                                                o->batch > 0 || is_numbered(p)),
                      "--version-id is of one key, not of many");
    options_refuse_if(o->version_id != NULL && p->op == REQUEST_HEAD_BUCKET,
                      "--version-id is of an object, not of a bucket");
    options_refuse_if(o->part_number != 0 && p->op == REQUEST_HEAD_BUCKET,
                      "--part is of an object, not of a bucket");
}

static void
check_options(const struct plan *p)
{
    const struct options *o = p->o;
    bool counted = o->count != OPTIONS_UNSET;

    if (o->verb == VERB_PUT)
        check_put(o);
    if (o->verb == VERB_GET)
        check_get(o);
    if (o->verb == VERB_MIXED)
        plan_check_mix(p);
    check_parts(p);
    check_one(p);
    options_refuse_if(o->versions && p->op != REQUEST_LIST_VERSIONS,
                      "--versions are of a bucket");
    options_refuse_if(o->versions && o->list_type == 1,
                      "--list-type does not go with --versions");
    plan_check_shape(p);
    options_refuse_if(o->verb == VERB_LS && o->prefix != NULL &&
                          p->targets[0].key[0] != '\0',
                      "ls takes a prefix in its target or as --prefix, not "
                      "both");
    options_refuse_if(counted && p->target_count > 1,
                      "-n numbers the keys of one target, not of several");
    options_refuse_if(counted && o->output != NULL && o->verb == VERB_GET &&
                          strcmp(o->output, "-") == 0,
                      "with -n, -o names a folder");
}

static void
fill_workload(struct plan *p)
{
    const struct options *o = p->o;
    enum request_op op = p->op;
    bool list = request_is_listing(op);

    p->workload = (struct workload){
        .names = p->names, .name_count = 1, .count = 1, .per_item = 1};
    if (p->target_count > 1)
        p->workload.count = p->workload.name_count = p->target_count;
    if (list) /* its key is a prefix; each operation lists the same */
        p->names[0] = "";
    if (o->count != OPTIONS_UNSET)
        p->workload.count = o->count;
    else if (o->duration_ns > 0)
        p->workload.count = WORKLOAD_ENDLESS;
    else if (o->keys_file != NULL) /* each once */
        p->workload.count = p->list.count;
    else if (o->concurrency != OPTIONS_UNSET && p->target_count <= 1)
        p->workload.count = o->concurrency; /* the same once on each lane */
    if (p->workload.count != WORKLOAD_ENDLESS)
        p->workload.count = share_count(&p->share, p->workload.count);
    p->workload.share = p->share;
    p->workload.numbered = is_numbered(p);
    plan_shape_workload(p);
    if (o->verb == VERB_MIXED)
        plan_mix_workload(p);
    if (o->range != NULL)
        p->workload.offsets = &o->offsets;
    if (op == REQUEST_DELETE_MANY)
        p->workload.per_item =
            o->batch > 0 ? (uint32_t) o->batch : REQUEST_BATCH_MAX;
}

uint64_t
plan_body_size(const struct options *o)
{
    if (o->range == NULL || o->offsets.length == 0)
        return o->size;
    /* One object has several bodies, then. */
    return o->offsets.form == OFFSETS_SEQUENTIAL ? OPTIONS_UNSET
                                                 : o->offsets.length;
}

bool
plan_uploads(const struct options *o)
{
    return o->verb == VERB_PUT ||
           (o->verb == VERB_MIXED && o->mix.weights[MIX_PUT] > 0);
}

bool
plan_downloads(const struct options *o)
{
    return o->verb == VERB_GET || o->verb == VERB_MIXED;
}

bool
plan_is_plain(const struct options *o)
{
    return o->count == OPTIONS_UNSET && o->concurrency == OPTIONS_UNSET &&
           o->duration_ns == 0 && o->objects == OPTIONS_UNSET &&
           o->keys_file == NULL && o->log == NULL;
}

uint64_t
plan_lanes(const struct plan *p)
{
    const struct workload *w = &p->workload;
    uint64_t items = w->count / w->per_item + (w->count % w->per_item > 0);
    uint64_t wish = p->o->rate_per_s > 0 ? OPEN_LOOP_LANES : 1;

    if (p->o->concurrency != OPTIONS_UNSET)
        wish = p->o->concurrency;
    wish = share_count(&p->share, wish);
    return wish < items ? wish : items;
}

/* Event loops of one process. */
static uint32_t
own_threads(const struct plan *p, uint64_t processes)
{
    uint64_t lanes = plan_lanes(p);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t wish = cores > 0 ? (uint64_t) cores : 1;
    cpu_set_t usable;

    if (sched_getaffinity(0, sizeof usable, &usable) == 0)
        wish = (uint64_t) CPU_COUNT(&usable);
    wish = wish > processes ? wish / processes : 1;
    if (p->o->threads != OPTIONS_UNSET)
        wish = p->o->threads;
    return (uint32_t) (wish < lanes ? wish : lanes);
}

uint32_t
plan_threads(const struct plan *p)
{
    uint32_t sum = 0;

    if (p->share.of > 0)
        return own_threads(p, p->share.of);
    if (p->o->workers == OPTIONS_UNSET)
        return own_threads(p, 1);
    for (uint32_t i = 0; i < p->o->workers; i++) {
        struct plan one = *p;

        one.share = (struct share){i, (uint32_t) p->o->workers};
        if (one.workload.count != WORKLOAD_ENDLESS)
            one.workload.count = share_count(&one.share, p->workload.count);
        sum += own_threads(&one, p->o->workers);
    }
    return sum;
}

/* "I/N", I from 1. */
static void
read_share(struct plan *p)
{
    const char *text = p->o->share, *slash = strchr(text, '/');
    char number[24] = "";
    uint64_t i = 0, n = 0;

    if (slash != NULL && (size_t) (slash - text) < sizeof number)
        memcpy(number, text, (size_t) (slash - text));
    if (!units_parse_count(&i, number) || !units_parse_count(&n, slash + 1) ||
        i == 0 || i > n || n > OPTIONS_WORKERS_MAX)
        options_refuse("bad share '%s': it is I/N, 1/4 for example", text);
    if (p->o->part_file == NULL)
        options_refuse("--share needs a --part-file");
    p->share = (struct share){(uint32_t) i - 1, (uint32_t) n};
}

/* What cannot be shared among them; LANES are those of all. */
static void
check_workers(const struct plan *p, uint64_t lanes)
{
    const struct options *o = p->o;
    uint64_t workers = o->workers;

    if (workers == 0 || workers > OPTIONS_WORKERS_MAX)
        options_refuse("bad workers: it is 1 to %d", OPTIONS_WORKERS_MAX);
    if (o->count == OPTIONS_UNSET && o->duration_ns == 0)
        options_refuse("--workers needs an end: -n or -d");
    if (lanes < workers)
        options_refuse("%" PRIu64 " workers need as many operations in flight:"
                       " -c and -n of at least %" PRIu64,
                       workers, workers);
    if (o->output != NULL &&
        (o->verb == VERB_LS || strcmp(o->output, "-") == 0))
        options_refuse("--workers cannot write to one -o '%s'", o->output);
    if (o->progress != NULL && strcmp(o->progress, "none") != 0)
        options_refuse("--workers has no --progress '%s', only none",
                       o->progress);
    if (o->file != NULL && strcmp(o->file, "-") == 0)
        options_refuse("--workers cannot read one standard input: name the "
                       "--file");
}

void
plan_init(struct plan *p, const struct options *o)
{
    *p = (struct plan){.o = o};
    read_targets(p);
    check_options(p);
    plan_read_keys(p);
    if (o->share != NULL)
        read_share(p);
    else if (o->part_file != NULL || o->start_at != NULL)
        options_refuse("--part-file and --start-at need a --share");
    fill_workload(p);
    if (o->workers != OPTIONS_UNSET && o->share == NULL)
        check_workers(p, plan_lanes(p));
}

void
plan_clear(struct plan *p)
{
    free(p->targets);
    free(p->names);
    keys_clear(&p->list);
    keys_clear(&p->versions);
    free(p->turns);
    if (p->workload.pool != NULL)
        pool_clear(&p->pool);
    buf_clear(&p->copies);
    p->workload.pool = NULL;
    p->targets = NULL;
    p->names = NULL;
}
