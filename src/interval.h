/* SPDX-License-Identifier: MIT */
/*
 * What happened when: counters per interval of time, with a coarse
 * histogram each. Bounded: on long runs two intervals become one.
 * Threads: one writer; a reader takes the lock.
 */
#ifndef S3PERF_INTERVAL_H
#define S3PERF_INTERVAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define INTERVAL_MAX 512u /* intervals kept */
#define INTERVAL_SUB 16u /* sub-buckets an octave: within 3.2 % */
#define INTERVAL_BUCKETS 544u /* of the coarse histogram */

struct interval {
    uint64_t ops, errors;
    uint64_t good_bytes; /* of operations that ended here */
    uint64_t wire_bytes; /* that crossed here */
    double flight_ns; /* integral of operations in flight */
    uint32_t counts[INTERVAL_BUCKETS]; /* service times of `ops` */
};

struct interval_table {
    pthread_mutex_t lock;
    int64_t begin_ns, width_ns;
    uint32_t count; /* intervals in use */
    struct interval *rows; /* INTERVAL_MAX of them */
    uint64_t ops, errors; /* of all intervals */
    uint32_t in_flight;
    int64_t changed_ns; /* when in_flight changed last */
};

/* Returns: 0 or ENOMEM. WIDTH_NS above 0. */
int interval_init(struct interval_table *t, int64_t width_ns);
void interval_clear(struct interval_table *t);

/* The run begins; nothing may be added before. */
void interval_begin(struct interval_table *t, int64_t begin_ns);

void interval_take_up(struct interval_table *t, int64_t now_ns);
/* How an exchange ended; AGAIN: it failed and another attempt follows. */
enum interval_outcome {
    INTERVAL_ERROR,
    INTERVAL_OK,
    INTERVAL_AGAIN, /* another attempt follows: no outcome yet */
    INTERVAL_DROPPED /* given up when the run ended: none at all */
};

/* An operation of SERVICE_NS ended; BYTES are good ones. */
void interval_finish(struct interval_table *t, int64_t end_ns,
                     int64_t service_ns, enum interval_outcome outcome,
                     uint64_t bytes);
void interval_wire(struct interval_table *t, int64_t now_ns, uint64_t bytes);

/* Add FROM to T; both began at the same time. The wider width wins. */
void interval_merge(struct interval_table *t, struct interval_table *from);

/* The same, FROM being written meanwhile: row by row, so that its writer
 * waits for one of them at most. T may be wider already. */
void interval_merge_live(struct interval_table *t, struct interval_table *from);

/* Empty T, and let it begin and be as wide as LIKE is. */
void interval_forget(struct interval_table *t, struct interval_table *like);

/* Where a bucket begins, in nanoseconds. */
double interval_edge(uint32_t bucket);

/* Percentile P of a row's service times in ns; -1 when it has none. */
int64_t interval_percentile(const struct interval *row, double p);

/* Add what was counted until now to *OPS and *ERRORS. */
void interval_total(struct interval_table *t, uint64_t *ops, uint64_t *errors);

/* Add FROM's counters to TO's. */
void interval_add(struct interval *to, const struct interval *from);

/* Copy the last interval that is over at NOW_NS into OUT, and how wide it
 * is into *WIDTH_NS; false without one. For the live view. */
bool interval_last(struct interval_table *t, int64_t now_ns,
                   struct interval *out, int64_t *width_ns);

#endif
