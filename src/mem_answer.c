/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "clock.h"
#include "mem_store.h"

#define XML_MAX ((size_t) 16 << 20) /* a page of the longest keys is 6 MiB */
#define HEADERS_MAX ((size_t) 16 << 10)

static const struct {
    int status;
    const char *name, *message;
} codes[MEM_CODE_COUNT] = {
    [MEM_OK] = {200, "", ""},
    [MEM_ACCESS_DENIED] = {403, "AccessDenied", "Access denied"},
    [MEM_AUTHORIZATION_HEADER_MALFORMED] =
        {400, "AuthorizationHeaderMalformed",
         "The Authorization header is malformed"},
    [MEM_AUTHORIZATION_QUERY_ERROR] =
        {400, "AuthorizationQueryParametersError",
         "The query's authorization parameters are not valid"},
    [MEM_BAD_DIGEST] = {400, "BadDigest",
                        "Content-MD5 differs from the MD5 of the body"},
    [MEM_BUCKET_ALREADY_OWNED_BY_YOU] = {409, "BucketAlreadyOwnedByYou",
                                         "The bucket exists and is yours"},
    [MEM_BUCKET_NOT_EMPTY] = {409, "BucketNotEmpty",
                              "The bucket still holds objects"},
    [MEM_ENTITY_TOO_LARGE] = {400, "EntityTooLarge",
                              "The body is larger than the limit"},
    [MEM_ENTITY_TOO_SMALL] = {400, "EntityTooSmall",
                              "A part that is not the last one is too small"},
    [MEM_ILLEGAL_VERSIONING] = {400, "IllegalVersioningConfigurationException",
                                "The versioning configuration needs a Status"},
    [MEM_INCOMPLETE_BODY] = {400, "IncompleteBody",
                             "The body has not the announced number of bytes"},
    [MEM_INSUFFICIENT_STORAGE] = {507, "InsufficientStorage",
                                  "The memory bound is reached"},
    [MEM_INTERNAL_ERROR] = {500, "InternalError",
                            "Out of memory or another fault inside"},
    [MEM_INVALID_ACCESS_KEY_ID] = {403, "InvalidAccessKeyId",
                                   "The access key id is not known here"},
    [MEM_INVALID_ARGUMENT] = {400, "InvalidArgument",
                              "An argument is not valid"},
    [MEM_INVALID_BUCKET_NAME] = {400, "InvalidBucketName",
                                 "The bucket's name is not valid"},
    [MEM_INVALID_BUCKET_STATE] = {409, "InvalidBucketState",
                                  "The bucket's state does not allow this"},
    [MEM_INVALID_DIGEST] = {400, "InvalidDigest",
                            "Content-MD5 is not the base64 of 16 bytes"},
    [MEM_INVALID_ENCRYPTION] = {400, "InvalidEncryptionAlgorithmError",
                                "The encryption that is asked for is not "
                                "valid"},
    [MEM_INVALID_LOCATION_CONSTRAINT] =
        {400, "InvalidLocationConstraint",
         "The location constraint is not valid here"},
    [MEM_INVALID_OBJECT_STATE] = {403, "InvalidObjectState",
                                  "The object's storage class does not allow "
                                  "this"},
    [MEM_INVALID_PART] = {400, "InvalidPart",
                          "A part is not there, or its ETag is another one"},
    [MEM_INVALID_PART_NUMBER] = {416, "InvalidPartNumber",
                                 "The object has no part of that number"},
    [MEM_INVALID_PART_ORDER] = {400, "InvalidPartOrder",
                                "The parts are not in ascending order"},
    [MEM_INVALID_RANGE] = {416, "InvalidRange",
                           "The range lies outside of the object"},
    [MEM_INVALID_REQUEST] = {400, "InvalidRequest", "The request is not valid"},
    [MEM_INVALID_STORAGE_CLASS] = {400, "InvalidStorageClass",
                                   "The storage class is not valid"},
    [MEM_INVALID_TAG] = {400, "InvalidTag", "The tags are not valid"},
    [MEM_INVALID_TOKEN] = {400, "InvalidToken",
                           "The session token is not valid"},
    [MEM_INVALID_URI] = {400, "InvalidURI",
                         "The request target could not be decoded"},
    [MEM_INVALID_WRITE_OFFSET] = {400, "InvalidWriteOffset",
                                  "The offset is not the object's size"},
    [MEM_KEY_TOO_LONG] = {400, "KeyTooLongError",
                          "The key is longer than 1024 bytes"},
    [MEM_MALFORMED_XML] = {400, "MalformedXML",
                           "The XML is not well-formed or not as S3's"},
    [MEM_METADATA_TOO_LARGE] = {400, "MetadataTooLarge",
                                "The metadata headers exceed the limit"},
    [MEM_METHOD_NOT_ALLOWED] = {405, "MethodNotAllowed",
                                "This resource does not take that method"},
    [MEM_MISSING_CONTENT_LENGTH] = {411, "MissingContentLength",
                                    "A Content-Length header is needed"},
    [MEM_NO_SUCH_BUCKET] = {404, "NoSuchBucket", "The bucket does not exist"},
    [MEM_NO_SUCH_KEY] = {404, "NoSuchKey", "The key does not exist"},
    [MEM_NO_SUCH_LOCK] = {404, "NoSuchObjectLockConfiguration",
                          "The object has no such lock"},
    [MEM_NO_SUCH_LOCK_CONFIGURATION] = {404,
                                        "ObjectLockConfigurationNotFoundError",
                                        "The bucket has no lock configuration"},
    [MEM_NO_SUCH_TAG_SET] = {404, "NoSuchTagSet", "There are no tags here"},
    [MEM_NO_SUCH_UPLOAD] = {404, "NoSuchUpload",
                            "The multipart upload is not there"},
    [MEM_NO_SUCH_VERSION] = {404, "NoSuchVersion", "There is no such version"},
    [MEM_NOT_IMPLEMENTED] = {501, "NotImplemented",
                             "s3mem does not implement this"},
    [MEM_PRECONDITION_FAILED] = {412, "PreconditionFailed",
                                 "A precondition does not hold"},
    [MEM_REQUEST_TIME_TOO_SKEWED] =
        {403, "RequestTimeTooSkewed",
         "The request's time is more than 15 minutes off"},
    [MEM_SIGNATURE_DOES_NOT_MATCH] =
        {403, "SignatureDoesNotMatch",
         "The signature is not the one computed here; compare StringToSign "
         "and CanonicalRequest with yours"},
    [MEM_SHA256_MISMATCH] =
        {400, "XAmzContentSHA256Mismatch",
         "x-amz-content-sha256 differs from the SHA-256 of the body"},
    [MEM_TOO_MANY_PARTS] = {400, "TooManyParts",
                            "The object has been appended to 10000 times"},
};

