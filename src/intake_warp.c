/* SPDX-License-Identifier: MIT */
/* The raw records that warp --full writes: tab separated, with dates. */
#include "config.h"

#include "intake.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "intake_parts.h"
#include "units.h"

#define DATE_DIGITS 9 /* of a fraction of a second */
#define YEAR_FIRST 1970
#define YEAR_LAST 2200 /* nanoseconds fit until 2262 */
#define DURATION_MAX_NS (INT64_C(1000000) * CLOCK_NS_PER_S) /* eleven days */

enum column {
    WARP_THREAD,
    WARP_OP,
    WARP_CLIENT,
    WARP_OBJECTS,
    WARP_BYTES,
    WARP_ENDPOINT,
    WARP_FILE,
    WARP_ERROR,
    WARP_START,
    WARP_FIRST,
    WARP_END,
    WARP_NEEDED, /* all above must be there */
    WARP_OTHER = WARP_NEEDED
};

static const char *const names[WARP_NEEDED] = {
    "thread", "op",    "client_id", "n_objects",  "bytes", "endpoint",
    "file",   "error", "start",     "first_byte", "end"};

/* A record's fields, quotes undone. */
struct fields {
    char *at[WARP_NEEDED];
};

bool
intake_is_warp(const char *line)
{
    return strncmp(line, "idx\tthread\top\t", 14) == 0;
}

bool
intake_warp_init(struct intake *in, const char *line)
{
    struct intake_warp *w = &in->warp;
    bool found[WARP_NEEDED + 1] = {false}, more = true;

    for (w->count = 0; more && w->count < RECORD_SCAN_MAX; w->count++) {
        size_t n = strcspn(line, "\t"), column = 0;

        while (column < WARP_NEEDED && (strlen(names[column]) != n ||
                                        memcmp(names[column], line, n) != 0))
            column++;
        found[column] = true;
        w->columns[w->count] = (uint8_t) column;
        more = line[n] == '\t';
        line += n + more;
    }
    for (size_t i = 0; i < WARP_NEEDED; i++) {
        if (found[i] && !more)
            continue;
        intake_complain(in, "there is no column '%s'", names[i]);
        return false;
    }
    return true;
}

/* --- dates --- */

static bool
skip(const char **at, char c)
{
    if (**at != c)
        return false;
    ++*at;
    return true;
}

/* Days since 1970 of a date in the Gregorian calendar. */
static int64_t
days_of(int64_t year, int64_t month, int64_t day)
{
    int64_t shifted = year - (month <= 2); /* years begin in March */
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 +
           of_year - 719468;
}

/* Numbers as PATTERN has them: a digit for each '0' of a run, all else as it
 * stands. *AT moves behind it. */
static bool
read_pattern(int64_t *out, const char **at, const char *pattern)
{
    bool inside = false;

    for (; *pattern != '\0'; pattern++, ++*at) {
        if (*pattern != '0') {
            out += inside;
            inside = false;
            if (**at != *pattern)
                return false;
            continue;
        }
        if (**at < '0' || **at > '9')
            return false;
        *out = (inside ? *out * 10 : 0) + (**at - '0');
        inside = true;
    }
    return true;
}

static bool
read_fraction(int64_t *ns, const char **at)
{
    int64_t unit = CLOCK_NS_PER_S;
    int digits = 0;

    *ns = 0;
    if (!skip(at, '.'))
        return true;
    for (; **at >= '0' && **at <= '9'; digits++, ++*at) {
        unit /= 10;
        *ns += (**at - '0') * unit;
    }
    return digits > 0 && digits <= DATE_DIGITS;
}

/* "Z", "+01:00", "-07:30" in seconds. */
static bool
read_zone(int64_t *out, const char **at)
{
    int64_t parts[2], sign = **at == '-' ? -1 : 1;

    *out = 0;
    if (skip(at, 'Z'))
        return true;
    if (!read_pattern(parts, at, sign < 0 ? "-00:00" : "+00:00") ||
        parts[0] > 23 || parts[1] > 59)
        return false;
    *out = sign * (parts[0] * 3600 + parts[1] * 60);
    return true;
}

