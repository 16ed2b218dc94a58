/* SPDX-License-Identifier: MIT */
/* Requests for a part of an object, a version of it, or its upload in parts;
 * and what their answers mean. */
#include "config.h"

#include "request.h"

#include "request-fixture.h"
#include "tap.h"

/* Let header NAME of the answer be VALUE. */
static void
answer_header(int status, const char *name, const char *value)
{
    request.x.status = status;
    request.x.on_header(request.x.ctx, name, strlen(name), value,
                        strlen(value));
}

static void
test_range_request(void)
{
    struct request_spec spec = {.op = REQUEST_GET,
                                .bucket = "b",
                                .key = "k",
                                .range_offset = 4096,
                                .range_len = 1000};

    is_int(build(&spec), 0, "a get of a range builds");
    is_str(header("Range"), "bytes=4096-5095", "the last byte is included");
    ok(strstr(maker.signer.texts.canonical.data, "\nrange:bytes=4096-5095\n") !=
           NULL,
       "it is signed");
    spec.range_offset = UINT64_MAX - 9;
    spec.range_len = 10;
    build(&spec);
    is_str(header("Range"), "bytes=18446744073709551606-18446744073709551615",
           "at the end of numbers");
    spec.range_len = 0;
    build(&spec);
    is_str(header("Range"), NULL, "no length, no range");
    spec.range_len = 10;
    spec.op = REQUEST_HEAD;
    build(&spec);
    is_str(header("Range"), NULL, "nor of anything but a get");
}

static void
test_checksum(void)
{
    static const struct {
        const char *name, *value;
        bool good, compared;
    } cases[] = {
        {"x-amz-checksum-crc32", "i9aeUg==", true, true}, /* of Hello world */
        {"X-Amz-Checksum-CRC32", "i9aeUg==", true, true},
        {"x-amz-checksum-crc32", "i9aeUw==", false, true},
        {"x-amz-checksum-crc32", "i9aeUg==-2", true, false}, /* of parts' */
        {"x-amz-checksum-crc32", "", true, false},
        {"x-amz-checksum-crc32c", "AAAAAA==", true, false},
    };
    struct request_spec spec = {
        .op = REQUEST_GET, .bucket = "b", .key = "k", .expect_len = UINT64_MAX};
    struct request_outcome o;

    service.checksum = CHECKSUM_CRC32;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        is_int(build(&spec), 0, "a get with a checksum builds");
        is_str(header("x-amz-checksum-mode"), "ENABLED", "and asks for it");
        answer_header(200, cases[i].name, cases[i].value);
        answer(200, "Hello world", &o);
        is_int(o.ok, cases[i].good, "%s: %s", cases[i].name, cases[i].value);
        is_str(o.transport, cases[i].good ? NULL : "mismatch", "so it says");
        is_int(request.check.done, cases[i].compared, "if it was compared");
    }
    spec.range_len = 5;
    build(&spec);
    is_str(header("x-amz-checksum-mode"), NULL, "not of a range");
    spec = (struct request_spec){.op = REQUEST_PUT,
                                 .bucket = "b",
                                 .key = "k",
                                 .body = "Hello world",
                                 .body_len = 11,
                                 .body_hash = "hash",
                                 .body_sum = "i9aeUg=="};
    build(&spec);
    is_str(header("x-amz-checksum-crc32"), "i9aeUg==", "a put has it");
    service.checksum = CHECKSUM_NONE;
    build(&spec);
    is_str(header("x-amz-checksum-crc32"), NULL, "where that is asked for");
}