const char *
mem_code_name(enum mem_code code)
{
    return codes[code].name;
}

void
mem_xml_init(struct mem_xml *x)
{
    buf_init(&x->out, XML_MAX);
    x->err = 0;
}

void
mem_xml_clear(struct mem_xml *x)
{
    buf_clear(&x->out);
    x->err = 0;
}

static void
add(struct mem_xml *x, const char *bytes, size_t n)
{
    if (x->err == 0)
        x->err = buf_add(&x->out, bytes, n);
}

void
mem_xml_raw(struct mem_xml *x, const char *markup)
{
    add(x, markup, strlen(markup));
}

/* How byte C is written, or NULL for as it is. */
static const char *
escape(unsigned char c, char room[8])
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        /* Not XML 1.0, but it is what S3 sends for such keys. */
        if (c >= 0x20)
            return NULL;
        snprintf(room, 8, "&#x%X;", (unsigned) c);
        return room;
    }
}

void
mem_xml_text(struct mem_xml *x, const char *text, size_t n)
{
    char room[8];
    size_t plain = 0; /* where the bytes not yet added begin */

    for (size_t i = 0; i < n; i++) {
        const char *escaped = escape((unsigned char) text[i], room);

        if (escaped == NULL)
            continue;
        add(x, text + plain, i - plain);
        mem_xml_raw(x, escaped);
        plain = i + 1;
    }
    add(x, text + plain, n - plain);
}

void
mem_xml_element(struct mem_xml *x, const char *name, const char *text)
{
    mem_xml_raw(x, "<");
    mem_xml_raw(x, name);
    mem_xml_raw(x, ">");
    mem_xml_text(x, text, strlen(text));
    mem_xml_raw(x, "</");
    mem_xml_raw(x, name);
    mem_xml_raw(x, ">");
}

void
mem_xml_uint(struct mem_xml *x, const char *name, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%llu", (unsigned long long) value);
    mem_xml_element(x, name, text);
}

void
mem_answer_init(struct mem_answer *a)
{
    *a = (struct mem_answer){.status = 200};
    mem_xml_init(&a->extra);
    mem_xml_init(&a->xml);
    buf_init(&a->headers, HEADERS_MAX);
}

void
mem_answer_clear(struct mem_answer *a)
{
    mem_xml_clear(&a->extra);
    mem_xml_clear(&a->xml);
    buf_clear(&a->headers);
    mem_object_drop(a->object);
    a->object = NULL;
}

void
mem_answer_fail(struct mem_answer *a, enum mem_code code, const char *format,
                ...)
{
    va_list args;

    mem_answer_clear(a);
    a->code = code;
    a->status = codes[code].status;
    if (format == NULL) {
        snprintf(a->message, sizeof(a->message), "%s", codes[code].message);
        return;
    }
    va_start(args, format);
    vsnprintf(a->message, sizeof(a->message), format, args);
    va_end(args);
}

