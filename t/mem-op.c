/* SPDX-License-Identifier: MIT */
/* The operations of s3mem, without HTTP: requests in, answers out. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "mem_op.h"
#include "tap.h"

static struct mem_service service = {
    .keys = {.access_key = "KEY",
             .secret_key = "secret",
             .region = "us-east-1",
             .anonymous = true},
    .part_min = 5,
};
static struct mem_signer *signer;
static struct mem_op op; /* the last one; its answer is what is looked at */
static bool op_used;
static char etag[80], upload_id[80]; /* of the last answer that had one */

/* Take the text between BEFORE and AFTER in the answer's body. */
static bool
cut(char out[80], const char *before, const char *after)
{
    const char *body = op.answer.xml.out.data;
    const char *at = strstr(body, before), *end;

    if (at == NULL)
        return false;
    at += strlen(before);
    end = strstr(at, after);
    if (end == NULL || end - at >= 80)
        return false;
    memcpy(out, at, (size_t) (end - at));
    out[end - at] = '\0';
    return true;
}

/* The value of the answer's header NAME, "" for none. */
static const char *
header(const char *name)
{
    const char *at = op.answer.headers.data;
    const char *end = at + op.answer.headers.len;

    while (at < end) {
        const char *value = at + strlen(at) + 1;

        if (strcmp(at, name) == 0)
            return value;
        at = value + strlen(value) + 1;
    }
    return "";
}

/*
 * Do METHOD on TARGET with a BODY, NULL for none. HEADERS is "Name: value"
 * lines. Returns: S3's code, or "" when it went well.
 */
static const char *
act(const char *method, const char *target, const char *headers,
    const char *body)
{
    static char text[64 << 10];
    static char length[24];
    char *line, *rest = text;

    if (op_used)
        mem_op_reset(&op);
    else
        mem_op_init(&op, &service);
    op_used = true;
    op.request.method = method;
    mem_request_target(&op.request, target);
    mem_request_header(&op.request, "Host", "localhost");
    snprintf(text, sizeof(text), "%s", headers);
    while ((line = strsep(&rest, "\n")) != NULL) {
        char *colon = strchr(line, ':');

        if (colon == NULL)
            continue;
        *colon = '\0';
        mem_request_header(&op.request, line, colon + 2);
    }
    if (body != NULL) {
        snprintf(length, sizeof(length), "%zu", strlen(body));
        mem_request_header(&op.request, "Content-Length", length);
        op.length = (int64_t) strlen(body);
    }
    mem_op_begin(&op, signer, clock_wall());
    if (body != NULL)
        mem_op_body(&op, body, strlen(body));
    mem_op_end(&op, "ID");
    if (strstr(op.answer.xml.out.data, "<InitiateMultipart") != NULL)
        (void) cut(upload_id, "<UploadId>", "<");
    if (!cut(etag, "<ETag>&quot;", "&quot;") && header("ETag")[0] == '"')
        snprintf(etag, sizeof(etag), "%.*s", (int) strlen(header("ETag")) - 2,
                 header("ETag") + 1);
    return mem_code_name(op.answer.code);
}

static void
act_is(const char *what, const char *method, const char *target,
       const char *headers, const char *body, const char *code)
{
    is_str(act(method, target, headers, body), code, "%s", what);
}

static bool
answer_has(const char *text)
{
    return strstr(op.answer.xml.out.data, text) != NULL;
}

/* Is the object at TARGET what it should be? */
static void
object_is(const char *target, const char *text)
{
    const struct mem_answer *a = &op.answer;

    act_is(target, "GET", target, "", NULL, "");
    ok(a->object != NULL && a->length == strlen(text) &&
           memcmp(a->object->bytes, text, strlen(text)) == 0,
       "holds '%s'", text);
}

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
           "NoSuchVersion");
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

/* Upload part NUMBER; its ETag is then in etag. */
static void
put_part(const char *key, int number, const char *body)
{
    char target[200];

    snprintf(target, sizeof(target), "/buk/%s?partNumber=%d&uploadId=%s", key,
             number, upload_id);
    act_is("a part", "PUT", target, "", body, "");
}

static void
add_part(struct buf *xml, int number)
{
    buf_addf(xml, "<Part><ETag>\"%s\"</ETag><PartNumber>%d</PartNumber></Part>",
             etag, number);
}

