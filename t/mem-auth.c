/* SPDX-License-Identifier: MIT */
/* Does s3mem see whether a request is signed as it should be? */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "mem_auth.h"
#include "tap.h"

#define STAMP "20130524T000000Z"
/* The example "GET Object" of AWS's page on signing headers. */
#define EXAMPLE_KEY "AKIAIOSFODNN7EXAMPLE"
#define EXAMPLE_SECRET "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
#define EXAMPLE_CREDENTIAL EXAMPLE_KEY "/20130524/us-east-1/s3/aws4_request"
#define EXAMPLE_HEADERS "host;range;x-amz-content-sha256;x-amz-date"
#define EXAMPLE_SIGNATURE                                                      \
    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
#define AUTHORIZATION(credential, headers, signature)                          \
    "AWS4-HMAC-SHA256 Credential=" credential ",SignedHeaders=" headers        \
    ",Signature=" signature
#define EXAMPLE                                                                \
    AUTHORIZATION(EXAMPLE_CREDENTIAL, EXAMPLE_HEADERS, EXAMPLE_SIGNATURE)

static struct mem_keys keys = {
    .access_key = EXAMPLE_KEY,
    .secret_key = EXAMPLE_SECRET,
    .region = "us-east-1",
};
static struct mem_auth auth; /* of the last check */
static struct mem_signer *signer;
static struct mem_answer answer; /* of the last check */

/* Headers of the example; the value of AUTHORIZATION differs by case. */
static void
fill(struct mem_request *r, const char *target, const char *authorization)
{
    mem_request_init(r);
    r->method = "GET";
    mem_request_target(r, target);
    mem_request_header(r, "Host", "examplebucket.s3.amazonaws.com");
    mem_request_header(r, "Range", "bytes=0-9");
    mem_request_header(r, "x-amz-content-sha256", SIGV4_EMPTY_HASH);
    mem_request_header(r, "x-amz-date", STAMP);
    if (authorization != NULL)
        mem_request_header(r, "Authorization", authorization);
}

/* Returns: the code of the answer, "" when the request is fine. */
static const char *
check_at(struct mem_request *r, int64_t late_s)
{
    time_t at = 0;

    clock_parse_amz(&at, STAMP);
    mem_answer_clear(&answer);
    mem_answer_init(&answer);
    if (mem_request_decode(r) != 0)
        return "not decoded";
    if (mem_auth_check(signer, &auth, &answer, r, &keys, at + late_s))
        return answer.code == MEM_OK ? "" : "fine, but a code";
    return mem_code_name(answer.code);
}

static const char *
check(const char *authorization)
{
    struct mem_request r;
    const char *code;

    fill(&r, "/test.txt", authorization);
    code = check_at(&r, 0);
    mem_request_clear(&r);
    return code;
}

static bool
answer_has(const char *text)
{
    return strstr(answer.extra.out.data, text) != NULL;
}

static void
test_example(void)
{
    is_str(check(EXAMPLE), "", "AWS's example");
    is_str(check("AWS4-HMAC-SHA256 Credential=" EXAMPLE_CREDENTIAL
                 ", SignedHeaders=" EXAMPLE_HEADERS
                 ", Signature=" EXAMPLE_SIGNATURE),
           "", "with blanks between its parts");
}

