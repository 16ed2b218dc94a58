/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stat_window.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "complain.h"
#include "units.h"

#define NEVER INT64_MAX

/* When each lane finished its first operation. */
struct lanes {
    int64_t *first_ns; /* owned; NEVER: not yet */
    uint64_t count, left;
};

const char *
stat_window_text(enum stat_window_kind kind)
{
    static const char *const texts[] = {
        [STAT_WINDOW_WHOLE] = "whole run, first start to last end",
        [STAT_WINDOW_STEADY] = "every lane has finished one, to the deadline",
        [STAT_WINDOW_TIMED] = "end of the warm-up to the deadline",
        [STAT_WINDOW_NOT_STEADY] = "NOT STEADY: whole run",
        [STAT_WINDOW_ASKED] = "as asked for"};

    return texts[kind];
}

const char *
stat_window_word(enum stat_window_kind kind)
{
    static const char *const words[] = {[STAT_WINDOW_WHOLE] = "whole",
                                        [STAT_WINDOW_STEADY] = "steady",
                                        [STAT_WINDOW_TIMED] = "timed",
                                        [STAT_WINDOW_NOT_STEADY] = "not-steady",
                                        [STAT_WINDOW_ASKED] = "asked"};

    return words[kind];
}

void
stat_window_ends(int64_t *from_ns, int64_t *to_ns, const struct stat_window *w,
                 const struct tally *t)
{
    bool any = t->last_end_ns >= t->first_start_ns;

    *from_ns = w->bounds.from_ns;
    *to_ns = w->bounds.to_ns;
    if (*from_ns == INT64_MIN)
        *from_ns = any ? t->first_start_ns : 0;
    /* A closed loop that was stopped early has no more to its end, and nobody
     * asked for more than there is. */
    if (*to_ns == INT64_MAX ||
        (w->kind != STAT_WINDOW_TIMED && any && t->last_end_ns < *to_ns))
        *to_ns = any ? t->last_end_ns : *from_ns;
    if (w->kind == STAT_WINDOW_ASKED && any && t->first_start_ns > *from_ns)
        *from_ns = t->first_start_ns;
    if (*to_ns < *from_ns)
        *to_ns = *from_ns;
}

/* --- what the head says --- */

static void
read_seconds(int64_t *out_ns, const struct intake *in, const char *name)
{
    const char *text = intake_fact(in, name);

    *out_ns = 0;
    if (text != NULL)
        (void) units_parse_duration(out_ns, text);
}

static void
read_asked(struct stat_window *w, const struct intake *in)
{
    const char *text = intake_fact(in, "concurrency");
    const char *rate = intake_fact(in, "rate");

    if (text == NULL || !units_parse_count(&w->concurrency, text))
        w->concurrency = 0;
    if (rate == NULL || !units_parse_rate(&w->rate_per_s, rate))
        w->rate_per_s = 0;
    read_seconds(&w->duration_ns, in, "duration");
    read_seconds(&w->warmup_ns, in, "warmup");
}

/* --- the lanes --- */

static bool
is_given_up(const struct record_view *v)
{
    return v->transport.n == 9 && memcmp(v->transport.at, "cancelled", 9) == 0;
}

static void
note_lane(struct lanes *l, const struct record_view *v)
{
    int64_t end = v->ns[RECORD_END];

    if (v->lane >= l->count || is_given_up(v))
        return;
    l->left -= l->first_ns[v->lane] == NEVER;
    if (end < l->first_ns[v->lane])
        l->first_ns[v->lane] = end;
}

/*
 * Read on until every lane has ended an operation, or to the end. As records
 * of a lane stand in the order in which they ended, that is early in the
 * file.
 */
static enum intake_got
find_lanes(struct lanes *l, struct intake *in, bool *full)
{
    struct record_view v;
    enum intake_got got = INTAKE_ONE;

    intake_mark(in);
    *full = false;
    while (l->left > 0 && got == INTAKE_ONE) {
        got = intake_record_marked(in, &v, full);
        if (got == INTAKE_ONE)
            note_lane(l, &v);
    }
    if (got != INTAKE_BAD)
        intake_rewind(in);
    return got;
}

