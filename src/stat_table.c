/* SPDX-License-Identifier: MIT */
/* s3stat summary --style table: a result for people. */
#include "config.h"

#include "stat_styles.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stat_page.h"

#define LABEL 12
#define WIDTH 79
#define FAILURES_SHOWN 10
#define MIB (1024.0 * 1024)

static void
put_label(const char *label)
{
    printf("%-*s", LABEL, label);
}

static void
put_first_line(const struct stat_result *r, const struct stat_group *g)
{
    const struct tally *t = &g->tally;
    uint64_t errors = tally_errors(t);
    char window[UNITS_TEXT_SIZE], rate[UNITS_TEXT_SIZE];
    double mib = stat_result_rate(r, g, (double) t->good_bytes) / MIB;

    printf("%s  %" PRIu64 " op%s, %" PRIu64 " error%s", stat_result_op(r, g),
           t->ops, stat_plural(t->ops), errors, stat_plural(errors));
    if (r->timed) {
        units_format_duration(window, stat_result_window_s(r, g) * 1e9);
        stat_format_rate(rate, stat_result_rate(r, g, (double) t->ops));
        printf(" in %s   %s ops/s", window, rate);
    }
    if (t->good_bytes > 0 && isfinite(mib)) {
        stat_format_rate(rate, mib);
        printf("   %s MiB/s", rate);
    }
    printf("\n\n");
}

static void
put_window(const struct stat_result *r, const struct stat_group *g)
{
    uint64_t out = g->tally.outside;
    int64_t from, to;

    if (!r->timed)
        return;
    stat_result_window(&from, &to, r, g);
    put_label("window");
    printf("%.3f to %.3f s: %s", (double) from / 1e9, (double) to / 1e9,
           stat_window_text(r->window.kind));
    if (out > 0)
        printf("; %" PRIu64 " record%s left out", out, stat_plural(out));
    printf("\n");
}

static bool
put_interval(const char *label, const struct stat_interval *i, double scale,
             const char *unit)
{
    char low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];

    if (!isfinite(i->low) || !isfinite(i->high))
        return false;
    if (scale > 0) {
        stat_format_rate(low, i->low / scale);
        stat_format_rate(high, i->high / scale);
    } else {
        stat_format_time(low, i->low);
        stat_format_time(high, i->high);
    }
    printf("%s%s to %s%s", label, low, high, unit);
    return true;
}

static void
put_confidence(const struct stat_result *r, struct stat_group *g)
{
    struct stat_confidence c;

    stat_result_confidence(&c, r, g);
    if (c.blocks == 0 && !c.ranks)
        return;
    if (isfinite(c.ops_per_s.low)) {
        put_label("95 %");
        put_interval("", &c.ops_per_s, 1, " ops/s");
        if (g->tally.good_bytes > 0)
            put_interval(", ", &c.bytes_per_s, MIB, " MiB/s");
        printf("\n");
    }
    if (isfinite(c.p50_ns.low)) {
        put_label(isfinite(c.ops_per_s.low) ? "" : "95 %");
        put_interval("p50 ", &c.p50_ns, 0, "");
        put_interval(", p99 ", &c.p99_ns, 0, "");
        printf("\n");
    }
    put_label("");
    if (c.ranks)
        printf("from the order of values of one lane, taken as independent\n");
    else
        printf("from how %zu blocks of %.3g s differ\n", c.blocks, c.block_s);
}

static void
put_sizes(const struct tally *t)
{
    char text[UNITS_TEXT_SIZE];

    if (t->ops == 0 || t->max_size == 0)
        return;
    put_label("size");
    units_format_size(text, (double) t->min_size);
    printf("%s", text);
    if (t->max_size > t->min_size) {
        units_format_size(text, (double) t->max_size);
        printf(" to %s", text);
    }
    units_format_size(text, (double) t->good_bytes);
    printf(", %s good", text);
    units_format_size(text, (double) t->wire_bytes);
    printf(", %s over the wire\n", text);
}

