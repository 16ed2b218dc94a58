/* SPDX-License-Identifier: MIT */
/* What the answer to a request means. */
#include "config.h"

#include "request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "request_parts.h"
#include "units.h"

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
    const struct request_row *row = request_row(r->op);
    bool derived;

    if (strcmp(r->answer.root, "Error") == 0) {
        o->code = answer_code(&r->answer, r->x.status, false, &derived);
        say(o, r->answer.error.message);
        return;
    }
    if (!r->answer.complete || strcmp(r->answer.root, row->root) != 0) {
        o->code = "InvalidAnswer";
        say(o, r->x.received_bytes == 0
                   ? "the answer is empty"
                   : "the answer is not the XML document it should be");
        return;
    }
    if (row->list && request_finish_list(r) != 0) {
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

/* Read "bytes FIRST-LAST/..." as an answer has it. */
static bool
parse_content_range(const char *text, uint64_t *first, uint64_t *last)
{
    static const char unit[] = "bytes ";
    uint64_t *const out[] = {first, last};

    if (strncasecmp(text, unit, sizeof unit - 1) != 0)
        return false;
    text += sizeof unit - 1;
    for (int i = 0; i < 2; i++) {
        char number[24];
        size_t n = strspn(text, "0123456789");

        if (n == 0 || n >= sizeof number || text[n] != "-/"[i])
            return false;
        memcpy(number, text, n);
        number[n] = '\0';
        if (!units_parse_count(out[i], number))
            return false;
        text += n + 1;
    }
    return true;
}

/* Whether R's answer begins where the range does. Its length is judged as
 * any other. */
static bool
is_range(const struct request *r, struct request_outcome *o)
{
    uint64_t end = r->range_offset + r->range_len - 1, first, last;

    if (r->x.status == 206 &&
        parse_content_range(r->content_range, &first, &last) &&
        first == r->range_offset && last >= first && last <= end)
        return true;
    o->code = "InvalidAnswer";
    snprintf(o->message, sizeof o->message,
             "bytes %llu-%llu were asked for, the answer %s%s",
             (unsigned long long) r->range_offset, (unsigned long long) end,
             r->x.status != 206            ? "is not of a range"
             : r->content_range[0] == '\0' ? "does not say which it has"
                                           : "says ",
             r->x.status == 206 ? r->content_range : "");
    return false;
}

/* Whether the object, or the range, has another length than it must. */
static bool
is_wrong_length(const struct request *r, struct request_outcome *o)
{
    const struct exchange *x = &r->x;
    uint64_t length = x->received_bytes;

    if (r->op == REQUEST_HEAD && x->promised_bytes < 0)
        return false; /* some do not say */
    if (r->op == REQUEST_HEAD)
        length = (uint64_t) x->promised_bytes;
    if (r->expect_len == UINT64_MAX || length == r->expect_len)
        return false;
    o->transport = exchange_error_name(EXCHANGE_SHORT);
    snprintf(o->message, sizeof o->message,
             "%s %llu bytes where %llu were expected",
             r->op == REQUEST_HEAD ? "has" : "received",
             (unsigned long long) length, (unsigned long long) r->expect_len);
    return true;
}

/* A server that does not know appends takes each for the whole object. */
static bool
is_not_appended(const struct request *r, struct request_outcome *o)
{
    uint64_t size = 0;

    if (r->append_len == 0 ||
        (units_parse_count(&size, r->object_size) && size == r->append_len))
        return false;
    o->code = "InvalidAnswer";
    snprintf(o->message, sizeof o->message,
             "the object should have %llu bytes now, the answer says %s: "
             "does the server append?",
             (unsigned long long) r->append_len,
             r->object_size[0] != '\0' ? r->object_size : "nothing of it");
    return true;
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
    } else if (r->range_len > 0 && !is_range(r, o)) {
        return;
    } else if (is_wrong_length(r, o)) {
        return;
    } else if (request_has_wrong_sum(r, o) || is_not_appended(r, o)) {
        return;
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
    bool key = request_row(r->op)->key, derived = true;

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
