/* SPDX-License-Identifier: MIT */
/* The report for programs; doc/formats.md has the schema. */
#include "config.h"

#include "report.h"

#include <math.h>
#include <string.h>

#include "json.h"
#include "uri.h"

static void
add_us(struct json *j, const char *name, double ns)
{
    json_number(j, name, ns / (double) CLOCK_NS_PER_US, 3);
}

/* What TLS there was; null without any. */
static void
add_tls(struct json *j, const struct transport_tls *tls)
{
    char text[REPORT_TLS_SIZE];

    if (tls->handshakes == 0) {
        json_null(j, "negotiated");
        return;
    }
    json_open(j, "negotiated", '{');
    report_tls_name(text, tls->first);
    json_string(j, "tls", text);
    report_tls_name(text, tls->other);
    json_string(j, "also", text[0] != '\0' ? text : NULL);
    json_uint(j, "handshakes", tls->handshakes);
    json_uint(j, "resumed", tls->resumed);
    json_close(j, '}');
}

static void
add_histogram(struct json *j, const char *name, const struct histogram *h,
              uint64_t censored)
{
    static const struct {
        const char *name;
        double p;
    } percentiles[] = {
        {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}};
    bool any = h->count > 0;
    int64_t ns;

    json_open(j, name, '{');
    json_uint(j, "count", h->count);
    json_uint(j, "censored", censored);
    add_us(j, "mean", histogram_mean(h));
    add_us(j, "min", any ? (double) h->min_ns : NAN);
    for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++) {
        enum report_support support =
            report_percentile(h, censored, percentiles[i].p, &ns);

        if (support == REPORT_NONE || support == REPORT_BEYOND)
            json_null(j, percentiles[i].name);
        else
            add_us(j, percentiles[i].name, (double) ns);
    }
    add_us(j, "max", any ? (double) h->max_ns : NAN);
    json_close(j, '}');
}

static const char *
or_null(const char *text)
{
    return text != NULL && *text != '\0' ? text : NULL;
}

/* Encoded as in records, null when there is none. */
static void
add_key(struct json *j, const char *key)
{
    struct buf encoded;
    int err;

    if (or_null(key) == NULL) {
        json_null(j, "key");
        return;
    }
    buf_init(&encoded, 3 * strlen(key));
    err = uri_encode(&encoded, key, strlen(key), true);
    if (err != 0 && j->err == 0)
        j->err = err;
    json_string(j, "key", encoded.data);
    buf_clear(&encoded);
}

/* null for 0: not asked for. */
static void
add_seconds(struct json *j, const char *name, int64_t ns)
{
    json_number(j, name, ns > 0 ? (double) ns / 1e9 : NAN, 9);
}

static void
add_asked(struct json *j, const struct report_asked *a)
{
    json_string(j, "format", REPORT_SUMMARY_FORMAT);
    json_string(j, "program", a->program);
    json_string(j, "version", a->version);
    json_string(j, "command", a->command);
    json_string(j, "op", a->op);
    json_string(j, "phase", a->phase);
    json_string(j, "bucket", or_null(a->bucket));
    add_key(j, a->key);
    json_string(j, "endpoint", a->endpoint);
    json_string(j, "region", a->region);
    json_string(j, "addressing", a->addressing);
    json_string(j, "payload_hash", a->payload_hash);
    json_uint(j, "size", a->size);
    if (a->sizes != NULL)
        json_string(j, "sizes", a->sizes);
    if (a->count == UINT64_MAX)
        json_null(j, "count");
    else
        json_uint(j, "count", a->count);
    json_uint(j, "concurrency", a->concurrency);
    json_uint(j, "threads", a->threads);
    add_seconds(j, "duration_s", a->duration_ns);
    add_seconds(j, "warmup_s", a->warmup_ns);
    json_number(j, "rate_asked", a->rate_per_s > 0 ? a->rate_per_s : NAN, 3);
    json_string(j, "arrivals", a->arrivals);
    json_string(j, "payload", a->payload);
    json_uint(j, "compressible", a->compressible);
    json_string(j, "connection", a->connection);
    json_uint(j, "retries", a->retries);
    json_uint(j, "seed", a->seed);
    json_bool(j, "insecure", a->insecure);
    json_string(j, "started", a->started);
    json_open(j, "request", '{');
    for (uint32_t i = 0; i < a->fact_count; i++)
        json_string(j, a->facts[i].name, a->facts[i].value);
    json_close(j, '}');
}

