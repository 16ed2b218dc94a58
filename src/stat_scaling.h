/* SPDX-License-Identifier: MIT */
/*
 * What the parts of s3stat scaling share: throughput against concurrency,
 * a curve for each phase, target and size. Private to them.
 */
#ifndef S3PERF_STAT_SCALING_H
#define S3PERF_STAT_SCALING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "stat_compare.h"
#include "stats_usl.h"

/* Of a full frame (MTU 1500, TCP with time stamps) on Ethernet, what is
 * content: 1448 of 1538 bytes. */
#define SCALING_LINE_MOST (1448.0 / 1538)

/* All that was measured at one concurrency: geometric means. */
struct scaling_level {
    uint32_t lanes;
    size_t n; /* values */
    double ops_per_s, bytes_per_s; /* NaN: none */
    double p99_us; /* NaN: none, or more than was seen */
    uint32_t marks;
};

struct scaling_curve {
    struct compare_cell cell; /* without a concurrency */
    struct scaling_level *levels; /* owned; by lanes */
    size_t count;
    size_t best; /* the level of most operations per second */
    size_t knee, quickest; /* levels; SIZE_MAX: no p99 anywhere */
    bool fitted;
    struct stats_usl law;
};

struct scaling_options {
    double knee; /* as many times the best p99 */
    double confidence;
    double line_bits_per_s; /* 0: not known */
    const char *line_rate; /* as written */
    struct stat_list phases;
    bool points, json, tsv;
};

struct scaling {
    const struct scaling_options *options;
    struct compare_work work; /* where the values come from; no sides */
    struct scaling_curve *curves; /* owned */
    size_t count;
};

/* Make the curves of what was read. Returns: 0 or ENOMEM. */
int scaling_make(struct scaling *s);
void scaling_clear(struct scaling *s);

/* What share of the line's content the best level of a curve is; NaN. */
double scaling_line_share(const struct scaling *s,
                          const struct scaling_curve *c);

void scaling_print_text(const struct scaling *s);
/* Returns: 0 or a buffer's errno value. */
int scaling_add_tsv(struct buf *out, const struct scaling *s);
int scaling_add_points(struct buf *out, const struct scaling *s);
int scaling_add_json(struct buf *out, const struct scaling *s);

#endif
