/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "worker.h"

#include <errno.h>
#include <stdlib.h>

#include "clock.h"
#include "worker_parts.h"

#define TOKEN_MAX 65536
#define PROCESS_SEED UINT64_C(0xd1342543de82ef95) /* sets seeds apart */
#define PAGE_MAX ((size_t) 16 << 20) /* lines of a listing's page */

/* --- after the clock has stopped --- */

/* Compare and write the bodies that were kept, then hand on the records. */
static void
replay(struct worker *w)
{
    const struct worker_config *c = w->config;
    const struct sink *sink = c->ops[0].sink;
    struct worker_lane *lane = &w->lanes[0];

    for (size_t i = 0; i < w->kept_count; i++) {
        struct worker_kept *kept = &w->kept[i];

        worker_note(&w->err,
                    workload_name(c->workload, kept->index, &lane->name));
        if (kept->record.ok) {
            sink_replay(&lane->sink, kept->index, &lane->name, kept->offset,
                        kept->record.good_bytes);
            worker_note(&w->write_err, lane->sink.err);
            if (sink->verify)
                kept->record.verify_ns =
                    lane->sink.verify_ns +
                    (kept->record.verify_ns > 0 ? kept->record.verify_ns : 0);
            worker_blame_difference(&kept->record, &lane->sink, kept->message,
                                    sizeof kept->message);
        }
        worker_emit(w, &kept->record, kept->index, kept->message, true);
    }
}

/* Write copies of what was uploaded. */
static void
write_copies(struct worker *w)
{
    const struct worker_config *c = w->config;
    struct worker_lane *lane = &w->lanes[0];

    for (uint64_t i = 0; i < workload_given(c->workload) && w->write_err == 0;
         i++) {
        uint64_t identity = workload_identity(c->workload, i);

        worker_note(&w->err, workload_name(c->workload, i, &lane->name));
        w->write_err = sink_write_generated(
            &lane->sink, &lane->name, workload_size(c->workload, identity));
    }
}

/* --- set-up --- */

/* What operations of the kind OP need beside the request. */
static int
equip_lane(struct worker_lane *lane, const struct worker_op *op)
{
    struct worker *w = lane->w;

    if (op->sink != NULL)
        sink_body_init(&lane->sink, op->sink, w->payload);
    if (op->source != NULL)
        return source_body_init(&lane->body, op->source, w->payload);
    if (op->spec.op == REQUEST_DELETE_MANY) {
        lane->keys = calloc(w->config->workload->per_item, sizeof *lane->keys);
        lane->versions =
            calloc(w->config->workload->per_item, sizeof *lane->versions);
        return lane->keys == NULL || lane->versions == NULL ? ENOMEM : 0;
    }
    return 0;
}

static int
init_lane(struct worker *w, struct worker_lane *lane)
{
    const struct worker_config *c = w->config;
    int err;

    lane->w = w;
    buf_init(&lane->name, WORKLOAD_NAME_ROOM);
    buf_init(&lane->batch, (size_t) REQUEST_BATCH_MAX * WORKLOAD_NAME_ROOM);
    buf_init(&lane->source_key, WORKLOAD_NAME_ROOM);
    buf_init(&lane->token, TOKEN_MAX);
    buf_init(&lane->seen_token, TOKEN_MAX);
    buf_init(&lane->page, PAGE_MAX);
    retry_init(&lane->backoff, c->seed,
               worker_lane_number(w, (size_t) (lane - w->lanes)));
    err = request_init(&lane->request);
    if (err == 0)
        err = buf_reserve(&lane->name, 128);
    for (uint32_t i = 0; err == 0 && i < c->op_count; i++)
        err = equip_lane(lane, &c->ops[i]);
    worker_choose_op(lane, &c->ops[0]);
    return err;
}

static void
clear_lane(struct worker_lane *lane)
{
    request_clear(&lane->request);
    source_body_clear(&lane->body);
    sink_body_clear(&lane->sink);
    buf_clear(&lane->name);
    buf_clear(&lane->batch);
    buf_clear(&lane->source_key);
    buf_clear(&lane->token);
    buf_clear(&lane->seen_token);
    buf_clear(&lane->page);
    free(lane->keys);
    free(lane->versions);
}

static int
init_lanes(struct worker *w)
{
    const struct worker_config *c = w->config;
    int err = 0;

    w->lanes = calloc(w->lane_count, sizeof *w->lanes);
    if (w->lanes == NULL)
        return ENOMEM;
    for (size_t i = 0; err == 0 && i < w->lane_count; i++)
        err = init_lane(w, &w->lanes[i]);
    if (err == 0 && c->ops[0].sink != NULL &&
        c->ops[0].sink->mode == SINK_KEEP) {
        w->kept = calloc((size_t) c->workload->count, sizeof *w->kept);
        err = w->kept == NULL ? ENOMEM : 0;
    }
    return err;
}

