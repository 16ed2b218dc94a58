/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stat_result.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "stat_command.h"
#include "units.h"

#define SLOTS (2 * STAT_GROUPS_MAX) /* a power of two */
#define FEW_PER_LANE 10
#define FEW_AT_A_RATE 100

void
stat_result_init(struct stat_result *r, enum stat_by by, int64_t interval_ns)
{
    *r = (struct stat_result){.by = by, .interval_ns = interval_ns};
    dist_pool_init(&r->pool, DIST_POOL_BYTES);
    names_init(&r->ops);
    names_init(&r->others);
}

static void
free_groups(struct stat_group **groups, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tally_clear(&groups[i]->tally);
        free(groups[i]);
    }
    free(groups);
}

void
stat_result_clear(struct stat_result *r)
{
    free_groups(r->ops_groups, r->op_count);
    free_groups(r->parts, r->part_count);
    free(r->slots);
    for (size_t i = 0; i < r->fact_count; i++) {
        free(r->facts[i].name);
        free(r->facts[i].value);
    }
    stat_window_clear(&r->window);
    names_clear(&r->ops);
    names_clear(&r->others);
    stat_result_init(r, r->by, r->interval_ns);
}

/* --- groups --- */

/* Append a new group. */
static int
append(struct stat_result *r, struct stat_group ***groups, size_t *count,
       struct stat_group **out, bool light)
{
    struct stat_group *g;
    int err;

    if (*count == STAT_GROUPS_MAX)
        return E2BIG;
    if (*groups == NULL)
        *groups = calloc(STAT_GROUPS_MAX, sizeof **groups);
    g = *groups != NULL ? calloc(1, sizeof *g) : NULL;
    if (g == NULL)
        return ENOMEM;
    err = tally_init(&g->tally, &r->pool, r->interval_ns, light);
    (*groups)[(*count)++] = g;
    *out = g;
    return err;
}

static int
find_op(struct stat_result *r, struct stat_group **out, uint32_t op)
{
    int err = 0;

    if (op < r->op_count) {
        *out = r->ops_groups[op];
        return 0;
    }
    err = append(r, &r->ops_groups, &r->op_count, out, false);
    if (err == 0)
        (*out)->op = op; /* they come in the order of their numbers */
    return err;
}