/* Complete what is in XML, and expect CODE. */
static void
complete_is(const char *what, const char *key, const struct buf *xml,
            const char *code)
{
    char target[200];
    struct buf body;

    buf_init(&body, 10000);
    buf_addf(&body, "<CompleteMultipartUpload>%s</CompleteMultipartUpload>",
             xml->data);
    snprintf(target, sizeof(target), "/buk/%s?uploadId=%s", key, upload_id);
    act_is(what, "POST", target, "", body.data, code);
    buf_clear(&body);
}

static void
test_multipart(void)
{
    struct buf xml;
    char target[200];

    buf_init(&xml, 10000);
    act_is("create", "POST", "/buk/multi?uploads", "x-amz-meta-m: 1", NULL, "");
    put_part("multi", 2, "67");
    add_part(&xml, 2);
    put_part("multi", 1, "xxxxx");
    put_part("multi", 1, "12345");
    snprintf(target, sizeof(target), "/buk/multi?uploadId=%s&max-parts=1",
             upload_id);
    act_is("list parts", "GET", target, "", NULL, "");
    ok(answer_has("<PartNumber>1</PartNumber>") &&
           answer_has("<IsTruncated>true</IsTruncated>") &&
           answer_has("<NextPartNumberMarker>1</NextPartNumberMarker>"),
       "the first page");
    buf_reset(&xml);
    put_part("multi", 1, "12345");
    add_part(&xml, 1);
    put_part("multi", 2, "67");
    add_part(&xml, 2);
    complete_is("complete", "multi", &xml, "");
    /* md5(md5("12345") md5("67")), computed with md5sum */
    is_str(etag, "d41ba478de3af5a0eff3b713d24bd318-2", "its ETag");
    object_is("/buk/multi", "1234567");
    is_str(header("x-amz-meta-m"), "1", "with metadata");
    complete_is("again", "multi", &xml, "NoSuchUpload");
    buf_clear(&xml);
}

static void
test_multipart_errors(void)
{
    struct buf xml;
    char target[300];

    buf_init(&xml, 10000);
    act("POST", "/buk/multi2?uploads", "", NULL);
    put_part("multi2", 1, "1234");
    add_part(&xml, 1);
    put_part("multi2", 2, "5");
    add_part(&xml, 2);
    complete_is("a small part", "multi2", &xml, "EntityTooSmall");
    ok(answer_has("<MinSizeAllowed>5<"), "says how small is too small");
    service.part_min = 0;
    add_part(&xml, 3);
    complete_is("a part that is missing", "multi2", &xml, "InvalidPart");
    buf_reset(&xml);
    add_part(&xml, 1); /* with the ETag of the other one */
    complete_is("another ETag", "multi2", &xml, "InvalidPart");
    add_part(&xml, 1);
    complete_is("the same twice", "multi2", &xml, "InvalidPartOrder");
    buf_reset(&xml);
    complete_is("no part", "multi2", &xml, "MalformedXML");
    buf_adds(&xml, "<Part><PartNumber>1</PartNumber></Part>");
    complete_is("no ETag", "multi2", &xml, "MalformedXML");
    snprintf(target, sizeof(target), "/buk/multi2?partNumber=10001&uploadId=%s",
             upload_id);
    act_is("part 10001", "PUT", target, "", "x", "InvalidArgument");
    act_is("no such upload", "PUT", "/buk/multi2?partNumber=1&uploadId=0", "",
           "x", "NoSuchUpload");
    snprintf(target, sizeof(target), "/buk/other?partNumber=1&uploadId=%s",
             upload_id);
    act_is("of another key", "PUT", target, "", "x", "NoSuchUpload");
    snprintf(target, sizeof(target), "/buk/multi2?uploadId=%s", upload_id);
    act_is("abort", "DELETE", target, "", NULL, "");
    is_int(op.answer.status, 204, "is 204");
    act_is("abort again", "DELETE", target, "", NULL, "NoSuchUpload");
    service.part_min = 5;
    buf_clear(&xml);
}

