/* SPDX-License-Identifier: MIT */
/*
 * Writes operation records to a file from a thread of its own, through a
 * bounded queue, so that the timed path never waits for a disk.
 */
#ifndef S3PERF_JOURNAL_H
#define S3PERF_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "record.h"
#include "workload.h"

struct journal;

#define JOURNAL_QUEUE 16384u /* records it holds; a power of two */

struct journal_config {
    FILE *out; /* the caller's; open */
    bool json; /* one object a line instead of TSV */
    const struct workload *names; /* gives records their keys */
    bool names_are_buckets; /* ... or their buckets */
    const char *addressing, *payload_hash; /* JSON says them too */
};

/* Start the writer. Returns: 0, ENOMEM, or EAGAIN without a thread. */
int journal_open(struct journal **out, const struct journal_config *config);

/*
 * Queue R, whose key is name number INDEX of the workload; what R points
 * at must live until journal_close(). When the queue is full: if WAIT, wait
 * for room (outside the timed part); else the record is lost, and
 * journal_close() says so.
 * Threads: any.
 */
void journal_add(struct journal *j, const struct record *r, uint64_t index,
                 const char *message, bool wait);

/*
 * Write what is queued and stop. NULL is fine.
 * Returns: 0; EOVERFLOW when records were lost; an errno value of writing.
 */
int journal_close(struct journal *j);

#endif
