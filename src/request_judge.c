/* SPDX-License-Identifier: MIT */
/* What the answer to a request means. */
#include "config.h"

#include "request.h"

#include <stdio.h>
#include <string.h>

#include "request_answer.h"

static void
say(struct request_outcome *o, const char *text)
{
    snprintf(o->message, sizeof o->message, "%.*s", (int) sizeof o->message - 1,
             text);
    for (char *p = o->message; *p != '\0'; p++)
        if ((unsigned char) *p < 0x20 || *p == 0x7f)
            *p = ' ';
}

static void
judge_document(struct request *r, struct request_outcome *o)
{
    static const char *const roots[] = {
        [REQUEST_LIST_BUCKETS] = "ListAllMyBucketsResult",
        [REQUEST_LIST] = "ListBucketResult",
        [REQUEST_COPY] = "CopyObjectResult",
        [REQUEST_CREATE_UPLOAD] = "InitiateMultipartUploadResult",
        [REQUEST_DELETE_MANY] = "DeleteResult",
    };
    bool derived;

    if (strcmp(r->answer.root, "Error") == 0) {
        o->code = answer_code(&r->answer, r->x.status, false, &derived);
        say(o, r->answer.error.message);
        return;
    }
    if (!r->answer.complete || strcmp(r->answer.root, roots[r->op]) != 0) {
        o->code = "InvalidAnswer";
        say(o, r->x.received_bytes == 0
                   ? "the answer is empty"
                   : "the answer is not the XML document it should be");
        return;
    }
    if (r->op == REQUEST_LIST && request_finish_list(r) != 0) {
        o->code = "InvalidAnswer";
        say(o, "the answer's names are not well encoded");
        return;
    }
    if (r->op == REQUEST_CREATE_UPLOAD &&
        (r->answer.upload_id[0] == '\0' ||
         strlen(r->answer.upload_id) == sizeof r->answer.upload_id - 1)) {
        o->code = "InvalidAnswer";
        say(o, "the answer has no upload id, or too long a one");
        return;
    }
    if (r->answer.failed_keys > 0) {
        char text[sizeof o->message + 64];

        o->code = r->failed_code[0] != '\0' ? r->failed_code : "InvalidAnswer";
        snprintf(text, sizeof text, "%llu of the keys could not be deleted: %s",
                 (unsigned long long) r->answer.failed_keys, r->failed_message);
        say(o, text);
        return;
    }
    o->ok = true;
}

static void
judge_success(struct request *r, struct request_outcome *o)
{
    const struct exchange *x = &r->x;

    if (x->has_body && x->sent_bytes < x->body_len) {
        o->transport = exchange_error_name(EXCHANGE_SHORT);
        snprintf(o->message, sizeof o->message,
                 "answered after %llu of %llu bytes were sent",
                 (unsigned long long) x->sent_bytes,
                 (unsigned long long) x->body_len);
    } else if (r->expect_len != UINT64_MAX &&
               x->received_bytes != r->expect_len) {
        o->transport = exchange_error_name(EXCHANGE_SHORT);
        snprintf(o->message, sizeof o->message,
                 "received %llu bytes where %llu were expected",
                 (unsigned long long) x->received_bytes,
                 (unsigned long long) r->expect_len);
    } else if (r->document) {
        judge_document(r, o);
    } else {
        o->ok = true;
    }
}

void
request_judge(struct request *r, struct request_outcome *o)
{
    const struct exchange *x = &r->x;
    bool key = r->op >= REQUEST_PUT && r->op <= REQUEST_DELETE;
    bool derived = true;

    *o = (struct request_outcome){.status = x->status, .code = ""};
    if (r->answer_ready)
        answer_finish(&r->answer);
    if (x->error != EXCHANGE_OK) {
        o->transport = exchange_error_name(x->error);
        say(o, x->detail);
        return;
    }
    if (r->chunked_ready && r->chunked.err != 0) {
        o->transport = exchange_error_name(EXCHANGE_INTERNAL);
        say(o, "a chunk could not be signed");
        return;
    }
    if (x->status >= 200 && x->status < 300) {
        judge_success(r, o);
        return;
    }
    if (!r->answer_ready && answer_init(&r->answer) == 0)
        r->answer_ready = true;
    o->code = answer_code(&r->answer, x->status, key, &derived);
    if (!derived)
        say(o, r->answer.error.message);
}
