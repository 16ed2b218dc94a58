/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "worker.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "uri.h"

#define STALE_MAX 3 /* dead connections that one operation may meet */
#define TOKEN_MAX 65536

struct lane {
    struct worker *w;
    struct request request;
    struct request_spec spec;
    struct workload_item item;
    struct buf name; /* of the item's first key or bucket */
    struct buf batch; /* all of the item's keys, one after another */
    const char **keys; /* into `batch` */
    struct source_body body;
    struct sink_body sink;
    struct buf token; /* ls: the next page */
    struct buf seen_token; /* of an earlier page, to notice a circle */
    uint64_t pages;
    int64_t due_ns, start_ns;
    uint32_t attempt;
};

/* A record that waits for its body to be compared or written. */
struct kept {
    struct record record;
    uint64_t index;
    char message[REPORT_MESSAGE_SIZE];
};

struct worker {
    const struct worker_config *config;
    struct request_maker maker;
    struct payload *payload;
    struct lane *lanes;
    struct kept *kept; /* SINK_KEEP: as many as the sink has bodies */
    size_t kept_count;
    int64_t origin_ns; /* the run's start: zero of the records */
    int err; /* the tool itself failed */
    int write_err; /* a result could not be written */
};

static void
note(int *first, int err)
{
    if (*first == 0)
        *first = err;
}

/* --- prepare: what comes next on a lane --- */

/* Collect the keys of a DeleteObjects call. */
static int
prepare_batch(struct lane *lane)
{
    const struct worker_config *c = lane->w->config;
    struct buf one;
    size_t at = 0;
    int err = 0;

    buf_init(&one, WORKLOAD_NAME_MAX + 32);
    buf_reset(&lane->batch);
    for (uint32_t i = 0; err == 0 && i < lane->item.names; i++) {
        err = workload_name(c->workload, lane->item.first + i, &one);
        if (err == 0)
            err = buf_add(&lane->batch, one.data, one.len + 1);
    }
    for (uint32_t i = 0; err == 0 && i < lane->item.names; i++) {
        lane->keys[i] = lane->batch.data + at;
        at += strlen(lane->keys[i]) + 1;
    }
    lane->spec.keys = lane->keys;
    lane->spec.key_count = lane->item.names;
    buf_clear(&one);
    return err;
}

static bool
on_prepare(void *ctx, size_t index)
{
    struct worker *w = ctx;
    const struct worker_config *c = w->config;
    struct lane *lane = &w->lanes[index];
    int err;

    if (!workload_next(c->workload, &lane->item))
        return false;
    err = workload_name(c->workload, lane->item.first, &lane->name);
    if (err == 0 && c->op == REQUEST_DELETE_MANY)
        err = prepare_batch(lane);
    note(&w->err, err);
    lane->attempt = 1;
    buf_reset(&lane->token);
    buf_reset(&lane->seen_token);
    lane->pages = 0;
    if (c->op == REQUEST_PUT) {
        source_prepare(&lane->body, c->source, lane->item.first, &lane->name);
        lane->spec.body = source_bytes(&lane->body, c->source);
        lane->spec.body_hash = lane->body.hash;
    }
    if (c->op == REQUEST_GET && c->sink != NULL)
        sink_prepare(&lane->sink, lane->item.first, &lane->name);
    lane->due_ns = 0;
    return true;
}

/* --- start: sign it --- */

static struct exchange *
on_start(void *ctx, size_t index, int64_t due_ns, int64_t start_ns)
{
    struct worker *w = ctx;
    struct lane *lane = &w->lanes[index];
    struct request_spec *spec = &lane->spec;

    if (lane->due_ns == 0) /* a further attempt was due with the first */
        lane->due_ns = due_ns;
    lane->start_ns = start_ns;
    if (w->config->names_are_buckets)
        spec->bucket = lane->name.data;
    else if (w->config->op != REQUEST_DELETE_MANY)
        spec->key = lane->name.data;
    spec->token = lane->token.data;
    if (w->err == 0)
        w->err = request_build(&lane->request, &w->maker, spec, clock_wall());
    return w->err == 0 ? &lane->request.x : NULL;
}