static void
add_numbers(struct json *j, const struct report *r)
{
    uint64_t compared = r->verified + r->mismatched;

    json_uint(j, "ops", r->ops);
    json_uint(j, "errors", r->errors);
    json_uint(j, "good_bytes", r->good_bytes);
    json_uint(j, "wire_bytes", r->wire_bytes);
    json_number(j, "window_s", report_window_s(r), 9);
    json_number(j, "ops_per_s", report_ops_per_s(r), 3);
    json_number(j, "bytes_per_s", report_bytes_per_s(r), 1);
    json_uint(j, "reused", r->reused);
    json_uint(j, "resent", r->resent);
    json_uint(j, "retried", r->retried);
    json_uint(j, "entries", r->entries);
    json_string(j, "verify", r->asked.verify);
    json_uint(j, "verified", r->verified);
    json_uint(j, "mismatched", r->mismatched);
    add_us(j, "verify_us",
           compared > 0 ? (double) r->verify_ns / (double) compared : NAN);
    json_number(j, "cpu_us_per_op", report_cpu_us_per_op(r), 3);
    json_number(
        j, "ceiling_ops_per_s",
        r->asked.ceiling_ops_per_s > 0 ? r->asked.ceiling_ops_per_s : NAN, 3);
    json_number(j, "ceiling_share", report_ceiling_share(r), 4);
    json_number(j, "loop_busy", report_loop_busy(r), 4);
}

/* The marks as a list. */
static void
add_marks(struct json *j, const struct report *r)
{
    char marks[REPORT_MARKS_SIZE], *rest = marks, *mark;

    report_marks(marks, r);
    json_open(j, "marks", '[');
    if (strcmp(marks, "-") != 0)
        while ((mark = strsep(&rest, ",")) != NULL)
            json_string(j, NULL, mark);
    json_close(j, ']');
}

/* What the client knows of itself. */
static void
add_client(struct json *j, const struct report *r)
{
    json_bool(j, "steady", !r->not_steady);
    json_uint(j, "unfinished", r->unfinished);
    json_uint(j, "unstarted", r->unstarted);
    if (r->asked.rate_per_s > 0) {
        json_uint(j, "due", r->due);
        json_uint(j, "started_ops", r->started);
    }
    json_number(j, "in_flight_mean", report_in_flight(r), 3);
    json_number(j, "busy_share", report_busy_share(r), 4);
    json_number(j, "imbalance", report_imbalance(r), 6);
    json_number(j, "line_bits_per_s",
                r->asked.line_bits_per_s > 0 ? r->asked.line_bits_per_s : NAN,
                0);
    json_number(j, "line_share", report_line_share(r), 4);
    json_number(j, "line_overhead", report_line_overhead(r), 4);
    json_uint(j, "tcp_bytes", r->tcp_bytes);
    json_uint(j, "tcp_segments", r->tcp_segments);
    add_tls(j, &r->tls);
    json_uint(j, "retransmits", r->retransmits);
    json_uint(j, "kernel_bytes", r->kernel_bytes);
    json_uint(j, "late_hashes", r->late_hashes);
    json_number(j, "max_rss_kib",
                r->max_rss_kib > 0 ? (double) r->max_rss_kib : NAN, 0);
}

