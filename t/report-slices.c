/* SPDX-License-Identifier: MIT */
/* What the total consists of: slices count what is theirs, add up, survive
 * a part's file, and are shown. */
#include "config.h"

#include "part.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

#define S INT64_C(1000000000)
#define MS INT64_C(1000000)

enum { GET = 1, PUT, PIECE, SMALL, LARGE };

static const struct report_slice slices[] = {
    {REPORT_BY_OPERATION, "get", 0},   {REPORT_BY_OPERATION, "put", 0},
    {REPORT_BY_OPERATION, "piece", 0}, {REPORT_BY_SIZE, "4 KiB", 0},
    {REPORT_BY_SIZE, "1 MiB", 0},
};

static const struct report_asked asked = {.program = "s3op",
                                          .version = "1",
                                          .command = "s3op mixed",
                                          .op = "mixed",
                                          .phase = "mixed",
                                          .bucket = "b",
                                          .key = "k",
                                          .endpoint = "http://h",
                                          .region = "r",
                                          .addressing = "path",
                                          .payload_hash = "signed",
                                          .connection = "reuse",
                                          .concurrency = 4,
                                          .slices = slices,
                                          .slice_count = 5,
                                          .started = "2026-11-30T22:00:00Z"};

/* Number I of a run: reads, every third a write, of two pieces each. */
static void
add(struct report *r, unsigned i)
{
    struct record record = {.start_ns = i * MS,
                            .end_ns = (i + 1 + i % 7) * MS,
                            .due_ns = i * MS,
                            .total_ns = (1 + i % 7) * MS,
                            .sent_ns = RECORD_NONE,
                            .first_ns = MS / 2,
                            .body_ns = RECORD_NONE,
                            .status = 200,
                            .good_bytes = i % 2 == 0 ? 4096 : 1 << 20,
                            .ok = i % 10 != 9};

    record.slices[REPORT_BY_OPERATION] = i % 3 == 0 ? PUT : GET;
    record.slices[REPORT_BY_SIZE] = i % 2 == 0 ? SMALL : LARGE;
    if (!record.ok) {
        record.status = 503;
        strcpy(record.code, "SlowDown");
    }
    report_add(r, &record, "");
    if (i % 3 != 0)
        return;
    record.step = true;
    record.slices[REPORT_BY_OPERATION] = PIECE;
    record.slices[REPORT_BY_SIZE] = 0;
    report_add(r, &record, "");
    report_add(r, &record, "");
}

static const struct report *
slice(const struct report *r, unsigned number)
{
    return &r->slices[number - 1];
}

static void
is_sum(const struct report *r, const char *what)
{
    is_int((int64_t) r->ops, 90, "%s: the total has each operation once", what);
    is_int((int64_t) r->errors, 10, "%s: also those that failed", what);
    is_int((int64_t) (slice(r, GET)->ops + slice(r, PUT)->ops), 90,
           "%s: kinds add up to it", what);
    is_int((int64_t) (slice(r, SMALL)->ops + slice(r, LARGE)->ops), 90,
           "%s: and so do sizes", what);
    is_int(
        (int64_t) (slice(r, SMALL)->good_bytes + slice(r, LARGE)->good_bytes),
        (int64_t) r->good_bytes, "%s: bytes too", what);
    is_int((int64_t) (slice(r, PIECE)->ops + slice(r, PIECE)->errors), 68,
           "%s: steps have their slice", what);
    is_int((int64_t) slice(r, PUT)->service.count, (int64_t) slice(r, PUT)->ops,
           "%s: with times", what);
    is_int((int64_t) slice(r, GET)->failure_count, 1, "%s: and failures", what);
}

static void
test_count(void)
{
    struct report r, half;

    if (report_init(&r, &asked) != 0 || report_init(&half, &asked) != 0)
        abort();
    for (unsigned i = 0; i < 100; i++)
        add(i < 50 ? &r : &half, i);
    report_merge(&r, &half);
    is_sum(&r, "merged");
    report_clear(&half);
    report_clear(&r);
    report_clear(&r);
}

