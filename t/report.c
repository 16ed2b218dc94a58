/* SPDX-License-Identifier: MIT */
/*
 * Records to a summary: numbers, and text, JSON and cells compared whole
 * with t/data/report-*. S3PERF_GOLDEN=update rewrites those files.
 */
#include "config.h"

#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tap.h"

static const struct host machine = {
    .name = "client",
    .kernel = "Linux 6.1.0-18-amd64 x86_64",
    .cpu = "A Processor With a Name That Is Longer Than It Has Cores",
    .cores = 2,
    .memory_kib = 16303428};

static struct report_asked
asked_put(void)
{
    struct report_asked asked = {
        .program = "s3op",
        .version = "1.2.3",
        .command = "s3op put s3://bucket/testfile -n 5 -c 5 -s 1Mi",
        .op = "put",
        .phase = "put",
        .bucket = "bucket",
        .key = "test file",
        .endpoint = "http://127.0.0.1:9000",
        .region = "us-east-1",
        .addressing = "path",
        .payload_hash = "signed",
        .size = 1048576,
        .count = 5,
        .concurrency = 5,
        .seed = 42,
        .started = "2026-11-30T22:00:00Z",
    };

    return asked;
}

/* The I-th of some successful uploads on its own lane. */
static struct record
success(int i)
{
    int64_t total = 1240000 + INT64_C(215000) * i;
    struct record r = {
        .due_ns = 10000 * i,
        .start_ns = 10000 * i,
        .end_ns = 10000 * i + total,
        .lookup_ns = 0,
        .connect_ns = 87000 + 1000 * i,
        .tls_ns = RECORD_NONE,
        .sent_ns = total - 500000,
        .first_ns = total - 20000,
        .body_ns = RECORD_NONE,
        .total_ns = total,
        .verify_ns = RECORD_NONE,
        .op = "put",
        .bucket = "bucket",
        .key = "testfile1",
        .size = 1048576,
        .good_bytes = 1048576,
        .wire_bytes = 1048576,
        .status = 200,
        .attempt = 1,
        .lane = (uint32_t) i,
        .endpoint = "http://127.0.0.1:9000",
        .host = "client",
        .ok = true,
    };

    return r;
}

static struct record
failure(int i, int status, const char *code, const char *transport)
{
    struct record r = success(i);

    r.ok = false;
    r.good_bytes = 0;
    r.wire_bytes = 1000;
    r.status = status;
    snprintf(r.code, sizeof(r.code), "%s", code);
    r.transport = transport;
    return r;
}

static void
add_successes(struct report *r, int n, int concurrency)
{
    for (int i = 0; i < n; i++) {
        struct record record = success(i);

        record.reused = i >= concurrency;
        report_add(r, &record, "");
    }
}

/* Compare OUT with t/data/report-NAME, or write it there. */
static void
golden(const struct buf *out, const char *name)
{
    const char *srcdir = getenv("srcdir");
    const char *update = getenv("S3PERF_GOLDEN");
    bool write = update != NULL && strcmp(update, "update") == 0;
    char path[4096], chunk[4096];
    struct buf want;
    size_t n;
    FILE *f;

    snprintf(path, sizeof(path), "%s/t/data/report-%s",
             srcdir != NULL ? srcdir : ".", name);
    f = fopen(path, write ? "w" : "r");
    ok(f != NULL, "%s is there", path);
    if (f == NULL)
        return;
    buf_init(&want, 1 << 20);
    if (write)
        fwrite(out->data, 1, out->len, f);
    else
        while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
            buf_add(&want, chunk, n);
    fclose(f);
    if (!write)
        is_str(out->data, want.data, "%s is as expected", name);
    buf_clear(&want);
}

/* No line may pass 80 columns; a UTF-8 character is one. */
static bool
check_width(const char *text, const char *what)
{
    size_t worst = 0, n = 0;

    for (; *text != '\0'; text++) {
        if (*text == '\n')
            n = 0;
        else
            n += ((unsigned char) *text & 0xc0) != 0x80;
        worst = n > worst ? n : worst;
    }
    return ok(worst <= 80, "%s: %zu columns", what, worst);
}

static void
all_forms(const struct report *r, const char *name)
{
    struct buf out;
    char file[64];

    buf_init(&out, 1 << 20);
    is_int(report_add_text(&out, r), 0, "%s: text is added", name);
    check_width(out.data, name);
    snprintf(file, sizeof(file), "%s.txt", name);
    golden(&out, file);

    buf_reset(&out);
    is_int(report_add_json(&out, r), 0, "%s: JSON is added", name);
    snprintf(file, sizeof(file), "%s.json", name);
    golden(&out, file);

    buf_reset(&out);
    is_int(report_add_header(&out, &r->asked, REPORT_CELLS_FORMAT,
                             report_cell_columns),
           0, "%s: header is added", name);
    is_int(report_add_cell(&out, r), 0, "%s: cell is added", name);
    snprintf(file, sizeof(file), "%s.tsv", name);
    golden(&out, file);
    buf_clear(&out);
}

