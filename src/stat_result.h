/* SPDX-License-Identifier: MIT */
/*
 * What one input has to say: its records in groups, per operation and, if
 * asked for, per size, endpoint, host or interval of time.
 */
#ifndef S3PERF_STAT_RESULT_H
#define S3PERF_STAT_RESULT_H

#include "dist.h"
#include "intake.h"
#include "names.h"
#include "stat_select.h"
#include "stat_window.h"
#include "tally.h"

enum stat_by {
    STAT_BY_NOTHING,
    STAT_BY_SIZE, /* powers of two */
    STAT_BY_ENDPOINT,
    STAT_BY_HOST,
    STAT_BY_INTERVAL
};

#define STAT_GROUPS_MAX 512

struct stat_group {
    uint32_t op; /* number of its name */
    int64_t key; /* of what it is about; 0 of operations */
    char label[128]; /* the same for people; "" of operations */
    struct tally tally;
};

struct stat_result {
    const char *name; /* of the file, or of the first of several */
    enum intake_format format;
    struct stat_window window;
    struct intake_fact facts[INTAKE_FACTS_MAX]; /* of the first file */
    size_t fact_count;
    enum stat_by by;
    int64_t interval_ns;
    struct dist_pool pool;
    struct names ops, others; /* operations; hosts or endpoints */
    struct stat_group **ops_groups; /* owned; in order once it is done */
    size_t op_count;
    struct stat_group **parts; /* the same of --by */
    size_t part_count;
    bool timed; /* there is a time axis: records, not histograms */
    /* private */
    struct stat_group **slots; /* of parts, by hash */
    struct stat_group *last; /* part */
};

/* An interval of confidence, 95 %; NaN where it cannot be told. */
struct stat_interval {
    double low, high;
};

struct stat_confidence {
    struct stat_interval ops_per_s, bytes_per_s, p50_ns, p99_ns;
    size_t blocks; /* of time; 0: none, or from the order of values alone */
    double block_s; /* length of each */
    bool ranks; /* p50 and p99 are from the order of independent values */
};

/* Pair with stat_result_clear(); safe twice. */
void stat_result_init(struct stat_result *r, enum stat_by by,
                      int64_t interval_ns);
void stat_result_clear(struct stat_result *r);

/*
 * Read PATH and add it. PARTS: it is one of several of the same run, whose
 * window is then the whole run or what was asked for.
 * Returns: 0; or 2 with one line printed.
 */
int stat_result_read(struct stat_result *r, const char *path, bool parts,
                     const struct filter *filter,
                     const struct stat_window_asked *asked);

/* Put the groups in order; no more is added. */
void stat_result_finish(struct stat_result *r);

/* What the head of its first file says of NAME; NULL: nothing. */
const char *stat_result_fact(const struct stat_result *r, const char *name);

const char *stat_result_op(const struct stat_result *r,
                           const struct stat_group *g);

/* The group of operations that G is part of; itself if it is one. */
const struct stat_group *stat_result_whole(const struct stat_result *r,
                                           const struct stat_group *g);

/* The window of G: that of its operation; of an interval, that. */
void stat_result_window(int64_t *from_ns, int64_t *to_ns,
                        const struct stat_result *r,
                        const struct stat_group *g);

/* Its length in seconds; 0 without one. */
double stat_result_window_s(const struct stat_result *r,
                            const struct stat_group *g);

/* N over the window; NaN when that is 0. */
double stat_result_rate(const struct stat_result *r, const struct stat_group *g,
                        double n);

/* Lanes: as asked for, else those seen. */
uint64_t stat_result_lanes(const struct stat_result *r,
                           const struct stat_group *g);

/* Whether a lane did fewer than ten operations (design 3.5), in an open loop
 * all fewer than 100. */
bool stat_result_is_few(const struct stat_result *r,
                        const struct stat_group *g);

void stat_result_confidence(struct stat_confidence *c,
                            const struct stat_result *r, struct stat_group *g);

/* The fastest, the median and the slowest of the intervals inside the
 * window. */
struct stat_extremes {
    size_t count; /* of intervals; below 3 the rest is not set */
    double width_s;
    bool by_bytes; /* which rate they are ordered by */
    struct {
        double ops_per_s, bytes_per_s;
    } fastest, median, slowest;
};
void stat_result_extremes(struct stat_extremes *e, const struct stat_result *r,
                          const struct stat_group *g);

#endif
