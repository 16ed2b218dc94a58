/* SPDX-License-Identifier: MIT */
/*
 * Which failures are worth another attempt, and how long to wait before it.
 * Looks at S3's code first, then at the status. Knows no clock, no network.
 * Source: AWS S3 error responses; the reports named in retry.c.
 */
#ifndef S3PERF_RETRY_H
#define S3PERF_RETRY_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "exchange.h"

#define RETRY_NONE INT64_MIN /* no Retry-After */

/* How an attempt ended. */
struct retry_failure {
    enum exchange_error error;
    int status; /* HTTP; 0 without an answer */
    const char *code; /* S3's, or derived from the status; "" for none */
    bool cut; /* a 2xx whose document ended too early */
    bool repeatable; /* doing it twice is the same as once, even when the
                        first time did happen and its answer was lost */
};

enum retry_verdict {
    RETRY_NO,
    RETRY_ONCE, /* a repetition may cure it, a second one will not */
    RETRY_YES
};

enum retry_verdict retry_judge(const struct retry_failure *failure);

/* A source of the waiting times. */
struct retry_backoff {
    uint64_t state;
};

/* NUMBER tells those with the same SEED apart. */
void retry_init(struct retry_backoff *b, uint64_t seed, uint64_t number);

/*
 * Nanoseconds to wait before further attempt number RETRY (1 is the first):
 * anything from nothing to 100 ms, 200 ms, 400 ms, ... 20 s, after AFTER_NS
 * that the server asked for (RETRY_NONE: it did not); 20 s at most.
 */
int64_t retry_wait_ns(struct retry_backoff *b, uint32_t retry,
                      int64_t after_ns);

/* Read a Retry-After header: seconds, or a date as it is NOW; RETRY_NONE
 * when it is neither. What lies in the past is 0. */
int64_t retry_parse_after(const char *value, time_t now);

#endif