static void
test_copy_part(void)
{
    struct buf xml;
    char target[200];

    buf_init(&xml, 10000);
    act("PUT", "/buk/digits", "", "0123456789");
    act("POST", "/buk/joined?uploads", "", NULL);
    snprintf(target, sizeof(target), "/buk/joined?partNumber=1&uploadId=%s",
             upload_id);
    act_is("copy a part", "PUT", target,
           "x-amz-copy-source: /buk/digits\nx-amz-copy-source-range: bytes=2-7",
           NULL, "");
    ok(answer_has("<CopyPartResult"), "its result");
    add_part(&xml, 1);
    act_is(
        "a range that goes beyond", "PUT", target,
        "x-amz-copy-source: /buk/digits\nx-amz-copy-source-range: bytes=2-10",
        NULL, "InvalidArgument");
    act_is("a range without end", "PUT", target,
           "x-amz-copy-source: /buk/digits\nx-amz-copy-source-range: bytes=2-",
           NULL, "InvalidArgument");
    complete_is("complete", "joined", &xml, "");
    object_is("/buk/joined", "234567");
    buf_clear(&xml);
}

static void
test_list_uploads(void)
{
    char marker[200], id[80];

    act("PUT", "/ups", "", NULL);
    act("POST", "/ups/a/1?uploads", "", NULL);
    act("POST", "/ups/a/2?uploads", "", NULL);
    act("POST", "/ups/b?uploads", "", NULL);
    act("POST", "/ups/b?uploads", "", NULL);
    act_is("list", "GET", "/ups?uploads&delimiter=/", "", NULL, "");
    ok(answer_has("<CommonPrefixes><Prefix>a/</Prefix></CommonPrefixes>") &&
           answer_has("<Key>b</Key>") && !answer_has("<Key>a/1</Key>"),
       "by delimiter");
    act("GET", "/ups?uploads&prefix=a/&max-uploads=1", "", NULL);
    ok(answer_has("<Key>a/1</Key>") && !answer_has("<Key>a/2</Key>") &&
           answer_has("<NextKeyMarker>a/1</NextKeyMarker>"),
       "by prefix, the first page");
    act("GET", "/ups?uploads&max-uploads=3", "", NULL);
    cut(id, "<NextUploadIdMarker>", "<");
    snprintf(marker, sizeof(marker),
             "/ups?uploads&key-marker=b&upload-id-marker=%s", id);
    act("GET", marker, "", NULL);
    ok(answer_has("<Key>b</Key>") && !answer_has("<Key>a"),
       "the rest of one key");
    act("GET", "/ups?uploads&key-marker=b", "", NULL);
    ok(!answer_has("<Upload>"), "nothing behind it");
    act_is("a bucket with uploads goes", "DELETE", "/ups", "", NULL, "");
    act("PUT", "/ups", "", NULL);
    act("GET", "/ups?uploads", "", NULL);
    ok(!answer_has("<Upload>"), "and they with it");
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
    act_is("put tags", "PUT", "/buk/tagged?tagging", "", two, "");
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
    act_is("11 tags", "PUT", "/buk/tagged?tagging", "", body, "InvalidTag");
    act_is("twice the same", "PUT", "/buk/tagged?tagging", "",
           "<Tagging><TagSet>" TAG("a", "1") TAG("a", "2") "</TagSet>"
                                                           "</Tagging>",
           "InvalidTag");
    act_is("no key", "PUT", "/buk/tagged?tagging", "",
           "<Tagging><TagSet><Tag/></TagSet></Tagging>", "InvalidTag");
    act_is("no XML", "PUT", "/buk/tagged?tagging", "", "<", "MalformedXML");
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
           "NoSuchVersion");
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

int
main(void)
{
    mem_checksum_prepare();
    if (mem_signer_new(&signer) != 0 ||
        mem_store_new(&service.store, 1 << 20, false) != 0 ||
        mem_uploads_new(&service.uploads) != 0)
        return EXIT_FAILURE;
    act("PUT", "/buk", "", NULL);
    test_condition_on_put();
    test_condition_on_get();
    test_copy();
    test_multipart();
    test_multipart_errors();
    test_copy_part();
    test_list_uploads();
    test_tags();
    test_checksums();
    test_chunked();
    test_versions();
    test_heads();
    mem_op_clear(&op);
    mem_uploads_free(service.uploads);
    is_int((int64_t) (mem_store_used(service.store) > 0), 1, "bytes are held");
    mem_store_free(service.store);
    mem_signer_free(signer);
    return done_testing();
}
