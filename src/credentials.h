/* SPDX-License-Identifier: MIT */
/*
 * Keys, region and endpoint, from options, the environment and AWS's
 * files, in botocore's order (doc/credentials.md). Wiped on clear.
 */
#ifndef S3PERF_CREDENTIALS_H
#define S3PERF_CREDENTIALS_H

#include <stdbool.h>

#include "endpoint.h"

struct credentials {
    char *access_key; /* all owned; NULL when not found */
    char *secret_key;
    char *session_token;
    char *region; /* never NULL after a load: us-east-1 at last */
    char *endpoint_url; /* environment or profile */
    char *ca_bundle; /* AWS_CA_BUNDLE or ca_bundle */
    enum addressing addressing; /* nested s3 = addressing_style */
    const char *source; /* "environment", "credentials file", ... static */
    char error[256]; /* after a failed load: one line that names the culprit */
};

void credentials_init(struct credentials *creds);

/*
 * Load what PROFILE (NULL: AWS_PROFILE, else "default") and the
 * environment give. REGION, when not NULL, beats all other sources. A
 * PROFILE given here beats keys in the environment.
 * Owner:   CREDS is the caller's; credentials_clear() wipes it.
 * Returns: 0, also when no keys were found (access_key NULL then); or an
 *          errno value with creds->error set: ENOENT for a profile that is
 *          in no file, EINVAL for half a key pair or a malformed file.
 * Threads: reads the environment, so call before starting any.
 */
int credentials_load(struct credentials *creds, const char *profile,
                     const char *region);

/* Wipe and free; safe twice. */
void credentials_clear(struct credentials *creds);

#endif
