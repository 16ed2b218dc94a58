/* SPDX-License-Identifier: MIT */
/*
 * Two sides of measured cells, and what may be said of their difference.
 * Knows no files: values come in, rows of verdicts come out.
 *
 * The evidence is a unit: a run (a night), or a repeat where there is but
 * one run a side. All values of a cell in one unit are one value (the mean
 * of their logarithms). Per phase, target and metric there is a row for the
 * whole, and one for each cell; stats_panel.h has the method. Rows of wholes
 * and rows of cells are two families, each corrected for the number of its
 * tests (stats_bh.h).
 */
#ifndef S3PERF_COMPARE_H
#define S3PERF_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats_compare.h"

#define COMPARE_METRICS_MAX 8

struct compare_metric {
    const char *name; /* a column of cells.tsv, or "success": the share of
                         operations that succeeded */
    bool more_is_better;
};

/* NULL when there is none of that name. */
const struct compare_metric *compare_find_metric(const char *name);

/* The names of all of them, one a call from I = 0 on; NULL at the end. */
const char *compare_metric_name(size_t i);

/* What two sides must have alike to be compared. */
struct compare_cell {
    uint32_t phase, target; /* numbers of texts, the caller's */
    uint32_t concurrency;
    uint64_t size;
};

struct compare_value {
    double value; /* above 0; NaN or anything else: there is none */
    bool at_least; /* it may be more */
    /* Of the logarithm, from blocks inside the run; df 0: not known. */
    double error, df;
};

/* One cell in one repeat. */
struct compare_sample {
    struct compare_cell cell;
    enum stats_side side;
    uint32_t run; /* from 0, no gap among those of a side */
    uint64_t repeat;
    uint32_t marks; /* bits, the caller's */
    struct compare_value values[COMPARE_METRICS_MAX]; /* by metric */
};

enum compare_unit { COMPARE_RUNS, COMPARE_REPEATS, COMPARE_BLOCKS };

enum compare_verdict {
    COMPARE_UNKNOWN, /* cannot tell */
    COMPARE_SAME,
    COMPARE_BETTER,
    COMPARE_WORSE
};

struct compare_row {
    struct compare_cell cell;
    size_t cells; /* a whole: how many it has, the cell's size and
                     concurrency being 0; a cell: 0 */
    size_t metric; /* index in the settings */
    struct stats_difference d;
    double value[2]; /* of a cell: geometric means of both sides */
    bool at_least[2]; /* one of them may be more */
    uint32_t marks[2]; /* of a cell: those of all its samples */
    enum compare_verdict verdict;
};

struct compare_settings {
    const struct compare_metric *metrics[COMPARE_METRICS_MAX];
    size_t metric_count;
    double alpha; /* 0.05 */
    double threshold; /* logarithm of the ratio worth noticing */
};

struct compare {
    struct compare_settings settings;
    struct compare_point *points; /* private */
    size_t point_count, point_room;
    size_t runs[2]; /* with values */
    /* after compare_judge(): */
    enum compare_unit unit;
    struct compare_row
        *rows; /* of what was measured; of a phase and target: wholes by metric,
                  then cells by size and concurrency, by metric */
    size_t row_count, row_room;
    size_t cells, only[2]; /* on both sides; on one of them alone */
};

/* Allocates nothing. Pair with compare_clear(); safe twice. */
void compare_init(struct compare *c, const struct compare_settings *settings);
void compare_clear(struct compare *c);

/* Add what was measured. Returns: 0 or ENOMEM. */
int compare_add(struct compare *c, const struct compare_sample *sample);

bool compare_has_target(const struct compare *c, enum stats_side side,
                        uint32_t target);

/* Cells are the same whatever their target. */
void compare_join_targets(struct compare *c);

/* What was added, I from 0 up to point_count; its values are logarithms. */
const struct compare_sample *compare_sample(const struct compare *c, size_t i);

/* Make the rows. Returns: 0 or ENOMEM. */
int compare_judge(struct compare *c);

/* How many rows have this verdict, of wholes or of cells. */
size_t compare_count(const struct compare *c, bool wholes,
                     enum compare_verdict verdict);

const char *compare_verdict_name(enum compare_verdict verdict);

#endif
