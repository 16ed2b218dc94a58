/* SPDX-License-Identifier: MIT */
/*
 * Reads AWS configuration files (INI with one nested level). Format and
 * limits: doc/credentials.md.
 */
#ifndef S3PERF_PROFILE_H
#define S3PERF_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

#define PROFILE_FILE_MAX ((size_t) 1 << 20) /* larger files are refused */

/* Called for each entry of a section, in file order. PARENT is NULL, or
 * the option under which an indented line stands ("s3"). Names arrive in
 * lower case. Return false to stop. Texts live only during the call. */
typedef bool profile_entry_fn(void *ctx, const char *parent, const char *name,
                              const char *value);

/*
 * Read the whole of PATH, once, so that a pipe works too, into TEXT: it
 * needs buf_init() before, with a limit of PROFILE_FILE_MAX or less, and
 * buf_wipe() after, since keys stand in it.
 * Returns: 0; ENOENT without such a file; EFBIG; or another errno value of
 *          the reading.
 */
int profile_read(struct buf *text, const char *path);

/*
 * Walk the entries of SECTION ("default", "profile dev") in the LEN bytes
 * at TEXT. Sections of that name that stand twice are both walked.
 * Returns: 0, also when ENTRY stopped it; ESRCH without such a section;
 *          EINVAL for a malformed line, *LINE being its number; or ENOMEM.
 *          Lines of other sections may be malformed.
 */
int profile_walk_text(const char *text, size_t len, const char *section,
                      profile_entry_fn *entry, void *ctx, size_t *line);

#endif
