/* SPDX-License-Identifier: MIT */
/*
 * What ended when: counters per interval of time, with a coarse histogram
 * each (within 0.8 %). Bounded: when there are too many intervals, two become
 * one. The result does not depend on the order of additions.
 */
#ifndef S3PERF_SERIES_H
#define S3PERF_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERIES_SUB 64u /* sub-buckets an octave */
#define SERIES_BUCKETS 2112u /* from 2^9 ns to above an hour */

struct series_row {
    uint64_t ops, errors, good_bytes, wire_bytes;
    double flight_ns; /* private: time in flight of what began or ended here */
    int64_t more; /* private: so many more are in flight all the time here
                     than in the row before */
    uint32_t *counts; /* of service times of `ops`, from bucket `from` on */
    uint16_t from, length; /* buckets that have memory */
};

struct series {
    int64_t width_ns; /* of an interval */
    int64_t first; /* row 0 begins at first x width */
    size_t count; /* rows in use */
    struct series_row *rows; /* owned */
    size_t size, most; /* rows that have memory; that may be */
    bool histograms;
    int64_t rest; /* private: `more` of the row behind the last */
};

/* At most MOST rows of WIDTH_NS, or more time each. */
void series_init(struct series *s, int64_t width_ns, size_t most,
                 bool histograms);
/* Safe twice. */
void series_clear(struct series *s);

/* What ended at AT_NS; SERVICE_NS is not used for errors. Returns: 0 or
 * ENOMEM. */
int series_add(struct series *s, int64_t at_ns, int64_t service_ns, bool ok,
               uint64_t good_bytes, uint64_t wire_bytes);

/* Count an operation as in flight from BEGIN_NS to END_NS. */
int series_add_flight(struct series *s, int64_t begin_ns, int64_t end_ns);

/* Operations in flight on average in each of the S->count rows. */
void series_flight(const struct series *s, double *mean);

/* Add FROM, of the same first width; both become as wide as the wider one. What
 * was in flight is not added. */
int series_merge(struct series *s, struct series *from);

/* The intervals that lie within FROM_NS and TO_NS, which may be beyond all:
 * *BEGIN is the number of the first, *END of the one behind the last. Interval
 * number I begins at I x width. */
void series_inside(const struct series *s, int64_t *begin, int64_t *end,
                   int64_t from_ns, int64_t to_ns);

/* Interval number I; one without anything where nothing ended. */
const struct series_row *series_at(const struct series *s, int64_t i);

/* Percentile P of a row's service times in ns; -1 when it has none. */
int64_t series_percentile(const struct series_row *row, double p);

/* How many of a row's operations took NS or less, about. */
double series_up_to(const struct series_row *row, int64_t ns);

#endif
