/* SPDX-License-Identifier: MIT */
/* A request is plain data, and an answer has one meaning: no network. */
#include "config.h"

#include "request.h"

#include <errno.h>

#include "request-fixture.h"
#include "tap.h"

static void
test_targets(void)
{
    static const struct {
        enum request_op op;
        const char *bucket, *key, *method, *target;
    } cases[] = {
        {REQUEST_LIST_BUCKETS, "", "", "GET", "/"},
        {REQUEST_CREATE_BUCKET, "b", "", "PUT", "/b"},
        {REQUEST_HEAD_BUCKET, "b", "", "HEAD", "/b"},
        {REQUEST_DELETE_BUCKET, "b", "", "DELETE", "/b"},
        {REQUEST_PUT, "b", "a b+c=\xc3\xa9", "PUT", "/b/a%20b%2Bc%3D%C3%A9"},
        {REQUEST_GET, "b", "x//./../y", "GET", "/b/x//./../y"},
        {REQUEST_HEAD, "b", "k", "HEAD", "/b/k"},
        {REQUEST_DELETE, "b", "k", "DELETE", "/b/k"},
        {REQUEST_LIST, "b", "", "GET", "/b?list-type=2"},
    };

    use_endpoint("http://127.0.0.1:9000");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct request_spec spec = {
            .op = cases[i].op, .bucket = cases[i].bucket, .key = cases[i].key};

        is_int(build(&spec), 0, "%s %s builds", cases[i].method,
               cases[i].target);
        is_str(request.x.method, cases[i].method, "method");
        is_str(request.x.target, cases[i].target, "target");
        ok(request.x.head == (strcmp(cases[i].method, "HEAD") == 0),
           "a HEAD expects no body");
        ok(request.x.has_body == (strcmp(cases[i].method, "PUT") == 0),
           "a PUT has a body, also an empty one");
    }
}

static void
test_parts(void)
{
    struct request_spec spec = {.op = REQUEST_CREATE_UPLOAD,
                                .bucket = "b",
                                .key = "a b",
                                .upload_id = "x/+=",
                                .part_number = 7,
                                .body = "four",
                                .body_len = 4,
                                .body_hash = "hash"};

    build(&spec);
    is_str(request.x.method, "POST", "an upload is begun by POST");
    is_str(request.x.target, "/b/a%20b?uploads=", "with an empty parameter");
    ok(request.x.has_body && request.x.body_len == 0, "and an empty body");
    is_str(header("x-amz-content-sha256"), SIGV4_EMPTY_HASH, "which is signed");
    spec.op = REQUEST_UPLOAD_PART;
    build(&spec);
    is_str(request.x.method, "PUT", "a part is put");
    is_str(request.x.target, "/b/a%20b?partNumber=7&uploadId=x%2F%2B%3D",
           "by its number, the id encoded");
    ok(request.x.body == spec.body && request.x.body_len == 4, "its bytes");
    is_str(header("x-amz-content-sha256"), "hash", "and their hash");
    spec.op = REQUEST_ABORT_UPLOAD;
    build(&spec);
    is_str(request.x.method, "DELETE", "an upload is ended by DELETE");
    is_str(request.x.target, "/b/a%20b?uploadId=x%2F%2B%3D", "by its id");
    ok(!request.x.has_body, "without a body");
}

static void
test_list_query(void)
{
    struct request_spec spec = {.op = REQUEST_LIST,
                                .bucket = "b",
                                .key = "",
                                .prefix = "a b/c+",
                                .delimiter = "/",
                                .token = "x+/=",
                                .max_keys = 7};

    is_int(build(&spec), 0, "a list with parameters builds");
    is_str(request.x.target,
           "/b?continuation-token=x%2B%2F%3D&delimiter=%2F&list-type=2"
           "&max-keys=7&prefix=a%20b%2Fc%2B",
           "they are encoded and sorted");
    ok(strstr(maker.signer.texts.canonical.data,
              "\ncontinuation-token=x%2B%2F%3D&delimiter=%2F&list-type=2"
              "&max-keys=7&prefix=a%20b%2Fc%2B\n") != NULL,
       "and signed as they are sent");
}

