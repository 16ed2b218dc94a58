/* SPDX-License-Identifier: MIT */
/* What only some requests to s3mem ask for: encryption, storage classes,
 * appends; and servers that lack something. */
#include "config.h"

#include "mem-act.h"
#include "mem_feature.h"

#define SSE "x-amz-server-side-encryption"
#define KEY(text, md5)                                                         \
    SSE "-customer-algorithm: AES256\n" SSE "-customer-key: " text "\n" SSE    \
        "-customer-key-MD5: " md5
/* base64 of 32 times "a" and "b", and of the MD5 of each */
#define KEY_A                                                                  \
    KEY("YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE=",                        \
        "Xsqb0+sHwAbNQ65I395/0w==")
#define KEY_B                                                                  \
    KEY("YmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmI=",                        \
        "i0+eoW3kvPW7/A/x6iN5NA==")
#define PLAIN_ETAG "9a0364b9e99bb480dd25e1f0284c8555" /* of "content" */

static void
test_sse(void)
{
    act_is("SSE-S3", "PUT", "/buk/sse", SSE ": AES256", "content", "");
    is_str(header(SSE), "AES256", "is told");
    is_str(etag, PLAIN_ETAG, "the ETag stays an MD5");
    act("HEAD", "/buk/sse", "", NULL);
    is_str(header(SSE), "AES256", "also by HEAD");
    act_is("SSE-KMS", "PUT", "/buk/kms",
           SSE ": aws:kms\n" SSE "-aws-kms-key-id: abc", "content", "");
    is_str(header(SSE), "aws:kms", "is told");
    is_str(header(SSE "-aws-kms-key-id"),
           "arn:aws:kms:us-east-1:000000000000:key/abc", "with its key");
    ok(strcmp(etag, PLAIN_ETAG) != 0, "the ETag is no MD5");
    act_is("without a key", "PUT", "/buk/kms", SSE ": aws:kms", "content", "");
    is_str(header(SSE "-aws-kms-key-id"),
           "arn:aws:kms:us-east-1:000000000000:key/s3mem", "the server's");
    act_is("another kind", "PUT", "/buk/sse", SSE ": rot13", "x",
           "InvalidEncryptionAlgorithmError");
    act_is("a key of none", "PUT", "/buk/sse",
           SSE ": AES256\n" SSE "-aws-kms-key-id: abc", "x", "InvalidArgument");
    act_is("two kinds", "PUT", "/buk/sse", SSE ": AES256\n" KEY_A, "x",
           "InvalidArgument");
    act("PUT", "/buk/copy", "x-amz-copy-source: /buk/kms", NULL);
    is_str(header(SSE), "", "a copy is not encrypted by itself");
    act("PUT", "/buk/copy", "x-amz-copy-source: /buk/kms\n" SSE ": AES256",
        NULL);
    is_str(header(SSE), "AES256", "but when it is asked for");
    object_is("/buk/copy", "content");
}

static void
test_customer_key(void)
{
    act_is("SSE-C", "PUT", "/buk/key", KEY_A, "content", "");
    is_str(header(SSE "-customer-algorithm"), "AES256", "is told");
    is_str(header(SSE "-customer-key-MD5"),
           "Xsqb0+sHwAbNQ65I395/0w==", "with the key's MD5");
    is_str(header(SSE "-customer-key"), "", "never with the key");
    ok(strcmp(etag, PLAIN_ETAG) != 0, "the ETag is no MD5");
    act_is("get it", "GET", "/buk/key", KEY_A, NULL, "");
    is_int((int64_t) op.answer.length, 7, "with its key");
    act_is("without a key", "GET", "/buk/key", "", NULL, "InvalidRequest");
    act_is("head without a key", "HEAD", "/buk/key", "", NULL,
           "InvalidRequest");
    act_is("another key", "GET", "/buk/key", KEY_B, NULL, "AccessDenied");
    act_is("a key for nothing", "GET", "/buk/sse", KEY_A, NULL,
           "InvalidRequest");
    act_is("another MD5", "PUT", "/buk/key",
           KEY("YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE=",
               "i0+eoW3kvPW7/A/x6iN5NA=="),
           "x", "InvalidArgument");
    act_is("a short key", "PUT", "/buk/key",
           KEY("YWFhYWFhYWE=", "i0+eoW3kvPW7/A/x6iN5NA=="), "x",
           "InvalidArgument");
    act_is("another algorithm", "PUT", "/buk/key",
           SSE "-customer-algorithm: DES", "x",
           "InvalidEncryptionAlgorithmError");
    act_is("no key", "PUT", "/buk/key", SSE "-customer-algorithm: AES256", "x",
           "InvalidArgument");
    act_is("copy it without its key", "PUT", "/buk/copy",
           "x-amz-copy-source: /buk/key", NULL, "InvalidRequest");
    act_is("copy it to another", "PUT", "/buk/copy",
           "x-amz-copy-source: /buk/key\n"
           "x-amz-copy-source-server-side-encryption-customer-algorithm: "
           "AES256\n"
           "x-amz-copy-source-server-side-encryption-customer-key: "
           "YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE=\n"
           "x-amz-copy-source-server-side-encryption-customer-key-MD5: "
           "Xsqb0+sHwAbNQ65I395/0w==\n" KEY_B,
           NULL, "");
    act_is("which has that one", "GET", "/buk/copy", KEY_B, NULL, "");
    service.keys_refused = true;
    act_is("over plain HTTP", "GET", "/buk/key", KEY_A, NULL, "InvalidRequest");
    service.keys_refused = false;
}

