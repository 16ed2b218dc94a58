/* SPDX-License-Identifier: MIT */
/* What a run's workers are told: from options to their configuration. */
#include "config.h"

#include "run_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "payload.h"

#define DRAIN_NS (2 * CLOCK_NS_PER_S)
#define SIGNING_MAX (1u << 20)
#define SIGNATURE_SHOWN 8 /* characters of it, to tell one from another */

static void
print_trace(void *ctx, const char *line)
{
    char text[8300];

    (void) ctx;
    snprintf(text, sizeof text, "%s", line);
    request_mask(text);
    fprintf(stderr, "%s\n", text);
}

/* What `sign` prints, of a request that is about to be sent: so most of its
 * signature is not for others to see. */
static void
print_signing(const struct signer_result *result)
{
    size_t n = strlen(result->signature);
    struct buf text;
    int err;

    buf_init(&text, SIGNING_MAX);
    err = signer_explain(&text, result);
    if (err == 0)
        err = buf_addf(&text, "Authorization:\n%s\n\n", result->authorization);
    for (char *at = text.data;
         n > SIGNATURE_SHOWN && (at = strstr(at, result->signature)) != NULL;
         at += n)
        memset(at + SIGNATURE_SHOWN, '*', n - SIGNATURE_SHOWN);
    fputs(err == 0 ? text.data : "s3op: too long a request to show\n", stderr);
    buf_wipe(&text);
}

/* The LocationConstraint that is asked for: AWS refuses to be told its first
 * region. */
static const char *
choose_location(const struct options *o)
{
    if (o->location != NULL && (strcmp(o->location, "none") == 0 ||
                                strcmp(o->location, "us-east-1") == 0))
        return "";
    return o->location;
}

/* What a request of the kind OP has in common with all others. */
static void
fill_spec(struct request_spec *spec, const struct run *r, enum request_op op)
{
    const struct options *o = r->o;
    const struct target *t = &r->plan.targets[0];

    *spec = (struct request_spec){
        .op = op,
        .bucket = t->bucket,
        .expect_len = UINT64_MAX,
        .prefix = o->prefix != NULL        ? o->prefix
                  : request_is_listing(op) ? t->key
                                           : NULL,
        .delimiter = o->delimiter,
        .max_keys = (uint32_t) o->max_keys,
        .list_v1 = o->list_type == 1,
        .encode = o->encoding_type != NULL,
        .location = choose_location(o),
        .versioned = o->versioned,
        .append = o->append,
        .append_offset = o->append_offset,
        .version_id = o->version_id,
        .aspects = &r->service.aspects,
        .upload_id = o->upload_id,
        .part_number = (uint32_t) o->part_number,
        .source = {.bucket = r->plan.source.bucket,
                   .key = r->plan.source.key,
                   .version = o->source_version},
    };
}

/* The operation of the verb. */
static void
fill_op(struct run *r, struct worker_op *op)
{
    enum verb verb = r->o->verb;

    r->op_count = 1;
    *op = (struct worker_op){
        .name = options_verb_name(verb),
        .names_are_buckets = verb == VERB_MB || verb == VERB_RB,
        .source = r->has_source ? &r->source : NULL,
        .sink = r->has_sink ? &r->sink : NULL,
        .listing = r->results.listing,
        .pages = r->o->pages,
    };
    fill_spec(&op->spec, r, r->plan.op);
}

/* Those of a mix. Its copies and lists are of the same keys; a list is one
 * page. */
static void
fill_mix(struct run *r)
{
    static const enum request_op requests[MIX_KINDS] = {
        [MIX_GET] = REQUEST_GET,   [MIX_GET_RANGE] = REQUEST_GET,
        [MIX_HEAD] = REQUEST_HEAD, [MIX_PUT] = REQUEST_PUT,
        [MIX_RM] = REQUEST_DELETE, [MIX_LS] = REQUEST_LIST,
        [MIX_CP] = REQUEST_COPY,
    };
    const struct target *t = &r->plan.targets[0];

    for (int kind = 0; kind < MIX_KINDS; kind++) {
        struct worker_op *op = &r->ops[r->op_count];
        uint32_t slice = op->slice;

        if (r->o->mix.weights[kind] == 0)
            continue;
        *op = (struct worker_op){
            .name = mix_name((enum mix_kind) kind), .slice = slice, .pages = 1};
        fill_spec(&op->spec, r, requests[kind]);
        if (kind == MIX_PUT)
            op->source = &r->source;
        if (requests[kind] == REQUEST_GET)
            op->sink = &r->sink;
        op->spec.source.bucket = t->bucket;
        op->spec.source.key = t->key;
        r->op_count++;
    }
}

