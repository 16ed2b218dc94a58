/* SPDX-License-Identifier: MIT */
/* Ending a run when its numbers are known well enough, and its warm-up. */
#include "config.h"

#include <errno.h>

#include "complain.h"
#include "run_parts.h"

static int
watch_end(struct run *r, struct crew_config *crew)
{
    const struct options *o = r->o;
    const char *text = o->autoterm ? STOP_AUTOTERM : o->stop_when;
    struct stop_rule rule;

    if (text == NULL)
        return 0;
    if (!stop_parse(&rule, text))
        return EINVAL; /* the options were checked */
    r->report.stop_rule = text;
    r->report.stop = crew->stop = &r->stop;
    return stop_watch_init(&r->stop, &rule, o->min_duration_ns);
}

/* A moment of PART in CLOCK_MONOTONIC. */
static int64_t
moment_of(const struct part *part, int64_t since_ns)
{
    return part->begin_ns + since_ns;
}

static void
find_warmup(struct run *r, int64_t open_ns, int64_t close_ns)
{
    int64_t warmup_ns;

    r->report.warmup = REPORT_WARMUP_UNSETTLED;
    if (!stop_find_warmup(&warmup_ns, &r->part.intervals, open_ns, close_ns))
        return;
    r->report.warmup = warmup_ns > 0 ? REPORT_WARMUP_FOUND : REPORT_WARMUP_NONE;
    /* --warmup counts from the start. */
    r->report.warmup_s =
        (double) (open_ns - r->part.begin_ns + warmup_ns) / CLOCK_NS_PER_S;
}

static void
judge_end(struct run *r)
{
    struct part *p = &r->part;
    struct interval_table *all[] = {&p->intervals};
    int64_t close_ns = p->ended_ns < p->close_ns ? p->ended_ns : p->close_ns;
    bool open = p->open_ns != PART_NEVER && p->open_ns < close_ns;
    int64_t from_ns = moment_of(p, open ? p->open_ns : 0);
    int64_t to_ns = moment_of(p, close_ns);

    if (r->report.stop != NULL) {
        stop_watch_look(&r->stop, all, 1, from_ns, to_ns, true);
        /* A signal is no miss, and warp's rule a mere offer. */
        r->report.stop_missed = !r->stop.met && !r->o->autoterm && !p->stopped;
    }
    if (r->o->detect_warmup)
        find_warmup(r, from_ns, to_ns);
}

int
run_to_end(struct run *r, struct crew_config *crew)
{
    int err = watch_end(r, crew);

    if (err == 0)
        err = crew_run(crew, &r->part);
    if (err == 0)
        judge_end(r);
    return err;
}
