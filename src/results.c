/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "results.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "compress.h"
#include "exchange.h"

#define TEXT_MAX_BYTES (1u << 20)
#define HISTOGRAMS_MAX_BYTES (8u << 20)

/* Returns 0, or 4 with one line printed. */
static int
open_log(struct results *r)
{
    const char *path = r->o->log;
    bool packed = compress_wanted(path);
    int err = 0;

    if (packed) {
        err = compress_open(&r->records, path);
    } else {
        r->records = fopen(path, "we");
        if (r->records == NULL)
            err = errno;
    }
    if (err == 0)
        return 0;
    return complain(4, "cannot write '%s'%s: %s", path,
                    packed ? " through zstd" : "", strerror(err));
}

/* Whether lines of cells may follow what is in the file at PATH, open for
 * writing as FD: never after something else. Likewise. */
static int
check_cells(int fd, const char *path)
{
    static const char first[] = "# " REPORT_CELLS_FORMAT "\n";
    char line[sizeof first] = "";
    struct stat s;
    int in;
    ssize_t n = -1;

    if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size == 0)
        return 0;
    in = open(path, O_RDONLY | O_CLOEXEC);
    if (in >= 0)
        n = read(in, line, sizeof line - 1);
    if (n < 0)
        complain(4, "cannot read '%s': %s", path, strerror(errno));
    else if (strcmp(line, first) != 0)
        complain(4, "cannot append to '%s': it does not begin with '# %s'",
                 path, REPORT_CELLS_FORMAT);
    if (in >= 0)
        close(in);
    return n >= 0 && strcmp(line, first) == 0 ? 0 : 4;
}