/* The same over the whole file, which is opened again for it. */
static enum intake_got
read_all_lanes(struct lanes *l, struct intake *in, const char *path)
{
    struct record_view v;
    struct stat s;
    enum intake_got got = INTAKE_ONE;

    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode)) {
        complain(2,
                 "%s: where its window opens cannot be told from a pipe; say "
                 "--whole, or --from",
                 in->name);
        return INTAKE_BAD;
    }
    intake_close(in);
    if (intake_open(in, path) != 0)
        return INTAKE_BAD;
    while ((got = intake_record(in, &v)) == INTAKE_ONE)
        note_lane(l, &v);
    if (got == INTAKE_BAD)
        return got;
    intake_close(in);
    return intake_open(in, path) == 0 ? INTAKE_END : INTAKE_BAD;
}

/* When the last lane finished its first operation; NEVER. */
static int64_t
all_finished(const struct lanes *l)
{
    int64_t last = INT64_MIN;

    for (uint64_t i = 0; i < l->count; i++)
        if (l->first_ns[i] > last)
            last = l->first_ns[i];
    return last;
}

/* A timed closed loop: it opens when every lane has finished one operation
 * and the warm-up is over, by half of the duration or not at all. */
static int
find_steady(struct stat_window *w, struct intake *in, const char *path)
{
    int64_t half = w->warmup_ns + w->duration_ns / 2, open;
    struct lanes l = {.count = w->concurrency, .left = w->concurrency};
    enum intake_got got;
    bool full;

    if (l.count > TALLY_LANES_MAX)
        return intake_complain(in, "more than %u lanes", TALLY_LANES_MAX), 2;
    l.first_ns = malloc(l.count * sizeof *l.first_ns);
    if (l.first_ns == NULL)
        return complain(2, "no memory");
    for (uint64_t i = 0; i < l.count; i++)
        l.first_ns[i] = NEVER;
    got = find_lanes(&l, in, &full);
    if (got == INTAKE_END && full)
        got = read_all_lanes(&l, in, path);
    open = all_finished(&l);
    w->first_ns = l.first_ns;
    if (got == INTAKE_BAD)
        return 2;
    if (open < w->warmup_ns)
        open = w->warmup_ns;
    w->kind = open <= half ? STAT_WINDOW_STEADY : STAT_WINDOW_NOT_STEADY;
    if (w->kind == STAT_WINDOW_STEADY) {
        w->bounds.from_ns = open;
        w->bounds.to_ns = w->warmup_ns + w->duration_ns;
    }
    return 0;
}

void
stat_window_clear(struct stat_window *w)
{
    free(w->first_ns);
    w->first_ns = NULL;
}

bool
stat_window_agrees(const struct stat_window *w, const struct record_view *v)
{
    return w->first_ns == NULL || v->lane >= w->concurrency ||
           v->ns[RECORD_END] >= w->first_ns[v->lane] || is_given_up(v);
}

int
stat_window_find(struct stat_window *w, struct intake *in, const char *path,
                 const struct stat_window_asked *asked)
{
    *w = (struct stat_window){
        .bounds = {.from_ns = asked->from_ns, .to_ns = asked->to_ns}};
    read_asked(w, in);
    w->bounds.by_due = w->rate_per_s > 0;
    if (asked->from_ns != INT64_MIN || asked->to_ns != INT64_MAX) {
        w->kind = STAT_WINDOW_ASKED;
        return 0;
    }
    /* With a count, too, what ended the run is not known. */
    if (asked->whole || w->duration_ns <= 0 ||
        intake_fact(in, "operations") != NULL)
        return 0;
    if (w->rate_per_s <= 0)
        return w->concurrency > 0 ? find_steady(w, in, path) : 0;
    w->kind = STAT_WINDOW_TIMED;
    w->bounds.from_ns = w->warmup_ns;
    w->bounds.to_ns = w->warmup_ns + w->duration_ns;
    return 0;
}
