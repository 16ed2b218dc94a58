/* SPDX-License-Identifier: MIT */
/* Several endpoints: what they are called, and whose turn it is. */
#include "config.h"

#include "endpoints.h"

#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "tap.h"

/* All labels of E, with their profiles, in one text. */
static const char *
labels(const struct endpoints *e)
{
    static char text[8192];
    size_t n = 0;

    text[0] = '\0';
    for (size_t i = 0; i < e->count && n < sizeof text; i++)
        n += (size_t) snprintf(
            text + n, sizeof text - n, "%s%s%s%s", i > 0 ? " " : "",
            e->items[i].profile != NULL ? e->items[i].profile : "",
            e->items[i].profile != NULL ? "=" : "", e->items[i].label);
    return text;
}

/* --- what is said --- */

static const struct {
    const char *text, *want;
} good[] = {
    {"http://h", "http://h"},
    {"h", "https://h"},
    {"https://h:443/", "https://h"},
    {"http://h{1...3}:9000", "http://h1:9000 http://h2:9000 http://h3:9000"},
    {"http://h{7...7}", "http://h7"},
    {"http://h{0...1}", "http://h0 http://h1"},
    {"http://h{9...11}", "http://h9 http://h10 http://h11"},
    {"http://h{09...11}", "http://h09 http://h10 http://h11"},
    {"http://10.0.{1...2}.{3...4}:80",
     "http://10.0.1.3 http://10.0.1.4 http://10.0.2.3 http://10.0.2.4"},
    {"http://h:900{1...2}", "http://h:9001 http://h:9002"},
    {"http://[fd00::{1...2}]:9000",
     "http://[fd00::1]:9000 http://[fd00::2]:9000"},
    {"profile=a,http://h{1...2}", "a=http://h1 a=http://h2"},
    {"profile=a b,http://h", "a b=http://h"},
    {"http://h:1#10.0.0.{1...2}", "http://h:1#10.0.0.1 http://h:1#10.0.0.2"},
    {"profile=p,https://h#fd00::1", "p=https://h#fd00::1"},
};

static const struct {
    const char *text, *why;
} bad[] = {
    {"", "bad endpoint '': it has no host"},
    {"http://h{1..3}", "bad endpoint 'http://h{1..3}': a range is "
                       "{FIRST...LAST}, {1...8} for example"},
    {"http://h{3...1}", "bad endpoint 'http://h{3...1}': a range is "
                        "{FIRST...LAST}, {1...8} for example"},
    {"http://h{a...c}", "bad endpoint 'http://h{a...c}': a range is "
                        "{FIRST...LAST}, {1...8} for example"},
    {"http://h{1...2}{", "bad endpoint 'http://h1{': a range is "
                         "{FIRST...LAST}, {1...8} for example"},
    {"http://h{1...}", "bad endpoint 'http://h{1...}': a range is "
                       "{FIRST...LAST}, {1...8} for example"},
    {"http://h{1...9999999999}",
     "bad endpoint 'http://h{1...9999999999}': a range is {FIRST...LAST}, "
     "{1...8} for example"},
    {"http://h{1...2", "bad endpoint 'http://h{1...2': a range is "
                       "{FIRST...LAST}, {1...8} for example"},
    {"http://h:6553{5...6}", "bad endpoint 'http://h:65536': it has a bad "
                             "port"},
    {"http://h/path", "bad endpoint 'http://h/path': it has a path"},
    {"http://key:secret@h", "bad endpoint: it has user information"},
    {"profile=,http://h", "bad endpoint 'profile=,http://h': it is "
                          "profile=NAME,URL"},
    {"http://h#", "bad endpoint 'http://h#': it has no address behind its #"},
    {"http://h#name",
     "bad endpoint 'http://h#name': it has no address behind its #"},
    {"http://h#[::1]",
     "bad endpoint 'http://h#[::1]': it has no address behind its #"},
    {"http://h/x#10.0.0.1",
     "bad endpoint 'http://h/x#10.0.0.1': it has a path"},
    {"profile=a", "bad endpoint 'profile=a': it is profile=NAME,URL"},
    {"http://h{1...1025}", "there are more than 1024 endpoints"},
    {"http://h{1...99}.n{1...99}", "there are more than 1024 endpoints"},
    {"file:/nonexistent/x",
     "cannot read '/nonexistent/x': No such file or directory"},
};

