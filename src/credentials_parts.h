/* SPDX-License-Identifier: MIT */
/* What the files of this module share; of no use outside. */
#ifndef S3PERF_CREDENTIALS_PARTS_H
#define S3PERF_CREDENTIALS_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "credentials.h"

/* --- credentials_keep.c --- */

void credentials_wipe(char **text);

/* Put the message into CREDS, which never takes a secret. Returns ERR. */
int credentials_fail(struct credentials *creds, int err, const char *format,
                     ...) __attribute__((format(printf, 3, 4)));

/* Set *SLOT to a copy of TEXT; NULL changes nothing. */
int credentials_keep(struct credentials *creds, char **slot, const char *text);

/* Keep a pair of keys, and TOKEN unless it is NULL. WHERE is for messages:
 * one key alone is an error, and so is a control character. */
int credentials_keep_keys(struct credentials *creds, const char *where,
                          const char *access_key, const char *secret_key,
                          const char *token);

/* A variable's value; an empty one counts as not set: NULL. */
const char *credentials_env(const char *name);

/* --- credentials_file.c: AWS's two files --- */

/* The options that are read; all others are skipped. */
enum said {
    SAID_ACCESS_KEY,
    SAID_SECRET_KEY,
    SAID_SESSION_TOKEN,
    SAID_SECURITY_TOKEN,
    SAID_PROCESS,
    SAID_REGION,
    SAID_ENDPOINT,
    SAID_CA_BUNDLE,
    SAID_IGNORE_ENDPOINTS,
    SAID_SERVICES,
    SAID_ADDRESSING,
    SAID_PAYLOAD_SIGNING,
    SAID_COUNT
};

struct credentials_file {
    struct buf path; /* for messages too; "" when there is no home */
    struct buf text; /* the whole file */
    bool found; /* it exists and has the profile */
    char *said[SAID_COUNT]; /* owned; NULL when not said, never "" */
};

const char *credentials_said_name(enum said option);

void credentials_file_init(struct credentials_file *f);
void credentials_file_clear(struct credentials_file *f); /* wipes */

/* Set *PATH to VARIABLE's value, or to STANDARD, with "~" expanded. */
int credentials_add_path(struct credentials *creds, struct buf *path,
                         const char *variable, const char *standard);

/* Read PATH into TEXT. A missing file is an empty one, unless NEEDED. */
int credentials_read_text(struct credentials *creds, struct buf *text,
                          const char *path, bool needed);

/* Read the first of SECTIONS that F has. */
int credentials_file_read(struct credentials *creds, struct credentials_file *f,
                          const char *const *sections, size_t n);

/* Set *URL to the endpoint_url of s3 in section [services NAME] of F, which
 * must exist; NULL when it has none. The caller owns it. */
int credentials_file_service(struct credentials *creds, char **url,
                             const struct credentials_file *f,
                             const char *name);

/* --- credentials_process.c --- */

/* Keep the keys that the program COMMAND prints. */
int credentials_run(struct credentials *creds, const char *command);

#endif
