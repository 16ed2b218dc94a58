/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the command line share. Private to them.
 */
#ifndef S3PERF_OPTIONS_PARTS_H
#define S3PERF_OPTIONS_PARTS_H

#include <stddef.h>

#include "options.h"

#define OPTIONS_BIT(verb) (1u << (verb))

enum option_kind {
    TITLE, /* a heading of --help, no option */
    FLAG,
    TEXT,
    LIST,
    COUNT,
    NATURAL, /* a count, but not 0 */
    BATCH, /* likewise, or nothing: then it is OPTIONS_BATCH_MAX */
    SIZE,
    SIZES, /* the only one: o->sizes, o->size */
    DURATION,
    RATE,
    BIT_RATE,
    ARRIVALS,
    ADDRESSING,
    HELP,
    VERSION
};

struct option_row {
    enum option_kind kind;
    char letter; /* 0: none */
    const char *name; /* long name, or the title */
    const char *argument; /* its name in --help, NULL for none */
    size_t offset; /* of the field in struct options */
    unsigned verbs; /* which take it */
    const char *help;
};

#define FIELD(name) offsetof(struct options, name)

/* The table, headings included. */
extern const struct option_row option_rows[];
extern const size_t option_row_count;
#define OPTIONS_ROWS_MAX 256

/* Print --help on standard output. */
void options_print_help(void);

/* Read what several options say together. */
void options_settle(struct options *o);

/* Refuse values that are out of range, and options that do not go
 * together whatever the verb. */
void options_check(const struct options *o);

#endif
