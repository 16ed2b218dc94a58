/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "afford.h"
#include "complain.h"
#include "plan.h"
#include "results.h"
#include "service.h"
#include "version.h"
#include "crew.h"
#include "progress.h"
#include "run_parts.h"
#include "units.h"

#define HASH_NOTICE_BYTES 4e9 /* about 3 s of hashing */

static atomic_int stop; /* the signal that came, or 0; read by all threads */
static int wake_fd = -1; /* becomes readable when it comes */

/* --- signals --- */

static void
on_signal(int number)
{
    const uint64_t one = 1;
    int err = errno;

    if (stop != 0) { /* a second one ends at once */
        signal(number, SIG_DFL);
        raise(number);
    }
    stop = number;
    if (wake_fd >= 0 && write(wake_fd, &one, sizeof one) < 0)
        _exit(128 + number); /* the loops would not notice */
    errno = err;
}

const atomic_int *
run_stop(void)
{
    return &stop;
}

int
run_wake_fd(void)
{
    return wake_fd;
}

void
run_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};

    if (wake_fd < 0)
        wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int
run_take_signal(void)
{
    int number = atomic_exchange(&stop, 0);
    uint64_t drained;

    if (number != 0 && wake_fd >= 0 &&
        read(wake_fd, &drained, sizeof drained) < 0)
        return number; /* nothing was to be drained, then */
    return number;
}

void
run_die_of(int number)
{
    if (number == 0)
        return;
    fflush(NULL);
    signal(number, SIG_DFL);
    raise(number);
}

/* --- bodies --- */

/* What generated content is like. */
static int
choose_style(struct run *r)
{
    const struct options *o = r->o;
    int err;

    r->style.percent = (uint32_t) o->compressible;
    if (payload_parse_form(&r->style.form, o->payload))
        return 0;
    err = source_init_file(&r->repeated, o->payload, false);
    if (err != 0)
        return complain(2, "cannot read the payload '%s': %s", o->payload,
                        strerror(err));
    if (r->repeated.size == 0)
        return complain(2, "the payload '%s' is empty", o->payload);
    r->style.form = PAYLOAD_REPEAT;
    r->style.bytes = r->repeated.bytes;
    r->style.len = r->repeated.size;
    return 0;
}

static int
open_source(struct run *r)
{
    const struct options *o = r->o;
    bool sign = r->service.request.sign_payload;
    int err = 0;

    if (!plan_uploads(o))
        return 0;
    if (o->file != NULL)
        err = source_init_file(&r->source, o->file, sign);
    else
        source_init(&r->source, o->size, sign);
    if (err != 0)
        return complain(2, "cannot read '%s': %s", o->file, strerror(err));
    r->has_source = true;
    r->plan.workload.size = r->source.size;
    if (request_trailer(&r->service.request) == CHECKSUM_NONE)
        source_want_sums(&r->source, r->service.request.checksum);
    return 0;
}

static int
open_sink(struct run *r)
{
    const struct options *o = r->o;
    bool many = o->count != OPTIONS_UNSET;
    uint64_t size = UINT64_MAX;
    int err;

    if (!plan_downloads(o) && (o->verb != VERB_PUT || o->output == NULL))
        return 0;
    if (o->verb == VERB_GET)
        size = plan_body_size(o);
    err = sink_init(&r->sink, o->verify, o->output, many && o->output != NULL,
                    r->plan.workload.count, size);
    r->has_sink = true;
    return err == 0 ? 0
                    : complain(4, "cannot write to '%s': %s", o->output,
                               strerror(err));
}

static int
open_bodies(struct run *r)
{
    int status;

    r->plan.workload.size = r->o->size; /* of a download: what is expected */
    status = open_source(r);
    return status == 0 ? open_sink(r) : status;
}

/* --- the run --- */

/* What -c says, also where there are fewer operations. */
static uint32_t
wished_lanes(const struct run *r)
{
    if (r->o->concurrency != OPTIONS_UNSET)
        return (uint32_t) r->o->concurrency;
    return r->o->rate_per_s > 0 ? (uint32_t) plan_lanes(&r->plan) : 1;
}

/* Bytes per operation, on average; 0 when that is not known. */
static uint64_t
asked_size(const struct run *r)
{
    if (r->o->range != NULL && r->o->verb == VERB_GET &&
        r->o->offsets.length > 0)
        return r->o->offsets.length;
    if (r->plan.workload.sizes != NULL)
        return (uint64_t) (sizes_mean(r->plan.workload.sizes) + 0.5);
    if (r->has_source)
        return r->source.size;
    return r->o->size != OPTIONS_UNSET ? r->o->size : 0;
}