static void
test_range_answers(void)
{
    static const struct {
        int status;
        const char *range, *body;
        bool good;
        const char *code, *transport;
    } cases[] = {
        {206, "bytes 2-5/10", "cdef", true, "", NULL},
        {206, "bytes 2-5/*", "cdef", true, "", NULL},
        {206, "Bytes 2-5/10", "cdef", true, "", NULL},
        {200, NULL, "abcdefghij", false, "InvalidAnswer", NULL},
        {200, NULL, "cdef", false, "InvalidAnswer", NULL},
        {206, NULL, "cdef", false, "InvalidAnswer", NULL},
        {206, "bytes 0-3/10", "abcd", false, "InvalidAnswer", NULL},
        {206, "bytes 2-6/10", "cdefg", false, "InvalidAnswer", NULL},
        {206, "bytes 5-2/10", "cdef", false, "InvalidAnswer", NULL},
        {206, "bytes 2-/10", "cdef", false, "InvalidAnswer", NULL},
        {206, "bytes 2-18446744073709551621/10", "cdef", false, "InvalidAnswer",
         NULL},
        {206, "items 2-5/10", "cdef", false, "InvalidAnswer", NULL},
        {206, "bytes 2-3/4", "cd", false, "", "short"}, /* ends within it */
        {206, "bytes 2-5/10", "cde", false, "", "short"},
        {416, "bytes */2", "<Error><Code>InvalidRange</Code></Error>", false,
         "InvalidRange", NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct request_spec spec = {.op = REQUEST_GET,
                                    .bucket = "b",
                                    .key = "k",
                                    .expect_len = UINT64_MAX,
                                    .range_offset = 2,
                                    .range_len = 4};
        struct request_outcome o;

        build(&spec);
        if (cases[i].range != NULL)
            answer_header(cases[i].status, "Content-Range", cases[i].range);
        answer(cases[i].status, cases[i].body, &o);
        ok(o.ok == cases[i].good, "%d %s of %zu bytes is %s", cases[i].status,
           cases[i].range != NULL ? cases[i].range : "without Content-Range",
           strlen(cases[i].body), cases[i].good ? "good" : "a failure");
        is_str(o.code, cases[i].code, "its code");
        is_str(o.transport, cases[i].transport, "its error");
    }
}

/* What one request was answered is not the next one's. */
static void
test_range_is_forgotten(void)
{
    struct request_spec spec = {.op = REQUEST_GET,
                                .bucket = "b",
                                .key = "k",
                                .expect_len = UINT64_MAX,
                                .range_len = 4};
    struct request_outcome o;

    build(&spec);
    answer_header(206, "Content-Range", "bytes 0-3/10");
    build(&spec);
    answer(206, "abcd", &o);
    is_str(o.code, "InvalidAnswer", "a Content-Range holds for one answer");
    is_str(o.message,
           "bytes 0-3 were asked for, the answer does not say which it has",
           "and a failure says what is wrong");
    spec.range_len = 0;
    build(&spec);
    answer(200, "abcdefghij", &o);
    ok(o.ok, "without a range there is none to judge");
}

static void
test_queries(void)
{
    static const struct {
        enum request_op op;
        const char *target;
    } cases[] = {
        {REQUEST_GET, "/b/k?partNumber=3&versionId=v%2B1"},
        {REQUEST_HEAD, "/b/k?partNumber=3&versionId=v%2B1"},
        {REQUEST_DELETE, "/b/k?versionId=v%2B1"},
        {REQUEST_PUT, "/b/k"},
        {REQUEST_COPY, "/b/k"},
        {REQUEST_COMPLETE_UPLOAD, "/b/k?uploadId=u"},
        {REQUEST_ABORT_UPLOAD, "/b/k?uploadId=u"},
        {REQUEST_UPLOAD_PART, "/b/k?partNumber=3&uploadId=u"},
        {REQUEST_CREATE_UPLOAD, "/b/k?uploads="},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct request_spec spec = {.op = cases[i].op,
                                    .bucket = "b",
                                    .key = "k",
                                    .version_id = "v+1",
                                    .upload_id = "u",
                                    .part_number = 3,
                                    .source = {"b", "k", NULL}};

        is_int(build(&spec), 0, "%s builds", cases[i].target);
        is_str(request.x.target, cases[i].target, "its query");
    }
}

static void
test_answer_headers(void)
{
    struct request_spec spec = {.op = REQUEST_PUT, .bucket = "b", .key = "k"};
    char longer[ANSWER_TEXT_MAX + 1];

    build(&spec);
    answer_header(200, "ETag", "\"0a1b-2\"");
    answer_header(200, "X-Amz-Version-Id", "null");
    is_str(request.etag, "\"0a1b-2\"", "the ETag is kept as it comes");
    is_str(request.version_id, "null", "as is the version's id");
    memset(longer, 'v', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    build(&spec);
    is_str(request.version_id, "", "each for one answer");
    answer_header(200, "x-amz-version-id", longer);
    is_str(request.version_id, "", "one that is too long is not cut");
}

static void
test_complete(void)
{
    static const struct request_part parts[] = {{1, "\"a&b\"", NULL},
                                                {2, "\"c\"", "4waSgw=="}};
    struct request_spec spec = {.op = REQUEST_COMPLETE_UPLOAD,
                                .bucket = "b",
                                .key = "k",
                                .upload_id = "u",
                                .parts = parts,
                                .part_count = 2,
                                .checksum_kind = CHECKSUM_CRC32C};

    is_int(build(&spec), 0, "a completion builds");
    is_str(request.x.method, "POST", "method");
    is_str(request.x.body,
           "<CompleteMultipartUpload>"
           "<Part><PartNumber>1</PartNumber><ETag>\"a&amp;b\"</ETag></Part>"
           "<Part><PartNumber>2</PartNumber><ETag>\"c\"</ETag>"
           "<ChecksumCRC32C>4waSgw==</ChecksumCRC32C></Part>"
           "</CompleteMultipartUpload>",
           "its parts");
    is_str(header("Content-Type"), "application/xml", "its type");
}

static void
test_judge_complete(void)
{
    static const struct {
        const char *body, *code;
    } cases[] = {
        {"<CompleteMultipartUploadResult><ETag>\"e-2\"</ETag>"
         "</CompleteMultipartUploadResult>",
         ""},
        {"   \n  <?xml version=\"1.0\"?><CompleteMultipartUploadResult/>", ""},
        {"  <Error><Code>InternalError</Code></Error>", "InternalError"},
        {"    ", "InvalidAnswer"},
        {"", "InvalidAnswer"},
        {"<CompleteMultipartUploadResult>", "InvalidAnswer"},
        {"<CopyObjectResult/>", "InvalidAnswer"},
    };
    static const struct request_part part = {1, "\"a\"", NULL};
    struct request_spec spec = {.op = REQUEST_COMPLETE_UPLOAD,
                                .bucket = "b",
                                .key = "k",
                                .upload_id = "u",
                                .parts = &part,
                                .part_count = 1};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct request_outcome o;

        build(&spec);
        answer(200, cases[i].body, &o);
        is_str(o.code, cases[i].code, "answer %zu of 200", i);
        ok(o.ok == (cases[i].code[0] == '\0'), "is judged by what it says");
        if (i == 0)
            is_str(request.answer.etag, "e-2", "with the object's ETag");
    }
}

static void
test_delete_versions(void)
{
    static const char *const keys[] = {"a", "b"}, *const versions[] = {"v1",
                                                                       ""};
    struct request_spec spec = {.op = REQUEST_DELETE_MANY,
                                .bucket = "b",
                                .key = "",
                                .keys = keys,
                                .versions = versions,
                                .key_count = 2};

    is_int(build(&spec), 0, "a delete of versions builds");
    is_str(request.x.body,
           "<Delete><Quiet>true</Quiet><Object><Key>a</Key>"
           "<VersionId>v1</VersionId></Object><Object><Key>b</Key></Object>"
           "</Delete>",
           "only where there is one");
}

/* --- listings of versions --- */

static char seen[1024];

static void
on_entry(void *ctx, const struct answer_entry *e)
{
    size_t n = strlen(seen);

    (void) ctx;
    snprintf(seen + n, sizeof seen - n, "%c%s@%s%s ", "bo/x"[e->kind],
             e -> name, e -> version, e -> latest ? "!" : "");
}

static void
list(const char *token, bool encode, const char *body, const char *want_target,
     const char *want_seen, const char *want_next)
{
    struct request_spec spec = {.op = REQUEST_LIST_VERSIONS,
                                .bucket = "b",
                                .key = "",
                                .prefix = "p/",
                                .max_keys = 5,
                                .token = token,
                                .encode = encode,
                                .on_entry = on_entry};
    struct request_outcome o;

    seen[0] = '\0';
    is_int(build(&spec), 0, "a list of versions builds");
    is_str(request.x.target, want_target, "its query");
    answer(200, body, &o);
    ok(o.ok, "its answer is good");
    is_str(seen, want_seen, "the versions");
    is_str(request_next_page(&request), want_next, "where it goes on");
}

static void
test_versions(void)
{
    static const char first[] =
        "<ListVersionsResult><IsTruncated>true</IsTruncated>"
        "<NextKeyMarker>p/a%20b</NextKeyMarker>"
        "<NextVersionIdMarker>v%2</NextVersionIdMarker>"
        "<Version><Key>p/a%20b</Key><VersionId>v3</VersionId>"
        "<IsLatest>true</IsLatest><Size>5</Size></Version>"
        "<DeleteMarker><Key>p/a</Key><VersionId>v%2</VersionId>"
        "<IsLatest>false</IsLatest></DeleteMarker>"
        "<CommonPrefixes><Prefix>p/c/</Prefix></CommonPrefixes>"
        "<EncodingType>url</EncodingType></ListVersionsResult>";
    static const char last[] =
        "<ListVersionsResult><IsTruncated>false</IsTruncated>"
        "<Version><Key>p/z</Key></Version></ListVersionsResult>";
    static const char silent[] =
        "<ListVersionsResult><IsTruncated>true</IsTruncated>"
        "</ListVersionsResult>";

    list(NULL, true, first,
         "/b?encoding-type=url&max-keys=5&prefix=p%2F&versions=",
         "op/a b@v3! xp/a@v%2 /p/c/@ ", "v%2\np/a b");
    list("v%2\np/a b", false, last,
         "/b?key-marker=p%2Fa%20b&max-keys=5&prefix=p%2F"
         "&version-id-marker=v%252&versions=",
         "op/z@ ", NULL);
    list("\nline\nbreak", false, silent,
         "/b?key-marker=line%0Abreak&max-keys=5&prefix=p%2F&versions=", "", "");
}

int
main(void)
{
    if (!fixture_init())
        return 99;
    test_range_request();
    test_range_answers();
    test_checksum();
    test_range_is_forgotten();
    test_queries();
    test_answer_headers();
    test_complete();
    test_judge_complete();
    test_delete_versions();
    test_versions();
    fixture_clear();
    return done_testing();
}
