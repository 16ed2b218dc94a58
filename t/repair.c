/* SPDX-License-Identifier: MIT */
/* What a refusal teaches, decided without a network. */
#include "config.h"

#include "repair.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "tap.h"

#define NOW ((time_t) 1369353600) /* 20130524T000000Z */

struct refusal {
    int status;
    const char *code, *region, *element, *named; /* header, Region, Endpoint */
};

static struct repair repair;
static struct repair_advice advice;
static struct request request;
static struct endpoint endpoint;
static unsigned done;

static void
judge(const char *url, const char *region, const struct refusal *f)
{
    struct repair_sent sent = {
        .bucket = "bkt", .region = region, .endpoint = &endpoint, .wall = NOW};

    if (endpoint_parse(&endpoint, url) != NULL)
        printf("Bail out! %s\n", url);
    memset(&request, 0, sizeof request);
    request.op = REQUEST_GET;
    request.answer_ready = true; /* only its texts are looked at */
    request.x.status = f->status;
    snprintf(request.region, sizeof request.region, "%s", f->region);
    snprintf(request.answer.error.region, sizeof request.answer.error.region,
             "%s", f->element);
    snprintf(request.answer.error.endpoint,
             sizeof request.answer.error.endpoint, "%s", f->named);
    done = 0;
    repair_judge(&repair, &advice, &done, &request, f->code, &sent);
}

static const struct {
    const char *url;
    struct refusal refusal;
    const char *want_url, *want_region; /* NULL: no repair */
} regions[] = {
    /* AWS: the region is part of the name, and of a foreign one. */
    {"s3.us-east-1.amazonaws.com",
     {301, "PermanentRedirect", "eu-west-1", "", ""},
     "https://s3.eu-west-1.amazonaws.com",
     "eu-west-1"},
    {"s3.amazonaws.com",
     {400, "AuthorizationHeaderMalformed", "", "EU", ""},
     "https://s3.eu-west-1.amazonaws.com",
     "eu-west-1"},
    {"s3.us-east-1.amazonaws.com",
     {301, "PermanentRedirect", "", "", "bkt.s3-eu-west-2.amazonaws.com"},
     "https://s3.eu-west-2.amazonaws.com",
     "eu-west-2"},
    {"s3.us-east-1.amazonaws.com",
     {301, "PermanentRedirect", "", "",
      "s3.dualstack.eu-north-1.amazonaws.com"},
     "https://s3.eu-north-1.amazonaws.com",
     "eu-north-1"},
    {"s3.us-east-1.amazonaws.com",
     {301, "PermanentRedirect", "", "", "s3.cn-north-1.amazonaws.com.cn"},
     "https://s3.cn-north-1.amazonaws.com.cn",
     "cn-north-1"},
    {"http://s3.us-east-1.amazonaws.com:8080",
     {301, "PermanentRedirect", "eu-west-1", "", ""},
     "http://s3.eu-west-1.amazonaws.com:8080",
     "eu-west-1"},
    /* The right region at the wrong region's name. */
    {"s3.eu-west-1.amazonaws.com",
     {301, "PermanentRedirect", "us-east-1", "", ""},
     "https://s3.us-east-1.amazonaws.com",
     "us-east-1"},
    /* Names of AWS's that have no brothers elsewhere. */
    {"bucket.vpce-1.s3.us-east-1.vpce.amazonaws.com",
     {400, "AuthorizationHeaderMalformed", "", "eu-west-1", ""},
     "https://bucket.vpce-1.s3.us-east-1.vpce.amazonaws.com",
     "eu-west-1"},
    /* Others keep their name. */
    {"http://127.0.0.1:9000",
     {400, "AuthorizationHeaderMalformed", "", "garage", ""},
     "http://127.0.0.1:9000",
     "garage"},
    {"https://s3.example.net",
     {301, "PermanentRedirect", "two", "", "s3.example.net"},
     "https://s3.example.net",
     "two"},
    {"https://s3.example.net",
     {301, "PermanentRedirect", "two", "", "bkt.s3.example.net:443"},
     "https://s3.example.net",
     "two"},
    {"https://s3.example.net",
     {301, "PermanentRedirect", "two", "", "s3.example.org"},
     NULL,
     NULL},
    {"https://s3.example.net",
     {301, "PermanentRedirect", "two", "", "s3.example.net.evil.org"},
     NULL,
     NULL},
    {"https://s3.example.net",
     {301, "PermanentRedirect", "", "", "s3.eu-west-1.amazonaws.com"},
     NULL,
     NULL},
    /* Nothing to learn, or nothing that can be signed. */
    {"https://s3.example.net",
     {301, "PermanentRedirect", "us-east-1", "", ""},
     NULL,
     NULL},
    {"https://s3.example.net",
     {400, "AuthorizationHeaderMalformed", "", "a/b", ""},
     NULL,
     NULL},
    {"https://s3.example.net",
     {400, "AuthorizationHeaderMalformed", "", "a b", ""},
     NULL,
     NULL},
    {"https://s3.example.net",
     {403, "AccessDenied", "two", "", ""},
     NULL,
     NULL},
    {"https://s3.example.net",
     {404, "NoSuchBucket", "two", "", ""},
     NULL,
     NULL},
};

