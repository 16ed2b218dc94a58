/* SPDX-License-Identifier: MIT */
/* The report for people: at most 80 columns. */
#include "config.h"

#include "report_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "units.h"
#include "uri.h"

#define SIZES_WIDTH 40
#define LABEL PAGE_LABEL
#define FAILURES_SHOWN 10
#define CODE_WIDTH 32
#define MESSAGE_INDENT 31 /* below the code */
#define PHASE_MAX 20

static void
put_labelled(struct report_page *page, const char *label, const char *text)
{
    char fitted[PAGE_FITTED_SIZE];

    page_fit(fitted, text, PAGE_WIDTH - LABEL);
    page_put(page, "%-*s%s\n", LABEL, label, fitted);
}

static void
put_first_line(struct report_page *page, const struct report *r)
{
    char window[UNITS_TEXT_SIZE], rate[UNITS_TEXT_SIZE];
    char head[PAGE_WIDTH * 2], rates[PAGE_WIDTH * 2] = "",
                                                  corrupt[PAGE_WIDTH] = "";
    double mib = report_bytes_per_s(r) / (1 << 20);
    size_t n = 0;

    units_format_duration(window, report_window_s(r) * 1e9);
    if (r->mismatched > 0)
        snprintf(corrupt, sizeof(corrupt), ", %" PRIu64 " CORRUPT",
                 r->mismatched);
    snprintf(head, sizeof(head),
             "%.*s  %" PRIu64 " op%s, %" PRIu64 " error%s%s in %s", PHASE_MAX,
             r->asked.phase, r->ops, page_plural(r->ops), r->errors,
             page_plural(r->errors), corrupt, window);
    if (r->ops > 0 && isfinite(report_ops_per_s(r))) {
        page_format_rate(rate, report_ops_per_s(r));
        n = (size_t) snprintf(rates, sizeof(rates), "   %s ops/s", rate);
    }
    if (r->good_bytes > 0 && isfinite(mib)) {
        /* MiB/s is what people compare; next to nothing has its own unit. */
        if (mib >= 0.01) {
            page_format_rate(rate, mib);
            snprintf(rates + n, sizeof(rates) - n, "   %s MiB/s", rate);
        } else {
            units_format_size(rate, report_bytes_per_s(r));
            snprintf(rates + n, sizeof(rates) - n, "   %s/s", rate);
        }
    }
    page_put(page, "%s%s%s\n", head,
             strlen(head) + strlen(rates) > PAGE_WIDTH ? "\n  " : "", rates);
}

/* What was asked for, exactly: "1 MiB", "4321 B". */
static void
format_exact_size(char out[UNITS_TEXT_SIZE], uint64_t bytes)
{
    uint64_t back;
    char joined[UNITS_TEXT_SIZE];
    const char *blank;

    units_format_size(out, (double) bytes);
    blank = strchr(out, ' ');
    if (blank != NULL) {
        snprintf(joined, sizeof(joined), "%.*s%s", (int) (blank - out), out,
                 blank + 1);
        if (units_parse_size(&back, joined) && back == bytes)
            return;
    }
    snprintf(out, UNITS_TEXT_SIZE, "%" PRIu64 " B", bytes);
}

static void
put_target(struct report_page *page, const struct report_asked *a)
{
    struct buf text;
    int err;

    buf_init(&text, 3 * (strlen(a->bucket) + strlen(a->key)) + 16);
    err = buf_adds(&text, "s3://");
    if (err == 0)
        err = uri_encode(&text, a->bucket, strlen(a->bucket), false);
    if (err == 0 && *a->key != '\0')
        err = buf_addc(&text, '/');
    if (err == 0)
        err = uri_encode(&text, a->key, strlen(a->key), true);
    if (page->err == 0)
        page->err = err;
    put_labelled(page, "target", text.data);
    buf_clear(&text);
}