static void
test_header(void)
{
    static const char malformed[] = "AuthorizationHeaderMalformed";

    is_str(check(NULL), "AccessDenied", "no Authorization");
    is_str(check(""), "InvalidRequest", "an empty one");
    is_str(check("Basic key:signature"), "InvalidRequest", "another one");
    is_str(check("AWS4-HMAC-SHA256X Credential"), "InvalidRequest",
           "another algorithm");
    is_str(check("AWS4-HMAC-SHA256"), malformed, "the algorithm alone");
    is_str(check("AWS4-HMAC-SHA256 Credential"), malformed, "a bare name");
    is_str(check("AWS4-HMAC-SHA256 Credential=,SignedHeaders=,Signature="),
           malformed, "empty parts");
    is_str(check("AWS4-HMAC-SHA256 Credential=" EXAMPLE_CREDENTIAL
                 ",SignedHeaders=" EXAMPLE_HEADERS),
           malformed, "no signature");
    is_str(check(EXAMPLE ",Signature=" EXAMPLE_SIGNATURE), malformed,
           "two signatures");
    is_str(check(EXAMPLE ",Other=1"), malformed, "an unknown part");
    is_str(check(AUTHORIZATION("a/b/c/d", "host", EXAMPLE_SIGNATURE)),
           malformed, "a short credential");
    is_str(check(AUTHORIZATION(EXAMPLE_KEY "/20130524/us-east-1/s3/aws5",
                               EXAMPLE_HEADERS, EXAMPLE_SIGNATURE)),
           malformed, "another end of the scope");
    is_str(
        check(AUTHORIZATION(EXAMPLE_KEY "/20130524/us-east-1/ec2/aws4_request",
                            EXAMPLE_HEADERS, EXAMPLE_SIGNATURE)),
        malformed, "another service");
    is_str(check(AUTHORIZATION(EXAMPLE_KEY "/20130523/us-east-1/s3/"
                                           "aws4_request",
                               EXAMPLE_HEADERS, EXAMPLE_SIGNATURE)),
           malformed, "another day");
    is_str(check(AUTHORIZATION(EXAMPLE_KEY "/20130524/eu-west-1/s3/"
                                           "aws4_request",
                               EXAMPLE_HEADERS, EXAMPLE_SIGNATURE)),
           malformed, "another region");
    ok(answer_has("<Region>us-east-1</Region>"), "the right one is named");
    is_str(check(AUTHORIZATION("AKIAOTHER/20130524/us-east-1/s3/aws4_request",
                               EXAMPLE_HEADERS, EXAMPLE_SIGNATURE)),
           "InvalidAccessKeyId", "another key");
}

static void
test_signature(void)
{
    struct mem_request r;
    char signature[] = EXAMPLE;

    signature[sizeof(signature) - 2] ^= 1;
    is_str(check(signature), "SignatureDoesNotMatch", "one bit off");
    ok(answer_has("<StringToSign>AWS4-HMAC-SHA256&#xA;" STAMP), "string shown");
    ok(answer_has("<CanonicalRequest>GET&#xA;/test.txt&#xA;"), "request shown");

    fill(&r, "/test.txT", EXAMPLE);
    is_str(check_at(&r, 0), "SignatureDoesNotMatch", "another path");
    mem_request_clear(&r);
    fill(&r, "/te%73t.txt", EXAMPLE);
    is_str(check_at(&r, 0), "SignatureDoesNotMatch",
           "the same path, but not as it was signed");
    mem_request_clear(&r);
    fill(&r, "/test.txt?a=1", EXAMPLE);
    is_str(check_at(&r, 0), "SignatureDoesNotMatch", "a query more");
    mem_request_clear(&r);
    fill(&r, "/test.txt", EXAMPLE);
    r.method = "HEAD";
    is_str(check_at(&r, 0), "SignatureDoesNotMatch", "another method");
    mem_request_clear(&r);
    fill(&r, "/test.txt", EXAMPLE);
    mem_request_header(&r, "User-Agent", "unsigned, and that is fine");
    is_str(check_at(&r, 0), "", "a header more that needs no signature");
    mem_request_clear(&r);
    fill(&r, "/test.txt", EXAMPLE);
    mem_request_header(&r, "Range", "bytes=0-9");
    is_str(check_at(&r, 0), "SignatureDoesNotMatch", "a signed header twice");
    mem_request_clear(&r);
}

static void
test_coverage(void)
{
    struct mem_request r;

    fill(&r, "/test.txt", EXAMPLE);
    mem_request_header(&r, "X-Amz-Acl", "private");
    is_str(check_at(&r, 0), "AccessDenied", "an unsigned x-amz header");
    ok(answer_has("<HeadersNotSigned>X-Amz-Acl</HeadersNotSigned>"),
       "it is named");
    mem_request_clear(&r);
    is_str(check(AUTHORIZATION(EXAMPLE_CREDENTIAL,
                               "range;x-amz-content-sha256;x-amz-date",
                               EXAMPLE_SIGNATURE)),
           "AccessDenied", "host not signed");
    mem_request_init(&r);
    r.method = "GET";
    mem_request_target(&r, "/test.txt");
    mem_request_header(&r, "Host", "examplebucket.s3.amazonaws.com");
    mem_request_header(&r, "x-amz-date", STAMP);
    mem_request_header(&r, "Authorization", EXAMPLE);
    is_str(check_at(&r, 0), "InvalidRequest", "no x-amz-content-sha256");
    mem_request_clear(&r);
    mem_request_init(&r);
    mem_request_target(&r, "/");
    mem_request_header(&r, "Authorization", EXAMPLE);
    is_str(check_at(&r, 0), "AccessDenied", "no x-amz-date");
    mem_request_header(&r, "x-amz-date", "20130524T000000");
    is_str(check_at(&r, 0), "AccessDenied", "a bad x-amz-date");
    mem_request_clear(&r);
    fill(&r, "/test.txt", EXAMPLE);
    for (int i = 0; i < SIGV4_HEADERS_MAX; i++)
        mem_request_header(&r, "x", "y");
    is_str(check_at(&r, 0), "InvalidRequest", "too many headers");
    mem_request_clear(&r);
}

