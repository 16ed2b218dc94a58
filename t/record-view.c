/* SPDX-License-Identifier: MIT */
/* The quick reader of records takes what the thorough one takes. */
#include "config.h"

#include "record_view.h"

#include <stdio.h>

#include "tap.h"

#define NAMES                                                                  \
    "due_us\tstart_us\tend_us\tlookup_us\tconnect_us\ttls_us\tsent_us\t"       \
    "first_us\tbody_us\ttotal_us\tverify_us\top\tbucket\tkey\tsize\t"          \
    "good_bytes\twire_bytes\tstatus\tcode\ttransport\tattempt\treused\tlane\t" \
    "endpoint\thost"
#define GOOD                                                                   \
    "0.000\t1.500\t9.001\t0.000\t0.000\t\t2.000\t3.000\t\t7.501\t\tput\tb\t"   \
    "a/k%20\t10\t10\t10\t200\t-\t-\t1\t1\t7\thttp://h\tclient"

static bool
scan(struct record_view *v, struct record_fault *fault, const char *line)
{
    static struct record_scanner s;

    return record_scanner_init(&s, fault, NAMES) &&
           record_scan(v, fault, &s, line, strlen(line));
}

static void
test_values(void)
{
    struct record_view v;
    struct record_fault fault = {.what = "nothing"};

    if (!ok(scan(&v, &fault, GOOD), "a good line: %s", fault.what))
        return;
    is_int(v.ns[RECORD_DUE], 0, "due");
    is_int(v.ns[RECORD_START], 1500, "start");
    is_int(v.ns[RECORD_END], 9001, "end");
    is_int(v.ns[RECORD_TLS], RECORD_NONE, "no TLS");
    is_int(v.ns[RECORD_TOTAL], 7501, "total");
    is_int((int64_t) v.size, 10, "size");
    is_int(v.lane, 7, "lane");
    ok(v.ok && v.reused, "flags");
    ok(v.key.n == 6 && memcmp(v.key.at, "a/k%20", 6) == 0, "key as it stands");
    ok(v.host.n == 6 && memcmp(v.host.at, "client", 6) == 0, "host");
}

/* Line GOOD with field NUMBER, from 0, replaced. */
static const char *
with(char out[1024], size_t number, const char *value)
{
    const char *at = GOOD, *rest;

    for (size_t i = 0; i < number; i++)
        at = strchr(at, '\t') + 1;
    rest = at + strcspn(at, "\t");
    snprintf(out, 1024, "%.*s%s%s", (int) (at - GOOD), GOOD, value, rest);
    return out;
}