/* RFC 3339 with up to nine decimals; nanoseconds since 1970. */
static bool
read_date(int64_t *out_ns, const char *at)
{
    static const int64_t least[] = {YEAR_FIRST, 1, 1, 0, 0, 0};
    static const int64_t most[] = {YEAR_LAST, 12, 31, 23, 59, 60};
    int64_t part[6], ns, zone, seconds;

    if (!read_pattern(part, &at, "0000-00-00T00:00:00") ||
        !read_fraction(&ns, &at) || !read_zone(&zone, &at) || *at != '\0')
        return false;
    for (size_t i = 0; i < 6; i++)
        if (part[i] < least[i] || part[i] > most[i])
            return false;
    seconds = days_of(part[0], part[1], part[2]) * 86400 + part[3] * 3600 +
              part[4] * 60 + part[5];
    *out_ns = (seconds - zone) * CLOCK_NS_PER_S + ns;
    return true;
}

/* --- fields --- */

/* Whether LINE ends inside of quotes: a field holds a line end. A quote in
 * the middle of a field is nothing special. */
static bool
is_open(const char *line)
{
    for (;;) {
        if (*line == '"') {
            for (line++; *line != '\0'; line++) {
                if (*line != '"')
                    continue;
                if (line[1] != '"')
                    break;
                line++;
            }
            if (*line == '\0')
                return true;
        }
        line += strcspn(line, "\t");
        if (*line == '\0')
            return false;
        line++;
    }
}

/* Undo the quotes of the field at *AT, in place; *AT moves to its end, which
 * *LAST is. */
static char *
take_field(char **at, char *last)
{
    char *field = *at, *in = field, *out = field;
    bool quoted = *in == '"';

    for (in += quoted; *in != '\0' && (quoted || *in != '\t'); in++) {
        if (quoted && *in == '"') {
            quoted = in[1] == '"';
            if (!quoted)
                continue;
            in++;
        }
        *out++ = *in;
    }
    *last = *in;
    *at = in + (*in != '\0');
    *out = '\0';
    return field;
}

/* The next record as one text; those whose quotes span lines are joined. */
static enum intake_got
read_joined(struct intake *in, char **line)
{
    struct buf *joined = &in->warp.joined;
    size_t n;
    enum intake_got got = intake_line(in, line, &n);

    if (got != INTAKE_ONE)
        return got;
    if (strlen(*line) != n)
        return intake_complain(in, "a byte 0 in a line");
    if (!is_open(*line))
        return got;
    buf_reset(joined);
    for (;;) {
        if (buf_add(joined, *line, n) != 0 || buf_addc(joined, '\n') != 0)
            return intake_complain(in, "a text in quotes is too long");
        if (!is_open(joined->data))
            break;
        got = intake_any_line(in, line, &n);
        if (got == INTAKE_END)
            return intake_complain(in, "a text in quotes does not end");
        if (got != INTAKE_ONE)
            return got;
        if (strlen(*line) != n)
            return intake_complain(in, "a byte 0 in a line");
    }
    joined->data[joined->len - 1] = '\0';
    *line = joined->data;
    return INTAKE_ONE;
}

static enum intake_got
read_fields(struct intake *in, struct fields *f)
{
    char *line, last = '\t';
    enum intake_got got = read_joined(in, &line);

    if (got != INTAKE_ONE)
        return got;
    for (size_t i = 0; i < in->warp.count; i++) {
        size_t column = in->warp.columns[i];
        char *field;

        if (last != '\t')
            return intake_complain(in, "wrong number of fields");
        field = take_field(&line, &last);
        if (column < WARP_NEEDED)
            f->at[column] = field;
    }
    if (last != '\0')
        return intake_complain(in, "wrong number of fields");
    return INTAKE_ONE;
}

/* --- the record --- */

static enum intake_got
complain_field(struct intake *in, const struct fields *f, enum column column)
{
    const struct record_fault fault = {
        .column = true,
        .what = names[column],
        .value = {f->at[column], strlen(f->at[column])}};

    return intake_complain_fault(in, &fault);
}

/* Set *OUT to TEXT, encoded as our fields are and cut to MOST bytes. */
static bool
set_text(struct intake *in, struct record_text *out, char *text, size_t most)
{
    struct buf *b = &in->warp.texts;
    size_t from = b->len;

    if (strlen(text) > most)
        text[most] = '\0';
    if (record_add_field(b, text) != 0)
        return false;
    *out = (struct record_text){b->data + from, b->len - from};
    return true;
}

