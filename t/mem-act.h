/* SPDX-License-Identifier: MIT */
/* Requests to the operations of s3mem, without HTTP; for tests of them. */
#ifndef S3PERF_MEM_ACT_H
#define S3PERF_MEM_ACT_H

#include <stdbool.h>
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
static bool __attribute__((unused))
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
static const char *__attribute__((unused)) header(const char *name)
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

/* Stands for the right one of the body. */
#define MD5 "Content-MD5: *"

static void
md5_of(char out[32], const char *body)
{
    unsigned char digest[EVP_MAX_MD_SIZE];

    body = body != NULL ? body : "";
    EVP_Digest(body, strlen(body), digest, NULL, EVP_md5(), NULL);
    EVP_EncodeBlock((unsigned char *) out, digest, 16);
}

/*
 * Do METHOD on TARGET with a BODY, NULL for none. HEADERS is "Name: value"
 * lines. Returns: S3's code, or "" when it went well.
 */
static const char *__attribute__((unused))
act(const char *method, const char *target, const char *headers,
    const char *body)
{
    static char text[1 << 20];
    static char length[24], md5[32];
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
        if (strcmp(colon + 1, " *") == 0 && strcmp(line, "Content-MD5") == 0) {
            md5_of(md5, body);
            mem_request_header(&op.request, line, md5);
        } else {
            mem_request_header(&op.request, line, colon + 2);
        }
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

static void __attribute__((unused))
act_is(const char *what, const char *method, const char *target,
       const char *headers, const char *body, const char *code)
{
    is_str(act(method, target, headers, body), code, "%s", what);
}

static bool __attribute__((unused)) answer_has(const char *text)
{
    return strstr(op.answer.xml.out.data, text) != NULL;
}

/* Is the object at TARGET what it should be? */
static void __attribute__((unused))
object_is(const char *target, const char *text)
{
    const struct mem_answer *a = &op.answer;

    act_is(target, "GET", target, "", NULL, "");
    ok(a->object != NULL && a->length == strlen(text) &&
           memcmp(a->object->bytes, text, strlen(text)) == 0,
       "holds '%s'", text);
}

/* Before all others; the bucket buk is there then. Returns: false without
 * memory. */
static bool
begin_acting(void)
{
    mem_checksum_prepare();
    if (mem_signer_new(&signer) != 0 ||
        mem_store_new(&service.store, 1 << 20, false) != 0 ||
        mem_uploads_new(&service.uploads) != 0)
        return false;
    act("PUT", "/buk", "", NULL);
    return true;
}

static void
end_acting(void)
{
    mem_op_clear(&op);
    mem_uploads_free(service.uploads);
    mem_store_free(service.store);
    mem_signer_free(signer);
}

#endif
