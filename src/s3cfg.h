/* SPDX-License-Identifier: MIT */
/*
 * Reads s3cmd's configuration file: which of its options count here and
 * what they mean. doc/credentials.md has the table.
 */
#ifndef S3PERF_S3CFG_H
#define S3PERF_S3CFG_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "endpoint.h"

enum s3cfg_option {
    S3CFG_ACCESS_KEY,
    S3CFG_SECRET_KEY,
    S3CFG_ACCESS_TOKEN,
    S3CFG_HOST_BASE,
    S3CFG_HOST_BUCKET,
    S3CFG_BUCKET_LOCATION,
    S3CFG_CA_CERTS_FILE,
    S3CFG_USE_HTTPS, /* from here on true or false */
    S3CFG_CHECK_SSL_CERTIFICATE,
    S3CFG_SIGNATURE_V2,
    S3CFG_COUNT
};

/* What the file says. */
struct s3cfg {
    char *text[S3CFG_COUNT]; /* owned; NULL when not said, never "" */
    const char *bad; /* the option whose value cannot be used, static */
};

void s3cfg_init(struct s3cfg *cfg);

/* Wipe and free; safe twice. */
void s3cfg_clear(struct s3cfg *cfg);

/*
 * Read the LEN bytes at TEXT, a whole file, into CFG after s3cfg_init().
 * As in s3cmd: only section [default], or what stands before any section;
 * an option's last line counts; "$NAME" is that variable's value; lines
 * that are no options are skipped.
 * Returns: 0; EINVAL with cfg->bad set; or ENOMEM.
 * Threads: reads the environment.
 */
int s3cfg_read(struct s3cfg *cfg, const char *text, size_t len);

/* True or false; FALLBACK when the option is not said. */
bool s3cfg_is(const struct s3cfg *cfg, enum s3cfg_option option, bool fallback);

/* Add the endpoint as a URL, or "aws" for s3cmd's default host. Nothing
 * is added when the file names no host. */
int s3cfg_add_endpoint(struct buf *out, const struct s3cfg *cfg);

/* The region to sign for; NULL when not said. Lives as long as CFG. */
const char *s3cfg_region(const struct s3cfg *cfg);

/*
 * host_bucket as a style: virtual when it is "%(bucket)s." and the host;
 * path when the bucket is not in it. Any other host cannot be asked for:
 * auto for AWS, else path, and *OTHER_HOST is true.
 * False, *OUT untouched, when the file does not say.
 */
bool s3cfg_addressing(enum addressing *out, bool *other_host,
                      const struct s3cfg *cfg);

#endif