/* --- done: what came of it --- */

static int64_t
since(int64_t moment_ns, int64_t origin_ns)
{
    return moment_ns == EXCHANGE_NONE ? RECORD_NONE : moment_ns - origin_ns;
}

static void
fill_record(struct record *r, const struct lane *lane,
            const struct request_outcome *o)
{
    const struct worker_config *c = lane->w->config;
    const struct exchange *x = &lane->request.x;
    int64_t origin = lane->w->origin_ns, start = lane->start_ns;

    *r = (struct record){
        .due_ns = lane->due_ns - origin,
        .start_ns = start - origin,
        .end_ns = x->end_ns - origin,
        .lookup_ns = x->reused ? 0 : since(x->lookup_ns, start),
        .connect_ns = x->reused ? 0 : since(x->connect_ns, start),
        .tls_ns = x->reused && c->service->endpoint.tls
                      ? 0
                      : since(x->tls_ns, start),
        .sent_ns = since(x->sent_ns, start),
        .first_ns = since(x->first_ns, start),
        .body_ns = since(x->body_ns, start),
        .total_ns = x->end_ns - start,
        .verify_ns = RECORD_NONE,
        .op = c->op_name,
        .bucket = lane->spec.bucket,
        .key = lane->spec.key,
        .wire_bytes = x->sent_bytes + x->received_bytes,
        .status = o->status,
        .transport = o->transport,
        .attempt = lane->attempt,
        .reused = x->reused,
        .lane = (uint32_t) (lane - lane->w->lanes),
        .endpoint = c->endpoint_url,
        .host = c->host_name,
        .ok = o->ok,
    };
    strncpy(r->code, o->code, sizeof r->code - 1);
    if (c->op == REQUEST_PUT)
        r->size = lane->spec.body_len;
    else if (c->op == REQUEST_GET)
        r->size = c->expect_len != UINT64_MAX ? c->expect_len
                  : o->ok                     ? x->received_bytes
                                              : 0;
    if (o->ok && (c->op == REQUEST_PUT || c->op == REQUEST_GET))
        r->good_bytes = r->size;
}

/* A body that was compared and differs makes its operation a failure. */
static void
blame_difference(struct record *r, const struct sink_body *sink, char *message,
                 size_t size)
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
    if (r->ok)
        report->verified++;
    else if (r->transport != NULL && strcmp(r->transport, "mismatch") == 0)
        report->mismatched++;
}

static void
log_record(struct worker *w, const struct record *r, uint64_t index,
           const char *message, bool wait)
{
    if (w->config->journal != NULL)
        journal_add(w->config->journal, r, index, message, wait);
}

/* Hand on the record of a finished operation. */
static void
emit(struct worker *w, const struct record *r, uint64_t index,
     const char *message, bool wait)
{
    count_verified(w->config->report, r);
    report_add(w->config->report, r, message);
    log_record(w, r, index, message, wait);
}

/* Whether a listing goes on, with the token of its next page kept. */
static bool
next_page(struct lane *lane, struct request_outcome *o)
{
    struct answer *a = &lane->request.answer;

    enum request_op op = lane->w->config->op;

    if (!o->ok || (op != REQUEST_LIST && op != REQUEST_LIST_BUCKETS))
        return false;
    lane->w->config->report->entries += a->entries;
    if (op != REQUEST_LIST || !a->truncated)
        return false;
    if (a->next_token.len == 0 ||
        strcmp(a->next_token.data, lane->seen_token.data) == 0) {
        o->ok = false;
        o->code = "InvalidAnswer";
        snprintf(o->message, sizeof o->message,
                 "the listing is truncated but does not advance");
        return false;
    }
    buf_reset(&lane->token);
    note(&lane->w->err, buf_adds(&lane->token, a->next_token.data));
    /* Keep every 2^n-th: a circle of any length comes back to one. */
    lane->pages++;
    if ((lane->pages & (lane->pages - 1)) == 0) {
        buf_reset(&lane->seen_token);
        note(&lane->w->err, buf_adds(&lane->seen_token, a->next_token.data));
    }
    return true;
}

