/* SPDX-License-Identifier: MIT */
/* Object lock in s3mem: the rules, and requests about them. */
#include "config.h"

#include "mem-act.h"
#include "mem_lock.h"

#define RETENTION(mode, until)                                                 \
    "<Retention><Mode>" mode "</Mode><RetainUntilDate>" until                  \
    "</RetainUntilDate></Retention>"
#define HOLD(status) "<LegalHold><Status>" status "</Status></LegalHold>"
#define FAR "2099-01-01T00:00:00Z"
#define FARTHER "2099-01-02T00:00:00.000Z"

static const char bypass[] = MD5 "\nx-amz-bypass-governance-retention: true";
static char target[300]; /* of the version that was put last */

static void
test_rules(void)
{
    const time_t now = 1000;
    static const struct {
        struct mem_lock lock;
        bool plain, bypassed; /* may it be deleted? */
    } cases[] = {
        {{MEM_LOCK_NONE, 0, MEM_HOLD_NEVER}, true, true},
        {{MEM_LOCK_NONE, 0, MEM_HOLD_OFF}, true, true},
        {{MEM_LOCK_NONE, 0, MEM_HOLD_ON}, false, false},
        {{MEM_LOCK_GOVERNANCE, 1001, MEM_HOLD_NEVER}, false, true},
        {{MEM_LOCK_GOVERNANCE, 1000, MEM_HOLD_NEVER}, true, true},
        {{MEM_LOCK_GOVERNANCE, 1001, MEM_HOLD_ON}, false, false},
        {{MEM_LOCK_COMPLIANCE, 1001, MEM_HOLD_NEVER}, false, false},
        {{MEM_LOCK_COMPLIANCE, 1000, MEM_HOLD_NEVER}, true, true},
    };
    const struct mem_lock governance = {.mode = MEM_LOCK_GOVERNANCE,
                                        .until = 2000},
                          compliance = {.mode = MEM_LOCK_COMPLIANCE,
                                        .until = 2000},
                          sooner = {.mode = MEM_LOCK_COMPLIANCE, .until = 1999},
                          none = {.mode = MEM_LOCK_NONE};
    const struct mem_lock_rule days = {.mode = MEM_LOCK_GOVERNANCE, .days = 2},
                               years = {.mode = MEM_LOCK_GOVERNANCE,
                                        .years = 1};

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        is_int(mem_lock_may_delete(&cases[i].lock, false, now), cases[i].plain,
               "delete, case %zu", i);
        is_int(mem_lock_may_delete(&cases[i].lock, true, now),
               cases[i].bypassed, "delete with bypass, case %zu", i);
    }
    ok(mem_lock_may_change(&none, &governance, false, now), "lock it");
    ok(mem_lock_may_change(&governance, &compliance, false, now), "stricter");
    ok(!mem_lock_may_change(&compliance, &governance, true, now), "laxer");
    ok(!mem_lock_may_change(&compliance, &sooner, true, now), "sooner");
    ok(mem_lock_may_change(&compliance, &sooner, false, 2000), "it is over");
    ok(!mem_lock_may_change(&governance, &none, false, now), "none");
    ok(mem_lock_may_change(&governance, &none, true, now), "none, by bypass");
    is_int(mem_lock_rule_until(&days, now), 1000 + 2 * 86400, "two days");
    is_int(mem_lock_rule_until(&years, now), 1000 + 365 * 86400, "a year");
}

/* Put /locked/k, which gets another version. */
static void
put(const char *headers)
{
    char lines[600];

    snprintf(lines, sizeof(lines), "%s\n%s", MD5, headers);
    act_is("put", "PUT", "/locked/k", lines, "content", "");
    snprintf(target, sizeof(target), "/locked/k?versionId=%s",
             header("x-amz-version-id"));
}

static void
delete_is(const char *what, const char *headers, const char *code)
{
    act_is(what, "DELETE", target, headers, NULL, code);
}

/* METHOD on a sub-resource of the last version. */
static void
sub_is(const char *what, const char *method, const char *sub,
       const char *headers, const char *body, const char *code)
{
    char whole[400];

    snprintf(whole, sizeof(whole), "%s&%s", target, sub);
    act_is(what, method, whole, headers, body, code);
}

