/* SPDX-License-Identifier: MIT */
/* Which failures are worth another attempt, and when it is made. */
#include "config.h"

#include "retry.h"

#include "answer.h"
#include "clock.h"
#include "tap.h"
#include "vectors.h"

#define S CLOCK_NS_PER_S
#define MS CLOCK_NS_PER_MS

static enum retry_verdict
judge(int status, const char *code)
{
    struct retry_failure f = {
        .status = status, .code = code, .repeatable = true};

    return retry_judge(&f);
}

/* A case of xml-responses.tsv: name, status, operation, body, ... */
static void
check_case(char **field)
{
    const char *want = field[18];
    struct answer a;
    size_t n;
    char *body;
    const char *code;
    bool derived;
    int status = atoi(field[1]);

    if (strcmp(want, "-") == 0)
        return;
    answer_init(&a);
    body = vectors_base64(field[3], strlen(field[3]), &n);
    answer_feed(&a, body, n);
    answer_finish(&a);
    code = answer_code(&a, status, true, &derived);
    is_int(judge(status, code) != RETRY_NO, strcmp(want, "true") == 0,
           "%s: %d %s, %s", field[0], status, code, want);
    free(body);
    answer_clear(&a);
}

static void
test_codes(void)
{
    ok(vectors_each("xml-responses.tsv", 19, check_case) >= 25, "all cases");
    is_int(judge(400, "RequestTimeout"), RETRY_YES, "the code beats a 400");
    is_int(judge(409, "OperationAborted"), RETRY_YES, "and a 409");
    is_int(judge(503, "XMinioStorageFull"), RETRY_NO, "and a 503");
    is_int(judge(403, "QuotaExceeded"), RETRY_NO, "no quota");
    is_int(judge(400, "ThrottlingException"), RETRY_YES, "Throttling...");
    is_int(judge(400, "BadDigest"), RETRY_ONCE, "BadDigest: once");
    is_int(judge(503, "ErrTooManyRequest"), RETRY_YES, "SeaweedFS");
    is_int(judge(200, "InternalError"), RETRY_YES, "an error in a 200");
    is_int(judge(200, "InvalidAnswer"), RETRY_NO, "no S3 at all");
    is_int(judge(412, "PreconditionFailed"), RETRY_NO, "a condition");
}

static void
test_statuses(void)
{
    static const int passing[] = {408, 429, 499, 500, 502, 503, 504, 509, 520};
    static const int final[] = {301, 304, 307, 400, 401, 403, 404, 405, 409,
                                411, 412, 413, 416, 501, 505, 507, 599};

    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        is_int(judge(passing[i], "X"), RETRY_YES, "%d passes", passing[i]);
    for (size_t i = 0; i < sizeof final / sizeof *final; i++)
        is_int(judge(final[i], "X"), RETRY_NO, "%d is final", final[i]);
}

static void
check_error(enum exchange_error error, enum retry_verdict repeatable,
            enum retry_verdict once_only)
{
    struct retry_failure f = {.error = error, .code = "", .repeatable = true};

    is_int(retry_judge(&f), repeatable, "%s", exchange_error_name(error));
    f.repeatable = false;
    is_int(retry_judge(&f), once_only, "%s, where a repetition may differ",
           exchange_error_name(error));
}

