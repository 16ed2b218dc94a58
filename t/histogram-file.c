/* SPDX-License-Identifier: MIT */
/* Histogram files: they come back as they were, add up, and are strict. */
#include "config.h"

#include "histogram_file.h"

#include <stdlib.h>

#include "tap.h"

#define SIZE 32768 /* counters: more than any histogram needs */

static uint64_t counts[4][SIZE];

static bool
same(const struct histogram *a, const struct histogram *b)
{
    return a->sub == b->sub && a->count == b->count && a->below == b->below &&
           a->above == b->above && a->sum_ns == b->sum_ns &&
           a->min_ns == b->min_ns && a->max_ns == b->max_ns &&
           memcmp(a->counts, b->counts, a->buckets * sizeof *a->counts) == 0;
}

static void
init(struct histogram *h, uint32_t sub, int i)
{
    memset(counts[i], 0, sizeof counts[i]);
    histogram_init(h, sub, counts[i]);
}

/* The I-th of values that reach from below 1 us to above 1 h. */
static int64_t
value(int64_t i)
{
    return (i * i * i * 7919) % INT64_C(4000000000000);
}

static void
test_round_trip(uint32_t sub)
{
    struct histogram h, back = {.counts = counts[1]};
    struct histogram_label label;
    const char *at;
    struct buf text;

    buf_init(&text, 1 << 22);
    init(&h, sub, 0);
    for (int64_t i = 0; i < 20000; i++)
        histogram_add(&h, value(i));
    ok(h.below > 0 && h.above > 0, "values on all sides");
    is_int(histogram_add_text(&text, &h, "put", "service", ""), 0, "written");
    at = text.data;
    is_str(histogram_parse(&back, &label, &at), NULL, "read");
    ok(*at == '\0', "to the end");
    is_str(label.op, "put", "op");
    is_str(label.stage, "service", "stage");
    ok(same(&h, &back), "%" PRIu32 " sub-buckets come back", sub);
    histogram_reset(&h);
    buf_reset(&text);
    is_int(histogram_add_text(&text, &h, "put", "tls", ""), 0, "empty");
    at = text.data;
    is_str(histogram_parse(&back, &label, &at), NULL, "read");
    ok(same(&h, &back), "an empty one comes back");
    buf_clear(&text);
}

/* Parts, written, read and merged, are the whole. */
static void
test_merge(void)
{
    struct histogram whole, part, sum, back = {.counts = counts[3]};
    struct histogram_label label;
    struct buf text;
    const char *at;

    buf_init(&text, 1 << 22);
    init(&whole, HISTOGRAM_SUB_OPS, 0);
    init(&sum, HISTOGRAM_SUB_OPS, 1);
    for (int p = 0; p < 4; p++) {
        init(&part, HISTOGRAM_SUB_OPS, 2);
        for (int64_t i = p; i < 10000; i += 4) {
            histogram_add(&whole, value(i) / 8);
            histogram_add(&part, value(i) / 8);
        }
        if (p > 0)
            buf_addc(&text, '\n');
        histogram_add_text(&text, &part, "get", "response",
                           "# program: s3op 1\n");
    }
    at = text.data;
    for (int p = 0; p < 4; p++) {
        is_str(histogram_parse(&back, &label, &at), NULL, "block %d", p);
        histogram_merge(&sum, &back);
    }
    ok(*at == '\0', "four blocks");
    ok(same(&whole, &sum), "the parts are the whole");
    is_int(histogram_percentile(&sum, 0.999),
           histogram_percentile(&whole, 0.999), "and so are percentiles");
    buf_clear(&text);
}

#define HEAD                                                                   \
    "# s3perf-hist 1\n# unit: ns\n# op: get\n# stage: body\n"                  \
    "# sub-buckets: 64\n# range: 1000 3600000000000\n"
#define FACTS "# count: 2\n# below: 0\n# above: 0\n# sum: 4000\n"
#define ENDS "# min: 2000\n# max: 2000\n"

static void
test_refused(void)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {HEAD FACTS ENDS "bucket\tcount\n125\t2\n", NULL},
        {"", "the block ends too early"},
        {"# s3perf-hist 2\n", "is not '# s3perf-hist 1'"},
        {HEAD FACTS ENDS, "the block ends too early"},
        {HEAD FACTS "bucket\tcount\n", "comes before all '#' lines are there"},
        {HEAD FACTS ENDS "bucket\tcount\n125\t2", "does not end"},
        {HEAD FACTS ENDS "bucket\tcount\n125\t2 \n",
         "is no bucket and its count"},
        {HEAD FACTS ENDS "bucket\tcount\n125\t2\t\n",
         "is no bucket and its count"},
        {HEAD FACTS ENDS "bucket\tcount\n125\t-2\n",
         "is no bucket and its count"},
        {HEAD FACTS ENDS "bucket\tcount\n125\t0\n",
         "is no bucket and its count"},
        {HEAD FACTS ENDS "bucket\tcount\n125\t1\n", "the counts do not add up"},
        {HEAD FACTS ENDS "bucket\tcount\n125\t3\n", "has more than all values"},
        {HEAD FACTS ENDS "bucket\tcount\n125\t1\n125\t1\n", "is not in order"},
        {HEAD FACTS ENDS "bucket\tcount\n125\t1\n124\t1\n", "is not in order"},
        {HEAD FACTS ENDS "bucket\tcount\n99999\t2\n", "is out of range"},
        {HEAD FACTS ENDS "bucket\tcount\n126\t2\n",
         "minimum and maximum do not fit the buckets"},
        {HEAD FACTS ENDS "# max: 2000\nbucket\tcount\n125\t2\n",
         "is there twice"},
        {HEAD FACTS "# min: -\n# max: -\nbucket\tcount\n125\t2\n",
         "minimum and maximum do not fit the buckets"},
        {HEAD "# count: 2\n# below: 0\n# above: 0\n# sum: 9000\n" ENDS
              "bucket\tcount\n125\t2\n",
         "the sum does not fit minimum and maximum"},
        {HEAD "# count: 2x\n", "has a bad value"},
        {"# s3perf-hist 1\n# unit: us\n", "has a bad value"},
        {"# s3perf-hist 1\n# sub-buckets: 48\n", "has a bad value"},
        {"# s3perf-hist 1\n# sub-buckets: 1024\n", "has a bad value"},
        {"# s3perf-hist 1\n# op: ../x\n", "has a bad value"},
        {"# s3perf-hist 1\n#\n", "comes before all '#' lines are there"},
        {"# s3perf-hist 1\n# Odd: x\n", "is no '# name: value'"},
    };
    struct histogram h = {.counts = counts[0]};
    struct histogram_label label;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = cases[i].text;

        is_str(histogram_parse(&h, &label, &at), cases[i].why, "case %zu", i);
    }
}

int
main(void)
{
    test_round_trip(HISTOGRAM_SUB_OPS);
    test_round_trip(HISTOGRAM_SUB_STAGES);
    test_merge();
    test_refused();
    return done_testing();
}
