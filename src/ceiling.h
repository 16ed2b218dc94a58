/* SPDX-License-Identifier: MIT */
/*
 * What s3op itself reaches on this machine, against a server that does
 * nothing ("s3perf-ceiling 1", doc/formats.md): kept by `s3perf doctor
 * --ceiling`, read here, so that a result near it can be marked.
 */
#ifndef S3PERF_CEILING_H
#define S3PERF_CEILING_H

#include <stdbool.h>
#include <stddef.h>

#include "report.h"

#define CEILING_FORMAT "s3perf-ceiling 1"
#define CEILING_MACHINE_SIZE 17

/* What a ceiling holds for: 16 hex digits of the machine, its kernel, its
 * processors, and s3op's VERSION. */
void ceiling_machine(char out[CEILING_MACHINE_SIZE], const struct host *host,
                     const char *version);

/* Where ceilings are kept when no file is named: false when there is no
 * such place. */
bool ceiling_default_path(char *out, size_t size);

/*
 * Set ASKED's ceiling if PATH has a line for just such a run on its machine,
 * which is set.
 * Returns: 0, also without such a line; an errno value when PATH cannot be
 *          read, EINVAL when it is something else.
 */
int ceiling_look(struct report_asked *asked, const char *path);

#endif
