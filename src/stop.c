/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats_blocks.h"
#include "stats_steady.h"
#include "units.h"

#define LEVEL 0.95
#define PIECE_MAX 64

/* --- rules --- */

/* "2%" or "0.02". */
static bool
parse_share(double *out, char *text)
{
    size_t n = strlen(text);
    bool percent = n > 0 && text[n - 1] == '%';

    if (percent)
        text[n - 1] = '\0';
    if (!units_parse_decimal(out, text))
        return false;
    if (percent)
        *out /= 100;
    return *out > 0 && *out < 1;
}

/* "rate", "p50", "p99.9". */
static bool
parse_metric(double *p, const char *text)
{
    double percent;

    if (strcmp(text, "rate") == 0) {
        *p = 0;
        return true;
    }
    if (*text != 'p' || !units_parse_decimal(&percent, text + 1))
        return false;
    *p = percent / 100;
    return *p > 0 && *p < 1;
}

static bool
parse_condition(struct stop_condition *c, char *text)
{
    char *open = strchr(text, '('), *close = strrchr(text, ')'), *comma;

    *c = (struct stop_condition){.p = 0};
    if (open == NULL || close == NULL || close < open)
        return false;
    *open++ = *close++ = '\0';
    if (strcmp(text, "ci") == 0)
        return *close == '<' && parse_metric(&c->p, open) &&
               parse_share(&c->width, close + 1);
    comma = strchr(open, ',');
    if (strcmp(text, "steady") != 0 || *close != '\0' || comma == NULL)
        return false;
    *comma++ = '\0';
    c->steady = true;
    return parse_share(&c->width, open) &&
           units_parse_duration(&c->calm_ns, comma);
}

/* The length of the condition that TEXT begins with: up to a comma that is
 * not in brackets. */
static size_t
condition_length(const char *text)
{
    size_t n = 0;

    for (int depth = 0; text[n] != '\0' && (text[n] != ',' || depth > 0); n++)
        depth += text[n] == '(' ? 1 : text[n] == ')' ? -1 : 0;
    return n;
}

bool
stop_parse(struct stop_rule *rule, const char *text)
{
    rule->count = 0;
    for (;;) {
        size_t n = condition_length(text);
        char piece[PIECE_MAX];

        if (n >= sizeof piece || rule->count == STOP_CONDITIONS_MAX)
            return false;
        memcpy(piece, text, n);
        piece[n] = '\0';
        if (!parse_condition(&rule->conditions[rule->count++], piece))
            return false;
        if (text[n] == '\0')
            return true;
        text += n + 1;
    }
}

/* --- what was seen --- */

/* Stretches of time: so many rows each that operations are shorter. */
struct stretches {
    double ops[INTERVAL_MAX], bytes[INTERVAL_MAX], below[INTERVAL_MAX];
    size_t count, rows; /* rows: in each */
    uint64_t first; /* row of the first one */
    struct interval sum; /* of all */
    int64_t width_ns; /* of one */
};

/* Rows that lie whole between FROM and TO. */
static void
find_rows(uint64_t *first, uint64_t *end, const struct interval_table *t,
          int64_t from_ns, int64_t to_ns)
{
    int64_t width = t->width_ns;
    int64_t from = (from_ns - t->begin_ns + width - 1) / width;
    int64_t to = (to_ns - t->begin_ns) / width;

    *first = from > 0 ? (uint64_t) from : 0;
    *end = to > 0 ? (uint64_t) to : 0;
    if (*end > t->count)
        *end = t->count;
    if (*first > *end)
        *first = *end;
}

static void
divide(struct stretches *s, const struct interval_table *t, int64_t from_ns,
       int64_t to_ns)
{
    uint64_t end;

    memset(s, 0, sizeof *s);
    find_rows(&s->first, &end, t, from_ns, to_ns);
    for (uint64_t i = s->first; i < end; i++)
        interval_add(&s->sum, &t->rows[i]);
    s->rows = 1;
    if (s->sum.ops > 0)
        s->rows = (size_t) ceil(s->sum.flight_ns / (double) s->sum.ops /
                                (double) t->width_ns);
    if (s->rows < 1)
        s->rows = 1;
    s->count = (size_t) (end - s->first) / s->rows;
    s->width_ns = t->width_ns * (int64_t) s->rows;
    for (size_t i = 0; i < s->count * s->rows; i++) {
        s->ops[i / s->rows] += (double) t->rows[s->first + i].ops;
        s->bytes[i / s->rows] += (double) t->rows[s->first + i].good_bytes;
    }
}

/* --- conditions --- */

/* The value at rank P of what is counted in ROW, somewhere inside its bucket:
 * as far as the rank is. */
static double
value_at(const struct interval *row, double p)
{
    double wanted = p * (double) row->ops, before = 0;

    for (uint32_t i = 0; i < INTERVAL_BUCKETS; i++) {
        double here = row->counts[i];

        if (here > 0 && before + here >= wanted)
            return interval_edge(i) +
                   (interval_edge(i + 1) - interval_edge(i)) *
                       (wanted - before) / here;
        before += here;
    }
    return NAN;
}

