/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_DIGITS 40 /* more than anything that is measured has */
#define COUNT_DIGITS 19 /* fit 64 bits */
#define OTHER UINT8_MAX /* a column that is not known */

enum kind {
    TEXT,
    COUNT, /* whole, always there */
    MARKS,
    NUMBER, /* "-": none */
    BOUND /* the same, or ">" and a number */
};

static const struct column {
    const char *name;
    enum kind kind;
    size_t at; /* of a text or count in a line; which number */
} columns[] = {
    {"target", TEXT, offsetof(struct cells_line, target)},
    {"phase", TEXT, offsetof(struct cells_line, phase)},
    {"size", COUNT, offsetof(struct cells_line, size)},
    {"concurrency", COUNT, offsetof(struct cells_line, concurrency)},
    {"repeat", COUNT, offsetof(struct cells_line, repeat)},
    {"mark", MARKS, 0},
    {"ops", NUMBER, CELLS_OPS},
    {"errors", NUMBER, CELLS_ERRORS},
    {"good_bytes", NUMBER, CELLS_GOOD_BYTES},
    {"wire_bytes", NUMBER, CELLS_WIRE_BYTES},
    {"window_s", NUMBER, CELLS_WINDOW_S},
    {"ops_per_s", NUMBER, CELLS_OPS_PER_S},
    {"bytes_per_s", NUMBER, CELLS_BYTES_PER_S},
    {"rate_asked", NUMBER, CELLS_RATE_ASKED},
    {"mean_us", NUMBER, CELLS_MEAN},
    {"min_us", NUMBER, CELLS_MIN},
    {"p50_us", BOUND, CELLS_P50},
    {"p90_us", BOUND, CELLS_P90},
    {"p99_us", BOUND, CELLS_P99},
    {"p999_us", BOUND, CELLS_P999},
    {"max_us", NUMBER, CELLS_MAX},
    {"first_p50_us", BOUND, CELLS_FIRST_P50},
    {"first_p99_us", BOUND, CELLS_FIRST_P99},
    {"response_p50_us", BOUND, CELLS_RESPONSE_P50},
    {"response_p99_us", BOUND, CELLS_RESPONSE_P99},
    {"cpu_us_per_op", NUMBER, CELLS_CPU},
    {"lag_p99_us", BOUND, CELLS_LAG_P99},
    {"reused_share", NUMBER, CELLS_REUSED},
    {"started", TEXT, offsetof(struct cells_line, started)},
    {"hist", TEXT, offsetof(struct cells_line, hist)},
};

#define COLUMNS (sizeof columns / sizeof *columns)

static const char *const mark_names[] = {
    "few",       "not-steady",  "client-bound", "rate-missed", "errors",
    "throttled", "worker-lost", "imprecise",    "skipped",     "other"};

#define MARKS_KNOWN 9

static size_t
find_column(const char *name, size_t n)
{
    for (size_t i = 0; i < COLUMNS; i++)
        if (strlen(columns[i].name) == n &&
            memcmp(columns[i].name, name, n) == 0)
            return i;
    return OTHER;
}

const char *
cells_init(struct cells_reader *r, const char **name, const char *names)
{
    bool seen[COLUMNS] = {false};

    r->count = 0;
    *name = "";
    for (;; names++) {
        size_t n = strcspn(names, "\t"), column = find_column(names, n);

        if (r->count == CELLS_COLUMNS_MAX)
            return "too many columns";
        r->columns[r->count++] = (uint8_t) column;
        if (column != OTHER) {
            *name = columns[column].name;
            if (seen[column])
                return "a column twice";
            seen[column] = true;
        }
        names += n;
        if (*names == '\0')
            break;
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        *name = columns[i].name;
        /* What was measured may be missing; what it is of may not. */
        if (!seen[i] && i < find_column("mark", 4))
            return "no column";
    }
    return NULL;
}

static bool
read_count(uint64_t *out, const char *text)
{
    size_t n = strspn(text, "0123456789");

    if (n == 0 || n > COUNT_DIGITS || text[n] != '\0')
        return false;
    *out = strtoull(text, NULL, 10);
    return true;
}

/* Digits, and perhaps a point and digits. */
static bool
read_number(double *out, const char *text)
{
    size_t n = strspn(text, "0123456789"), more = 0;

    if (text[n] == '.')
        more = strspn(text + n + 1, "0123456789") + 1;
    if (n == 0 || more == 1 || n + more > NUMBER_DIGITS ||
        text[n + more] != '\0')
        return false;
    *out = strtod(text, NULL);
    return true;
}

static uint32_t
read_mark(const char *text, size_t n)
{
    for (size_t i = 0; i < MARKS_KNOWN; i++)
        if (strlen(mark_names[i]) == n && memcmp(mark_names[i], text, n) == 0)
            return 1u << i;
    if (n > 8 && memcmp(text, "skipped:", 8) == 0)
        return CELLS_SKIPPED;
    return CELLS_OTHER;
}

static uint32_t
read_marks(const char *text)
{
    uint32_t marks = 0;

    if (strcmp(text, "-") == 0)
        return 0;
    for (;;) {
        size_t n = strcspn(text, ",");

        marks |= read_mark(text, n);
        if (text[n] == '\0')
            return marks;
        text += n + 1;
    }
}

static bool
read_field(struct cells_line *out, const struct column *c, const char *text)
{
    bool bound = c->kind == BOUND && *text == '>';

    switch (c->kind) {
    case TEXT:
        *(const char **) ((char *) out + c->at) = text;
        return *text != '\0';
    case COUNT:
        return read_count((uint64_t *) ((char *) out + c->at), text);
    case MARKS:
        out->marks = read_marks(text);
        return *text != '\0';
    default:
        out->number[c->at] = NAN;
        if (strcmp(text, "-") == 0)
            return true;
        if (bound)
            out->at_least |= 1u << c->at;
        return read_number(&out->number[c->at], text + bound);
    }
}

const char *
cells_read(struct cells_line *out, const char **name, const char **value,
           const struct cells_reader *r, char *line)
{
    size_t place = 0;

    *out = (struct cells_line){
        .target = "-", .phase = "-", .started = "-", .hist = "-"};
    for (size_t i = 0; i < CELLS_NUMBERS; i++)
        out->number[i] = NAN;
    *name = *value = "";
    for (;; place++) {
        char *end = line + strcspn(line, "\t");
        bool last = *end == '\0';

        if (place == r->count)
            return "more fields than columns";
        *end = '\0';
        if (r->columns[place] != OTHER) {
            const struct column *c = &columns[r->columns[place]];

            *name = c->name;
            *value = line;
            if (!read_field(out, c, line))
                return "bad";
        }
        if (last)
            break;
        line = end + 1;
    }
    *name = *value = "";
    return place + 1 == r->count ? NULL : "fewer fields than columns";
}

int
cells_find_number(const char *name)
{
    size_t i = find_column(name, strlen(name));

    return i != OTHER && columns[i].kind >= NUMBER ? (int) columns[i].at : -1;
}

void
cells_format_marks(char out[CELLS_MARKS_SIZE], uint32_t marks)
{
    size_t n = 0;

    snprintf(out, CELLS_MARKS_SIZE, "-");
    for (size_t i = 0; i < sizeof mark_names / sizeof *mark_names; i++)
        if (marks >> i & 1 && 1u << i != CELLS_SKIPPED)
            n += (size_t) snprintf(out + n, CELLS_MARKS_SIZE - n, "%s%s",
                                   n > 0 ? "," : "", mark_names[i]);
}
