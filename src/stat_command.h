/* SPDX-License-Identifier: MIT */
/*
 * The sub-commands of s3stat: one table, one file each.
 */
#ifndef S3PERF_STAT_COMMAND_H
#define S3PERF_STAT_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "stat_options.h"

/* Exit statuses of design chapter 1. */
enum {
    STAT_FINE = 0,
    STAT_FAILED = 1, /* done, but operations failed */
    STAT_USAGE = 2, /* also: an input that cannot be read */
    STAT_OUTPUT = 4, /* results could not be written */
    STAT_WORSE = 5 /* a comparison found something worse */
};

#define STAT_TABLES_MAX 4

struct stat_command {
    const char *name;
    const char *operands; /* "FILE...", for the first line of help */
    const char *summary; /* for the list of commands */
    const char *text; /* what follows the first line of its help; lines of
                         at most 79 columns, each with its newline */
    bool stops; /* options end at the first operand: "A -- B" has its own
                   meaning */
    struct stat_option_table tables[STAT_TABLES_MAX];
    /* ARGV[0] is the command's name. Returns: an exit status. */
    int (*run)(int argc, char **argv);
};

extern const struct stat_command stat_plan;
extern const struct stat_command stat_cdf;
extern const struct stat_command stat_convert;
extern const struct stat_command stat_errors;
extern const struct stat_command stat_slowest;
extern const struct stat_command stat_stages;
extern const struct stat_command stat_summary;
extern const struct stat_command stat_timeline;
extern const struct stat_command stat_compare;
extern const struct stat_command stat_scaling;

/* NULL when there is none of that name. */
const struct stat_command *stat_find_command(const char *name);

/* What s3stat --help prints. */
void stat_print_help(void);

/* Flush standard output. Returns: STATUS, or 4 with one line printed. */
int stat_finish(int status);

#endif
