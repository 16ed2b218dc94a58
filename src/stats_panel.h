/* SPDX-License-Identifier: MIT */
/*
 * One metric in many cells that were measured in the same units (runs, or
 * repeats of one run), two sides of them: what differs, in each cell and on
 * the whole.
 *
 * Model: log value = cell and side + unit + rest. A unit moves all cells (a
 * slow night), the rest is a cell's own. The whole is the mean over the
 * cells, and its error comes from the units alone, as a t-test of their
 * means. A cell's variance is the sum of both parts; the rest is pooled over
 * the cells (stats_pool.h), and the degrees of freedom of the sum are
 * Satterthwaite's (Biometrics Bull. 2, 1946). So no power is claimed that a
 * few nights do not have, however many cells there are.
 */
#ifndef S3PERF_STATS_PANEL_H
#define S3PERF_STATS_PANEL_H

#include <stddef.h>

#include "stats_compare.h"

struct stats_panel {
    size_t cells;
    size_t units[2];
    const double *logs[2]; /* of a unit all cells, then the next; NaN: none */
};

/*
 * CELLS: one for each cell, WHOLE: over those that both sides have.
 * Returns: 0 or ENOMEM.
 */
int stats_panel_compare(struct stats_difference *whole,
                        struct stats_difference *cells,
                        const struct stats_panel *panel);

#endif