static int
init_makers(struct worker *w)
{
    const struct worker_config *c = w->config;
    int err = 0;

    w->makers = calloc(c->service_count, sizeof *w->makers);
    if (w->makers == NULL)
        return ENOMEM;
    for (uint32_t i = 0; err == 0 && i < c->service_count; i++)
        err = request_maker_init(&w->makers[i], c->services[i]);
    return err;
}

static int
init(struct worker *w, const struct report_asked *asked)
{
    const struct worker_config *c = w->config;
    int err = report_init(&w->whole, asked);

    if (err == 0)
        err = report_init(&w->inside, asked);
    if (err == 0)
        err = interval_init(&w->intervals, c->interval_ns);
    if (err == 0)
        err = init_makers(w);
    if (err == 0)
        err = payload_new(&w->payload, c->style, c->seed);
    if (err == 0)
        err = init_lanes(w);
    w->stats.lag = &w->whole.lag;
    return err;
}

void
worker_free(struct worker *w)
{
    if (w == NULL)
        return;
    for (size_t i = 0; w->lanes != NULL && i < w->lane_count; i++)
        if (w->lanes[i].w != NULL)
            clear_lane(&w->lanes[i]);
    free(w->lanes);
    free(w->kept);
    report_clear(&w->whole);
    report_clear(&w->inside);
    interval_clear(&w->intervals);
    payload_free(w->payload);
    for (uint32_t i = 0; w->makers != NULL && i < w->config->service_count; i++)
        request_maker_clear(&w->makers[i]);
    free(w->makers);
    free(w);
}

int
worker_new(struct worker **out, const struct worker_config *config,
           const struct report_asked *asked, uint32_t part)
{
    struct worker *w = calloc(1, sizeof *w);
    size_t lanes = config->engine.lanes;
    int err;

    if (w == NULL)
        return ENOMEM;
    w->config = config;
    w->part = part;
    w->first_lane = lanes * part / config->parts;
    w->lane_count = lanes * (part + 1) / config->parts - w->first_lane;
    err = init(w, asked);
    if (err != 0) {
        worker_free(w);
        return err;
    }
    *out = w;
    return 0;
}

int
worker_run(struct worker *w)
{
    const struct worker_config *c = w->config;
    const struct engine_job job = {.ctx = w,
                                   .prepare = worker_on_prepare,
                                   .start = worker_on_start,
                                   .done = worker_on_done};
    struct engine_config engine = c->engine;
    int err;

    engine.all_lanes = engine.lanes;
    engine.first_lane = w->first_lane;
    engine.lanes = w->lane_count;
    engine.window = c->window;
    if (c->rate_per_s > 0) {
        pace_init(&w->pace, c->arrivals, c->rate_per_s, w->part, c->parts,
                  c->seed + c->share.number * PROCESS_SEED,
                  c->window->begin_ns + c->pace_shift_ns);
        engine.pace = &w->pace;
    }
    interval_begin(&w->intervals, c->window->begin_ns);
    w->books.changed_ns = c->window->begin_ns;
    err = engine_run(&engine, c->transport, &job, &w->stats);
    worker_count_waiting(w);
    return w->err != 0 ? w->err : err;
}

void
worker_settle(struct worker *w)
{
    const struct worker_op *op = &w->config->ops[0];

    if (op->spec.op == REQUEST_GET)
        replay(w);
    if (op->spec.op == REQUEST_PUT && op->sink != NULL && w->part == 0)
        write_copies(w);
}

void
worker_report(struct worker *w, struct report *out, bool whole)
{
    struct report *r = whole ? &w->whole : &w->inside;

    r->books = w->books;
    if (whole) {
        r->books.flight_ns = w->books.whole_flight_ns;
        r->books.residence_ns = w->books.whole_residence_ns;
    } else {
        /* These have no window. */
        histogram_merge(&r->lag, &w->whole.lag);
        r->entries = w->whole.entries;
        r->verified = w->whole.verified;
        r->mismatched = w->whole.mismatched;
        r->verify_ns = w->whole.verify_ns;
    }
    r->late_hashes = 0;
    for (size_t i = 0; i < w->lane_count; i++)
        r->late_hashes += w->lanes[i].body.late_hashes;
    r->due = w->stats.due;
    r->started = w->stats.started;
    if (w->config->rate_per_s > 0 && r->due > r->started)
        r->unstarted = r->due - r->started;
    r->rate_missed = w->config->rate_per_s > 0 &&
                     engine_missed_rate(&w->stats, w->config->window);
    r->loop_ran_ns = w->stats.ran_ns;
    r->loop_waited_ns = w->stats.waited_ns;
    r->tls = w->stats.tls;
    r->retransmits = w->stats.retransmits;
    r->tcp_bytes = w->stats.tcp_bytes;
    r->tcp_segments = w->stats.tcp_segments;
    r->kernel_bytes = w->stats.kernel_bytes;
    report_merge(out, r);
}

int
worker_write_err(const struct worker *w)
{
    return w->write_err;
}

struct interval_table *
worker_intervals(struct worker *w)
{
    return &w->intervals;
}
