/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "part.h"

#include <errno.h>
#include <string.h>

int
part_init(struct part *p, const struct report_asked *asked, int64_t interval_ns)
{
    int err;

    *p = (struct part){.of = 1, .open_ns = PART_NEVER, .close_ns = PART_NEVER};
    err = report_init(&p->whole, asked);
    if (err == 0)
        err = report_init(&p->inside, asked);
    return err != 0 ? err : interval_init(&p->intervals, interval_ns);
}

void
part_clear(struct part *p)
{
    report_clear(&p->whole);
    report_clear(&p->inside);
    interval_clear(&p->intervals);
}

int64_t
part_window_ns(const struct part *p)
{
    /* A run that ended before its deadline closes with its last end. */
    int64_t end_ns =
        p->ended_ns >= p->close_ns ? p->close_ns : p->inside.last_end_ns;

    if (!p->timed || p->open_ns == PART_NEVER || end_ns <= p->open_ns)
        return 0;
    return end_ns - p->open_ns;
}

/* Whether the whole run counts; *UNSTEADY when only because a window did
 * not open. */
static bool
is_whole(const struct part *parts, uint32_t count, bool *unsteady)
{
    bool timed = false, steady = true, stopped = false, early = true;

    for (uint32_t i = 0; i < count; i++) {
        timed |= parts[i].timed;
        steady &= parts[i].open_ns != PART_NEVER;
        stopped |= parts[i].stopped;
        early &= parts[i].ended_ns < parts[i].close_ns;
    }
    /* The count ended it before its time: a counted run. */
    early &= !stopped;
    *unsteady = timed && !steady && !early;
    return !timed || !steady || early;
}

/* Make one window of those that differ, and let the books fit it. */
static void
join_windows(struct report *report, const struct part *parts, uint32_t count)
{
    double per_ns = 0, flight = 0, residence = 0, sum = 0;
    int64_t first = part_window_ns(&parts[0]);
    bool same = true;

    for (uint32_t i = 0; i < count; i++) {
        int64_t window_ns = part_window_ns(&parts[i]);

        same &= window_ns == first;
        if (window_ns == 0)
            continue;
        sum += (double) window_ns;
        per_ns += (double) parts[i].inside.ops / (double) window_ns;
        flight += parts[i].inside.books.flight_ns / (double) window_ns;
        residence += parts[i].inside.books.residence_ns / (double) window_ns;
    }
    report->window_ns = first;
    if (same)
        return;
    report->window_ns = per_ns > 0
                            ? (int64_t) ((double) report->ops / per_ns + 0.5)
                            : (int64_t) (sum / count);
    report->books.flight_ns = flight * (double) report->window_ns;
    report->books.residence_ns = residence * (double) report->window_ns;
}

static void
add_whole(struct report_whole *sum, const struct report *whole)
{
    sum->ops += whole->ops;
    sum->errors += whole->errors;
    sum->wire_bytes += whole->wire_bytes;
    sum->retried += whole->retried;
    sum->resent += whole->resent;
    sum->unfinished += whole->unfinished;
}

void
part_conclude(struct report *report, struct interval_table *intervals,
              struct part *parts, uint32_t count)
{
    bool unsteady = false;
    bool whole = is_whole(parts, count, &unsteady);

    for (uint32_t i = 0; i < count; i++) {
        report_merge(report, whole ? &parts[i].whole : &parts[i].inside);
        interval_merge(intervals, &parts[i].intervals);
        add_whole(&report->whole, &parts[i].whole);
    }
    report->has_whole = !whole;
    report->not_steady = unsteady;
    report->intervals = intervals;
    if (!whole && count > 0)
        join_windows(report, parts, count);
    /* The rates of all slices are over the time of the whole. */
    for (uint32_t i = 0; i < report->asked.slice_count; i++)
        report->slices[i].window_ns =
            (int64_t) (report_window_s(report) * (double) CLOCK_NS_PER_S + 0.5);
}