static void
test_customer_parts(void)
{
    char target[200], body[300];

    act_is("an upload with a key", "POST", "/buk/keyed?uploads", KEY_A, NULL,
           "");
    snprintf(target, sizeof(target), "/buk/keyed?partNumber=1&uploadId=%s",
             upload_id);
    act_is("a part without", "PUT", target, "", "part", "InvalidRequest");
    act_is("a part with another", "PUT", target, KEY_B, "part",
           "InvalidRequest");
    act_is("a part with it", "PUT", target, KEY_A, "part", "");
    is_str(header(SSE "-customer-algorithm"), "AES256", "is told");
    snprintf(body, sizeof(body),
             "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber>"
             "<ETag>%s</ETag></Part></CompleteMultipartUpload>",
             etag);
    snprintf(target, sizeof(target), "/buk/keyed?uploadId=%s", upload_id);
    act_is("complete", "POST", target, "", body, "");
    act_is("get it", "GET", "/buk/keyed", KEY_A, NULL, "");
    act_is("without a key", "GET", "/buk/keyed", "", NULL, "InvalidRequest");
}

static void
test_storage_class(void)
{
    act_is("a class", "PUT", "/buk/class", "x-amz-storage-class: STANDARD_IA",
           "content", "");
    act_is("get it", "GET", "/buk/class", "", NULL, "");
    is_str(header("x-amz-storage-class"), "STANDARD_IA", "it is told");
    act("GET", "/buk?prefix=class", "", NULL);
    ok(answer_has("<StorageClass>STANDARD_IA</StorageClass>"), "and listed");
    act("PUT", "/buk/class", "x-amz-storage-class: STANDARD", "content");
    act("GET", "/buk/class", "", NULL);
    is_str(header("x-amz-storage-class"), "", "the usual one is not told");
    act_is("one that is none", "PUT", "/buk/class", "x-amz-storage-class: COLD",
           "x", "InvalidStorageClass");
    act("PUT", "/buk/cold", "x-amz-storage-class: DEEP_ARCHIVE", "x");
    act_is("from the archive", "GET", "/buk/cold", "", NULL,
           "InvalidObjectState");
    act_is("but HEAD", "HEAD", "/buk/cold", "", NULL, "");
    act("POST", "/buk/class?uploads", "x-amz-storage-class: ONEZONE_IA", NULL);
    act("GET", "/buk?uploads&prefix=class", "", NULL);
    ok(answer_has("<StorageClass>ONEZONE_IA</StorageClass>"),
       "an upload has one, too");
}

static void
append_is(const char *what, const char *offset, const char *text,
          const char *code)
{
    char lines[200];

    snprintf(lines, sizeof(lines), "x-amz-write-offset-bytes: %s", offset);
    act_is(what, "PUT", "/buk/log", lines, text, code);
}

static void
test_append(void)
{
    char before[80];
    struct mem_object *held;

    append_is("behind nothing", "3", "x", "NoSuchKey");
    act_is("at the start", "PUT", "/buk/log",
           "x-amz-write-offset-bytes: 0\nx-amz-meta-a: b", "one", "");
    is_str(header("x-amz-object-size"), "3", "its size");
    snprintf(before, sizeof(before), "%s", etag);
    append_is("behind it", "3", " two", "");
    is_str(header("x-amz-object-size"), "7", "its size");
    ok(strcmp(before, etag) != 0, "another ETag");
    object_is("/buk/log", "one two");
    is_str(header("x-amz-meta-a"), "b", "it keeps its headers");
    append_is("at the wrong place", "3", "x", "InvalidWriteOffset");
    append_is("at no place", "-1", "x", "InvalidArgument");
    act_is("if it is another", "PUT", "/buk/log",
           "x-amz-write-offset-bytes: 7\nIf-Match: \"0\"", "x",
           "PreconditionFailed");

    /* Who reads it keeps what was there. */
    act("GET", "/buk/log", "", NULL);
    held = mem_object_hold(op.answer.object);
    append_is("while it is read", "7", " three", "");
    ok(held->size == 7 && memcmp(held->bytes, "one two", 7) == 0,
       "the reader's stays");
    mem_object_drop(held);
    object_is("/buk/log", "one two three");
    is_str(header("x-amz-meta-a"), "b", "with its headers");
}

