/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tally.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "uri.h"

#define INTERVALS_MAX 16384u
#define MOMENT_NS (INT64_C(1) << 20) /* the narrowest */
#define OTHER_KINDS "(other kinds)"

const char *const tally_time_names[TALLY_TIMES] = {
    "service", "response", "failed", "lookup", "connect",
    "tls",     "sent",     "first",  "body",   "verify"};

int
tally_init(struct tally *t, struct dist_pool *pool, int64_t interval_ns,
           bool light)
{
    *t = (struct tally){.first_start_ns = INT64_MAX,
                        .last_end_ns = INT64_MIN,
                        .min_size = UINT64_MAX};
    for (size_t i = 0; i < TALLY_TIMES; i++)
        dist_init(&t->times[i], pool);
    series_init(&t->intervals, interval_ns, light ? 0 : INTERVALS_MAX, false);
    series_init(&t->moments, MOMENT_NS, light ? 0 : TALLY_MOMENTS, true);
    t->lanes = calloc(TALLY_LANES_MAX / 64, sizeof *t->lanes);
    return t->lanes != NULL ? 0 : ENOMEM;
}

void
tally_clear(struct tally *t)
{
    for (size_t i = 0; i < TALLY_TIMES; i++)
        dist_clear(&t->times[i]);
    for (uint32_t i = 0; i < t->failure_count; i++)
        dist_clear(&t->failures[i].times);
    free(t->failures);
    free(t->lanes);
    series_clear(&t->intervals);
    series_clear(&t->moments);
    memset(t, 0, sizeof *t);
}

/* --- failures --- */

/* T decoded, cut to what fits; "" for none. */
static void
copy_text(char out[TALLY_TEXT_SIZE], struct record_text t)
{
    struct buf decoded;

    *out = '\0';
    if (record_text_is_none(t))
        return;
    buf_init(&decoded, 3 * TALLY_TEXT_SIZE);
    if (t.n > 3 * TALLY_TEXT_SIZE - 3) /* not within an %XX, if it can be */
        t.n = 3 * TALLY_TEXT_SIZE - 3;
    if (uri_decode(&decoded, t.at, t.n, false) == 0)
        snprintf(out, TALLY_TEXT_SIZE, "%s", decoded.data);
    else
        snprintf(out, TALLY_TEXT_SIZE, "%.*s", (int) t.n, t.at);
    buf_clear(&decoded);
}

/* The row of a kind; the last one takes all that find no room. NULL without
 * memory. */
static struct tally_failure *
failure_row(struct tally *t, const struct tally_failure *kind)
{
    struct tally_failure *row = t->failures;
    uint32_t n = t->failure_count;

    for (uint32_t i = 0; i < n; i++, row++)
        if (row->status == kind->status && strcmp(row->code, kind->code) == 0 &&
            strcmp(row->transport, kind->transport) == 0)
            return row;
    if (n == TALLY_FAILURES_MAX)
        return &t->failures[n - 1];
    if (t->failures == NULL)
        t->failures = calloc(TALLY_FAILURES_MAX, sizeof *t->failures);
    if (t->failures == NULL)
        return NULL;
    row = &t->failures[t->failure_count++];
    row->first_ns = INT64_MAX;
    row->last_ns = INT64_MIN;
    dist_init(&row->times, t->times[0].pool);
    if (n == TALLY_FAILURES_MAX - 1) {
        strcpy(row->code, OTHER_KINDS);
        return row;
    }
    row->status = kind->status;
    memcpy(row->code, kind->code, sizeof row->code);
    memcpy(row->transport, kind->transport, sizeof row->transport);
    return row;
}

static struct tally_failure *
count_failure(struct tally *t, const struct tally_failure *kind)
{
    struct tally_failure *row = failure_row(t, kind);

    if (row == NULL)
        return NULL;
    row->count += kind->count;
    if (kind->first_ns < row->first_ns)
        row->first_ns = kind->first_ns;
    if (kind->last_ns > row->last_ns)
        row->last_ns = kind->last_ns;
    return row;
}

static int
add_failure(struct tally *t, const struct record_view *v, int64_t service_ns,
            bool rate, bool latency)
{
    int64_t end_ns = v->ns[RECORD_END];
    struct tally_failure kind = {.status = v->status,
                                 .count = rate,
                                 .first_ns = rate ? end_ns : INT64_MAX,
                                 .last_ns = rate ? end_ns : INT64_MIN};
    struct tally_failure *row;

    copy_text(kind.code, v->code);
    copy_text(kind.transport, v->transport);
    row = count_failure(t, &kind);
    if (row == NULL)
        return ENOMEM;
    t->failed += rate;
    return latency ? dist_add(&row->times, service_ns) : 0;
}