static void
test_texts(void)
{
    struct endpoints e;
    char text[ENDPOINTS_TEXT_MAX + 16];

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        endpoints_init(&e);
        is_int(endpoints_add(&e, good[i].text), 0, "'%s'", good[i].text);
        is_str(labels(&e), good[i].want, "is these");
        endpoints_clear(&e);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        endpoints_init(&e);
        is_int(endpoints_add(&e, bad[i].text), EINVAL, "'%s' is refused",
               bad[i].text);
        is_str(e.why, bad[i].why, "and why");
        endpoints_clear(&e);
    }
    memset(text, 'h', sizeof text);
    text[sizeof text - 1] = '\0';
    endpoints_init(&e);
    is_int(endpoints_add(&e, text), EINVAL, "a long text is refused");
    is_str(e.why, "bad endpoint: it is too long", "and why");
    text[ENDPOINTS_TEXT_MAX] = '\0';
    memcpy(text, "{1...9}{8...9999}", 17);
    is_int(endpoints_add(&e, text), EINVAL, "a text that grows is refused");
    endpoints_clear(&e);
    endpoints_clear(&e);
}

static void
test_together(void)
{
    struct endpoints e;

    endpoints_init(&e);
    is_int(endpoints_add(&e, "http://h{1...1024}"), 0,
           "as many as there may be");
    is_int((int64_t) e.count, ENDPOINTS_MAX, "are there");
    is_str(e.items[1023].label, "http://h1024", "up to the last");
    is_int(e.items[1023].endpoint.port, 80, "with its port");
    is_int(endpoints_add(&e, "http://other"), EINVAL, "and no more");
    endpoints_clear(&e);
    is_int(endpoints_add(&e, "http://a"), 0, "one");
    is_int(endpoints_add(&e, "profile=p,http://b:1"), 0, "and another");
    is_str(labels(&e), "http://a p=http://b:1", "are two");
    is_int(endpoints_add(&e, "https://c"), EINVAL, "of one kind");
    is_str(e.why,
           "endpoints are all https, or all http: 'http://a', 'https://c'",
           "as it says");
    is_int(endpoints_add(&e, "profile=q,http://a:80"), EINVAL,
           "and each of them once");
    is_str(e.why, "the endpoint 'http://a' is there twice", "as it says");
    endpoints_clear(&e);
}

static void
add_file(const char *content, const char *want, const char *why)
{
    char path[] = "endpoints.XXXXXX", text[64];
    struct endpoints e;
    int fd = mkstemp(path);
    int err;

    if (fd < 0 || write(fd, content, strlen(content)) < 0)
        printf("Bail out! cannot write a file\n");
    close(fd);
    snprintf(text, sizeof text, "file:%s", path);
    endpoints_init(&e);
    err = endpoints_add(&e, text);
    unlink(path);
    is_int(err, why == NULL ? 0 : EINVAL, "a file");
    if (why == NULL) {
        is_str(labels(&e), want, "has these");
    } else {
        char said[2 * ENDPOINTS_WHY_SIZE], *name = strstr(e.why, path);

        /* Its name differs each time. */
        snprintf(said, sizeof said, "%.*sFILE%s",
                 name != NULL ? (int) (name - e.why) : 0, e.why,
                 name != NULL ? name + strlen(path) : e.why);
        is_str(said, why, "is refused");
    }
    endpoints_clear(&e);
}

