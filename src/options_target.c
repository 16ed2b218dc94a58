/* SPDX-License-Identifier: MIT */
/* Targets as they stand on the command line. */
#include "config.h"

#include "options.h"

#include <string.h>

const char *
target_parse(struct target *out, const char *text)
{
    const char *bucket, *slash;
    size_t len;

    if (strncmp(text, "s3://", 5) != 0)
        return "does not begin with s3://";
    bucket = text + 5;
    slash = strchr(bucket, '/');
    len = slash != NULL ? (size_t) (slash - bucket) : strlen(bucket);
    if (len >= sizeof out->bucket)
        return "has too long a bucket name";
    if (len == 0 && slash != NULL)
        return "has no bucket name";
    memcpy(out->bucket, bucket, len);
    out->bucket[len] = '\0';
    out->key = slash != NULL ? slash + 1 : "";
    return NULL;
}