/* --- adding --- */

static int64_t
service_of(const struct record_view *v)
{
    return v->ns[RECORD_TOTAL] != RECORD_NONE
               ? v->ns[RECORD_TOTAL]
               : v->ns[RECORD_END] - v->ns[RECORD_START];
}

/* While all response times are service times, they are kept once. */
static int
add_response(struct tally *t, int64_t response_ns, int64_t service_ns)
{
    int err;

    if (!t->responds && response_ns == service_ns)
        return 0;
    if (!t->responds) {
        t->responds = true;
        err = dist_merge(&t->times[TALLY_RESPONSE], &t->times[TALLY_SERVICE]);
        if (err != 0)
            return err;
    }
    return dist_add(&t->times[TALLY_RESPONSE], response_ns);
}

static int
add_times(struct tally *t, const struct record_view *v, int64_t service_ns)
{
    int err =
        add_response(t, v->ns[RECORD_END] - v->ns[RECORD_DUE], service_ns);

    if (err == 0)
        err = dist_add(&t->times[TALLY_SERVICE], service_ns);
    for (int i = 0; i < 3 && err == 0 && !v->reused; i++)
        /* What was over at once did not happen: plain http has no TLS. */
        if (v->ns[RECORD_LOOKUP + i] > 0)
            err =
                dist_add(&t->times[TALLY_LOOKUP + i], v->ns[RECORD_LOOKUP + i]);
    for (int i = 0; i < 3 && err == 0; i++)
        if (v->ns[RECORD_SENT + i] != RECORD_NONE)
            err = dist_add(&t->times[TALLY_SENT + i], v->ns[RECORD_SENT + i]);
    if (err == 0 && v->ns[RECORD_VERIFY] != RECORD_NONE)
        err = dist_add(&t->times[TALLY_VERIFY], v->ns[RECORD_VERIFY]);
    return err;
}

static void
add_counts(struct tally *t, const struct record_view *v)
{
    t->wire_bytes += v->wire_bytes;
    if (!v->ok)
        return;
    t->ops++;
    t->objects += v->objects;
    t->good_bytes += v->good_bytes;
    t->reused += v->reused;
    if (v->size < t->min_size)
        t->min_size = v->size;
    if (v->size > t->max_size)
        t->max_size = v->size;
}

/* Where the record is, whether or not it succeeded or counts. */
static void
add_place(struct tally *t, const struct record_view *v,
          const struct tally_window *w)
{
    int64_t start = v->ns[RECORD_START], end = v->ns[RECORD_END];
    int64_t from = start > w->from_ns ? start : w->from_ns;
    int64_t to = end < w->to_ns ? end : w->to_ns;

    if (to > from)
        t->residence_ns += (double) (to - from);
    if (start < t->first_start_ns)
        t->first_start_ns = start;
    if (end > t->last_end_ns)
        t->last_end_ns = end;
    if (v->lane < TALLY_LANES_MAX)
        t->lanes[v->lane / 64] |= UINT64_C(1) << v->lane % 64;
}

static bool
is_given_up(const struct record_view *v)
{
    static const char word[] = "cancelled";

    return v->transport.n == sizeof word - 1 &&
           memcmp(v->transport.at, word, sizeof word - 1) == 0;
}

/* What counts for rates, which is what ended inside. */
static int
add_end(struct tally *t, const struct record_view *v, int64_t service_ns)
{
    struct series *both[] = {&t->intervals, &t->moments};
    int err = 0;

    add_counts(t, v);
    for (size_t i = 0; err == 0 && i < 2; i++)
        if (both[i]->most > 0)
            err = series_add(both[i], v->ns[RECORD_END], service_ns, v->ok,
                             v->good_bytes, v->wire_bytes);
    return err;
}

/* What counts for latencies, which is what started inside. */
static int
add_begin(struct tally *t, const struct record_view *v, int64_t service_ns)
{
    return v->ok ? add_times(t, v, service_ns)
                 : dist_add(&t->times[TALLY_FAILED], service_ns);
}