void
run_describe(struct run *r, struct report_asked *a)
{
    const struct options *o = r->o;
    const struct request_service *s = &r->service.request;
    const struct target *t = &r->plan.targets[0];

    run_collect_facts(r);
    *a = (struct report_asked){
        .program = "s3op",
        .version = S3PERF_VERSION,
        .op = options_verb_name(o->verb),
        .phase = o->phase != NULL ? o->phase : options_verb_name(o->verb),
        .bucket = t->bucket,
        .key = t->key,
        .endpoint = r->service.url.data,
        .region = s->region,
        .addressing =
            endpoint_is_virtual(&s->endpoint, s->addressing, t->bucket)
                ? "virtual"
                : "path",
        .payload_hash = request_payload_name(s),
        .size = asked_size(r),
        .sizes = r->plan.workload.sizes != NULL ? o->size_text : NULL,
        .count = r->plan.workload.count,
        .concurrency = wished_lanes(r),
        .threads = plan_threads(&r->plan),
        .retries = (uint32_t) o->retries,
        .duration_ns = o->duration_ns,
        .warmup_ns = o->warmup_ns,
        .rate_per_s = o->rate_per_s,
        .line_bits_per_s = o->line_rate,
        .compressible = (uint32_t) o->compressible,
        .transport = transport_curl()->name,
        .host = &r->host,
        .connection = o->connection,
        .seed = o->seed,
        .endpoint_select = r->service.endpoints.count > 1
                               ? endpoints_way_name(r->service.way)
                               : NULL,
        .slices = r->slices,
        .slice_count = r->slice_count,
        .hist = o->hist,
        .facts = r->facts,
        .fact_count = r->fact_count,
        .insecure = r->service.insecure && s->endpoint.tls,
    };
    if (o->rate_per_s > 0)
        a->arrivals = o->arrivals == PACE_POISSON ? "poisson" : "constant";
    if ((r->has_source && o->file == NULL) || o->verify)
        a->payload = o->payload;
    if (o->verb == VERB_GET && o->checksum != NULL)
        a->verify = "inline";
    if (o->verify)
        a->verify = r->sink.mode == SINK_KEEP ? "after" : "inline";
    clock_format_iso(a->started, clock_wall());
}

int
run_find_ceiling(const struct run *r, struct report_asked *asked)
{
    const char *path = r->o->ceiling;
    char usual[4096];
    int err;

    if (r->results.plain || r->o->share != NULL)
        return 0;
    ceiling_machine(asked->machine, &r->host, asked->version);
    if (path != NULL && strcmp(path, "none") == 0)
        return 0;
    if (path == NULL && !ceiling_default_path(usual, sizeof usual))
        return 0;
    err = ceiling_look(asked, path != NULL ? path : usual);
    if (err != 0 && path != NULL)
        return complain(2, "cannot use the ceilings in '%s': %s", path,
                        err == EINVAL ? "they are not s3perf's"
                                      : strerror(err));
    return 0;
}

