/* SPDX-License-Identifier: MIT */
/* The plan of a sweep, as a table and for people. */
#include "config.h"

#include "sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "units.h"

/* --- plan.tsv --- */

static const char columns[] =
    "cell\tgroup\ttarget\tsize\tconcurrency\trepeat\tphases\tfirst\tlast\tops"
    "\tup_bytes\tdown_bytes\tputs\tlists\tgets\tdeletes\talive_bytes\tmost_s"
    "\tlikely_s\tskip\n";

static int
add_phases(struct buf *out, uint32_t phases)
{
    const char *between = "";
    int err = 0;

    if (phases == 0)
        return buf_adds(out, "-");
    for (size_t i = 0; err == 0 && i < SWEEP_PHASES; i++)
        if ((phases & SWEEP_BIT(i)) != 0) {
            err = buf_addf(out, "%s%s", between, sweep_phase_names[i]);
            between = ",";
        }
    return err;
}

static int
add_cell(struct buf *out, const struct sweep *s, const struct sweep_cell *c,
         size_t number)
{
    const struct sweep_volume *v = &c->volume;
    int err = buf_addf(
        out, "%zu\t%" PRIu32 "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\t",
        number, c->group, s->targets[c->target], c->size, c->lanes, c->repeat);

    if (err == 0)
        err = add_phases(out, c->phases);
    if (err == 0)
        err =
            buf_addf(out,
                     "\t%d\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
                     "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
                     c->first, c->last, c->ops, v->up_bytes, v->down_bytes,
                     v->puts, v->lists, v->gets, v->deletes, v->alive_bytes);
    if (err == 0)
        err = buf_addf(out, "\t%.3f\t%.3f\t%s\n", (double) v->most_ns / 1e9,
                       (double) v->likely_ns / 1e9, sweep_skip_names[c->skip]);
    return err;
}

int
sweep_add_table(struct buf *out, const struct sweep *s,
                const struct sweep_plan *plan)
{
    int err = buf_adds(out, "# " SWEEP_PLAN_FORMAT "\n");

    if (err == 0)
        err = buf_adds(out, columns);
    for (size_t i = 0; err == 0 && i < plan->count; i++)
        err = add_cell(out, s, &plan->cells[i], i + 1);
    return err;
}

/* --- the preview --- */

/* 1234567 as "1,234,567". */
static int
add_count(struct buf *out, uint64_t value)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, value), err = 0;

    for (int i = 0; i < n && err == 0; i++) {
        err = buf_addc(out, digits[i]);
        if (err == 0 && (n - i) % 3 == 1 && i < n - 1)
            err = buf_addc(out, ',');
    }
    return err;
}

static int
add_size(struct buf *out, uint64_t bytes)
{
    char text[UNITS_TEXT_SIZE];

    units_format_size(text, (double) bytes);
    return buf_adds(out, text);
}

/* "42 s", "3 min 20 s", "2 h 5 min", "3 days 4 h". */
static int
add_time(struct buf *out, int64_t ns)
{
    static const struct {
        const char *large, *small;
        uint64_t large_s, small_s, below_s;
    } steps[] = {{"min", "s", 60, 1, 3600},
                 {"h", "min", 3600, 60, 86400},
                 {"days", "h", 86400, 3600, UINT64_MAX}};
    uint64_t s = (uint64_t) (ns / CLOCK_NS_PER_S) +
                 (ns % CLOCK_NS_PER_S > 0); /* never "0 s" for something */
    size_t i = 0;
    uint64_t rest;
    int err;

    if (s < 60)
        return buf_addf(out, "%" PRIu64 " s", s);
    while (s >= steps[i].below_s)
        i++;
    rest = s % steps[i].large_s / steps[i].small_s;
    err = buf_addf(out, "%" PRIu64 " %s", s / steps[i].large_s, steps[i].large);
    if (err == 0 && rest > 0)
        err = buf_addf(out, " %" PRIu64 " %s", rest, steps[i].small);
    return err;
}

static int
add_axis(struct buf *out, const struct sweep_axis *axis, const char *what,
         bool bytes)
{
    uint64_t low = axis->values[0], high = axis->values[axis->count - 1];
    int err = buf_addf(out, "%zu %s%s", axis->count, what,
                       axis->count == 1 ? "" : "s");

    if (err == 0)
        err = buf_adds(out, " (");
    if (err == 0)
        err = bytes ? add_size(out, low) : add_count(out, low);
    if (err == 0 && axis->count > 1)
        err = buf_adds(out, " to ");
    if (err == 0 && axis->count > 1)
        err = bytes ? add_size(out, high) : add_count(out, high);
    return err != 0 ? err : buf_adds(out, ")");
}