int
tally_add(struct tally *t, const struct record_view *v,
          const struct tally_window *w)
{
    int64_t end = v->ns[RECORD_END], service_ns = service_of(v);
    int64_t begin = v->ns[w->by_due ? RECORD_DUE : RECORD_START];
    bool rate = end >= w->from_ns && end <= w->to_ns;
    bool latency = begin >= w->from_ns && begin < w->to_ns;
    int err = 0;

    add_place(t, v, w);
    t->outside += !rate && !latency;
    t->again += rate && v->attempt > 1;
    if (is_given_up(v)) {
        t->unfinished += latency;
        return 0;
    }
    if (!v->ok && (rate || latency))
        err = add_failure(t, v, service_ns, rate, latency);
    if (err == 0 && rate)
        err = add_end(t, v, service_ns);
    if (err == 0 && latency)
        err = add_begin(t, v, service_ns);
    return err;
}

/* --- merging --- */

static void
merge_counts(struct tally *t, const struct tally *from)
{
    t->ops += from->ops;
    t->failed += from->failed;
    t->again += from->again;
    t->unfinished += from->unfinished;
    t->good_bytes += from->good_bytes;
    t->wire_bytes += from->wire_bytes;
    t->objects += from->objects;
    t->reused += from->reused;
    t->outside += from->outside;
    t->residence_ns += from->residence_ns;
    if (from->first_start_ns < t->first_start_ns)
        t->first_start_ns = from->first_start_ns;
    if (from->last_end_ns > t->last_end_ns)
        t->last_end_ns = from->last_end_ns;
    if (from->min_size < t->min_size)
        t->min_size = from->min_size;
    if (from->max_size > t->max_size)
        t->max_size = from->max_size;
    for (size_t i = 0; i < TALLY_LANES_MAX / 64; i++)
        t->lanes[i] |= from->lanes[i];
}

/* Response times that were not kept apart are from now on. */
static int
part_response(struct tally *t)
{
    if (t->responds)
        return 0;
    t->responds = true;
    return dist_merge(&t->times[TALLY_RESPONSE], &t->times[TALLY_SERVICE]);
}

int
tally_merge(struct tally *t, struct tally *from)
{
    int err = 0;

    if (t->responds != from->responds) {
        err = part_response(t);
        if (err == 0)
            err = part_response(from);
    }
    merge_counts(t, from);
    for (size_t i = 0; i < TALLY_TIMES && err == 0; i++)
        err = dist_merge(&t->times[i], &from->times[i]);
    for (uint32_t i = 0; i < from->failure_count && err == 0; i++) {
        struct tally_failure *row = count_failure(t, &from->failures[i]);

        err = row != NULL ? dist_merge(&row->times, &from->failures[i].times)
                          : ENOMEM;
    }
    if (err == 0)
        err = series_merge(&t->intervals, &from->intervals);
    if (err == 0)
        err = series_merge(&t->moments, &from->moments);
    return err;
}

/* --- asking --- */

uint64_t
tally_errors(const struct tally *t)
{
    return t->failed > t->again ? t->failed - t->again : 0;
}

uint32_t
tally_lanes(const struct tally *t)
{
    uint32_t n = 0;

    for (size_t i = 0; i < TALLY_LANES_MAX / 64; i++)
        n += (uint32_t) __builtin_popcountll(t->lanes[i]);
    return n;
}

struct dist *
tally_times(struct tally *t, enum tally_time which, uint64_t *censored)
{
    bool longer = which == TALLY_SERVICE || which == TALLY_RESPONSE ||
                  which == TALLY_FIRST || which == TALLY_BODY;

    *censored = longer ? t->unfinished : 0;
    if (which == TALLY_RESPONSE && !t->responds)
        which = TALLY_SERVICE;
    return &t->times[which];
}

/* Whether A comes before B; the same whatever came first in the file. */
static bool
comes_before(const struct tally_failure *a, const struct tally_failure *b)
{
    int order;

    if (a->count != b->count)
        return a->count > b->count;
    if (a->status != b->status)
        return a->status < b->status;
    order = strcmp(a->code, b->code);
    return order != 0 ? order < 0 : strcmp(a->transport, b->transport) < 0;
}

void
tally_order_failures(uint32_t order[TALLY_FAILURES_MAX], const struct tally *t)
{
    for (uint32_t i = 0; i < t->failure_count; i++) {
        uint32_t at = i;

        for (; at > 0; at--) {
            if (comes_before(&t->failures[order[at - 1]], &t->failures[i]))
                break;
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}
