/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEW_PER_LANE 10
#define FEW_AT_A_RATE 100
#define BUSY_LIMIT 0.9 /* of the event loop's time */
/* On Ethernet: IPv4 and TCP with time stamps, frame, preamble and gap. */
#define SEGMENT_OVERHEAD (20 + 32 + 18 + 8 + 12)
#define CEILING_LIMIT 0.8 /* of what the client can do */

/* The code of the row that kinds share once the table is full. */
#define OTHER_KINDS "(other kinds)"

const char *const report_stage_names[STAGE_COUNT] = {
    "lookup", "connect", "tls", "sent", "first", "body"};

const char report_cell_columns[] =
    "target\tphase\tsize\tconcurrency\trepeat\tmark\tops\terrors\tgood_bytes\t"
    "wire_bytes\twindow_s\tops_per_s\tbytes_per_s\trate_asked\tmean_us\tmin_"
    "us\t"
    "p50_us\tp90_us\tp99_us\tp999_us\tmax_us\tfirst_p50_us\tfirst_p99_us\t"
    "response_p50_us\tresponse_p99_us\tcpu_us_per_op\tlag_p99_us\t"
    "reused_share\tstarted\thist";

const char *const report_by_names[REPORT_BY_COUNT] = {"operation", "size",
                                                      "endpoint"};

static int
init_slices(struct report *r)
{
    struct report_asked asked = r->asked;
    int err = 0;

    if (r->asked.slice_count == 0)
        return 0;
    asked.slices = NULL;
    asked.slice_count = 0;
    r->slices = calloc(r->asked.slice_count, sizeof *r->slices);
    if (r->slices == NULL)
        return ENOMEM;
    for (uint32_t i = 0; err == 0 && i < r->asked.slice_count; i++) {
        const struct report_slice *slice = &r->asked.slices[i];

        asked.concurrency = slice->concurrency;
        if (slice->by == REPORT_BY_OPERATION)
            asked.op = slice->name;
        err = report_init(&r->slices[i], &asked);
    }
    return err;
}

int
report_init(struct report *r, const struct report_asked *asked)
{
    size_t ops = histogram_buckets(HISTOGRAM_SUB_OPS);
    size_t stages = histogram_buckets(HISTOGRAM_SUB_STAGES);
    uint64_t *counts;

    memset(r, 0, sizeof(*r));
    r->asked = *asked;
    counts = calloc(4 * ops + STAGE_COUNT * stages, sizeof(*counts));
    if (counts == NULL)
        return ENOMEM;
    r->counts = counts;
    r->first_start_ns = INT64_MAX;
    r->last_end_ns = INT64_MIN;
    histogram_init(&r->service, HISTOGRAM_SUB_OPS, counts);
    histogram_init(&r->failed, HISTOGRAM_SUB_OPS, counts + ops);
    histogram_init(&r->response, HISTOGRAM_SUB_OPS, counts + 2 * ops);
    histogram_init(&r->lag, HISTOGRAM_SUB_OPS, counts + 3 * ops);
    for (size_t i = 0; i < STAGE_COUNT; i++)
        histogram_init(&r->stages[i], HISTOGRAM_SUB_STAGES,
                       counts + 4 * ops + i * stages);
    return init_slices(r);
}

void
report_clear(struct report *r)
{
    for (uint32_t i = 0; r->slices != NULL && i < r->asked.slice_count; i++)
        report_clear(&r->slices[i]);
    free(r->slices);
    free(r->counts);
    memset(r, 0, sizeof(*r));
}

