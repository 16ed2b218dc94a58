/* SPDX-License-Identifier: MIT */
/*
 * Records to a summary, and the summary as text, JSON or a cell line.
 * Touches no network and keeps no record: memory is constant.
 */
#ifndef S3PERF_REPORT_H
#define S3PERF_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "clock.h"
#include "histogram.h"
#include "host.h"
#include "interval.h"
#include "record.h"
#include "stop.h"
#include "transport.h"
#include "window.h"

#define REPORT_SUMMARY_FORMAT "s3perf-summary 1"
#define REPORT_CELLS_FORMAT "s3perf-cells 1"
#define REPORT_FAILURES_MAX 64 /* kinds kept apart; later ones share a row */
#define REPORT_MESSAGE_SIZE 256

enum report_stage {
    STAGE_LOOKUP,
    STAGE_CONNECT,
    STAGE_TLS,
    STAGE_SENT,
    STAGE_FIRST,
    STAGE_BODY,
    STAGE_COUNT
};

/* What a slice's operations have in common: its own numbers stand beside the
 * total. */
enum report_by {
    REPORT_BY_OPERATION,
    REPORT_BY_SIZE,
    REPORT_BY_ENDPOINT,
    REPORT_BY_COUNT
};

struct report_slice {
    enum report_by by;
    const char *name; /* "get", "1 MiB", a URL; not owned */
    uint32_t concurrency; /* lanes that work on it alone; 0: it shares */
};

#define REPORT_SLICES_MAX 1024

/* Something that requests ask for or say besides: "checksum", "crc32c". */
struct report_fact {
    const char *name; /* at most 10 characters */
    const char *value;
};

/* What was asked; texts are not owned. */
struct report_asked {
    const char *program; /* "s3op" */
    const char *version;
    const char *command; /* the command line, no secrets are ever in it */
    const char *op; /* "put" */
    const char *phase; /* the op, unless a driver names it otherwise */
    const char *bucket, *key; /* "" when there is none */
    const char *endpoint; /* URL */
    const char *region;
    const char *addressing; /* "path" or "virtual" */
    const char *payload_hash; /* "signed", "unsigned", ... */
    uint64_t size; /* bytes per object, 0 when it does not apply; their mean
                      when sizes differ */
    const char *sizes; /* how they differ; NULL: they do not */
    uint64_t count; /* operations asked for; UINT64_MAX: no limit */
    uint32_t concurrency;
    uint32_t threads;
    uint32_t retries; /* further attempts an operation may have */
    int64_t duration_ns, warmup_ns; /* 0: none */
    double rate_per_s; /* open loop; 0: closed */
    double line_bits_per_s; /* of the network; 0: not known */
    const char *arrivals; /* "constant" or "poisson"; NULL: closed loop */
    const char *payload; /* "random", "zero", "text" or a file's name; NULL:
                            no content is generated */
    uint32_t compressible; /* percent */
    const char *transport; /* its name and version; NULL: none */
    const struct host *host; /* the client's machine; NULL: not known */
    const char *connection; /* "reuse", "new" or "new-tls" */
    char machine[17]; /* what a ceiling holds for: see ceiling.h; "" */
    double ceiling_ops_per_s; /* what the client reaches here against a server
                                 that does nothing; 0: not known */
    uint64_t seed;
    const char *endpoint_select; /* how one of several was chosen; NULL: there
                                    is one */
    const struct report_slice *slices; /* not owned; those of one kind side by
                                          side */
    uint32_t slice_count;
    const struct report_fact *facts;
    uint32_t fact_count;
    bool insecure; /* TLS was not verified: every output says so */
    const char *hist; /* the file with the histograms; NULL: none */
    const char *verify; /* NULL: not asked; "after" the clock stopped or
                           "inline", its cost inside the times */
    char started[CLOCK_ISO_SIZE];
};

/* One kind of failure: HTTP status x S3 code x transport error. */
struct report_failure {
    int status;
    char code[RECORD_CODE_SIZE]; /* "" when none */
    const char *transport; /* static; NULL when none */
    uint64_t count;
    uint64_t retried; /* of these: attempts that another one followed */
    char message[REPORT_MESSAGE_SIZE]; /* of the first one; "" when none */
};

/* One worker process of a run that has several. */
struct report_worker {
    bool lost; /* it has died: the rest is not known */
    bool steady; /* its window opened */
    uint64_t ops, errors, good_bytes;
    double window_s, ops_per_s; /* NaN when not known */
    int64_t p50_ns, p99_ns; /* service time; -1 when it has none */
    int64_t lag_p99_ns; /* likewise */
    double cpu_us_per_op;
};

