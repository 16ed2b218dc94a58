/* SPDX-License-Identifier: MIT */
/* A summary as OpenMetrics text: counters and histograms. */
#include "config.h"

#include "stat_convert.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Upper ends of buckets in nanoseconds: 1, 2, 5, ... */
#define FIRST_NS 10000.0 /* 10 us */
#define LAST_NS 100e9

static void
put_label(const char *name, const char *value)
{
    printf("%s=\"", name);
    for (; *value != '\0'; value++) {
        if (*value == '\\' || *value == '"')
            putchar('\\');
        if (*value == '\n')
            fputs("\\n", stdout);
        else
            putchar(*value);
    }
    putchar('"');
}

static void
put_family(const char *name, const char *type, const char *unit,
           const char *help)
{
    printf("# TYPE s3perf_%s %s\n", name, type);
    if (unit != NULL)
        printf("# UNIT s3perf_%s %s\n", name, unit);
    printf("# HELP s3perf_%s %s\n", name, help);
}

static void
put_counter(const struct stat_result *r, const char *name, const char *unit,
            const char *help, uint64_t (*count)(const struct tally *t))
{
    put_family(name, "counter", unit, help);
    for (size_t i = 0; i < r->op_count; i++) {
        printf("s3perf_%s_total{", name);
        put_label("op", stat_result_op(r, r->ops_groups[i]));
        printf("} %" PRIu64 "\n", count(&r->ops_groups[i]->tally));
    }
}

static void
put_failures(const struct stat_result *r)
{
    put_family("failures", "counter", NULL,
               "Attempts that failed, by HTTP status, S3 code and transport "
               "error.");
    for (size_t i = 0; i < r->op_count; i++) {
        const struct tally *t = &r->ops_groups[i]->tally;
        uint32_t order[TALLY_FAILURES_MAX];

        tally_order_failures(order, t);
        for (uint32_t k = 0; k < t->failure_count; k++) {
            const struct tally_failure *f = &t->failures[order[k]];

            printf("s3perf_failures_total{");
            put_label("op", stat_result_op(r, r->ops_groups[i]));
            printf(",status=\"%" PRIu32 "\",", f->status);
            put_label("code", f->code);
            printf(",");
            put_label("transport", f->transport);
            printf("} %" PRIu64 "\n", f->count);
        }
    }
}

static void
put_sample(const struct stat_result *r, const struct stat_group *g,
           const char *name, const char *what)
{
    printf("s3perf_%s_%s{", name, what);
    put_label("op", stat_result_op(r, g));
}

static void
put_histogram(const struct stat_result *r, struct stat_group *g,
              const char *name, enum tally_time which)
{
    static const double steps[] = {1, 2, 5};
    uint64_t censored;
    struct dist *d = tally_times(&g->tally, which, &censored);
    double sum_s = d->count > 0 ? dist_mean(d) * (double) d->count / 1e9 : 0;

    for (double decade = FIRST_NS; decade < LAST_NS; decade *= 10)
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            double ns = decade * steps[i];

            put_sample(r, g, name, "bucket");
            printf(",le=\"%g\"} %" PRIu64 "\n", ns / 1e9,
                   dist_up_to(d, (int64_t) llround(ns)));
        }
    put_sample(r, g, name, "bucket");
    printf(",le=\"+Inf\"} %" PRIu64 "\n", d->count);
    put_sample(r, g, name, "count");
    printf("} %" PRIu64 "\n", d->count);
    put_sample(r, g, name, "sum");
    printf("} %.9f\n", sum_s);
}

static void
put_histograms(struct stat_result *r, const char *name, const char *help,
               enum tally_time which)
{
    put_family(name, "histogram", "seconds", help);
    for (size_t i = 0; i < r->op_count; i++)
        put_histogram(r, r->ops_groups[i], name, which);
}

static uint64_t
ops_of(const struct tally *t)
{
    return t->ops;
}

static uint64_t
good_bytes_of(const struct tally *t)
{
    return t->good_bytes;
}

static uint64_t
wire_bytes_of(const struct tally *t)
{
    return t->wire_bytes;
}

void
stat_print_openmetrics(struct stat_result *r)
{
    put_counter(r, "operations", NULL, "Operations that succeeded.", ops_of);
    put_counter(r, "good_bytes", "bytes", "Body bytes of those.",
                good_bytes_of);
    put_counter(r, "wire_bytes", "bytes", "Body bytes of all attempts.",
                wire_bytes_of);
    put_failures(r);
    put_histograms(r, "service_seconds", "Time of successes since their start.",
                   TALLY_SERVICE);
    put_histograms(r, "response_seconds",
                   "Time of successes since they were due.", TALLY_RESPONSE);
    put_histograms(r, "first_byte_seconds",
                   "Time to the first byte of the answer.", TALLY_FIRST);
    printf("# EOF\n");
}
