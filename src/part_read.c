/* SPDX-License-Identifier: MIT */
/* Parts from text. */
#include "config.h"

#include "part.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exchange.h"
#include "histogram_file.h"
#include "part_members.h"
#include "uri.h"

#define FIELDS_MAX 8
#define FIELD_SIZE 64 /* of a number or a word */
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

struct field {
    const char *text;
    size_t len;
};

struct reader {
    struct part *p;
    struct report *view; /* that the lines speak of; NULL: of the part */
    struct report *slice; /* and the slice of it; NULL: the total */
    uint32_t slices; /* of the view, read so far */
    uint64_t part_seen, view_seen; /* bits of members */
    uint32_t histograms_seen;
    uint32_t rows; /* intervals read so far */
    bool in_intervals;
    bool verify_seen, ended;
    struct histogram scratch;
};

static bool
is_word(const struct field *f, const char *word)
{
    return strlen(word) == f->len && memcmp(f->text, word, f->len) == 0;
}

/* Copy a number's text; false when it cannot be one. */
static bool
copy_number(char out[FIELD_SIZE], const struct field *f, const char *chars)
{
    if (f->len == 0 || f->len >= FIELD_SIZE)
        return false;
    memcpy(out, f->text, f->len);
    out[f->len] = '\0';
    return strspn(out, chars) == f->len;
}

static bool
read_unsigned(uint64_t *out, const struct field *f, uint64_t max)
{
    char text[FIELD_SIZE];
    uint64_t value;

    if (!copy_number(text, f, "0123456789"))
        return false;
    errno = 0;
    value = strtoull(text, NULL, 10);
    if (errno != 0 || value > max)
        return false;
    *out = value;
    return true;
}

static bool
read_signed(int64_t *out, const struct field *f)
{
    char text[FIELD_SIZE], *end;
    int64_t value;

    if (!copy_number(text, f, "-0123456789"))
        return false;
    errno = 0;
    value = strtoll(text, &end, 10);
    if (errno != 0 || *end != '\0')
        return false;
    *out = value;
    return true;
}

static bool
read_real(double *out, const struct field *f)
{
    char text[FIELD_SIZE], *end;
    double value;

    if (!copy_number(text, f, "0123456789.e+-"))
        return false;
    value = strtod(text, &end);
    if (*end != '\0' || !isfinite(value) || value < 0)
        return false;
    *out = value;
    return true;
}

static bool
read_value(void *at, enum part_kind kind, const struct field *f)
{
    uint64_t value = 0;

    switch (kind) {
    case PART_I64:
        return read_signed(at, f);
    case PART_REAL:
        return read_real(at, f);
    case PART_U64:
        return read_unsigned(at, f, UINT64_MAX);
    case PART_U32:
        if (!read_unsigned(&value, f, UINT32_MAX))
            return false;
        *(uint32_t *) at = (uint32_t) value;
        return true;
    case PART_INT:
        if (!read_unsigned(&value, f, INT32_MAX))
            return false;
        *(int *) at = (int) value;
        return true;
    default:
        if (!read_unsigned(&value, f, 1))
            return false;
        *(bool *) at = value != 0;
        return true;
    }
}

/* A "name value" line of MEMBERS; NULL when it is fine. */
static const char *
read_member(void *owner, const struct part_member *members, size_t count,
            uint64_t *seen, const struct field *fields)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_word(&fields[0], members[i].name))
            continue;
        if ((*seen & UINT64_C(1) << i) != 0)
            return "is there twice";
        *seen |= UINT64_C(1) << i;
        return read_value((char *) owner + members[i].at, members[i].kind,
                          &fields[1])
                   ? NULL
                   : "has a bad value";
    }
    return "has an unknown name";
}

/* Decode F, "-" being none; false when it is too long or not encoded. */
static bool
decode(char *out, size_t size, const struct field *f)
{
    struct buf text;
    bool good;

    *out = '\0';
    if (is_word(f, "-"))
        return true;
    buf_init(&text, size - 1);
    good = f->len > 0 && uri_decode(&text, f->text, f->len, false) == 0 &&
           strlen(text.data) == text.len;
    if (good)
        memcpy(out, text.data, text.len + 1);
    buf_clear(&text);
    return good;
}

/* The transport's static name for the same. */
static bool
find_transport(const char **out, const char *name)
{
    static const char mismatch[] = "mismatch";

    *out = NULL;
    if (*name == '\0')
        return true;
    if (strcmp(name, mismatch) == 0)
        *out = mismatch;
    for (int i = EXCHANGE_OK + 1; i <= EXCHANGE_INTERNAL; i++)
        if (strcmp(name, exchange_error_name((enum exchange_error) i)) == 0)
            *out = exchange_error_name((enum exchange_error) i);
    return *out != NULL;
}

/* What the lines speak of. */
static struct report *
subject(const struct reader *r)
{
    return r->slice != NULL ? r->slice : r->view;
}