static void
test_list_v1_query(void)
{
    struct request_spec spec = {
        .op = REQUEST_LIST, .bucket = "b", .key = "", .list_v1 = true};

    is_int(build(&spec), 0, "a list of the first form builds");
    is_str(request.x.target, "/b", "without parameters there is no query");
    spec.token = "m+ n";
    spec.encode = true;
    is_int(build(&spec), 0, "and with a marker");
    is_str(request.x.target, "/b?encoding-type=url&marker=m%2B%20n",
           "which is encoded once");
}

static void
test_copy(void)
{
    struct request_spec spec = {.op = REQUEST_COPY,
                                .bucket = "b",
                                .key = "a b+c",
                                .source = {"from", "k\xc3\xa9=/v", "1+2"}};

    is_int(build(&spec), 0, "a copy builds");
    is_str(request.x.method, "PUT", "method");
    is_str(request.x.target, "/b/a%20b%2Bc", "target");
    is_str(header("x-amz-copy-source"), "/from/k%C3%A9%3D/v?versionId=1%2B2",
           "its source is encoded");
    ok(strstr(maker.signer.texts.canonical.data,
              "\nx-amz-copy-source:/from/k%C3%A9%3D/v?versionId=1%2B2\n") !=
           NULL,
       "and signed");
    ok(request.x.has_body && request.x.body_len == 0, "its body is empty");
}

/* A repair changes region and host of one request. */
static void
test_route(void)
{
    struct endpoint other;
    struct request_spec spec = {.op = REQUEST_GET,
                                .bucket = "b",
                                .key = "k",
                                .region = "elsewhere",
                                .endpoint = &other};

    endpoint_parse(&other, "http://other.example:8080");
    is_int(build(&spec), 0, "a request for elsewhere builds");
    is_str(header("Host"), "other.example:8080", "Host");
    is_str(request.x.host, "other.example", "name to connect to");
    is_int(request.x.port, 8080, "port");
    ok(strstr(header("Authorization"), "/elsewhere/s3/aws4_request,") != NULL,
       "region");
}

/* What is signed is what is sent (reports 974, 24, 321 of other tools). */
static void
test_hosts(void)
{
    static const struct {
        const char *url;
        enum addressing addressing;
        const char *host, *connect, *target;
        int port;
    } cases[] = {
        {"http://h", ADDRESSING_PATH, "h", "h", "/b/k", 80},
        {"http://h:80", ADDRESSING_PATH, "h", "h", "/b/k", 80},
        {"http://h:9000", ADDRESSING_PATH, "h:9000", "h", "/b/k", 9000},
        {"https://h:443", ADDRESSING_PATH, "h", "h", "/b/k", 443},
        {"https://H.Example", ADDRESSING_VIRTUAL, "b.h.example", "b.h.example",
         "/k", 443},
        {"http://h:9000", ADDRESSING_VIRTUAL, "b.h:9000", "b.h", "/k", 9000},
        {"http://[::1]:9000", ADDRESSING_VIRTUAL, "[::1]:9000", "[::1]", "/b/k",
         9000},
    };
    struct request_spec spec = {.op = REQUEST_GET, .bucket = "b", .key = "k"};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char signed_line[64];

        use_endpoint(cases[i].url);
        service.addressing = cases[i].addressing;
        is_int(build(&spec), 0, "%s builds", cases[i].url);
        is_str(header("Host"), cases[i].host, "Host");
        is_str(request.x.host, cases[i].connect, "name to connect to");
        is_int(request.x.port, cases[i].port, "port");
        is_str(request.x.target, cases[i].target, "target");
        snprintf(signed_line, sizeof signed_line, "\nhost:%s\n", cases[i].host);
        ok(strstr(maker.signer.texts.canonical.data, signed_line) != NULL,
           "the Host that is sent is signed");
    }
    service.addressing = ADDRESSING_PATH;
    use_endpoint("http://127.0.0.1:9000");
}

