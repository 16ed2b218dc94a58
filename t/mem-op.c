/* SPDX-License-Identifier: MIT */
/* The operations of s3mem: requests in, answers out. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem-act.h"

static void
test_condition_on_put(void)
{
    act_is("put if absent", "PUT", "/buk/cond", "If-None-Match: *", "one", "");
    act_is("again", "PUT", "/buk/cond", "If-None-Match: *", "two",
           "PreconditionFailed");
    ok(answer_has("<Condition>If-None-Match</Condition>"), "which one");
    object_is("/buk/cond", "one");
    act_is("if it is another", "PUT", "/buk/cond", "If-Match: \"00\"", "two",
           "PreconditionFailed");
    act("HEAD", "/buk/cond", "", NULL);
    {
        char line[100];

        snprintf(line, sizeof(line), "If-Match: \"%s\"", etag);
        act_is("if it is this one", "PUT", "/buk/cond", line, "two", "");
    }
    object_is("/buk/cond", "two");
    act_is("where there is none", "PUT", "/buk/none", "If-Match: *", "x",
           "NoSuchKey");
    act_is("a deletion", "DELETE", "/buk/cond", "If-Match: *", NULL,
           "NotImplemented");
    act_is("a list instead of *", "PUT", "/buk/cond", "If-None-Match: \"0\"",
           "x", "NotImplemented");
}

static void
test_condition_on_get(void)
{
    static const char early[] = "Sat, 01 Jan 2000 00:00:00 GMT";
    static const char late[] = "Thu, 01 Jan 2099 00:00:00 GMT";
    char line[200];

    act_is("get", "GET", "/buk/cond", "", NULL, "");
    snprintf(line, sizeof(line), "If-Modified-Since: %s", late);
    act_is("not modified", "GET", "/buk/cond", line, NULL, "");
    is_int(op.answer.status, 304, "is 304");
    ok(header("ETag")[0] == '"', "with an ETag");
    snprintf(line, sizeof(line), "If-Modified-Since: %s", early);
    act("GET", "/buk/cond", line, NULL);
    is_int(op.answer.status, 200, "modified");
    snprintf(line, sizeof(line), "If-Unmodified-Since: %s", early);
    act_is("if unmodified", "GET", "/buk/cond", line, NULL,
           "PreconditionFailed");
    snprintf(line, sizeof(line), "If-Unmodified-Since: %s\nIf-Match: *", early);
    act_is("a match beats it", "GET", "/buk/cond", line, NULL, "");
    snprintf(line, sizeof(line), "If-Modified-Since: %s\nIf-None-Match: \"0\"",
             late);
    act("GET", "/buk/cond", line, NULL);
    is_int(op.answer.status, 200, "no match beats not modified");
    act("GET", "/buk/cond", "If-Modified-Since: yesterday", NULL);
    is_int(op.answer.status, 200, "a bad date is no condition");
}

static void
test_copy(void)
{
    act("PUT", "/buk/src%20%2B", "x-amz-meta-a: 1\nContent-Type: text/x",
        "content");
    act_is("copy", "PUT", "/buk/dst", "x-amz-copy-source: /buk/src%20%2B", NULL,
           "");
    ok(answer_has("<CopyObjectResult") && answer_has("<LastModified>"),
       "its result");
    object_is("/buk/dst", "content");
    is_str(header("x-amz-meta-a"), "1", "with metadata");
    is_str(header("Content-Type"), "text/x", "and type");
    act_is("replace", "PUT", "/buk/dst",
           "x-amz-copy-source: buk/src%20%2B?versionId=null\n"
           "x-amz-metadata-directive: REPLACE\nx-amz-meta-b: 2",
           NULL, "");
    object_is("/buk/dst", "content");
    is_str(header("x-amz-meta-b"), "2", "with other metadata");
    is_str(header("x-amz-meta-a"), "", "and not the old one");
    act_is("onto itself", "PUT", "/buk/dst", "x-amz-copy-source: /buk/dst",
           NULL, "InvalidRequest");
    act_is("no such key", "PUT", "/buk/dst", "x-amz-copy-source: /buk/nope",
           NULL, "NoSuchKey");
    act_is("no such bucket", "PUT", "/buk/dst", "x-amz-copy-source: /nope/x",
           NULL, "NoSuchBucket");
    act_is("no key", "PUT", "/buk/dst", "x-amz-copy-source: /buk", NULL,
           "InvalidArgument");
    act_is("not encoded", "PUT", "/buk/dst", "x-amz-copy-source: /buk/%zz",
           NULL, "InvalidArgument");
    act_is("another version", "PUT", "/buk/dst",
           "x-amz-copy-source: /buk/src%20%2B?versionId=x", NULL,
           "InvalidArgument");
    act_is("a bad directive", "PUT", "/buk/dst",
           "x-amz-copy-source: /buk/dst\nx-amz-metadata-directive: MOVE", NULL,
           "InvalidArgument");
    act_is("a condition", "PUT", "/buk/dst2",
           "x-amz-copy-source: /buk/dst\n"
           "x-amz-copy-source-if-none-match: *",
           NULL, "PreconditionFailed");
    act_is("only if absent", "PUT", "/buk/dst",
           "x-amz-copy-source: /buk/src%20%2B\nIf-None-Match: *", NULL,
           "PreconditionFailed");
}

static void
test_tags(void)
{
#define TAG(k, v) "<Tag><Key>" k "</Key><Value>" v "</Value></Tag>"
    static const char two[] =
        "<Tagging><TagSet>" TAG("a", "1") TAG("b &amp;", "") "</TagSet>"
                                                             "</Tagging>";
    char body[4000], tags[3000] = "";

    act("PUT", "/buk/tagged", "x-amz-tagging: x=1&y%20=a+b", "");
    act_is("get tags", "GET", "/buk/tagged?tagging", "", NULL, "");
    ok(answer_has(TAG("x", "1") TAG("y ", "a b")), "those of the header");
    act("HEAD", "/buk/tagged", "", NULL);
    is_str(header("x-amz-tagging-count"), "2", "they are counted");
    act_is("put tags", "PUT", "/buk/tagged?tagging", MD5, two, "");
    act("GET", "/buk/tagged?tagging", "", NULL);
    ok(answer_has(TAG("a", "1") TAG("b &amp;", "")), "the new ones");
    act("PUT", "/buk/tagged2", "x-amz-copy-source: /buk/tagged", NULL);
    act("GET", "/buk/tagged2?tagging", "", NULL);
    ok(answer_has(TAG("a", "1")), "they are copied, too");
    act_is("delete tags", "DELETE", "/buk/tagged?tagging", "", NULL, "");
    act("GET", "/buk/tagged?tagging", "", NULL);
    ok(answer_has("<TagSet></TagSet>"), "none is left");
    act_is("of no key", "GET", "/buk/nope?tagging", "", NULL, "NoSuchKey");
    for (int i = 0; i < 11; i++)
        snprintf(tags + strlen(tags), sizeof(tags) - strlen(tags),
                 TAG("%d", "v"), i);
    snprintf(body, sizeof(body), "<Tagging><TagSet>%s</TagSet></Tagging>",
             tags);
    act_is("11 tags", "PUT", "/buk/tagged?tagging", MD5, body, "InvalidTag");
    act_is("twice the same", "PUT", "/buk/tagged?tagging", MD5,
           "<Tagging><TagSet>" TAG("a", "1") TAG("a", "2") "</TagSet>"
                                                           "</Tagging>",
           "InvalidTag");
    act_is("no key", "PUT", "/buk/tagged?tagging", MD5,
           "<Tagging><TagSet><Tag/></TagSet></Tagging>", "InvalidTag");
    act_is("without a digest", "PUT", "/buk/tagged?tagging", "", two,
           "InvalidRequest");
    act_is("no XML", "PUT", "/buk/tagged?tagging", MD5, "<", "MalformedXML");
    act_is("a bad header", "PUT", "/buk/tagged3", "x-amz-tagging: %", "x",
           "InvalidArgument");
}

static void
test_checksums(void)
{
    act_is("a right checksum", "PUT", "/buk/sum",
           "x-amz-checksum-crc32: y/Q5Jg==", "123456789", "");
    is_str(header("x-amz-checksum-crc32"), "y/Q5Jg==", "is in the answer");
    act_is("get it", "GET", "/buk/sum", "x-amz-checksum-mode: ENABLED", NULL,
           "");
    is_str(header("x-amz-checksum-crc32"), "y/Q5Jg==", "when it is asked for");
    act("GET", "/buk/sum", "", NULL);
    is_str(header("x-amz-checksum-crc32"), "", "and only then");
    act_is("a wrong one", "PUT", "/buk/sum",
           "x-amz-checksum-crc32: AAAAAA==", "1", "BadDigest");
    act_is("a short one", "PUT", "/buk/sum", "x-amz-checksum-sha256: AAAA", "1",
           "InvalidRequest");
    act_is("two of them", "PUT", "/buk/sum",
           "x-amz-checksum-crc32: AAAAAA==\nx-amz-checksum-crc32c: AAAAAA==",
           "", "InvalidRequest");
    act_is("one that was announced only", "PUT", "/buk/sum",
           "x-amz-sdk-checksum-algorithm: CRC32", "1", "InvalidRequest");
    act_is("instead of Content-MD5", "POST", "/buk?delete",
           "x-amz-checksum-crc32: AAAAAA==",
           "<Delete><Object><Key>k</Key></Object></Delete>", "BadDigest");
}

static void
test_chunked(void)
{
#define CHUNKED                                                                \
    "x-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER\n"               \
    "Content-Encoding: aws-chunked,gzip\nx-amz-decoded-content-length: "
#define TRAILER "\nx-amz-trailer: x-amz-checksum-crc32"
    act_is("unsigned chunks", "PUT", "/buk/chunked", CHUNKED "9" TRAILER,
           "4\r\n1234\r\n5\r\n56789\r\n0\r\n"
           "x-amz-checksum-crc32:y/Q5Jg==\r\n\r\n",
           "");
    object_is("/buk/chunked", "123456789");
    is_str(header("Content-Encoding"), "gzip", "aws-chunked is not kept");
    act_is("a wrong checksum", "PUT", "/buk/chunked", CHUNKED "1" TRAILER,
           "1\r\n1\r\n0\r\nx-amz-checksum-crc32:y/Q5Jg==\r\n\r\n", "BadDigest");
    act_is("none", "PUT", "/buk/chunked", CHUNKED "1" TRAILER,
           "1\r\n1\r\n0\r\n\r\n", "InvalidRequest");
    act_is("less than announced", "PUT", "/buk/chunked", CHUNKED "2",
           "1\r\n1\r\n0\r\n\r\n", "IncompleteBody");
    act_is("more", "PUT", "/buk/chunked", CHUNKED "1", "2\r\n12\r\n0\r\n\r\n",
           "IncompleteBody");
    act_is("cut short", "PUT", "/buk/chunked", CHUNKED "2", "2\r\n12\r\n",
           "IncompleteBody");
    act_is("broken", "PUT", "/buk/chunked", CHUNKED "2", "12",
           "IncompleteBody");
    act_is("more broken", "PUT", "/buk/chunked", CHUNKED "2", "x\r\n",
           "InvalidRequest");
    act_is("no length", "PUT", "/buk/chunked",
           "x-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER", "0\r\n",
           "MissingContentLength");
    act_is("not for XML", "POST", "/buk?delete", CHUNKED "2", "x",
           "InvalidRequest");
    object_is("/buk/chunked", "123456789");
}

static void
test_versions(void)
{
    act_is("list versions", "GET", "/buk?versions&max-keys=1&prefix=c", "",
           NULL, "");
    ok(answer_has("<ListVersionsResult") &&
           answer_has("<VersionId>null</VersionId>") &&
           answer_has("<IsLatest>true</IsLatest>") &&
           answer_has("<NextVersionIdMarker>null</NextVersionIdMarker>"),
       "one page");
    act_is("versioning", "GET", "/buk?versioning", "", NULL, "");
    ok(!answer_has("<Status>"), "was never switched on");
    act_is("version null", "GET", "/buk/cond?versionId=null", "", NULL, "");
    act_is("another one", "GET", "/buk/cond?versionId=1", "", NULL,
           "InvalidArgument");
}

static void
test_heads(void)
{
    static const char *const targets[] = {
        "/",         "/buk",          "/buk?uploads",
        "/buk/cond", "/buk?versions", "/buk/cond?tagging"};

    for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++)
        act_is(targets[i], "HEAD", targets[i], "", NULL, "");
}

static const char *const methods[] = {"GET",    "PUT",  "POST",
                                      "DELETE", "HEAD", "OPTIONS"};
static const char *const targets[] = {
    "/", "/buk", "/buk/noise", "//", "/%00", "/buk/%zz", "", "/buk/a/"};
static const char *const params[] = {"uploads",
                                     "uploadId=x",
                                     "partNumber=1",
                                     "tagging",
                                     "versions",
                                     "list-type=2",
                                     "max-keys=1",
                                     "delete",
                                     "location",
                                     "acl",
                                     "prefix=%",
                                     "marker=%F0",
                                     "encoding-type=url",
                                     "delimiter=/",
                                     "versionId=null",
                                     "versionId=x",
                                     "version-id-marker=null&key-marker=a",
                                     "versioning",
                                     "object-lock",
                                     "retention",
                                     "legal-hold",
                                     "X-Amz-Signature=1",
                                     "AWSAccessKeyId=K&Signature=S",
                                     "=",
                                     "&&"};
static const char *const headers[] = {
    "x-amz-copy-source: /buk/noise",
    "x-amz-copy-source: %",
    "x-amz-copy-source-range: bytes=0-0",
    "x-amz-tagging: a=b",
    "x-amz-tagging: &=&",
    "If-None-Match: *",
    "If-Match: \"",
    "Range: -",
    "Range: bytes=0-18446744073709551616",
    "x-amz-checksum-crc32: =",
    "x-amz-trailer: x-amz-checksum-sha1",
    "Content-MD5: AAAA",
    "x-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER",
    "x-amz-decoded-content-length: 3",
    "Host: x.localhost",
    "Authorization: AWS :",
    "Authorization: AWS4-HMAC-SHA256 ,,=,",
    "x-amz-metadata-directive: REPLACE",
    "Content-MD5: *",
    "x-amz-write-offset-bytes: 0",
    "x-amz-write-offset-bytes: 3",
    "x-amz-storage-class: GLACIER",
    "x-amz-server-side-encryption: aws:kms",
    "x-amz-server-side-encryption-customer-algorithm: AES256",
    "x-amz-server-side-encryption-customer-key: AAAA",
    "x-amz-object-lock-mode: GOVERNANCE",
    "x-amz-object-lock-retain-until-date: 2099-01-01T00:00:00Z",
    "x-amz-object-lock-legal-hold: ON",
    "x-amz-bucket-object-lock-enabled: true",
    "x-amz-bypass-governance-retention: true"};
static const char *const bodies[] = {"",
                                     "abc",
                                     "<VersioningConfiguration>"
                                     "<Status>Enabled</Status>"
                                     "</VersioningConfiguration>",
                                     "<Retention/>",
                                     "<a/>",
                                     "3\r\nabc\r\n0\r\n\r\n",
                                     "<Tagging><TagSet/></Tagging>"};

/* Requests put together of what means something, in any way: each of them
 * is answered by success or by an error of ours, and never by a 500. */
static void
test_noise(void)
{
#define PICK(list) (list)[(size_t) rand() % (sizeof(list) / sizeof(*(list)))]
    int faults = 0;

    srand(1);
    for (int round = 0; round < 20000; round++) {
        char target[200], lines[300];

        snprintf(target, sizeof(target), "%s?%s&%s", PICK(targets),
                 PICK(params), PICK(params));
        snprintf(lines, sizeof(lines), "%s\n%s\n%s", PICK(headers),
                 PICK(headers), PICK(headers));
        act(PICK(methods), target, lines, rand() % 4 > 0 ? PICK(bodies) : NULL);
        faults += op.answer.status >= 500 && op.answer.status != 501;
    }
    is_int(faults, 0, "noise is answered, and never by a fault of ours");
}

int
main(void)
{
    if (!begin_acting())
        return EXIT_FAILURE;
    test_condition_on_put();
    test_condition_on_get();
    test_copy();
    test_tags();
    test_checksums();
    test_chunked();
    test_versions();
    test_heads();
    test_noise();
    end_acting();
    return done_testing();
}