static uint32_t
slot_of(uint32_t op, int64_t key)
{
    uint64_t h = (uint64_t) key * UINT64_C(0x9e3779b97f4a7c15) + op;

    return (uint32_t) ((h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 40) %
           SLOTS;
}

static bool
is_part(const struct stat_group *g, uint32_t op, int64_t key)
{
    return g->op == op && g->key == key;
}

static int
find_part(struct stat_result *r, struct stat_group **out, uint32_t op,
          int64_t key)
{
    uint32_t at = slot_of(op, key);
    int err;

    if (r->last != NULL && is_part(r->last, op, key)) {
        *out = r->last;
        return 0;
    }
    if (r->slots == NULL)
        r->slots = calloc(SLOTS, sizeof *r->slots);
    if (r->slots == NULL)
        return ENOMEM;
    while (r->slots[at] != NULL && !is_part(r->slots[at], op, key))
        at = (at + 1) % SLOTS;
    if (r->slots[at] == NULL) {
        err = append(r, &r->parts, &r->part_count, &r->slots[at],
                     r->by == STAT_BY_INTERVAL);
        if (err != 0) {
            r->slots[at] = NULL;
            return err;
        }
        r->slots[at]->op = op;
        r->slots[at]->key = key;
    }
    *out = r->last = r->slots[at];
    return 0;
}

/* Powers of two; 0 is one of its own. */
static int64_t
size_class(uint64_t size)
{
    return size > 0 ? 64 - __builtin_clzll(size) : 0;
}

static int
find_key(struct stat_result *r, int64_t *key, const struct record_view *v)
{
    const struct record_text *text =
        r->by == STAT_BY_HOST ? &v->host : &v->endpoint;
    int64_t end = v->ns[RECORD_END];
    uint32_t number;
    int err;

    switch (r->by) {
    case STAT_BY_SIZE:
        *key = size_class(v->size);
        return 0;
    case STAT_BY_INTERVAL:
        *key = end / r->interval_ns - (end % r->interval_ns < 0);
        return 0;
    default:
        err = names_find(&number, &r->others, text->at, text->n);
        *key = number;
        return err;
    }
}

/* Add V to the part that it belongs to. An interval counts what ended in it,
 * and the times of that. */
static int
add_to_part(struct stat_result *r, const struct record_view *v, uint32_t op)
{
    static const struct tally_window all = {INT64_MIN, INT64_MAX, false};
    const struct tally_window *w = &r->window.bounds;
    int64_t end = v->ns[RECORD_END], key;
    struct stat_group *g;
    int err;

    if (r->by == STAT_BY_INTERVAL && (end < w->from_ns || end > w->to_ns))
        return 0;
    err = find_key(r, &key, v);
    if (err == 0)
        err = find_part(r, &g, op, key);
    if (err != 0)
        return err;
    return tally_add(&g->tally, v, r->by == STAT_BY_INTERVAL ? &all : w);
}

static int
take(void *ctx, const struct record_view *v)
{
    struct stat_result *r = ctx;
    struct stat_group *g;
    uint32_t op;
    int err = names_find(&op, &r->ops, v->op.at, v->op.n);

    if (err == 0)
        err = find_op(r, &g, op);
    if (err == 0)
        err = tally_add(&g->tally, v, &r->window.bounds);
    if (err == 0 && r->by != STAT_BY_NOTHING)
        err = add_to_part(r, v, op);
    return err;
}

/* --- reading --- */

static const struct {
    const char *stage;
    enum tally_time time;
} stages[] = {{"service", TALLY_SERVICE}, {"response", TALLY_RESPONSE},
              {"failed", TALLY_FAILED},   {"lookup", TALLY_LOOKUP},
              {"connect", TALLY_CONNECT}, {"tls", TALLY_TLS},
              {"sent", TALLY_SENT},       {"first", TALLY_FIRST},
              {"body", TALLY_BODY}};

/* Add one histogram of a file of them. */
static int
add_histogram(struct stat_result *r, const struct histogram *h,
              const struct histogram_label *label)
{
    struct stat_group *g;
    uint32_t op;
    int err = names_find(&op, &r->ops, label->op, strlen(label->op));

    if (err == 0)
        err = find_op(r, &g, op);
    for (size_t i = 0; err == 0 && i < sizeof stages / sizeof *stages; i++) {
        if (strcmp(stages[i].stage, label->stage) != 0)
            continue;
        g->tally.responds = true;
        if (stages[i].time == TALLY_SERVICE)
            g->tally.ops += h->count;
        if (stages[i].time == TALLY_FAILED)
            g->tally.failed += h->count;
        return dist_add_histogram(&g->tally.times[stages[i].time], h);
    }
    return err;
}

static int
read_histograms(struct stat_result *r, struct intake *in)
{
    struct histogram_label label;
    struct histogram h = {.counts = calloc(histogram_buckets(HISTOGRAM_SUB_OPS),
                                           sizeof *h.counts)};
    enum intake_got got = INTAKE_ONE;
    int err = h.counts != NULL ? 0 : ENOMEM;

    r->timed = false;
    while (err == 0 && got == INTAKE_ONE) {
        got = intake_histogram(in, &h, &label);
        if (got == INTAKE_ONE)
            err = add_histogram(r, &h, &label);
    }
    free(h.counts);
    if (err != 0)
        return complain(STAT_USAGE, "%s: %s", in->name, strerror(err));
    return got == INTAKE_BAD ? STAT_USAGE : 0;
}

/* The head of the first file is that of the result. */
static void
take_facts(struct stat_result *r, struct intake *in)
{
    if (r->fact_count > 0)
        return;
    memcpy(r->facts, in->facts, sizeof r->facts);
    r->fact_count = in->fact_count;
    in->fact_count = 0;
}

static int
read_open(struct stat_result *r, struct intake *in, const char *path,
          bool parts, const struct filter *filter,
          const struct stat_window_asked *asked)
{
    struct stat_window_asked wanted = *asked;
    struct stat_window window;
    int status;

    if (r->name != NULL && r->format != in->format)
        return complain(STAT_USAGE, "%s: is of another format than %s",
                        in->name, r->name);
    r->format = in->format;
    if (in->format == INTAKE_HIST) {
        if (r->name == NULL)
            r->name = in->name;
        return read_histograms(r, in);
    }
    if (in->format == INTAKE_CELLS)
        return complain(STAT_USAGE, "%s: is a table of cells, not of records",
                        in->name);
    r->timed = true;
    if (parts && asked->from_ns == INT64_MIN && asked->to_ns == INT64_MAX)
        wanted.whole = true;
    status = stat_window_find(&window, in, path, &wanted);
    if (parts)
        window.concurrency += r->window.concurrency;
    stat_window_clear(&r->window);
    r->window = window;
    if (r->name == NULL)
        r->name = in->name;
    take_facts(r, in);
    return status != 0 ? status
                       : stat_select_records(in, filter, &r->window, take, r);
}

int
stat_result_read(struct stat_result *r, const char *path, bool parts,
                 const struct filter *filter,
                 const struct stat_window_asked *asked)
{
    struct intake in;
    int status = intake_open(&in, path);

    if (status == 0)
        status = read_open(r, &in, path, parts, filter, asked);
    intake_close(&in);
    return status;
}

/* --- order --- */

static void
label_size(struct stat_group *g)
{
    uint64_t low = g->key > 0 ? UINT64_C(1) << (g->key - 1) : 0;
    char from[UNITS_TEXT_SIZE], to[UNITS_TEXT_SIZE];
    const struct tally *t = &g->tally;

    units_format_size(from, (double) low);
    units_format_size(to, (double) low * 2);
    if (t->ops > 0 && t->min_size == t->max_size)
        units_format_size(from, (double) t->min_size);
    if (low == 0 || (t->ops > 0 && t->min_size == t->max_size))
        snprintf(g->label, sizeof g->label, "%s", from);
    else
        snprintf(g->label, sizeof g->label, "%s to %s", from, to);
}

static void
label(const struct stat_result *r, struct stat_group *g)
{
    double at_s = (double) g->key * (double) r->interval_ns / 1e9;

    if (r->by == STAT_BY_SIZE)
        label_size(g);
    else if (r->by == STAT_BY_INTERVAL)
        snprintf(g->label, sizeof g->label, "%.3f s", at_s);
    else
        snprintf(g->label, sizeof g->label, "%s", r->others.texts[g->key]);
}

static int
compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Operations by their first start, then by name. */
static int
compare_ops(const void *a, const void *b, void *ctx)
{
    const struct stat_group *x = *(struct stat_group *const *) a;
    const struct stat_group *y = *(struct stat_group *const *) b;
    const struct stat_result *r = ctx;
    int order =
        compare_numbers(x->tally.first_start_ns, y->tally.first_start_ns);

    return order != 0 ? order
                      : strcmp(r->ops.texts[x->op], r->ops.texts[y->op]);
}

/* Parts by operation, then by number or, hosts and endpoints, by name. */
static int
compare_parts(const void *a, const void *b, void *ctx)
{
    const struct stat_group *x = *(struct stat_group *const *) a;
    const struct stat_group *y = *(struct stat_group *const *) b;
    const struct stat_result *r = ctx;
    const struct stat_group *whole_x = stat_result_whole(r, x);
    const struct stat_group *whole_y = stat_result_whole(r, y);
    int order = whole_x != whole_y ? compare_ops(&whole_x, &whole_y, ctx) : 0;

    if (order != 0)
        return order;
    if (r->by == STAT_BY_HOST || r->by == STAT_BY_ENDPOINT)
        return strcmp(x->label, y->label);
    return compare_numbers(x->key, y->key);
}

void
stat_result_finish(struct stat_result *r)
{
    for (uint32_t i = 0; i < r->ops.count; i++)
        complain_clean(r->ops.texts[i]);
    for (uint32_t i = 0; i < r->others.count; i++)
        complain_clean(r->others.texts[i]);
    for (size_t i = 0; i < r->part_count; i++)
        label(r, r->parts[i]);
    if (r->part_count > 0)
        qsort_r(r->parts, r->part_count, sizeof *r->parts, compare_parts, r);
    if (r->op_count > 0)
        qsort_r(r->ops_groups, r->op_count, sizeof *r->ops_groups, compare_ops,
                r);
}

/* --- asking --- */

const char *
stat_result_fact(const struct stat_result *r, const char *name)
{
    for (size_t i = 0; i < r->fact_count; i++)
        if (strcmp(r->facts[i].name, name) == 0)
            return r->facts[i].value;
    return NULL;
}

const char *
stat_result_op(const struct stat_result *r, const struct stat_group *g)
{
    return r->ops.texts[g->op];
}

const struct stat_group *
stat_result_whole(const struct stat_result *r, const struct stat_group *g)
{
    size_t i = 0;

    while (i + 1 < r->op_count && r->ops_groups[i]->op != g->op)
        i++;
    return r->ops_groups[i];
}

void
stat_result_window(int64_t *from_ns, int64_t *to_ns,
                   const struct stat_result *r, const struct stat_group *g)
{
    const struct stat_group *whole = stat_result_whole(r, g);
    int64_t from;

    stat_window_ends(from_ns, to_ns, &r->window, &whole->tally);
    if (r->by != STAT_BY_INTERVAL || g == whole)
        return;
    from = g->key * r->interval_ns;
    if (from > *from_ns)
        *from_ns = from;
    if (from + r->interval_ns < *to_ns)
        *to_ns = from + r->interval_ns;
    if (*to_ns < *from_ns)
        *to_ns = *from_ns;
}

double
stat_result_window_s(const struct stat_result *r, const struct stat_group *g)
{
    int64_t from, to;

    if (!r->timed)
        return 0;
    stat_result_window(&from, &to, r, g);
    return (double) (to - from) / 1e9;
}

double
stat_result_rate(const struct stat_result *r, const struct stat_group *g,
                 double n)
{
    double window = stat_result_window_s(r, g);

    return window > 0 ? n / window : NAN;
}

uint64_t
stat_result_lanes(const struct stat_result *r, const struct stat_group *g)
{
    return r->window.concurrency > 0 ? r->window.concurrency
                                     : tally_lanes(&g->tally);
}

bool
stat_result_is_few(const struct stat_result *r, const struct stat_group *g)
{
    if (!r->timed)
        return false;
    if (r->window.rate_per_s > 0)
        return g->tally.ops < FEW_AT_A_RATE;
    return g->tally.ops < FEW_PER_LANE * stat_result_lanes(r, g);
}
