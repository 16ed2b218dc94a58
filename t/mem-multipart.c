/* SPDX-License-Identifier: MIT */
/* Multipart uploads of s3mem: requests in, answers out. */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem-act.h"

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

/* The bound holds for parts, too, and what is joined is counted once. */
static void
test_bound(void)
{
    uint64_t before = mem_store_used(service.store);
    static char large[600001];
    char target[200];
    struct buf xml;

    memset(large, 'x', sizeof(large) - 1);
    buf_init(&xml, 10000);
    act("POST", "/buk/bound?uploads", "", NULL);
    put_part("bound", 1, large);
    add_part(&xml, 1);
    snprintf(target, sizeof(target), "/buk/bound?partNumber=2&uploadId=%s",
             upload_id);
    act_is("beyond the bound", "PUT", target, "", large, "InsufficientStorage");
    put_part("bound", 2, "end");
    add_part(&xml, 2);
    complete_is("complete", "bound", &xml, "");
    ok(mem_store_used(service.store) - before < 602000, "counted once");
    act("DELETE", "/buk/bound", "", NULL);
    is_int((int64_t) mem_store_used(service.store), (int64_t) before,
           "and all of it goes");
    buf_clear(&xml);
}

/* A checksum of the parts' checksums, and one of the whole. */
static void
test_sums(void)
{
    struct buf xml;
    char target[200], part_etag[80];

    buf_init(&xml, 10000);
    act("POST", "/buk/sums?uploads", "x-amz-checksum-algorithm: CRC32", NULL);
    snprintf(target, sizeof(target), "/buk/sums?partNumber=1&uploadId=%s",
             upload_id);
    act_is("a part with a checksum", "PUT", target,
           "x-amz-checksum-crc32: y/Q5Jg==", "123456789", "");
    snprintf(part_etag, sizeof(part_etag), "%s", etag);
    act_is("a part without", "PUT", target, "", "123456789", "InvalidRequest");
    act_is("a part with another", "PUT", target,
           "x-amz-checksum-sha1: 98O8HYCOBHMq32eZZczDTKeuNEE=", "123456789",
           "InvalidRequest");
    add_part(&xml, 1);
    complete_is("a part that is named without it", "sums", &xml,
                "InvalidRequest");
    buf_reset(&xml);
    buf_addf(&xml,
             "<Part><PartNumber>1</PartNumber><ETag>%s</ETag>"
             "<ChecksumCRC32>AAAAAA==</ChecksumCRC32></Part>",
             part_etag);
    complete_is("a part that is named with a wrong one", "sums", &xml,
                "InvalidPart");
    buf_reset(&xml);
    buf_addf(&xml,
             "<Part><PartNumber>1</PartNumber><ETag>%s</ETag>"
             "<ChecksumCRC32>y/Q5Jg==</ChecksumCRC32></Part>",
             part_etag);
    complete_is("complete", "sums", &xml, "");
    /* crc32 of the four bytes cb f4 39 26 */
    ok(answer_has("<ChecksumCRC32>7kxlUA==-1</ChecksumCRC32>"),
       "the checksum of checksums");
    act("POST", "/buk/sums?uploads", "x-amz-checksum-algorithm: CRC64NVME",
        NULL);
    buf_reset(&xml);
    put_part("sums", 1, "12345");
    add_part(&xml, 1);
    put_part("sums", 2, "6789");
    add_part(&xml, 2);
    complete_is("complete", "sums", &xml, "");
    ok(answer_has("<ChecksumCRC64NVME>rosUhgp5mIg=</ChecksumCRC64NVME>"),
       "the checksum of the whole");
    act_is("an unknown one", "POST", "/buk/sums?uploads",
           "x-amz-checksum-algorithm: MD4", NULL, "InvalidRequest");
    buf_clear(&xml);
}