/* What a run did whose window leaves something out: all of it. */
struct report_whole {
    uint64_t ops, errors, wire_bytes;
    uint64_t retried; /* attempts that failed and were repeated */
    uint64_t resent; /* attempts that met a dead connection */
    uint64_t unfinished; /* operations given up at the end */
};

/* What looking for a warm-up found. */
enum report_warmup {
    REPORT_WARMUP_UNASKED,
    REPORT_WARMUP_NONE, /* it was steady from the start */
    REPORT_WARMUP_FOUND,
    REPORT_WARMUP_UNSETTLED /* it was too short, or never steady */
};

struct report {
    struct report_asked asked;
    uint64_t ops; /* succeeded: design 3.3 */
    uint64_t errors;
    uint64_t good_bytes, wire_bytes;
    uint64_t reused; /* successes on a connection already open */
    uint64_t resent; /* attempts that met a dead connection and were repeated */
    uint64_t retried; /* attempts that failed and were repeated as asked: among
                         the failures, but no errors */
    uint64_t late_hashes; /* payload hashes that lanes had to wait for */
    uint64_t entries; /* keys, prefixes or buckets listed; set by the caller */
    uint64_t verified, mismatched; /* bodies that were compared: those as
                                      uploaded, those that differ; counted
                                      by the caller */
    uint64_t verify_ns; /* spent on that; by the caller, too */
    int64_t first_start_ns, last_end_ns; /* the window of a counted run */
    int64_t window_ns; /* of a timed run; 0: first start to last end */
    bool not_steady; /* the window never opened: this is the whole run */
    bool has_whole; /* `whole` differs from this, since a window counts */
    struct report_whole whole;
    uint64_t unfinished; /* started in the window, given up at the end: longer
                            than anything seen */
    uint64_t unstarted; /* due in the window, never started: the same, for
                           response times */
    bool rate_missed; /* design 3.8 */
    uint64_t due, started; /* open loop: arrivals until the end */
    struct window_books books;
    struct transport_tls tls; /* of the whole run */
    uint32_t retransmits;
    uint64_t tcp_bytes, tcp_segments; /* of the whole run: see transport.h */
    uint64_t kernel_bytes; /* most that our sockets' buffers held */
    uint64_t max_rss_kib; /* most memory that this process had; 0: unknown */
    int64_t loop_ran_ns, loop_waited_ns; /* of the client's event loops: all
                                            their time, and that without
                                            anything to do */
    int64_t cpu_ns; /* of this process over the run; set by the caller, 0
                       when not known */
    struct histogram service; /* successes only */
    struct histogram response; /* the same, since they were due */
    struct histogram failed; /* latency of failures */
    struct histogram lag; /* how late the client's own loop was */
    struct histogram stages[STAGE_COUNT]; /* successes; a reused connection
                                             leaves lookup, connect, tls out */
    struct report_failure failures[REPORT_FAILURES_MAX];
    uint32_t failure_count;
    const struct stop_watch *stop; /* not owned; NULL: it had no rule */
    const char *stop_rule; /* as it was asked for */
    bool stop_missed; /* it was not met in time, and was no mere offer */
    enum report_warmup warmup; /* whether one was looked for and found */
    double warmup_s; /* since the start, when it was */
    struct interval_table *intervals; /* not owned; NULL: none */
    struct report *slices; /* asked.slice_count of them: what each is about
                              says its name; books, lag and CPU time are
                              only the total's */
    const struct report_worker *workers; /* not owned; NULL: one process */
    uint32_t worker_count;
    uint64_t *counts; /* private: memory of all histograms */
};

/* Returns: 0 or ENOMEM. Pair with report_clear(); safe twice. */
int report_init(struct report *r, const struct report_asked *asked);
void report_clear(struct report *r);

/* Count one record, also in its slices. MESSAGE is the server's or transport's
 * text, "" if none; kept for the first failure of its kind. Allocates nothing.
 */
void report_add(struct report *r, const struct record *record,
                const char *message);

/* The same for a record of which only a part lies in the window: its end
 * (RATE: counts and bytes), its start (LATENCY: times), or both. */
void report_add_part(struct report *r, const struct record *record,
                     const char *message, bool rate, bool latency);

/* Count RECORD's operation as given up: longer than anything seen. */
void report_add_unfinished(struct report *r, const struct record *record);

/* How evenly the slices of one kind share what was done; NaN when not known. */
struct report_spread {
    double jain; /* Jain's index of their rates */
    double rate; /* the lowest rate as a share of the highest */
    double time; /* the shortest median as a share of the longest */
};
void report_spread(struct report_spread *out, const struct report *r,
                   enum report_by by);

/* The name of slices of this kind in files: "operation", "size", ... */
extern const char *const report_by_names[REPORT_BY_COUNT];

