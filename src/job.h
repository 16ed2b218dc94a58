/* SPDX-License-Identifier: MIT */
/*
 * A job file: sections of "NAME = VALUE" lines, with variables. Knows
 * nothing of what the names mean; doc/jobs.md is its manual.
 */
#ifndef S3PERF_JOB_H
#define S3PERF_JOB_H

#include <stdbool.h>
#include <stddef.h>

#define JOB_SIZE_MAX ((size_t) 1 << 20)
#define JOB_NAME_MAX 64 /* bytes of a section's or an entry's name */
#define JOB_VALUE_MAX ((size_t) 64 << 10) /* once variables are in */
#define JOB_SECTIONS_MAX 256
#define JOB_ENTRIES_MAX 4096

struct job_entry {
    char *name;
    char *value; /* NULL: the name stands alone */
    unsigned line;
    bool literal; /* job_set() gave the value: no variables in it */
};

struct job_section {
    char *name;
    unsigned line;
    struct job_entry *entries;
    size_t count, room;
};

struct job {
    struct job_section *sections; /* in their order */
    size_t count, room;
    size_t entries; /* of all sections */
    const char *run; /* ${run} where [variables] has no other; the caller's */
    char error[256]; /* once something failed: what is wrong */
    unsigned line; /* where; 0: in no line */
};

/*
 * Read the N bytes at TEXT. OUT needs job_clear(), whatever returns:
 * 0, EINVAL with error and line set, ENOMEM.
 */
int job_read(struct job *out, const char *text, size_t n);

/* Safe twice. */
void job_clear(struct job *j);

/* The section called NAME, or NULL. */
const struct job_section *job_find(const struct job *j, const char *name);

/* Give a variable of the section "variables" another value: "NAME=VALUE".
 * Before job_expand(). Returns: 0, EINVAL with error set, or ENOMEM. */
int job_set(struct job *j, const char *assignment);

/*
 * Put the values of variables in: ${NAME} in each value, "$${" stands for
 * "${" itself. A variable may use those above it.
 * Returns: 0, EINVAL with error and line set, or ENOMEM.
 */
int job_expand(struct job *j);

#endif