static void
test_files(void)
{
    char line[ENDPOINTS_TEXT_MAX + 8];

    add_file("# nodes\n\n  http://a \r\nprofile=p,http://h{1...2}\n\thttp://b",
             "http://a p=http://h1 p=http://h2 http://b", NULL);
    add_file("http://a\n\nhttp://b/x\n", NULL,
             "line 3 of 'FILE': bad endpoint 'http://b/x': it has a path");
    add_file("# none\n\n", NULL, "'FILE' has no endpoint");
    add_file("", NULL, "'FILE' has no endpoint");
    add_file("http://a\nhttp://a", NULL,
             "line 2 of 'FILE': the endpoint 'http://a' is there twice");
    add_file("file:other\n", NULL,
             "line 1 of 'FILE': bad endpoint 'file:other': it has a bad port");
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\0';
    add_file(line, NULL, "line 1 of 'FILE': it is too long");
}

/* --- addresses --- */

static int
look_up(void *ctx, const char *host, uint16_t port,
        char (*addresses)[ENDPOINTS_ADDRESS_SIZE], size_t max, size_t *count)
{
    static const char *const many[] = {"10.0.0.10", "fd00::2", "10.0.0.9",
                                       "10.0.0.10", "fd00::1"};
    size_t *calls = ctx;

    *calls += port == 80 || port == 9000;
    *count = 0;
    if (strcmp(host, "none") == 0)
        return EAI_NONAME;
    if (strcmp(host, "b.many") == 0 || strcmp(host, "many") == 0) {
        for (; *count < 5 && *count < max; ++*count)
            strcpy(addresses[*count], many[*count]);
        return 0;
    }
    if (strcmp(host, "crowd") == 0) {
        for (; *count < max; ++*count)
            snprintf(addresses[*count], ENDPOINTS_ADDRESS_SIZE, "10.1.%zu.%zu",
                     *count / 250, *count % 250);
        return 0;
    }
    strcpy(addresses[(*count)++], "10.9.9.9");
    return 0;
}

static void
test_addresses(void)
{
    struct endpoints e;
    size_t calls = 0;

    endpoints_init(&e);
    endpoints_add(&e, "profile=p,http://many:9000");
    endpoints_add(&e, "http://10.0.0.1");
    endpoints_add(&e, "http://[::1]");
    endpoints_add(&e, "http://one");
    is_int(endpoints_resolve(&e, NULL, look_up, &calls), 0, "names resolve");
    is_int((int64_t) calls, 2, "and only names");
    is_str(labels(&e),
           "p=http://many:9000#10.0.0.9 p=http://many:9000#10.0.0.10 "
           "p=http://many:9000#fd00::1 p=http://many:9000#fd00::2 "
           "http://10.0.0.1 http://[::1] http://one#10.9.9.9",
           "to their addresses, each once");
    is_str(e.items[0].endpoint.host, "many", "the name stays");
    is_str(e.items[0].address, "10.0.0.9", "beside the address");
    is_str(e.items[4].address, "", "of which an address has none");
    endpoints_clear(&e);
    endpoints_add(&e, "http://many");
    is_int(endpoints_resolve(&e, "b", look_up, &calls), 0,
           "a bucket's own name resolves");
    is_int((int64_t) e.count, 4, "to as many");
    is_str(e.items[0].endpoint.host, "many", "and stays the service's");
    endpoints_clear(&e);
    endpoints_add(&e, "http://many");
    endpoints_add(&e, "http://none");
    is_int(endpoints_resolve(&e, NULL, look_up, &calls), EINVAL,
           "a name without address is refused");
    is_str(e.why, "cannot resolve 'none': Name or service not known",
           "and named");
    endpoints_clear(&e);
    endpoints_add(&e, "http://crowd");
    is_int(endpoints_resolve(&e, NULL, look_up, &calls), 0, "a crowd fits");
    is_int((int64_t) e.count, ENDPOINTS_MAX, "as large as it may be");
    endpoints_clear(&e);
    endpoints_add(&e, "http://crowd");
    endpoints_add(&e, "http://one");
    is_int(endpoints_resolve(&e, NULL, look_up, &calls), EINVAL,
           "but not with one more");
    is_str(e.why, "there are more than 1024 addresses of endpoints",
           "as it says");
    endpoints_clear(&e);
}