static double
percentile_width(struct stretches *s, const struct interval_table *t, double p)
{
    struct stats_ratio below;
    double low, high, value = value_at(&s->sum, p);
    uint32_t bucket = 0;
    uint64_t seen = 0;

    while (bucket < INTERVAL_BUCKETS &&
           (double) (seen += s->sum.counts[bucket]) < p * (double) s->sum.ops)
        bucket++;
    memset(s->below, 0, sizeof s->below);
    for (size_t i = 0; i < s->count * s->rows; i++)
        for (uint32_t k = 0; k <= bucket && k < INTERVAL_BUCKETS; k++)
            s->below[i / s->rows] += t->rows[s->first + i].counts[k];
    stats_blocks_ratio(&below, s->below, s->ops, s->count);
    stats_blocks_ranks(&low, &high, &below, p, LEVEL, (double) s->sum.ops);
    return (value_at(&s->sum, high) - value_at(&s->sum, low)) / 2 / value;
}

/* The rate within the last 7 of 25 blocks, at most this far from the last. */
static double
steady_distance(const struct stretches *s, const struct stop_condition *c)
{
    double calm = (double) s->width_ns * (double) s->count *
                  STATS_AUTOTERM_STEADY / STATS_AUTOTERM_BLOCKS;

    if (calm < (double) c->calm_ns)
        return NAN;
    return stats_steady_distance(s->sum.good_bytes > 0 ? s->bytes : s->ops,
                                 s->count);
}

static double
judge(struct stretches *s, const struct interval_table *t,
      const struct stop_condition *c)
{
    struct stats_ratio rate;

    if (c->steady)
        return steady_distance(s, c);
    if (s->count < STOP_STRETCHES_MIN)
        return NAN;
    if (c->p > 0)
        return percentile_width(s, t, c->p);
    stats_blocks_ratio(&rate, s->ops, NULL, s->count);
    return stats_blocks_half(&rate, LEVEL) / rate.value;
}

/* --- the watch --- */

int
stop_watch_init(struct stop_watch *s, const struct stop_rule *rule,
                int64_t min_ns)
{
    *s = (struct stop_watch){.rule = *rule, .min_ns = min_ns};
    for (size_t i = 0; i < STOP_CONDITIONS_MAX; i++)
        s->reached[i] = NAN;
    return interval_init(&s->seen, 1);
}

void
stop_watch_clear(struct stop_watch *s)
{
    interval_clear(&s->seen);
}

/* All tables as one, in S->seen. */
static void
collect(struct stop_watch *s, struct interval_table *const *tables, size_t n)
{
    interval_forget(&s->seen, tables[0]);
    for (size_t i = 0; i < n; i++)
        interval_merge_live(&s->seen, tables[i]);
}

bool
stop_watch_look(struct stop_watch *s, struct interval_table *const *tables,
                size_t n, int64_t open_ns, int64_t now_ns, bool last)
{
    int64_t since_ns = now_ns - open_ns;
    struct stretches *stretches;

    if (n == 0 || s->met || (since_ns < s->next_ns && !last))
        return s->met;
    stretches = malloc(sizeof *stretches);
    if (stretches == NULL)
        return false; /* the deadline remains */
    collect(s, tables, n);
    divide(stretches, &s->seen, open_ns, now_ns);
    s->next_ns = since_ns + since_ns / 10 + s->seen.width_ns;
    s->after_ns = since_ns;
    s->met = since_ns >= s->min_ns;
    for (size_t i = 0; i < s->rule.count; i++) {
        const struct stop_condition *c = &s->rule.conditions[i];

        s->reached[i] = judge(stretches, &s->seen, c);
        s->met = s->met && (c->steady ? s->reached[i] <= c->width
                                      : s->reached[i] < c->width);
    }
    free(stretches);
    return s->met;
}

/* --- warm-up --- */

bool
stop_find_warmup(int64_t *warmup_ns, const struct interval_table *t,
                 int64_t open_ns, int64_t close_ns)
{
    double values[INTERVAL_MAX] = {0};
    uint64_t first, end;
    size_t by_rate, by_median, n;

    find_rows(&first, &end, t, open_ns, close_ns);
    n = (size_t) (end - first);
    for (size_t i = 0; i < n; i++)
        values[i] = (double) t->rows[first + i].ops;
    if (!stats_steady_warmup(&by_rate, values, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct interval *row = &t->rows[first + i];

        /* One without operations is like the one before. */
        values[i] = row->ops > 0 ? log(value_at(row, 0.5))
                    : i > 0      ? values[i - 1]
                                 : 0;
    }
    if (!stats_steady_warmup(&by_median, values, n))
        return false;
    if (by_median > by_rate)
        by_rate = by_median;
    *warmup_ns =
        by_rate > 0
            ? t->begin_ns + (int64_t) (first + by_rate) * t->width_ns - open_ns
            : 0;
    return true;
}
