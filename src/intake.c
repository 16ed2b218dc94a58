/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "intake.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "intake_parts.h"

#define BLOCK_MAX (1u << 20) /* bytes of a histogram's text */
#define SHOWN 40 /* characters of a bad value */
#define CELLS_FORMAT "s3perf-cells 1"

/* --- what is said --- */

enum intake_got
intake_complain(struct intake *in, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    complain(2, "%s:%" PRIu64 ": %s", in->name, in->lines.number, text);
    return INTAKE_BAD;
}

enum intake_got
intake_complain_fault(struct intake *in, const struct record_fault *fault)
{
    int n = fault->value.n < SHOWN ? (int) fault->value.n : SHOWN;
    const char *more = fault->value.n > SHOWN ? "..." : "";

    if (fault->column)
        return intake_complain(in, "bad %s '%.*s%s'", fault->what, n,
                               fault->value.at, more);
    if (fault->value.n > 0)
        return intake_complain(in, "%s '%.*s%s'", fault->what, n,
                               fault->value.at, more);
    return intake_complain(in, "%s", fault->what);
}

/* --- lines --- */

/* The data have ended, for whatever reason; ERR is 0 when that is fine. */
static enum intake_got
end_lines(struct intake *in, int err)
{
    const char *tool = in->unpack.tool;

    in->ended = true;
    if (!unpack_close(&in->unpack, err == 0 || err == EPIPE)) {
        complain(2, "%s: damaged or cut off, says %s, after line %" PRIu64,
                 in->name, tool, in->lines.number - (err == EPIPE));
        return INTAKE_BAD;
    }
    if (err == 0)
        return INTAKE_END;
    if (err == EPIPE)
        return intake_complain(in, "the last line is cut off");
    if (err == EMSGSIZE)
        return intake_complain(in, "longer than %u bytes", LINES_MAX);
    complain(2, "cannot read '%s': %s", in->name, strerror(err));
    return INTAKE_BAD;
}

enum intake_got
intake_any_line(struct intake *in, char **line, size_t *n)
{
    int err = in->ended ? ENODATA : lines_next(&in->lines, line, n);

    if (err == 0)
        return INTAKE_ONE;
    if (in->ended)
        return INTAKE_END;
    if (err == ENOBUFS) {
        in->full = true;
        return INTAKE_END;
    }
    return end_lines(in, err == ENODATA ? 0 : err);
}

enum intake_got
intake_line(struct intake *in, char **line, size_t *n)
{
    enum intake_got got;

    do
        got = intake_any_line(in, line, n);
    while (got == INTAKE_ONE && **line == '#');
    return got;
}

/* --- the head --- */

/* Keep a "# name: value" line, without its "# ". */
static int
add_fact(struct intake *in, const char *line)
{
    const char *colon = strstr(line, ": ");
    struct intake_fact *fact = &in->facts[in->fact_count];

    if (colon == NULL || in->fact_count == INTAKE_FACTS_MAX)
        return 0;
    fact->name = strndup(line, (size_t) (colon - line));
    fact->value = strdup(colon + 2);
    in->fact_count++;
    return fact->name != NULL && fact->value != NULL ? 0 : ENOMEM;
}

const char *
intake_fact(const struct intake *in, const char *name)
{
    for (size_t i = 0; i < in->fact_count; i++)
        if (strcmp(in->facts[i].name, name) == 0)
            return in->facts[i].value;
    return NULL;
}

/* The "#" lines, up to the names of columns, which *LINE becomes. */
static enum intake_got
read_facts(struct intake *in, char **line)
{
    size_t n;
    enum intake_got got;

    while ((got = intake_any_line(in, line, &n)) == INTAKE_ONE) {
        if (**line != '#')
            return got;
        if (n > 2 && (*line)[1] == ' ' && add_fact(in, *line + 2) != 0)
            return intake_complain(in, "no memory");
    }
    if (got == INTAKE_END)
        return intake_complain(in, "ends before the names of its columns");
    return got;
}

static bool
find_format(struct intake *in, const char *line)
{
    static const struct {
        const char *name;
        enum intake_format format;
    } formats[] = {{"# " RECORD_FORMAT, INTAKE_OPS},
                   {"# " HISTOGRAM_FORMAT, INTAKE_HIST},
                   {"# " CELLS_FORMAT, INTAKE_CELLS}};

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(line, formats[i].name) != 0)
            continue;
        in->format = formats[i].format;
        return true;
    }
    in->format = INTAKE_WARP;
    return intake_is_warp(line);
}