static void
test_bucket(void)
{
    act_is("a bucket for locks", "PUT", "/locked",
           "x-amz-bucket-object-lock-enabled: true", NULL, "");
    act("GET", "/locked?versioning", "", NULL);
    ok(answer_has("<Status>Enabled</Status>"), "has versions");
    act_is("suspend them", "PUT", "/locked?versioning", MD5,
           "<VersioningConfiguration><Status>Suspended</Status>"
           "</VersioningConfiguration>",
           "InvalidBucketState");
    act_is("its rule", "GET", "/locked?object-lock", "", NULL, "");
    ok(answer_has("<ObjectLockEnabled>Enabled</ObjectLockEnabled>") &&
           !answer_has("<Rule>"),
       "there is none");
    act_is("of another bucket", "GET", "/buk?object-lock", "", NULL,
           "ObjectLockConfigurationNotFoundError");
    act_is("which has no versions", "PUT", "/buk?object-lock", MD5,
           "<ObjectLockConfiguration/>", "InvalidBucketState");
    act_is("a lock there", "PUT", "/buk/k",
           MD5 "\nx-amz-object-lock-legal-hold: ON", "x", "InvalidRequest");
    act("PUT", "/buk/k", "", "x");
    act_is("a retention there", "PUT", "/buk/k?retention", MD5,
           RETENTION("GOVERNANCE", FAR), "InvalidRequest");
}

static void
test_retention(void)
{
    put("");
    sub_is("no retention", "GET", "retention", "", NULL,
           "NoSuchObjectLockConfiguration");
    delete_is("which can be deleted", "", "");

    put("x-amz-object-lock-mode: GOVERNANCE\n"
        "x-amz-object-lock-retain-until-date: " FAR);
    act("HEAD", target, "", NULL);
    is_str(header("x-amz-object-lock-mode"), "GOVERNANCE", "its mode");
    is_str(header("x-amz-object-lock-retain-until-date"),
           "2099-01-01T00:00:00.000Z", "and its end");
    delete_is("what is locked", "", "AccessDenied");
    act_is("a marker above it", "DELETE", "/locked/k", "", NULL, "");
    sub_is("earlier", "PUT", "retention", MD5,
           RETENTION("GOVERNANCE", "2098-01-01T00:00:00Z"), "AccessDenied");
    sub_is("later", "PUT", "retention", MD5, RETENTION("GOVERNANCE", FARTHER),
           "");
    sub_is("get it", "GET", "retention", "", NULL, "");
    ok(answer_has("<Mode>GOVERNANCE</Mode><RetainUntilDate>"
                  "2099-01-02T00:00:00.000Z</RetainUntilDate>"),
       "what it is now");
    sub_is("none", "PUT", "retention", MD5, "<Retention/>", "AccessDenied");
    delete_is("with the bypass", bypass, "");

    put("x-amz-object-lock-mode: COMPLIANCE\n"
        "x-amz-object-lock-retain-until-date: " FAR);
    delete_is("compliance has no bypass", bypass, "AccessDenied");
    sub_is("nor to anything laxer", "PUT", "retention", bypass,
           RETENTION("GOVERNANCE", FARTHER), "AccessDenied");
    sub_is("but to more", "PUT", "retention", MD5,
           RETENTION("COMPLIANCE", FARTHER), "");
}

static void
test_bad_retention(void)
{
    put("");
    sub_is("no digest", "PUT", "retention", "", RETENTION("GOVERNANCE", FAR),
           "InvalidRequest");
    sub_is("a past date", "PUT", "retention", MD5,
           RETENTION("GOVERNANCE", "2020-01-01T00:00:00Z"), "InvalidArgument");
    sub_is("no date", "PUT", "retention", MD5,
           "<Retention><Mode>GOVERNANCE</Mode></Retention>", "MalformedXML");
    sub_is("a date that is none", "PUT", "retention", MD5,
           RETENTION("GOVERNANCE", "tomorrow"), "InvalidArgument");
    sub_is("another mode", "PUT", "retention", MD5, RETENTION("SOFT", FAR),
           "InvalidArgument");
    act_is("a mode without a date", "PUT", "/locked/bad",
           MD5 "\nx-amz-object-lock-mode: GOVERNANCE", "x", "InvalidArgument");
    act_is("a lock without a digest", "PUT", "/locked/bad",
           "x-amz-object-lock-legal-hold: ON", "x", "InvalidRequest");
    act_is("a hold that is none", "PUT", "/locked/bad",
           MD5 "\nx-amz-object-lock-legal-hold: MAYBE", "x", "InvalidArgument");
    act_is("of no key", "PUT", "/locked/none?retention", MD5,
           RETENTION("GOVERNANCE", FAR), "NoSuchKey");
}

