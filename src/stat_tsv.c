/* SPDX-License-Identifier: MIT */
/* s3stat summary --tsv: one line a group, for gnuplot and awk. */
#include "config.h"

#include "stat_styles.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "version.h"

static const char columns[] =
    "file\top\tpart\twindow\tfrom_s\tto_s\tops\terrors\tunfinished\t"
    "good_bytes\twire_bytes\tops_per_s\tops_per_s_low\tops_per_s_high\t"
    "bytes_per_s\tin_flight\tlanes";

/* What is printed of each distribution. */
static const struct {
    const char *name;
    double p;
} percentiles[] = {
    {"p50", 0.5}, {"p75", 0.75}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}};

#define PERCENTILES (sizeof percentiles / sizeof *percentiles)

void
stat_put_tsv_number(double value, int decimals)
{
    if (isfinite(value))
        printf("\t%.*f", decimals, value);
    else
        printf("\t-");
}

void
stat_put_tsv_percentile(struct dist *d, uint64_t censored, double p)
{
    int64_t ns;
    enum dist_support support = dist_supported(d, censored, p, &ns);

    if (support == DIST_NONE)
        printf("\t-");
    else
        printf("\t%s%.3f", support == DIST_BEYOND ? ">" : "",
               (double) ns / 1000);
}

void
stat_put_tsv_text(const char *text)
{
    struct buf field;

    buf_init(&field, 64 << 10);
    if (record_add_field(&field, text) == 0)
        fputs(field.data, stdout);
    buf_clear(&field);
}

void
stat_put_tsv_head(const char *format)
{
    printf("# %s\n# program: s3stat %s\n", format, S3PERF_VERSION);
}

static void
put_times(struct tally *t, enum tally_time which)
{
    uint64_t censored;
    struct dist *d = tally_times(t, which, &censored);
    bool any = d->count > 0;

    stat_put_tsv_number(any ? (double) d->min_ns / 1000 : NAN, 3);
    for (size_t i = 0; i < PERCENTILES; i++)
        stat_put_tsv_percentile(d, censored, percentiles[i].p);
    stat_put_tsv_number(any ? (double) d->max_ns / 1000 : NAN, 3);
    stat_put_tsv_number(dist_mean(d) / 1000, 3);
    stat_put_tsv_number(dist_deviation(d) / 1000, 3);
}

static void
put_group(struct stat_result *r, struct stat_group *g)
{
    const struct tally *t = &g->tally;
    struct stat_confidence c;
    int64_t from = 0, to = 0;

    stat_result_confidence(&c, r, g);
    if (r->timed)
        stat_result_window(&from, &to, r, g);
    stat_put_tsv_text(r->name);
    printf("\t%s\t", stat_result_op(r, g)); /* encoded as it was read */
    stat_put_tsv_text(g->label);
    printf("\t%s", r->timed ? stat_window_word(r->window.kind) : "-");
    stat_put_tsv_number(r->timed ? (double) from / 1e9 : NAN, 9);
    stat_put_tsv_number(r->timed ? (double) to / 1e9 : NAN, 9);
    printf("\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
           t->ops, tally_errors(t), t->unfinished, t->good_bytes,
           t->wire_bytes);
    stat_put_tsv_number(stat_result_rate(r, g, (double) t->ops), 3);
    stat_put_tsv_number(c.ops_per_s.low, 3);
    stat_put_tsv_number(c.ops_per_s.high, 3);
    stat_put_tsv_number(stat_result_rate(r, g, (double) t->good_bytes), 1);
    stat_put_tsv_number(stat_result_rate(r, g, t->residence_ns / 1e9), 3);
    printf("\t%" PRIu64, stat_result_lanes(r, g));
    for (enum tally_time i = 0; i < TALLY_TIMES; i++)
        put_times(&g->tally, i);
    stat_put_tsv_number(c.p50_ns.low / 1000, 3);
    stat_put_tsv_number(c.p50_ns.high / 1000, 3);
    stat_put_tsv_number(c.p99_ns.low / 1000, 3);
    stat_put_tsv_number(c.p99_ns.high / 1000, 3);
    printf("\n");
}

static void
put_columns(void)
{
    fputs(columns, stdout);
    for (enum tally_time i = 0; i < TALLY_TIMES; i++) {
        const char *name = tally_time_names[i];

        printf("\t%s_min_us", name);
        for (size_t k = 0; k < PERCENTILES; k++)
            printf("\t%s_%s_us", name, percentiles[k].name);
        printf("\t%s_max_us\t%s_mean_us\t%s_stddev_us", name, name, name);
    }
    printf("\tp50_low_us\tp50_high_us\tp99_low_us\tp99_high_us\n");
}

void
stat_print_tsv(struct stat_result *r, bool head)
{
    if (head) {
        stat_put_tsv_head(STAT_TSV_FORMAT);
        put_columns();
    }
    for (size_t i = 0; i < r->op_count; i++)
        put_group(r, r->ops_groups[i]);
    for (size_t i = 0; i < r->part_count; i++)
        put_group(r, r->parts[i]);
}