static bool
same_text(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

/* The row of a kind; the last row takes all kinds that find no room. */
static struct report_failure *
failure_row(struct report *r, int status, const char *code,
            const char *transport)
{
    struct report_failure *row = r->failures;
    uint32_t i;

    for (i = 0; i < r->failure_count; i++, row++)
        if (row->status == status && strcmp(row->code, code) == 0 &&
            same_text(row->transport, transport))
            return row;
    if (i == REPORT_FAILURES_MAX)
        return &r->failures[REPORT_FAILURES_MAX - 1];
    r->failure_count++;
    if (i == REPORT_FAILURES_MAX - 1) {
        status = 0;
        code = OTHER_KINDS;
        transport = NULL;
    }
    *row = (struct report_failure){.status = status, .transport = transport};
    snprintf(row->code, sizeof(row->code), "%s", code);
    return row;
}

static void
add_failure(struct report *r, const struct report_failure *kind, uint64_t count,
            const char *message)
{
    struct report_failure *row =
        failure_row(r, kind->status, kind->code, kind->transport);

    /* Of the first, but rather of one that no attempt followed. */
    if ((row->count == 0 ||
         (row->retried == row->count && kind->retried < count)) &&
        strcmp(row->code, OTHER_KINDS) != 0)
        snprintf(row->message, sizeof(row->message), "%s", message);
    row->count += count;
    row->retried += kind->retried;
}

static void
add_stages(struct report *r, const struct record *record)
{
    const int64_t opening[] = {record->lookup_ns, record->connect_ns,
                               record->tls_ns};
    const int64_t moments[] = {record->sent_ns, record->first_ns,
                               record->body_ns};

    for (size_t i = 0; i < 3; i++) {
        /* What was over at once did not happen: plain http has no TLS. */
        if (!record->reused && opening[i] > 0)
            histogram_add(&r->stages[STAGE_LOOKUP + i], opening[i]);
        if (moments[i] != RECORD_NONE)
            histogram_add(&r->stages[STAGE_SENT + i], moments[i]);
    }
}

static void
add_counts(struct report *r, const struct record *record, const char *message)
{
    struct report_failure kind = {.status = record->status,
                                  .transport = record->transport};

    r->wire_bytes += record->wire_bytes;
    if (record->ok) {
        r->ops++;
        r->good_bytes += record->good_bytes;
        r->reused += record->reused;
        return;
    }
    memcpy(kind.code, record->code, sizeof(kind.code));
    kind.retried = record->again;
    r->retried += record->again;
    r->errors += !record->again;
    add_failure(r, &kind, 1, message);
}

static void
add_part(struct report *r, const struct record *record, const char *message,
         bool rate, bool latency)
{
    int64_t total = record->total_ns != RECORD_NONE
                        ? record->total_ns
                        : record->end_ns - record->start_ns;

    if (record->start_ns < r->first_start_ns)
        r->first_start_ns = record->start_ns;
    if (record->end_ns > r->last_end_ns)
        r->last_end_ns = record->end_ns;
    if (rate)
        add_counts(r, record, message);
    if (!latency)
        return;
    if (record->ok) {
        histogram_add(&r->service, total);
        histogram_add(&r->response, record->end_ns - record->due_ns);
        add_stages(r, record);
    } else {
        histogram_add(&r->failed, total);
    }
}

void
report_add_part(struct report *r, const struct record *record,
                const char *message, bool rate, bool latency)
{
    if (!record->step)
        add_part(r, record, message, rate, latency);
    for (size_t i = 0; i < RECORD_SLICES_MAX; i++)
        if (record->slices[i] > 0)
            add_part(&r->slices[record->slices[i] - 1], record, message, rate,
                     latency);
}

void
report_add_unfinished(struct report *r, const struct record *record)
{
    r->unfinished += !record->step;
    for (size_t i = 0; i < RECORD_SLICES_MAX; i++)
        if (record->slices[i] > 0)
            r->slices[record->slices[i] - 1].unfinished++;
}

void
report_add(struct report *r, const struct record *record, const char *message)
{
    report_add_part(r, record, message, true, true);
}

/* What is not only the total's. */
static void
merge_slices(struct report *r, const struct report *from)
{
    for (uint32_t i = 0; i < r->asked.slice_count; i++)
        report_merge(&r->slices[i], &from->slices[i]);
}

void
report_merge(struct report *r, const struct report *from)
{
    /* What is added here must also be in a part's file: part_write.c. */
    r->ops += from->ops;
    r->errors += from->errors;
    r->good_bytes += from->good_bytes;
    r->wire_bytes += from->wire_bytes;
    r->reused += from->reused;
    r->resent += from->resent;
    r->late_hashes += from->late_hashes;
    r->retried += from->retried;
    r->entries += from->entries;
    r->verified += from->verified;
    r->mismatched += from->mismatched;
    r->verify_ns += from->verify_ns;
    r->cpu_ns += from->cpu_ns;
    r->loop_ran_ns += from->loop_ran_ns;
    r->loop_waited_ns += from->loop_waited_ns;
    r->max_rss_kib += from->max_rss_kib;
    r->unfinished += from->unfinished;
    r->unstarted += from->unstarted;
    r->due += from->due;
    r->started += from->started;
    r->rate_missed |= from->rate_missed;
    report_merge_tls(&r->tls, &from->tls);
    r->retransmits += from->retransmits;
    r->tcp_bytes += from->tcp_bytes;
    r->tcp_segments += from->tcp_segments;
    r->kernel_bytes += from->kernel_bytes;
    window_merge_books(&r->books, &from->books);
    if (from->first_start_ns < r->first_start_ns)
        r->first_start_ns = from->first_start_ns;
    if (from->last_end_ns > r->last_end_ns)
        r->last_end_ns = from->last_end_ns;
    histogram_merge(&r->service, &from->service);
    histogram_merge(&r->failed, &from->failed);
    histogram_merge(&r->response, &from->response);
    histogram_merge(&r->lag, &from->lag);
    for (size_t i = 0; i < STAGE_COUNT; i++)
        histogram_merge(&r->stages[i], &from->stages[i]);
    for (uint32_t i = 0; i < from->failure_count; i++)
        add_failure(r, &from->failures[i], from->failures[i].count,
                    from->failures[i].message);
    if (r->slices != NULL && from->slices != NULL)
        merge_slices(r, from);
}

double
report_window_s(const struct report *r)
{
    if (r->window_ns > 0)
        return (double) r->window_ns / (double) CLOCK_NS_PER_S;
    if (r->last_end_ns < r->first_start_ns)
        return 0;
    return (double) (r->last_end_ns - r->first_start_ns) /
           (double) CLOCK_NS_PER_S;
}

static double
per_second(const struct report *r, uint64_t n)
{
    double window = report_window_s(r);

    return window > 0 ? (double) n / window : NAN;
}

double
report_ops_per_s(const struct report *r)
{
    return per_second(r, r->ops);
}

double
report_bytes_per_s(const struct report *r)
{
    return per_second(r, r->good_bytes);
}

double
report_cpu_us_per_op(const struct report *r)
{
    uint64_t all = r->ops + r->errors;

    if (all == 0 || r->cpu_ns == 0)
        return NAN;
    return (double) r->cpu_ns / (double) CLOCK_NS_PER_US / (double) all;
}

bool
report_is_few(const struct report *r)
{
    /* Its lanes are a limit, or shared: they are not its load. */
    if (r->asked.rate_per_s > 0 || r->asked.concurrency == 0)
        return r->ops < FEW_AT_A_RATE;
    return r->ops < (uint64_t) FEW_PER_LANE * r->asked.concurrency;
}

double
report_loop_busy(const struct report *r)
{
    if (r->loop_ran_ns <= 0)
        return NAN;
    return 1 - (double) r->loop_waited_ns / (double) r->loop_ran_ns;
}

double
report_ceiling_share(const struct report *r)
{
    if (r->asked.ceiling_ops_per_s <= 0)
        return NAN;
    return report_ops_per_s(r) / r->asked.ceiling_ops_per_s;
}

double
report_line_overhead(const struct report *r)
{
    uint64_t bodies = r->has_whole ? r->whole.wire_bytes : r->wire_bytes;

    if (bodies == 0 || r->tcp_bytes == 0)
        return NAN;
    return ((double) r->tcp_bytes +
            (double) r->tcp_segments * SEGMENT_OVERHEAD) /
               (double) bodies -
           1;
}

double
report_line_share(const struct report *r)
{
    double line = r->asked.line_bits_per_s / 8;

    return line > 0 ? per_second(r, r->wire_bytes) *
                          (1 + report_line_overhead(r)) / line
                    : NAN;
}

bool
report_is_client_bound(const struct report *r)
{
    int64_t lag = histogram_percentile(&r->lag, 0.5);
    int64_t service = histogram_percentile(&r->service, 0.5);

    if (r->loop_ran_ns > 0 && report_loop_busy(r) >= BUSY_LIMIT)
        return true;
    if (report_ceiling_share(r) >= CEILING_LIMIT) /* not when it is NaN */
        return true;
    return service > 0 && (double) lag > 0.05 * (double) service;
}

double
report_in_flight(const struct report *r)
{
    double window = report_window_s(r) * (double) CLOCK_NS_PER_S;

    return window > 0 && r->books.flight_ns > 0 ? r->books.flight_ns / window
                                                : NAN;
}

double
report_busy_share(const struct report *r)
{
    if (r->asked.rate_per_s > 0)
        return NAN;
    return report_in_flight(r) / r->asked.concurrency;
}

double
report_imbalance(const struct report *r)
{
    if (r->books.residence_ns <= 0)
        return NAN;
    return fabs(r->books.flight_ns - r->books.residence_ns) /
           r->books.residence_ns;
}

enum report_support
report_percentile(const struct histogram *h, uint64_t censored, double p,
                  int64_t *ns)
{
    uint64_t n = h->count + censored;
    enum histogram_support support = histogram_supports(n, p);

    *ns = h->max_ns;
    if (support == SUPPORT_NONE || h->count == 0)
        return REPORT_NONE;
    /* Rank ceil(p n) of all is rank ceil(p n) of those seen. */
    if (censored == 0)
        *ns = histogram_percentile(h, p);
    else if (ceil(p * (double) n) > (double) h->count)
        return REPORT_BEYOND;
    else
        *ns = histogram_percentile(h, p * (double) n / (double) h->count);
    return (enum report_support) support;
}

uint64_t
report_stage_censored(const struct report *r, size_t stage)
{
    return stage == STAGE_FIRST || stage == STAGE_BODY ? r->unfinished : 0;
}

/* Answers by which servers ask to be asked less. */
static bool
is_throttled(const struct report *r)
{
    static const char *const codes[] = {"SlowDown",
                                        "SlowDownRead",
                                        "SlowDownWrite",
                                        "ServiceUnavailable",
                                        "TooManyRequests",
                                        "RequestThrottled",
                                        "ThrottlingException",
                                        "Throttling"};

    for (uint32_t i = 0; i < r->failure_count; i++) {
        const struct report_failure *f = &r->failures[i];

        if (f->status == 429)
            return true;
        for (size_t k = 0; k < sizeof(codes) / sizeof(codes[0]); k++)
            if (strcmp(f->code, codes[k]) == 0)
                return true;
    }
    return false;
}

bool
report_has_lost(const struct report *r)
{
    for (uint32_t i = 0; i < r->worker_count; i++)
        if (r->workers[i].lost)
            return true;
    return false;
}

void
report_marks(char out[REPORT_MARKS_SIZE], const struct report *r)
{
    const struct {
        bool set;
        const char *name;
    } marks[] = {
        {report_is_few(r), "few"},
        {r->not_steady, "not-steady"},
        {report_is_client_bound(r), "client-bound"},
        {r->rate_missed, "rate-missed"},
        {r->stop_missed, "imprecise"},
        {report_has_lost(r), "worker-lost"},
        {r->errors > 0, "errors"},
        {is_throttled(r), "throttled"},
    };
    size_t n = 0;

    snprintf(out, REPORT_MARKS_SIZE, "-");
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        if (!marks[i].set)
            continue;
        n += (size_t) snprintf(out + n, REPORT_MARKS_SIZE - n, "%s%s",
                               n > 0 ? "," : "", marks[i].name);
    }
}

void
report_order_failures(uint32_t order[REPORT_FAILURES_MAX],
                      const struct report *r)
{
    for (uint32_t i = 0; i < r->failure_count; i++) {
        uint32_t at = i;

        /* Equal counts stay in the order in which they appeared. */
        for (; at > 0; at--) {
            if (r->failures[order[at - 1]].count >= r->failures[i].count)
                break;
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}