static void
test_put(void)
{
    struct report_asked asked = asked_put();
    struct report r;

    asked.payload = "random";
    asked.compressible = 50;
    asked.transport = "libcurl/7.88.1 OpenSSL/3.0.19";
    asked.host = &machine;
    if (!ok(report_init(&r, &asked) == 0, "a report is made"))
        return;
    add_successes(&r, 5, 5);
    r.cpu_ns = 2500000;
    r.max_rss_kib = 41234;
    r.late_hashes = 17;
    is_int((int64_t) r.ops, 5, "operations");
    is_int((int64_t) r.errors, 0, "errors");
    is_int((int64_t) r.good_bytes, 5 * 1048576, "good bytes");
    is_int((int64_t) r.reused, 0, "reused");
    ok(fabs(report_window_s(&r) - 0.00214) < 1e-12, "window");
    ok(fabs(report_ops_per_s(&r) - 5 / 0.00214) < 1e-6, "operations/s");
    ok(report_cpu_us_per_op(&r) == 500, "CPU time per operation");
    ok(report_is_few(&r), "five operations on five lanes are few");
    is_int((int64_t) r.stages[STAGE_LOOKUP].count, 0, "no lookup");
    is_int((int64_t) r.stages[STAGE_CONNECT].count, 5, "five connects");
    is_int((int64_t) r.stages[STAGE_TLS].count, 0, "no TLS");
    is_int((int64_t) r.stages[STAGE_BODY].count, 0, "no body");
    all_forms(&r, "put");
    report_clear(&r);
    report_clear(&r);
}

/* Enough operations for all percentiles, over TLS, with verification. */
static void
test_get(void)
{
    struct report_asked asked = asked_put();
    struct report r;

    asked.command = "s3op get s3://bucket/k\n -n 12000 -c 8 --verify";
    asked.op = "get";
    asked.phase = "download";
    asked.endpoint = "https://[::1]:9000";
    asked.payload_hash = "unsigned";
    asked.size = 1000;
    asked.count = 12000;
    asked.concurrency = 8;
    asked.insecure = true;
    asked.verify = "after";
    report_init(&r, &asked);
    for (int i = 0; i < 12000; i++) {
        struct record record = success(i % 100);

        record.due_ns = record.start_ns = INT64_C(400000) * i;
        record.end_ns = record.start_ns + record.total_ns + 2000 * i;
        record.total_ns = record.end_ns - record.start_ns;
        record.reused = i >= 8;
        record.lookup_ns = i < 8 ? 20000 : 0;
        record.connect_ns = i < 8 ? 50000 : 0;
        record.tls_ns = i < 8 ? 1500000 : 0;
        record.sent_ns = 9000;
        record.first_ns = record.total_ns / 2;
        record.body_ns = record.total_ns / 2 + 1000;
        record.good_bytes = record.wire_bytes = 1000;
        report_add(&r, &record, "");
    }
    r.verified = 11998;
    r.mismatched = 2;
    r.resent = 1;
    is_int((int64_t) r.reused, 11992, "reused");
    is_int((int64_t) r.stages[STAGE_TLS].count, 8, "eight handshakes");
    ok(!report_is_few(&r), "12000 operations on 8 lanes are not few");
    all_forms(&r, "get");
    report_clear(&r);
}

static void
test_failures(void)
{
    static const char hostile[] =
        "the bucket\n\x1b[31m does not exist, whatever \xc3\xa9 you call it, "
        "and this text is far too long for one line \xc2\x9b";
    struct report_asked asked = asked_put();
    struct record record;
    struct report r;

    asked.key = "a key that is much longer than a line would ever hold, "
                "so that it must be cut somewhere";
    asked.command = "s3op put";
    report_init(&r, &asked);
    add_successes(&r, 2, 2);
    record = failure(2, 404, "NoSuchBucket", NULL);
    report_add(&r, &record, hostile);
    record = failure(3, 503, "SlowDown", NULL);
    report_add(&r, &record, "reduce your request rate");
    report_add(&r, &record, "another text");
    record = failure(4, 0, "", "connect");
    report_add(&r, &record, "");
    record = failure(5, 200, "", "short");
    report_add(&r, &record, "");
    is_int((int64_t) r.ops, 2, "successes only");
    is_int((int64_t) r.errors, 5, "five errors");
    is_int((int64_t) r.good_bytes, 2 * 1048576, "good bytes of successes");
    is_int((int64_t) r.wire_bytes, 2 * 1048576 + 5000, "wire bytes of all");
    is_int((int64_t) r.service.count, 2, "latency of successes");
    is_int((int64_t) r.failed.count, 5, "latency of failures apart");
    is_int((int64_t) r.failure_count, 4, "four kinds");
    is_str(r.failures[1].message, "reduce your request rate",
           "the message of the first of its kind");
    all_forms(&r, "failures");
    report_clear(&r);
}

