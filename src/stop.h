/* SPDX-License-Identifier: MIT */
/*
 * When a timed run may end before its deadline: rules on what its interval
 * counters say so far.
 *
 *     ci(p50)<2%        half of the interval of confidence (95 %) of the
 *                       median service time is less than 2 % of it; likewise
 *                       p90, p99 ... and rate, operations per second
 *     steady(7.5%,15s)  cut into 25 blocks, the rates of the last 7 are within
 *                       7.5 % of the last one, and these are 15 s
 *
 * The intervals are those of stats_blocks.h, from 20 stretches of time on.
 * They are looked at each time the run has become a tenth longer: whoever
 * looks all the time stops at the first lucky moment (Glynn and Whitt, Ann.
 * Appl. Prob. 2, 1992: stopping by width is right for long runs only).
 */
#ifndef S3PERF_STOP_H
#define S3PERF_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interval.h"

#define STOP_CONDITIONS_MAX 4
#define STOP_STRETCHES_MIN 20

/* What warp documents of its --autoterm, with its defaults. */
#define STOP_AUTOTERM "steady(7.5%,15s)"

struct stop_condition {
    bool steady; /* else an interval of confidence */
    double p; /* of a percentile; 0: the rate */
    double width; /* a share: half the interval, or distance of blocks */
    int64_t calm_ns; /* how long the last 7 blocks must be */
};

/* Conditions that must hold together. */
struct stop_rule {
    struct stop_condition conditions[STOP_CONDITIONS_MAX];
    size_t count;
};

/* Conditions with commas between them. Returns: false, RULE undefined, when
 * TEXT is none. */
bool stop_parse(struct stop_rule *rule, const char *text);

struct stop_watch {
    struct stop_rule rule;
    int64_t min_ns; /* the window must be that long */
    /* what was found when it was looked at last: */
    double reached[STOP_CONDITIONS_MAX]; /* the share that `width` is about;
                                            NaN: cannot be told (yet) */
    bool met;
    int64_t after_ns; /* how long the window was then */
    /* private */
    int64_t next_ns; /* when to look again, since the window opened */
    struct interval_table seen;
};

/* Returns: 0 or ENOMEM. Pair with stop_watch_clear(); safe twice. */
int stop_watch_init(struct stop_watch *s, const struct stop_rule *rule,
                    int64_t min_ns);
void stop_watch_clear(struct stop_watch *s);

/*
 * Look at the run at NOW_NS, whose window opened at OPEN_NS and whose threads
 * have N tables: they may go on being written. LAST: at its end, whatever
 * the time.
 * Returns: whether it may end.
 */
bool stop_watch_look(struct stop_watch *s, struct interval_table *const *tables,
                     size_t n, int64_t open_ns, int64_t now_ns, bool last);

/*
 * Where the warm-up of a run ends (stats_steady.h), from rates and medians
 * of the rows of T between OPEN_NS and CLOSE_NS: the later of the two.
 * Returns: false when the run is too short, or never settled.
 */
bool stop_find_warmup(int64_t *warmup_ns, const struct interval_table *t,
                      int64_t open_ns, int64_t close_ns);

#endif
