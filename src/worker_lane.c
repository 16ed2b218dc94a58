/* SPDX-License-Identifier: MIT */
/* A lane's life: prepared, started, done. */
#include "config.h"

#include "worker_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

size_t
worker_lane_number(const struct worker *w, size_t index)
{
    return (size_t) share_index(&w->config->share, w->first_lane + index);
}

void
worker_note(int *first, int err)
{
    if (*first == 0)
        *first = err;
}

/* --- prepare: what comes next on a lane --- */

/* Collect the keys of a DeleteObjects call. */
static int
prepare_batch(struct worker_lane *lane)
{
    const struct worker_config *c = lane->w->config;
    struct buf one;
    size_t at = 0;
    int err = 0;

    buf_init(&one, WORKLOAD_NAME_ROOM);
    buf_reset(&lane->batch);
    for (uint32_t i = 0; err == 0 && i < lane->item.names; i++) {
        err = workload_name(c->workload, lane->item.first + i, &one);
        if (err == 0)
            err = buf_add(&lane->batch, one.data, one.len + 1);
    }
    for (uint32_t i = 0; err == 0 && i < lane->item.names; i++) {
        lane->keys[i] = lane->batch.data + at;
        lane->versions[i] = workload_version(c->workload, lane->item.first + i);
        at += strlen(lane->keys[i]) + 1;
    }
    lane->spec.keys = lane->keys;
    if (c->workload->versions != NULL)
        lane->spec.versions = lane->versions;
    lane->spec.key_count = lane->item.names;
    buf_clear(&one);
    return err;
}

/* An operation, or a further page, begins. */
static void
begin_attempts(struct worker_lane *lane)
{
    lane->attempt = 1;
    lane->retried = lane->mended = 0;
    lane->repairs = 0;
}

void
worker_choose_op(struct worker_lane *lane, const struct worker_op *op)
{
    struct request_spec *spec = &lane->spec;

    if (lane->op == op)
        return;
    lane->op = op;
    *spec = op->spec;
    spec->key = "";
    if (request_is_listing(spec->op)) {
        spec->on_entry = worker_on_entry;
        spec->ctx = lane;
    } else if (spec->op == REQUEST_GET && op->sink != NULL &&
               op->sink->mode != SINK_COUNT) {
        spec->on_data = sink_take;
        spec->ctx = &lane->sink;
    }
    if (op->source != NULL) {
        spec->read = source_read;
        spec->read_ctx = &lane->body;
    }
}

/* The names that LANE's operation is about. */
static int
prepare_names(struct worker_lane *lane)
{
    const struct workload *workload = lane->w->config->workload;
    const struct worker_op *op = lane->op;
    int err = workload_name(workload, lane->item.first, &lane->name);

    if (err == 0 && op->spec.op == REQUEST_DELETE_MANY)
        err = prepare_batch(lane);
    else if (workload->versions != NULL)
        lane->spec.version_id = workload_version(workload, lane->item.first);
    if (err == 0 && op->spec.op == REQUEST_COPY) {
        err = workload_name_after(workload, lane->item.first,
                                  op->spec.source.key, &lane->source_key);
        lane->spec.source.key = lane->source_key.data;
    }
    return err;
}

/* The body that goes, and where one that comes is taken. Returns false when
 * what goes is not ready yet. */
static bool
prepare_bodies(struct worker_lane *lane)
{
    const struct worker_op *op = lane->op;
    const struct workload_item *item = &lane->item;
    const struct workload *workload = lane->w->config->workload;
    uint64_t appended;

    if (!workload_is_turn(workload, item, &appended))
        return false;
    if (op->source != NULL) {
        if (!source_prepare(&lane->body, op->source, workload, item,
                            &lane->name))
            return false;
        lane->spec.body = source_bytes(&lane->body, op->source);
        lane->spec.body_len = lane->body.size;
        lane->spec.body_hash = lane->body.digests.hash;
        lane->spec.body_sum = lane->body.digests.sum;
        lane->spec.append_offset =
            op->spec.append_offset + appended * lane->body.size;
    }
    lane->spec.expect_len = item->size;
    if (op->spec.op != REQUEST_GET)
        return true;
    lane->spec.range_offset = item->offset;
    lane->spec.range_len = item->length;
    if (op->sink != NULL)
        sink_prepare(&lane->sink, item->first, &lane->name, item->offset);
    return true;
}

