/* SPDX-License-Identifier: MIT */
/*
 * Which part of a run counts (design 3.5), and the books of what was in
 * flight meanwhile (Little's law, design 3.7).
 *
 * A counted run counts whole. A timed closed loop counts from the moment
 * when every lane has finished one operation and the warm-up is over; an
 * open loop from the end of the warm-up; both until the deadline.
 */
#ifndef S3PERF_WINDOW_H
#define S3PERF_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define WINDOW_NEVER INT64_MAX

enum window_kind {
    WINDOW_WHOLE, /* counted: first start to last end */
    WINDOW_STEADY, /* timed closed loop */
    WINDOW_TIMED /* open loop */
};

/* Shared by all threads. Moments are CLOCK_MONOTONIC nanoseconds. */
struct window {
    enum window_kind kind;
    int64_t begin_ns; /* the run's start */
    int64_t warm_ns; /* the warm-up is over */
    int64_t give_up_ns; /* a steady window opens by then or not at all */
    _Atomic int64_t close_ns; /* the deadline, or when a signal stopped the
                                 run; WINDOW_NEVER: none */
    _Atomic uint32_t lanes_left; /* that have not finished an operation */
    _Atomic int64_t open_ns; /* WINDOW_NEVER until it is known */
};

/* DURATION_NS counts from the end of the warm-up; 0: no deadline. */
void window_init(struct window *w, enum window_kind kind, int64_t begin_ns,
                 int64_t warmup_ns, int64_t duration_ns, uint32_t lanes);

/* A lane has finished its first operation at NOW_NS. Any thread. */
void window_lane_finished(struct window *w, int64_t now_ns);

/* The run was stopped at NOW_NS: nothing after it counts. Any thread. */
void window_stop(struct window *w, int64_t now_ns);

/* WINDOW_NEVER while it is not open (yet). */
int64_t window_open_ns(const struct window *w);

/* Whether a completion at END_NS counts for rates. */
bool window_has_end(const struct window *w, int64_t end_ns);

/* Whether an operation that started (closed loop) or was due (open loop) at
 * FROM_NS counts for latencies. */
bool window_has_start(const struct window *w, int64_t from_ns);

/* One thread's books, over the window and over the whole run. */
struct window_books {
    uint32_t in_flight;
    int64_t changed_ns; /* when in_flight changed last */
    double flight_ns, whole_flight_ns; /* integral of in_flight */
    double residence_ns, whole_residence_ns; /* sum of times in flight */
};

void window_take_up(struct window_books *b, const struct window *w,
                    int64_t now_ns);
/* What was taken up at START_NS ended at END_NS. */
void window_finish(struct window_books *b, const struct window *w,
                   int64_t start_ns, int64_t end_ns);
void window_merge_books(struct window_books *b,
                        const struct window_books *from);

#endif