static void
test_clock(void)
{
    static const struct {
        int64_t late_s;
        const char *code;
    } cases[] = {{-901, "RequestTimeTooSkewed"},
                 {-900, ""},
                 {900, ""},
                 {901, "RequestTimeTooSkewed"}};
    struct mem_request r;

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        fill(&r, "/test.txt", EXAMPLE);
        is_str(check_at(&r, cases[i].late_s), cases[i].code, "%d seconds late",
               (int) cases[i].late_s);
        mem_request_clear(&r);
    }
    ok(answer_has("<ServerTime>2013-05-24T00:15:01Z</ServerTime>"),
       "the server's time is told");
}

/* Sign TARGET's canonical QUERY as a client does, then send TARGET. */
static const char *
sign_and_check(const char *path, const char *query, const char *target)
{
    const struct sigv4_header headers[] = {
        {"host", "examplebucket.s3.amazonaws.com"},
        {"range", "bytes=0-9"},
        {"x-amz-content-sha256", SIGV4_EMPTY_HASH},
        {"x-amz-date", STAMP}};
    const struct sigv4_request request = {"GET",   path, query,
                                          headers, 4,    SIGV4_EMPTY_HASH};
    const struct sigv4_scope scope = {EXAMPLE_KEY, EXAMPLE_SECRET, "us-east-1",
                                      "s3", STAMP};
    struct sigv4_texts texts;
    struct mem_request r;
    struct sigv4 *client;
    const char *code = "not signed";

    sigv4_texts_init(&texts);
    sigv4_new(&client);
    if (sigv4_sign(client, &texts, &request, &scope) == 0) {
        fill(&r, target, texts.authorization.data);
        code = check_at(&r, 0);
        mem_request_clear(&r);
    }
    sigv4_free(client);
    sigv4_texts_clear(&texts);
    return code;
}

static void
test_targets(void)
{
    is_str(sign_and_check("/", "", "/"), "", "the service");
    is_str(sign_and_check("/b//a/../%C3%A4%20%2B", "", "/b//a/../%C3%A4%20%2B"),
           "", "a path as it is");
    is_str(sign_and_check("/b", "list-type=2&prefix=a%2Fb%20%2B",
                          "/b?list-type=2&prefix=a%2Fb%20%2B"),
           "", "a query as it is");
    is_str(sign_and_check("/b", "list-type=2&prefix=a%2Fb%20%2B",
                          "/b?prefix=a/b+%2b&list-type=2"),
           "", "a query that was canonical only when signed");
    is_str(sign_and_check("/b", "delete=", "/b?delete"), "",
           "a parameter without a value");
}

/* Check METHOD on TARGET with LINES of "name: value"; WHEN is seconds since
 * 1970. */
static const char *
check_lines(const char *method, const char *target, const char *lines,
            time_t when)
{
    static char text[4000];
    char *line, *rest = text;
    struct mem_request r;
    const char *code;

    mem_request_init(&r);
    r.domain = "s3.amazonaws.com";
    r.method = method;
    mem_request_target(&r, target);
    snprintf(text, sizeof(text), "%s", lines);
    while ((line = strsep(&rest, "\n")) != NULL) {
        char *colon = strchr(line, ':');

        *colon = '\0';
        mem_request_header(&r, line, colon + 2);
    }
    mem_answer_clear(&answer);
    mem_answer_init(&answer);
    if (mem_request_decode(&r) != 0)
        code = "not decoded";
    else if (mem_auth_check(signer, &auth, &answer, &r, &keys, when))
        code = "";
    else
        code = mem_code_name(answer.code);
    mem_request_clear(&r);
    return code;
}