/* The system's own resolver, on names that need no network. */
static void
test_system(void)
{
    char addresses[4][ENDPOINTS_ADDRESS_SIZE];
    size_t count = 0;

    is_int(endpoints_lookup(NULL, "127.0.0.1", 80, addresses, 4, &count), 0,
           "an address is its own");
    is_int((int64_t) count, 1, "and only one");
    is_str(addresses[0], "127.0.0.1", "namely this");
    ok(endpoints_lookup(NULL, "name..invalid", 80, addresses, 4, &count) != 0,
       "no name");
}

/* --- turns --- */

static void
test_turns(void)
{
    struct endpoints_choice c;
    char got[16] = "";

    endpoints_choice_init(&c, ENDPOINTS_ROUND_ROBIN, 3, 1);
    for (size_t i = 0; i < 7; i++)
        got[i] = (char) ('0' + endpoints_take(&c, 99));
    is_str(got, "1201201", "one after another, whatever the lane");
    endpoints_give_back(&c, 1);
    endpoints_choice_clear(&c);
    endpoints_choice_init(&c, ENDPOINTS_PER_LANE, 3, 1);
    for (size_t i = 0; i < 7; i++)
        got[i] = (char) ('0' + endpoints_take(&c, i));
    is_str(got, "0120120", "by the lane");
    is_int(endpoints_take(&c, 5), 2, "and each time the same");
    endpoints_choice_clear(&c);
    endpoints_choice_init(&c, ENDPOINTS_LEAST_BUSY, 3, 0);
    for (size_t i = 0; i < 6; i++)
        got[i] = (char) ('0' + endpoints_take(&c, 0));
    got[6] = '\0';
    is_str(got, "012012", "all are as busy as the others");
    endpoints_give_back(&c, 1);
    endpoints_give_back(&c, 1);
    endpoints_give_back(&c, 2);
    for (size_t i = 0; i < 3; i++)
        got[i] = (char) ('0' + endpoints_take(&c, 0));
    got[3] = '\0';
    is_str(got, "112", "the least busy one, until they are even");
    /* With nothing in flight it is one after another. */
    for (uint32_t i = 0; i < 6; i++)
        endpoints_give_back(&c, i % 3);
    for (size_t i = 0; i < 3; i++) {
        uint32_t number = endpoints_take(&c, 0);

        got[i] = (char) ('0' + number);
        endpoints_give_back(&c, number);
    }
    is_str(got, "012", "of equals, the one whose turn it is");
    endpoints_choice_clear(&c);
    endpoints_choice_clear(&c);
}

#define THREADS 4
#define ENDPOINTS 10
#define TURNS 5000

static void *
take_many(void *ctx)
{
    for (int i = 0; i < TURNS; i++)
        endpoints_take(ctx, 0);
    return NULL;
}

static void *
take_and_give(void *ctx)
{
    for (int i = 0; i < TURNS; i++)
        endpoints_give_back(ctx, endpoints_take(ctx, 0));
    return NULL;
}

