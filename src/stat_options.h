/* SPDX-License-Identifier: MIT */
/*
 * Options of the sub-commands, from tables: parsing and --help.
 */
#ifndef S3PERF_STAT_OPTIONS_H
#define S3PERF_STAT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct stat_command;

enum stat_option_kind {
    STAT_FLAG, /* bool */
    STAT_TEXT, /* const char * */
    STAT_COUNT, /* uint64_t */
    STAT_NATURAL, /* uint64_t, not 0 */
    STAT_SIZE, /* uint64_t, bytes */
    STAT_DURATION, /* int64_t, nanoseconds */
    STAT_CHOICE, /* int: the index in `choices` */
    STAT_LIST, /* struct stat_list */
    STAT_PERCENT /* double, "5%" or "0.05" as a share */
};

#define STAT_LIST_MAX 64

/* The values of an option that may be repeated. */
struct stat_list {
    const char *items[STAT_LIST_MAX];
    size_t count;
};

struct stat_option {
    enum stat_option_kind kind;
    char letter; /* 0: none */
    const char *name;
    const char *argument; /* its name in --help; NULL for none */
    size_t offset; /* of the field that takes the value */
    const char *help;
    const char *const *choices; /* of STAT_CHOICE; a NULL ends them */
};

struct stat_option_table {
    const char *title; /* of its part of --help */
    const struct stat_option *rows;
    size_t count;
    size_t base; /* where its struct begins in the command's options */
};

/* For tables in initialisers. */
#define STAT_TABLE(title, rows, base)                                          \
    {                                                                          \
        (title), (rows), sizeof(rows) / sizeof *(rows), (base)                 \
    }

/*
 * Read the options of COMMAND into the struct at INTO, which has the
 * defaults. Operands are from argv[optind] on.
 * Returns: -1 to go on; or the exit status, help or one line printed.
 */
int stat_parse_options(const struct stat_command *command, void *into, int argc,
                       char **argv);

#endif