#define PRESIGN_AT ((time_t) 1767323045) /* 2026-01-02T03:04:05Z */
#define PRESIGN(expires, headers)                                              \
    "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=" EXAMPLE_KEY           \
    "%2F20260102%2Fus-east-1%2Fs3%2Faws4_request"                              \
    "&X-Amz-Date=20260102T030405Z&X-Amz-Expires=" expires                      \
    "&X-Amz-SignedHeaders=" headers
#define PRESIGN_GET                                                            \
    "/bkt/o?" PRESIGN("3600", "host") "&X-Amz-Signature="                      \
                                      "0ab9b9cd11f185c4854aee3c3d525883b9e70a" \
                                      "da2719fdeb32f26dbfaaefe86d"

static void
test_presigned(void)
{
    static const char host[] = "Host: s3.example.net";

    is_str(check_lines("GET", PRESIGN_GET, host, PRESIGN_AT), "", "a URL");
    is_int(auth.kind, MEM_AUTH_V4_QUERY, "its kind");
    is_str(check_lines("GET", PRESIGN_GET, host, PRESIGN_AT + 3600), "",
           "at its last second");
    is_str(check_lines("GET", PRESIGN_GET, host, PRESIGN_AT + 3601),
           "AccessDenied", "a second later");
    ok(strstr(answer.message, "expired") != NULL &&
           answer_has("<Expires>2026-01-02T04:04:05Z</Expires>"),
       "says that it has expired, and when");
    is_str(check_lines("GET", PRESIGN_GET, host, PRESIGN_AT - 901),
           "AccessDenied", "before its time");
    is_str(check_lines("HEAD", PRESIGN_GET, host, PRESIGN_AT),
           "SignatureDoesNotMatch", "another method");
    is_str(check_lines("GET", PRESIGN_GET "&versionId=null", host, PRESIGN_AT),
           "SignatureDoesNotMatch", "a parameter more");
}

static void
test_presigned_vectors(void)
{
    static const char host[] = "Host: s3.example.net";

    is_str(check_lines("GET", PRESIGN_GET, "Host: s3.example.net\nx-amz-a: 1",
                       PRESIGN_AT),
           "AccessDenied", "an unsigned x-amz header");
    is_str(
        check_lines(
            "GET",
            "/bkt/o?" PRESIGN(
                "3600",
                "host") "&X-Amz-Signature="
                        "1b1b90eb253aab1afe749b2b2da2d7ce9d6fe7cd4d68cf8ff3b026"
                        "03167b42b3",
            "Host: 127.0.0.1:9000", PRESIGN_AT),
        "", "a host with a port");
    is_str(
        check_lines(
            "PUT",
            "/bkt/o?" PRESIGN(
                "3600",
                "content-type%3Bhost") "&X-Amz-Signature="
                                       "8fde95e2d7f7aee83ce4ac54e79cedab2b16e6"
                                       "da64a683b12c7807d6791f2167",
            "Host: s3.example.net\nContent-Type: text/plain", PRESIGN_AT),
        "", "a signed header");
    is_str(check_lines("GET",
                       "/bkt/o?" PRESIGN("604800",
                                         "host") "&X-Amz-Signature="
                                                 "3d083e151764f8809366bd1236cd2"
                                                 "459ce497b7da16b0f80ca6ec60"
                                                 "2ebe45ab7",
                       host, PRESIGN_AT),
           "", "a week");
    is_str(
        check_lines(
            "PUT",
            "/bkt/o?" PRESIGN(
                "3600",
                "host") "&partNumber=3&uploadId=a%2Fb%2Bc%3D&X-Amz-Signature="
                        "4cbbb022dfb5155ff1db24b0529de776183cd3bc90e52d625c3211"
                        "3"
                        "31f63481c",
            host, PRESIGN_AT),
        "", "a part of an upload");
}

