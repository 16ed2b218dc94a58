/* SPDX-License-Identifier: MIT */
/* The report as lines of tables: what opens them, and cells.tsv. */
#include "config.h"

#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A "# name: value" line; control bytes would break it. */
static int
add_comment(struct buf *out, const char *name, const char *value)
{
    int err = buf_addf(out, "# %s: ", name);

    for (; *value != '\0' && err == 0; value++) {
        unsigned char c = (unsigned char) *value;

        if (c < ' ' || c == 0x7f)
            err = buf_addf(out, "\\x%02x", c);
        else
            err = buf_addc(out, *value);
    }
    return err != 0 ? err : buf_addc(out, '\n');
}

/* What decides the window of a run that time ends: whoever reads its records
 * finds the same one. */
static int
add_load(struct buf *out, const struct report_asked *a)
{
    int err = 0;

    if (a->duration_ns <= 0)
        return 0;
    err = buf_addf(out,
                   "# concurrency: %" PRIu32 "\n# duration: %.9f\n"
                   "# warmup: %.9f\n",
                   a->concurrency, (double) a->duration_ns / 1e9,
                   (double) a->warmup_ns / 1e9);
    if (err == 0 && a->count != UINT64_MAX)
        err = buf_addf(out, "# operations: %" PRIu64 "\n", a->count);
    if (err == 0 && a->rate_per_s > 0)
        err = buf_addf(out, "# rate: %.6f\n", a->rate_per_s);
    return err;
}

int
report_add_header(struct buf *out, const struct report_asked *asked,
                  const char *format, const char *columns)
{
    int err = buf_addf(out, "# %s\n# program: %s %s\n", format, asked->program,
                       asked->version);

    if (err == 0)
        err = add_comment(out, "command", asked->command);
    if (err == 0)
        err = buf_addf(out, "# seed: %" PRIu64 "\n", asked->seed);
    if (err == 0)
        err = add_comment(out, "endpoint", asked->endpoint);
    if (err == 0)
        err = add_comment(out, "payload hash", asked->payload_hash);
    if (err == 0)
        err = buf_addf(out, "# started: %s\n", asked->started);
    if (err == 0)
        err = add_load(out, asked);
    if (err == 0 && asked->insecure)
        err = add_comment(out, "insecure", "TLS was not verified");
    if (err == 0)
        err = buf_add(out, columns, strcspn(columns, "\n"));
    return err != 0 ? err : buf_addc(out, '\n');
}

/* "\tVALUE", or "\t-" when VALUE is not known. */
static int
add_number(struct buf *out, double value, int decimals)
{
    if (!isfinite(value))
        return buf_adds(out, "\t-");
    return buf_addf(out, "\t%.*f", decimals, value);
}

/* "\tVALUE" in microseconds, "\t>MAX" when it is among what was given up. */
static int
add_percentile(struct buf *out, const struct histogram *h, uint64_t censored,
               double p)
{
    int64_t ns;
    enum report_support support = report_percentile(h, censored, p, &ns);

    if (support == REPORT_NONE)
        return buf_adds(out, "\t-");
    return buf_addf(out, "\t%s%.3f", support == REPORT_BEYOND ? ">" : "",
                    (double) ns / (double) CLOCK_NS_PER_US);
}

static double
exact_us(const struct histogram *h, int64_t ns)
{
    return h->count > 0 ? (double) ns / (double) CLOCK_NS_PER_US : NAN;
}

static int
add_cell_what(struct buf *out, const struct report *r)
{
    char marks[REPORT_MARKS_SIZE];
    int err = record_add_field(out, r->asked.endpoint);

    report_marks(marks, r);
    if (err == 0)
        err = buf_addc(out, '\t');
    if (err == 0)
        err = record_add_field(out, r->asked.phase);
    if (err != 0)
        return err;
    return buf_addf(out,
                    "\t%" PRIu64 "\t%" PRIu32 "\t1\t%s\t%" PRIu64 "\t%" PRIu64
                    "\t%" PRIu64 "\t%" PRIu64,
                    r->asked.size, r->asked.concurrency, marks, r->ops,
                    r->errors, r->good_bytes, r->wire_bytes);
}

static int
add_cell_times(struct buf *out, const struct report *r)
{
    const struct histogram *h = &r->service;
    const struct histogram *first = &r->stages[STAGE_FIRST];
    uint64_t unseen = report_stage_censored(r, STAGE_FIRST);
    uint64_t lost = r->unfinished, late = r->unfinished + r->unstarted;
    int err = add_number(out, histogram_mean(h) / (double) CLOCK_NS_PER_US, 3);

    if (err == 0)
        err = add_number(out, exact_us(h, h->min_ns), 3);
    if (err == 0)
        err = add_percentile(out, h, lost, 0.5);
    if (err == 0)
        err = add_percentile(out, h, lost, 0.9);
    if (err == 0)
        err = add_percentile(out, h, lost, 0.99);
    if (err == 0)
        err = add_percentile(out, h, lost, 0.999);
    if (err == 0)
        err = add_number(out, exact_us(h, h->max_ns), 3);
    if (err == 0)
        err = add_percentile(out, first, unseen, 0.5);
    if (err == 0)
        err = add_percentile(out, first, unseen, 0.99);
    if (err == 0)
        err = add_percentile(out, &r->response, late, 0.5);
    if (err == 0)
        err = add_percentile(out, &r->response, late, 0.99);
    return err;
}

int
report_add_cell(struct buf *out, const struct report *r)
{
    double reused = r->ops > 0 ? (double) r->reused / (double) r->ops : NAN;
    double rate = r->asked.rate_per_s > 0 ? r->asked.rate_per_s : NAN;
    int err = add_cell_what(out, r);

    if (err == 0)
        err = add_number(out, report_window_s(r), 9);
    if (err == 0)
        err = add_number(out, report_ops_per_s(r), 3);
    if (err == 0)
        err = add_number(out, report_bytes_per_s(r), 1);
    if (err == 0)
        err = add_number(out, rate, 3);
    if (err == 0)
        err = add_cell_times(out, r);
    if (err == 0)
        err = add_number(out, report_cpu_us_per_op(r), 3);
    if (err == 0)
        err = add_percentile(out, &r->lag, 0, 0.99);
    if (err == 0)
        err = add_number(out, reused, 4);
    if (err == 0)
        err = buf_addf(out, "\t%s\t", r->asked.started);
    if (err == 0)
        err = record_add_field(out, r->asked.hist);
    return err != 0 ? err : buf_addc(out, '\n');
}
