/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "histogram_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

#define COLUMNS "bucket\tcount"
#define NUMBER_SIZE 48 /* the sum may be larger than any integer type */
#define WORD_CHARS "abcdefghijklmnopqrstuvwxyz0123456789-"

/* What doubles lose in a sum of many values. */
#define SUM_TOLERANCE 1e-6

/* --- writing --- */

static int
add_facts(struct buf *out, const struct histogram *h)
{
    int err = buf_addf(out,
                       "# sub-buckets: %" PRIu32 "\n# range: %" PRId64
                       " %" PRId64 "\n# count: %" PRIu64 "\n# below: %" PRIu64
                       "\n# above: %" PRIu64 "\n# sum: %.0f\n",
                       h->sub, HISTOGRAM_MIN_NS, HISTOGRAM_MAX_NS, h->count,
                       h->below, h->above, h->sum_ns);

    if (err != 0)
        return err;
    if (h->count == 0)
        return buf_adds(out, "# min: -\n# max: -\n");
    return buf_addf(out, "# min: %" PRId64 "\n# max: %" PRId64 "\n", h->min_ns,
                    h->max_ns);
}

int
histogram_add_text(struct buf *out, const struct histogram *h, const char *op,
                   const char *stage, const char *facts)
{
    int err = buf_addf(out,
                       "# " HISTOGRAM_FORMAT "\n%s# unit: ns\n# op: %s\n"
                       "# stage: %s\n",
                       facts, op, stage);

    if (err == 0)
        err = add_facts(out, h);
    if (err == 0)
        err = buf_adds(out, COLUMNS "\n");
    for (uint32_t i = 0; err == 0 && i < h->buckets; i++)
        if (h->counts[i] > 0)
            err = buf_addf(out, "%" PRIu32 "\t%" PRIu64 "\n", i, h->counts[i]);
    return err;
}

/* --- reading --- */

enum fact {
    FACT_UNIT,
    FACT_OP,
    FACT_STAGE,
    FACT_SUB,
    FACT_RANGE,
    FACT_COUNT,
    FACT_BELOW,
    FACT_ABOVE,
    FACT_SUM,
    FACT_MIN,
    FACT_MAX,
    FACTS
};

static const char *const fact_names[FACTS] = {
    "unit",  "op",    "stage", "sub-buckets", "range", "count",
    "below", "above", "sum",   "min",         "max"};

/* A block that is being read. */
struct reader {
    struct histogram *h;
    struct histogram_label *label;
    bool seen[FACTS];
    uint64_t in_buckets; /* sum of their counts */
    uint32_t next; /* the lowest bucket that may come */
    uint32_t first, last; /* in use */
};

/* Copy N bytes of TEXT, when they fit. */
static bool
copy(char *out, size_t size, const char *text, size_t n)
{
    if (n == 0 || n >= size)
        return false;
    memcpy(out, text, n);
    out[n] = '\0';
    return true;
}

static bool
read_word(char out[HISTOGRAM_WORD_SIZE], const char *text, size_t n)
{
    return copy(out, HISTOGRAM_WORD_SIZE, text, n) &&
           strspn(out, WORD_CHARS) == n;
}

static bool
read_number(uint64_t *out, const char *text, size_t n)
{
    char digits[NUMBER_SIZE];

    return copy(digits, sizeof digits, text, n) &&
           units_parse_count(out, digits);
}

/* A value in nanoseconds, "-" for none. */
static bool
read_value(int64_t *out, const char *text, size_t n)
{
    uint64_t value;

    if (n == 1 && *text == '-')
        return true;
    if (!read_number(&value, text, n) || value > INT64_MAX)
        return false;
    *out = (int64_t) value;
    return true;
}

static bool
read_sum(double *out, const char *text, size_t n)
{
    char digits[NUMBER_SIZE];

    if (!copy(digits, sizeof digits, text, n) ||
        strspn(digits, "0123456789") != n)
        return false;
    *out = strtod(digits, NULL); /* exact: as many digits as it takes */
    return true;
}

static bool
read_sub(struct histogram *h, const char *text, size_t n)
{
    uint64_t sub;

    if (!read_number(&sub, text, n) || sub == 0 || sub > HISTOGRAM_SUB_OPS ||
        (sub & (sub - 1)) != 0)
        return false;
    h->sub = (uint32_t) sub;
    h->buckets = (uint32_t) histogram_buckets(h->sub);
    memset(h->counts, 0, h->buckets * sizeof *h->counts);
    return true;
}

static bool
is_text(const char *want, const char *text, size_t n)
{
    return strlen(want) == n && memcmp(want, text, n) == 0;
}

static bool
read_fact(struct reader *r, enum fact fact, const char *text, size_t n)
{
    struct histogram *h = r->h;
    char range[NUMBER_SIZE];

    switch (fact) {
    case FACT_UNIT:
        return is_text("ns", text, n);
    case FACT_OP:
        return read_word(r->label->op, text, n);
    case FACT_STAGE:
        return read_word(r->label->stage, text, n);
    case FACT_SUB:
        return read_sub(h, text, n);
    case FACT_RANGE:
        snprintf(range, sizeof range, "%" PRId64 " %" PRId64, HISTOGRAM_MIN_NS,
                 HISTOGRAM_MAX_NS);
        return is_text(range, text, n);
    case FACT_COUNT:
        return read_number(&h->count, text, n);
    case FACT_BELOW:
        return read_number(&h->below, text, n);
    case FACT_ABOVE:
        return read_number(&h->above, text, n);
    case FACT_SUM:
        return read_sum(&h->sum_ns, text, n);
    case FACT_MIN:
        return read_value(&h->min_ns, text, n);
    default:
        return read_value(&h->max_ns, text, n);
    }
}

