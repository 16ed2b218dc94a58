/* SPDX-License-Identifier: MIT */
/* Percent-encoding and the canonical query. */
#include "config.h"

#include "uri.h"

#include <errno.h>

#include "tap.h"

static struct buf out;

static const char *
encoded(const char *text, bool keep_slash)
{
    buf_reset(&out);
    if (uri_encode(&out, text, strlen(text), keep_slash) != 0)
        return NULL;
    return out.data;
}

static const char *
url_path(const char *text)
{
    buf_reset(&out);
    if (uri_encode_url_path(&out, text, strlen(text)) != 0)
        return NULL;
    return out.data;
}

static const char *
decoded(const char *text, bool plus_is_blank)
{
    buf_reset(&out);
    if (uri_decode(&out, text, strlen(text), plus_is_blank) != 0)
        return NULL;
    return out.data;
}

static void
test_encode(void)
{
    const char *plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                        "0123456789-._~";
    char all[256];
    struct buf back;

    is_str(encoded("", false), "", "nothing stays nothing");
    is_str(encoded(plain, false), plain, "unreserved bytes stay");
    is_str(encoded("a b+c%d", false), "a%20b%2Bc%25d",
           "blank, plus and percent");
    is_str(encoded("//a/./../b/", true), "//a/./../b/",
           "a path is not cleaned up");
    is_str(encoded("a/b", false), "a%2Fb", "a slash in a query");
    is_str(encoded("\xc3\xa9\xff\x01\x7f", true), "%C3%A9%FF%01%7F",
           "bytes outside ASCII, hex in upper case");
    is_str(encoded("!$&'()*,;=:@", true),
           "%21%24%26%27%28%29%2A%2C%3B%3D%3A%40", "sub-delimiters");

    for (int i = 0; i < 256; i++)
        all[i] = (char) i;
    buf_reset(&out);
    buf_init(&back, 1024);
    ok(uri_encode(&out, all, sizeof(all), false) == 0 &&
           out.len == 66 + 190 * 3,
       "all bytes, NUL too");
    ok(uri_decode(&back, out.data + 3, out.len - 3, false) == 0 &&
           back.len == 255 && memcmp(back.data, all + 1, 255) == 0,
       "all bytes but NUL come back");
    buf_clear(&back);
}

static void
test_url_path(void)
{
    is_str(url_path("/a%2fb%C3%a9"), "/a%2Fb%C3%A9",
           "escapes stay, in upper case");
    is_str(url_path("/%41%7e"), "/%41%7E", "needless escapes stay too");
    is_str(url_path("/a b\xe1\x88\xb4?"), "/a%20b%E1%88%B4%3F",
           "other bytes are encoded");
    is_str(url_path("/100%"), "/100%25", "a lone percent at the end");
    is_str(url_path("/%4"), "/%254", "half an escape");
    is_str(url_path("/%zz%%41"), "/%25zz%25%41",
           "percents that escape nothing");
}

static void
test_decode(void)
{
    is_str(decoded("a%20b%2Fc%c3%A9", false), "a b/c\xc3\xa9",
           "both cases of hex");
    is_str(decoded("a+b", false), "a+b", "plus is plus");
    is_str(decoded("a+b%2B", true), "a b+", "plus is a blank in forms");
    is_str(decoded("%", false), NULL, "a lone percent is refused");
    is_str(decoded("%4", false), NULL, "half an escape is refused");
    is_str(decoded("%4g", false), NULL, "bad hex is refused");
    is_str(decoded("a%00", false), NULL, "an encoded NUL is refused");
}

static const char *
query(struct uri_param *params, size_t n)
{
    buf_reset(&out);
    return uri_canonical_query(&out, params, n) == 0 ? out.data : NULL;
}

static void
test_query(void)
{
    struct uri_param bare[] = {{"uploads", NULL}};
    struct uri_param prefixes[] = {
        {"ab-c", "1"}, {"ab", "2"}, {"ab.c", "3"}, {"abc", "4"}, {"ab", "1"}};
    struct uri_param marks[] = {
        {"a~", ""}, {"a:", ""}, {"a0", ""}, {"a\xc3", ""}, {"a", ""}};
    struct uri_param values[] = {{"k", "a"}, {"k", "/"}, {"k", ""}, {"K", "z"}};
    struct uri_param many[65];

    is_str(query(NULL, 0), "", "no parameter");
    is_str(query(bare, 1), "uploads=", "a bare name gets its =");
    is_str(query(prefixes, 5), "ab=1&ab=2&ab-c=1&ab.c=3&abc=4",
           "sorted by name, not by the whole pair");
    is_str(query(marks, 5),
           "a=&a%3A=&a%C3=&a0=&a~=", "sorted by the encoded name");
    is_str(query(values, 4), "K=z&k=&k=%2F&k=a",
           "then by the encoded value; names keep their case");
    for (size_t i = 0; i < 65; i++)
        many[i] = (struct uri_param){"n", "v"};
    buf_reset(&out);
    is_int(uri_canonical_query(&out, many, 64), 0, "64 parameters");
    is_int(uri_canonical_query(&out, many, 65), E2BIG, "65 are too many");
}

static void
test_limits(void)
{
    struct uri_param params[] = {{"a", "b/"}, {"c", "d"}};
    struct buf small;

    buf_init(&small, 8);
    buf_adds(&small, "1234");
    is_int(uri_encode(&small, "a/", 2, false), 0, "fits exactly");
    is_str(small.data, "1234a%2F", "and is whole");
    is_int(uri_encode(&small, "b", 1, false), EMSGSIZE, "one byte more");
    buf_reset(&small);
    buf_adds(&small, "12345");
    is_int(uri_encode(&small, "a/", 2, false), EMSGSIZE, "encoding, no room");
    is_int(uri_encode_url_path(&small, "a%2Fb", 5), EMSGSIZE,
           "URL path, no room");
    is_int(uri_canonical_query(&small, params, 2), EMSGSIZE, "query, no room");
    is_str(small.data, "12345", "a failed addition leaves nothing behind");
    is_int(uri_decode(&small, "%41%42%43", 9, false), 0,
           "decoding needs room for its result only");
    is_int(uri_decode(&small, "x", 1, false), EMSGSIZE, "decoding, no room");
    buf_clear(&small);
}

int
main(void)
{
    buf_init(&out, 1 << 16);
    test_encode();
    test_url_path();
    test_decode();
    test_query();
    test_limits();
    buf_clear(&out);
    return done_testing();
}
