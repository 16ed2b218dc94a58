/* SPDX-License-Identifier: MIT */
/*
 * The verb `sign`: shows how a request is signed, and sends nothing.
 */
#ifndef S3PERF_SIGN_H
#define S3PERF_SIGN_H

#include "options.h"

/* Print canonical request, string to sign, signature and Authorization.
 * Returns: the exit status. */
int sign_request(const struct options *o);

#endif