/* Only of runs that looked for their end, or for their warm-up. */
static void
add_end(struct json *j, const struct report *r)
{
    const struct stop_watch *s = r->stop;

    if (s != NULL) {
        json_string(j, "stop_when", r->stop_rule);
        json_bool(j, "stop_met", s->met);
        add_seconds(j, "stop_after_s", s->after_ns);
        json_open(j, "stop_reached", '[');
        for (size_t i = 0; i < s->rule.count; i++)
            json_number(j, NULL, s->reached[i], 6);
        json_close(j, ']');
    }
    if (r->warmup == REPORT_WARMUP_UNASKED)
        return;
    json_bool(j, "warmup_settled", r->warmup != REPORT_WARMUP_UNSETTLED);
    json_number(j, "warmup_found_s",
                r->warmup == REPORT_WARMUP_UNSETTLED ? NAN
                : r->warmup == REPORT_WARMUP_FOUND   ? r->warmup_s
                                                     : 0,
                3);
}

/* The machine, null when it is not known. */
static void
add_host(struct json *j, const struct host *h, const char *machine)
{
    if (h == NULL) {
        json_null(j, "client_host");
        return;
    }
    json_open(j, "client_host", '{');
    json_string(j, "name", h->name);
    json_string(j, "kernel", h->kernel);
    json_string(j, "cpu", or_null(h->cpu));
    json_uint(j, "cores", h->cores);
    json_uint(j, "memory_kib", h->memory_kib);
    json_string(j, "machine", or_null(machine));
    json_close(j, '}');
}