/* Parts are read by number, and have checksums of their own. */
static void
test_part_numbers(void)
{
    static const char mode[] = "x-amz-checksum-mode: ENABLED";
    struct buf xml;

    buf_init(&xml, 10000);
    act("POST", "/buk/pieces?uploads", "x-amz-checksum-algorithm: CRC64NVME",
        NULL);
    put_part("pieces", 3, "12345");
    add_part(&xml, 3);
    put_part("pieces", 4, "67890");
    add_part(&xml, 4);
    put_part("pieces", 9, "x");
    add_part(&xml, 9);
    complete_is("complete", "pieces", &xml, "");
    act_is("part 2", "GET", "/buk/pieces?partNumber=2", mode, NULL, "");
    is_int(op.answer.status, 206, "is partial");
    is_str(header("Content-Range"), "bytes 5-9/11", "where it is");
    is_str(header("x-amz-mp-parts-count"), "3", "how many there are");
    is_str(header("x-amz-checksum-crc64nvme"), "", "no checksum of the part");
    ok(op.answer.offset == 5 && op.answer.length == 5, "its bytes");
    act_is("part 3", "HEAD", "/buk/pieces?partNumber=3", "", NULL, "");
    is_str(header("Content-Range"), "bytes 10-10/11", "the last one");
    act_is("part 4", "GET", "/buk/pieces?partNumber=4", "", NULL,
           "InvalidPartNumber");
    is_int(op.answer.status, 416, "is out of range");
    act_is("part 0", "GET", "/buk/pieces?partNumber=0", "", NULL,
           "InvalidArgument");
    act_is("a range of a part", "GET", "/buk/pieces?partNumber=1",
           "Range: bytes=0-0", NULL, "InvalidRequest");
    act("PUT", "/buk/whole", "", "whole");
    act_is("part 1 of a whole", "GET", "/buk/whole?partNumber=1", "", NULL, "");
    is_str(header("Content-Range"), "bytes 0-4/5", "is all of it");
    is_str(header("x-amz-mp-parts-count"), "", "it has no parts");
    act_is("part 2 of a whole", "GET", "/buk/whole?partNumber=2", "", NULL,
           "InvalidPartNumber");
    buf_clear(&xml);
}

static void
test_part_sums(void)
{
    char target[200], body[300];

    act("POST", "/buk/sums?uploads", "x-amz-checksum-algorithm: CRC32", NULL);
    snprintf(target, sizeof(target), "/buk/sums?partNumber=1&uploadId=%s",
             upload_id);
    act("PUT", target, "x-amz-checksum-crc32: y/Q5Jg==", "123456789");
    snprintf(body, sizeof(body),
             "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber>"
             "<ETag>%s</ETag><ChecksumCRC32>y/Q5Jg==</ChecksumCRC32></Part>"
             "</CompleteMultipartUpload>",
             etag);
    snprintf(target, sizeof(target), "/buk/sums?uploadId=%s", upload_id);
    act_is("another size than it says", "POST", target,
           "x-amz-mp-object-size: 8", body, "InvalidRequest");
    act_is("the size that it says", "POST", target, "x-amz-mp-object-size: 9",
           body, "");
    act("GET", "/buk/sums?partNumber=1", "x-amz-checksum-mode: ENABLED", NULL);
    is_str(header("x-amz-checksum-crc32"), "y/Q5Jg==", "the part's checksum");
    act("GET", "/buk/sums", "x-amz-checksum-mode: ENABLED", NULL);
    is_str(header("x-amz-checksum-crc32"), "7kxlUA==-1", "that of them all");
    is_str(header("x-amz-checksum-type"), "COMPOSITE", "and its type");
    act("PUT", "/buk/sums2", "x-amz-copy-source: /buk/sums", NULL);
    act("GET", "/buk/sums2", "x-amz-checksum-mode: ENABLED", NULL);
    is_str(header("x-amz-checksum-crc32"), "y/Q5Jg==", "a copy is a whole");
    act("PUT", "/buk/sums2",
        "x-amz-copy-source: /buk/sums\nx-amz-checksum-algorithm: SHA1", NULL);
    act("GET", "/buk/sums2", "x-amz-checksum-mode: ENABLED", NULL);
    is_str(header("x-amz-checksum-sha1"), "98O8HYCOBHMq32eZZczDTKeuNEE=",
           "or has the checksum that is asked for");
    act_is("FULL_OBJECT of SHA1", "POST", "/buk/sums?uploads",
           "x-amz-checksum-algorithm: SHA1\nx-amz-checksum-type: FULL_OBJECT",
           NULL, "InvalidRequest");
    act("GET", "/buk", "", NULL); /* lets go of what the last one held */
}

/* A refused completion leaves the upload for the next one. */
static void
test_refused(void)
{
    static const char whole[] =
        "<CompleteMultipartUpload><Part><ETag>%s</ETag><PartNumber>1"
        "</PartNumber></Part><Part><ETag>%s</ETag><PartNumber>2</PartNumber>"
        "</Part></CompleteMultipartUpload>";
    uint64_t before = mem_store_used(service.store), held;
    char body[500], first[80], target[200];

    act("POST", "/buk/again?uploads", "x-amz-checksum-algorithm: CRC64NVME",
        NULL);
    put_part("again", 1, "12345");
    snprintf(first, sizeof(first), "%s", etag);
    put_part("again", 2, "6789");
    snprintf(body, sizeof(body), whole, first, etag);
    snprintf(target, sizeof(target), "/buk/again?uploadId=%s", upload_id);
    held = mem_store_used(service.store);
    act_is("a wrong checksum of the whole", "POST", target,
           "x-amz-checksum-crc64nvme: AAAAAAAAAAA=", body, "BadDigest");
    act_is("nothing there to match", "POST", target, "If-Match: *", body,
           "NoSuchKey");
    is_int((int64_t) mem_store_used(service.store), (int64_t) held,
           "all is held as before");
    act_is("the parts are there", "GET", target, "", NULL, "");
    ok(answer_has("<PartNumber>1<") && answer_has("<PartNumber>2<"), "both");
    act_is("the right checksum", "POST", target,
           "x-amz-checksum-crc64nvme: rosUhgp5mIg=", body, "");
    object_is("/buk/again", "123456789");
    act_is("then it is over", "POST", target, "", body, "NoSuchUpload");
    act("DELETE", "/buk/again", "", NULL);
    is_int((int64_t) mem_store_used(service.store), (int64_t) before,
           "and nothing is left");
}

