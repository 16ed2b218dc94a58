/* SPDX-License-Identifier: MIT */
/* Numbers with units. */
#include "config.h"

#include "units.h"

#include <math.h>

#include "tap.h"

#define UNTOUCHED UINT64_C(0x5ca1ab1e)

static void
test_count(void)
{
    static const char *const bad[] = {"",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1x",
                                      "0x10",
                                      "1.0",
                                      "1e3",
                                      "18446744073709551616",
                                      "99999999999999999999999",
                                      "abc",
                                      "."};
    uint64_t n = 0;

    ok(units_parse_count(&n, "0") && n == 0, "count 0");
    ok(units_parse_count(&n, "007") && n == 7, "leading zeros");
    ok(units_parse_count(&n, "18446744073709551615") && n == UINT64_MAX,
       "the largest count");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        n = UNTOUCHED;
        ok(!units_parse_count(&n, bad[i]) && n == UNTOUCHED,
           "count '%s' is refused", bad[i]);
    }
}

static void
test_decimal(void)
{
    static const char *const bad[] = {"",    "-1",  "1.",  ".5",
                                      "1e3", "1/s", "inf", "1.5Ki"};
    double x = 77;

    ok(units_parse_decimal(&x, "0") && x == 0, "decimal 0");
    ok(units_parse_decimal(&x, "0.99") && x == 0.99, "a fraction");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ok(!units_parse_decimal(&x, bad[i]) && x == 0.99,
           "decimal '%s' is refused", bad[i]);
}

static void
test_size(void)
{
    static const struct {
        const char *text;
        uint64_t want;
    } good[] = {
        {"0", 0},
        {"5", 5},
        {"5B", 5},
        {"4k", 4000},
        {"4K", 4000},
        {"4KB", 4000},
        {"4Ki", 4096},
        {"4ki", 4096},
        {"4KiB", 4096},
        {"1M", 1000000},
        {"1Mi", 1048576},
        {"1.5Mi", 1572864},
        {"1.50Mi", 1572864},
        {"0.5Ki", 512},
        {"1G", 1000000000},
        {"1Gi", UINT64_C(1) << 30},
        {"1T", UINT64_C(1000000000000)},
        {"5TiB", UINT64_C(5) << 40},
        {"1.0B", 1},
        {"16777215Ti", UINT64_C(16777215) << 40},
        {"0.000000000001T", 1},
    };
    static const char *const bad[] = {
        "",         "b",          "5b",
        "Ki",       "4x",         "4Kib",
        "4 Ki",     "-1",         "+1",
        "1.5",      "1.",         ".5Ki",
        "1.5B",     "0.3K i",     "0.0001K",
        "1.0001Ki", "16777216Ti", "4KK",
        "4iB",      "4m",         "4mi",
        "1e3",      "1,5Ki",      "0x10",
        "1.5.5Ki",  "4Kiu",       "1.1234567890123456789T",
        "4BB",      "inf",        "nan"};
    uint64_t n;

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        n = UNTOUCHED;
        ok(units_parse_size(&n, good[i].text) && n == good[i].want,
           "size '%s' is %" PRIu64, good[i].text, good[i].want);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        n = UNTOUCHED;
        ok(!units_parse_size(&n, bad[i]) && n == UNTOUCHED,
           "size '%s' is refused", bad[i]);
    }
}

static void
test_duration(void)
{
    static const struct {
        const char *text;
        int64_t want;
    } good[] = {
        {"0", 0},
        {"3", INT64_C(3000000000)},
        {"1.5", INT64_C(1500000000)},
        {"7ns", 7},
        {"7us", 7000},
        {"250ms", INT64_C(250000000)},
        {"30s", INT64_C(30000000000)},
        {"2m", INT64_C(120000000000)},
        {"1.5h", INT64_C(5400000000000)},
        {"0.5ns", 1},
        {"0.4ns", 0},
        {"9223372036854775807ns", INT64_MAX},
    };
    static const char *const bad[] = {"",
                                      "s",
                                      "1x",
                                      "1 s",
                                      "-1s",
                                      "1ss",
                                      "1M",
                                      "1S",
                                      "1.s",
                                      ".5s",
                                      "9223372036854775808ns",
                                      "2562048h",
                                      "99999999999999999999s",
                                      "1min"};
    int64_t ns;

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        ns = -1;
        ok(units_parse_duration(&ns, good[i].text) && ns == good[i].want,
           "duration '%s' is %" PRId64 " ns", good[i].text, good[i].want);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ns = -1;
        ok(!units_parse_duration(&ns, bad[i]) && ns == -1,
           "duration '%s' is refused", bad[i]);
    }
}