static void
add_intervals(struct json *j, const struct report *r)
{
    const struct interval_table *t = r->intervals;

    if (t == NULL)
        return;
    json_number(j, "interval_s", (double) t->width_ns / 1e9, 3);
    json_open(j, "intervals", '[');
    for (uint32_t i = 0; i < t->count; i++) {
        const struct interval *row = &t->rows[i];
        int64_t p50 = interval_percentile(row, 0.5);
        int64_t p99 = interval_percentile(row, 0.99);

        json_open(j, NULL, '{');
        json_uint(j, "ops", row->ops);
        json_uint(j, "errors", row->errors);
        json_uint(j, "good_bytes", row->good_bytes);
        json_uint(j, "wire_bytes", row->wire_bytes);
        json_number(j, "in_flight", row->flight_ns / (double) t->width_ns, 3);
        add_us(j, "p50_us", p50 < 0 ? NAN : (double) p50);
        add_us(j, "p99_us", p99 < 0 ? NAN : (double) p99);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
add_failures(struct json *j, const struct report *r)
{
    uint32_t order[REPORT_FAILURES_MAX];

    report_order_failures(order, r);
    json_open(j, "failures", '[');
    for (uint32_t i = 0; i < r->failure_count; i++) {
        const struct report_failure *f = &r->failures[order[i]];

        json_open(j, NULL, '{');
        json_uint(j, "status", (uint64_t) f->status);
        json_string(j, "code", or_null(f->code));
        json_string(j, "transport", f->transport);
        json_uint(j, "count", f->count);
        json_uint(j, "retried", f->retried);
        json_string(j, "message", or_null(f->message));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
add_known(struct json *j, const char *name, uint64_t value, bool known)
{
    if (known)
        json_uint(j, name, value);
    else
        json_null(j, name);
}

/* What the total consists of. */
static void
add_slices(struct json *j, const struct report *r)
{
    if (r->asked.slice_count == 0)
        return;
    json_open(j, "slices", '[');
    for (uint32_t i = 0; i < r->asked.slice_count; i++) {
        const struct report *s = &r->slices[i];

        json_open(j, NULL, '{');
        json_string(j, "by", report_by_names[r->asked.slices[i].by]);
        json_string(j, "name", r->asked.slices[i].name);
        json_uint(j, "ops", s->ops);
        json_uint(j, "errors", s->errors);
        json_uint(j, "good_bytes", s->good_bytes);
        json_uint(j, "wire_bytes", s->wire_bytes);
        json_number(j, "ops_per_s", report_ops_per_s(s), 3);
        json_number(j, "bytes_per_s", report_bytes_per_s(s), 3);
        json_bool(j, "few", report_is_few(s));
        json_uint(j, "unfinished", s->unfinished);
        add_histogram(j, "service_us", &s->service, s->unfinished);
        add_histogram(j, "response_us", &s->response, s->unfinished);
        add_histogram(j, "first_us", &s->stages[STAGE_FIRST], s->unfinished);
        add_histogram(j, "failed_us", &s->failed, 0);
        add_failures(j, s);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* How evenly the endpoints did. */
static void
add_spread(struct json *j, const struct report *r)
{
    struct report_spread spread;

    if (r->asked.endpoint_select == NULL)
        return;
    report_spread(&spread, r, REPORT_BY_ENDPOINT);
    json_open(j, "endpoints", '{');
    json_string(j, "select", r->asked.endpoint_select);
    json_number(j, "jain", spread.jain, 6);
    json_number(j, "rate_spread", spread.rate, 6);
    json_number(j, "median_spread", spread.time, 6);
    json_close(j, '}');
}

/* Each worker process by itself. */
static void
add_workers(struct json *j, const struct report *r)
{
    if (r->workers == NULL)
        return;
    json_open(j, "workers", '[');
    for (uint32_t i = 0; i < r->worker_count; i++) {
        const struct report_worker *w = &r->workers[i];

        json_open(j, NULL, '{');
        json_bool(j, "lost", w->lost);
        json_bool(j, "steady", w->steady);
        add_known(j, "ops", w->ops, !w->lost);
        add_known(j, "errors", w->errors, !w->lost);
        add_known(j, "good_bytes", w->good_bytes, !w->lost);
        json_number(j, "window_s", w->window_s, 9);
        json_number(j, "ops_per_s", w->ops_per_s, 3);
        add_us(j, "p50_us", w->p50_ns < 0 ? NAN : (double) w->p50_ns);
        add_us(j, "p99_us", w->p99_ns < 0 ? NAN : (double) w->p99_ns);
        add_us(j, "lag_p99_us",
               w->lag_p99_ns < 0 ? NAN : (double) w->lag_p99_ns);
        json_number(j, "cpu_us_per_op", w->cpu_us_per_op, 3);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* All that was done, when the numbers are those of a window. */
static void
add_whole(struct json *j, const struct report *r)
{
    if (!r->has_whole)
        return;
    json_open(j, "whole", '{');
    json_uint(j, "ops", r->whole.ops);
    json_uint(j, "errors", r->whole.errors);
    json_uint(j, "retried", r->whole.retried);
    json_uint(j, "resent", r->whole.resent);
    json_uint(j, "unfinished", r->whole.unfinished);
    json_uint(j, "wire_bytes", r->whole.wire_bytes);
    json_close(j, '}');
}

int
report_add_json(struct buf *out, const struct report *r)
{
    struct json j;

    json_init(&j, out);
    json_open(&j, NULL, '{');
    add_asked(&j, &r->asked);
    add_numbers(&j, r);
    add_marks(&j, r);
    add_client(&j, r);
    add_end(&j, r);
    json_string(&j, "client_library", r->asked.transport);
    add_host(&j, r->asked.host, r->asked.machine);
    add_histogram(&j, "service_us", &r->service, r->unfinished);
    add_histogram(&j, "response_us", &r->response,
                  r->unfinished + r->unstarted);
    json_open(&j, "stages_us", '{');
    for (size_t i = 0; i < STAGE_COUNT; i++)
        add_histogram(&j, report_stage_names[i], &r->stages[i],
                      report_stage_censored(r, i));
    json_close(&j, '}');
    add_histogram(&j, "failed_us", &r->failed, 0);
    add_histogram(&j, "lag_us", &r->lag, 0);
    add_failures(&j, r);
    add_slices(&j, r);
    add_spread(&j, r);
    add_workers(&j, r);
    add_whole(&j, r);
    add_intervals(&j, r);
    json_close(&j, '}');
    return j.err != 0 ? j.err : buf_addc(out, '\n');
}
