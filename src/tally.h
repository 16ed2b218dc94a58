/* SPDX-License-Identifier: MIT */
/*
 * Everything that is counted of a group of records: numbers, bytes, times,
 * kinds of failures, what happened when. Tallies of parts add up to that of
 * the whole, in any order.
 */
#ifndef S3PERF_TALLY_H
#define S3PERF_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "dist.h"
#include "record_view.h"
#include "series.h"

enum tally_time {
    TALLY_SERVICE,
    TALLY_RESPONSE,
    TALLY_FAILED, /* service time of failures */
    TALLY_LOOKUP, /* moments since the start, of successes */
    TALLY_CONNECT,
    TALLY_TLS,
    TALLY_SENT,
    TALLY_FIRST,
    TALLY_BODY,
    TALLY_VERIFY,
    TALLY_TIMES
};

/* "service", "response", ... */
extern const char *const tally_time_names[TALLY_TIMES];

#define TALLY_FAILURES_MAX 64 /* kinds kept apart; later ones share one */
#define TALLY_TEXT_SIZE 64
#define TALLY_LANES_MAX 65536u /* lanes that are told apart */
#define TALLY_MOMENTS 64u /* of the run, for intervals of confidence */

/* HTTP status x S3 code x transport error. */
struct tally_failure {
    uint32_t status;
    char code[TALLY_TEXT_SIZE], transport[TALLY_TEXT_SIZE]; /* "" for none */
    uint64_t count;
    int64_t first_ns, last_ns; /* ends of the first and of the last one */
    struct dist times; /* service */
};

/* What of the run counts. */
struct tally_window {
    int64_t from_ns, to_ns; /* INT64_MIN, INT64_MAX: all */
    bool by_due; /* latencies of what was due inside, not started */
};

struct tally {
    uint64_t ops; /* that succeeded */
    uint64_t failed; /* attempts that did not */
    uint64_t again; /* attempts beyond the first: of `failed`, so many were
                       repeated */
    uint64_t unfinished; /* given up at the end: longer than any seen */
    uint64_t good_bytes, wire_bytes, objects, reused;
    uint64_t outside; /* records that count for nothing */
    int64_t first_start_ns, last_end_ns; /* of all, inside the window or not */
    double residence_ns; /* times in flight inside the window */
    uint64_t min_size, max_size; /* of successes */
    struct dist times[TALLY_TIMES];
    bool responds; /* response times differ from service times */
    struct tally_failure *failures; /* owned */
    uint32_t failure_count;
    struct series intervals; /* for people */
    struct series moments; /* for statistics; at most TALLY_MOMENTS */
    uint64_t *lanes; /* private: a bit each */
};

/* INTERVAL_NS wide intervals; LIGHT: neither them nor moments. Returns: 0 or
 * ENOMEM. Pair with tally_clear(); safe twice. */
int tally_init(struct tally *t, struct dist_pool *pool, int64_t interval_ns,
               bool light);
void tally_clear(struct tally *t);

/* Returns: 0 or ENOMEM, as below. */
int tally_add(struct tally *t, const struct record_view *v,
              const struct tally_window *w);
int tally_merge(struct tally *t, struct tally *from);

/* Operations that failed in the end. */
uint64_t tally_errors(const struct tally *t);

/* Lanes that were seen. */
uint32_t tally_lanes(const struct tally *t);

/* The distribution of WHICH, and how many more values are known to be larger
 * than all of it. */
struct dist *tally_times(struct tally *t, enum tally_time which,
                         uint64_t *censored);

/* ORDER becomes the indexes of failures, most frequent first. */
void tally_order_failures(uint32_t order[TALLY_FAILURES_MAX],
                          const struct tally *t);

#endif
