/* SPDX-License-Identifier: MIT */
/* s3stat slowest: the worst operations, with all that is known of them. */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "record_print.h"
#include "stat_view.h"
#include "version.h"

#define COUNT_MAX 100000
#define LINE_MAX_BYTES (1u << 20)

/* One that is kept, with texts of its own. */
struct slow {
    int64_t ns;
    struct record_view v;
    char *texts; /* owned */
};

struct options {
    struct stat_view view;
    uint64_t count;
    bool response;
    /* the slowest so far: a heap, the least slow one first */
    struct slow *heap;
    size_t kept;
    struct stat_sheet sheet;
    bool begun;
};

#define AT(field) offsetof(struct options, field)

static const struct stat_option rows[] = {
    {STAT_NATURAL, 'n', "count", "N", AT(count), "so many (default 10)", NULL},
    {STAT_FLAG, 0, "response", NULL, AT(response),
     "by response time, since they were due", NULL},
};

static const struct stat_column columns[] = {
    {"service", "service", 7}, {"response", "resp.", 7}, {"start", "start", 9},
    {"connect", "connect", 7}, {"tls", "tls", 7},        {"sent", "sent", 7},
    {"first", "first", 7},     {"body", "body", 7},      {"lane", "lane", 5},
    {"op", "op", -5},          {"key", "key", -20},      {NULL, NULL, 0}};

/* --- the slowest --- */

static int64_t
service_of(const struct record_view *v)
{
    return v->ns[RECORD_TOTAL] != RECORD_NONE
               ? v->ns[RECORD_TOTAL]
               : v->ns[RECORD_END] - v->ns[RECORD_START];
}

static int64_t
response_of(const struct record_view *v)
{
    return v->ns[RECORD_END] - v->ns[RECORD_DUE];
}

/* Whether A is slower than B; of two that are alike, whichever began
 * first, whatever the order in the file. */
static bool
is_slower(int64_t ns, const struct record_view *v, const struct slow *b)
{
    if (ns != b->ns)
        return ns > b->ns;
    if (v->ns[RECORD_START] != b->v.ns[RECORD_START])
        return v->ns[RECORD_START] < b->v.ns[RECORD_START];
    return v->lane < b->v.lane;
}

static bool
comes_first(const struct slow *a, const struct slow *b)
{
    return is_slower(b->ns, &b->v, a);
}

static void
swap(struct slow *a, struct slow *b)
{
    struct slow kept = *a;

    *a = *b;
    *b = kept;
}

static void
sink(struct slow *heap, size_t count, size_t at)
{
    for (;;) {
        size_t least = at, left = 2 * at + 1;

        for (size_t child = left; child < left + 2 && child < count; child++)
            if (comes_first(&heap[child], &heap[least]))
                least = child;
        if (least == at)
            return;
        swap(&heap[at], &heap[least]);
        at = least;
    }
}

