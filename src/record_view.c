/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "record_view.h"

#include <string.h>

#define OTHER RECORD_COLUMN_COUNT /* a column that is not known */
#define US_DIGITS 15 /* of whole microseconds: 31 years */
#define U64_DIGITS 19 /* so none overflows */

static bool
is_end(char c)
{
    return c == '\t' || c == '\0';
}

static bool
is_digit(char c)
{
    return (unsigned char) (c - '0') < 10;
}

bool
record_text_is_none(struct record_text t)
{
    return t.n == 1 && *t.at == '-';
}

/* Each reader moves *AT to the end of what it takes; the caller checks that
 * the field ends there. */

static bool
scan_digits(uint64_t *out, const char **at, size_t most)
{
    const char *p = *at;
    uint64_t value = 0;

    for (; is_digit(*p); p++)
        value = value * 10 + (unsigned char) (*p - '0');
    if (p == *at || (size_t) (p - *at) > most)
        return false;
    *at = p;
    *out = value;
    return true;
}

static bool
scan_time(int64_t *out, const char **at)
{
    bool negative = **at == '-';
    const char *p = *at + negative;
    uint64_t us;
    int64_t ns;

    if (is_end(**at)) {
        *out = RECORD_NONE;
        return true;
    }
    if (!scan_digits(&us, &p, US_DIGITS) || p[0] != '.' || !is_digit(p[1]) ||
        !is_digit(p[2]) || !is_digit(p[3]))
        return false;
    ns = (int64_t) us * 1000 + (p[1] - '0') * 100 + (p[2] - '0') * 10 +
         (p[3] - '0');
    *out = negative ? -ns : ns;
    *at = p + 4;
    return true;
}

static bool
scan_u32(uint32_t *out, const char **at, uint32_t max)
{
    uint64_t value;

    if (!scan_digits(&value, at, 10) || value > max)
        return false;
    *out = (uint32_t) value;
    return true;
}

static bool
is_hex(char c)
{
    return is_digit(c) || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}

/* Whether all %XX of T are bytes but NUL; *N is the decoded length. */
static bool
check_encoding(size_t *n, struct record_text t)
{
    const char *p = t.at, *end = t.at + t.n;

    *n = t.n;
    while ((p = memchr(p, '%', (size_t) (end - p))) != NULL) {
        if (end - p < 3 || !is_hex(p[1]) || !is_hex(p[2]) ||
            (p[1] == '0' && p[2] == '0'))
            return false;
        *n -= 2;
        p += 3;
    }
    return true;
}

static bool
scan_text(struct record_text *out, struct record_scanner *s, unsigned column,
          const char **at, const char *end)
{
    const char *p = *at;
    size_t known = s->seen[column].n, decoded;

    if (known > 0 && (size_t) (end - p) >= known && is_end(p[known]) &&
        memcmp(p, s->seen[column].text, known) == 0) {
        *out = (struct record_text){p, known};
        *at = p + known;
        return true;
    }
    while (!is_end(*p))
        p++;
    *out = (struct record_text){*at, (size_t) (p - *at)};
    if (out->n == 0 || !check_encoding(&decoded, *out) ||
        (column == RECORD_CODE && decoded >= RECORD_CODE_SIZE))
        return false;
    *at = p;
    if (out->n <= RECORD_SEEN_SIZE && column != RECORD_KEY) {
        memcpy(s->seen[column].text, out->at, out->n);
        s->seen[column].n = out->n;
    }
    return true;
}

static bool
scan_number(struct record_view *v, unsigned column, const char **at)
{
    uint32_t flag;

    switch (column) {
    case RECORD_SIZE:
        return scan_digits(&v->size, at, U64_DIGITS);
    case RECORD_GOOD_BYTES:
        return scan_digits(&v->good_bytes, at, U64_DIGITS);
    case RECORD_WIRE_BYTES:
        return scan_digits(&v->wire_bytes, at, U64_DIGITS);
    case RECORD_STATUS:
        return scan_u32(&v->status, at, 999);
    case RECORD_ATTEMPT:
        return scan_u32(&v->attempt, at, UINT32_MAX);
    case RECORD_LANE:
        return scan_u32(&v->lane, at, UINT32_MAX);
    case RECORD_REUSED:
        if (!scan_u32(&flag, at, 1))
            return false;
        v->reused = flag != 0;
        return true;
    default: /* not ours */
        while (!is_end(**at))
            ++*at;
        return true;
    }
}

