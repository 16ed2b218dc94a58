/* SPDX-License-Identifier: MIT */
/* Parts survive their file, and add up as if one process had seen it all. */
#include "config.h"

#include "part.h"

#include <math.h>
#include <stdlib.h>

#include "tap.h"

#define S INT64_C(1000000000)
#define MS INT64_C(1000000)
#define REGION offsetof(struct report, ops)
#define REGION_SIZE (offsetof(struct report, service) - REGION)

static const struct report_asked asked = {.program = "s3op",
                                          .version = "1",
                                          .command = "s3op get",
                                          .op = "get",
                                          .phase = "get",
                                          .bucket = "b",
                                          .key = "k",
                                          .endpoint = "http://h",
                                          .region = "r",
                                          .addressing = "path",
                                          .payload_hash = "signed",
                                          .connection = "reuse",
                                          .concurrency = 1,
                                          .started = "2026-11-30T22:00:00Z"};

static void
begin(struct part *p, uint32_t number, uint32_t of)
{
    if (part_init(p, &asked, S) != 0)
        abort();
    p->number = number;
    p->of = of;
    interval_begin(&p->intervals, 0);
}

/* An operation that ends at END_NS after TOTAL_NS, in both views. */
static void
operation(struct part *p, int64_t end_ns, int64_t total_ns, bool good)
{
    struct record r = {.due_ns = end_ns - total_ns - 100,
                       .start_ns = end_ns - total_ns,
                       .end_ns = end_ns,
                       .sent_ns = total_ns / 3,
                       .first_ns = total_ns / 2,
                       .body_ns = RECORD_NONE,
                       .total_ns = total_ns,
                       .status = good ? 200 : 503,
                       .good_bytes = good ? 10 : 0,
                       .wire_bytes = 11,
                       .reused = true,
                       .ok = good};

    if (!good)
        strcpy(r.code, "Slow\tDown");
    report_add(&p->whole, &r, "ease\n off");
    report_add(&p->inside, &r, "ease\n off");
    interval_take_up(&p->intervals, r.start_ns);
    interval_finish(&p->intervals, end_ns, total_ns,
                    good ? INTERVAL_OK : INTERVAL_ERROR, r.good_bytes);
}

/* Write P and read it back as another part. */
static const char *
copy(struct part *back, const struct part *p)
{
    struct buf text;
    uint64_t line;
    const char *why;

    buf_init(&text, PART_MAX_BYTES);
    begin(back, 0, 1);
    if (part_add_text(&text, p) != 0)
        abort();
    why = part_parse(back, text.data, &line);
    buf_clear(&text);
    return why;
}

static bool
same_histogram(const struct histogram *a, const struct histogram *b)
{
    return a->count == b->count && a->sum_ns == b->sum_ns &&
           a->min_ns == b->min_ns && a->max_ns == b->max_ns &&
           memcmp(a->counts, b->counts, a->buckets * sizeof *a->counts) == 0;
}

static bool
same_intervals(const struct interval_table *a, const struct interval_table *b)
{
    return a->count == b->count && a->width_ns == b->width_ns &&
           memcmp(a->rows, b->rows, a->count * sizeof *a->rows) == 0;
}

static void
test_round_trip(void)
{
    struct part p, back;
    const struct histogram *h;
    const char *name;
    size_t n = 0;

    begin(&p, 2, 5);
    p.begin_ns = 12345;
    p.open_ns = 17;
    p.ended_ns = 9 * S;
    p.timed = p.stopped = true;
    p.write_err = 28;
    p.verify = "inline";
    for (int64_t i = 0; i < 3000; i++)
        operation(&p, i * 3 * MS + 7 * MS, i * 1001 + 1500, i % 10 != 0);
    is_str(copy(&back, &p), NULL, "a part can be read");
    ok(back.number == 2 && back.of == 5 && back.begin_ns == 12345 &&
           back.open_ns == 17 && back.close_ns == PART_NEVER &&
           back.ended_ns == 9 * S && back.timed && back.stopped &&
           back.err == 0 && back.write_err == 28,
       "its facts come back");
    is_str(back.verify, "inline", "and how it verified");
    is_int((int64_t) back.whole.ops, 2700, "operations");
    is_int(back.whole.failure_count, 1, "one kind of failure");
    is_str(back.whole.failures[0].code, "Slow\tDown", "its code");
    is_str(back.whole.failures[0].message, "ease\n off", "and message");
    for (; (h = report_histogram(&p.inside, n, &name)) != NULL; n++) {
        const char *again;

        ok(same_histogram(h, report_histogram(&back.inside, n, &again)),
           "histogram %s comes back", name);
    }
    is_int((int64_t) n, 4 + STAGE_COUNT, "all histograms");
    ok(same_intervals(&p.intervals, &back.intervals), "intervals come back");
    part_clear(&p);
    part_clear(&back);
}

