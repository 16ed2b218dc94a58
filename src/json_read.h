/* SPDX-License-Identifier: MIT */
/*
 * Reads the members of one small JSON object, such as a helper program
 * prints. Strict (RFC 8259), and no allocation: texts are decoded where
 * they stand, so that a secret lies in the caller's buffer only.
 */
#ifndef S3PERF_JSON_READ_H
#define S3PERF_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

#define JSON_READ_DEPTH_MAX 32 /* brackets inside each other */

enum json_kind {
    JSON_TEXT,
    JSON_LITERAL, /* a number, true, false or null, as it was written */
    JSON_NESTED /* an array or an object: checked, skipped, VALUE is "" */
};

/* Called for each member in order. KEY and VALUE end in NUL and live only
 * during the call. Return false to stop. */
typedef bool json_member_fn(void *ctx, const char *key, enum json_kind kind,
                            const char *value);

/*
 * Walk the members of the object in the LEN bytes at TEXT, which must be
 * followed by a NUL; they are changed. Blanks around it are fine, anything
 * else is not.
 * Returns: true, also when MEMBER stopped it; or false for bad JSON, *AT
 *          being the offset where it goes wrong. "\u0000" is refused, as no
 *          C text can hold it.
 */
bool json_read_members(char *text, size_t len, json_member_fn *member,
                       void *ctx, size_t *at);

#endif
