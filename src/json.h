/* SPDX-License-Identifier: MIT */
/*
 * Writes JSON text into a buffer: commas, quoting, nothing else.
 *
 * A member is written with its key inside an object and with key NULL
 * inside an array or at the top. The first error sticks in `err`, so a
 * caller checks once, at the end.
 */
#ifndef S3PERF_JSON_H
#define S3PERF_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

struct json {
    struct buf *out; /* the caller's */
    bool comma; /* the next member needs a comma in front */
    int err; /* 0, or the first errno value of an addition */
};

void json_init(struct json *j, struct buf *out);

void json_open(struct json *j, const char *key, char bracket); /* { or [ */
void json_close(struct json *j, char bracket); /* } or ] */

/* TEXT may be NULL (null) or hold any bytes; bad UTF-8 becomes U+FFFD. */
void json_string(struct json *j, const char *key, const char *text);
void json_uint(struct json *j, const char *key, uint64_t value);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);
/* DECIMALS after the point; NaN and infinities become null. */
void json_number(struct json *j, const char *key, double value, int decimals);

#endif