static void
test_file(void)
{
    struct part p, back;
    struct report r;
    struct interval_table intervals;
    uint64_t number;
    struct buf text;
    char *at;

    buf_init(&text, PART_MAX_BYTES);
    if (part_init(&p, &asked, S) != 0 || part_init(&back, &asked, S) != 0 ||
        report_init(&r, &asked) != 0 || interval_init(&intervals, S) != 0)
        abort();
    interval_begin(&p.intervals, 0);
    interval_begin(&intervals, 0);
    for (unsigned i = 0; i < 100; i++)
        add(&p.whole, i);
    p.ended_ns = S;
    is_int(part_add_text(&text, &p), 0, "a part with slices is written");
    is_str(part_parse(&back, text.data, &number), NULL, "and read");
    part_conclude(&r, &intervals, &back, 1);
    is_sum(&r, "read back");
    ok(report_window_s(slice(&r, PUT)) == report_window_s(&r),
       "a slice's rate is over the time of the whole");
    part_clear(&back);

    at = strstr(text.data, "slice\t1\n");
    at[6] = '2';
    part_init(&back, &asked, S);
    ok(part_parse(&back, text.data, &number) != NULL,
       "slices out of order are refused");
    part_clear(&back);
    part_clear(&p);
    report_clear(&r);
    interval_clear(&intervals);
    buf_clear(&text);
}

static void
test_shown(void)
{
    struct report r;
    struct buf text;
    struct record given_up = {.slices = {GET, 0, 0}};

    buf_init(&text, 1 << 20);
    if (report_init(&r, &asked) != 0)
        abort();
    for (unsigned i = 0; i < 100; i++)
        add(&r, i);
    report_add_unfinished(&r, &given_up);
    is_int((int64_t) (r.unfinished + slice(&r, GET)->unfinished), 2,
           "what was given up counts in its slice too");
    is_int(report_add_text(&text, &r), 0, "as text");
    ok(strstr(text.data, "\noperation ") != NULL &&
           strstr(text.data, "\npiece ") != NULL &&
           strstr(text.data, "\nsize ") != NULL,
       "with a table for each kind of slice");
    buf_reset(&text);
    is_int(report_add_json(&text, &r), 0, "as JSON");
    ok(strstr(text.data, "\"by\":\"operation\",\"name\":\"piece\"") != NULL,
       "with an array of slices");
    report_clear(&r);
    buf_clear(&text);
}

static void
test_tls(void)
{
    static const struct {
        uint32_t number;
        const char *want;
    } cases[] = {
        {0, ""},
        {0x03041302, "TLSv1.3 TLS_AES_256_GCM_SHA384"},
        {0x0303c02f, "TLSv1.2 ECDHE-RSA-AES128-GCM-SHA256"},
        {0x0304abcd, "TLSv1.3 0xABCD"},
    };
    struct transport_tls sum = {0}, old = {0x0303c02f, 0, 3, 1},
                         new = {0x03041302, 0, 5, 4},
                         both = {0x0303c02f, 0x03041302, 1, 0};
    char text[REPORT_TLS_SIZE];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        report_tls_name(text, cases[i].number);
        is_str(text, cases[i].want, "TLS %08x", cases[i].number);
    }
    report_merge_tls(&sum, &old);
    report_merge_tls(&sum, &old);
    is_int(sum.first, old.first, "what all have");
    is_int(sum.other, 0, "and nothing else");
    report_merge_tls(&sum, &new);
    is_int(sum.other, new.first, "what others have");
    report_merge_tls(&sum, &both);
    is_int(sum.other, new.first, "is the same");
    is_int((int64_t) sum.handshakes, 12, "handshakes add up");
    is_int((int64_t) sum.resumed, 6, "and resumed sessions");
}

int
main(void)
{
    test_count();
    test_file();
    test_shown();
    test_tls();
    return done_testing();
}