static void
test_headers(void)
{
    static const struct request_header own[] = {{"X-Amz-Meta-Colour", "blue"},
                                                {"Accept-Encoding", "gzip"}};
    struct request_spec spec = {.op = REQUEST_GET, .bucket = "b", .key = "k"};

    service.headers = own;
    service.header_count = 2;
    creds.session_token = (char *) "token";
    is_int(build(&spec), 0, "a request with the user's headers builds");
    is_str(header("x-amz-meta-colour"), "blue", "which are sent");
    is_str(header("accept-encoding"), "gzip", "all of them");
    is_str(header("x-amz-security-token"), "token", "as is the token");
    is_str(header("x-amz-date"), "20130524T000000Z", "and one date");
    is_str(header("x-amz-content-sha256"), SIGV4_EMPTY_HASH,
           "and the hash of no body");
    is_str(maker.signer.texts.signed_headers.data,
           "host;x-amz-content-sha256;x-amz-date;x-amz-meta-colour;"
           "x-amz-security-token",
           "signed is what no hop changes");
    ok(request_header_refused("X-AMZ-Date", true) != NULL &&
           request_header_refused("x-amz-acl", true) == NULL,
       "a header that the request sets itself is refused");
    ok(request_header_refused("Content-MD5", true) != NULL &&
           request_header_refused("Content-MD5", false) == NULL,
       "one of the body only where there is one");
    ok(request_header_refused("Cookie", false) != NULL &&
           request_header_refused("x-amz-server-side-encryption-customer-key",
                                  false) != NULL &&
           request_header_refused(
               "x-amz-server-side-encryption-customer-algorithm", true) == NULL,
       "a secret never is taken");
    service.header_count = 0;
    creds.session_token = NULL;
}

static void
test_payload_lines(void)
{
    struct request_spec spec = {.op = REQUEST_PUT,
                                .bucket = "b",
                                .key = "k",
                                .body = "hello",
                                .body_len = 5,
                                .body_hash = "HASH"};

    is_int(build(&spec), 0, "a PUT builds");
    is_str(header("x-amz-content-sha256"), "HASH", "with its body's hash");
    is_int((int64_t) request.x.body_len, 5, "and its length");
    service.sign_payload = false;
    is_int(build(&spec), 0, "a PUT without a signed payload builds");
    is_str(header("x-amz-content-sha256"), SIGV4_UNSIGNED, "and says so");
    service.sign_payload = true;
}

static void
test_delete_many(void)
{
    static const char *const keys[] = {"a&b", "<c>", "tab\there"};
    static const char *const bad[] = {"bell\a"};
    struct request_spec spec = {.op = REQUEST_DELETE_MANY,
                                .bucket = "b",
                                .key = "",
                                .keys = keys,
                                .key_count = 3};

    is_int(build(&spec), 0, "a DeleteObjects builds");
    is_str(request.x.target, "/b?delete=", "its target");
    is_str(request.x.body,
           "<Delete><Quiet>true</Quiet><Object><Key>a&amp;b</Key></Object>"
           "<Object><Key>&lt;c&gt;</Key></Object>"
           "<Object><Key>tab&#9;here</Key></Object></Delete>",
           "its body, escaped");
    is_str(header("Content-MD5"),
           "nZYrTICHF+VdAsgpEXsPcg==", "Content-MD5 of that body");
    ok(strncmp(maker.signer.texts.signed_headers.data, "content-md5;", 12) == 0,
       "which is signed");
    spec.keys = bad;
    spec.key_count = 1;
    is_int(build(&spec), EINVAL, "a key that XML cannot carry is refused");
}

static void
test_location(void)
{
    struct request_spec spec = {
        .op = REQUEST_CREATE_BUCKET, .bucket = "b", .key = ""};

    is_int(build(&spec), 0, "a CreateBucket builds");
    is_int((int64_t) request.x.body_len, 0, "without a constraint: no body");
    spec.location = "eu-central-1";
    is_int(build(&spec), 0, "with a constraint too");
    ok(strstr(request.x.body, "<LocationConstraint>eu-central-1</Loc") != NULL,
       "it stands in the body");
}

