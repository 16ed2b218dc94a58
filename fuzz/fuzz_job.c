/* SPDX-License-Identifier: MIT */
/* Job files: what is read can be expanded, and whatever is wrong is told. */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "job.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool good)
{
    if (!good)
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct job j;
    int err = job_read(&j, (const char *) data, size);

    require(err == 0 || (err == EINVAL && j.error[0] != '\0'));
    require(j.count <= JOB_SECTIONS_MAX && j.entries <= JOB_ENTRIES_MAX);
    if (err == 0)
        err = job_set(&j, "a=${b}");
    require(err == 0 || (err == EINVAL && j.error[0] != '\0'));
    err = job_expand(&j);
    require(err == 0 || (err == EINVAL && j.error[0] != '\0'));
    job_clear(&j);
    return 0;
}