static void
rise(struct slow *heap, size_t at)
{
    while (at > 0 && comes_first(&heap[at], &heap[(at - 1) / 2])) {
        swap(&heap[at], &heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

/* Copy V with its texts. */
static int
keep(struct slow *slow, int64_t ns, const struct record_view *v)
{
    struct record_text *texts[] = {
        &slow->v.op,        &slow->v.bucket,   &slow->v.key, &slow->v.code,
        &slow->v.transport, &slow->v.endpoint, &slow->v.host};
    size_t n = 0;
    char *at;

    slow->ns = ns;
    slow->v = *v;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        n += texts[i]->n;
    at = realloc(slow->texts, n + 1);
    if (at == NULL)
        return ENOMEM;
    slow->texts = at;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        memcpy(at, texts[i]->at, texts[i]->n);
        texts[i]->at = at;
        at += texts[i]->n;
    }
    return 0;
}

static int
take(void *ctx, const struct record_view *v)
{
    struct options *o = ctx;
    int64_t ns = o->response ? response_of(v) : service_of(v);
    int err;

    if (o->kept < o->count) {
        err = keep(&o->heap[o->kept], ns, v);
        if (err == 0)
            rise(o->heap, o->kept++);
        return err;
    }
    if (!is_slower(ns, v, &o->heap[0]))
        return 0;
    err = keep(&o->heap[0], ns, v);
    sink(o->heap, o->kept, 0);
    return err;
}

/* --- printing --- */

static void
put_moment(struct stat_sheet *s, int64_t ns)
{
    stat_sheet_time(s, ns == RECORD_NONE || ns == 0 ? NAN : (double) ns);
}

static void
put_people(struct stat_sheet *s, const struct record_view *v)
{
    stat_sheet_time(s, (double) service_of(v));
    stat_sheet_time(s, (double) response_of(v));
    stat_sheet_time(s, (double) v->ns[RECORD_START]);
    put_moment(s, v->ns[RECORD_CONNECT]);
    put_moment(s, v->ns[RECORD_TLS]);
    put_moment(s, v->ns[RECORD_SENT]);
    put_moment(s, v->ns[RECORD_FIRST]);
    put_moment(s, v->ns[RECORD_BODY]);
    stat_sheet_uint(s, v->lane);
    stat_sheet_field(s, v->op.at, v->op.n);
    stat_sheet_field(s, v->key.at, v->key.n);
    stat_sheet_end_row(s);
}

/* The record itself, as a table or as JSON. */
static int
put_record(struct options *o, const struct record_view *v)
{
    struct buf line;
    struct json j;
    int err = 0;

    buf_init(&line, LINE_MAX_BYTES);
    if (!o->view.json && !o->begun) {
        err = buf_addf(&line, "# " RECORD_FORMAT "\n# program: s3stat %s\n",
                       S3PERF_VERSION);
        if (err == 0)
            err = record_add_columns(&line);
    }
    o->begun = true;
    if (err == 0 && o->view.json) {
        json_init(&j, &line);
        json_open(&j, NULL, '{');
        json_string(&j, "format", RECORD_FORMAT);
        record_view_add_json(&j, v);
        json_close(&j, '}');
        err = j.err != 0 ? j.err : buf_addc(&line, '\n');
    } else if (err == 0) {
        err = record_view_add_tsv(&line, v);
    }
    if (err == 0)
        fputs(line.data, stdout);
    buf_clear(&line);
    return err;
}

static int
compare(const void *a, const void *b)
{
    const struct slow *x = a, *y = b;

    return comes_first(x, y) ? 1 : -1;
}

static int
put_all(struct options *o)
{
    int err = 0;

    qsort(o->heap, o->kept, sizeof *o->heap, compare);
    for (size_t i = 0; i < o->kept && err == 0; i++) {
        if (o->view.json || o->view.tsv)
            err = put_record(o, &o->heap[i].v);
        else
            put_people(&o->sheet, &o->heap[i].v);
    }
    return err;
}

static int
end(struct stat_view *view, const struct intake *in)
{
    (void) view;
    (void) in;
    return 0; /* those of all files are looked at together */
}

static int
run(int argc, char **argv)
{
    static const struct stat_view_calls calls = {NULL, take, end};
    struct options o = {.view = STAT_VIEW_DEFAULT, .count = 10};
    int status = stat_view_parse(&o.view, &o, &stat_slowest, argc, argv);
    int err = 0;

    if (status >= 0)
        return status;
    if (o.count > COUNT_MAX)
        return complain(STAT_USAGE, "--count is above %d", COUNT_MAX);
    o.heap = calloc(o.count, sizeof *o.heap);
    if (o.heap == NULL)
        return complain(STAT_USAGE, "no memory");
    stat_sheet_open(&o.sheet, STAT_SHAPE_PEOPLE, "", columns);
    status = stat_view_read(&o.view, &stat_slowest, argv + optind, &calls);
    if (status == 0)
        err = put_all(&o);
    if (err != 0)
        status = complain(STAT_OUTPUT, "cannot print: %s", strerror(err));
    for (size_t i = 0; i < o.kept; i++)
        free(o.heap[i].texts);
    free(o.heap);
    if (o.view.json || o.view.tsv)
        return stat_finish(status);
    return stat_sheet_close(&o.sheet, status);
}

const struct stat_command stat_slowest = {
    .name = "slowest",
    .operands = "FILE...",
    .summary = "the worst operations, with all their moments",
    .text = "Print the slowest of all files, slowest first. --tsv and --json"
            " print the\nrecords themselves.\n",
    .tables = {STAT_TABLE("Which of them", rows, 0),
               STAT_VIEW_TABLES(AT(view))},
    .run = run,
};
