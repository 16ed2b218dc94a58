/* SPDX-License-Identifier: MIT */
/*
 * The stages of a job file, one after the other: s3op run. doc/jobs.md is
 * its manual.
 */
#ifndef S3PERF_STAGES_H
#define S3PERF_STAGES_H

#include "options.h"

/*
 * Do what O, of the verb run, asks. All stages are checked before the first
 * one begins.
 * Returns: the worst exit status of the stages; after SIGINT or SIGTERM it
 *          does not return, but clean-up stages are still run.
 */
int stages_run(const struct options *o);

#endif