static void
test_ls(void)
{
    struct report_asked asked = asked_put();
    struct record record = success(0);
    struct report r;

    asked.command = "s3op ls s3://bucket";
    asked.op = asked.phase = "ls";
    asked.key = "";
    asked.size = 0;
    asked.count = asked.concurrency = 1;
    asked.verify = NULL;
    report_init(&r, &asked);
    record.good_bytes = record.wire_bytes = 4321;
    record.body_ns = 1220000;
    report_add(&r, &record, "");
    r.entries = 1234;
    all_forms(&r, "ls");
    report_clear(&r);
}

static void
test_empty(void)
{
    struct report_asked asked = asked_put();
    struct buf out;
    struct report r;

    asked.command = "s3op put";
    asked.bucket = asked.key = "";
    report_init(&r, &asked);
    ok(report_window_s(&r) == 0, "no operation, no window");
    ok(isnan(report_ops_per_s(&r)), "no rate");
    ok(isnan(report_cpu_us_per_op(&r)), "no CPU time");
    all_forms(&r, "empty");
    buf_init(&out, 50);
    is_int(report_add_text(&out, &r), EMSGSIZE, "text: full buffer");
    buf_clear(&out);
    is_int(report_add_json(&out, &r), EMSGSIZE, "JSON: full buffer");
    buf_clear(&out);
    is_int(report_add_cell(&out, &r), EMSGSIZE, "cell: full buffer");
    buf_clear(&out);
    is_int(report_add_header(&out, &asked, "x 1", "a\tb"), EMSGSIZE,
           "header: full buffer");
    buf_clear(&out);
    report_clear(&r);
}

/* Numbers as large as they get, long names: still 80 columns. */
static void
test_extremes(void)
{
    struct report_asked asked = asked_put();
    struct record record = success(0);
    struct buf out;
    struct report r;

    asked.phase = "a-phase-with-a-very-long-name";
    asked.region = "a-region-name-that-somebody-chose-to-be-rather-long-too";
    asked.endpoint = "http://an-endpoint-name.that-is-long.example.com.and-"
                     "even-longer.example.com:12345";
    asked.size = asked.count = UINT64_MAX;
    asked.concurrency = UINT32_MAX;
    asked.verify = "inline";
    asked.insecure = true;
    report_init(&r, &asked);
    record.good_bytes = record.wire_bytes = UINT64_MAX / 4;
    record.end_ns = record.total_ns = INT64_C(864000000000000);
    report_add(&r, &record, "");
    record.end_ns = record.total_ns = 1;
    report_add(&r, &record, "");
    record = failure(0, 599, "", "a-transport-error-of-some-length");
    memset(record.code, 'C', sizeof(record.code) - 1);
    report_add(&r, &record, "\xf0\x9f\x98\x80");
    r.ops = r.errors = 999999999;
    buf_init(&out, 1 << 20);
    is_int(report_add_text(&out, &r), 0, "extremes: text is added");
    if (!check_width(out.data, "extremes"))
        tap_say("text", out.data);
    buf_clear(&out);
    report_clear(&r);
}

static void
test_few(void)
{
    struct report_asked asked = asked_put();
    struct report r;

    report_init(&r, &asked);
    add_successes(&r, 49, 5);
    ok(report_is_few(&r), "49 operations on 5 lanes are few");
    add_successes(&r, 1, 5);
    ok(!report_is_few(&r), "50 are not");
    report_clear(&r);
    asked.rate_per_s = 10;
    asked.arrivals = "constant";
    asked.concurrency = 256;
    report_init(&r, &asked);
    add_successes(&r, 99, 5);
    ok(report_is_few(&r), "99 operations at a rate are few");
    add_successes(&r, 1, 5);
    ok(!report_is_few(&r), "100 are not, whatever the limit in flight is");
    r.books.flight_ns = 1e6;
    ok(isfinite(report_in_flight(&r)) && isnan(report_busy_share(&r)),
       "no share of lanes is told that are only a limit");
    report_clear(&r);
}