static bool
scan_column(struct record_view *v, struct record_scanner *s, unsigned column,
            const char **at, const char *end)
{
    switch (column) {
    case RECORD_OP:
        return scan_text(&v->op, s, column, at, end);
    case RECORD_BUCKET:
        return scan_text(&v->bucket, s, column, at, end);
    case RECORD_KEY:
        return scan_text(&v->key, s, column, at, end);
    case RECORD_CODE:
        return scan_text(&v->code, s, column, at, end);
    case RECORD_TRANSPORT:
        return scan_text(&v->transport, s, column, at, end);
    case RECORD_ENDPOINT:
        return scan_text(&v->endpoint, s, column, at, end);
    case RECORD_HOST:
        return scan_text(&v->host, s, column, at, end);
    default:
        if (column < RECORD_TIMES)
            return scan_time(&v->ns[column], at);
        return scan_number(v, column, at);
    }
}

static bool
fail(struct record_fault *fault, const char *what)
{
    *fault = (struct record_fault){.what = what};
    return false;
}

/* What must hold between the columns. */
static bool
check(const struct record_view *v, struct record_fault *fault)
{
    const int64_t *ns = v->ns;

    if (ns[RECORD_DUE] == RECORD_NONE || ns[RECORD_START] == RECORD_NONE ||
        ns[RECORD_END] == RECORD_NONE)
        return fail(fault, "no due_us, start_us or end_us");
    if (ns[RECORD_END] < ns[RECORD_START])
        return fail(fault, "the record ends before it starts");
    if (ns[RECORD_END] < ns[RECORD_DUE])
        return fail(fault, "the record ends before it is due");
    for (unsigned i = RECORD_LOOKUP; i < RECORD_TIMES; i++)
        if (ns[i] < 0 && ns[i] != RECORD_NONE)
            return fail(fault, "a stage is negative");
    return true;
}

bool
record_scan(struct record_view *v, struct record_fault *fault,
            struct record_scanner *s, const char *line, size_t n)
{
    const char *at = line, *end = line + n;

    for (size_t i = 0; i < s->count; i++) {
        const char *field = at;
        unsigned column = s->columns[i];
        bool last = i + 1 == s->count;

        if (!scan_column(v, s, column, &at, end) || !is_end(*at)) {
            *fault = (struct record_fault){
                .column = true,
                .what = column == OTHER ? "field" : record_column_name(column),
                .value = {field, strcspn(field, "\t")}};
            return false;
        }
        if (last ? at != end : *at != '\t')
            return fail(fault, *at == '\0' && at != end
                                   ? "a byte 0 in a line"
                                   : "wrong number of fields");
        at += !last;
    }
    v->objects = 1;
    v->ok = record_text_is_none(v->transport) && record_text_is_none(v->code) &&
            v->status >= 200 && v->status < 300;
    return check(v, fault);
}

/* The column that the N bytes at NAME are; RECORD_COLUMN_COUNT: none. */
static size_t
find_column(const char *name, size_t n)
{
    size_t i = 0;

    while (i < RECORD_COLUMN_COUNT &&
           (strlen(record_column_name(i)) != n ||
            memcmp(record_column_name(i), name, n) != 0))
        i++;
    return i;
}

bool
record_scanner_init(struct record_scanner *s, struct record_fault *fault,
                    const char *names)
{
    bool found[RECORD_COLUMN_COUNT + 1] = {false}, more = true;

    memset(s, 0, sizeof *s);
    *fault = (struct record_fault){.what = "too many columns, from"};
    while (more) {
        size_t n = strcspn(names, "\t"), column = find_column(names, n);

        fault->value = (struct record_text){names, n};
        if (s->count == RECORD_SCAN_MAX)
            return false;
        if (column != OTHER && found[column]) {
            fault->what = "there are two columns";
            return false;
        }
        found[column] = true;
        s->columns[s->count++] = (uint8_t) column;
        more = names[n] == '\t';
        names += n + more;
    }
    fault->what = "there is no column";
    for (size_t i = 0; i < RECORD_COLUMN_COUNT; i++) {
        const char *name = record_column_name(i);

        fault->value = (struct record_text){name, strlen(name)};
        if (!found[i])
            return false;
    }
    return true;
}
