/* SPDX-License-Identifier: MIT */
/*
 * What the verbs sign and presign are told to sign: a bucket and a key, or a
 * URL, as the parts of a request.
 */
#ifndef S3PERF_SIGN_TARGET_H
#define S3PERF_SIGN_TARGET_H

#include <stdbool.h>

#include "buf.h"
#include "options.h"
#include "request.h"

struct sign_target {
    bool tls, virtual_host;
    char bucket[256]; /* "" for none, and for a URL */
    struct buf host, path, query; /* as sent and as signed */
};

void sign_target_init(struct sign_target *t);
void sign_target_clear(struct sign_target *t);

/* Read O's target and --query. Returns: 0, or 2 with one line printed. */
int sign_target_read(struct sign_target *t, const struct options *o,
                     const struct request_service *s);

#endif