/* Whatever report_merge() adds up must be in the file. Each counter gets a
 * value of its own bytes; what is not merged stays 0 in both. */
static void
test_nothing_is_left_out(void)
{
    const uint64_t pattern = UINT64_C(0x0000000100000001);
    struct part p, back;
    struct report a, b;

    begin(&p, 0, 1);
    for (size_t i = 0; i < REGION_SIZE; i += sizeof pattern)
        memcpy((char *) &p.whole + REGION + i, &pattern, sizeof pattern);
    is_str(copy(&back, &p), NULL, "a part with all counters can be read");
    if (report_init(&a, &asked) != 0 || report_init(&b, &asked) != 0)
        abort();
    report_merge(&a, &p.whole);
    report_merge(&b, &back.whole);
    /* Of no process that has ended: */
    a.books.in_flight = b.books.in_flight = 0;
    a.books.whole_flight_ns = b.books.whole_flight_ns = 0;
    a.books.whole_residence_ns = b.books.whole_residence_ns = 0;
    ok(memcmp((char *) &a + REGION, (char *) &b + REGION, REGION_SIZE) == 0,
       "all that is merged is in the file");
    report_clear(&a);
    report_clear(&b);
    part_clear(&p);
    part_clear(&back);
}

/* Conclude over P and Q, which are left alone. */
static void
conclude(struct report *report, struct interval_table *intervals,
         const struct part *p, const struct part *q)
{
    struct part parts[2] = {*p, *q};

    if (report_init(report, &asked) != 0 || interval_init(intervals, S) != 0)
        abort();
    part_conclude(report, intervals, parts, 2);
}

static void
clear(struct report *report, struct interval_table *intervals)
{
    report_clear(report);
    interval_clear(intervals);
}

/* Two parts of the operations that one part saw. */
static void
test_sum_is_the_whole(void)
{
    struct part one, halves[2];
    struct report whole, sum;
    struct interval_table whole_intervals, sum_intervals;
    struct part empty;
    const struct histogram *h;
    const char *name;

    begin(&one, 0, 1);
    begin(&empty, 1, 2);
    begin(&halves[0], 0, 2);
    begin(&halves[1], 1, 2);
    for (int64_t i = 0; i < 2000; i++) {
        operation(&one, (i + 1) * MS, 1000 + i * i, i % 7 != 0);
        operation(&halves[i % 2], (i + 1) * MS, 1000 + i * i, i % 7 != 0);
    }
    conclude(&whole, &whole_intervals, &one, &empty);
    conclude(&sum, &sum_intervals, &halves[0], &halves[1]);
    is_int((int64_t) sum.ops, (int64_t) whole.ops, "operations");
    is_int((int64_t) sum.errors, (int64_t) whole.errors, "errors");
    is_int((int64_t) sum.failures[0].count, (int64_t) whole.failures[0].count,
           "failures");
    ok(report_window_s(&sum) == report_window_s(&whole),
       "the window of a counted run: first start to last end");
    for (size_t i = 0; (h = report_histogram(&whole, i, &name)) != NULL; i++)
        ok(same_histogram(h, report_histogram(&sum, i, &name)),
           "the %s are those of one process", name);
    is_int(sum_intervals.count, whole_intervals.count, "intervals");
    for (uint32_t i = 0; i < whole_intervals.count; i++)
        is_int((int64_t) sum_intervals.rows[i].ops,
               (int64_t) whole_intervals.rows[i].ops, "interval %" PRIu32, i);
    clear(&whole, &whole_intervals);
    clear(&sum, &sum_intervals);
    part_clear(&one);
    part_clear(&empty);
    part_clear(&halves[0]);
    part_clear(&halves[1]);
}

/* A part of a timed run of 10 s with OPS operations inside. */
static void
begin_timed(struct part *p, uint32_t number, int64_t open_ns, int64_t ops)
{
    begin(p, number, 2);
    p->timed = true;
    p->open_ns = open_ns;
    p->close_ns = 10 * S;
    p->ended_ns = 10 * S + MS;
    for (int64_t i = 0; i < ops; i++)
        operation(p, 5 * S + i, MS, true);
}

