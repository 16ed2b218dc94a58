/* SPDX-License-Identifier: MIT */
/*
 * A histogram as text and back: one block of "s3perf-hist 1", which
 * doc/formats.md describes. A file holds one or more, a blank line between
 * them.
 */
#ifndef S3PERF_HISTOGRAM_FILE_H
#define S3PERF_HISTOGRAM_FILE_H

#include "buf.h"
#include "histogram.h"

#define HISTOGRAM_FORMAT "s3perf-hist 1"
#define HISTOGRAM_WORD_SIZE 32

/* What a block's values are of: words of a-z, 0-9 and '-'. */
struct histogram_label {
    char op[HISTOGRAM_WORD_SIZE]; /* "put" */
    char stage[HISTOGRAM_WORD_SIZE]; /* "service" */
};

/* Add H as one block. FACTS are "#" lines to put after the first, each with
 * its newline; "" for none. Returns 0 or a buffer's errno value. */
int histogram_add_text(struct buf *out, const struct histogram *h,
                       const char *op, const char *stage, const char *facts);

/*
 * Read the block that *TEXT begins with, up to a blank line or the end of
 * the text; *TEXT moves behind it, to the next block or the final NUL.
 * H's counts must have room for histogram_buckets(HISTOGRAM_SUB_OPS)
 * counters; the rest is initialised here.
 * Returns: NULL, or a static text that says what is wrong: then H is
 *          undefined and *TEXT is the line that is to blame.
 */
const char *histogram_parse(struct histogram *h, struct histogram_label *label,
                            const char **text);

#endif