static void
run_threads(struct endpoints_choice *c, void *(*work)(void *) )
{
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, c) != 0)
            printf("Bail out! no thread\n");
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* Take one more from each: all must be equally busy before. */
static void
test_threads(void)
{
    struct endpoints_choice c;
    unsigned seen[ENDPOINTS] = {0};
    bool even = true;

    endpoints_choice_init(&c, ENDPOINTS_LEAST_BUSY, ENDPOINTS, 0);
    run_threads(&c, take_many);
    /* THREADS x TURNS is a multiple of ENDPOINTS. */
    for (size_t i = 0; i < ENDPOINTS; i++)
        seen[endpoints_take(&c, 0)]++;
    for (size_t i = 0; i < ENDPOINTS; i++)
        even &= seen[i] == 1;
    ok(even, "threads leave no endpoint busier than the others");
    endpoints_choice_clear(&c);
    memset(seen, 0, sizeof seen);
    endpoints_choice_init(&c, ENDPOINTS_LEAST_BUSY, ENDPOINTS, 0);
    run_threads(&c, take_and_give);
    for (size_t i = 0; i < 2 * ENDPOINTS; i++)
        seen[endpoints_take(&c, 0)]++;
    for (size_t i = 0; i < ENDPOINTS; i++)
        even &= seen[i] == 2;
    ok(even, "what threads give back is free");
    endpoints_choice_clear(&c);
    memset(seen, 0, sizeof seen);
    endpoints_choice_init(&c, ENDPOINTS_ROUND_ROBIN, ENDPOINTS, 3);
    run_threads(&c, take_many);
    is_int(endpoints_take(&c, 0), 3, "turns are not lost");
    endpoints_choice_clear(&c);
}

static void
test_all_names(void)
{
    struct endpoints e;
    struct buf text;

    endpoints_init(&e);
    buf_init(&text, 1024);
    endpoints_add(&e, "http://a");
    endpoints_add_names(&text, &e);
    is_str(text.data, "http://a", "the name of one");
    endpoints_add(&e, "http://h{1...2}");
    buf_reset(&text);
    endpoints_add_names(&text, &e);
    is_str(text.data, "http://a,http://h1,http://h2", "of a few");
    endpoints_add(&e, "http://z");
    buf_reset(&text);
    endpoints_add_names(&text, &e);
    is_str(text.data, "http://a,...,http://z", "of many");
    buf_clear(&text);
    endpoints_clear(&e);
}

/* What is written is read as the same. */
static void
test_lines(void)
{
    char path[] = "endpoints.XXXXXX", text[64];
    struct endpoints e, back;
    struct buf lines;
    char want[256];
    int fd = mkstemp(path);

    endpoints_init(&e);
    endpoints_init(&back);
    buf_init(&lines, 4096);
    endpoints_add(&e, "profile=p,http://a:1#::1");
    endpoints_add(&e, "http://b");
    is_int(endpoints_add_lines(&lines, &e), 0, "endpoints are written");
    if (fd < 0 || write(fd, lines.data, lines.len) < 0)
        printf("Bail out! cannot write a file\n");
    close(fd);
    snprintf(text, sizeof text, "file:%s", path);
    is_int(endpoints_add(&back, text), 0, "and read");
    unlink(path);
    snprintf(want, sizeof want, "%s", labels(&e));
    is_str(labels(&back), want, "as the same");
    is_str(back.items[0].address, "::1", "with their address");
    buf_clear(&lines);
    endpoints_clear(&e);
    endpoints_clear(&back);
}

static void
test_names(void)
{
    enum endpoints_way way = ENDPOINTS_PER_LANE;

    ok(endpoints_parse_way(&way, "roundrobin") && way == ENDPOINTS_ROUND_ROBIN,
       "roundrobin");
    ok(endpoints_parse_way(&way, "least-busy") && way == ENDPOINTS_LEAST_BUSY,
       "least-busy");
    ok(!endpoints_parse_way(&way, "least") && way == ENDPOINTS_LEAST_BUSY,
       "no such way");
    is_str(endpoints_way_name(ENDPOINTS_PER_LANE), "per-lane", "and back");
}

int
main(void)
{
    test_texts();
    test_together();
    test_files();
    test_addresses();
    test_system();
    test_turns();
    test_threads();
    test_names();
    test_all_names();
    test_lines();
    return done_testing();
}
