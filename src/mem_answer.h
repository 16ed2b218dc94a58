/* SPDX-License-Identifier: MIT */
/*
 * The answer to one request as plain data: S3's codes with their statuses,
 * XML that is written, headers, and which object's bytes follow.
 * Source: AWS S3 API reference, "Error responses".
 */
#ifndef S3PERF_MEM_ANSWER_H
#define S3PERF_MEM_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "buf.h"

#define MEM_MESSAGE_SIZE 256
#define MEM_XMLNS "http://s3.amazonaws.com/doc/2006-03-01/"
#define MEM_ISO_SIZE 25 /* "2013-05-24T00:00:00.000Z" and NUL */
#define MEM_HTTP_DATE_SIZE 30 /* "Fri, 24 May 2013 00:00:00 GMT" and NUL */

enum mem_code {
    MEM_OK,
    MEM_ACCESS_DENIED,
    MEM_AUTHORIZATION_HEADER_MALFORMED,
    MEM_AUTHORIZATION_QUERY_ERROR,
    MEM_BAD_DIGEST,
    MEM_BUCKET_ALREADY_OWNED_BY_YOU,
    MEM_BUCKET_NOT_EMPTY,
    MEM_ENTITY_TOO_LARGE,
    MEM_ENTITY_TOO_SMALL,
    MEM_ILLEGAL_VERSIONING,
    MEM_INCOMPLETE_BODY,
    MEM_INSUFFICIENT_STORAGE,
    MEM_INTERNAL_ERROR,
    MEM_INVALID_ACCESS_KEY_ID,
    MEM_INVALID_ARGUMENT,
    MEM_INVALID_BUCKET_NAME,
    MEM_INVALID_BUCKET_STATE,
    MEM_INVALID_DIGEST,
    MEM_INVALID_ENCRYPTION,
    MEM_INVALID_LOCATION_CONSTRAINT,
    MEM_INVALID_OBJECT_STATE,
    MEM_INVALID_PART,
    MEM_INVALID_PART_NUMBER,
    MEM_INVALID_PART_ORDER,
    MEM_INVALID_RANGE,
    MEM_INVALID_REQUEST,
    MEM_INVALID_STORAGE_CLASS,
    MEM_INVALID_TAG,
    MEM_INVALID_TOKEN,
    MEM_INVALID_URI,
    MEM_INVALID_WRITE_OFFSET,
    MEM_KEY_TOO_LONG,
    MEM_MALFORMED_XML,
    MEM_METADATA_TOO_LARGE,
    MEM_METHOD_NOT_ALLOWED,
    MEM_MISSING_CONTENT_LENGTH,
    MEM_NO_SUCH_BUCKET,
    MEM_NO_SUCH_KEY,
    MEM_NO_SUCH_LOCK,
    MEM_NO_SUCH_LOCK_CONFIGURATION,
    MEM_NO_SUCH_TAG_SET,
    MEM_NO_SUCH_UPLOAD,
    MEM_NO_SUCH_VERSION,
    MEM_NOT_IMPLEMENTED,
    MEM_PRECONDITION_FAILED,
    MEM_REQUEST_TIME_TOO_SKEWED,
    MEM_SIGNATURE_DOES_NOT_MATCH,
    MEM_SHA256_MISMATCH,
    MEM_TOO_MANY_PARTS,
    MEM_CODE_COUNT
};

/* XML text; the first error of an addition sticks. */
struct mem_xml {
    struct buf out;
    int err;
};

struct mem_object;

struct mem_answer {
    int status;
    enum mem_code code; /* MEM_OK, or the error that the rest describes */
    char message[MEM_MESSAGE_SIZE];
    struct mem_xml extra; /* further elements of an error document */
    struct mem_xml xml; /* the body, unless an object is */
    struct buf headers; /* name NUL value NUL ... */
    struct mem_object *object; /* a reference, or NULL */
    uint64_t offset, length; /* which of its bytes are sent */
};

void mem_answer_init(struct mem_answer *a);

/* Drops the object as well; safe twice. */
void mem_answer_clear(struct mem_answer *a);

/* The answer is the error CODE. FORMAT NULL: S3's usual message. What
 * was prepared before is forgotten. */
void mem_answer_fail(struct mem_answer *a, enum mem_code code,
                     const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Another element of the error document. */
void mem_answer_extra(struct mem_answer *a, const char *name, const char *text);

/* Another header. A failed addition shows in mem_answer_finish(). */
void mem_answer_header(struct mem_answer *a, const char *name,
                       const char *value);

/* The same, but instead of one of that NAME. */
void mem_answer_replace(struct mem_answer *a, const char *name,
                        const char *value);

/* Write the error document, when the answer is an error; turns the answer
 * into InternalError when something could not be written. RESOURCE is the path.
 */
void mem_answer_finish(struct mem_answer *a, const char *resource,
                       const char *request_id);

/* "NoSuchKey" */
const char *mem_code_name(enum mem_code code);

void mem_xml_init(struct mem_xml *x);
void mem_xml_clear(struct mem_xml *x);

/* Markup, as it is. */
void mem_xml_raw(struct mem_xml *x, const char *markup);

/* Text of N bytes, escaped. */
void mem_xml_text(struct mem_xml *x, const char *text, size_t n);

/* <NAME>TEXT</NAME> */
void mem_xml_element(struct mem_xml *x, const char *name, const char *text);
void mem_xml_uint(struct mem_xml *x, const char *name, uint64_t value);

void mem_format_iso(char out[MEM_ISO_SIZE], time_t wall);
void mem_format_http_date(char out[MEM_HTTP_DATE_SIZE], time_t wall);

/* Read what mem_format_iso() writes, with or without a fraction of a second,
 * which is dropped, and with "+00:00" or "Z". Returns: false, *OUT
 * untouched, on any other TEXT. */
bool mem_parse_iso(time_t *out, const char *text);

/* Read such a date; "+0000" may stand for GMT. false, *OUT untouched, on any
 * other TEXT. */
bool mem_parse_http_date(time_t *out, const char *text);

#endif