static void
test_judge_get(void)
{
    struct request_spec spec = {
        .op = REQUEST_GET, .bucket = "b", .key = "k", .expect_len = UINT64_MAX};
    struct request_outcome o;

    build(&spec);
    answer(200, "data", &o);
    ok(o.ok, "200 with data is a success");
    build(&spec);
    answer(404,
           "<Error><Code>NoSuchKey</Code><Message>not\nhere</Message>"
           "</Error>",
           &o);
    ok(!o.ok && o.status == 404, "404 is none");
    is_str(o.code, "NoSuchKey", "its code");
    is_str(o.message, "not here", "its message, on one line");
    build(&spec);
    answer(503, "<html>proxy says no</html>", &o);
    ok(!o.ok && o.code[0] != '\0', "HTML gets a derived code (%s)", o.code);
    spec.expect_len = 5;
    build(&spec);
    answer(200, "data", &o);
    ok(!o.ok, "4 bytes where 5 are expected are none");
    is_str(o.transport, "short", "called short");
    build(&spec);
    request.x.error = EXCHANGE_RESET;
    strcpy(request.x.detail, "gone");
    request_judge(&request, &o);
    ok(!o.ok, "a reset is none");
    is_str(o.transport, "reset", "named so");
    is_str(o.message, "gone", "with the transport's words");
}

static void
test_judge_documents(void)
{
    struct request_spec list = {.op = REQUEST_LIST, .bucket = "b", .key = ""};
    static const char *const keys[] = {"a"};
    struct request_spec many = {.op = REQUEST_DELETE_MANY,
                                .bucket = "b",
                                .key = "",
                                .keys = keys,
                                .key_count = 1};
    struct request_outcome o;

    build(&list);
    answer(200, "<ListBucketResult></ListBucketResult>", &o);
    ok(o.ok, "an empty list is a success");
    build(&list);
    answer(200, "<ListBucketResult><Contents>", &o);
    ok(!o.ok, "a cut-off list is none");
    build(&list);
    answer(200, "", &o);
    is_str(o.code, "InvalidAnswer", "nor is an empty answer");
    build(&list);
    answer(200, "<Error><Code>InternalError</Code></Error>", &o);
    is_str(o.code, "InternalError", "nor an error inside a 200");
    build(&many);
    answer(200,
           "<DeleteResult><Error><Key>a</Key><Code>AccessDenied</Code>"
           "</Error></DeleteResult>",
           &o);
    ok(!o.ok, "a key that was not deleted is a failure");
    build(&many);
    answer(200, "<DeleteResult/>", &o);
    ok(o.ok, "no error, no failure");
}

static void
test_judge_upload(void)
{
    struct request_spec spec = {
        .op = REQUEST_CREATE_UPLOAD, .bucket = "b", .key = "k"};
    struct request_outcome o;

    build(&spec);
    answer(200,
           "<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>k</Key>"
           "<UploadId>u-1</UploadId></InitiateMultipartUploadResult>",
           &o);
    ok(o.ok, "an upload that has begun is a success");
    is_str(request.answer.upload_id, "u-1", "with its id");
    build(&spec);
    answer(200, "<InitiateMultipartUploadResult/>", &o);
    is_str(o.code, "InvalidAnswer", "without an id it is none");
    build(&spec);
    answer(200, "", &o);
    is_str(o.code, "InvalidAnswer", "nor with nothing");
}

