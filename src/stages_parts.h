/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the stages module share. Private to them.
 */
#ifndef S3PERF_STAGES_PARTS_H
#define S3PERF_STAGES_PARTS_H

#include <stdbool.h>

#include "buf.h"
#include "job.h"
#include "options.h"

/* One section of the file as a command line. */
struct stage {
    const struct job_section *section;
    bool cleanup; /* it is run in any case */
    bool go_on; /* others are run though it failed */
    struct buf words; /* "s3op" NUL "--NAME=VALUE" NUL ... verb, targets */
    struct buf numbers; /* of unsigned: the line of each word */
    char **argv; /* of `words`, as many as `numbers` */
    int argc;
    struct options options; /* of argv, once it is parsed */
    struct buf command; /* the same as one text */
};

struct stages {
    const struct options *o; /* of the command line */
    const char *file; /* for messages */
    char run[9]; /* the value of ${run} */
    struct job job;
    struct stage *list;
    size_t count;
};

/*
 * Make the command lines of all stages of the job, which has been read.
 * Returns: 0, or the exit status with one line printed, or it exits with 2.
 */
int stages_compose(struct stages *s);

#endif
