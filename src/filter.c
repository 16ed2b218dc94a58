/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "filter.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_print.h"
#include "units.h"

#define FILTER_OK RECORD_COLUMN_COUNT /* "ok", which is no column */
#define TEXT_SIZE 4096 /* of a text that is compared; longer ones are cut */

static const char full[] = "too many conditions";

void
filter_init(struct filter *f)
{
    *f = (struct filter){0};
}

static bool
is_text(unsigned column)
{
    switch (column) {
    case RECORD_OP:
    case RECORD_BUCKET:
    case RECORD_KEY:
    case RECORD_CODE:
    case RECORD_TRANSPORT:
    case RECORD_ENDPOINT:
    case RECORD_HOST:
        return true;
    default:
        return false;
    }
}

/* --- reading --- */

static bool
find_column(unsigned *out, const char *name, size_t n)
{
    for (unsigned i = 0; i < RECORD_COLUMN_COUNT; i++) {
        const char *known = record_column_name(i);

        if (strlen(known) == n && memcmp(known, name, n) == 0) {
            *out = i;
            return true;
        }
    }
    *out = FILTER_OK;
    return n == 2 && memcmp(name, "ok", 2) == 0;
}

/* The relation that TEXT begins with; *N is its length. */
static bool
find_relation(enum filter_relation *out, size_t *n, const char *text)
{
    static const struct {
        const char *text;
        enum filter_relation relation;
    } all[] = {{"<=", FILTER_UP_TO}, {">=", FILTER_FROM}, {"!=", FILTER_OTHER},
               {"==", FILTER_SAME},  {"<", FILTER_BELOW}, {">", FILTER_ABOVE},
               {"=", FILTER_SAME}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *n = strlen(all[i].text);
        if (strncmp(text, all[i].text, *n) != 0)
            continue;
        *out = all[i].relation;
        return true;
    }
    return false;
}

/* A duration; a bare number is microseconds, as in the table. */
static bool
read_time(int64_t *out, const char *text)
{
    char with_unit[64];

    if (text[strspn(text, "0123456789.")] != '\0')
        return units_parse_duration(out, text);
    return snprintf(with_unit, sizeof with_unit, "%sus", text) <
               (int) sizeof with_unit &&
           units_parse_duration(out, with_unit);
}

static const char *
read_number(struct filter_condition *c, const char *text)
{
    uint64_t number = 0;
    bool good;

    if (c->column < RECORD_TIMES)
        good = read_time(&c->number, text);
    else
        good = units_parse_size(&number, text) && number <= INT64_MAX;
    if (!good)
        return c->column < RECORD_TIMES ? "bad time" : "bad number";
    if (c->column >= RECORD_TIMES)
        c->number = (int64_t) number;
    c->up_to = c->number;
    return NULL;
}

static const char *
add(struct filter *f, const struct filter_condition *c)
{
    if (f->count == FILTER_MAX)
        return full;
    f->conditions[f->count] = *c;
    f->conditions[f->count++].group = f->groups;
    return NULL;
}

const char *
filter_add(struct filter *f, const char *text)
{
    struct filter_condition c = {0};
    size_t name = strcspn(text, "=!<>"), n;
    const char *why = NULL, *value;

    if (!find_column(&c.column, text, name))
        return "no such column";
    if (!find_relation(&c.relation, &n, text + name))
        return "no comparison (= != < <= > >=)";
    value = text + name + n;
    c.none = strcmp(value, "-") == 0;
    c.pattern = value;
    if (*value == '\0')
        return "no value";
    if ((is_text(c.column) || c.none) && c.relation != FILTER_SAME &&
        c.relation != FILTER_OTHER)
        return "texts and - compare with = and != only";
    if (!is_text(c.column) && !c.none)
        why = read_number(&c, value);
    if (why == NULL)
        why = add(f, &c);
    f->groups++;
    return why;
}

/* A size or a range of them. */
static const char *
read_sizes(struct filter_condition *c, const char *text)
{
    const char *dash = strchr(text, '-');
    char low[UNITS_TEXT_SIZE];
    uint64_t from, to;

    if (snprintf(low, sizeof low, "%.*s", (int) strcspn(text, "-"), text) >=
            (int) sizeof low ||
        !units_parse_size(&from, low))
        return "bad size";
    to = from;
    if (dash != NULL && !units_parse_size(&to, dash + 1))
        return "bad size";
    if (from > to || to > INT64_MAX)
        return "bad size";
    c->number = (int64_t) from;
    c->up_to = (int64_t) to;
    return NULL;
}

const char *
filter_add_list(struct filter *f, enum record_column column,
                const char *const *values, size_t n, const char **bad)
{
    const char *why = NULL;

    for (size_t i = 0; i < n && why == NULL; i++) {
        struct filter_condition c = {
            .column = column, .relation = FILTER_SAME, .pattern = values[i]};

        *bad = values[i];
        if (!is_text(column))
            why = read_sizes(&c, values[i]);
        if (why == NULL)
            why = add(f, &c);
    }
    f->groups += n > 0;
    return why;
}

/* --- matching --- */

static int64_t
number_of(const struct record_view *v, unsigned column)
{
    switch (column) {
    case RECORD_SIZE:
        return (int64_t) v->size;
    case RECORD_GOOD_BYTES:
        return (int64_t) v->good_bytes;
    case RECORD_WIRE_BYTES:
        return (int64_t) v->wire_bytes;
    case RECORD_STATUS:
        return v->status;
    case RECORD_ATTEMPT:
        return v->attempt;
    case RECORD_REUSED:
        return v->reused;
    case RECORD_LANE:
        return v->lane;
    case FILTER_OK:
        return v->ok;
    default:
        return v->ns[column];
    }
}

/* Patterns are compared with the text as the table has it. */
static bool
text_matches(const struct filter_condition *c, struct record_text t)
{
    char text[TEXT_SIZE];
    size_t n = t.n < sizeof text ? t.n : sizeof text - 1;

    if (c->none)
        return record_text_is_none(t);
    memcpy(text, t.at, n);
    text[n] = '\0';
    return fnmatch(c->pattern, text, 0) == 0;
}

static bool
number_matches(const struct filter_condition *c, int64_t number)
{
    bool none = c->column < RECORD_TIMES && number == RECORD_NONE;

    if (c->none)
        return none == (c->relation == FILTER_SAME);
    if (none) /* like no number at all */
        return c->relation == FILTER_OTHER;
    switch (c->relation) {
    case FILTER_SAME:
        return number >= c->number && number <= c->up_to;
    case FILTER_OTHER:
        return number != c->number;
    case FILTER_BELOW:
        return number < c->number;
    case FILTER_UP_TO:
        return number <= c->number;
    case FILTER_ABOVE:
        return number > c->number;
    default:
        return number >= c->number;
    }
}

static bool
matches(const struct filter_condition *c, const struct record_view *v)
{
    if (is_text(c->column))
        return text_matches(c, record_view_text(v, c->column)) ==
               (c->relation == FILTER_SAME);
    return number_matches(c, number_of(v, c->column));
}

bool
filter_matches(const struct filter *f, const struct record_view *v)
{
    bool any = true;
    unsigned group = 0;

    for (size_t i = 0; i < f->count; i++) {
        const struct filter_condition *c = &f->conditions[i];

        if (i == 0 || c->group != group) {
            if (!any)
                return false;
            any = false;
        }
        group = c->group;
        any = any || matches(c, v);
    }
    return any;
}
