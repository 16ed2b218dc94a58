/* SPDX-License-Identifier: MIT */
/*
 * Where a run's results go, and what its exit status is.
 */
#ifndef S3PERF_RESULTS_H
#define S3PERF_RESULTS_H

#include <stdbool.h>
#include <stdio.h>

#include "options.h"
#include "report.h"

struct results {
    const struct options *o;
    const struct report *report;
    bool plain; /* one operation: its record is the result */
    bool silent; /* a worker: records without a head, no summary */
    FILE *records; /* where the journal goes, or NULL */
    FILE *summary;
    FILE *listing; /* ls -o, or NULL */
    FILE *hist; /* --hist, or NULL */
    int cell_fd; /* -1: none */
    int write_err; /* 0, or the errno value of the first failed write */
    const char *write_what; /* its culprit */
};

/* Open all that O names, and say where the rest goes. `o`, `report` and
 * `plain` are set. Returns: 0, or 4 with one line printed. */
int results_open(struct results *r);

/* Write "#" lines and column names where records go, if they are wanted.
 * Returns 0 or an errno value; what cannot be written is noted, too. */
int results_head(struct results *r);

/* Remember that WHAT could not be written; ERR 0 is fine. */
void results_note(struct results *r, int err, const char *what);

/* Write cell line and summary, close all files. */
void results_write(struct results *r);

/* The likely cause of F and its cure; NULL when none is known. */
const char *results_hint(const struct results *r,
                         const struct report_failure *f);

/* Explain failures. ERR: the tool's own failure, or 0.
 * Returns: the exit status. */
int results_conclude(struct results *r, int err);

#endif