/* "5 x 1 MiB", "4 KiB for 30.0 s", "as many as fit in 1.00 s". */
static void
format_work(char *out, size_t size, const struct report_asked *a)
{
    char bytes[PAGE_FITTED_SIZE] = "ops", time[UNITS_TEXT_SIZE];
    char count[UNITS_TEXT_SIZE] = "", last[PAGE_WIDTH] = "";
    bool fill = a->count == UINT64_MAX && a->size == 0 && a->rate_per_s <= 0;

    if (fill && a->duration_ns > 0)
        strcpy(bytes, "as many as fit");
    else if (a->sizes != NULL)
        page_fit(bytes, a->sizes, SIZES_WIDTH);
    else if (a->size > 0)
        format_exact_size(bytes, a->size);
    else if (a->count == 1)
        strcpy(bytes, "op");
    if (a->count != UINT64_MAX)
        snprintf(count, sizeof(count), "%" PRIu64 "%s", a->count,
                 a->size > 0 ? " x " : " ");
    if (a->duration_ns > 0) {
        units_format_duration(time, (double) a->duration_ns);
        snprintf(last, sizeof(last), " %s %s", fill ? "in" : "for", time);
    }
    snprintf(out, size, "%s%s%s", count, bytes, last);
}

static void
format_loop(char *out, size_t size, const struct report_asked *a)
{
    char rate[UNITS_TEXT_SIZE];

    if (a->rate_per_s <= 0) {
        snprintf(out, size, "concurrency %" PRIu32, a->concurrency);
        return;
    }
    page_format_rate(rate, a->rate_per_s);
    snprintf(out, size, "%s/s %s, at most %" PRIu32 " in flight", rate,
             a->arrivals, a->concurrency);
}

static void
put_asked(struct report_page *page, const struct report_asked *a)
{
    char work[PAGE_WIDTH * 2], loop[PAGE_WIDTH * 2], line[512];

    format_work(work, sizeof(work), a);
    format_loop(loop, sizeof(loop), a);
    put_target(page, a);
    put_labelled(page, "endpoint", a->endpoint);
    snprintf(line, sizeof(line), "%s, %s", work, loop);
    put_labelled(page, "asked", line);
    snprintf(line, sizeof(line), "%s, %s style, payload hash %s", a->region,
             a->addressing, a->payload_hash);
    put_labelled(page, "signing", line);
    for (uint32_t i = 0; i < a->fact_count; i++)
        put_labelled(page, a->facts[i].name, a->facts[i].value);
    if (a->payload != NULL && a->compressible > 0) {
        snprintf(line, sizeof(line), "%s, %" PRIu32 " %% compress away",
                 a->payload, a->compressible);
        put_labelled(page, "payload", line);
    } else if (a->payload != NULL && strcmp(a->payload, "random") != 0) {
        put_labelled(page, "payload", a->payload);
    }
    if (a->insecure)
        put_labelled(page, "insecure",
                     "TLS not verified: the server may be anyone");
}

/* The client's machine and what it took of it. */
static void
put_host(struct report_page *page, const struct report *r)
{
    const struct host *h = r->asked.host;
    char memory[UNITS_TEXT_SIZE], line[1024];

    if (r->max_rss_kib > 0) {
        units_format_size(memory, (double) r->max_rss_kib * 1024);
        page_put(page, "%-*s%s at most\n", LABEL, "memory", memory);
    }
    if (r->asked.transport != NULL)
        put_labelled(page, "transport", r->asked.transport);
    if (h == NULL)
        return;
    units_format_size(memory, (double) h->memory_kib * 1024);
    snprintf(line, sizeof(line), "%s, %" PRIu32 " core%s, %s, %s%s%s", h->name,
             h->cores, page_plural(h->cores), memory, h->kernel,
             h->cpu[0] != '\0' ? ", " : "", h->cpu);
    put_labelled(page, "host", line);
}

