/* SPDX-License-Identifier: MIT */
/*
 * Keys, region and endpoint, from options, the environment, AWS's files
 * and s3cmd's, in the order of doc/credentials.md; and where each was
 * found. Wiped on clear.
 */
#ifndef S3PERF_CREDENTIALS_H
#define S3PERF_CREDENTIALS_H

#include <stdbool.h>
#include <time.h>

#include "endpoint.h"

/* The values whose source is kept. */
enum credentials_value {
    CREDENTIALS_PROFILE,
    CREDENTIALS_KEYS, /* with the token: the three belong together */
    CREDENTIALS_REGION,
    CREDENTIALS_ENDPOINT,
    CREDENTIALS_CA_BUNDLE,
    CREDENTIALS_INSECURE,
    CREDENTIALS_ADDRESSING,
    CREDENTIALS_PAYLOAD,
    CREDENTIALS_SIGNATURE,
    CREDENTIALS_VALUES
};

/* Both static. */
struct credentials_source {
    const char *kind; /* "environment", "config file", ..., "default" */
    const char *name; /* variable or option; NULL for none */
};

/* A file that was looked at. */
struct credentials_path {
    char *path; /* owned; NULL when there was no reason to look */
    bool used; /* it exists and has the profile */
};

enum credentials_payload {
    CREDENTIALS_PAYLOAD_UNSAID,
    CREDENTIALS_PAYLOAD_SIGNED,
    CREDENTIALS_PAYLOAD_UNSIGNED
};

struct credentials {
    char *access_key; /* all owned; NULL when not found */
    char *secret_key;
    char *session_token;
    char *region; /* never NULL after a load: us-east-1 at last */
    char *endpoint_url; /* "aws": AWS's own, of that region */
    char *ca_bundle;
    char *profile; /* never NULL after a load, unless AWS's files do not
                      count */
    time_t expires; /* of the keys; 0: they do not, or it is not known */
    enum addressing addressing;
    enum credentials_payload payload; /* a wish for https */
    bool insecure; /* s3cmd's check_ssl_certificate = False, when the endpoint
                      is from that file too */
    bool signature_v2; /* s3cmd's signature_v2 = True */
    struct credentials_source from[CREDENTIALS_VALUES];
    struct credentials_path credentials_file, config_file, s3cfg_file;
    char error[256]; /* after a failed load: one line that names the culprit */
};

void credentials_init(struct credentials *creds);

/*
 * Load what PROFILE (NULL: AWS_PROFILE, else "default") and the
 * environment give. REGION, when not NULL, beats all other sources. A
 * PROFILE given here beats keys in the environment. S3CFG, when not NULL,
 * is a file of s3cmd's to use instead of AWS's; PROFILE is not used then.
 * Owner:   CREDS is the caller's; credentials_clear() wipes it.
 * Returns: 0, also when no keys were found (access_key NULL then); or an
 *          errno value with creds->error set: ENOENT for a profile that is
 *          in no file, EINVAL for half a key pair or a malformed file,
 *          EKEYEXPIRED, ...
 * Threads: reads the environment and may run the profile's
 *          credential_process, so call before starting any.
 */
int credentials_load(struct credentials *creds, const char *profile,
                     const char *region, const char *s3cfg);

/* Wipe and free; safe twice. */
void credentials_clear(struct credentials *creds);

#endif
