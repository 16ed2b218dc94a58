/* SPDX-License-Identifier: MIT */
/*
 * Which part of a run counts, from what its file says was asked (design
 * 3.5) or from what the user says.
 */
#ifndef S3PERF_STAT_WINDOW_H
#define S3PERF_STAT_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "intake.h"
#include "tally.h"

enum stat_window_kind {
    STAT_WINDOW_WHOLE, /* first start to last end */
    STAT_WINDOW_STEADY, /* every lane has finished one, to the deadline */
    STAT_WINDOW_TIMED, /* open loop: end of the warm-up to the deadline */
    STAT_WINDOW_NOT_STEADY, /* it did not open by half time: whole */
    STAT_WINDOW_ASKED /* --from, --to, --skip */
};

struct stat_window {
    enum stat_window_kind kind;
    struct tally_window bounds;
    /* what the head of the file says; 0: nothing */
    uint64_t concurrency;
    int64_t duration_ns, warmup_ns;
    double rate_per_s;
    int64_t *first_ns; /* private, owned: when lanes finished their first */
};

/* What the user says; INT64_MIN and INT64_MAX: nothing. */
struct stat_window_asked {
    int64_t from_ns, to_ns;
    bool whole; /* all of it, whatever the file says */
};

/*
 * Find the window of IN, which was just opened from PATH; its records are
 * all there afterwards. IN may be opened again.
 * Returns: 0; or 2 with one line printed. stat_window_clear() in any case.
 */
int stat_window_find(struct stat_window *w, struct intake *in, const char *path,
                     const struct stat_window_asked *asked);

/* Safe twice. */
void stat_window_clear(struct stat_window *w);

/* Whether V is no earlier than what its lane was taken to begin with: as the
 * records of a lane stand in order, a glance at the beginning of the file
 * told that. */
bool stat_window_agrees(const struct stat_window *w,
                        const struct record_view *v);

/* "first start to last end", ... */
const char *stat_window_text(enum stat_window_kind kind);

/* "whole", "steady", ... for programs. */
const char *stat_window_word(enum stat_window_kind kind);

/* Its ends, those of T where there are none; nothing of it: 0, 0. */
void stat_window_ends(int64_t *from_ns, int64_t *to_ns,
                      const struct stat_window *w, const struct tally *t);

#endif