static void
test_mask(void)
{
    char authorization[] = "> Authorization: AWS4-HMAC-SHA256 "
                           "Credential=A/1, Signature=abc123";
    char token[] = "> x-amz-security-token: FwoG";
    char v2[] = "> Authorization: AWS A:B:c+/=";
    char key[] = "> X-Amz-Server-Side-Encryption-Customer-Key: a2V5 MTI=";
    char copy[] = "x-amz-copy-source-server-side-encryption-customer-key:a2";
    char cookie[] = "< Set-Cookie: id=7; Path=/";
    char twice[] = "> GET /k?Signature=ab&x-amz-security-token=c,d&"
                   "Signature=ef HTTP/1.1 Cookie: xy";
    char other[] = "> GET /cookie:1?no-cookie:2 HTTP/1.1";

    request_mask(authorization);
    is_str(authorization + strlen(authorization) - 6, "******",
           "the signature is masked");
    request_mask(token);
    is_str(token, "> x-amz-security-token: ****", "so is the token");
    request_mask(v2);
    is_str(v2, "> Authorization: AWS A:B:****", "and that of version 2");
    request_mask(key);
    is_str(key, "> X-Amz-Server-Side-Encryption-Customer-Key: **** ****",
           "a customer's key");
    request_mask(copy);
    is_str(copy, "x-amz-copy-source-server-side-encryption-customer-key:**",
           "and a copy source's");
    request_mask(cookie);
    is_str(cookie, "< Set-Cookie: ***** ******", "and a cookie");
    request_mask(twice);
    is_str(twice,
           "> GET /k?Signature=**&x-amz-security-token=***&Signature=** "
           "HTTP/1.1 Cookie: **",
           "as often as they come");
    request_mask(other);
    is_str(other, "> GET /cookie:1?no-cookie:2 HTTP/1.1",
           "and not what is no header");
}

/* Version 2: another date, no hash of the payload, the bucket signed. */
static void
test_version_2(void)
{
    struct request_service v2 = service;
    struct request_spec spec = {.op = REQUEST_PUT,
                                .bucket = "bucket",
                                .key = "k",
                                .body = "x",
                                .body_len = 1};
    struct request_maker m;

    v2.signer = &signer_v2;
    v2.addressing = ADDRESSING_VIRTUAL;
    endpoint_parse(&v2.endpoint, "http://example.org");
    is_str(request_payload_name(&v2), "none", "version 2 signs no payload");
    if (request_maker_init(&m, &v2) != 0)
        return;
    is_int(request_build(&request, &m, &spec, WALL), 0, "builds");
    is_str(header("Date"), "Fri, 24 May 2013 00:00:00 GMT", "its date");
    is_str(header("x-amz-content-sha256"), NULL, "no hash");
    is_str(header("x-amz-date"), NULL, "no other date");
    is_str(m.signer.result.to_sign,
           "PUT\n\n\nFri, 24 May 2013 00:00:00 GMT\n/bucket/k",
           "the bucket of the host is signed");
    ok(strncmp(header("Authorization"), "AWS AKEXAMPLE:", 14) == 0,
       "its Authorization");
    request_maker_clear(&m);
}

/* Framed: the lengths, and that a usual body is as before afterwards. */
static void
test_chunked(void)
{
    struct request_service framed = service;
    struct request_spec spec = {.op = REQUEST_PUT,
                                .bucket = "b",
                                .key = "k",
                                .body = "123456789",
                                .body_len = 9};
    struct request_maker m;
    char body[256] = "";

    framed.chunked = CHUNKED_UNSIGNED_TRAILER;
    is_str(request_payload_name(&framed), "chunked-unsigned-trailer",
           "the form's name");
    if (request_maker_init(&m, &framed) != 0)
        return;
    is_int(request_build(&request, &m, &spec, WALL), 0, "builds");
    is_str(header("x-amz-decoded-content-length"), "9", "the true length");
    is_str(header("x-amz-content-sha256"), "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
           "what is signed");
    is_int((long long) request.x.body_len, 51, "the framed length");
    request.x.read(request.x.read_ctx, body, 51, 0);
    is_str(body,
           "9\r\n123456789\r\n0\r\nx-amz-checksum-crc32c:4waSgw==\r\n\r\n",
           "the framed body");
    spec.op = REQUEST_DELETE;
    spec.body_len = 0;
    is_int(request_build(&request, &m, &spec, WALL), 0, "builds");
    is_str(header("x-amz-decoded-content-length"), NULL,
           "only a put's body is framed");
    request_maker_clear(&m);
}

int
main(void)
{
    if (!fixture_init())
        return 99;
    test_targets();
    test_list_query();
    test_parts();
    test_list_v1_query();
    test_copy();
    test_route();
    test_hosts();
    test_headers();
    test_payload_lines();
    test_delete_many();
    test_location();
    test_judge_get();
    test_judge_documents();
    test_judge_upload();
    test_mask();
    test_version_2();
    test_chunked();
    fixture_clear();
    return done_testing();
}