static void
put_facts(const struct stat_result *r, const struct stat_group *g)
{
    const struct tally *t = &g->tally;
    uint64_t lanes = stat_result_lanes(r, g);

    put_sizes(t);
    if (r->timed && t->objects != t->ops) {
        put_label("objects");
        printf("%" PRIu64 "\n", t->objects);
    }
    if (r->timed) {
        put_label("lanes");
        printf("%" PRIu64 ", %.4g in flight on average\n", lanes,
               stat_result_rate(r, g, t->residence_ns / 1e9));
    }
    if (r->format == INTAKE_OPS && t->ops > 0) {
        put_label("reused");
        printf("%" PRIu64 " of %" PRIu64 " on a connection already open\n",
               t->reused, t->ops);
    }
    if (t->again > 0) {
        put_label("repeated");
        printf("%" PRIu64 " attempt%s that failed\n", t->again,
               stat_plural(t->again));
    }
    if (t->unfinished > 0) {
        put_label("unfinished");
        printf("%" PRIu64 " given up at the end\n", t->unfinished);
    }
}

static void
put_speed(double bytes_per_s, double ops_per_s, bool bytes)
{
    char rate[UNITS_TEXT_SIZE];

    stat_format_rate(rate, bytes ? bytes_per_s / MIB : ops_per_s);
    printf("%s%s", rate, bytes ? "" : " ops/s");
}

static void
put_extremes(const struct stat_result *r, const struct stat_group *g)
{
    struct stat_extremes e;

    stat_result_extremes(&e, r, g);
    if (e.count < 3)
        return;
    put_label("intervals");
    printf("%zu of %.3g s: slowest ", e.count, e.width_s);
    put_speed(e.slowest.bytes_per_s, e.slowest.ops_per_s, e.by_bytes);
    printf(", median ");
    put_speed(e.median.bytes_per_s, e.median.ops_per_s, e.by_bytes);
    printf(", fastest ");
    put_speed(e.fastest.bytes_per_s, e.fastest.ops_per_s, e.by_bytes);
    printf("%s\n", e.by_bytes ? " MiB/s" : "");
}

static void
put_latency(struct stat_marks *marks, const char *label, struct tally *t,
            enum tally_time which)
{
    uint64_t censored;
    struct dist *d = tally_times(t, which, &censored);

    if (d->count == 0)
        return;
    printf("%-8s", label);
    stat_put_time((double) d->min_ns);
    stat_put_percentile(marks, d, censored, 0.5);
    stat_put_percentile(marks, d, censored, 0.75);
    stat_put_percentile(marks, d, censored, 0.9);
    stat_put_percentile(marks, d, censored, 0.99);
    stat_put_percentile(marks, d, censored, 0.999);
    stat_put_time((double) d->max_ns);
    stat_put_time(dist_mean(d));
    stat_put_time(dist_deviation(d));
    printf("\n");
}

static void
put_latencies(struct stat_marks *marks, struct tally *t)
{
    static const struct {
        const char *label;
        enum tally_time which;
    } rows[] = {{"service", TALLY_SERVICE}, {"response", TALLY_RESPONSE},
                {"failed", TALLY_FAILED},   {"lookup", TALLY_LOOKUP},
                {"connect", TALLY_CONNECT}, {"tls", TALLY_TLS},
                {"sent", TALLY_SENT},       {"first", TALLY_FIRST},
                {"body", TALLY_BODY},       {"verify", TALLY_VERIFY}};

    if (t->times[TALLY_SERVICE].count + t->times[TALLY_FAILED].count == 0)
        return;
    printf("\n%-8s %7s %7s %7s %7s %7s %7s %7s %7s %7s\n", "time", "min", "p50",
           "p75", "p90", "p99", "p99.9", "max", "mean", "stddev");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].which != TALLY_RESPONSE || t->responds)
            put_latency(marks, rows[i].label, t, rows[i].which);
}