static void
test_full_table(void)
{
    struct report_asked asked = asked_put();
    struct report r, half, merged;
    uint64_t sum = 0;
    struct buf out;

    report_init(&r, &asked);
    report_init(&half, &asked);
    report_init(&merged, &asked);
    for (int i = 0; i < 200; i++) {
        struct record record = failure(i, 400 + i % 100, "", NULL);

        report_add(&r, &record, "x");
        report_add(i % 2 ? &half : &merged, &record, "x");
    }
    is_int(r.failure_count, REPORT_FAILURES_MAX, "the table is full");
    is_str(r.failures[REPORT_FAILURES_MAX - 1].code, "(other kinds)",
           "its last row is shared");
    is_int((int64_t) r.failures[REPORT_FAILURES_MAX - 1].count,
           200 - 2 * (REPORT_FAILURES_MAX - 1), "by all later kinds");
    report_merge(&merged, &half);
    for (uint32_t i = 0; i < merged.failure_count; i++)
        sum += merged.failures[i].count;
    is_int((int64_t) sum, 200, "merging loses none");
    buf_init(&out, 1 << 20);
    is_int(report_add_text(&out, &r), 0, "text with many kinds");
    check_width(out.data, "many kinds");
    ok(strstr(out.data, "   of other kinds\n") != NULL, "the rest is summed");
    buf_clear(&out);
    report_clear(&r);
    report_clear(&half);
    report_clear(&merged);
}

/* Three reports merged are the one that saw all records. */
static void
test_merge(void)
{
    struct report_asked asked = asked_put();
    struct report all, parts[3];
    struct buf a, b;

    report_init(&all, &asked);
    for (int i = 0; i < 3; i++)
        report_init(&parts[i], &asked);
    for (int i = 0; i < 3000; i++) {
        struct record record = i % 10 == 9
                                   ? failure(i, 500 + i / 10 % 3, "Busy", NULL)
                                   : success(i);

        record.reused = i % 3 > 0;
        record.start_ns += 5000000;
        record.due_ns += 5000000;
        report_add(&all, &record, "text");
        report_add(&parts[i % 2], &record, "text");
    }
    for (int i = 0; i < 3; i++) {
        parts[i].cpu_ns = 1000;
        parts[i].entries = parts[i].verified = 7;
        parts[i].mismatched = parts[i].resent = 1;
    }
    all.cpu_ns = 3000;
    all.entries = all.verified = 21;
    all.mismatched = all.resent = 3;
    report_merge(&parts[2], &parts[0]);
    report_merge(&parts[2], &parts[1]);
    buf_init(&a, 1 << 20);
    buf_init(&b, 1 << 20);
    report_add_json(&a, &all);
    report_add_cell(&a, &all);
    report_add_json(&b, &parts[2]);
    report_add_cell(&b, &parts[2]);
    is_int((int64_t) parts[2].ops, 2700, "merged operations");
    is_str(b.data, a.data, "merged reports say the same");
    buf_clear(&a);
    buf_clear(&b);
    report_clear(&all);
    for (int i = 0; i < 3; i++)
        report_clear(&parts[i]);
}

static void
test_header(void)
{
    struct report_asked asked = asked_put();
    struct buf columns, out;

    buf_init(&columns, 4096);
    buf_init(&out, 4096);
    record_add_columns(&columns);
    report_add_header(&out, &asked, RECORD_FORMAT, columns.data);
    ok(strncmp(out.data, "# s3perf-ops 1\n", 15) == 0,
       "the format comes first");
    ok(strcmp(out.data + out.len - columns.len, columns.data) == 0,
       "one newline behind the columns");
    buf_clear(&columns);
    buf_clear(&out);
}

/* Lag of LAG_NS in each of 20 operations of 1.24 ms and more, by a loop that
 * had nothing to do for WAITED_NS in 1000. */
static bool
is_bound(int64_t lag_ns, int64_t waited_ns)
{
    struct report_asked asked = asked_put();
    struct report r;
    bool bound;

    if (report_init(&r, &asked) != 0)
        return false;
    for (int i = 0; i < 20; i++) {
        struct record record = success(0);

        report_add(&r, &record, "");
        histogram_add(&r.lag, lag_ns);
    }
    r.loop_ran_ns = 1000;
    r.loop_waited_ns = waited_ns;
    bound = report_is_client_bound(&r);
    report_clear(&r);
    return bound;
}

static void
test_client_bound(void)
{
    ok(!is_bound(60000, 500), "a lag of 60 us in 1240 us is below 5 %%");
    ok(is_bound(64000, 500), "64 us are above");
    ok(!is_bound(0, 110), "a loop that is busy for 89 %% keeps up");
    ok(is_bound(0, 90), "one that is busy for 91 %% is the limit");
}

int
main(void)
{
    test_put();
    test_get();
    test_failures();
    test_ls();
    test_empty();
    test_extremes();
    test_few();
    test_full_table();
    test_merge();
    test_header();
    test_client_bound();
    return done_testing();
}