/* Keep the record until its body has been looked at. */
static void
keep(struct worker *w, const struct record *r, uint64_t index,
     const char *message)
{
    struct kept *kept = &w->kept[w->kept_count++];

    kept->record = *r;
    kept->index = index;
    memcpy(kept->message, message, sizeof kept->message);
}

static bool
on_done(void *ctx, size_t index)
{
    struct worker *w = ctx;
    const struct worker_config *c = w->config;
    struct lane *lane = &w->lanes[index];
    struct request_outcome o;
    struct record r;
    bool again;

    request_judge(&lane->request, &o);
    again = next_page(lane, &o);
    fill_record(&r, lane, &o);
    if (lane->request.x.error == EXCHANGE_STALE && lane->attempt < STALE_MAX) {
        /* No failure of the service: another attempt follows. */
        lane->attempt++;
        c->report->resent++;
        log_record(w, &r, lane->item.first, o.message, false);
        return true;
    }
    if (c->op == REQUEST_GET && c->sink != NULL) {
        sink_finish(&lane->sink, o.ok);
        note(&w->write_err, lane->sink.err);
        if (c->sink->mode == SINK_KEEP) {
            keep(w, &r, lane->item.first, o.message);
            return false;
        }
        if (c->sink->verify && o.ok)
            r.verify_ns = lane->sink.verify_ns;
        blame_difference(&r, &lane->sink, o.message, sizeof o.message);
    }
    emit(w, &r, lane->item.first, o.message, false);
    return again;
}

/* --- listings --- */

static void
on_entry(void *ctx, const struct answer_entry *e)
{
    struct lane *lane = ctx;
    struct worker *w = lane->w;
    struct buf line;
    int err;

    if (w->config->listing == NULL)
        return;
    buf_init(&line, 3 * ANSWER_KEY_MAX + 256);
    err = e->kind == ANSWER_OBJECT ? buf_addf(&line, "%" PRIu64, e->size)
                                   : buf_addc(&line, '-');
    if (err == 0)
        err = buf_addf(&line, "\t%s\t",
                       e->modified[0] != '\0' ? e->modified : "-");
    if (err == 0)
        err = uri_encode(&line, e->name, strlen(e->name), true);
    if (err == 0)
        err = buf_addc(&line, '\n');
    errno = 0;
    if (err == 0 &&
        fwrite(line.data, 1, line.len, w->config->listing) != line.len)
        err = errno != 0 ? errno : EIO;
    note(&w->write_err, err);
    buf_clear(&line);
}

/* --- after the clock has stopped --- */

/* Compare and write the bodies that were kept, then hand on the records. */
static void
replay(struct worker *w)
{
    const struct worker_config *c = w->config;
    struct lane *lane = &w->lanes[0];

    for (size_t i = 0; i < w->kept_count; i++) {
        struct kept *kept = &w->kept[i];

        note(&w->err, workload_name(c->workload, kept->index, &lane->name));
        if (kept->record.ok) {
            sink_replay(&lane->sink, kept->index, &lane->name,
                        kept->record.good_bytes);
            note(&w->write_err, lane->sink.err);
            if (c->sink->verify)
                kept->record.verify_ns = lane->sink.verify_ns;
            blame_difference(&kept->record, &lane->sink, kept->message,
                             sizeof kept->message);
        }
        emit(w, &kept->record, kept->index, kept->message, true);
    }
}

/* Write copies of what was uploaded. */
static void
write_copies(struct worker *w)
{
    const struct worker_config *c = w->config;
    struct lane *lane = &w->lanes[0];

    for (uint64_t i = 0; i < c->workload->next && w->write_err == 0; i++) {
        note(&w->err, workload_name(c->workload, i, &lane->name));
        w->write_err =
            sink_write_generated(&lane->sink, &lane->name, c->source->size);
    }
}

/* --- set-up --- */