enum engine_offer
worker_on_prepare(void *ctx, size_t index)
{
    struct worker *w = ctx;
    const struct worker_config *c = w->config;
    struct worker_lane *lane = &w->lanes[index];

    if (lane->waits) {
        lane->waits = !prepare_bodies(lane);
        return lane->waits ? ENGINE_NOT_YET : ENGINE_READY;
    }
    if (!workload_next(c->workload, &lane->item))
        return ENGINE_NOTHING;
    worker_choose_op(lane, &c->ops[lane->item.op]);
    lane->spec.op = lane->op->spec.op; /* which steps have changed */
    lane->slices[REPORT_BY_OPERATION] = lane->op->slice;
    lane->slices[REPORT_BY_SIZE] = lane->item.slice;
    worker_note(&w->err, prepare_names(lane));
    begin_attempts(lane);
    buf_reset(&lane->token);
    buf_reset(&lane->seen_token);
    lane->pages = lane->empty_pages = 0;
    lane->waits = !prepare_bodies(lane);
    return lane->waits ? ENGINE_NOT_YET : ENGINE_READY;
}

/* --- start: sign it --- */

static void
on_wire(void *ctx, size_t n)
{
    struct worker *w = ctx;

    interval_wire(&w->intervals, clock_now_ns(), n);
}

struct exchange *
worker_on_start(void *ctx, size_t index, int64_t due_ns, int64_t start_ns)
{
    struct worker *w = ctx;
    struct worker_lane *lane = &w->lanes[index];
    struct request_spec *spec = &lane->spec;

    /* A further attempt was due with the first; a further page is an
     * operation of its own. */
    if (lane->attempt == 1)
        lane->due_ns = lane->pages > 0 ? start_ns : due_ns;
    lane->goes_on = false;
    lane->start_ns = start_ns;
    if (!lane->resends)
        lane->taken_ns = start_ns;
    lane->resends = false;
    window_take_up(&w->books, w->config->window, start_ns);
    interval_take_up(&w->intervals, start_ns);
    if (lane->op->names_are_buckets)
        spec->bucket = lane->name.data;
    else if (spec->op != REQUEST_DELETE_MANY)
        spec->key = lane->name.data;
    spec->token = lane->token.data;
    worker_take_endpoint(lane);
    worker_choose_route(lane);
    if (w->err == 0)
        w->err =
            request_build(&lane->request, &w->makers[lane->endpoint->service],
                          spec, repair_wall(w->config->repair));
    lane->request.x.on_wire = on_wire;
    lane->request.x.wire_ctx = w;
    return w->err == 0 ? &lane->request.x : NULL;
}

/* --- done: what came of it --- */

static int64_t
since(int64_t moment_ns, int64_t origin_ns)
{
    return moment_ns == EXCHANGE_NONE ? RECORD_NONE : moment_ns - origin_ns;
}

/* Of what was put, or asked for, or of the object that was asked about. */
static uint64_t
object_size(const struct worker_lane *lane, const struct request_outcome *o)
{
    const struct request_spec *spec = &lane->spec;
    const struct exchange *x = &lane->request.x;

    if (lane->op->source != NULL)
        return spec->body_len;
    if (spec->op == REQUEST_GET && lane->request.expect_len != UINT64_MAX)
        return lane->request.expect_len;
    if (!o->ok)
        return 0;
    if (spec->op == REQUEST_GET)
        return x->received_bytes;
    if (spec->op == REQUEST_HEAD && x->promised_bytes > 0)
        return (uint64_t) x->promised_bytes;
    return 0;
}

