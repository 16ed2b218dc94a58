/* SPDX-License-Identifier: MIT */
/* s3stat summary --style warp and s3bench: shapes that people know, with our
 * numbers in them. */
#include "config.h"

#include "stat_styles.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stat_page.h"

#define MIB (1024.0 * 1024)
#define MB 1e6

/* --- warp --- */

/* Its name of an operation. */
static void
format_warp_op(char out[32], const char *op)
{
    static const char *const names[][2] = {
        {"head", "STAT"}, {"rm", "DELETE"}, {"ls", "LIST"}};
    size_t i = 0;

    snprintf(out, 32, "%s", op);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(op, names[k][0]) == 0)
            snprintf(out, 32, "%s", names[k][1]);
    for (; out[i] != '\0'; i++)
        out[i] = (char) toupper((unsigned char) out[i]);
}

/* "2m0s", "45s". */
static void
put_go_seconds(double s)
{
    long long whole = (long long) s;

    if (whole >= 3600)
        printf("%lldh%lldm%llds", whole / 3600, whole / 60 % 60, whole % 60);
    else if (whole >= 60)
        printf("%lldm%llds", whole / 60, whole % 60);
    else
        printf("%llds", whole);
}

static void
put_ms(const char *label, double ns)
{
    if (isfinite(ns))
        printf("%s%.1fms", label, ns / 1e6);
    else
        printf("%s-", label);
}

/* A percentile, NaN where the sample is too small for it. */
static double
percentile(struct dist *d, uint64_t censored, double p)
{
    int64_t ns;
    enum dist_support support = dist_supported(d, censored, p, &ns);

    return support == DIST_NONE || support == DIST_BEYOND ? NAN : (double) ns;
}

static void
put_warp_times(struct tally *t)
{
    uint64_t censored;
    struct dist *d = tally_times(t, TALLY_SERVICE, &censored);

    if (d->count == 0)
        return;
    put_ms("* Reqs: Avg: ", dist_mean(d));
    put_ms(", 50%: ", percentile(d, censored, 0.5));
    put_ms(", 90%: ", percentile(d, censored, 0.9));
    put_ms(", 99%: ", percentile(d, censored, 0.99));
    put_ms(", Fastest: ", (double) d->min_ns);
    put_ms(", Slowest: ", (double) d->max_ns);
    put_ms(", StdDev: ", dist_deviation(d));
    printf("\n");
    d = tally_times(t, TALLY_FIRST, &censored);
    if (d->count == 0)
        return;
    put_ms("* TTFB: Avg: ", dist_mean(d));
    put_ms(", Best: ", (double) d->min_ns);
    put_ms(", 25th: ", percentile(d, censored, 0.25));
    put_ms(", Median: ", percentile(d, censored, 0.5));
    put_ms(", 75th: ", percentile(d, censored, 0.75));
    put_ms(", 90th: ", percentile(d, censored, 0.9));
    put_ms(", 99th: ", percentile(d, censored, 0.99));
    put_ms(", Worst: ", (double) d->max_ns);
    put_ms(" StdDev: ", dist_deviation(d));
    printf("\n");
}

static void
put_warp_speed(const char *label, double bytes_per_s, double ops_per_s)
{
    printf("* %s: ", label);
    if (bytes_per_s > 0)
        printf("%.1fMiB/s, ", bytes_per_s / MIB);
    printf("%.2f obj/s\n", ops_per_s);
}

static void
put_warp_extremes(const struct stat_result *r, const struct stat_group *g)
{
    struct stat_extremes e;

    stat_result_extremes(&e, r, g);
    if (e.count < 3) {
        printf("\nThroughput: too few whole intervals of %.3gs\n", e.width_s);
        return;
    }
    printf("\nThroughput, split into %zu x %.3gs:\n", e.count, e.width_s);
    put_warp_speed("Fastest", e.fastest.bytes_per_s, e.fastest.ops_per_s);
    put_warp_speed("50% Median", e.median.bytes_per_s, e.median.ops_per_s);
    put_warp_speed("Slowest", e.slowest.bytes_per_s, e.slowest.ops_per_s);
}

void
stat_print_warp(struct stat_result *r)
{
    for (size_t i = 0; i < r->op_count; i++) {
        struct stat_group *g = r->ops_groups[i];
        struct tally *t = &g->tally;
        double bytes = stat_result_rate(r, g, (double) t->good_bytes);
        char op[32];

        if (i > 0)
            printf("\n----------------------------------------\n");
        format_warp_op(op, stat_result_op(r, g));
        printf("%s. Concurrency: %" PRIu64 ". Ran: ", op,
               stat_result_lanes(r, g));
        put_go_seconds(stat_result_window_s(r, g));
        printf("\n* Average: ");
        if (bytes > 0)
            printf("%.2f MiB/s, ", bytes / MIB);
        printf("%.2f obj/s\n", stat_result_rate(r, g, (double) t->objects));
        if (tally_errors(t) > 0)
            printf("* Errors: %" PRIu64 "\n", tally_errors(t));
        put_warp_times(t);
        put_warp_extremes(r, g);
    }
}

/* --- s3bench --- */

static void
put_bench_time(const char *word, const char *what, double ns)
{
    if (isfinite(ns))
        printf("%s times %s: %.3f s\n", word, what, ns / 1e9);
    else
        printf("%s times %s: -\n", word, what);
}

static void
put_bench_times(const char *word, struct tally *t)
{
    static const struct {
        const char *name;
        double p;
    } rows[] = {{"99th %ile", 0.99},
                {"90th %ile", 0.9},
                {"75th %ile", 0.75},
                {"50th %ile", 0.5},
                {"25th %ile", 0.25}};
    uint64_t censored;
    struct dist *d = tally_times(t, TALLY_SERVICE, &censored);

    put_bench_time(word, "Max", d->count > 0 ? (double) d->max_ns : NAN);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        put_bench_time(word, rows[i].name, percentile(d, censored, rows[i].p));
    put_bench_time(word, "Min", d->count > 0 ? (double) d->min_ns : NAN);
}

void
stat_print_s3bench(struct stat_result *r)
{
    for (size_t i = 0; i < r->op_count; i++) {
        struct stat_group *g = r->ops_groups[i];
        const struct tally *t = &g->tally;
        const char *op = stat_result_op(r, g), *word = op;
        double rate = stat_result_rate(r, g, (double) t->good_bytes) / MB;

        if (strcasecmp(op, "put") == 0)
            word = "Write";
        else if (strcasecmp(op, "get") == 0)
            word = "Read";
        if (i > 0)
            printf("\n");
        printf("Results Summary for %s Operation(s)\n", word);
        printf("Total Transferred: %.3f MB\n", (double) t->good_bytes / MB);
        printf("Total Throughput: %.2f MB/s\n", isfinite(rate) ? rate : 0);
        printf("Total Duration: %.3f s\n", stat_result_window_s(r, g));
        printf("Number of Errors: %" PRIu64 "\n", tally_errors(t));
        printf("------------------------------------\n");
        put_bench_times(word, &g->tally);
    }
}
