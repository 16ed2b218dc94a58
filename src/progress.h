/* SPDX-License-Identifier: MIT */
/*
 * The live view on standard error while a run goes on.
 */
#ifndef S3PERF_PROGRESS_H
#define S3PERF_PROGRESS_H

#include <stdbool.h>

#include "crew.h"

enum progress_form { PROGRESS_NONE, PROGRESS_LINE, PROGRESS_JSON };

struct progress {
    enum progress_form form;
    const char *phase; /* not owned */
    bool shown; /* a line stands on the terminal */
};

/* What WISH ("none", "line", "json"; NULL: a line on a terminal) means. */
void progress_init(struct progress *p, const char *wish, const char *phase);

/* A crew_config's show, over a struct progress. */
void progress_show(void *ctx, const struct crew_view *view);

/* Take the line away again. */
void progress_clear(struct progress *p);

#endif