static void
test_presigned_errors(void)
{
    static const char host[] = "Host: s3.example.net";
    static const char *const cases[] = {
        "/b/o?X-Amz-Signature=0",
        "/b/o?X-Amz-Algorithm=AWS4-HMAC-SHA256",
        "/b/o?" PRESIGN("3600", "host") "&X-Amz-Signature=12",
        "/b/o?" PRESIGN("0", "host") "&X-Amz-Signature=" EXAMPLE_SIGNATURE,
        "/b/o?" PRESIGN("604801", "host") "&X-Amz-Signature=" //
        EXAMPLE_SIGNATURE,
        "/b/o?" PRESIGN("x", "host") "&X-Amz-Signature=" EXAMPLE_SIGNATURE,
        "/b/o?X-Amz-Algorithm=AWS4&X-Amz-Credential=a&X-Amz-Date=b"
        "&X-Amz-SignedHeaders=host&X-Amz-Signature=" EXAMPLE_SIGNATURE};

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        is_str(check_lines("GET", cases[i], host, PRESIGN_AT),
               "AuthorizationQueryParametersError", "%s", cases[i]);
}

/* The examples of AWS's page on version 2, in one go. */
static void
test_v2(void)
{
    static const struct {
        const char *method, *target, *lines, *signature;
        time_t at;
    } cases[] = {
        {"GET", "/photos/puppy.jpg",
         "Host: johnsmith.s3.amazonaws.com\n"
         "Date: Tue, 27 Mar 2007 19:36:42 +0000",
         "bWq2s1WEIj+Ydj0vQ697zp+IXMU=", 1175024202},
        {"PUT", "/photos/puppy.jpg",
         "Host: johnsmith.s3.amazonaws.com\nContent-Type: image/jpeg\n"
         "Date: Tue, 27 Mar 2007 21:15:45 +0000",
         "MyyxeRY7whkBe+bq8fHCL/2kKUg=", 1175030145},
        {"GET", "/?prefix=photos&max-keys=50&marker=puppy",
         "Host: johnsmith.s3.amazonaws.com\n"
         "Date: Tue, 27 Mar 2007 19:42:41 +0000",
         "htDYFYduRNen8P9ZfE/s9SuKy0U=", 1175024561},
        {"GET", "/?acl",
         "Host: johnsmith.s3.amazonaws.com\n"
         "Date: Tue, 27 Mar 2007 19:44:46 +0000",
         "c2WLPFtWHVgbEmeEG93a4cG37dM=", 1175024686},
        {"PUT", "/static.johnsmith.net/db-backup.dat.gz",
         "Host: s3.amazonaws.com\nDate: Tue, 27 Mar 2007 21:06:08 +0000\n"
         "x-amz-acl: public-read\nContent-Type: application/x-download\n"
         "Content-MD5: 4gJE4saaMU4BqNR0kLY+lw==\n"
         "X-Amz-Meta-ReviewedBy: joe@johnsmith.net\n"
         "X-Amz-Meta-ReviewedBy: jane@johnsmith.net\n"
         "X-Amz-Meta-FileChecksum: 0x02661779\n"
         "X-Amz-Meta-ChecksumAlgorithm: crc32",
         "ilyl83RwaSoYIEdixDQcA4OnAnc=", 1175029568},
        {"GET", "/dictionary/fran%C3%A7ais/pr%c3%a9f%c3%a8re",
         "Host: s3.amazonaws.com\nDate: Wed, 28 Mar 2007 01:49:49 +0000",
         "DNEZGsoieTZ92F3bUfSPQcbGmlM=", 1175046589},
    };
    char lines[1000];

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        snprintf(lines, sizeof(lines), "%s\nAuthorization: AWS %s:%s",
                 cases[i].lines, EXAMPLE_KEY, cases[i].signature);
        is_str(
            check_lines(cases[i].method, cases[i].target, lines, cases[i].at),
            "", "version 2: %s", cases[i].target);
        is_str(check_lines(cases[i].method, cases[i].target, lines,
                           cases[i].at + 901),
               "RequestTimeTooSkewed", "too late");
        lines[strlen(lines) - 3] ^= 1;
        is_str(
            check_lines(cases[i].method, cases[i].target, lines, cases[i].at),
            "SignatureDoesNotMatch", "another signature");
    }
}