/* A "# name: value" line, without its "# ". */
static const char *
read_comment(struct reader *r, const char *line, size_t n)
{
    const char *colon = memchr(line, ':', n);
    size_t name = colon != NULL ? (size_t) (colon - line) : 0;

    if (name == 0 || strspn(line, WORD_CHARS " ") != name || name + 2 > n ||
        colon[1] != ' ')
        return "is no '# name: value'";
    for (int i = 0; i < FACTS; i++) {
        if (!is_text(fact_names[i], line, name))
            continue;
        if (r->seen[i])
            return "is there twice";
        r->seen[i] = true;
        return read_fact(r, (enum fact) i, line + name + 2, n - name - 2)
                   ? NULL
                   : "has a bad value";
    }
    return NULL; /* the file's own: program, command, ... */
}

static const char *
read_bucket(struct reader *r, const char *line, size_t n)
{
    const char *tab = memchr(line, '\t', n);
    size_t left = tab != NULL ? (size_t) (tab - line) : 0;
    uint64_t bucket, count;

    if (tab == NULL || !read_number(&bucket, line, left) ||
        !read_number(&count, tab + 1, n - left - 1) || count == 0)
        return "is no bucket and its count";
    if (bucket >= r->h->buckets)
        return "is out of range";
    if (bucket < r->next)
        return "is not in order";
    if (count > r->h->count - r->in_buckets)
        return "has more than all values";
    if (r->in_buckets == 0)
        r->first = (uint32_t) bucket;
    r->last = (uint32_t) bucket;
    r->next = (uint32_t) bucket + 1;
    r->in_buckets += count;
    r->h->counts[bucket] = count;
    return NULL;
}

/* Whether a smallest (largest) value VALUE fits what is in use. */
static bool
fits(const struct histogram *h, int64_t value, bool below, bool above,
     uint32_t bucket)
{
    if (below)
        return value < HISTOGRAM_MIN_NS;
    if (above)
        return value > HISTOGRAM_MAX_NS;
    return value >= HISTOGRAM_MIN_NS && value <= HISTOGRAM_MAX_NS &&
           histogram_bucket(h->sub, value) == bucket;
}

/* What must hold between the facts and the buckets. */
static const char *
check(const struct reader *r)
{
    const struct histogram *h = r->h;
    double n = (double) h->count;

    if (h->below > h->count - r->in_buckets ||
        h->above != h->count - r->in_buckets - h->below)
        return "the counts do not add up";
    if (h->count == 0)
        return h->min_ns == INT64_MAX && h->max_ns == -1 && h->sum_ns == 0
                   ? NULL
                   : "an empty histogram has no values";
    if (h->min_ns > h->max_ns ||
        !fits(h, h->min_ns, h->below > 0, r->in_buckets == 0, r->first) ||
        !fits(h, h->max_ns, h->above == 0 && r->in_buckets == 0, h->above > 0,
              r->last))
        return "minimum and maximum do not fit the buckets";
    if (h->sum_ns < n * (double) h->min_ns * (1 - SUM_TOLERANCE) ||
        h->sum_ns > n * (double) h->max_ns * (1 + SUM_TOLERANCE))
        return "the sum does not fit minimum and maximum";
    return NULL;
}

/* Line N of the block, counted from 0; *BODY once the columns have come. */
static const char *
read_line(struct reader *r, const char *line, size_t n, size_t number,
          bool *body)
{
    if (number == 0)
        return is_text("# " HISTOGRAM_FORMAT, line, n)
                   ? NULL
                   : "is not '# " HISTOGRAM_FORMAT "'";
    if (*body)
        return read_bucket(r, line, n);
    if (n > 2 && line[0] == '#' && line[1] == ' ')
        return read_comment(r, line + 2, n - 2);
    for (int i = 0; i < FACTS; i++)
        if (!r->seen[i])
            return "comes before all '#' lines are there";
    *body = true;
    return is_text(COLUMNS, line, n) ? NULL : "is not the names of columns";
}

const char *
histogram_parse(struct histogram *h, struct histogram_label *label,
                const char **text)
{
    struct reader r = {.h = h, .label = label};
    const char *line = *text, *why = NULL;
    size_t number = 0;
    bool body = false;

    *h = (struct histogram){
        .counts = h->counts, .min_ns = INT64_MAX, .max_ns = -1};
    while (why == NULL && *line != '\0' && *line != '\n') {
        size_t n = strcspn(line, "\n");

        *text = line;
        why = line[n] == '\n' ? read_line(&r, line, n, number++, &body)
                              : "does not end";
        line += n + (line[n] == '\n');
    }
    if (why != NULL)
        return why;
    if (!body)
        return "the block ends too early";
    *text = line + (*line == '\n');
    return check(&r);
}