/* Likewise. */
static int
open_tables(struct results *r)
{
    const struct options *o = r->o;

    if (o->hist != NULL) {
        r->hist = fopen(o->hist, "we");
        if (r->hist == NULL)
            return complain(4, "cannot write '%s': %s", o->hist,
                            strerror(errno));
    }
    if (o->cell != NULL) {
        r->cell_fd =
            open(o->cell, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
        if (r->cell_fd < 0)
            return complain(4, "cannot write '%s': %s", o->cell,
                            strerror(errno));
        return check_cells(r->cell_fd, o->cell);
    }
    return 0;
}

int
results_open(struct results *r)
{
    const struct options *o = r->o;
    bool taken = o->output != NULL && strcmp(o->output, "-") == 0;
    FILE *out = taken ? stderr : stdout;

    r->summary = out;
    r->records = r->plain ? out : NULL;
    if (o->log != NULL && strcmp(o->log, "-") == 0) {
        r->records = out;
        r->summary = stderr;
    } else if (o->log != NULL && open_log(r) != 0) {
        return 4;
    }
    if ((o->verb == VERB_LS || o->verb == VERB_CREATE_UPLOAD) &&
        o->output != NULL) {
        r->listing = taken ? stdout : fopen(o->output, "we");
        if (r->listing == NULL)
            return complain(4, "cannot write '%s': %s", o->output,
                            strerror(errno));
    }
    return open_tables(r);
}

void
results_note(struct results *r, int err, const char *what)
{
    if (err != 0 && r->write_err == 0) {
        r->write_err = err;
        r->write_what = what;
    }
}

/* Column names and "#" lines, before any record. */
int
results_head(struct results *r)
{
    bool file = r->o->log != NULL && strcmp(r->o->log, "-") != 0;
    struct buf text, columns;
    int err;

    if (r->records == NULL || r->silent || !(file || r->o->columns) ||
        (r->o->json && r->plain && !file))
        return 0;
    buf_init(&text, TEXT_MAX_BYTES);
    buf_init(&columns, 4096);
    err = record_add_columns(&columns);
    if (err == 0) {
        columns.data[columns.len - 1] = '\0'; /* report adds the newline */
        err = report_add_header(&text, &r->report->asked, RECORD_FORMAT,
                                columns.data);
    }
    errno = 0;
    if (err == 0 && (fwrite(text.data, 1, text.len, r->records) != text.len ||
                     fflush(r->records) != 0)) {
        err = errno != 0 ? errno : EIO;
        results_note(r, err, file ? r->o->log : "standard output");
    }
    buf_clear(&text);
    buf_clear(&columns);
    return err;
}

/* --- what came of it --- */

static void
write_cell(struct results *r)
{
    struct buf text;
    int err = 0;

    buf_init(&text, TEXT_MAX_BYTES);
    /* Runs may share the file, and one of them writes the header. Where
     * there are no locks, that it is one write must do. */
    while (flock(r->cell_fd, LOCK_EX) != 0 && errno == EINTR)
        ;
    if (lseek(r->cell_fd, 0, SEEK_END) == 0)
        err = report_add_header(&text, &r->report->asked, REPORT_CELLS_FORMAT,
                                report_cell_columns);
    if (err == 0)
        err = report_add_cell(&text, r->report);
    errno = 0;
    if (err == 0 &&
        write(r->cell_fd, text.data, text.len) != (ssize_t) text.len)
        err = errno != 0 ? errno : ENOSPC;
    /* Others take the line for what has been done; EINVAL: not a disk. */
    if (err == 0 && fdatasync(r->cell_fd) != 0 && errno != EINVAL)
        err = errno;
    (void) flock(r->cell_fd, LOCK_UN);
    results_note(r, err, r->o->cell);
    buf_clear(&text);
}

static void
write_summary(struct results *r)
{
    struct buf text;
    int err;

    buf_init(&text, TEXT_MAX_BYTES);
    err = r->o->json ? report_add_json(&text, r->report)
                     : report_add_text(&text, r->report);
    errno = 0;
    if (err == 0 && (fwrite(text.data, 1, text.len, r->summary) != text.len ||
                     fflush(r->summary) != 0))
        err = errno != 0 ? errno : EIO;
    results_note(r, err, "the summary");
    buf_clear(&text);
}

static void
write_histograms(struct results *r)
{
    struct buf text;
    int err;

    buf_init(&text, HISTOGRAMS_MAX_BYTES);
    err = report_add_histograms(&text, r->report);
    errno = 0;
    if (err == 0 && fwrite(text.data, 1, text.len, r->hist) != text.len)
        err = errno != 0 ? errno : EIO;
    results_note(r, err, r->o->hist);
    buf_clear(&text);
}

static void
close_all(struct results *r)
{
    if (r->records != NULL && r->records != stdout && r->records != stderr &&
        fclose(r->records) != 0)
        results_note(r, errno, r->o->log);
    if (r->listing != NULL &&
        (r->listing == stdout ? fflush(stdout) : fclose(r->listing)) != 0)
        results_note(r, errno, r->o->output);
    if (r->hist != NULL && fclose(r->hist) != 0)
        results_note(r, errno, r->o->hist);
    if (fflush(stdout) != 0)
        results_note(r, errno, "standard output");
    if (r->cell_fd >= 0 && close(r->cell_fd) != 0)
        results_note(r, errno, r->o->cell);
}

/* What a reader may do with a failure: where it was, how often. */
static int
add_notes(struct buf *line, const struct results *r,
          const struct report_failure *f)
{
    const char *hint = results_hint(r, f);
    int err = 0;

    if (f->status == 0)
        err = buf_addf(line, " (%s)", r->report->asked.endpoint);
    if (err == 0 && hint != NULL && f->retried < f->count)
        err = buf_addf(line, "; %s", hint);
    if (err == 0 && f->count > 1)
        err = buf_addf(line, " [%" PRIu64 " times]", f->count);
    if (err == 0 && f->retried > 0)
        err = f->retried == f->count
                  ? buf_adds(line, " [tried again]")
                  : buf_addf(line, " [%" PRIu64 " tried again]", f->retried);
    return err;
}

static int
add_failure(struct buf *line, const struct results *r,
            const struct report_failure *f)
{
    const struct options *o = r->o;
    int err = buf_addf(line, "%s %s", options_verb_name(o->verb),
                       o->target_count > 0 ? o->targets[0] : "s3://");

    if (err == 0 && o->verb == VERB_CP)
        err = buf_addf(line, " %s", o->targets[1]);
    if (err == 0)
        err = buf_adds(line, ": ");
    if (err == 0 && f->status != 0)
        err = buf_addf(line, "%d ", f->status);
    if (err == 0)
        err = buf_adds(line, f->code[0] != '\0'     ? f->code
                             : f->transport != NULL ? f->transport
                                                    : "failed");
    if (err == 0 && f->message[0] != '\0')
        err = buf_addf(line, ": %s", f->message);
    return err != 0 ? err : add_notes(line, r, f);
}

static void
explain_failures(const struct results *r)
{
    struct buf line;

    buf_init(&line, TEXT_MAX_BYTES);
    for (uint32_t i = 0; i < r->report->failure_count; i++) {
        buf_reset(&line);
        if (add_failure(&line, r, &r->report->failures[i]) != 0)
            continue;
        complain_clean(line.data);
        fprintf(stderr, "s3op: %s\n", line.data);
    }
    buf_clear(&line);
}

/* Whether F says that the endpoint was not reached, or that the keys are
 * no good; a HEAD that is denied cannot say which it is. */
static bool
is_no_entry(const struct report_failure *f, bool head)
{
    static const enum exchange_error early[] = {
        EXCHANGE_LOOKUP, EXCHANGE_CONNECT, EXCHANGE_CONNECT_TIMEOUT,
        EXCHANGE_TLS, EXCHANGE_CERTIFICATE};
    static const char *const codes[] = {"ExpiredToken", "InvalidAccessKeyId",
                                        "InvalidToken",
                                        "SignatureDoesNotMatch"};

    for (size_t i = 0; i < sizeof early / sizeof *early; i++)
        if (f->transport == exchange_error_name(early[i]))
            return true;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(f->code, codes[i]) == 0)
            return true;
    return head && f->status == 403;
}

/* Whether nothing at all could be done: endpoint or credentials unusable. */
static bool
is_shut_out(const struct report *report)
{
    if (report->ops > 0)
        return false;
    for (uint32_t i = 0; i < report->failure_count; i++)
        if (!is_no_entry(&report->failures[i],
                         strcmp(report->asked.op, "head") == 0))
            return false;
    return true;
}

void
results_write(struct results *r)
{
    if (r->o->cell != NULL)
        write_cell(r);
    if (r->o->hist != NULL)
        write_histograms(r);
    if (!r->plain && !r->silent)
        write_summary(r);
    close_all(r);
}

int
results_conclude(struct results *r, int err)
{
    if (!r->o->quiet)
        explain_failures(r);
    if (r->write_err != 0)
        return complain(4, "cannot write %s: %s",
                        strcmp(r->write_what, "-") == 0 ? "standard output"
                                                        : r->write_what,
                        r->write_err == EOVERFLOW
                            ? "records came faster than they could be written"
                            : strerror(r->write_err));
    if (err != 0)
        return complain(1, "the run ended early: %s", strerror(err));
    if (r->report->rate_missed)
        return complain(1,
                        "the rate was not delivered: %" PRIu64 " of %" PRIu64
                        " operations that were due could be started",
                        r->report->started, r->report->due);
    if (r->report->stop_missed && r->report->errors == 0)
        return complain(1, "--stop-when '%s' was not met within -d",
                        r->report->stop_rule);
    if (r->report->errors > 0)
        return is_shut_out(r->report) ? 3 : 1;
    return 0;
}
