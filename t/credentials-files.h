/* SPDX-License-Identifier: MIT */
/*
 * Loads credentials from a folder of its own: for the tests of that.
 */
#ifndef S3PERF_T_CREDENTIALS_FILES_H
#define S3PERF_T_CREDENTIALS_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "credentials.h"
#include "vectors.h"

/* mkdtemp() at first, rmdir() at last. */
static char folder[] = "/tmp/s3perf-credentials-XXXXXX";
static struct credentials creds;

static __attribute__((unused)) const char *
in_folder(const char *name)
{
    static char path[sizeof(folder) + 64];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

/* Make NAME hold TEXT; NULL removes it. */
static __attribute__((unused)) void
put_file(const char *name, const char *text)
{
    FILE *f;

    unlink(in_folder(name));
    if (text == NULL)
        return;
    f = fopen(in_folder(name), "wb");
    if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
        vectors_die("cannot be written", name);
}

/* No variable of ours is set, except that all files are in the folder. */
static __attribute__((unused)) void
clean_environment(void)
{
    static const char *const names[] = {
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_SECURITY_TOKEN",
        "AWS_REGION",
        "AWS_DEFAULT_REGION",
        "AWS_PROFILE",
        "AWS_DEFAULT_PROFILE",
        "AWS_ENDPOINT_URL_S3",
        "AWS_ENDPOINT_URL",
        "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
        "AWS_CA_BUNDLE",
        "S3CMD_CONFIG",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        unsetenv(names[i]);
    setenv("HOME", folder, 1);
    setenv("AWS_CONFIG_FILE", in_folder("config"), 1);
    setenv("AWS_SHARED_CREDENTIALS_FILE", in_folder("credentials"), 1);
}

/* Begin anew with these two files. */
static __attribute__((unused)) void
set_files(const char *config, const char *credentials)
{
    clean_environment();
    put_file("config", config);
    put_file("credentials", credentials);
}

static __attribute__((unused)) int
load(void)
{
    return credentials_load(&creds, NULL, NULL, NULL);
}

#endif