static enum intake_got
set_texts(struct intake *in, struct record_view *v, const struct fields *f)
{
    static const struct record_text none = {"-", 1};
    size_t most = 0;

    buf_reset(&in->warp.texts);
    for (size_t i = 0; i < WARP_NEEDED; i++)
        most += 3 * strlen(f->at[i]) + 3;
    v->bucket = v->transport = none;
    /* room for all, so that none moves */
    if (buf_reserve(&in->warp.texts, most) != 0 ||
        !set_text(in, &v->op, f->at[WARP_OP], SIZE_MAX) ||
        !set_text(in, &v->key, f->at[WARP_FILE], SIZE_MAX) ||
        !set_text(in, &v->code, f->at[WARP_ERROR], RECORD_CODE_SIZE - 1) ||
        !set_text(in, &v->endpoint, f->at[WARP_ENDPOINT], SIZE_MAX) ||
        !set_text(in, &v->host, f->at[WARP_CLIENT], SIZE_MAX))
        return intake_complain(in, "the texts of the record are too long");
    return INTAKE_ONE;
}

static enum intake_got
set_numbers(struct intake *in, struct record_view *v, const struct fields *f)
{
    uint64_t bytes, thread;

    if (!units_parse_count(&thread, f->at[WARP_THREAD]) || thread > UINT32_MAX)
        return complain_field(in, f, WARP_THREAD);
    if (!units_parse_count(&v->objects, f->at[WARP_OBJECTS]) ||
        v->objects > UINT32_MAX)
        return complain_field(in, f, WARP_OBJECTS);
    if (!units_parse_count(&bytes, f->at[WARP_BYTES]) || bytes > INT64_MAX)
        return complain_field(in, f, WARP_BYTES);
    v->lane = (uint32_t) thread;
    v->ok = f->at[WARP_ERROR][0] == '\0';
    v->size = v->objects > 1 ? bytes / v->objects : bytes;
    v->good_bytes = v->ok ? bytes : 0;
    v->wire_bytes = v->good_bytes; /* of failures it is not known */
    v->attempt = 1;
    v->status = v->ok ? 200 : 0; /* which it does not say */
    v->reused = false;
    return INTAKE_ONE;
}

static enum intake_got
set_times(struct intake *in, struct record_view *v, const struct fields *f)
{
    struct intake_warp *w = &in->warp;
    int64_t start, first = 0, end;
    bool has_first = f->at[WARP_FIRST][0] != '\0';

    if (!read_date(&start, f->at[WARP_START]))
        return complain_field(in, f, WARP_START);
    if (!read_date(&end, f->at[WARP_END]))
        return complain_field(in, f, WARP_END);
    if (has_first && !read_date(&first, f->at[WARP_FIRST]))
        return complain_field(in, f, WARP_FIRST);
    if (end < start)
        return intake_complain(in, "the record ends before it starts");
    if (has_first && first < start)
        return intake_complain(in, "the first byte comes before the start");
    if (!w->based)
        w->base_ns = start;
    w->based = true;
    if (end - start > DURATION_MAX_NS)
        return complain_field(in, f, WARP_END);
    if (has_first && first - start > DURATION_MAX_NS)
        return complain_field(in, f, WARP_FIRST);
    for (size_t i = 0; i < RECORD_TIMES; i++)
        v->ns[i] = RECORD_NONE;
    v->ns[RECORD_DUE] = v->ns[RECORD_START] = start - w->base_ns;
    v->ns[RECORD_END] = end - w->base_ns;
    v->ns[RECORD_TOTAL] = end - start;
    if (has_first)
        v->ns[RECORD_FIRST] = first - start;
    return INTAKE_ONE;
}

enum intake_got
intake_warp_record(struct intake *in, struct record_view *v)
{
    struct fields f;
    enum intake_got got = read_fields(in, &f);

    if (got == INTAKE_ONE)
        got = set_times(in, v, &f);
    if (got == INTAKE_ONE)
        got = set_numbers(in, v, &f);
    if (got == INTAKE_ONE) /* last, since it cuts texts */
        got = set_texts(in, v, &f);
    return got;
}