static void
test_hold(void)
{
    put("x-amz-object-lock-legal-hold: ON");
    act("HEAD", target, "", NULL);
    is_str(header("x-amz-object-lock-legal-hold"), "ON", "it is held");
    delete_is("despite the bypass", bypass, "AccessDenied");
    sub_is("get it", "GET", "legal-hold", "", NULL, "");
    ok(answer_has("<Status>ON</Status>"), "on");
    sub_is("neither on nor off", "PUT", "legal-hold", MD5, HOLD("NO"),
           "MalformedXML");
    sub_is("off", "PUT", "legal-hold", MD5, HOLD("OFF"), "");
    sub_is("get it", "GET", "legal-hold", "", NULL, "");
    ok(answer_has("<Status>OFF</Status>"), "off");
    delete_is("then it goes", "", "");
    put("");
    sub_is("of what was never held", "GET", "legal-hold", "", NULL,
           "NoSuchObjectLockConfiguration");
}

static void
test_rule(void)
{
    static const char *const bad[] = {
        "<DefaultRetention><Mode>GOVERNANCE</Mode></DefaultRetention>",
        "<DefaultRetention><Mode>GOVERNANCE</Mode><Days>1</Days>"
        "<Years>1</Years></DefaultRetention>",
        "<DefaultRetention><Days>1</Days></DefaultRetention>",
        "<DefaultRetention><Mode>GOVERNANCE</Mode><Days>0</Days>"
        "</DefaultRetention>",
        "<DefaultRetention><Mode>OTHER</Mode><Days>1</Days>"
        "</DefaultRetention>",
    };
    char body[400];

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        snprintf(body, sizeof(body),
                 "<ObjectLockConfiguration><ObjectLockEnabled>Enabled"
                 "</ObjectLockEnabled><Rule>%s</Rule>"
                 "</ObjectLockConfiguration>",
                 bad[i]);
        act_is(bad[i], "PUT", "/locked?object-lock", MD5, body, "MalformedXML");
    }
    act_is("a rule", "PUT", "/locked?object-lock", MD5,
           "<ObjectLockConfiguration><ObjectLockEnabled>Enabled"
           "</ObjectLockEnabled><Rule><DefaultRetention>"
           "<Mode>COMPLIANCE</Mode><Years>1</Years></DefaultRetention></Rule>"
           "</ObjectLockConfiguration>",
           "");
    act("GET", "/locked?object-lock", "", NULL);
    ok(answer_has("<Rule><DefaultRetention><Mode>COMPLIANCE</Mode>"
                  "<Years>1</Years></DefaultRetention></Rule>"),
       "is there");
    act_is("no digest", "PUT", "/locked/k", "", "x", "InvalidRequest");
    put("");
    act("HEAD", target, "", NULL);
    is_str(header("x-amz-object-lock-mode"), "COMPLIANCE", "it holds");
    delete_is("so it stays", bypass, "AccessDenied");
    put("x-amz-object-lock-mode: GOVERNANCE\n"
        "x-amz-object-lock-retain-until-date: " FAR);
    delete_is("unless something else is said", bypass, "");
    act("POST", "/locked?delete", MD5,
        "<Delete><Object><Key>k</Key></Object></Delete>");
    ok(answer_has("<DeleteMarker>true"), "many: a marker is fine");
}

static void
test_batch(void)
{
    char body[300];

    put("x-amz-object-lock-legal-hold: ON");
    snprintf(body, sizeof(body),
             "<Delete><Object><Key>k</Key><VersionId>%s</VersionId></Object>"
             "</Delete>",
             strchr(target, '=') + 1);
    act("POST", "/locked?delete", MD5, body);
    ok(answer_has("<Code>AccessDenied</Code>"), "many: not what is held");
}

int
main(void)
{
    if (!begin_acting())
        return EXIT_FAILURE;
    test_rules();
    test_bucket();
    test_retention();
    test_bad_retention();
    test_hold();
    test_batch();
    test_rule();
    end_acting();
    return done_testing();
}