static const char *
read_failure(struct reader *r, const struct field *fields)
{
    struct report *view = subject(r);
    struct report_failure *f = &view->failures[view->failure_count];
    char transport[FIELD_SIZE];
    uint64_t status;

    if (view->failure_count == REPORT_FAILURES_MAX)
        return "is one failure too many";
    if (!read_unsigned(&status, &fields[1], 999) ||
        !read_unsigned(&f->count, &fields[2], UINT64_MAX) ||
        !read_unsigned(&f->retried, &fields[3], f->count) ||
        !decode(f->code, sizeof f->code, &fields[4]) ||
        !decode(transport, sizeof transport, &fields[5]) ||
        !find_transport(&f->transport, transport) ||
        !decode(f->message, sizeof f->message, &fields[6]))
        return "is no failure";
    f->status = (int) status;
    view->failure_count++;
    return NULL;
}

static const char *
read_histogram(struct reader *r, const char **text)
{
    struct histogram_label label;
    const struct histogram *h;
    const char *name, *why = histogram_parse(&r->scratch, &label, text);

    if (why != NULL)
        return why;
    for (size_t i = 0; (h = report_histogram(subject(r), i, &name)) != NULL;
         i++) {
        if (strcmp(name, label.stage) != 0)
            continue;
        if ((r->histograms_seen & 1u << i) != 0)
            return "ends a histogram that is there twice";
        if (h->sub != r->scratch.sub)
            return "ends a histogram with other sub-buckets";
        r->histograms_seen |= 1u << i;
        histogram_merge((struct histogram *) h, &r->scratch);
        return NULL;
    }
    return "ends a histogram of no known stage";
}

static const char *
read_intervals(struct reader *r, const struct field *fields)
{
    struct interval_table *t = &r->p->intervals;
    int64_t width_ns;
    uint64_t count, times;

    if (!read_signed(&width_ns, &fields[1]) || width_ns < t->width_ns ||
        !read_unsigned(&count, &fields[2], INTERVAL_MAX))
        return "is no width and number of intervals";
    /* They can only be joined in pairs. */
    times = (uint64_t) (width_ns / t->width_ns);
    if (width_ns % t->width_ns != 0 || (times & (times - 1)) != 0)
        return "has a width that does not fit --interval";
    t->width_ns = width_ns;
    t->count = (uint32_t) count;
    r->view = r->slice = NULL;
    r->in_intervals = true;
    return NULL;
}

/* "BUCKET:COUNT BUCKET:COUNT", ascending. */
static bool
read_counts(struct interval *row, const struct field *f)
{
    const char *at = f->text, *end = f->text + f->len;
    uint64_t sum = 0, next = 0;

    while (at < end) {
        struct field bucket = {at, strcspn(at, ":")}, count;
        uint64_t i, n;

        count.text = at + bucket.len + 1;
        if (count.text >= end)
            return false;
        count.len = strcspn(count.text, " \t\n");
        if (!read_unsigned(&i, &bucket, INTERVAL_BUCKETS - 1) || i < next ||
            !read_unsigned(&n, &count, UINT32_MAX) || n == 0)
            return false;
        row->counts[i] = (uint32_t) n;
        next = i + 1;
        sum += n;
        at = count.text + count.len + 1;
    }
    return sum == row->ops;
}

static const char *
read_row(struct reader *r, const struct field *fields, size_t count)
{
    struct interval_table *t = &r->p->intervals;
    struct interval *row = &t->rows[r->rows];
    const struct field none = {"", 0};
    uint64_t index;

    if (r->rows == t->count || !read_unsigned(&index, &fields[1], r->rows) ||
        index != r->rows || !read_unsigned(&row->ops, &fields[2], UINT64_MAX) ||
        !read_unsigned(&row->errors, &fields[3], UINT64_MAX) ||
        !read_unsigned(&row->good_bytes, &fields[4], UINT64_MAX) ||
        !read_unsigned(&row->wire_bytes, &fields[5], UINT64_MAX) ||
        !read_real(&row->flight_ns, &fields[6]) ||
        !read_counts(row, count == 8 ? &fields[7] : &none))
        return "is no interval";
    r->rows++;
    return NULL;
}

static bool
has_all(uint64_t seen, size_t count)
{
    return seen == (UINT64_C(1) << count) - 1;
}

/* Whether what was read last, the view or a slice, has all that it must. */
static bool
is_complete(const struct reader *r)
{
    const char *name;
    size_t n = 0;

    while (report_histogram(&r->p->whole, n, &name) != NULL)
        n++;
    return has_all(r->view_seen, part_report_member_count) &&
           has_all(r->histograms_seen, n);
}

static bool
is_view_complete(const struct reader *r)
{
    return is_complete(r) && r->slices == r->view->asked.slice_count;
}

static const char *
read_slice(struct reader *r, const struct field *number)
{
    uint64_t i;

    if (!is_complete(r) || r->slices == r->view->asked.slice_count ||
        !read_unsigned(&i, number, UINT32_MAX) || i != r->slices)
        return "comes too early, or is no slice of this run";
    r->slice = &r->view->slices[r->slices++];
    r->view_seen = 0;
    r->histograms_seen = 0;
    return NULL;
}