/* The journal's thread must not be the one to take SIGINT. */
static int
open_journal(const struct run *r, struct journal **journal)
{
    struct journal_config config = {
        .out = r->results.records,
        .json = r->o->json && r->results.plain,
        .names = &r->plan.workload,
        .names_are_buckets = r->o->verb == VERB_MB || r->o->verb == VERB_RB,
        .addressing = r->report.asked.addressing,
        .payload_hash = r->report.asked.payload_hash,
    };
    sigset_t blocked, before;
    int err;

    sigfillset(&blocked);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    err = journal_open(journal, &config);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

/* Say it when hashing will take long. */
static void
announce_hashing(const struct run *r)
{
    double bodies = (double) workload_different(&r->plan.workload);
    double bytes = (double) r->report.asked.size;

    if (!r->has_source || r->source.bytes != NULL ||
        (!r->source.sign && r->source.sum == CHECKSUM_NONE))
        return;
    if (payload_is_alike(&r->style))
        bodies = 1;
    if (bodies > (double) SOURCE_HASHES_MAX)
        complain(0, "payload hashes are made during the run, by a thread of "
                    "their own; --objects makes them before, --payload-hash "
                    "unsigned without --checksum needs none");
    else if (bytes * bodies > HASH_NOTICE_BYTES)
        complain(0, "hashing the payload before the clock starts; "
                    "--payload-hash unsigned without --checksum skips this");
}

static enum window_kind
choose_window(const struct options *o)
{
    if (o->duration_ns == 0)
        return WINDOW_WHOLE;
    return o->rate_per_s > 0 ? WINDOW_TIMED : WINDOW_STEADY;
}

static int
operate(struct run *r)
{
    const struct options *o = r->o;
    struct progress progress;
    struct crew_config crew = {.kind = choose_window(o),
                               .warmup_ns = o->warmup_ns,
                               .duration_ns = o->duration_ns};
    struct journal *journal = NULL;
    int err = 0;

    run_fill_worker(r, &crew.worker);
    progress_init(&progress,
                  o->quiet && o->progress == NULL ? "none" : o->progress,
                  r->report.asked.phase);
    if (progress.form != PROGRESS_NONE && !r->results.plain) {
        crew.show = progress_show;
        crew.ctx = &progress;
    }
    announce_hashing(r);
    if (r->report.asked.insecure && r->results.plain && !o->quiet)
        complain(0, "TLS is not verified: the server may be anyone");
    if (o->start_at != NULL)
        err = run_join_others(r, &crew);
    if (err == 0 && r->results.records != NULL) {
        err = results_head(&r->results);
        if (err == 0)
            err = open_journal(r, &journal);
        crew.worker.journal = journal;
    }
    if (err == 0)
        err = run_to_end(r, &crew);
    progress_clear(&progress);
    r->part.log_err = journal_close(journal);
    results_note(&r->results, r->part.write_err, o->output);
    results_note(&r->results, r->part.log_err,
                 o->log != NULL ? o->log : "the record");
    return err;
}

static int
prepare(struct run *r, const char *command)
{
    struct report_asked asked;
    int status = run_find_endpoints(r);

    if (status == 0)
        status = run_tell_apart(r);
    if (status == 0)
        status = afford_check(&r->plan, &r->service);
    if (status == 0)
        status = choose_style(r);
    if (status == 0)
        status = open_bodies(r);
    if (status == 0)
        status = results_open(&r->results);
    if (status != 0)
        return status;
    host_look(&r->host, !r->results.plain || r->o->log != NULL);
    run_describe(r, &asked);
    asked.command = command;
    status = run_find_ceiling(r, &asked);
    if (status != 0)
        return status;
    if (report_init(&r->report, &asked) != 0 ||
        interval_init(&r->intervals, r->o->interval_ns) != 0 ||
        part_init(&r->part, &asked, r->o->interval_ns) != 0)
        return complain(1, "out of memory");
    return 0;
}

int
run_stage(const struct options *o, const char *command)
{
    struct run r = {.o = o,
                    .results = {.o = o,
                                .report = &r.report,
                                .plain = plan_is_plain(o),
                                .cell_fd = -1}};
    struct options own = *o;
    int status;

    if (o->share != NULL) {
        status = run_become_worker(&r, &own);
        if (status != 0)
            return status;
    }
    plan_init(&r.plan, r.o);
    repair_init(&r.repair, o->fix_clock);
    if (o->workers != OPTIONS_UNSET && o->share == NULL)
        status = run_workers(&r, command);
    else
        status = prepare(&r, command);
    if (status == 0 && (o->workers == OPTIONS_UNSET || o->share != NULL)) {
        run_catch_signals();
        status = run_finish(&r, operate(&r));
    }
    stop_watch_clear(&r.stop);
    part_clear(&r.part);
    report_clear(&r.report);
    interval_clear(&r.intervals);
    if (r.has_sink)
        sink_clear(&r.sink);
    if (r.has_source)
        source_clear(&r.source);
    source_clear(&r.repeated);
    endpoints_choice_clear(&r.choice);
    free(r.slices);
    free(r.size_names);
    service_clear(&r.service);
    plan_clear(&r.plan);
    repair_clear(&r.repair);
    return status;
}

int
run_check(const struct options *o)
{
    struct service service;
    struct plan plan;
    int status;

    plan_init(&plan, o);
    status = service_init(&service, o);
    if (status == 0)
        status = service_check_ca(&service, o);
    if (status == 0)
        status = service_check_route(&service, o);
    service_clear(&service);
    plan_clear(&plan);
    return status;
}

int
run_operations(const struct options *o, const char *command)
{
    struct sse_made key = {.made = false};
    int status = 0;

    if (options_need_key(o) && sse_make(&key) != 0)
        return complain(3, "no key for --sse c could be made");
    status = run_stage(o, command);
    sse_forget(&key);
    run_die_of(stop);
    return status;
}