/* --- two that complete at the same time --- */

struct racer {
    char target[200], body[400];
    pthread_barrier_t *start;
    enum mem_code code;
};

static void *
race(void *ctx)
{
    struct racer *r = ctx;
    struct mem_op own;
    struct mem_signer *s;
    char length[24];

    if (mem_signer_new(&s) != 0)
        abort();
    mem_op_init(&own, &service);
    own.request.method = "POST";
    mem_request_target(&own.request, r->target);
    mem_request_header(&own.request, "Host", "localhost");
    mem_request_header(&own.request, "If-None-Match", "*");
    snprintf(length, sizeof(length), "%zu", strlen(r->body));
    mem_request_header(&own.request, "Content-Length", length);
    own.length = (int64_t) strlen(r->body);
    mem_op_begin(&own, s, clock_wall());
    mem_op_body(&own, r->body, strlen(r->body));
    pthread_barrier_wait(r->start);
    mem_op_end(&own, "ID");
    r->code = own.answer.code;
    mem_op_clear(&own);
    mem_signer_free(s);
    return NULL;
}

/* An upload of two parts, which R completes. */
static void
set_up(struct racer *r, const char *first, const char *second)
{
    struct buf xml;

    buf_init(&xml, 10000);
    act("POST", "/buk/raced?uploads", "", NULL);
    snprintf(r->target, sizeof(r->target), "/buk/raced?uploadId=%s", upload_id);
    buf_adds(&xml, "<CompleteMultipartUpload>");
    put_part("raced", 1, first);
    add_part(&xml, 1);
    put_part("raced", 2, second);
    add_part(&xml, 2);
    buf_adds(&xml, "</CompleteMultipartUpload>");
    snprintf(r->body, sizeof(r->body), "%s", xml.data);
    buf_clear(&xml);
}

/* Only one may put an object that must not exist; the other, which may have
 * joined its parts by then, can still be completed. */
static void
test_race(void)
{
    enum { SIZE = 150000, ROUNDS = 60 };
    static char bytes[2][SIZE + 1];
    uint64_t before = mem_store_used(service.store);
    pthread_barrier_t start;
    bool one = true, again = true, whole = true;

    pthread_barrier_init(&start, NULL, 2);
    memset(bytes[0], 'a', SIZE);
    memset(bytes[1], 'b', SIZE);
    for (int i = 0; i < ROUNDS; i++) {
        struct racer r[2] = {{.start = &start}, {.start = &start}};
        pthread_t threads[2];
        int loser;

        set_up(&r[0], bytes[0], bytes[1]);
        set_up(&r[1], bytes[1], bytes[0]);
        for (int k = 0; k < 2; k++)
            if (pthread_create(&threads[k], NULL, race, &r[k]) != 0)
                abort();
        for (int k = 0; k < 2; k++)
            pthread_join(threads[k], NULL);
        loser = r[0].code == MEM_OK;
        one = one && r[1 - loser].code == MEM_OK &&
              r[loser].code == MEM_PRECONDITION_FAILED;
        again =
            again && act("POST", r[loser].target, "", r[loser].body)[0] == '\0';
        act("GET", "/buk/raced", "", NULL);
        whole =
            whole && op.answer.object != NULL &&
            op.answer.object->size == 2 * SIZE &&
            memcmp(op.answer.object->bytes, bytes[loser], SIZE) == 0 &&
            memcmp(op.answer.object->bytes + SIZE, bytes[1 - loser], SIZE) == 0;
        act("DELETE", "/buk/raced", "", NULL);
    }
    pthread_barrier_destroy(&start);
    ok(one, "one of two wins");
    ok(again, "the other can be completed later");
    ok(whole, "with its own bytes");
    is_int((int64_t) mem_store_used(service.store), (int64_t) before,
           "and nothing is counted twice");
}

int
main(void)
{
    if (!begin_acting())
        return EXIT_FAILURE;
    test_multipart();
    test_multipart_errors();
    test_copy_part();
    test_list_uploads();
    test_bound();
    test_sums();
    test_part_numbers();
    test_part_sums();
    test_refused();
    test_race();
    end_acting();
    return done_testing();
}