static int
add_matrix(struct buf *out, const struct sweep *s,
           const struct sweep_plan *plan)
{
    int err = buf_adds(out, "cells      ");

    if (err == 0)
        err = add_count(out, plan->skipped[SWEEP_RUNS]);
    if (err == 0)
        err = buf_adds(out, ": ");
    if (err == 0)
        err = add_axis(out, &s->sizes, "size", true);
    if (err == 0)
        err = buf_adds(out, " x ");
    if (err == 0)
        err = add_axis(out, &s->lanes, "concurrency level", false);
    if (err == 0 && s->repeats > 1)
        err = buf_addf(out, " x %" PRIu32 " repeats", s->repeats);
    if (err == 0 && s->target_count > 1)
        err = buf_addf(out, " x %" PRIu32 " targets", s->target_count);
    if (err == 0 && (s->phases & SWEEP_BUCKETS) != 0 && s->bucket_ops > 0)
        err = buf_adds(out, "\n           and one of buckets");
    return err != 0 ? err : buf_addc(out, '\n');
}

static int
add_order(struct buf *out, const struct sweep *s)
{
    int err = buf_adds(out, "phases     ");

    if (err == 0)
        err = add_phases(out, s->phases);
    if (err == 0)
        err = buf_adds(out, "\norder      ");
    if (err == 0)
        err = s->ordered ? buf_adds(out, "as listed")
                         : buf_addf(out, "random, seed %" PRIu64, s->seed);
    if (err == 0 && s->cold)
        err = buf_adds(out, "; reads one pass after the uploads");
    return err != 0 ? err : buf_addc(out, '\n');
}

/* What does not run, by reason. */
static int
add_skipped(struct buf *out, const struct sweep_plan *plan)
{
    const char *before = "skipped    ";
    int err = 0;

    for (size_t i = SWEEP_RUNS + 1; err == 0 && i < SWEEP_SKIPS; i++) {
        if (plan->skipped[i] == 0)
            continue;
        err = buf_adds(out, before);
        if (err == 0)
            err = add_count(out, plan->skipped[i]);
        if (err == 0)
            err = buf_addf(out, " over --%s", sweep_skip_names[i]);
        before = ", ";
    }
    if (err == 0 && *before == ',')
        err = buf_addc(out, '\n');
    return err;
}

static int
add_requests(struct buf *out, const struct sweep_volume *v)
{
    const struct {
        const char *name;
        uint64_t count;
    } kinds[] = {{"put", v->puts},
                 {"list", v->lists},
                 {"get", v->gets},
                 {"delete", v->deletes}};
    int err = buf_adds(out, "requests   at most ");

    if (err == 0)
        err = add_count(out, sweep_requests(v));
    for (size_t i = 0; err == 0 && i < sizeof kinds / sizeof *kinds; i++) {
        err = buf_adds(out, i == 0 ? ": " : ", ");
        if (err == 0)
            err = add_count(out, kinds[i].count);
        if (err == 0)
            err = buf_addf(out, " %s", kinds[i].name);
    }
    return err != 0 ? err : buf_addc(out, '\n');
}

static int
add_bytes(struct buf *out, const struct sweep_volume *v)
{
    int err = buf_adds(out, "bytes      at most ");

    if (err == 0)
        err = add_size(out, v->up_bytes);
    if (err == 0)
        err = buf_adds(out, " up, ");
    if (err == 0)
        err = add_size(out, v->down_bytes);
    if (err == 0)
        err = buf_adds(out, " down; stored at a time: ");
    if (err == 0)
        err = add_size(out, v->alive_bytes);
    return err != 0 ? err : buf_addc(out, '\n');
}

static int
add_cost(struct buf *out, const struct sweep *s, const struct sweep_volume *v,
         const struct prices *prices)
{
    int err = buf_adds(out, "time       about ");

    if (err == 0)
        err = add_time(out, v->likely_ns);
    if (err == 0)
        err = buf_adds(out, ", at most ");
    if (err == 0)
        err = add_time(out, v->most_ns);
    if (err == 0 && s->latency_ns > 0) {
        char text[UNITS_TEXT_SIZE];

        units_format_duration(text, (double) s->latency_ns);
        err = buf_addf(out, " (a small request takes %s)", text);
    }
    if (err == 0 && prices != NULL)
        err =
            buf_addf(out, "\nmoney      at most %.2f%s%s",
                     ceil(sweep_money(v, prices) * 100) / 100,
                     prices->currency[0] != '\0' ? " " : "", prices->currency);
    return err != 0 ? err : buf_addc(out, '\n');
}

int
sweep_add_preview(struct buf *out, const struct sweep *s,
                  const struct sweep_plan *plan, const struct prices *prices)
{
    bool hot = (s->phases & SWEEP_READS) != 0 && !s->cold && s->settle_ns == 0;
    int err = add_matrix(out, s, plan);

    if (err == 0)
        err = add_skipped(out, plan);
    if (err == 0)
        err = add_order(out, s);
    if (err == 0)
        err = add_requests(out, &plan->total);
    if (err == 0)
        err = add_bytes(out, &plan->total);
    if (err == 0)
        err = add_cost(out, s, &plan->total, prices);
    if (err == 0 && hot)
        err = buf_adds(out, "caches     reads follow writes at once, so caches "
                            "may answer them;\n           --settle TIME waits, "
                            "--cold reads objects of an earlier pass\n");
    return err;
}