/* The client's own share. */
static void
put_client(struct report_page *page, const struct report *r)
{
    char kernel[UNITS_TEXT_SIZE], ceiling[UNITS_TEXT_SIZE];
    double flight = report_in_flight(r);

    if (isfinite(report_cpu_us_per_op(r)))
        page_put(page,
                 "%-*s%.1f us of CPU an operation, %" PRIu32 " thread%s\n",
                 LABEL, "client", report_cpu_us_per_op(r), r->asked.threads,
                 page_plural(r->asked.threads));
    if (isfinite(report_ceiling_share(r))) {
        page_format_rate(ceiling, r->asked.ceiling_ops_per_s);
        page_put(page, "%-*s%s ops/s can be done here: %.0f %% of it was\n",
                 LABEL, "ceiling", ceiling, 100 * report_ceiling_share(r));
    }
    if (isfinite(flight)) {
        page_put(page, "%-*s%.4g on average", LABEL, "in flight", flight);
        if (isfinite(report_busy_share(r)))
            page_put(page, ", lanes busy %.0f %% of the time",
                     100 * report_busy_share(r));
        page_put(page, "\n");
    }
    if (r->asked.rate_per_s > 0)
        page_put(page, "%-*s%" PRIu64 " of %" PRIu64 " that were due\n", LABEL,
                 "started", r->started, r->due);
    if (r->unfinished > 0)
        page_put(page, "%-*s%" PRIu64 " given up at the end\n", LABEL,
                 "unfinished", r->unfinished);
    if (isfinite(report_line_share(r)))
        page_put(page, "%-*s%.1f %% of its rate, with %.1f %% of overhead\n",
                 LABEL, "line", 100 * report_line_share(r),
                 100 * report_line_overhead(r));
    page_put_tls(page, &r->tls);
    if (r->retransmits > 0 || r->kernel_bytes >= 1 << 20) {
        units_format_size(kernel, (double) r->kernel_bytes);
        page_put(page,
                 "%-*s%" PRIu32 " segment%s sent again, %s in socket buffers\n",
                 LABEL, "tcp", r->retransmits, page_plural(r->retransmits),
                 kernel);
    }
    if (r->late_hashes > 0)
        page_put(page, "%-*s%" PRIu64 " were late: lanes waited for them\n",
                 LABEL, "hashes", r->late_hashes);
    put_host(page, r);
}

/* The processes, and how alike their rates are. */
static void
put_workers(struct report_page *page, const struct report *r)
{
    double low = INFINITY, high = 0;
    char lowest[UNITS_TEXT_SIZE], highest[UNITS_TEXT_SIZE];
    uint32_t lost = 0;

    if (r->workers == NULL)
        return;
    for (uint32_t i = 0; i < r->worker_count; i++) {
        lost += r->workers[i].lost;
        low = fmin(low, r->workers[i].ops_per_s);
        high = fmax(high, r->workers[i].ops_per_s);
    }
    page_put(page, "%-*s%" PRIu32 " process%s", LABEL, "workers",
             r->worker_count, r->worker_count == 1 ? "" : "es");
    if (isfinite(low)) {
        page_format_rate(lowest, low);
        page_format_rate(highest, high);
        page_put(page, ", %s to %s ops/s each", lowest, highest);
    }
    page_put(page, "\n");
    if (lost > 0)
        page_put(page, "%-*s%" PRIu32 " DIED: what they did is missing here\n",
                 LABEL, "", lost);
}

/* How the rule to end by came out, and what the warm-up was. */
static void
put_end(struct report_page *page, const struct report *r)
{
    const struct stop_watch *s = r->stop;

    if (s != NULL) {
        page_put(page, "%-*s%s: %s after %.1f s,", LABEL, "stop", r->stop_rule,
                 s->met ? "met" : "not met", (double) s->after_ns / 1e9);
        for (size_t i = 0; i < s->rule.count; i++)
            if (isfinite(s->reached[i]))
                page_put(page, "%s %.2g %%", i > 0 ? "," : "",
                         100 * s->reached[i]);
            else
                page_put(page, "%s too little to tell", i > 0 ? "," : "");
        page_put(page, "\n");
    }
    if (r->warmup == REPORT_WARMUP_NONE)
        page_put(page, "%-*snone is seen\n", LABEL, "warm-up");
    if (r->warmup == REPORT_WARMUP_UNSETTLED)
        page_put(page, "%-*stoo short to tell, or never steady\n", LABEL,
                 "warm-up");
    if (r->warmup == REPORT_WARMUP_FOUND)
        page_put(
            page,
            "%-*sthe first %.3g s differ: --warmup %.3gs leaves them out\n",
            LABEL, "warm-up", r->warmup_s, r->warmup_s);
}

