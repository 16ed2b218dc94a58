/* SPDX-License-Identifier: MIT */
/* Filters: what each condition takes and refuses. */
#include "config.h"

#include "filter.h"

#include "tap.h"

static struct record_text
text(const char *t)
{
    return (struct record_text){t, strlen(t)};
}

static struct record_view
make(void)
{
    struct record_view v = {.size = 4096,
                            .good_bytes = 4096,
                            .wire_bytes = 4096,
                            .status = 200,
                            .attempt = 1,
                            .lane = 3,
                            .reused = true,
                            .ok = true};

    for (size_t i = 0; i < RECORD_TIMES; i++)
        v.ns[i] = RECORD_NONE;
    v.ns[RECORD_TOTAL] = 10000000;
    v.op = text("get");
    v.bucket = text("b");
    v.key = text("a/k%20x");
    v.code = v.transport = text("-");
    v.endpoint = text("http://h:1");
    v.host = text("client-1");
    return v;
}

static void
test_conditions(void)
{
    static const struct {
        const char *text;
        bool want;
    } cases[] = {
        {"op=get", true},
        {"op==get", true},
        {"op!=get", false},
        {"op=g*", true},
        {"op=put", false},
        {"key=a/*", true},
        {"key=*x", true},
        {"code=-", true},
        {"code!=-", false},
        {"code=Slow*", false},
        {"total_us=10000", true},
        {"total_us=10ms", true},
        {"total_us>9.9ms", true},
        {"total_us>10ms", false},
        {"total_us>=10ms", true},
        {"total_us<10ms", false},
        {"total_us<=10000", true},
        {"total_us!=10ms", false},
        {"first_us=-", true},
        {"first_us!=-", false},
        {"first_us<1s", false},
        {"first_us!=1s", true},
        {"size=4Ki", true},
        {"size>4095", true},
        {"size<4Ki", false},
        {"status=200", true},
        {"status>=500", false},
        {"lane<4", true},
        {"reused=1", true},
        {"reused=0", false},
        {"ok=1", true},
        {"ok=0", false},
        {"attempt>1", false},
        {"host=client-?", true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record_view v = make();
        struct filter f;
        const char *why;

        filter_init(&f);
        why = filter_add(&f, cases[i].text);
        ok(why == NULL && filter_matches(&f, &v) == cases[i].want, "%s%s%s",
           cases[i].text, why != NULL ? ": " : "", why != NULL ? why : "");
    }
}

static void
test_refused(void)
{
    static const char *const cases[] = {
        "",           "op",       "op=",         "nothing=1", "op<get",
        "size=x",     "size=-1",  "total_us=1x", "total_us=", "code>-",
        "first_us<-", "lane=1e3", "=1",          "ok",        "total_us=NaN"};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct filter f;

        filter_init(&f);
        ok(filter_add(&f, cases[i]) != NULL, "'%s' is refused", cases[i]);
    }
}

static void
test_lists(void)
{
    static const char *const ops[] = {"put", "get"}, *const sizes[] = {
                                                         "1Ki-4Ki"};
    static const char *const other[] = {"5Ki-8Ki", "1"}, *const odd[] = {"4-1"};
    struct record_view v = make();
    struct filter f;
    const char *bad = NULL;

    filter_init(&f);
    ok(filter_matches(&f, &v), "no condition takes all");
    ok(filter_add_list(&f, RECORD_OP, ops, 2, &bad) == NULL &&
           filter_matches(&f, &v),
       "one of two operations");
    ok(filter_add_list(&f, RECORD_HOST, ops, 0, &bad) == NULL &&
           filter_matches(&f, &v),
       "an empty list is no condition");
    ok(filter_add_list(&f, RECORD_SIZE, sizes, 1, &bad) == NULL &&
           filter_matches(&f, &v),
       "a range of sizes with its end");
    ok(filter_add(&f, "ok=1") == NULL && filter_matches(&f, &v), "all of them");
    ok(filter_add_list(&f, RECORD_SIZE, other, 2, &bad) == NULL &&
           !filter_matches(&f, &v),
       "none of two sizes");
    ok(filter_add_list(&f, RECORD_SIZE, odd, 1, &bad) != NULL && bad == odd[0],
       "a range that is empty is refused, and named");
    filter_init(&f);
    for (int i = 0; i < FILTER_MAX; i++)
        if (filter_add(&f, "ok=1") != NULL)
            ok(false, "condition %d", i);
    ok(filter_add(&f, "ok=1") != NULL, "there is a limit");
}

int
main(void)
{
    test_conditions();
    test_refused();
    test_lists();
    return done_testing();
}