static void
test_errors(void)
{
    struct retry_failure cut = {
        .status = 200, .code = "InvalidAnswer", .cut = true};

    check_error(EXCHANGE_LOOKUP, RETRY_YES, RETRY_YES);
    check_error(EXCHANGE_CONNECT, RETRY_YES, RETRY_YES);
    check_error(EXCHANGE_CONNECT_TIMEOUT, RETRY_YES, RETRY_YES);
    check_error(EXCHANGE_TLS, RETRY_YES, RETRY_YES);
    check_error(EXCHANGE_TIMEOUT, RETRY_YES, RETRY_NO);
    check_error(EXCHANGE_RESET, RETRY_YES, RETRY_NO);
    check_error(EXCHANGE_STALE, RETRY_YES, RETRY_NO);
    check_error(EXCHANGE_SHORT, RETRY_YES, RETRY_NO);
    check_error(EXCHANGE_CERTIFICATE, RETRY_NO, RETRY_NO);
    check_error(EXCHANGE_PROTOCOL, RETRY_NO, RETRY_NO);
    check_error(EXCHANGE_ABORTED, RETRY_NO, RETRY_NO);
    check_error(EXCHANGE_CANCELLED, RETRY_NO, RETRY_NO);
    check_error(EXCHANGE_INTERNAL, RETRY_NO, RETRY_NO);
    is_int(retry_judge(&cut), RETRY_NO, "a cut document, not repeatable");
    cut.repeatable = true;
    is_int(retry_judge(&cut), RETRY_YES, "a cut document");
}

static void
test_backoff(void)
{
    struct retry_backoff b, same, other;
    bool equal = true, different = false;

    for (uint32_t retry = 1; retry <= 40; retry++) {
        int64_t bound = retry < 9 ? (100 * MS) << (retry - 1) : 20 * S;
        int64_t least = INT64_MAX, most = 0, sum = 0;

        retry_init(&b, 7, retry);
        for (int i = 0; i < 2000; i++) {
            int64_t ns = retry_wait_ns(&b, retry, RETRY_NONE);

            least = ns < least ? ns : least;
            most = ns > most ? ns : most;
            sum += ns / 2000;
        }
        if (bound > 20 * S)
            bound = 20 * S;
        ok(least >= 0 && least < bound / 50 && most <= bound &&
               most > bound / 50 * 49 && sum > bound / 20 * 9 &&
               sum < bound / 20 * 11,
           "attempt %" PRIu32 " waits anything up to %" PRId64 " ms", retry,
           bound / MS);
    }
    retry_init(&b, 1, 5);
    retry_init(&same, 1, 5);
    retry_init(&other, 1, 6);
    for (uint32_t i = 1; i < 20; i++) {
        int64_t ns = retry_wait_ns(&b, i, RETRY_NONE);

        equal &= ns == retry_wait_ns(&same, i, RETRY_NONE);
        different |= ns != retry_wait_ns(&other, i, RETRY_NONE);
    }
    ok(equal, "the same seed and number wait the same");
    ok(different, "another lane waits differently");
}

static void
test_retry_after(void)
{
    struct retry_backoff b;
    int64_t ns;

    retry_init(&b, 1, 1);
    ns = retry_wait_ns(&b, 1, 3 * S);
    ok(ns >= 3 * S && ns <= 3 * S + 100 * MS, "what the server asked for");
    is_int(retry_wait_ns(&b, 1, 3600 * S), 20 * S, "but not for ever");
    is_int(retry_wait_ns(&b, 1, INT64_MAX), 20 * S, "nor longer");
    ok(retry_wait_ns(&b, 1, 0) < 100 * MS, "at once is a back-off as usual");
    is_int(retry_parse_after("7", 0), 7 * S, "seconds");
    is_int(retry_parse_after("0", 0), 0, "none");
    is_int(retry_parse_after("99999999999999999999999999", 0), 20 * S, "many");
    is_int(retry_parse_after("Fri, 24 May 2013 00:00:05 GMT", 1369353600),
           5 * S, "a date");
    is_int(retry_parse_after("Fri, 24 May 2013 00:00:05 GMT", 1369353700), 0,
           "a date in the past");
    is_int(retry_parse_after("Fri, 24 May 2099 00:00:05 GMT", 0), 20 * S,
           "a date far ahead");
    is_int(retry_parse_after("", 0), RETRY_NONE, "nothing");
    is_int(retry_parse_after("-1", 0), RETRY_NONE, "a sign");
    is_int(retry_parse_after("5s", 0), RETRY_NONE, "a unit");
    is_int(retry_parse_after("soon", 0), RETRY_NONE, "a word");
}

int
main(void)
{
    test_codes();
    test_statuses();
    test_errors();
    test_backoff();
    test_retry_after();
    return done_testing();
}
