/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "window.h"

#include "clock.h"

void
window_init(struct window *w, enum window_kind kind, int64_t begin_ns,
            int64_t warmup_ns, int64_t duration_ns, uint32_t lanes)
{
    w->kind = kind;
    w->begin_ns = begin_ns;
    w->warm_ns = begin_ns + warmup_ns;
    w->close_ns = duration_ns > 0 ? w->warm_ns + duration_ns : WINDOW_NEVER;
    w->give_up_ns = w->warm_ns + duration_ns / 2;
    atomic_store(&w->lanes_left, lanes);
    atomic_store(&w->open_ns, WINDOW_NEVER);
    if (kind == WINDOW_WHOLE)
        atomic_store(&w->open_ns, begin_ns);
    else if (kind == WINDOW_TIMED)
        atomic_store(&w->open_ns, w->warm_ns);
}

void
window_lane_finished(struct window *w, int64_t now_ns)
{
    if (atomic_fetch_sub(&w->lanes_left, 1) != 1 || w->kind != WINDOW_STEADY)
        return;
    if (now_ns < w->warm_ns)
        now_ns = w->warm_ns;
    if (now_ns <= w->give_up_ns)
        atomic_store(&w->open_ns, now_ns);
}

void
window_stop(struct window *w, int64_t now_ns)
{
    int64_t close_ns = w->close_ns;

    while (now_ns < close_ns &&
           !atomic_compare_exchange_weak(&w->close_ns, &close_ns, now_ns))
        ;
}

int64_t
window_open_ns(const struct window *w)
{
    return atomic_load_explicit(&w->open_ns, memory_order_acquire);
}

bool
window_has_end(const struct window *w, int64_t end_ns)
{
    return end_ns >= window_open_ns(w) && end_ns <= w->close_ns;
}

bool
window_has_start(const struct window *w, int64_t from_ns)
{
    return from_ns >= window_open_ns(w) && from_ns < w->close_ns;
}

/* How much of FROM..TO lies in OPEN..CLOSE. */
static double
overlap(int64_t from, int64_t to, int64_t open, int64_t close)
{
    if (from < open)
        from = open;
    if (to > close)
        to = close;
    return to > from ? (double) (to - from) : 0;
}

/* Bring the integrals up to NOW. */
static void
advance(struct window_books *b, const struct window *w, int64_t now_ns)
{
    double n = b->in_flight;

    if (now_ns < b->changed_ns)
        return;
    if (n > 0) {
        b->flight_ns +=
            n * overlap(b->changed_ns, now_ns, window_open_ns(w), w->close_ns);
        b->whole_flight_ns += n * (double) (now_ns - b->changed_ns);
    }
    b->changed_ns = now_ns;
}

void
window_take_up(struct window_books *b, const struct window *w, int64_t now_ns)
{
    advance(b, w, now_ns);
    b->in_flight++;
}

void
window_finish(struct window_books *b, const struct window *w, int64_t start_ns,
              int64_t end_ns)
{
    advance(b, w, end_ns);
    b->in_flight--;
    b->residence_ns +=
        overlap(start_ns, end_ns, window_open_ns(w), w->close_ns);
    b->whole_residence_ns += (double) (end_ns - start_ns);
}

void
window_merge_books(struct window_books *b, const struct window_books *from)
{
    b->in_flight += from->in_flight;
    b->flight_ns += from->flight_ns;
    b->whole_flight_ns += from->whole_flight_ns;
    b->residence_ns += from->residence_ns;
    b->whole_residence_ns += from->whole_residence_ns;
}
