/* SPDX-License-Identifier: MIT */
/* A run with worker processes: starts them, adds up what they saw. */
#include "config.h"

#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "complain.h"
#include "fanout.h"
#include "run_parts.h"

#define LINES_MAX ((size_t) 4 << 20) /* of endpoints */

struct fan {
    struct run *r;
    struct fanout fanout;
    struct part *parts; /* of those that are done, `part_count` of them */
    uint32_t part_count;
    struct report_worker *workers; /* of all */
    uint32_t *owners; /* whose the parts are */
};

/* --- before --- */

/* Bytes of the file that each put sends. */
static int
measure_file(const char *path, uint64_t *size)
{
    struct stat st;

    if (path == NULL)
        return 0;
    if (stat(path, &st) != 0)
        return complain(2, "cannot read '%s': %s", path, strerror(errno));
    *size = S_ISREG(st.st_mode) ? (uint64_t) st.st_size : 0;
    return 0;
}

static int
prepare(struct run *r, const char *command)
{
    const struct options *o = r->o;
    struct report_asked asked;
    uint64_t file_size = 0;
    int status = fanout_check();

    if (status == 0)
        status = run_find_endpoints(r);
    if (status == 0)
        status = run_tell_apart(r);
    if (status == 0)
        status = measure_file(o->file, &file_size);
    if (status == 0)
        status = results_open(&r->results);
    if (status != 0)
        return status;
    host_look(&r->host, true);
    run_describe(r, &asked);
    asked.command = command;
    if (o->file != NULL)
        asked.size = file_size;
    status = run_find_ceiling(r, &asked);
    if (status != 0)
        return status;
    if (report_init(&r->report, &asked) != 0 ||
        interval_init(&r->intervals, o->interval_ns) != 0)
        return complain(1, "out of memory");
    return 0;
}

/* --- after --- */

/* Read all of PATH. */
static int
read_file(struct buf *out, const char *path)
{
    FILE *file = fopen(path, "re");
    char chunk[65536];
    size_t n;
    int err = 0;

    if (file == NULL)
        return errno;
    while (err == 0 && (n = fread(chunk, 1, sizeof chunk, file)) > 0)
        err = buf_add(out, chunk, n);
    if (err == 0 && ferror(file))
        err = EIO;
    fclose(file);
    return err;
}

/* Read the part of worker I; false, with one line printed, without one. */
static bool
read_part(struct fan *fan, uint32_t i)
{
    const struct report *report = &fan->r->report;
    struct part *part = &fan->parts[fan->part_count];
    const struct fanout_worker *w = &fan->fanout.workers[i];
    const char *why = NULL;
    uint64_t number = 0;
    char how[128];
    struct buf text;
    int err;

    if (!w->done) {
        fanout_explain(how, sizeof how, &fan->fanout, i);
        complain(1,
                 "worker %" PRIu32 " of %" PRIu32 " %s: what it did is missing",
                 i + 1, fan->fanout.count, how);
        return false;
    }
    buf_init(&text, PART_MAX_BYTES);
    err = read_file(&text, w->part);
    if (err == 0)
        err = part_init(part, &report->asked, fan->r->o->interval_ns);
    if (err == 0)
        why = part_parse(part, text.data, &number);
    if (err == 0 && why == NULL &&
        (part->number != i || part->of != fan->fanout.count))
        why = "is the file of another worker";
    buf_clear(&text);
    if (err != 0)
        complain(1, "worker %" PRIu32 ": cannot read its part: %s", i + 1,
                 strerror(err));
    else if (why != NULL)
        complain(1, "worker %" PRIu32 ": line %" PRIu64 " of its part %s",
                 i + 1, number, why);
    if (err != 0 || why != NULL) {
        part_clear(part);
        return false;
    }
    fan->owners[fan->part_count++] = i;
    return true;
}

/* The status for a worker that is lost: its own, when it said why. */
static int
lost_status(const struct fanout_worker *w)
{
    return w->seen && w->signal == 0 && w->status >= 2 && w->status <= 4
               ? w->status
               : 1;
}

/* What worker I alone did, as the conclusion sees it. */
static void
describe_worker(struct report_worker *out, struct part *p, bool whole)
{
    struct report *view = whole ? &p->whole : &p->inside;

    if (!whole)
        view->window_ns = part_window_ns(p);
    *out = (struct report_worker){
        .steady = !p->timed || p->open_ns != PART_NEVER,
        .ops = view->ops,
        .errors = view->errors,
        .good_bytes = view->good_bytes,
        .window_s = report_window_s(view),
        .ops_per_s = report_ops_per_s(view),
        .p50_ns = histogram_percentile(&view->service, 0.5),
        .p99_ns = histogram_supports(view->service.count, 0.99) != SUPPORT_NONE
                      ? histogram_percentile(&view->service, 0.99)
                      : -1,
        .lag_p99_ns = histogram_percentile(&view->lag, 0.99),
        .cpu_us_per_op = report_cpu_us_per_op(view),
    };
}

