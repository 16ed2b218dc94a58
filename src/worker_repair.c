/* SPDX-License-Identifier: MIT */
/* What a lane does about a refusal that says how to sign better, and about
 * a bucket that is there already. */
#include "config.h"

#include "worker_parts.h"

#include <stdio.h>
#include <string.h>

#include "clock.h"

/* --- another region, another host, another clock --- */

static void
add_text(struct request_outcome *o, const char *text)
{
    size_t n = strlen(o->message);

    snprintf(o->message + n, sizeof o->message - n, "%s%s", n > 0 ? "; " : "",
             text);
}

bool
worker_mend(struct worker_lane *lane, struct record *r,
            struct request_outcome *o)
{
    const struct worker_config *c = lane->w->config;
    const struct repair_route *route = lane->route;
    const struct repair_sent sent = {
        .bucket = lane->spec.bucket,
        .region = route != NULL ? route->region : worker_service(lane)->region,
        .home = lane->endpoint->endpoint,
        .endpoint = lane->spec.endpoint,
        .addressing = worker_service(lane)->addressing,
        .wall = clock_wall(),
    };
    struct repair_advice advice;

    if (o->ok)
        return false;
    repair_judge(c->repair, &advice, &lane->repairs, &lane->request, o->code,
                 &sent);
    if (advice.text[0] != '\0')
        add_text(o, advice.text);
    if (!advice.again)
        return false;
    lane->next_route = advice.route != NULL ? advice.route : route;
    lane->mended++;
    r->again = true;
    worker_emit(lane->w, r, lane->item.first, o->message, false);
    lane->attempt++;
    return true;
}

/* --- mb: is the bucket that exists one that can be used? --- */

bool
worker_probe(struct worker_lane *lane, const struct record *r,
             const struct request_outcome *o)
{
    if (lane->op->spec.op != REQUEST_CREATE_BUCKET || o->status != 409 ||
        (strcmp(o->code, "BucketAlreadyExists") != 0 &&
         strcmp(o->code, "BucketAlreadyOwnedByYou") != 0))
        return false;
    lane->probed.record = *r;
    lane->probed.index = lane->item.first;
    memcpy(lane->probed.message, o->message, sizeof lane->probed.message);
    lane->probing = true;
    lane->spec.op = REQUEST_HEAD_BUCKET;
    return true;
}

/* Hand on what mb itself came to, with what HEAD said as TEXT. */
static void
end_probe(struct worker_lane *lane, const char *text)
{
    struct worker_kept *kept = &lane->probed;
    size_t n = strlen(kept->message);

    snprintf(kept->message + n, sizeof kept->message - n, "%s%s",
             n > 0 && text[0] != '\0' ? "; " : "", text);
    lane->probing = false;
    lane->spec.op = lane->op->spec.op;
    worker_emit(lane->w, &kept->record, kept->index, kept->message, false);
}

void
worker_end_probe(struct worker_lane *lane)
{
    struct worker *w = lane->w;
    const struct exchange *x = &lane->request.x;
    struct request_outcome o;
    struct record r;
    char text[128];

    request_judge(&lane->request, &o);
    worker_fill_record(&r, lane, &o);
    r.op = "head";
    /* It is no operation that was asked for, so only the log has it. */
    window_finish(&w->books, w->config->window, lane->start_ns, x->end_ns);
    interval_finish(&w->intervals, x->end_ns, r.total_ns, INTERVAL_AGAIN, 0);
    worker_log(w, &r, lane->item.first, o.message, false);
    if (o.status == 0)
        snprintf(text, sizeof text, "HeadBucket failed: %s", o.transport);
    else
        snprintf(text, sizeof text, "HeadBucket answers %d%s%s: %s", o.status,
                 o.code[0] != '\0' ? " " : "", o.code,
                 o.ok ? "these keys can use it" : "these keys cannot use it");
    end_probe(lane, text);
}

void
worker_drop_probe(struct worker_lane *lane)
{
    if (lane->probing)
        end_probe(lane, "");
}
