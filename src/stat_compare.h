/* SPDX-License-Identifier: MIT */
/*
 * What the parts of s3stat compare share. Private to them.
 */
#ifndef S3PERF_STAT_COMPARE_H
#define S3PERF_STAT_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "compare.h"
#include "names.h"
#include "stat_command.h"

#define COMPARE_RUNS_MAX 1000
#define COMPARE_FACTS_MAX 96

/* How a run was measured, as one setting says. */
struct compare_fact {
    char *name, *value; /* owned */
};

struct compare_run {
    const char *name; /* the operand */
    enum stats_side side;
    struct compare_fact facts[COMPARE_FACTS_MAX];
    size_t fact_count;
    double ops, errors; /* of all its cells */
};

struct compare_options {
    double threshold, confidence; /* shares */
    struct stat_list metrics, phases;
    const char *targets[2]; /* of either side; NULL: all */
    bool all, json, tsv, unlike;
};

struct compare_work {
    const struct compare_options *options;
    struct compare compare;
    struct names phases, targets;
    struct compare_run *runs; /* those of A, then those of B */
    size_t run_count;
    struct buf unlike, notes; /* what differs between runs; one a line */
};

/* Make room for RUNS of them. Returns: 0 or ENOMEM; in any case pair with
 * compare_work_clear(). */
int compare_work_init(struct compare_work *w, const struct compare_options *o,
                      const struct compare_settings *settings, size_t runs);
void compare_work_clear(struct compare_work *w);

/* --- stat_compare_read.c --- */

/* Read the run at PATH: a file, or a directory with cells.tsv in it. Returns:
 * 0; or an exit status with one line printed. */
int compare_read(struct compare_work *w, struct compare_run *run,
                 const char *path, uint32_t number);

/* At a given rate (OPEN) the time since an operation was due is what counts:
 * call it before the first sample. */
void compare_choose_response(struct compare_work *w, bool open);

bool compare_is_phase(const struct compare_options *o, const char *phase);

/* The share that succeeded; never 0, which has no logarithm. */
double compare_success(double ops, double errors);

/* --- stat_compare_records.c --- */

/* Read records or histograms. Returns: as compare_read(). */
int compare_read_records(struct compare_work *w, struct compare_run *run,
                         const char *path, uint32_t number);

/* --- stat_compare_like.c --- */

/* Keep that RUN has NAME as VALUE. Returns: 0, ENOMEM; too many are dropped. */
int compare_keep(struct compare_run *run, const char *name, const char *value);

/* Keep a "# NAME: VALUE" line if it is of how the run was measured; of a
 * command line, its options that are. Returns: as above. */
int compare_keep_fact(struct compare_run *run, const char *name,
                      const char *value);

/* Keep the settings of a manifest, which is changed. Returns: 0, ENOMEM or
 * EINVAL when it is none. */
int compare_keep_manifest(struct compare_run *run, char *text);

/* Find out what differs: settings into W->unlike, the rest into W->notes.
 * Returns: 0 or a buffer's errno value. */
int compare_find_unlike(struct compare_work *w);

/* --- stat_compare_table.c, stat_compare_text.c --- */

void compare_print_text(const struct compare_work *w);
/* Returns: 0 or a buffer's errno value. */
int compare_add_tsv(struct buf *out, const struct compare_work *w);
int compare_add_json(struct buf *out, const struct compare_work *w);

#define COMPARE_WHY_SIZE 64

/* Why ROW has no verdict, "" when it has one. */
void compare_format_why(char out[COMPARE_WHY_SIZE],
                        const struct compare_work *w,
                        const struct compare_row *row);

/* "run", "repeat" or "block". */
const char *compare_unit_name(const struct compare *c);

/* What is said of all: "worse" if anything is, else "better" if anything is,
 * else "same" if everything is, else "cannot tell". */
const char *compare_overall(const struct compare *c);

/* How many units a side would settle the rows of cells that are not: half of
 * those that can be, and all of them; 0: none can. */
void compare_needed(unsigned *half, unsigned *all,
                    const struct compare_work *w);

#endif