static const char *
read_view(struct reader *r, const struct field *name)
{
    if (r->view == NULL && is_word(name, "whole") && r->verify_seen &&
        has_all(r->part_seen, part_member_count))
        r->view = &r->p->whole;
    else if (r->view == &r->p->whole && is_word(name, "inside") &&
             is_view_complete(r))
        r->view = &r->p->inside;
    else
        return "comes too early, or is no view";
    r->slice = NULL;
    r->slices = 0;
    r->view_seen = 0;
    r->histograms_seen = 0;
    return NULL;
}

static const char *
read_verify(struct reader *r, const struct field *f)
{
    if (r->verify_seen)
        return "is there twice";
    r->verify_seen = true;
    for (size_t i = 0; i < PART_VERIFY_NAMES; i++)
        if (is_word(f, part_verify_names[i]))
            r->p->verify = part_verify_names[i];
    return r->p->verify != NULL || is_word(f, "-") ? NULL : "has a bad value";
}

/* A line of COUNT fields within a view; *NEXT is what follows it. */
static const char *
read_view_fact(struct reader *r, const struct field *fields, size_t count,
               const char **next)
{
    if (count == 1 && is_word(&fields[0], "histogram"))
        return read_histogram(r, next);
    if (count == 7 && is_word(&fields[0], "failure"))
        return read_failure(r, fields);
    if (count == 3 && r->view == &r->p->inside && is_view_complete(r) &&
        is_word(&fields[0], "intervals"))
        return read_intervals(r, fields);
    if (count == 2 && is_word(&fields[0], "slice"))
        return read_slice(r, &fields[1]);
    if (count == 2)
        return read_member(subject(r), part_report_members,
                           part_report_member_count, &r->view_seen, fields);
    return "is out of place";
}

/* A line of COUNT fields before the intervals; *NEXT is what follows it. */
static const char *
read_fact(struct reader *r, const struct field *fields, size_t count,
          const char **next)
{
    if (count == 2 && is_word(&fields[0], "view"))
        return read_view(r, &fields[1]);
    if (r->view != NULL)
        return read_view_fact(r, fields, count, next);
    if (count != 2)
        return "is out of place";
    if (is_word(&fields[0], "verify"))
        return read_verify(r, &fields[1]);
    return read_member(r->p, part_members, part_member_count, &r->part_seen,
                       fields);
}

static const char *
read_line(struct reader *r, const char *line, size_t len, const char **next)
{
    struct field fields[FIELDS_MAX];
    const char *end = line + len;
    size_t count = 0;

    for (const char *at = line; at <= end; at += fields[count++].len + 1) {
        if (count == FIELDS_MAX)
            return "has too many fields";
        fields[count] = (struct field){at, strcspn(at, "\t\n")};
    }
    if (r->ended)
        return "comes after the end";
    if (!r->in_intervals)
        return read_fact(r, fields, count, next);
    if (count >= 7 && is_word(&fields[0], "row"))
        return read_row(r, fields, count);
    if (count != 1 || !is_word(&fields[0], "end") ||
        r->rows != r->p->intervals.count)
        return "is no interval";
    r->ended = true;
    return NULL;
}

/* What the numbers must have to do with each other. */
static const char *
check(const struct part *p)
{
    if (p->of == 0 || p->number >= p->of)
        return "the number of the part is out of range";
    if (p->begin_ns < 0 || p->open_ns < 0 || p->close_ns < 0 || p->ended_ns < 0)
        return "a moment is out of range";
    return NULL;
}

/* The "#" lines and the names of the columns. */
static const char *
skip_head(const char *text, uint64_t *number)
{
    static const char head[] = "# " PART_FORMAT "\n", names[] = "name\tvalue\n";

    if (strncmp(text, head, sizeof head - 1) != 0)
        return NULL;
    for (*number = 1; *text == '#'; ++*number) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return strncmp(text, names, sizeof names - 1) == 0 ? text + sizeof names - 1
                                                       : NULL;
}

/* How many lines begin from FROM on to TO. */
static uint64_t
count_lines(const char *from, const char *to)
{
    uint64_t n = 0;

    while (from < to)
        n += *from++ == '\n';
    return n;
}

const char *
part_parse(struct part *p, const char *text, uint64_t *number)
{
    struct reader r = {.p = p};
    const char *why = NULL, *at;

    *number = 1;
    at = skip_head(text, number);
    if (at == NULL)
        return "is not '# " PART_FORMAT "' and what goes with it";
    r.scratch.counts =
        calloc(histogram_buckets(HISTOGRAM_SUB_OPS), sizeof *r.scratch.counts);
    if (r.scratch.counts == NULL)
        return "is where memory ran out";
    while (why == NULL && *at != '\0') {
        size_t len = strcspn(at, "\n");
        const char *next = at + len + 1;

        ++*number;
        why = at[len] == '\n' ? read_line(&r, at, len, &next) : "does not end";
        *number += count_lines(at + len + 1, next);
        at = next;
    }
    free(r.scratch.counts);
    if (why == NULL && !r.ended)
        why = "is the last, but the part ends too early";
    return why != NULL ? why : check(p);
}
