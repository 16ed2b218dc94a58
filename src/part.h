/* SPDX-License-Identifier: MIT */
/*
 * What one worker process saw of a run, to and from a file ("s3perf-part
 * 1", doc/formats.md), and how such parts add up to one report.
 */
#ifndef S3PERF_PART_H
#define S3PERF_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "interval.h"
#include "report.h"

#define PART_FORMAT "s3perf-part 1"
#define PART_MAX_BYTES ((size_t) 64 << 20)
#define PART_NEVER INT64_MAX

struct part {
    uint32_t number, of; /* worker NUMBER, from 0, of so many */
    int64_t begin_ns; /* CLOCK_MONOTONIC of its machine */
    int64_t open_ns, close_ns; /* the window, since begin_ns; PART_NEVER: it
                                  did not open, there is no deadline */
    int64_t ended_ns; /* since begin_ns */
    bool timed; /* the run has a window */
    bool stopped; /* by a signal */
    int err; /* the tool itself failed */
    int write_err, log_err; /* results, records could not be written */
    const char *verify; /* static: NULL, "after" or "inline" */
    struct report whole; /* everything */
    struct report inside; /* what the window counts, when `timed` */
    struct interval_table intervals;
};

/* An empty part of the run that ASKED describes. Returns: 0 or ENOMEM.
 * Pair with part_clear() in any case; safe twice. */
int part_init(struct part *p, const struct report_asked *asked,
              int64_t interval_ns);
void part_clear(struct part *p);

/* Add P as text. Returns 0 or a buffer's errno value. */
int part_add_text(struct buf *out, const struct part *p);

/*
 * Fill P, which is empty, from TEXT.
 * Returns: NULL, or a static text that says what is wrong, *NUMBER then
 *          being the line that is to blame, and P only fit to be cleared.
 */
const char *part_parse(struct part *p, const char *text, uint64_t *number);

/*
 * Add PARTS, which began at one moment, to the empty REPORT and its
 * INTERVALS, as if one process had seen it all. The window is that of
 * design 3.5: when a part's did not open, or all ended before the deadline,
 * the whole run counts. Windows that differ in length make a window in
 * which the sum of the parts' rates gives the sum of their operations.
 */
void part_conclude(struct report *report, struct interval_table *intervals,
                   struct part *parts, uint32_t count);

/* The length of P's own window; 0: none. */
int64_t part_window_ns(const struct part *p);

#endif