void
worker_fill_record(struct record *r, const struct worker_lane *lane,
                   const struct request_outcome *o)
{
    const struct worker_config *c = lane->w->config;
    const struct exchange *x = &lane->request.x;
    int64_t origin = c->window->begin_ns, start = lane->taken_ns;

    *r = (struct record){
        .due_ns = lane->due_ns - origin,
        .start_ns = start - origin,
        .end_ns = x->end_ns - origin,
        .lookup_ns = x->reused ? 0 : since(x->lookup_ns, start),
        .connect_ns = x->reused ? 0 : since(x->connect_ns, start),
        .tls_ns = x->reused && lane->endpoint->endpoint->tls
                      ? 0
                      : since(x->tls_ns, start),
        .sent_ns = since(x->sent_ns, start),
        .first_ns = since(x->first_ns, start),
        .body_ns = since(x->body_ns, start),
        .total_ns = x->end_ns - start,
        .verify_ns = lane->request.check.done ? lane->request.check.took_ns
                                              : RECORD_NONE,
        .op = lane->request.op == REQUEST_SET_VERSIONING ? "versioning"
                                                         : lane->op->name,
        .bucket = lane->spec.bucket,
        .key = lane->spec.key,
        .wire_bytes = x->sent_bytes + x->received_bytes,
        .status = o->status,
        .transport = o->transport,
        .attempt = lane->attempt,
        .reused = x->reused,
        .lane = (uint32_t) worker_lane_number(lane->w,
                                              (size_t) (lane - lane->w->lanes)),
        .endpoint = lane->label,
        .host = c->host_name,
        .ok = o->ok,
    };
    memcpy(r->slices, lane->slices, sizeof r->slices);
    strncpy(r->code, o->code, sizeof r->code - 1);
    r->size = object_size(lane, o);
    if (o->ok && (lane->op->source != NULL || lane->spec.op == REQUEST_GET))
        r->good_bytes = r->size;
}

/* A body that was compared and differs makes its operation a failure. */
void
worker_blame_difference(struct record *r, const struct sink_body *sink,
                        char *message, size_t size)
{
    if (!r->ok || sink->differs_at == UINT64_MAX)
        return;
    r->ok = false;
    r->good_bytes = 0;
    r->transport = "mismatch";
    snprintf(message, size, "content differs at byte %" PRIu64,
             sink->differs_at);
}

static void
count_verified(struct report *report, const struct record *r)
{
    if (r->verify_ns == RECORD_NONE)
        return;
    report->verify_ns += (uint64_t) r->verify_ns;
    if (r->ok)
        report->verified++;
    else if (r->transport != NULL && strcmp(r->transport, "mismatch") == 0)
        report->mismatched++;
}

void
worker_log(struct worker *w, const struct record *r, uint64_t index,
           const char *message, bool wait)
{
    if (w->config->journal != NULL)
        journal_add(w->config->journal, r, index, message, wait);
}

/* Whether R's start, as the window sees it, is inside. */
static bool
starts_inside(const struct worker *w, const struct record *r)
{
    const struct worker_config *c = w->config;
    int64_t from_ns = c->rate_per_s > 0 ? r->due_ns : r->start_ns;

    return window_has_start(c->window, c->window->begin_ns + from_ns);
}

void
worker_emit(struct worker *w, const struct record *r, uint64_t index,
            const char *message, bool wait)
{
    const struct window *window = w->config->window;

    count_verified(&w->whole, r);
    report_add(&w->whole, r, message);
    if (window->kind != WINDOW_WHOLE)
        report_add_part(&w->inside, r, message,
                        window_has_end(window, window->begin_ns + r->end_ns),
                        starts_inside(w, r));
    worker_log(w, r, index, message, wait);
}

/* Whether LANE's body is looked at after the run. */
static bool
is_kept(const struct worker_lane *lane)
{
    return lane->spec.op == REQUEST_GET && lane->op->sink != NULL &&
           lane->op->sink->mode == SINK_KEEP;
}

/* Keep the record until its body has been looked at. */
static void
keep(struct worker_lane *lane, const struct record *r, const char *message)
{
    struct worker *w = lane->w;
    struct worker_kept *kept = &w->kept[w->kept_count++];

    kept->record = *r;
    kept->index = lane->item.first;
    kept->offset = lane->item.offset;
    memcpy(kept->message, message, sizeof kept->message);
}

/* Close the books of the exchange that has just ended. */
static void
close_books(struct worker_lane *lane, const struct record *r,
            enum interval_outcome end)
{
    struct worker *w = lane->w;
    const struct worker_config *c = w->config;
    const struct exchange *x = &lane->request.x;