int
run_find_endpoints(struct run *r)
{
    const struct target *t = &r->plan.targets[0];
    int status = service_init(&r->service, r->o);

    if (status == 0)
        status = service_check_ca(&r->service, r->o);
    if (status == 0)
        status = service_check_route(&r->service, r->o);
    if (status == 0)
        status = service_spread(&r->service, r->o, t->bucket);
    /* Workers do not all begin with the same one. */
    if (status == 0 &&
        endpoints_choice_init(&r->choice, r->service.way,
                              (uint32_t) r->service.endpoints.count,
                              r->plan.share.number) != 0)
        status = complain(1, "out of memory");
    return status;
}

/* Endpoints that a lane keeps connections to. */
static size_t
destinations(const struct run *r)
{
    return r->service.way == ENDPOINTS_PER_LANE ? 1
                                                : r->service.endpoints.count;
}

/* Whether new connections may resume TLS sessions. */
static bool
resumes(const struct options *o)
{
    return strcmp(o->connection, "new-tls") != 0 &&
           (o->session_reuse == NULL || strcmp(o->session_reuse, "on") == 0);
}

static const char *
or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

static void
fill_config(struct run *r, struct worker_config *c)
{
    const struct options *o = r->o;
    bool large = r->has_source && r->source.size > SOURCE_SMALL;

    *c = (struct worker_config){
        .ops = r->ops,
        .op_count = r->op_count,
        .services = r->service.services,
        .service_count = r->service.service_count,
        .endpoints = r->service.places,
        .endpoint_count = (uint32_t) r->service.endpoints.count,
        .choice = &r->choice,
        .workload = &r->plan.workload,
        .seed = o->seed,
        .style = &r->style,
        .host_name = r->host.name,
        .rate_per_s = run_own_rate(r),
        .arrivals = o->arrivals,
        .share = r->plan.share,
        .pace_shift_ns = run_first_arrival(r),
        .interval_ns = o->interval_ns,
        .parts = plan_threads(&r->plan),
        .retries = (uint32_t) o->retries,
        .repair = &r->repair,
        .transport = transport_curl(),
        .engine = {.lanes = (size_t) plan_lanes(&r->plan),
                   .drain_ns = DRAIN_NS,
                   .stop = run_stop(),
                   .wake_fd = run_wake_fd(),
                   .ramp_ns = o->ramp_ns,
                   .think_ns = o->think_ns,
                   .transport = {.connect_timeout_ns = o->connect_timeout_ns,
                                 .timeout_ns = o->timeout_ns,
                                 .ca_file = r->service.ca_file,
                                 .cert_file = o->cert,
                                 .key_file = o->key,
                                 .resolves = o->resolves.items,
                                 .resolve_count = o->resolves.count,
                                 .interface = o->interface,
                                 .insecure = r->service.insecure,
                                 .destinations = destinations(r),
                                 .reuse = strcmp(o->connection, "reuse") == 0,
                                 .tls_resume = resumes(o),
                                 .tls_minor = r->service.tls.minor,
                                 .ciphers = or_null(r->service.tls.ciphers),
                                 .suites = or_null(r->service.tls.suites),
                                 .proxy = o->proxy,
                                 .large_upload = large,
                                 .large_download = o->verb == VERB_GET ||
                                                   o->verb == VERB_MIXED,
                                 .expect_100 = o->expect_100,
                                 .trace = o->verbose ? print_trace : NULL}},
    };
}

void
run_fill_worker(struct run *r, struct worker_config *c)
{
    if (r->plan.workload.pool != NULL)
        fill_mix(r);
    else
        fill_op(r, &r->ops[0]);
    fill_config(r, c);
    if (r->o->trace_signing)
        service_trace(&r->service, print_signing);
}