static bool
read_head(struct intake *in)
{
    struct record_fault fault;
    char *line;
    size_t n;
    enum intake_got got = intake_any_line(in, &line, &n);

    if (got == INTAKE_END)
        complain(2, "%s: is empty", in->name);
    if (got != INTAKE_ONE)
        return false;
    if (!find_format(in, line)) {
        intake_complain(in, "is no '# %s', '# %s' or head of warp's records",
                        RECORD_FORMAT, HISTOGRAM_FORMAT);
        return false;
    }
    if (in->format == INTAKE_WARP)
        return intake_warp_init(in, line);
    if (in->format == INTAKE_HIST) /* the first block begins here */
        return buf_addf(&in->block, "%s\n", line) == 0;
    if (read_facts(in, &line) != INTAKE_ONE)
        return false;
    if (in->format == INTAKE_CELLS)
        return buf_adds(&in->block, line) == 0; /* names of columns */
    if (record_scanner_init(&in->scanner, &fault, line))
        return true;
    intake_complain_fault(in, &fault);
    return false;
}

int
intake_open(struct intake *in, const char *path)
{
    int err;

    memset(in, 0, sizeof *in);
    in->name = strcmp(path, "-") == 0 ? "standard input" : path;
    buf_init(&in->block, BLOCK_MAX);
    buf_init(&in->warp.joined, LINES_MAX);
    buf_init(&in->warp.texts, 8 * LINES_MAX);
    err = unpack_open(&in->unpack, path);
    if (err != 0 && in->unpack.tool != NULL)
        return complain(2, "cannot read '%s' through %s: %s", in->name,
                        in->unpack.tool, strerror(err));
    if (err != 0)
        return complain(2, "cannot read '%s': %s", in->name, strerror(err));
    if (lines_init(&in->lines, in->unpack.fd) != 0)
        return complain(2, "cannot read '%s': %s", in->name, strerror(ENOMEM));
    return read_head(in) ? 0 : 2;
}

void
intake_close(struct intake *in)
{
    for (size_t i = 0; i < in->fact_count; i++) {
        free(in->facts[i].name);
        free(in->facts[i].value);
    }
    in->fact_count = 0;
    unpack_close(&in->unpack, false);
    lines_clear(&in->lines);
    buf_clear(&in->block);
    buf_clear(&in->warp.joined);
    buf_clear(&in->warp.texts);
}

/* --- contents --- */

enum intake_got
intake_record(struct intake *in, struct record_view *v)
{
    struct record_fault fault;
    enum intake_got got;
    char *line;
    size_t n;

    if (in->format == INTAKE_WARP) {
        got = intake_warp_record(in, v);
    } else {
        got = intake_line(in, &line, &n);
        if (got == INTAKE_ONE && !record_scan(v, &fault, &in->scanner, line, n))
            got = intake_complain_fault(in, &fault);
    }
    in->records += got == INTAKE_ONE;
    return got;
}

void
intake_mark(struct intake *in)
{
    lines_mark(&in->lines);
}

enum intake_got
intake_record_marked(struct intake *in, struct record_view *v, bool *full)
{
    enum intake_got got = intake_record(in, v);

    *full = in->full;
    return got;
}

void
intake_rewind(struct intake *in)
{
    lines_rewind(&in->lines);
    in->ended = in->full = false;
    in->records = 0;
}

/* Collect the text of a block: up to a blank line or the end. */
static enum intake_got
read_block(struct intake *in)
{
    enum intake_got got;
    char *line;
    size_t n;

    while ((got = intake_any_line(in, &line, &n)) == INTAKE_ONE && n > 0)
        if (buf_add(&in->block, line, n) != 0 ||
            buf_addc(&in->block, '\n') != 0)
            return intake_complain(in, "the histogram is too long");
    return got == INTAKE_BAD || in->block.len == 0 ? got : INTAKE_ONE;
}

/* Lines from TEXT on, up to a blank one. */
static uint64_t
count_lines(const char *text)
{
    uint64_t n = 0;

    while ((text = strchr(text, '\n')) != NULL) {
        text++;
        n++;
    }
    return n;
}

enum intake_got
intake_histogram(struct intake *in, struct histogram *h,
                 struct histogram_label *label)
{
    enum intake_got got = read_block(in);
    const char *text, *why;

    if (got != INTAKE_ONE)
        return got;
    text = in->block.data;
    why = strlen(text) == in->block.len ? histogram_parse(h, label, &text)
                                        : "a byte 0 in it";
    if (why != NULL) {
        /* the last line read is the blank one, or the last of the block */
        in->lines.number -= count_lines(text) - in->ended;
        intake_complain(in, "%.*s: %s", (int) strcspn(text, "\n"), text, why);
        return INTAKE_BAD;
    }
    buf_reset(&in->block);
    in->records++;
    return INTAKE_ONE;
}
