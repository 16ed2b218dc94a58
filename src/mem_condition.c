/* SPDX-License-Identifier: MIT */
/*
 * Conditional requests: see mem_op.h. Which condition beats which:
 * RFC 9110, 13.2.2.
 */
#include "config.h"

#include "mem_op.h"

#include <errno.h>
#include <string.h>

#define COPY "x-amz-copy-source-"

enum outcome { HOLDS, NOT_MODIFIED, FAILED };

/* The names of the four headers of one kind of request. */
struct names {
    const char *match, *none, *modified, *unmodified;
};

static enum outcome
check(const char **which, const struct mem_request *r,
      const struct names *names, const struct mem_object *o)
{
    const char *match = mem_request_find(r, names->match);
    const char *none = mem_request_find(r, names->none);
    const char *modified = mem_request_find(r, names->modified);
    const char *unmodified = mem_request_find(r, names->unmodified);
    time_t at;

    if (match != NULL) {
        *which = "If-Match";
        if (!mem_etag_listed(match, o->etag))
            return FAILED;
    } else if (unmodified != NULL && mem_parse_http_date(&at, unmodified)) {
        *which = "If-Unmodified-Since";
        if (o->modified > at)
            return FAILED;
    }
    if (none != NULL) {
        *which = "If-None-Match";
        return mem_etag_listed(none, o->etag) ? NOT_MODIFIED : HOLDS;
    }
    *which = "If-Modified-Since";
    return modified != NULL && mem_parse_http_date(&at, modified) &&
                   o->modified <= at
               ? NOT_MODIFIED
               : HOLDS;
}

bool
mem_op_get_condition(struct mem_op *op, const struct mem_object *o)
{
    static const struct names names = {"if-match", "if-none-match",
                                       "if-modified-since",
                                       "if-unmodified-since"};
    char date[MEM_HTTP_DATE_SIZE];
    const char *which;

    switch (check(&which, &op->request, &names, o)) {
    case HOLDS:
        return true;
    case NOT_MODIFIED:
        op->answer.status = 304;
        mem_op_etag(&op->answer, o);
        mem_format_http_date(date, o->modified);
        mem_answer_header(&op->answer, "Last-Modified", date);
        return false;
    default:
        mem_answer_fail(&op->answer, MEM_PRECONDITION_FAILED, NULL);
        mem_answer_extra(&op->answer, "Condition", which);
        return false;
    }
}

bool
mem_op_copy_condition(struct mem_op *op, const struct mem_object *o)
{
    static const struct names names = {COPY "if-match", COPY "if-none-match",
                                       COPY "if-modified-since",
                                       COPY "if-unmodified-since"};
    const char *which;

    if (check(&which, &op->request, &names, o) == HOLDS)
        return true;
    mem_answer_fail(&op->answer, MEM_PRECONDITION_FAILED, NULL);
    mem_answer_extra(&op->answer, "Condition", which);
    return false;
}

bool
mem_op_put_condition(struct mem_op *op)
{
    const struct mem_request *r = &op->request;
    const struct mem_name name = mem_op_name(op);
    const char *none = mem_request_find(r, "if-none-match");
    struct mem_condition *out = &op->condition;
    int err;

    out->match = mem_request_find(r, "if-match");
    out->absent = none != NULL;
    if (none != NULL && strcmp(none, "*") != 0) {
        mem_answer_fail(&op->answer, MEM_NOT_IMPLEMENTED,
                        "An upload's If-None-Match can only be *");
        mem_answer_extra(&op->answer, "Header", "If-None-Match");
        return false;
    }
    err = mem_store_may_put(op->service->store, &op->bucket, &name, out);
    if (err != 0)
        mem_op_fail_errno(op, err);
    return err == 0;
}
