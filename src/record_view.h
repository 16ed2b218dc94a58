/* SPDX-License-Identifier: MIT */
/*
 * Reads many record lines quickly: columns by the names of the header line,
 * texts left where they stand. record_parse_tsv() is the thorough reader; what
 * this one takes, that one takes with the same values.
 */
#ifndef S3PERF_RECORD_VIEW_H
#define S3PERF_RECORD_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

/* The columns, in the order of record_column_name(). */
enum record_column {
    RECORD_DUE,
    RECORD_START,
    RECORD_END,
    RECORD_LOOKUP,
    RECORD_CONNECT,
    RECORD_TLS,
    RECORD_SENT,
    RECORD_FIRST,
    RECORD_BODY,
    RECORD_TOTAL,
    RECORD_VERIFY,
    RECORD_OP,
    RECORD_BUCKET,
    RECORD_KEY,
    RECORD_SIZE,
    RECORD_GOOD_BYTES,
    RECORD_WIRE_BYTES,
    RECORD_STATUS,
    RECORD_CODE,
    RECORD_TRANSPORT,
    RECORD_ATTEMPT,
    RECORD_REUSED,
    RECORD_LANE,
    RECORD_ENDPOINT,
    RECORD_HOST
};

#define RECORD_TIMES (RECORD_VERIFY + 1) /* columns that are times */

/* As it stands in the line: percent-encoded, "-" for none; not ended by NUL. */
struct record_text {
    const char *at;
    size_t n;
};

struct record_view {
    int64_t ns[RECORD_TIMES]; /* by column; RECORD_NONE: not reached */
    struct record_text op, bucket, key, code, transport, endpoint, host;
    uint64_t size, good_bytes, wire_bytes;
    uint64_t objects; /* of one operation: 1 in our own records */
    uint32_t status, attempt, lane;
    bool reused;
    bool ok; /* as in struct record */
};

#define RECORD_SEEN_SIZE 128
#define RECORD_SCAN_MAX 64 /* columns of a table */

struct record_scanner {
    uint8_t columns[RECORD_SCAN_MAX]; /* what stands at each place */
    size_t count; /* places */
    /* private: texts of the line before, as most do not change */
    struct {
        char text[RECORD_SEEN_SIZE];
        size_t n;
    } seen[RECORD_COLUMN_COUNT];
};

/* What is wrong with a line, and where. */
struct record_fault {
    bool column; /* `what` is the name of a column with a bad value */
    const char *what; /* static */
    struct record_text value; /* n is 0 when there is none */
};

/* Learn from the line of column names. Names that are not known are skipped
 * in each line. Returns: false when it lacks one, or has it twice. */
bool record_scanner_init(struct record_scanner *s, struct record_fault *fault,
                         const char *names);

/*
 * Read LINE, N bytes and a final NUL. Besides what the format asks for, due,
 * start and end must be there, none before the other, and stages must not be
 * negative.
 * Returns: false, *V undefined, with *FAULT filled in.
 */
bool record_scan(struct record_view *v, struct record_fault *fault,
                 struct record_scanner *s, const char *line, size_t n);

/* Whether T is "-": none. */
bool record_text_is_none(struct record_text t);

#endif