static void
test_rate(void)
{
    static const char *const bad[] = {"",   "0",    "0/s",  "0.0/m", "/s",
                                      "5/", "5/x",  "5 /s", "-5/s",  "5/s ",
                                      "5s", "5/ms", "inf",  "nan"};
    double rate = -1;

    ok(units_parse_rate(&rate, "500") && rate == 500, "500");
    ok(units_parse_rate(&rate, "500/s") && rate == 500, "500/s");
    ok(units_parse_rate(&rate, "30/m") && rate == 0.5, "30/m");
    ok(units_parse_rate(&rate, "0.5/s") && rate == 0.5, "0.5/s");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        rate = -1;
        ok(!units_parse_rate(&rate, bad[i]) && rate == -1,
           "rate '%s' is refused", bad[i]);
    }
}

static void
test_format_size(void)
{
    static const struct {
        double bytes;
        const char *want;
    } cases[] = {
        {0, "0 B"},
        {5, "5 B"},
        {1000, "1000 B"},
        {1023, "1023 B"},
        {1024, "1 KiB"},
        {1536, "1.5 KiB"},
        {1048575, "1 MiB"},
        {1048576, "1 MiB"},
        {1234567, "1.18 MiB"},
        {12345678, "11.8 MiB"},
        {123456789, "118 MiB"},
        {5368709120.0, "5 GiB"},
        {1099511627776.0, "1 TiB"},
        {1125899906842624.0, "1 PiB"},
        {18446744073709551615.0, "16 EiB"},
        {104857600, "100 MiB"},
        {10485760, "10 MiB"},
        {0.25, "0.25 B"},
        {NAN, "-"},
        {INFINITY, "-"},
        {1e300, "8.67e+281 EiB"},
    };
    char text[UNITS_TEXT_SIZE];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        units_format_size(text, cases[i].bytes);
        is_str(text, cases[i].want, "%g bytes", cases[i].bytes);
    }
}

static void
test_format_duration(void)
{
    static const struct {
        double ns;
        const char *want;
    } cases[] = {
        {0, "0 ns"},
        {1, "1 ns"},
        {812, "812 ns"},
        {999.7, "1.00 us"},
        {1000, "1.00 us"},
        {1240, "1.24 us"},
        {9994, "9.99 us"},
        {9996, "10.0 us"},
        {99940, "99.9 us"},
        {99960, "100 us"},
        {999499, "999 us"},
        {999500, "1.00 ms"},
        {12400000, "12.4 ms"},
        {999499999, "999 ms"},
        {999600000, "1.00 s"},
        {3210000000.0, "3.21 s"},
        {75000000000.0, "75.0 s"},
        {3600000000000.0, "3600 s"},
        {NAN, "-"},
        {1e300, "1e+291 s"},
    };
    char text[UNITS_TEXT_SIZE];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        units_format_duration(text, cases[i].ns);
        is_str(text, cases[i].want, "%g ns", cases[i].ns);
    }
}

static void
test_bit_rate(void)
{
    static const char *const bad[] = {"",       "1",      "1G",      "1GB",
                                      "0Gbit",  "-1Gbit", "1Gbit/m", "1 Gbit",
                                      "1Gbits", "1gbit"};
    double rate = 0;

    ok(units_parse_bit_rate(&rate, "100Mbit") && rate == 1e8, "100Mbit");
    ok(units_parse_bit_rate(&rate, "2.5Gbit/s") && rate == 2.5e9, "2.5Gbit/s");
    ok(units_parse_bit_rate(&rate, "9600bit") && rate == 9600, "9600bit");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(!units_parse_bit_rate(&rate, bad[i]) && rate == 9600,
           "'%s' is no rate of bits", bad[i]);
}

int
main(void)
{
    test_count();
    test_decimal();
    test_size();
    test_duration();
    test_rate();
    test_bit_rate();
    test_format_size();
    test_format_duration();
    return done_testing();
}