static void
put_facts(struct report_page *page, const struct report *r)
{
    char good[UNITS_TEXT_SIZE], wire[UNITS_TEXT_SIZE];

    if (r->has_whole && r->whole.ops + r->whole.errors > r->ops + r->errors)
        page_put(page,
                 "%-*s%" PRIu64 " ended before or after, and do not count\n",
                 LABEL, "window",
                 r->whole.ops + r->whole.errors - r->ops - r->errors);
    if (r->wire_bytes > 0) {
        units_format_size(good, (double) r->good_bytes);
        units_format_size(wire, (double) r->wire_bytes);
        page_put(page, "%-*s%s good, %s over the wire\n", LABEL, "bytes", good,
                 wire);
    }
    if (r->ops > 0)
        page_put(page,
                 "%-*s%" PRIu64 " of %" PRIu64
                 " on a connection already open\n",
                 LABEL, "reused", r->reused, r->ops);
    if (r->resent > 0)
        page_put(page, "%-*s%" PRIu64 " attempt%s met a dead connection\n",
                 LABEL, "resent", r->resent, page_plural(r->resent));
    if (r->retried > 0)
        page_put(page, "%-*s%" PRIu64 " attempt%s failed and %s repeated\n",
                 LABEL, "retried", r->retried, page_plural(r->retried),
                 r->retried == 1 ? "was" : "were");
    if (r->entries > 0 || strcmp(r->asked.op, "ls") == 0)
        page_put(page, "%-*s%" PRIu64 " listed\n", LABEL, "entries",
                 r->entries);
}

static void
put_verify(struct report_page *page, const struct report *r)
{
    uint64_t compared = r->verified + r->mismatched;
    uint64_t bodies = compared > r->ops ? compared : r->ops;
    const char *how = r->asked.verify;
    char each[UNITS_TEXT_SIZE];

    if (how == NULL)
        return;
    page_put(page, "%-*s%" PRIu64 " of %" PRIu64 " downloads verified %s",
             LABEL, "verify", r->verified, bodies,
             strcmp(how, "after") == 0 ? "after the clock stopped"
                                       : "inline, inside the times");
    if (compared > 0 && r->verify_ns > 0) {
        units_format_duration(each, (double) r->verify_ns / (double) compared);
        page_put(page, ", %s each", each);
    }
    page_put(page, "\n");
    if (r->mismatched > 0)
        page_put(page, "%-*s%" PRIu64 " DIFFER%s from what was uploaded\n",
                 LABEL, "", r->mismatched, r->mismatched == 1 ? "S" : "");
}

static void
put_latency(struct report_page *page, const char *label,
            const struct histogram *h, uint64_t censored)
{
    if (h->count == 0)
        return;
    page_put(page, "%-9s", label);
    page_put_time(page, h->min_ns, "");
    page_put_percentile(page, h, censored, 0.5);
    page_put_percentile(page, h, censored, 0.9);
    page_put_percentile(page, h, censored, 0.99);
    page_put_percentile(page, h, censored, 0.999);
    page_put_time(page, h->max_ns, "");
    page_put_time(page, (int64_t) histogram_mean(h), "");
    page_put(page, "\n");
}

static void
put_latencies(struct report_page *page, const struct report *r)
{
    if (r->service.count + r->failed.count == 0)
        return;
    page_put(page, "\n%-9s %9s %9s %9s %9s %9s %9s %9s\n", "latency", "min",
             "p50", "p90", "p99", "p99.9", "max", "mean");
    put_latency(page, "service", &r->service, r->unfinished);
    if (r->asked.rate_per_s > 0)
        put_latency(page, "response", &r->response,
                    r->unfinished + r->unstarted);
    put_latency(page, "failed", &r->failed, 0);
    put_latency(page, "loop lag", &r->lag, 0);
}