void
mem_answer_extra(struct mem_answer *a, const char *name, const char *text)
{
    mem_xml_element(&a->extra, name, text);
}

void
mem_answer_header(struct mem_answer *a, const char *name, const char *value)
{
    int err = buf_add(&a->headers, name, strlen(name) + 1);

    if (err == 0)
        err = buf_add(&a->headers, value, strlen(value) + 1);
    if (err != 0)
        a->xml.err = err;
}

void
mem_answer_replace(struct mem_answer *a, const char *name, const char *value)
{
    char *at = a->headers.data, *end = at + a->headers.len;

    while (at < end) {
        size_t n = strlen(at) + 1;

        n += strlen(at + n) + 1;
        if (strcasecmp(at, name) == 0) {
            memmove(at, at + n, (size_t) (end - at) - n);
            a->headers.len -= n;
            break;
        }
        at += n;
    }
    mem_answer_header(a, name, value);
}

static void
write_error(struct mem_answer *a, const char *resource, const char *request_id)
{
    struct mem_xml *x = &a->xml;

    mem_xml_raw(x, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error>");
    mem_xml_element(x, "Code", codes[a->code].name);
    mem_xml_element(x, "Message", a->message);
    mem_xml_raw(x, a->extra.out.data);
    mem_xml_element(x, "Resource", resource);
    mem_xml_element(x, "RequestId", request_id);
    mem_xml_element(x, "HostId", "s3mem");
    mem_xml_raw(x, "</Error>");
}

void
mem_answer_finish(struct mem_answer *a, const char *resource,
                  const char *request_id)
{
    if (a->xml.err != 0 || a->extra.err != 0)
        mem_answer_fail(a, MEM_INTERNAL_ERROR, NULL);
    if (a->code != MEM_OK)
        write_error(a, resource, request_id);
}

static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

void
mem_format_iso(char out[MEM_ISO_SIZE], time_t wall)
{
    clock_format_iso(out, wall);
    memcpy(out + CLOCK_ISO_SIZE - 2, ".000Z", sizeof(".000Z"));
}

void
mem_format_http_date(char out[MEM_HTTP_DATE_SIZE], time_t wall)
{
    static _Thread_local time_t last = -1;
    static _Thread_local char text[MEM_HTTP_DATE_SIZE];

    /* Much the same moments come again and again. */
    if (last != wall)
        clock_format_http(text, wall);
    last = wall;
    memcpy(out, text, MEM_HTTP_DATE_SIZE);
}

static bool
is_in(int value, int low, int high)
{
    return value >= low && value <= high;
}

/* The number of the month called NAME, from 0; 12 when there is none. */
static int
find_month(const char *name)
{
    int i = 0;

    while (i < 12 && strcmp(months[i], name) != 0)
        i++;
    return i;
}

/* Skip ".123" and the like, if it is there. */
static const char *
skip_fraction(const char *text)
{
    size_t n = *text == '.' ? strspn(text + 1, "0123456789") : 0;

    return n > 0 ? text + 1 + n : text;
}

bool
mem_parse_iso(time_t *out, const char *text)
{
    struct tm tm = {0};
    int end = 0;

    if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &tm.tm_year, &tm.tm_mon,
               &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &end) != 6)
        return false;
    text = skip_fraction(text + end);
    if ((strcmp(text, "Z") != 0 && strcmp(text, "+00:00") != 0) ||
        !is_in(tm.tm_year, 1970, 9999) || !is_in(tm.tm_mon, 1, 12) ||
        !is_in(tm.tm_mday, 1, 31) || !is_in(tm.tm_hour, 0, 23) ||
        !is_in(tm.tm_min, 0, 59) || !is_in(tm.tm_sec, 0, 60))
        return false;
    tm.tm_year -= 1900;
    tm.tm_mon--;
    *out = timegm(&tm);
    return true;
}

bool
mem_parse_http_date(time_t *out, const char *text)
{
    char month[4], zone[6];
    struct tm tm = {0};
    int end = 0;

    if (strlen(text) < 5 || text[3] != ',' ||
        sscanf(text + 4, " %2d %3s %4d %2d:%2d:%2d %5s%n", &tm.tm_mday, month,
               &tm.tm_year, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, zone,
               &end) != 7 ||
        text[4 + end] != '\0' ||
        (strcmp(zone, "GMT") != 0 && strcmp(zone, "+0000") != 0))
        return false;
    tm.tm_mon = find_month(month);
    if (tm.tm_mon == 12 || !is_in(tm.tm_mday, 1, 31) ||
        !is_in(tm.tm_year, 1970, 9999) || !is_in(tm.tm_hour, 0, 23) ||
        !is_in(tm.tm_min, 0, 59) || !is_in(tm.tm_sec, 0, 60))
        return false;
    tm.tm_year -= 1900;
    *out = timegm(&tm);
    return true;
}
