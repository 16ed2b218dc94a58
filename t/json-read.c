/* SPDX-License-Identifier: MIT */
/* The reader of small JSON objects. */
#include "config.h"

#include "json_read.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "tap.h"

static struct buf seen;
static size_t at;

static bool
note(void *ctx, const char *key, enum json_kind kind, const char *value)
{
    static const char marks[] = {
        [JSON_TEXT] = '"', [JSON_LITERAL] = '=', [JSON_NESTED] = '*'};
    int *left = (int *) ctx;

    buf_addf(&seen, "%s%c%s|", key, marks[kind], value);
    return --*left > 0;
}

static bool
read_bytes(const char *text, size_t n, int most)
{
    char *copy = (char *) calloc(1, n + 1); /* exact, for the sanitizer */
    bool good;

    buf_reset(&seen);
    if (copy == NULL)
        return false;
    memcpy(copy, text, n);
    good = json_read_members(copy, n, note, &most, &at);
    free(copy);
    return good;
}

/* What TEXT holds, NULL for bad JSON. */
static const char *
members(const char *text)
{
    return read_bytes(text, strlen(text), 1000) ? seen.data : NULL;
}

static void
test_members(void)
{
    is_str(members("{}"), "", "an empty object");
    is_str(members(" \r\n{ }\t\n"), "", "with blanks around");
    is_str(members("{\"a\":\"b\"}"), "a\"b|", "a text");
    is_str(members("{ \"a\" : \"\" , \"b\" : 1 }"), "a\"|b=1|", "two members");
    is_str(members("{\"a\":-0.5e+10,\"b\":true,\"c\":false,\"d\":null}"),
           "a=-0.5e+10|b=true|c=false|d=null|", "literals as they stand");
    is_str(members("{\"a\":{},\"b\":[],\"c\":{\"d\":[1,{\"e\":\"}\"}]},"
                   "\"f\":[[],[{}]],\"g\":1}"),
           "a*|b*|c*|f*|g=1|", "nested values are skipped");
    is_str(members("{\"a\":1,\"a\":2}"), "a=1|a=2|", "a repeated key");
    ok(read_bytes("{\"a\":1,\"b\":2 nonsense", 22, 1), "the caller can stop");
    is_str(seen.data, "a=1|", "after one");
}

static void
test_texts(void)
{
    is_str(members("{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}"),
           "a\"\"\\/\b\f\n\r\t|", "short escapes");
    is_str(members("{\"\\u0061\":\"\\u00e9\\u20AC\\ud83d\\ude00\"}"),
           "a\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80|", "long escapes");
    is_str(members("{\"a\":\"\xc3\xa9\x7f\"}"), "a\"\xc3\xa9\x7f|",
           "other bytes stay");
}

static void
test_refusals(void)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{,}",
        "{\"a\" 1}",
        "{a:1}",
        "{'a':1}",
        "{\"a\":01}",
        "{\"a\":1.}",
        "{\"a\":.5}",
        "{\"a\":1e}",
        "{\"a\":+1}",
        "{\"a\":-}",
        "{\"a\":tru}",
        "{\"a\":True}",
        "{\"a\":nullx}",
        "{\"a\":\"b}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\\"}",
        "{\"a\":\"\\u12\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\":\"\\u0000\"}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\ud800\\u0041\"}",
        "{\"a\":\"\\udc00\"}",
        "{\"a\":\"line\nend\"}",
        "{\"a\":[1,]}",
        "{\"a\":[1}}",
        "{\"a\":{\"b\"}}",
        "{\"a\":{\"b\":1,}}",
        "{\"a\":[}",
        "{} {}",
        "{}x",
        "\xef\xbb\xbf{}",
    };
    char deep[80] = "{\"a\":";

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        ok(members(bad[i]) == NULL && at <= strlen(bad[i]), "refused: %s",
           bad[i]);
    ok(!read_bytes("{\"a\0\":1}", 8, 9), "a NUL in a key");
    ok(!read_bytes("{}\0", 3, 9), "a NUL at the end");
    memset(deep + 5, '[', JSON_READ_DEPTH_MAX);
    memset(deep + 5 + JSON_READ_DEPTH_MAX, ']', JSON_READ_DEPTH_MAX);
    strcpy(deep + 5 + 2 * JSON_READ_DEPTH_MAX, "}");
    is_str(members(deep), "a*|", "as deep as allowed");
    memset(deep + 5, '[', JSON_READ_DEPTH_MAX + 1);
    ok(members(deep) == NULL, "deeper");
    is_int((int64_t) at, 5 + JSON_READ_DEPTH_MAX, "is refused there");
}

int
main(void)
{
    buf_init(&seen, 1 << 16);
    test_members();
    test_texts();
    test_refusals();
    buf_clear(&seen);
    return done_testing();
}