/* Add up the parts. Returns the tool's own first failure, or 0. */
static int
add_up(struct fan *fan)
{
    struct run *r = fan->r;
    const struct options *o = r->o;
    int err = 0;

    interval_begin(&r->intervals, 0);
    part_conclude(&r->report, &r->intervals, fan->parts, fan->part_count);
    r->report.workers = fan->workers;
    r->report.worker_count = fan->fanout.count;
    for (uint32_t i = 0; i < fan->part_count; i++) {
        struct part *p = &fan->parts[i];

        describe_worker(&fan->workers[fan->owners[i]], p,
                        r->report.window_ns == 0);
        if (err == 0)
            err = p->err;
        results_note(&r->results, p->write_err, o->output);
        results_note(&r->results, p->log_err, o->log);
        if (p->verify != NULL && (i == 0 || strcmp(p->verify, "inline") == 0))
            r->report.asked.verify = p->verify;
    }
    return err;
}

static void
merge_logs(struct fan *fan)
{
    struct results *results = &fan->r->results;
    int err;

    if (results->records == NULL)
        return;
    err = results_head(results);
    if (err == 0)
        err = fanout_merge_logs(&fan->fanout, results->records);
    results_note(results, err, fan->r->o->log);
}

/* Whether all that are not lost did their whole share; says so otherwise.
 * Those that were told to stop since others were lost did not have to. */
static bool
is_complete(const struct fan *fan, bool lost)
{
    int status = fan->fanout.parallel_status;
    bool complete = true;

    if (atomic_load(run_stop()) != 0)
        return true; /* we die of that signal */
    if (WIFSIGNALED(status)) {
        complain(1, "GNU parallel was killed by signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
        return false;
    }
    for (uint32_t i = 0; !lost && i < fan->part_count; i++) {
        if (!fan->parts[i].stopped)
            continue;
        complain(1,
                 "worker %" PRIu32 " of %" PRIu32 " was stopped by a signal "
                 "before it had done its share",
                 fan->owners[i] + 1, fan->fanout.count);
        complete = false;
    }
    return complete;
}

static int
conclude(struct fan *fan)
{
    struct run *r = fan->r;
    int status = 0, lost = 0, err;

    for (uint32_t i = 0; i < fan->fanout.count; i++) {
        fan->workers[i] = (struct report_worker){.lost = !read_part(fan, i),
                                                 .window_s = NAN,
                                                 .ops_per_s = NAN,
                                                 .p50_ns = -1,
                                                 .p99_ns = -1,
                                                 .lag_p99_ns = -1,
                                                 .cpu_us_per_op = NAN};
        if (fan->workers[i].lost && lost == 0)
            lost = lost_status(&fan->fanout.workers[i]);
    }
    if (!is_complete(fan, lost != 0) && lost == 0)
        lost = 1;
    if (fan->part_count == 0)
        return lost;
    err = add_up(fan);
    merge_logs(fan);
    results_write(&r->results);
    status = results_conclude(&r->results, err);
    return lost != 0 && status != 4 ? lost : status;
}

/* --- the run --- */

/* Names may have other addresses when a worker asks for them: tell it ours.
 * ARGS, of which *COUNT are used, gets what a worker needs to be told. */
static int
tell_endpoints(const struct fan *fan, char **args, int *count, char *path,
               size_t path_size)
{
    static char option[] = "--endpoint-file";
    const struct run *r = fan->r;
    struct buf lines;
    int err;

    if (!r->o->resolve_all)
        return 0;
    buf_init(&lines, LINES_MAX);
    snprintf(path, path_size, "%s/endpoints", fan->fanout.folder);
    err = endpoints_add_lines(&lines, &r->service.endpoints);
    if (err == 0)
        err = run_write_text(path, &lines);
    buf_clear(&lines);
    /* Options come first. */
    memmove(args + 3, args + 1, (size_t) (*count - 1) * sizeof *args);
    args[1] = option;
    args[2] = path;
    *count += 2;
    return err;
}

static int
start(struct fan *fan)
{
    const struct options *o = fan->r->o;
    char **args = calloc((size_t) o->argc + 2, sizeof *args);
    char path[FANOUT_PATH_SIZE];
    int count = o->argc, err;

    if (args == NULL)
        return ENOMEM;
    memcpy(args, o->argv, (size_t) o->argc * sizeof *args);
    err = tell_endpoints(fan, args, &count, path, sizeof path);
    if (err == 0)
        err = fanout_start(&fan->fanout, args, count);
    free(args);
    return err;
}

static int
fan_out(struct fan *fan)
{
    struct run *r = fan->r;
    uint32_t count = (uint32_t) r->o->workers;
    int err = fanout_open(&fan->fanout, count);

    fan->parts = calloc(count, sizeof *fan->parts);
    fan->workers = calloc(count, sizeof *fan->workers);
    fan->owners = calloc(count, sizeof *fan->owners);
    if (fan->parts == NULL || fan->workers == NULL || fan->owners == NULL)
        err = ENOMEM;
    fan->fanout.stop = run_stop();
    fan->fanout.wake_fd = run_wake_fd();
    if (err == 0)
        err = start(fan);
    if (err == 0)
        err = fanout_wait(&fan->fanout);
    if (err != 0)
        return complain(1, "cannot start the workers: %s", strerror(err));
    return conclude(fan);
}

int
run_workers(struct run *r, const char *command)
{
    struct fan fan = {.r = r};
    int status = prepare(r, command);

    if (status != 0)
        return status;
    run_catch_signals();
    status = fan_out(&fan);
    for (uint32_t i = 0; i < fan.part_count; i++)
        part_clear(&fan.parts[i]);
    r->report.workers = NULL;
    free(fan.parts);
    free(fan.workers);
    free(fan.owners);
    fanout_clear(&fan.fanout);
    return status;
}