static void
test_append_sums(void)
{
    static const char mode[] = "x-amz-checksum-mode: ENABLED";

    act("PUT", "/buk/log", "x-amz-checksum-crc32: y/Q5Jg==", "123456789");
    act_is("with a checksum", "PUT", "/buk/log",
           "x-amz-write-offset-bytes: 9\nx-amz-checksum-crc32: 9NvfIQ==", "0",
           "");
    act("GET", "/buk/log", mode, NULL);
    /* of "1234567890" */
    is_str(header("x-amz-checksum-crc32"), "Jh2u5Q==", "that of the whole");
    append_is("without one", "10", "x", "");
    act("GET", "/buk/log", mode, NULL);
    is_str(header("x-amz-checksum-crc32"), "", "it is not known then");
    act("PUT", "/vers", "", NULL);
    act("PUT", "/vers?versioning", MD5,
        "<VersioningConfiguration><Status>Enabled</Status>"
        "</VersioningConfiguration>");
    act_is("with versions", "PUT", "/vers/log", "x-amz-write-offset-bytes: 0",
           "x", "InvalidRequest");
}

/* Many small appends: memory is counted, and 10000 is the most. */
static void
test_many_appends(void)
{
    uint64_t before;
    int n = 0;

    act("GET", "/buk", "", NULL); /* lets go of what the last one held */
    before = mem_store_used(service.store);
    act("PUT", "/buk/many", "", "");
    for (; n < 10010; n++) {
        char lines[100];

        snprintf(lines, sizeof(lines), "x-amz-write-offset-bytes: %d", n);
        if (act("PUT", "/buk/many", lines, "x")[0] != '\0')
            break;
    }
    is_int(n, 10000, "so many appends");
    is_str(mem_code_name(op.answer.code), "TooManyParts", "and no more");
    act("HEAD", "/buk/many", "", NULL);
    is_int((int64_t) op.answer.length, n, "all are there");
    ok(mem_store_used(service.store) - before < 22000,
       "at most twice the size is held");
    act("DELETE", "/buk/many", "", NULL);
    is_int((int64_t) mem_store_used(service.store), (int64_t) before,
           "nothing is counted any more");
}

static void
test_without(void)
{
    static const struct {
        const char *feature, *method, *target, *headers;
    } cases[] = {
        {"acl", "GET", "/buk/sse?acl", ""},
        {"append", "PUT", "/buk/f", "x-amz-write-offset-bytes: 0"},
        {"batch-delete", "POST", "/buk?delete", MD5},
        {"checksums", "PUT", "/buk/f", "x-amz-checksum-crc32: y/Q5Jg=="},
        {"conditional-writes", "PUT", "/buk/f", "If-None-Match: *"},
        {"copy", "PUT", "/buk/f", "x-amz-copy-source: /buk/sse"},
        {"list-v2", "GET", "/buk?list-type=2", ""},
        {"lock", "PUT", "/newone", "x-amz-bucket-object-lock-enabled: true"},
        {"multipart", "POST", "/buk/f?uploads", ""},
        {"part-number", "GET", "/buk/sse?partNumber=1", ""},
        {"sse", "PUT", "/buk/f", SSE ": AES256"},
        {"sse-c", "PUT", "/buk/f", KEY_A},
        {"sse-kms", "PUT", "/buk/f", SSE ": aws:kms"},
        {"storage-class", "PUT", "/buk/f", "x-amz-storage-class: STANDARD"},
        {"tags", "PUT", "/buk/f", "x-amz-tagging: a=b"},
        {"trailers", "PUT", "/buk/f", "x-amz-trailer: x-amz-checksum-crc32"},
        {"versions", "GET", "/buk?versions", ""},
    };
    size_t n = sizeof(cases) / sizeof(*cases), named = 0;

    for (size_t i = 0; i < n; i++) {
        service.without = mem_feature_find(cases[i].feature);
        ok(service.without != 0, "%s is a feature", cases[i].feature);
        act_is(cases[i].feature, cases[i].method, cases[i].target,
               cases[i].headers, "123456789", "NotImplemented");
        ok(answer_has("<Header>") || answer_has("<Parameter>"),
           "it says what shows it");
        act_is("the rest goes on", "GET", "/buk/sse", "If-Match: *", NULL, "");
        service.without = ~service.without;
        if (strcmp(cases[i].feature, "trailers") == 0)
            continue; /* one by checksums, too */
        if (strncmp(cases[i].feature, "sse-k", 5) == 0)
            continue; /* one by sse, too */
        act(cases[i].method, cases[i].target, cases[i].headers, "123456789");
        ok(op.answer.code != MEM_NOT_IMPLEMENTED,
           "%s is there without all others", cases[i].feature);
    }
    service.without = 0;
    while (mem_feature_name(named) != NULL)
        named++;
    is_int((int64_t) named, (int64_t) n + 1, "all but sse-c-http are tried");
    is_int(mem_feature_find("teleport"), 0, "others are none");
    is_int(mem_feature_find("sse-c-http"), MEM_WITHOUT_HTTP_KEYS, "that one");
}

int
main(void)
{
    if (!begin_acting())
        return EXIT_FAILURE;
    test_sse();
    test_customer_key();
    test_customer_parts();
    test_storage_class();
    test_append();
    test_append_sums();
    test_many_appends();
    test_without();
    end_acting();
    return done_testing();
}