#define REPORT_TLS_SIZE 64

/* The words for TLS, a version and a suite as transport_tls has them; "" for
 * none. */
void report_tls_name(char out[REPORT_TLS_SIZE], uint32_t tls);

void report_merge_tls(struct transport_tls *tls,
                      const struct transport_tls *from);

/* Add all of FROM, which has the same slices, to R, for one report per
 * thread; exact. */
void report_merge(struct report *r, const struct report *from);

/* First start to last end, in seconds; 0 without any operation. */
double report_window_s(const struct report *r);

/* Successes and their bytes per second of the window, CPU time of the
 * client per operation (failed ones included); NaN when not known. */
double report_ops_per_s(const struct report *r);
double report_bytes_per_s(const struct report *r);
double report_cpu_us_per_op(const struct report *r);

/* Whether lanes did fewer than ten operations each (design 3.5), or an open
 * loop fewer than 100 in all. */
bool report_is_few(const struct report *r);

/* The share of its time that the client's event loop had work; NaN when not
 * known. */
double report_loop_busy(const struct report *r);

/* The share of the client's ceiling that was reached; NaN when that is not
 * known. */
double report_ceiling_share(const struct report *r);

/* What the line carries beside bodies, as a share of them: HTTP, TLS, TCP, IP
 * and Ethernet, from what TCP says of bytes and segments. NaN: not known. */
double report_line_overhead(const struct report *r);

/* The share of the line's rate that bodies and their overhead take, both
 * directions together; NaN when the rate is not known. */
double report_line_share(const struct report *r);

/* Design 3.7: 80 % of the client's ceiling was reached, or the loop's median
 * lag is above 5 % of the median latency. Or the loop was busy for 90 % of its
 * time or more: answers then queue in the kernel, where no clock of ours sees
 * them wait. */
bool report_is_client_bound(const struct report *r);

/* Mean of operations in flight over the window, and the share of the lanes'
 * time in which they had one; NaN when not known, the share also in an open
 * loop, where lanes are only a limit. */
double report_in_flight(const struct report *r);
double report_busy_share(const struct report *r);

/* How far the integral of operations in flight is from the sum of the times
 * they took (Little's law): 0 when the books balance; NaN when not known. */
double report_imbalance(const struct report *r);

/*
 * Percentile P of H, to which CENSORED values are added that are larger than
 * any seen. *NS is the percentile; with SUPPORT_BEYOND, the maximum seen,
 * which it is above.
 */
enum report_support {
    REPORT_NONE = SUPPORT_NONE,
    REPORT_FEW = SUPPORT_FEW,
    REPORT_FULL = SUPPORT_FULL,
    REPORT_BEYOND
};
enum report_support report_percentile(const struct histogram *h,
                                      uint64_t censored, double p, int64_t *ns);

/* How many operations never came to STAGE, as far as is known: what was given
 * up counts as not having had its first byte. */
uint64_t report_stage_censored(const struct report *r, size_t stage);

/* The marks of design 5, separated by commas: "few,errors"; "-" for none. */
#define REPORT_MARKS_SIZE 128
void report_marks(char out[REPORT_MARKS_SIZE], const struct report *r);

/* ORDER becomes the indexes of r->failures, most frequent first. */
void report_order_failures(uint32_t order[REPORT_FAILURES_MAX],
                           const struct report *r);

/* Histogram number I of R, from 0, and what it is called in files; NULL
 * when there are no more. */
const struct histogram *report_histogram(const struct report *r, size_t i,
                                         const char **name);

/* All of them as the text of a file, "s3perf-hist 1". */
int report_add_histograms(struct buf *out, const struct report *r);

/* Whether a worker process has died. */
bool report_has_lost(const struct report *r);

/* "lookup", "connect", ...: names of the stages in files. */
extern const char *const report_stage_names[STAGE_COUNT];

/* The summary for people: at most 80 columns; a run with failures says so
 * on its first line. Returns 0 or a buffer's errno value, as below. */
int report_add_text(struct buf *out, const struct report *r);

/* The summary for programs: one object and a newline; schema in
 * doc/formats.md. Percentiles that the sample does not support are null. */
int report_add_json(struct buf *out, const struct report *r);

/* "#" lines (format, versions, command, seed, endpoint, start) and the
 * column names of a table whose FORMAT and COLUMNS line are given; a
 * newline at the end of COLUMNS is optional. */
int report_add_header(struct buf *out, const struct report_asked *asked,
                      const char *format, const char *columns);

/* The columns of cells.tsv, tab separated, without a newline. */
extern const char report_cell_columns[];

/* One line of cells.tsv with its newline; "-" where there is no value. */
int report_add_cell(struct buf *out, const struct report *r);

#endif
