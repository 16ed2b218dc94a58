/* SPDX-License-Identifier: MIT */
/*
 * One operation's outcome, and the one TSV line it becomes. This module
 * owns the columns ("s3perf-ops 1"); doc/formats.md describes them.
 */
#ifndef S3PERF_RECORD_H
#define S3PERF_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "json.h"

#define RECORD_FORMAT "s3perf-ops 1"
#define RECORD_COLUMN_COUNT 25
#define RECORD_CODE_SIZE 64
#define RECORD_SLICES_MAX 3
#define RECORD_NONE INT64_MIN /* a stage that did not happen */

struct record {
    /* since the run's start, nanoseconds */
    int64_t due_ns, start_ns, end_ns;
    /* moments since the operation's start, nanoseconds; RECORD_NONE: not
     * reached. lookup, connect and tls are 0 on a reused connection. */
    int64_t lookup_ns, connect_ns, tls_ns, sent_ns, first_ns, body_ns, total_ns;
    int64_t verify_ns; /* RECORD_NONE when nothing was verified */
    const char *op; /* static: "put", "get", ... */
    const char *bucket; /* not owned, "" for the service */
    const char *key; /* raw bytes, not owned, "" for a bucket */
    uint64_t size; /* bytes of the object or listing asked for */
    uint64_t good_bytes; /* body bytes of a successful operation, else 0 */
    uint64_t wire_bytes; /* body bytes that crossed, in either direction */
    int status; /* HTTP; 0 when no answer came */
    char code[RECORD_CODE_SIZE]; /* S3's error code, "" when none */
    const char *transport; /* static error name, NULL when none */
    uint32_t attempt; /* 1 is the first */
    bool reused;
    uint32_t lane;
    const char *endpoint; /* URL, not owned */
    const char *host; /* client's host name, not owned */
    bool ok; /* success as design 3.3 has it; not a column */
    bool again; /* failed, and another attempt follows; not a column */
    /* Not columns either: which slices of the report it counts in, numbered
     * from 1 (0: none), and whether only in them: it is a step of a larger
     * operation, which has a record of its own. */
    uint32_t slices[RECORD_SLICES_MAX];
    bool step;
};

/* The name of column I, from 0. */
const char *record_column_name(size_t i);

/* Add the column names, tab separated, newline at the end. */
int record_add_columns(struct buf *out);

/* Add R as one TSV line. Times are microseconds with three decimals,
 * stages that did not happen are empty, keys are percent-encoded ('/'
 * stays), "-" stands for no key, no bucket, no code, no transport error;
 * a key that is just "-" is written %2D. */
int record_add_tsv(struct buf *out, const struct record *r);

/* Add R's members to the object that is open in J, same names and units
 * as the columns; null where the TSV has nothing. */
void record_add_json(struct json *j, const struct record *r);

/* Add TEXT as one field of a table: control bytes, blanks and '%' become
 * %XX, so a field never breaks its line; "" and NULL are "-", and a lone
 * "-" is written %2D. */
int record_add_field(struct buf *out, const char *text);

/*
 * Read one TSV line (without its newline) back.
 * Owner:   STORE holds the texts R points at; reset here. `ok` is true
 *          for a 2xx without code and transport error.
 * Returns: true; false, R undefined, when the line is not a record.
 */
bool record_parse_tsv(struct record *r, struct buf *store, const char *line);

#endif