    window_finish(&w->books, c->window, lane->start_ns, x->end_ns);
    interval_finish(&w->intervals, x->end_ns, r->total_ns, end, r->good_bytes);
    /* What ends after a stop opens no window. */
    if (lane->finished || end == INTERVAL_AGAIN || end == INTERVAL_DROPPED ||
        *c->engine.stop != 0)
        return;
    lane->finished = true;
    window_lane_finished(c->window, x->end_ns);
}

/* An operation that was given up at the end is no failure of the service:
 * it counts as longer than anything seen. */
static bool
is_given_up(struct worker_lane *lane, const struct record *r, uint64_t index)
{
    struct worker *w = lane->w;

    if (lane->request.x.error != EXCHANGE_CANCELLED)
        return false;
    report_add_unfinished(&w->whole, r);
    if (starts_inside(w, r))
        report_add_unfinished(&w->inside, r);
    if (lane->spec.op == REQUEST_GET && lane->op->sink != NULL)
        sink_finish(&lane->sink, false);
    worker_log(w, r, index, lane->request.x.detail, false);
    return true;
}

/* The download is complete, or will never be: put it away and say how it
 * compares. Bodies that are kept are compared after the run. */
static void
settle_download(struct worker_lane *lane, struct record *r,
                struct request_outcome *o)
{
    struct worker *w = lane->w;
    const struct sink *sink = lane->op->sink;

    if (lane->spec.op != REQUEST_GET || sink == NULL)
        return;
    sink_finish(&lane->sink, o->ok);
    worker_note(&w->write_err, lane->sink.err);
    if (sink->mode == SINK_KEEP)
        return;
    if (sink->verify && o->ok)
        r->verify_ns = lane->sink.verify_ns + lane->request.check.took_ns;
    worker_blame_difference(r, &lane->sink, o->message, sizeof o->message);
}

/* Whether what R stands for was done, refused, or nobody knows. */
static enum pool_outcome
outcome_of(const struct record *r)
{
    if (r->ok)
        return POOL_DONE;
    return r->status >= 400 && r->status < 500 ? POOL_REFUSED : POOL_UNCLEAR;
}

static enum engine_next
end_operation(struct worker_lane *lane, enum pool_outcome outcome)
{
    worker_give_endpoint(lane);
    workload_done(lane->w->config->workload, &lane->item, outcome);
    return ENGINE_FREE;
}

enum engine_next
worker_on_done(void *ctx, size_t index, int64_t *resume_ns)
{
    struct worker *w = ctx;
    struct worker_lane *lane = &w->lanes[index];
    struct request_outcome o;
    struct record r;
    bool again;

    if (lane->probing) {
        worker_end_probe(lane);
        return end_operation(lane, POOL_UNCLEAR);
    }
    request_judge(&lane->request, &o);
    again = worker_next_page(lane, &o) || worker_next_step(lane, &o);
    worker_fill_record(&r, lane, &o);
    lane->goes_on =
        worker_mend(lane, &r, &o) || worker_try_again(lane, &r, &o, resume_ns);
    if (lane->goes_on) {
        close_books(lane, &r, INTERVAL_AGAIN);
        return ENGINE_AGAIN;
    }
    begin_attempts(lane); /* of a further page */
    worker_write_page(lane);
    if (is_given_up(lane, &r, lane->item.first)) {
        close_books(lane, &r, INTERVAL_DROPPED);
        return end_operation(lane, POOL_UNCLEAR);
    }
    settle_download(lane, &r, &o);
    close_books(lane, &r, r.ok ? INTERVAL_OK : INTERVAL_ERROR);
    if (worker_probe(lane, &r, &o))
        return ENGINE_AGAIN;
    if (is_kept(lane)) {
        keep(lane, &r, o.message);
        return end_operation(lane, outcome_of(&r));
    }
    if (lane->spec.op == REQUEST_CREATE_UPLOAD && o.ok)
        worker_write_upload(lane);
    worker_emit(w, &r, lane->item.first, o.message, false);
    return again ? ENGINE_AGAIN : end_operation(lane, outcome_of(&r));
}