void
stat_put_failures(const struct tally *t, uint32_t most)
{
    uint32_t order[TALLY_FAILURES_MAX];
    uint64_t rest = 0;
    uint32_t shown = 0;

    if (t->failed == 0)
        return;
    tally_order_failures(order, t);
    printf("\n%-8s %9s  %6s  %-32s %s\n", "failures", "records", "status",
           "code", "transport");
    for (uint32_t i = 0; i < t->failure_count; i++) {
        const struct tally_failure *f = &t->failures[order[i]];

        if (shown == most) {
            rest += f->count;
            continue;
        }
        if (f->count == 0)
            continue;
        shown++;
        printf("%-8s %9" PRIu64 "  ", "", f->count);
        if (f->status > 0)
            printf("%6" PRIu32 "  ", f->status);
        else
            printf("%6s  ", "-");
        stat_put_text(*f->code != '\0' ? f->code : "-", 32);
        printf(" %.16s\n", *f->transport != '\0' ? f->transport : "-");
    }
    if (rest > 0)
        printf("%-8s %9" PRIu64 "  of other kinds\n", "", rest);
}

/* --- parts --- */

static void
put_parts(struct stat_marks *marks, const struct stat_result *r,
          const struct stat_group *whole)
{
    static const char *const titles[] = {"", "size", "endpoint", "host",
                                         "from"};
    bool first = true;

    for (size_t i = 0; i < r->part_count; i++) {
        struct stat_group *g = r->parts[i];
        char rate[UNITS_TEXT_SIZE];
        uint64_t censored;
        struct dist *d;

        if (g->op != whole->op)
            continue;
        if (first)
            printf("\n%-24s %8s %6s %7s %7s %7s %7s %7s\n", titles[r->by],
                   "ops", "errors", "ops/s", "MiB/s", "p50", "p99", "max");
        first = false;
        stat_put_text(g->label, 24);
        printf(" %8" PRIu64 " %6" PRIu64, g->tally.ops,
               tally_errors(&g->tally));
        stat_format_rate(rate, stat_result_rate(r, g, (double) g->tally.ops));
        printf(" %7s", rate);
        stat_format_rate(
            rate, stat_result_rate(r, g, (double) g->tally.good_bytes) / MIB);
        printf(" %7s", rate);
        d = tally_times(&g->tally, TALLY_SERVICE, &censored);
        stat_put_percentile(marks, d, censored, 0.5);
        stat_put_percentile(marks, d, censored, 0.99);
        stat_put_time(d->count > 0 ? (double) d->max_ns : NAN);
        printf("\n");
    }
}

static void
put_notes(const struct stat_result *r, const struct stat_group *g)
{
    bool exact = dist_is_exact(&g->tally.times[TALLY_SERVICE]);

    if (g->tally.ops > 0)
        printf("\nPercentiles are %s.\n",
               exact      ? "exact: all values were kept"
               : r->timed ? "from histograms, within 0.1 %"
                          : "from histograms, within 0.1 %, of stages 1 %");
    if (stat_result_is_few(r, g))
        printf("Few operations: less than %s.\n",
               r->window.rate_per_s > 0 ? "100" : "10 a lane");
    if (stat_result_fact(r, "insecure") != NULL)
        printf("TLS was not verified.\n");
}

void
stat_print_table(struct stat_result *r, bool named)
{
    if (named)
        printf("== %s\n\n", r->name);
    if (r->op_count == 0)
        printf("no records\n");
    for (size_t i = 0; i < r->op_count; i++) {
        struct stat_group *g = r->ops_groups[i];
        struct stat_marks marks = {false, false, false};

        if (i > 0)
            printf("\n");
        put_first_line(r, g);
        put_window(r, g);
        put_confidence(r, g);
        put_extremes(r, g);
        put_facts(r, g);
        put_latencies(&marks, &g->tally);
        put_parts(&marks, r, g);
        stat_put_failures(&g->tally, FAILURES_SHOWN);
        stat_put_marks(&marks);
        put_notes(r, g);
    }
}
