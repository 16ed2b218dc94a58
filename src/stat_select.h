/* SPDX-License-Identifier: MIT */
/*
 * Which records count: options that the commands share, and the loop over
 * the records of a file.
 */
#ifndef S3PERF_STAT_SELECT_H
#define S3PERF_STAT_SELECT_H

#include "filter.h"
#include "intake.h"
#include "stat_options.h"
#include "stat_window.h"

struct stat_select {
    struct stat_list ops, hosts, endpoints, sizes, where;
    int64_t from_ns, to_ns, skip_ns;
    bool whole;
};

#define STAT_SELECT_DEFAULT                                                    \
    {                                                                          \
        .from_ns = INT64_MIN, .to_ns = INT64_MAX                               \
    }

extern const struct stat_option stat_select_rows[];
#define STAT_SELECT_ROWS 9
/* The table of options, for a struct that has a stat_select at BASE. */
#define STAT_SELECT_TABLE(base)                                                \
    {                                                                          \
        "Which records", stat_select_rows, STAT_SELECT_ROWS, (base)            \
    }

/* Make the filter, and what was asked of the window, of S.
 * Returns: -1; or 2 with one line printed. */
int stat_select_compile(const struct stat_select *s, struct filter *filter,
                        struct stat_window_asked *asked);

/* Takes one record. Returns: 0, or an errno value, which ends the loop. */
typedef int stat_record_fn(void *ctx, const struct record_view *v);

/* Give all records of IN that pass FILTER to TAKE. W, which may be NULL, is
 * that of stat_window_find(). Returns: 0; or 2 with one line printed. */
int stat_select_records(struct intake *in, const struct filter *filter,
                        const struct stat_window *w, stat_record_fn *take,
                        void *ctx);

#endif
