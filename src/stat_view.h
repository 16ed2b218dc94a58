/* SPDX-License-Identifier: MIT */
/*
 * What the commands that show one side of the records have in common: their
 * options, and the loop over files.
 */
#ifndef S3PERF_STAT_VIEW_H
#define S3PERF_STAT_VIEW_H

#include "stat_command.h"
#include "stat_select.h"
#include "stat_sheet.h"

struct stat_view;

/* What a command does with each file. */
struct stat_view_calls {
    /* A file begins; may be NULL. All return 0 or an errno value;
     * ECANCELED: one line was printed. */
    int (*begin)(struct stat_view *view, const struct intake *in);
    stat_record_fn *take; /* its context is the view */
    int (*end)(struct stat_view *view, const struct intake *in);
};

struct stat_view {
    struct stat_select select;
    bool json, tsv;
    /* private */
    struct filter filter;
    struct stat_window_asked asked;
    const struct stat_view_calls *calls;
    struct intake in; /* the file that is read */
};

#define STAT_VIEW_DEFAULT                                                      \
    {                                                                          \
        .select = STAT_SELECT_DEFAULT                                          \
    }

extern const struct stat_option stat_view_rows[];
#define STAT_VIEW_ROWS 2
/* The tables of options of a struct whose stat_view is at BASE. */
#define STAT_VIEW_TABLES(base)                                                 \
    {"Output", stat_view_rows, STAT_VIEW_ROWS, (base)},                        \
        STAT_SELECT_TABLE((base) + offsetof(struct stat_view, select))

/*
 * Read the options of COMMAND into O, whose view is VIEW. Returns: -1 to go
 * on; or an exit status.
 */
int stat_view_parse(struct stat_view *view, void *o,
                    const struct stat_command *command, int argc, char **argv);

enum stat_shape stat_view_shape(const struct stat_view *view);

/* Give each record of each operand that ended within what was asked for to
 * CALLS. Returns: an exit status. */
int stat_view_read(struct stat_view *view, const struct stat_command *command,
                   char **operands, const struct stat_view_calls *calls);

#endif
