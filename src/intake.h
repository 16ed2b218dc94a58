/* SPDX-License-Identifier: MIT */
/*
 * Reads what was measured, as a stream: operation records ("s3perf-ops 1",
 * warp's raw records) and histograms ("s3perf-hist 1"), plain or packed,
 * from files and pipes. Whatever is wrong with a file is said here, with its
 * name and line.
 */
#ifndef S3PERF_INTAKE_H
#define S3PERF_INTAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "histogram_file.h"
#include "lines.h"
#include "record_view.h"
#include "unpack.h"

enum intake_format {
    INTAKE_OPS, /* records */
    INTAKE_WARP, /* records, of warp --full */
    INTAKE_HIST, /* histograms */
    INTAKE_CELLS /* a table of cells */
};

#define INTAKE_FACTS_MAX 32

/* A "# name: value" line of the head. */
struct intake_fact {
    char *name, *value; /* owned */
};

/* Warp's columns, by place. */
struct intake_warp {
    uint8_t columns[RECORD_SCAN_MAX];
    size_t count;
    bool based; /* base_ns is known */
    int64_t base_ns; /* start of the first record, since 1970 */
    struct buf joined; /* a record whose quoted text has line ends */
    struct buf texts; /* of the record, encoded */
};

struct intake {
    const char *name; /* the file's, not owned; for messages */
    enum intake_format format;
    struct intake_fact facts[INTAKE_FACTS_MAX];
    size_t fact_count;
    uint64_t records; /* given out */
    /* private */
    struct unpack unpack;
    struct lines lines;
    struct record_scanner scanner;
    struct intake_warp warp;
    struct buf block; /* text of a histogram */
    bool ended;
    bool full; /* no more can be kept since the mark */
};

/*
 * Open PATH, "-" for standard input, and read its head.
 * Returns: 0; or 2 with one line printed. intake_close() in any case.
 */
int intake_open(struct intake *in, const char *path);

/* Safe twice. */
void intake_close(struct intake *in);

/* What the head says of NAME, "command" for instance; NULL: nothing. */
const char *intake_fact(const struct intake *in, const char *name);

enum intake_got {
    INTAKE_BAD = -1, /* one line was printed */
    INTAKE_END,
    INTAKE_ONE
};

/* The next record of INTAKE_OPS or INTAKE_WARP; its texts live until the
 * next call. */
enum intake_got intake_record(struct intake *in, struct record_view *v);

/*
 * Go through the records twice: what is read from the mark on comes again
 * after intake_rewind(). Only so much is kept: *FULL says that no more can
 * be read before that, and nothing is printed then.
 */
void intake_mark(struct intake *in);
enum intake_got intake_record_marked(struct intake *in, struct record_view *v,
                                     bool *full);
void intake_rewind(struct intake *in);

/* The next histogram of INTAKE_HIST; as histogram_parse() has it. */
enum intake_got intake_histogram(struct intake *in, struct histogram *h,
                                 struct histogram_label *label);

/* The next line of INTAKE_CELLS that is no comment. */
enum intake_got intake_line(struct intake *in, char **line, size_t *n);

/* Say what is wrong with the last line. Returns: INTAKE_BAD. */
enum intake_got intake_complain(struct intake *in, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