static int
init_lane(struct worker *w, struct lane *lane)
{
    const struct worker_config *c = w->config;
    int err;

    lane->w = w;
    buf_init(&lane->name, WORKLOAD_NAME_MAX + 32);
    buf_init(&lane->batch, (size_t) REQUEST_BATCH_MAX * (WORKLOAD_NAME_MAX + 32));
    buf_init(&lane->token, TOKEN_MAX);
    buf_init(&lane->seen_token, TOKEN_MAX);
    sink_body_init(&lane->sink, c->sink, w->payload);
    lane->spec = (struct request_spec){
        .op = c->op,
        .bucket = c->bucket,
        .key = "",
        .expect_len = c->expect_len,
        .prefix = c->prefix,
        .delimiter = c->delimiter,
        .max_keys = c->max_keys,
        .location = c->location,
    };
    if (c->op == REQUEST_LIST || c->op == REQUEST_LIST_BUCKETS) {
        lane->spec.on_entry = on_entry;
        lane->spec.ctx = lane;
    } else if (c->op == REQUEST_GET && c->sink != NULL &&
               c->sink->mode != SINK_COUNT) {
        lane->spec.on_data = sink_take;
        lane->spec.ctx = &lane->sink;
    }
    err = request_init(&lane->request);
    if (err == 0)
        err = buf_reserve(&lane->name, 128);
    if (err == 0 && c->op == REQUEST_PUT) {
        err = source_body_init(&lane->body, c->source, w->payload);
        lane->spec.body_len = c->source->size;
        lane->spec.read = source_read;
        lane->spec.read_ctx = &lane->body;
    }
    if (err == 0 && c->op == REQUEST_DELETE_MANY) {
        lane->keys = calloc(c->workload->per_item, sizeof *lane->keys);
        err = lane->keys == NULL ? ENOMEM : 0;
    }
    return err;
}

static void
clear_lane(struct lane *lane)
{
    request_clear(&lane->request);
    source_body_clear(&lane->body);
    sink_body_clear(&lane->sink);
    buf_clear(&lane->name);
    buf_clear(&lane->batch);
    buf_clear(&lane->token);
    buf_clear(&lane->seen_token);
    free(lane->keys);
}

static int
init(struct worker *w)
{
    const struct worker_config *c = w->config;
    int err = request_maker_init(&w->maker, c->service);

    if (err == 0)
        err = payload_new(&w->payload, c->seed);
    if (err == 0 && c->sink != NULL && c->sink->mode == SINK_KEEP) {
        w->kept = calloc((size_t) c->workload->count, sizeof *w->kept);
        err = w->kept == NULL ? ENOMEM : 0;
    }
    if (err == 0) {
        w->lanes = calloc(c->engine.lanes, sizeof *w->lanes);
        err = w->lanes == NULL ? ENOMEM : 0;
    }
    for (size_t i = 0; err == 0 && i < c->engine.lanes; i++)
        err = init_lane(w, &w->lanes[i]);
    if (err == 0 && c->op == REQUEST_PUT)
        err = source_hash_ahead(c->source, c->workload, c->seed,
                                c->engine.stop);
    return err;
}

static void
clear(struct worker *w)
{
    for (size_t i = 0; w->lanes != NULL && i < w->config->engine.lanes; i++)
        if (w->lanes[i].w != NULL)
            clear_lane(&w->lanes[i]);
    free(w->lanes);
    free(w->kept);
    payload_free(w->payload);
    request_maker_clear(&w->maker);
}

int
worker_run(const struct worker_config *config, int *write_err)
{
    struct worker w = {.config = config};
    const struct engine_job job = {
        .ctx = &w, .prepare = on_prepare, .start = on_start, .done = on_done};
    int64_t cpu_ns;
    int err = init(&w);

    if (err == 0) {
        w.origin_ns = clock_now_ns();
        cpu_ns = clock_cpu_ns();
        err = engine_run(&config->engine, config->transport, &job);
        config->report->cpu_ns = clock_cpu_ns() - cpu_ns;
        if (w.err != 0)
            err = w.err;
        if (config->op == REQUEST_GET)
            replay(&w);
        if (config->op == REQUEST_PUT && config->sink != NULL)
            write_copies(&w);
    }
    *write_err = w.write_err;
    clear(&w);
    return err;
}
