/* SPDX-License-Identifier: MIT */
/* Further attempts of an operation. */
#include "config.h"

#include "worker_parts.h"

#include <string.h>

#include "clock.h"

#define STALE_MAX 3 /* dead connections that one operation may meet */

/* Whether doing C's operation again is harmless when the first time did
 * happen. A condition would then meet its own result. */
static bool
is_repeatable(const struct worker_lane *lane)
{
    const struct request_service *s = lane->w->config->services[0];
    enum request_op op = lane->spec.op;

    if (op == REQUEST_GET || op == REQUEST_HEAD)
        return true;
    if (op == REQUEST_CREATE_BUCKET || op == REQUEST_DELETE_BUCKET ||
        op == REQUEST_CREATE_UPLOAD || op == REQUEST_ABORT_UPLOAD)
        return false;
    for (size_t i = 0; i < s->header_count; i++)
        if (strncasecmp(s->headers[i].name, "if-", 3) == 0)
            return false;
    return true;
}

/* Whether what came in can be forgotten. */
static bool
can_take_back(struct worker_lane *lane)
{
    if (lane->written)
        return false;
    buf_reset(&lane->page);
    return lane->spec.op != REQUEST_GET || lane->op->sink == NULL ||
           sink_restart(&lane->sink);
}

static bool
is_worth_it(struct worker_lane *lane, const struct request_outcome *o)
{
    const struct worker_config *c = lane->w->config;
    const struct request *request = &lane->request;
    struct retry_failure failure = {
        .error = request->x.error,
        .status = o->status,
        .code = o->code,
        .cut =
            o->status < 300 && request->document && !request->answer.complete,
        .repeatable = is_repeatable(lane),
    };

    if (o->ok || lane->retried >= c->retries)
        return false;
    /* A transport that did its work and is blamed all the same: the length
     * is another one, and will be the next time. */
    if (failure.error == EXCHANGE_OK && o->transport != NULL)
        return false;
    switch (retry_judge(&failure)) {
    case RETRY_YES:
        return can_take_back(lane);
    case RETRY_ONCE:
        return lane->retried == 0 && can_take_back(lane);
    case RETRY_NO:
        break;
    }
    return false;
}

bool
worker_try_again(struct worker_lane *lane, struct record *r,
                 const struct request_outcome *o, int64_t *resume_ns)
{
    struct worker *w = lane->w;
    const struct request *request = &lane->request;
    uint32_t stale = lane->attempt - lane->retried - lane->mended;

    if (request->x.error == EXCHANGE_STALE && stale < STALE_MAX &&
        (request->x.untouched || is_repeatable(lane))) {
        lane->resends = true;
        w->whole.resent++;
        w->inside.resent++;
        worker_log(w, r, lane->item.first, o->message, false);
    } else if (is_worth_it(lane, o)) {
        lane->retried++;
        *resume_ns = request->x.end_ns +
                     retry_wait_ns(&lane->backoff, lane->retried,
                                   request->retry_after[0] == '\0'
                                       ? RETRY_NONE
                                       : retry_parse_after(request->retry_after,
                                                           clock_wall()));
        r->again = true;
        worker_emit(w, r, lane->item.first, o->message, false);
    } else {
        return false;
    }
    lane->attempt++;
    return true;
}

void
worker_count_waiting(struct worker *w)
{
    const struct worker_config *c = w->config;

    for (size_t i = 0; i < w->lane_count; i++) {
        struct worker_lane *lane = &w->lanes[i];
        int64_t from_ns = c->rate_per_s > 0 ? lane->due_ns : lane->start_ns;
        struct record r = {.ok = false};

        worker_drop_probe(lane);
        if (!lane->goes_on)
            continue;
        memcpy(r.slices, lane->slices, sizeof r.slices);
        report_add_unfinished(&w->whole, &r);
        if (window_has_start(c->window, from_ns))
            report_add_unfinished(&w->inside, &r);
        if (lane->spec.op == REQUEST_GET && lane->op->sink != NULL)
            sink_finish(&lane->sink, false);
    }
}