static void
test_hostile(void)
{
    static const struct {
        size_t field;
        const char *value;
        const char *what;
    } cases[] = {
        {0, "", "no due_us, start_us or end_us"},
        {1, "NaN", "start_us"},
        {1, "inf", "start_us"},
        {1, "1", "start_us"},
        {1, "1.5", "start_us"},
        {1, "1.5000", "start_us"},
        {1, "-", "start_us"},
        {1, "1e3.000", "start_us"},
        {1, " 1.000", "start_us"},
        {1, "+1.000", "start_us"},
        {1, "99999999999999999.000", "start_us"},
        {1, "10.000", "the record ends before it starts"},
        {0, "10.000", "the record ends before it is due"},
        {7, "-3.000", "a stage is negative"},
        {9, "-7.501", "a stage is negative"},
        {11, "", "op"},
        {13, "%zz", "key"},
        {13, "%00", "key"},
        {13, "a%4", "key"},
        {14, "-1", "size"},
        {14, "99999999999999999999", "size"},
        {14, "0x10", "size"},
        {17, "1000", "status"},
        {18, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "code"},
        {20, "4294967296", "attempt"},
        {21, "2", "reused"},
        {24, "", "host"},
        {24, "h\tmore", "wrong number of fields"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record_view v;
        struct record_fault fault = {.what = "nothing"};
        char line[1024];

        ok(!scan(&v, &fault, with(line, cases[i].field, cases[i].value)) &&
               strcmp(fault.what, cases[i].what) == 0,
           "field %zu '%.20s': %s", cases[i].field, cases[i].value, fault.what);
    }
}

static void
test_cut_lines(void)
{
    struct record_view v;
    struct record_fault fault;
    char line[sizeof GOOD];
    size_t taken = 0;

    /* a shorter last field is a field all the same */
    for (size_t n = 0; n < sizeof GOOD - sizeof "client"; n++) {
        memcpy(line, GOOD, n);
        line[n] = '\0';
        taken += scan(&v, &fault, line);
    }
    is_int((int64_t) taken, 0, "no part of a line is a record");
    memcpy(line, GOOD, sizeof GOOD);
    line[40] = '\0';
    {
        static struct record_scanner s;

        ok(record_scanner_init(&s, &fault, NAMES) &&
               !record_scan(&v, &fault, &s, line, sizeof GOOD - 1),
           "a byte 0 in a line is refused");
    }
}

/* Columns go by name: others may be between them, and their order is free. */
static void
test_names(void)
{
    static struct record_scanner s;
    struct record_view v;
    struct record_fault fault = {.what = "nothing"};
    const char *line = "x y\t" GOOD "\tnew";

    ok(record_scanner_init(&s, &fault, "before\t" NAMES "\tafter") &&
           record_scan(&v, &fault, &s, line, strlen(line)),
       "columns that are not known are skipped: %s", fault.what);
    is_int(v.ns[RECORD_END], 9001, "the others are found");
    ok(!record_scanner_init(&s, &fault, "due_us\tdue_us"), "twice the same");
    is_str(fault.what, "there are two columns", "is said");
    ok(!record_scanner_init(&s, &fault, "due_us\tstart_us"), "one is missing");
    is_str(fault.what, "there is no column", "is said");
    for (size_t i = 0; i < RECORD_COLUMN_COUNT; i++)
        if (strstr(NAMES, record_column_name(i)) == NULL)
            ok(false, "column %zu", i);
}

/* What the writer writes for all kinds of values reads back the same. */
static void
test_round_trip(void)
{
    struct record r = {.due_ns = -5,
                       .start_ns = 1234567,
                       .end_ns = 7654321987,
                       .lookup_ns = RECORD_NONE,
                       .connect_ns = 0,
                       .tls_ns = 1,
                       .sent_ns = 999,
                       .first_ns = 1000,
                       .body_ns = 1001,
                       .total_ns = 123456789,
                       .verify_ns = RECORD_NONE,
                       .op = "get",
                       .bucket = "",
                       .key = "-",
                       .size = UINT64_C(1) << 40,
                       .status = 503,
                       .code = "SlowDown",
                       .transport = "timeout",
                       .attempt = 3,
                       .lane = 65535,
                       .endpoint = "https://[::1]:9000",
                       .host = "a b"};
    struct record back;
    struct record_view v;
    struct record_fault fault = {.what = "nothing"};
    struct buf line, store;

    buf_init(&line, 4096);
    buf_init(&store, 4096);
    if (record_add_tsv(&line, &r) != 0)
        return;
    line.data[line.len - 1] = '\0';
    ok(record_parse_tsv(&back, &store, line.data) &&
           scan(&v, &fault, line.data),
       "both read it: %s", fault.what);
    is_int(v.ns[RECORD_DUE], back.due_ns, "due");
    is_int(v.ns[RECORD_END], back.end_ns, "end");
    is_int(v.ns[RECORD_TOTAL], back.total_ns, "total");
    is_int((int64_t) v.size, (int64_t) back.size, "size");
    ok(v.ok == back.ok && !v.ok, "a failure");
    ok(record_text_is_none(v.bucket), "no bucket");
    ok(!record_text_is_none(v.key), "a key that is a dash");
    buf_clear(&line);
    buf_clear(&store);
}

int
main(void)
{
    test_values();
    test_hostile();
    test_cut_lines();
    test_names();
    test_round_trip();
    return done_testing();
}
