/* SPDX-License-Identifier: MIT */
/*
 * Percent-encoding as S3 signs it: A-Z a-z 0-9 - . _ ~ stay, every other
 * byte becomes %XX with upper-case hex.
 * Source: AWS, "Create a signed AWS API request", UriEncode.
 */
#ifndef S3PERF_URI_H
#define S3PERF_URI_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

/* Add N raw bytes, encoded; KEEP_SLASH leaves '/' as it is (paths).
 * Returns: 0, or the errno value of a buffer addition. */
int uri_encode(struct buf *out, const char *bytes, size_t n, bool keep_slash);

/* As uri_encode() for a path, but an existing %XX is kept (its hex digits
 * made upper case): for targets given as a URL. */
int uri_encode_url_path(struct buf *out, const char *text, size_t n);

/* Undo: add the decoded bytes of the N at TEXT. PLUS_IS_BLANK for forms.
 * Returns: 0, EINVAL for a broken %XX or an encoded NUL, or the errno value
 *          of a buffer addition. */
int uri_decode(struct buf *out, const char *text, size_t n, bool plus_is_blank);

/* One decoded query parameter, not owned. */
struct uri_param {
    const char *name;
    const char *value; /* NULL counts as "" */
};

/*
 * Add the canonical query string: names and values encoded ('/' too),
 * always NAME=VALUE, sorted by encoded name, then by encoded value. It is
 * both what is signed and what is sent. Sorts PARAMS in place (decoded
 * bytes sort as their encodings do not, so the encodings are compared).
 * Returns: 0, E2BIG above 64 parameters, or a buffer's errno value.
 */
int uri_canonical_query(struct buf *out, struct uri_param *params, size_t n);

#endif
