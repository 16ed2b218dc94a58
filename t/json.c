/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "json.h"

#include <errno.h>
#include <math.h>

#include "tap.h"

/* What json_string() makes of TEXT; valid until the next call. */
static const char *
quoted(const char *text)
{
    static char out[256];
    struct buf b;
    struct json j;

    buf_init(&b, sizeof(out) - 1);
    json_init(&j, &b);
    json_string(&j, NULL, text);
    snprintf(out, sizeof(out), "%s", j.err == 0 ? b.data : "error");
    buf_clear(&b);
    return out;
}

static void
test_structure(void)
{
    struct buf b;
    struct json j;

    buf_init(&b, 1000);
    json_init(&j, &b);
    json_open(&j, NULL, '{');
    json_string(&j, "a", "x");
    json_open(&j, "list", '[');
    json_uint(&j, NULL, 1);
    json_uint(&j, NULL, UINT64_MAX);
    json_open(&j, NULL, '{');
    json_close(&j, '}');
    json_open(&j, NULL, '[');
    json_close(&j, ']');
    json_close(&j, ']');
    json_bool(&j, "yes", true);
    json_bool(&j, "no", false);
    json_null(&j, "none");
    json_string(&j, "null", NULL);
    json_close(&j, '}');
    is_int(j.err, 0, "no error");
    is_str(b.data,
           "{\"a\":\"x\",\"list\":[1,18446744073709551615,{},[]],"
           "\"yes\":true,\"no\":false,\"none\":null,\"null\":null}",
           "commas stand between members and nowhere else");
    buf_clear(&b);
}

static void
test_numbers(void)
{
    struct buf b;
    struct json j;

    buf_init(&b, 1000);
    json_init(&j, &b);
    json_open(&j, NULL, '[');
    json_number(&j, NULL, 1.23456, 3);
    json_number(&j, NULL, -0.5, 0);
    json_number(&j, NULL, 1e15, 1);
    json_number(&j, NULL, NAN, 3);
    json_number(&j, NULL, INFINITY, 3);
    json_number(&j, NULL, -INFINITY, 3);
    json_close(&j, ']');
    is_str(b.data, "[1.235,-0,1000000000000000.0,null,null,null]",
           "decimals as asked, null for what JSON cannot say");
    buf_clear(&b);
}

static void
test_quoting(void)
{
    is_str(quoted(""), "\"\"", "the empty text");
    is_str(quoted("a\"b\\c/"), "\"a\\\"b\\\\c/\"", "quote and backslash");
    is_str(quoted("\n\t\x01\x1f\x7f"), "\"\\u000a\\u0009\\u0001\\u001f\x7f\"",
           "control characters");
    is_str(quoted("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
           "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"",
           "UTF-8 of two, three and four bytes stays");
    is_str(quoted("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"),
           "\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\"",
           "also beside the surrogates, and the last code point");
}

static void
test_bad_utf8(void)
{
    is_str(quoted("a\xff"
                  "b"),
           "\"a\\ufffdb\"", "a byte that never is");
    is_str(quoted("\x80"), "\"\\ufffd\"", "a lone continuation");
    is_str(quoted("\xc3"), "\"\\ufffd\"", "a cut-off sequence");
    is_str(quoted("\xe2\x82"), "\"\\ufffd\\ufffd\"", "cut off later");
    is_str(quoted("\xc3("), "\"\\ufffd(\"", "what follows is kept");
    is_str(quoted("\xc0\xaf"), "\"\\ufffd\\ufffd\"", "overlong, two bytes");
    is_str(quoted("\xe0\x9f\xbf"), "\"\\ufffd\\ufffd\\ufffd\"",
           "overlong, three bytes");
    is_str(quoted("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"", "a surrogate");
    is_str(quoted("\xf4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"",
           "past the last code point");
}

static void
test_full(void)
{
    struct buf b;
    struct json j;

    buf_init(&b, 5);
    json_init(&j, &b);
    json_open(&j, NULL, '[');
    json_string(&j, NULL, "too long for it");
    is_int(j.err, EMSGSIZE, "a full buffer is an error");
    json_null(&j, NULL);
    json_close(&j, ']');
    is_int(j.err, EMSGSIZE, "and the first one sticks");
    ok(b.len <= 5, "the limit holds");
    buf_clear(&b);
}

int
main(void)
{
    test_structure();
    test_numbers();
    test_quoting();
    test_bad_utf8();
    test_full();
    return done_testing();
}
