/* SPDX-License-Identifier: MIT */
/*
 * The verbs `sign`, which shows how a request is signed, and `presign`,
 * which prints a URL; they send nothing.
 */
#ifndef S3PERF_SIGN_H
#define S3PERF_SIGN_H

#include "options.h"

/* sign: print canonical request, string to sign, signature, and Authorization
 * or URL, without a session token. presign: print a URL that works.
 * Returns: the exit status. */
int sign_request(const struct options *o);

#endif