static void
test_regions(void)
{
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
        repair_init(&repair, false);
        judge(regions[i].url, "us-east-1", &regions[i].refusal);
        is_int(advice.again, regions[i].want_url != NULL, "case %zu, %s", i + 1,
               regions[i].url);
        if (regions[i].want_url != NULL && advice.again) {
            is_str(advice.route->url, regions[i].want_url, "endpoint");
            is_str(advice.route->region, regions[i].want_region, "region");
            ok(repair_route(&repair, NULL, "bkt") == advice.route,
               "remembered");
            ok(repair_route(&repair, NULL, "other") == NULL,
               "for this bucket only");
            is_int(done, REPAIR_REGION, "and done");
        }
        repair_clear(&repair);
    }
}

/* The same lesson is learnt once; a new one replaces it. */
static void
test_memory(void)
{
    static const struct refusal two = {400, "AuthorizationHeaderMalformed", "",
                                       "two", ""},
                                three = {400, "AuthorizationHeaderMalformed",
                                         "", "three", ""};

    repair_init(&repair, false);
    for (int i = 0; i < 5000; i++)
        judge("https://s3.example.net", "one", &two);
    is_int(repair.count, 1, "the same is learnt once");
    judge("https://s3.example.net", "two", &three);
    is_str(repair_route(&repair, NULL, "bkt")->region, "three",
           "the newest counts");
    for (int i = 0; i < 2 * REPAIR_ROUTES_MAX; i++) {
        struct refusal f = two;
        char name[16];

        snprintf(name, sizeof name, "r%d", i);
        f.element = name;
        judge("https://s3.example.net", "one", &f);
    }
    ok(!advice.again && repair.count == REPAIR_ROUTES_MAX,
       "and no more than there is room for");
    repair_clear(&repair);
}

static void
test_clock(void)
{
    static const struct {
        const char *server_time, *date, *age;
        int64_t want_s; /* 0: no repair */
    } cases[] = {
        {"2013-05-24T01:00:00Z", "", "", 3600},
        {"2013-05-23T23:00:00.000Z", "Fri, 24 May 2013 05:00:00 GMT", "",
         -3600},
        {"", "Fri, 24 May 2013 05:00:00 GMT", "", 18000},
        {"", "Fri, 24 May 2013 05:00:00 GMT", "12", 0},
        {"2013-05-24 01:00:00Z", "yesterday", "", 0},
        {"2013-05-24T00:00:20Z", "", "", 0},
        {"", "", "", 0},
    };
    struct repair_sent sent = {
        .bucket = "bkt", .region = "r", .endpoint = &endpoint, .wall = NOW};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        repair_init(&repair, true);
        memset(&request, 0, sizeof request);
        request.answer_ready = true;
        request.x.status = 403;
        strcpy(request.answer.error.server_time, cases[i].server_time);
        strcpy(request.date, cases[i].date);
        strcpy(request.age, cases[i].age);
        done = 0;
        repair_judge(&repair, &advice, &done, &request, "RequestTimeTooSkewed",
                     &sent);
        is_int(advice.again, cases[i].want_s != 0, "clock, case %zu", i + 1);
        is_int(repair.clock_offset_s, cases[i].want_s, "its offset");
        ok(llabs(repair_wall(&repair) - clock_wall() - cases[i].want_s) <= 1,
           "which is signed");
        repair_judge(&repair, &advice, &done, &request, "RequestTimeTooSkewed",
                     &sent);
        ok(!advice.again && advice.text[0] != '\0', "once");
        repair_clear(&repair);
    }
}

int
main(void)
{
    test_regions();
    test_memory();
    test_clock();
    return done_testing();
}
