/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "clock.h"

#include "tap.h"

static void
test_running(void)
{
    int64_t start = clock_now_ns(), cpu = clock_cpu_ns();
    struct timespec pause = {.tv_nsec = 20 * CLOCK_NS_PER_MS};
    int64_t end;

    nanosleep(&pause, NULL);
    end = clock_now_ns();
    ok(end - start >= 20 * CLOCK_NS_PER_MS, "20 ms asleep are 20 ms at least");
    ok(end - start < 20 * CLOCK_NS_PER_S, "and not 20 s: nanoseconds it is");
    while (clock_cpu_ns() - cpu < 2 * CLOCK_NS_PER_MS &&
           clock_now_ns() - start < 30 * CLOCK_NS_PER_S)
        continue;
    ok(clock_cpu_ns() - cpu >= 2 * CLOCK_NS_PER_MS, "work costs CPU time");
    ok(clock_cpu_ns() - cpu <= clock_now_ns() - start,
       "one thread uses no more CPU time than time passes");
    ok(clock_wall() > 1700000000, "the wall clock is past 2023");
}

static void
test_formats(void)
{
    static const struct {
        time_t wall;
        const char *amz, *iso;
    } cases[] = {
        {0, "19700101T000000Z", "1970-01-01T00:00:00Z"},
        {1369353600, "20130524T000000Z", "2013-05-24T00:00:00Z"},
        {1709251199, "20240229T235959Z", "2024-02-29T23:59:59Z"},
        {4102444800, "21000101T000000Z", "2100-01-01T00:00:00Z"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char amz[CLOCK_AMZ_SIZE], iso[CLOCK_ISO_SIZE];
        time_t back = -1;

        clock_format_amz(amz, cases[i].wall);
        is_str(amz, cases[i].amz, "as SigV4 wants it");
        clock_format_iso(iso, cases[i].wall);
        is_str(iso, cases[i].iso, "as files have it");
        ok(clock_parse_amz(&back, amz), "%s can be read", amz);
        is_int(back, cases[i].wall, "and gives the same second");
    }
}

static void
test_refused(void)
{
    static const char *const texts[] = {
        "",
        "20130524",
        "20130524T000000",
        "20130524T000000ZZ",
        "20130524 000000Z",
        "20130524T000000z",
        "2013-05-24T00:00Z",
        "20130230T000000Z",
        "20230229T000000Z",
        "20131301T000000Z",
        "20130500T000000Z",
        "20130524T240000Z",
        "20130524T006000Z",
        "20130524T000060Z",
        "2013052xT000000Z",
        "-0130524T000000Z",
        "+2130524T000000Z",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        time_t out = 42;

        ok(!clock_parse_amz(&out, texts[i]), "'%s' is refused", texts[i]);
        is_int(out, 42, "and the output left alone");
    }
}

static void
test_answers_dates(void)
{
    static const struct {
        const char *text;
        bool iso, http;
    } cases[] = {
        {"2013-05-24T00:00:00Z", true, false},
        {"2013-05-24T00:00:00.000Z", true, false},
        {"2013-05-24T00:00:00.123456789Z", true, false},
        {"Fri, 24 May 2013 00:00:00 GMT", false, true},
        {"Thu, 24 May 2013 00:00:00 GMT", false, false},
        {"Fri, 24 Mai 2013 00:00:00 GMT", false, false},
        {"Fri, 24 May 2013 24:00:00 GMT", false, false},
        {"Fri, 24 May 2013 00:00:00 UTC", false, false},
        {"Fri, 24 May 2013 00:00:00 GMT ", false, false},
        {"2013-05-24T00:00:00", false, false},
        {"2013-05-24T00:00:00+00:00", false, false},
        {"2013-05-24T00:00:00.Zx", false, false},
        {"2013-05-24 00:00:00Z", false, false},
        {"2013-02-30T00:00:00Z", false, false},
        {"20130524T000000Z", false, false},
        {"", false, false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        time_t out = 42;

        is_int(clock_parse_iso(&out, cases[i].text), cases[i].iso, "ISO: '%s'",
               cases[i].text);
        is_int(out, cases[i].iso ? 1369353600 : 42, "its second");
        out = 42;
        is_int(clock_parse_http(&out, cases[i].text), cases[i].http,
               "HTTP: '%s'", cases[i].text);
        is_int(out, cases[i].http ? 1369353600 : 42, "its second");
    }
}

static void
test_http(void)
{
    static const struct {
        time_t wall;
        const char *text;
    } cases[] = {
        {0, "Thu, 01 Jan 1970 00:00:00 GMT"},
        {1369353599, "Thu, 23 May 2013 23:59:59 GMT"},
        {1369353600, "Fri, 24 May 2013 00:00:00 GMT"},
        {951782400, "Tue, 29 Feb 2000 00:00:00 GMT"},
        {253402300799, "Fri, 31 Dec 9999 23:59:59 GMT"},
        {253402300800, "Thu, 01 Jan 1970 00:00:00 GMT"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[CLOCK_HTTP_SIZE];

        clock_format_http(text, cases[i].wall);
        is_str(text, cases[i].text, "HTTP's date of %lld",
               (long long) cases[i].wall);
    }
}

int
main(void)
{
    test_running();
    test_formats();
    test_http();
    test_answers_dates();
    test_refused();
    return done_testing();
}