static void
put_stages(struct report_page *page, const struct report *r)
{
    if (r->ops == 0)
        return;
    page_put(page, "\n%-9s %9s %9s %9s %9s\n", "stage", "ops", "p50", "p99",
             "max");
    for (size_t i = 0; i < STAGE_COUNT; i++) {
        const struct histogram *h = &r->stages[i];

        if (h->count == 0)
            continue;
        page_put(page, "%-9s %9" PRIu64, report_stage_names[i], h->count);
        page_put_percentile(page, h, report_stage_censored(r, i), 0.5);
        page_put_percentile(page, h, report_stage_censored(r, i), 0.99);
        page_put_time(page, h->max_ns, "");
        page_put(page, "\n");
    }
}

static void
put_failure(struct report_page *page, const struct report_failure *f)
{
    char status[12] = "-", text[PAGE_FITTED_SIZE];

    if (f->status != 0)
        snprintf(status, sizeof(status), "%d", f->status);
    page_fit(text, *f->code != '\0' ? f->code : "-", CODE_WIDTH);
    page_put(page, "%-9s %9" PRIu64 "   %6s   %-*s %.16s\n", "", f->count,
             status, CODE_WIDTH, text,
             f->transport != NULL ? f->transport : "-");
    if (*f->message != '\0') {
        page_fit(text, f->message, PAGE_WIDTH - MESSAGE_INDENT);
        page_put(page, "%-*s%s\n", MESSAGE_INDENT, "", text);
    }
}

static void
put_failures(struct report_page *page, const struct report *r)
{
    uint32_t order[REPORT_FAILURES_MAX];
    uint32_t shown =
        r->failure_count < FAILURES_SHOWN ? r->failure_count : FAILURES_SHOWN;
    uint64_t rest = 0;

    if (r->failure_count == 0)
        return;
    report_order_failures(order, r);
    page_put(page, "\n%-9s %9s   %6s   %-*s %s\n", "failures", "ops", "status",
             CODE_WIDTH, "code", "transport");
    for (uint32_t i = 0; i < shown; i++)
        put_failure(page, &r->failures[order[i]]);
    for (uint32_t i = shown; i < r->failure_count; i++)
        rest += r->failures[order[i]].count;
    if (rest > 0)
        page_put(page, "%-9s %9" PRIu64 "   of other kinds\n", "", rest);
}

static void
put_footnotes(struct report_page *page, const struct report *r)
{
    const struct {
        bool set;
        const char *text;
    } notes[] = {
        {page->few, "~  fewer than 10 operations lie beyond this percentile"},
        {page->none, "-  too few operations for this percentile"},
        {page->beyond, ">  among the operations that were given up at the end"},
        {r->ops > 0 && report_is_few(r),
         r->asked.rate_per_s > 0
             ? "Few operations: less than 100, so a single one weighs on all."
             : "Few operations: less than 10 a lane, so the start weighs on "
               "the rates."},
        {r->not_steady,
         "Not steady: not every lane had finished an operation by half time; "
         "this is\nthe whole run."},
        {report_is_client_bound(r),
         "Client-bound: 80 % of the client's ceiling was reached, or its loop "
         "was late by\nmore than 5 % of the latency, or busy for 90 % of the "
         "time or more."},
        {report_line_share(r) > 1.02,
         "MORE THAN THE LINE CARRIES: its rate is another, or the bytes did "
         "not cross it."},
        {r->rate_missed,
         "RATE NOT DELIVERED: the operations that were due could not all be "
         "started."},
    };
    bool first = true;

    for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
        if (!notes[i].set)
            continue;
        page_put(page, "%s%s\n", first ? "\n" : "", notes[i].text);
        first = false;
    }
}

int
report_add_text(struct buf *out, const struct report *r)
{
    struct report_page page = {.out = out};

    put_first_line(&page, r);
    page_put(&page, "\n");
    put_asked(&page, &r->asked);
    put_facts(&page, r);
    put_verify(&page, r);
    put_end(&page, r);
    put_client(&page, r);
    put_workers(&page, r);
    page_put_slices(&page, r);
    put_latencies(&page, r);
    put_stages(&page, r);
    put_failures(&page, r);
    put_footnotes(&page, r);
    return page.err;
}