static void
test_v2_query(void)
{
#define V2_URL                                                                 \
    "/photos/puppy.jpg?AWSAccessKeyId=" EXAMPLE_KEY                            \
    "&Signature=NpgCjnDzrM%2BWFzoENXmpNDUsSn8%3D&Expires="
    static const char host[] = "Host: johnsmith.s3.amazonaws.com";

    is_str(check_lines("GET", V2_URL "1175139620", host, 1175139620), "",
           "version 2: a URL");
    is_int(auth.kind, MEM_AUTH_V2_QUERY, "its kind");
    is_str(check_lines("GET", V2_URL "1175139620", host, 1175139621),
           "AccessDenied", "a second too late");
    is_str(check_lines("GET", V2_URL "1175139621", host, 1175139620),
           "SignatureDoesNotMatch", "another time");
    is_str(check_lines("GET", V2_URL "soon", host, 1175139620), "AccessDenied",
           "no time");
    is_str(check("AWS nonsense"), "InvalidArgument", "no colon");
    is_str(check("AWS other:bWq2s1WEIj+Ydj0vQ697zp+IXMU="),
           "InvalidAccessKeyId", "another key");
    is_str(check("AWS " EXAMPLE_KEY ":"), "SignatureDoesNotMatch",
           "an empty signature");
    is_str(check_lines("GET", "/",
                       "Host: h\nAuthorization: AWS " EXAMPLE_KEY ":x", 0),
           "AccessDenied", "no date");
}

static void
test_token(void)
{
    keys.token = "token";
    is_str(check(EXAMPLE), "InvalidAccessKeyId", "a token is missing");
    keys.token = NULL;
    ok(mem_auth_check_token(&answer, &keys, NULL), "none is needed");
    ok(!mem_auth_check_token(&answer, &keys, "t") &&
           answer.code == MEM_INVALID_TOKEN,
       "one is too many");
    keys.token = "token";
    ok(mem_auth_check_token(&answer, &keys, "token"), "the right one");
    ok(!mem_auth_check_token(&answer, &keys, "tokem") &&
           answer.code == MEM_INVALID_TOKEN,
       "a wrong one");
    keys.token = NULL;
}

static void
test_anonymous(void)
{
    keys.anonymous = true;
    is_str(check(NULL), "", "anonymous: nothing is needed");
    is_str(check(EXAMPLE), "", "a signature is fine, too");
    is_str(check("AWS " EXAMPLE_KEY ":x"), "SignatureDoesNotMatch",
           "but then it must be a good one");
    keys.anonymous = false;
}

static void
test_decode(void)
{
    struct mem_request r;

    fill(&r, "/buc/ke%2fy//+%20?a=1&b&=c&d=x=y&&a=2", NULL);
    is_int(mem_request_decode(&r), 0, "decoded");
    is_str(r.bucket, "buc", "bucket");
    is_str(r.key, "ke/y//+ ", "key");
    is_int((int64_t) r.key_len, 8, "its length");
    is_int((int64_t) r.param_count, 5, "parameters");
    is_str(mem_request_param(&r, "a"), "1", "the first of two");
    is_str(mem_request_param(&r, "b"), "", "one without a value");
    is_str(mem_request_param(&r, ""), "c", "one without a name");
    is_str(mem_request_param(&r, "d"), "x=y", "one with an equals sign");
    ok(mem_request_param(&r, "e") == NULL, "one that is not there");
    mem_request_clear(&r);

    mem_request_init(&r);
    mem_request_target(&r, "/key/more");
    mem_request_header(&r, "host", "buck.et.localhost:8000");
    is_int(mem_request_decode(&r), 0, "virtual host");
    is_str(r.bucket, "buck.et", "its bucket");
    is_str(r.key, "key/more", "its key");
    mem_request_clear(&r);
    mem_request_init(&r);
    mem_request_target(&r, "/buck/key");
    mem_request_header(&r, "host", "localhost:8000");
    is_int(mem_request_decode(&r), 0, "plain localhost");
    is_str(r.bucket, "buck", "the bucket is in the path");
    mem_request_clear(&r);

    static const char *const bad[] = {
        "", "*", "http://h/b", "/b/%", "/b/%4", "/b/%gg", "/b/%00", "/b?a=%"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        fill(&r, bad[i], NULL);
        ok(mem_request_decode(&r) != 0, "not decoded: '%s'", bad[i]);
        mem_request_clear(&r);
    }
}

int
main(void)
{
    mem_answer_init(&answer);
    if (mem_signer_new(&signer) != 0)
        return EXIT_FAILURE;
    test_example();
    test_header();
    test_signature();
    test_coverage();
    test_clock();
    test_targets();
    test_presigned();
    test_presigned_vectors();
    test_presigned_errors();
    test_v2();
    test_v2_query();
    test_token();
    test_anonymous();
    test_decode();
    mem_signer_free(signer);
    mem_answer_clear(&answer);
    return done_testing();
}
