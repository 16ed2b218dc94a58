/* SPDX-License-Identifier: MIT */
/* What is said of objects, as headers; and customers' keys. */
#include "config.h"

#include "aspects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static struct aspects a;

/* The value of header NAME; NULL without it. */
static const char *
value(const char *name)
{
    for (size_t i = 0; i < a.count; i++)
        if (strcmp(aspects_name(&a, i), name) == 0)
            return aspects_value(&a, i);
    return NULL;
}

static void
test_tags(void)
{
    static const struct {
        const char *text, *want; /* NULL: refused */
    } cases[] = {
        {"a=b", "a=b"},
        {"a=", "a="},
        {"a=b,c=d", "a=b&c=d"},
        {"a b=c&d", "a%20b=c%26d"},
        {"a=b=c", "a=b%3Dc"},
        {"\xc3\xa9=/", "%C3%A9=%2F"},
        {"", NULL},
        {"a", NULL},
        {"=b", NULL},
        {"a=b,", NULL},
        {",a=b", NULL},
        {"a=b,,c=d", NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool good = cases[i].want != NULL;

        aspects_clear(&a);
        is_int(aspects_add_tags(&a, cases[i].text), good ? 0 : EINVAL,
               "tags '%s'", cases[i].text);
        is_str(value("x-amz-tagging"), cases[i].want, "as they go out");
    }
}

static void
test_metadata(void)
{
    char long_name[160];

    aspects_clear(&a);
    is_int(aspects_add_metadata(&a, "k=v w=x"), 0, "metadata");
    is_str(value("x-amz-meta-k"), "v w=x", "all behind the first '='");
    is_int(aspects_add_metadata(&a, "K=v"), EINVAL, "names are of any case");
    is_int(aspects_add_metadata(&a, "a=b\r\nHost: c"), EINVAL,
           "nothing ends the header");
    is_int(aspects_add_metadata(&a, "a= b"), EINVAL, "nor is cut off");
    memset(long_name, 'a', sizeof long_name);
    memcpy(long_name + 129, "=b", 3);
    is_int(aspects_add_metadata(&a, long_name), EINVAL, "a name too long");
    is_int(aspects_add_metadata(&a, long_name + 1), 0, "one that just fits");
    is_int(aspects_add_random(&a, ASPECTS_RANDOM_MAX, 1), 0, "random");
    is_int(strlen(value("x-amz-meta-random")), ASPECTS_RANDOM_MAX, "as long");
    is_int((int) a.count, 3, "what was refused is not there");
}

static void
test_room(void)
{
    char name[8];
    int err = 0;

    aspects_clear(&a);
    for (int i = 0; i < ASPECTS_MAX; i++) {
        snprintf(name, sizeof name, "n%d", i);
        err = err != 0 ? err : aspects_add(&a, ASPECTS_READ, name, "v");
    }
    is_int(err, 0, "as many as there is room for");
    is_int(aspects_add(&a, ASPECTS_READ, "more", "v"), E2BIG, "no more");
    ok(!aspects_have(&a, "more") && aspects_have(&a, "N0"), "not added");
}

static void
test_rules(void)
{
    aspects_clear(&a);
    is_int(aspects_add_retention(&a, "governance:90m", 1369353600), 0,
           "retention");
    is_str(value("x-amz-object-lock-mode"), "GOVERNANCE", "its mode");
    is_str(value("x-amz-object-lock-retain-until-date"), "2013-05-24T01:30:00Z",
           "its end");
    is_int(aspects_add_match(&a, "abc"), 0, "an etag");
    is_str(value("If-Match"), "\"abc\"", "gets its quotes");
    aspects_clear(&a);
    aspects_add_match(&a, "\"abc\"");
    is_str(value("If-Match"), "\"abc\"", "or has them");
    aspects_clear(&a);
    aspects_add_match(&a, "*");
    is_str(value("If-Match"), "*", "any needs none");
}

static void
test_sse(void)
{
    static const char key[] = "MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI=";
    static const char *const bad[] = {
        "x",
        "MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI",
        "MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz", /* 33 bytes */
        "MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMQ==",
        "MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkw!TI=",
        " MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMT=",
    };
    struct sse sse = {.kind = SSE_NONE};
    struct sse_made made = {.made = false};

    ok(sse_parse(&sse, "kms:arn:x") && sse.kind == SSE_KMS, "kms with a key");
    is_str(sse.key_id, "arn:x", "its id");
    ok(!sse_parse(&sse, "kms:") && !sse_parse(&sse, "C") &&
           !sse_parse(&sse, ""),
       "what it cannot be");
    ok(sse_parse(&sse, "c") && sse.key_id == NULL, "c");
    unsetenv(SSE_VARIABLE);
    is_int(sse_take_key(&sse), ENOENT, "no key");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        setenv(SSE_VARIABLE, bad[i], 1);
        is_int(sse_take_key(&sse), EINVAL, "bad key %zu", i);
    }
    setenv(SSE_VARIABLE, key, 1);
    is_int(sse_make(&made), 0, "one that is there");
    ok(!made.made, "stays");
    is_int(sse_take_key(&sse), 0, "and is taken");
    is_str(sse.key_md5, "dnF5x6K/8ZZRzpfSlMMM+w==", "its MD5");
    aspects_clear(&a);
    is_int(aspects_add_sse(&a, &sse), 0, "headers");
    is_int((int) a.count, 6, "for object and source");
    is_str(value("x-amz-server-side-encryption-customer-key"), key, "the key");
    unsetenv(SSE_VARIABLE);
    is_int(sse_make(&made), 0, "one is made");
    is_int(sse_take_key(&sse), 0, "and taken");
    ok(strcmp(sse.key, key) != 0, "another one");
    sse_forget(&made);
    is_int(sse_take_key(&sse), ENOENT, "forgotten");
    for (size_t i = 0; i < sizeof made.variable; i++)
        made.made |= made.variable[i] != '\0';
    ok(!made.made, "and wiped");
    sse_clear(&sse);
    is_str(sse.key, "", "here, too");
}

int
main(void)
{
    aspects_init(&a);
    test_tags();
    test_metadata();
    test_room();
    test_rules();
    test_sse();
    aspects_clear(&a);
    aspects_clear(&a);
    return done_testing();
}
