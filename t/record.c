/* SPDX-License-Identifier: MIT */
/* Operation records as TSV and JSON, and back. */
#include "config.h"

#include "record.h"

#include <errno.h>

#include "tap.h"

static const char names[] =
    "due_us\tstart_us\tend_us\tlookup_us\tconnect_us\ttls_us\tsent_us\t"
    "first_us\tbody_us\ttotal_us\tverify_us\top\tbucket\tkey\tsize\t"
    "good_bytes\twire_bytes\tstatus\tcode\ttransport\tattempt\treused\tlane\t"
    "endpoint\thost\n";

static struct record
sample(void)
{
    struct record r = {
        .due_ns = 0,
        .start_ns = 1234567,
        .end_ns = 3000001,
        .lookup_ns = 0,
        .connect_ns = 87001,
        .tls_ns = RECORD_NONE,
        .sent_ns = 500000,
        .first_ns = 1700000,
        .body_ns = RECORD_NONE,
        .total_ns = 1765434,
        .verify_ns = RECORD_NONE,
        .op = "put",
        .bucket = "bucket",
        .key = "a/b c",
        .size = 1048576,
        .good_bytes = 1048576,
        .wire_bytes = 1048576,
        .status = 200,
        .attempt = 1,
        .lane = 3,
        .endpoint = "http://127.0.0.1:9000",
        .host = "client",
        .ok = true,
    };

    return r;
}

static struct record
failure(void)
{
    struct record r = {
        .due_ns = -1,
        .start_ns = -1500,
        .end_ns = INT64_C(3600000000000),
        .lookup_ns = RECORD_NONE,
        .connect_ns = RECORD_NONE,
        .tls_ns = RECORD_NONE,
        .sent_ns = RECORD_NONE,
        .first_ns = RECORD_NONE,
        .body_ns = RECORD_NONE,
        .total_ns = 5,
        .verify_ns = 12000,
        .op = "ls",
        .bucket = "",
        .key = "",
        .status = 0,
        .transport = "connect-timeout",
        .attempt = 2,
        .reused = true,
        .endpoint = "",
        .host = NULL,
    };

    return r;
}

static void
test_columns(struct buf *out)
{
    size_t columns = 1;

    buf_reset(out);
    is_int(record_add_columns(out), 0, "columns are added");
    is_str(out->data, names, "names of the columns");
    for (const char *p = out->data; *p != '\0'; p++)
        columns += *p == '\t';
    is_int((int64_t) columns, RECORD_COLUMN_COUNT, "number of columns");
}

static void
test_tsv(struct buf *out)
{
    struct record r = sample();

    buf_reset(out);
    is_int(record_add_tsv(out, &r), 0, "a success is added");
    is_str(out->data,
           "0.000\t1234.567\t3000.001\t0.000\t87.001\t\t500.000\t1700.000\t\t"
           "1765.434\t\tput\tbucket\ta/b%20c\t1048576\t1048576\t1048576\t200\t"
           "-\t-\t1\t0\t3\thttp://127.0.0.1:9000\tclient\n",
           "a success as TSV");
    r = failure();
    buf_reset(out);
    is_int(record_add_tsv(out, &r), 0, "a failure is added");
    is_str(out->data,
           "-0.001\t-1.500\t3600000000.000\t\t\t\t\t\t\t0.005\t12.000\tls\t-\t"
           "-\t0\t0\t0\t0\t-\tconnect-timeout\t2\t1\t0\t-\t-\n",
           "a failure as TSV");
    r.key = "-";
    r.bucket = "b\t";
    r.host = "odd\tname\n%";
    r.endpoint = "-";
    snprintf(r.code, sizeof(r.code), "A\rB \x01");
    buf_reset(out);
    record_add_tsv(out, &r);
    ok(strstr(out->data, "\tls\tb%09\t%2D\t0\t") != NULL,
       "a key that is a dash, a bucket with a tab");
    ok(strstr(out->data, "\t0\tA%0DB%20%01\tconnect-timeout\t") != NULL,
       "a code with control bytes");
    ok(strstr(out->data, "\t%2D\todd%09name%0A%25\n") != NULL,
       "endpoint and host never break the line");
}

