/* SPDX-License-Identifier: MIT */
/* s3stat stages: what the time of operations goes to, step by step. */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <string.h>

#include "names.h"
#include "stat_view.h"

#define FORMAT "s3perf-stages 1"
#define OPS_MAX 64

/* Steps lie between moments; each ends with one. */
enum step {
    STEP_LOOKUP,
    STEP_CONNECT,
    STEP_TLS,
    STEP_SEND,
    STEP_WAIT,
    STEP_HEAD,
    STEP_RECEIVE,
    STEPS
};

static const struct {
    const char *name;
    enum record_column end;
} steps[STEPS] = {
    [STEP_LOOKUP] = {"lookup", RECORD_LOOKUP},
    [STEP_CONNECT] = {"connect", RECORD_CONNECT},
    [STEP_TLS] = {"tls", RECORD_TLS},
    [STEP_SEND] = {"send", RECORD_SENT},
    [STEP_WAIT] = {"wait", RECORD_FIRST},
    [STEP_HEAD] = {"head", RECORD_BODY},
    [STEP_RECEIVE] = {"receive", RECORD_TOTAL},
};

struct op {
    struct dist dists[STEPS];
    double total_ns; /* of all operations */
    uint64_t count;
};

struct options {
    struct stat_view view;
    struct names names;
    struct dist_pool pool;
    struct op ops[OPS_MAX];
    struct stat_sheet sheet;
};

#define AT(field) offsetof(struct options, field)

static const struct stat_column columns[] = {
    {"file", NULL, 0},    {"op", "op", -8},      {"step", "step", -8},
    {"count", "ops", 9},  {"share", "share", 6}, {"mean_us", "mean", 8},
    {"min_us", NULL, 0},  {"p50_us", "p50", 8},  {"p90_us", "p90", 8},
    {"p99_us", "p99", 8}, {"max_us", "max", 8},  {NULL, NULL, 0}};

/* The steps of one operation: they add up to its time, since a moment that
 * comes before the one in front of it (an answer while the request is still
 * being sent) ends no step later than that. */
static int
add_steps(struct op *op, const struct record_view *v)
{
    int64_t total = v->ns[RECORD_TOTAL] != RECORD_NONE
                        ? v->ns[RECORD_TOTAL]
                        : v->ns[RECORD_END] - v->ns[RECORD_START];
    int64_t before = 0;
    int err = 0;

    op->count++;
    op->total_ns += (double) total;
    for (size_t i = 0; i < STEPS && err == 0; i++) {
        int64_t ns = i == STEP_RECEIVE ? total : v->ns[steps[i].end];

        if (ns == RECORD_NONE || (i <= STEP_TLS && (v->reused || ns == 0)))
            continue; /* it did not happen */
        if (ns > total)
            ns = total;
        err = dist_add(&op->dists[i], ns > before ? ns - before : 0);
        before = ns > before ? ns : before;
    }
    return err;
}

static int
take(void *ctx, const struct record_view *v)
{
    struct options *o = ctx;
    uint32_t op;

    if (!v->ok)
        return 0;
    if (names_find(&op, &o->names, v->op.at, v->op.n) != 0 || op >= OPS_MAX)
        return E2BIG;
    return add_steps(&o->ops[op], v);
}

static int
begin(struct stat_view *view, const struct intake *in)
{
    struct options *o = (struct options *) view;

    (void) in;
    for (size_t op = 0; op < OPS_MAX; op++) {
        for (size_t i = 0; i < STEPS; i++)
            dist_init(&o->ops[op].dists[i], &o->pool);
        o->ops[op].total_ns = 0;
        o->ops[op].count = 0;
    }
    return 0;
}

static void
put_step(struct options *o, const struct intake *in, uint32_t op, size_t i)
{
    struct dist *d = &o->ops[op].dists[i];
    double share = dist_mean(d) * (double) d->count / o->ops[op].total_ns;
    struct stat_sheet *s = &o->sheet;

    stat_sheet_text(s, in->name);
    stat_sheet_field(s, o->names.texts[op], strlen(o->names.texts[op]));
    stat_sheet_text(s, steps[i].name);
    stat_sheet_uint(s, d->count);
    stat_sheet_share(s, share);
    stat_sheet_time(s, dist_mean(d));
    stat_sheet_time(s, (double) d->min_ns);
    stat_sheet_percentile(s, d, 0, 0.5);
    stat_sheet_percentile(s, d, 0, 0.9);
    stat_sheet_percentile(s, d, 0, 0.99);
    stat_sheet_time(s, (double) d->max_ns);
    stat_sheet_end_row(s);
}

static void
clear(struct options *o)
{
    for (size_t op = 0; op < OPS_MAX; op++)
        for (size_t i = 0; i < STEPS; i++)
            dist_clear(&o->ops[op].dists[i]);
    names_clear(&o->names);
}

static int
end(struct stat_view *view, const struct intake *in)
{
    struct options *o = (struct options *) view;
    uint32_t order[NAMES_MAX];

    names_order(order, &o->names);
    for (uint32_t k = 0; k < o->names.count; k++)
        for (size_t i = 0; i < STEPS; i++)
            if (o->ops[order[k]].dists[i].count > 0)
                put_step(o, in, order[k], i);
    clear(o);
    dist_pool_init(&o->pool, DIST_POOL_BYTES);
    return 0;
}

static int
run(int argc, char **argv)
{
    static const struct stat_view_calls calls = {begin, take, end};
    struct options o = {.view = STAT_VIEW_DEFAULT};
    int status = stat_view_parse(&o.view, &o, &stat_stages, argc, argv);

    if (status >= 0)
        return status;
    dist_pool_init(&o.pool, DIST_POOL_BYTES);
    stat_sheet_open(&o.sheet, stat_view_shape(&o.view), FORMAT, columns);
    status = stat_view_read(&o.view, &stat_stages, argv + optind, &calls);
    clear(&o);
    return stat_sheet_close(&o.sheet, status);
}

const struct stat_command stat_stages = {
    .name = "stages",
    .operands = "FILE...",
    .summary = "what the time of operations goes to, step by step",
    .text = "The steps of an operation follow each other and add up to its"
            " time: looking\nup the name, connecting, TLS, sending the"
            " request, waiting for the first byte\nof the answer, its head,"
            " receiving the rest. Only successes count.\n",
    .tables = {STAT_VIEW_TABLES(AT(view))},
    .run = run,
};