static void
test_windows(void)
{
    struct part p, q;
    struct report r;
    struct interval_table t;

    begin_timed(&p, 0, 2 * S, 800);
    begin_timed(&q, 1, 2 * S, 400);
    conclude(&r, &t, &p, &q);
    ok(report_window_s(&r) == 8 && report_ops_per_s(&r) == 150,
       "one window for all stays as it is");
    clear(&r, &t);
    q.open_ns = 6 * S; /* 400 in 4 s beside 800 in 8 s: 200 a second */
    conclude(&r, &t, &p, &q);
    ok(fabs(report_ops_per_s(&r) - 200) < 1e-6,
       "rates over different windows are added: %g", report_ops_per_s(&r));
    ok(!r.not_steady, "which is steady");
    clear(&r, &t);
    q.open_ns = PART_NEVER;
    conclude(&r, &t, &p, &q);
    ok(r.not_steady && r.window_ns == 0,
       "one that did not open: the whole run");
    clear(&r, &t);
    p.ended_ns = q.ended_ns = 9 * S;
    conclude(&r, &t, &p, &q);
    ok(!r.not_steady && r.window_ns == 0, "ended by the count: a counted run");
    clear(&r, &t);
    p.stopped = true;
    conclude(&r, &t, &p, &q);
    ok(r.not_steady, "ended by a signal: not steady");
    clear(&r, &t);
    part_clear(&p);
    part_clear(&q);
}

/* TEXT with the first FROM replaced by TO. */
static const char *
parse_changed(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from), *why;
    struct buf changed;
    struct part p;
    uint64_t line;

    if (at == NULL)
        return "(not found)";
    buf_init(&changed, PART_MAX_BYTES);
    buf_add(&changed, text, (size_t) (at - text));
    buf_adds(&changed, to);
    buf_adds(&changed, at + strlen(from));
    begin(&p, 0, 1);
    why = part_parse(&p, changed.data, &line);
    part_clear(&p);
    buf_clear(&changed);
    return why;
}

static void
test_refused(void)
{
    static const struct {
        const char *from, *to, *why;
    } cases[] = {
        {"# s3perf-part 1", "# s3perf-part 2",
         "is not '# s3perf-part 1' and what goes with it"},
        {"\nof\t2", "\nof\t0", "the number of the part is out of range"},
        {"\nof\t2", "\nof\t2\nof\t2", "is there twice"},
        {"\nof\t2", "", "comes too early, or is no view"},
        {"\nof\t2", "\nof\t2 ", "has a bad value"},
        {"\nof\t2", "\nodd\t2", "has an unknown name"},
        {"\ntimed\t0", "\ntimed\t2", "has a bad value"},
        {"\nops\t9\n", "\nops\t-9\n", "has a bad value"},
        {"\nops\t9\n", "\n", "comes too early, or is no view"},
        {"\nverify\t-", "\nverify\tnever", "has a bad value"},
        {"\nview\tinside", "\nview\tother", "comes too early, or is no view"},
        {"# stage: response", "# stage: service",
         "ends a histogram that is there twice"},
        {"# stage: lag", "# stage: log", "ends a histogram of no known stage"},
        {"intervals\t1000000000", "intervals\t3000000000",
         "has a width that does not fit --interval"},
        {"\nrow\t0\t9", "\nrow\t0\t8", "is no interval"},
        {"\nrow\t0\t9", "\nrow\t1\t9", "is no interval"},
        {"\nend\n", "\n", "is the last, but the part ends too early"},
        {"\nend\n", "\nend\nend\n", "comes after the end"},
        {"\nend\n", "\nend", "does not end"},
        {"\tSlow%09Down\t", "\tSlow%0xDown\t", "is no failure"},
        {"\tSlow%09Down\t-\t", "\tSlow%09Down\tflood\t", "is no failure"},
    };
    struct part p;
    struct buf text;

    buf_init(&text, PART_MAX_BYTES);
    begin(&p, 1, 2);
    for (int64_t i = 0; i < 10; i++)
        operation(&p, 5 * MS * (i + 1), MS, i > 0);
    part_add_text(&text, &p);
    is_str(parse_changed(text.data, "\nend\n", "\nend\n"), NULL, "as it was");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        is_str(parse_changed(text.data, cases[i].from, cases[i].to),
               cases[i].why, "case %zu", i);
    buf_clear(&text);
    part_clear(&p);
}

int
main(void)
{
    test_round_trip();
    test_nothing_is_left_out();
    test_sum_is_the_whole();
    test_windows();
    test_refused();
    return done_testing();
}