static void
test_json(struct buf *out)
{
    struct record r = sample();
    struct json j;

    buf_reset(out);
    json_init(&j, out);
    json_open(&j, NULL, '{');
    record_add_json(&j, &r);
    json_close(&j, '}');
    is_int(j.err, 0, "a success as JSON is added");
    is_str(out->data,
           "{\"due_us\":0.000,\"start_us\":1234.567,\"end_us\":3000.001,"
           "\"lookup_us\":0.000,\"connect_us\":87.001,\"tls_us\":null,"
           "\"sent_us\":500.000,\"first_us\":1700.000,\"body_us\":null,"
           "\"total_us\":1765.434,\"verify_us\":null,\"op\":\"put\","
           "\"bucket\":\"bucket\",\"key\":\"a/b%20c\",\"size\":1048576,"
           "\"good_bytes\":1048576,\"wire_bytes\":1048576,\"status\":200,"
           "\"code\":null,\"transport\":null,\"attempt\":1,\"reused\":false,"
           "\"lane\":3,\"endpoint\":\"http://127.0.0.1:9000\","
           "\"host\":\"client\"}",
           "a success as JSON");
    r = failure();
    snprintf(r.code, sizeof(r.code), "SlowDown");
    buf_reset(out);
    json_init(&j, out);
    json_open(&j, NULL, '{');
    record_add_json(&j, &r);
    json_close(&j, '}');
    ok(strstr(out->data, "\"bucket\":null,\"key\":null,") != NULL,
       "no bucket and no key are null");
    ok(strstr(out->data, "\"status\":0,\"code\":\"SlowDown\","
                         "\"transport\":\"connect-timeout\"") != NULL,
       "code and transport of a failure");
}

static bool
same_text(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

static bool
same_times(const struct record *a, const struct record *b)
{
    return a->due_ns == b->due_ns && a->start_ns == b->start_ns &&
           a->end_ns == b->end_ns && a->lookup_ns == b->lookup_ns &&
           a->connect_ns == b->connect_ns && a->tls_ns == b->tls_ns &&
           a->sent_ns == b->sent_ns && a->first_ns == b->first_ns &&
           a->body_ns == b->body_ns && a->total_ns == b->total_ns &&
           a->verify_ns == b->verify_ns;
}

static bool
same_texts(const struct record *a, const struct record *b)
{
    return same_text(a->op, b->op) && same_text(a->bucket, b->bucket) &&
           same_text(a->key, b->key) && same_text(a->code, b->code) &&
           same_text(a->transport, b->transport) &&
           same_text(a->endpoint, b->endpoint) && same_text(a->host, b->host);
}

static bool
same(const struct record *a, const struct record *b)
{
    return same_times(a, b) && same_texts(a, b) && a->size == b->size &&
           a->good_bytes == b->good_bytes && a->wire_bytes == b->wire_bytes &&
           a->status == b->status && a->attempt == b->attempt &&
           a->reused == b->reused && a->lane == b->lane && a->ok == b->ok;
}

static void
round_trip(struct buf *out, struct buf *store, const struct record *r,
           const char *what)
{
    struct record back;

    buf_reset(out);
    ok(record_add_tsv(out, r) == 0 && out->data[out->len - 1] == '\n',
       "%s: written", what);
    out->data[--out->len] = '\0';
    ok(record_parse_tsv(&back, store, out->data) && same(&back, r),
       "%s: read back the same", what);
}

static void
test_round_trip(struct buf *out, struct buf *store)
{
    struct record r = sample();
    char key[1025];

    round_trip(out, store, &r, "success");
    r.key = "-";
    round_trip(out, store, &r, "key of one dash");
    r.key = "%2D";
    round_trip(out, store, &r, "key that looks encoded");
    for (int i = 0; i < 255; i++)
        key[i] = (char) (i + 1);
    key[255] = '\0';
    r.key = key;
    r.host = key;
    r.endpoint = key;
    r.bucket = key;
    round_trip(out, store, &r, "every byte but NUL");
    memset(key, 0xff, sizeof(key) - 1);
    key[sizeof(key) - 1] = '\0';
    round_trip(out, store, &r, "longest key");
    r = failure();
    round_trip(out, store, &r, "failure");
    r.transport = NULL;
    r.status = 503;
    memset(r.code, 'x', sizeof(r.code) - 1);
    round_trip(out, store, &r, "longest code");
    r.due_ns = INT64_MAX / 1000 * 1000 - 2000;
    r.start_ns = -r.due_ns;
    r.size = r.good_bytes = r.wire_bytes = UINT64_MAX;
    r.attempt = r.lane = UINT32_MAX;
    round_trip(out, store, &r, "large numbers");
}

/* LINE with its column AT (from 0) replaced by FIELD. */
static void
replace(struct buf *out, const char *line, int at, const char *field)
{
    buf_reset(out);
    for (int i = 0; *line != '\0' || i < RECORD_COLUMN_COUNT; i++) {
        size_t n = strcspn(line, "\t");

        if (i > 0)
            buf_addc(out, '\t');
        if (i == at)
            buf_adds(out, field);
        else
            buf_add(out, line, n);
        line += n + (line[n] == '\t');
        if (i == RECORD_COLUMN_COUNT - 1)
            break;
    }
}

static void
test_bad_lines(struct buf *out, struct buf *store)
{
    static const struct {
        int column;
        const char *field;
    } bad[] = {
        {0, "1"},
        {0, "1.0"},
        {0, "1.0000"},
        {0, "x.000"},
        {0, "1.00x"},
        {0, "--1.000"},
        {0, ".000"},
        {0, "-"},
        {0, "1e3.000"},
        {0, "9223372036854775807.000"},
        {0, "99999999999999999999999.000"},
        {11, ""},
        {13, ""},
        {13, "%4"},
        {13, "%zz"},
        {13, "%00"},
        {14, ""},
        {14, "-1"},
        {14, "1.5"},
        {14, "18446744073709551616"},
        {17, "1000"},
        {17, "-"},
        {18, ""},
        {20, "4294967296"},
        {21, "2"},
        {21, "yes"},
        {24, ""},
        {24, "a\tb"},
    };
    struct record r = sample(), back;
    struct buf line;

    buf_init(&line, 4096);
    record_add_tsv(&line, &r);
    line.data[--line.len] = '\0';
    replace(out, line.data, 11, "get");
    ok(record_parse_tsv(&back, store, out->data) && strcmp(back.op, "get") == 0,
       "a replaced column is read");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        replace(out, line.data, bad[i].column, bad[i].field);
        ok(!record_parse_tsv(&back, store, out->data),
           "column %d '%s' is refused", bad[i].column, bad[i].field);
    }
    buf_clear(&line);
}

static void
test_cut_lines(struct buf *out, struct buf *store)
{
    struct record r = sample(), back;
    struct buf line;
    char code[RECORD_CODE_SIZE + 1];

    buf_init(&line, 4096);
    record_add_tsv(&line, &r);
    line.data[--line.len] = '\0';
    memset(code, 'x', sizeof(code) - 1);
    code[sizeof(code) - 1] = '\0';
    replace(out, line.data, 18, code);
    ok(!record_parse_tsv(&back, store, out->data), "a long code is refused");
    ok(!record_parse_tsv(&back, store, ""), "an empty line is refused");
    ok(!record_parse_tsv(&back, store, names), "the names are no record");
    ok(!record_parse_tsv(&back, store, "# s3perf-ops 1"), "nor a comment");
    for (size_t n = 0; n < line.len; n++) {
        buf_reset(out);
        buf_add(out, line.data, n);
        if (n > (size_t) (strrchr(line.data, '\t') - line.data) + 1)
            break; /* only the host is shorter */
        if (record_parse_tsv(&back, store, out->data))
            ok(false, "cut after %zu bytes it is accepted", n);
    }
    buf_clear(&line);
}

static void
test_limits(void)
{
    struct record r = sample(), back;
    struct buf out, store;

    buf_init(&out, 100);
    is_int(record_add_tsv(&out, &r), EMSGSIZE, "a full buffer is reported");
    buf_clear(&out);
    buf_init(&out, 4096);
    record_add_tsv(&out, &r);
    out.data[--out.len] = '\0';
    buf_init(&store, 100);
    ok(!record_parse_tsv(&back, &store, out.data), "a small store is refused");
    buf_clear(&store);
    buf_clear(&out);
}

static void
test_ok(struct buf *out, struct buf *store)
{
    struct record r = sample(), back;

    r.status = 503;
    buf_reset(out);
    record_add_tsv(out, &r);
    out->data[--out->len] = '\0';
    ok(record_parse_tsv(&back, store, out->data) && !back.ok,
       "a 503 without a code is a failure");
    r.status = 200;
    snprintf(r.code, sizeof(r.code), "InternalError");
    buf_reset(out);
    record_add_tsv(out, &r);
    out->data[--out->len] = '\0';
    ok(record_parse_tsv(&back, store, out->data) && !back.ok,
       "an error inside a 200 is a failure");
}

int
main(void)
{
    struct buf out, store;

    buf_init(&out, 65536);
    buf_init(&store, 65536);
    test_columns(&out);
    test_tsv(&out);
    test_json(&out);
    test_round_trip(&out, &store);
    test_bad_lines(&out, &store);
    test_cut_lines(&out, &store);
    test_limits();
    test_ok(&out, &store);
    buf_clear(&out);
    buf_clear(&store);
    return done_testing();
}
