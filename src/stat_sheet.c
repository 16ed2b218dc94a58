/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stat_sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "record.h"
#include "stat_command.h"
#include "version.h"

#define LINE_MAX_BYTES (1u << 20)
#define CELL_SIZE 64

static void
note(struct stat_sheet *s, int err)
{
    if (s->err == 0)
        s->err = err;
}

/* --- people --- */

/* TEXT in the column, cut to its width; the last one is as long as it is. */
static void
put_cell(struct stat_sheet *s, const char *text)
{
    const struct stat_column *c = &s->columns[s->at];
    int width = c->width < 0 ? -c->width : c->width, n = (int) strlen(text);
    const char *gap = s->line.len > 0 ? " " : "";

    if (c->title == NULL)
        return;
    if (c->width < 0 && c[1].name == NULL)
        note(s, buf_addf(&s->line, "%s%s", gap, text));
    else if (n <= width)
        note(s, buf_addf(&s->line, "%s%*s", gap, c->width, text));
    else if (c->width < 0) /* the end of a name says more than its middle */
        note(s, buf_addf(&s->line, "%s..%s", gap, text + n - width + 2));
    else
        note(s, buf_addf(&s->line, "%s%s", gap, text));
}

static void
put_titles(struct stat_sheet *s)
{
    for (; s->columns[s->at].name != NULL; s->at++)
        if (s->columns[s->at].title != NULL)
            put_cell(s, s->columns[s->at].title);
    printf("%s\n", s->line.data);
    buf_reset(&s->line);
    s->at = 0;
}

/* --- programs --- */

static void
put_names(struct stat_sheet *s)
{
    printf("# %s\n# program: s3stat %s\n", s->format, S3PERF_VERSION);
    for (size_t i = 0; s->columns[i].name != NULL; i++)
        printf("%s%s", i > 0 ? "\t" : "", s->columns[i].name);
    putchar('\n');
}

static void
put_head(struct stat_sheet *s)
{
    if (s->shape == STAT_SHAPE_PEOPLE)
        put_titles(s);
    else if (s->shape == STAT_SHAPE_TSV)
        put_names(s);
    s->begun = true;
}

/* A cell begins, and with it perhaps a row, and with that the sheet. */
static void
begin_cell(struct stat_sheet *s)
{
    if (!s->begun)
        put_head(s);
    if (s->shape == STAT_SHAPE_TSV && s->at > 0)
        note(s, buf_addc(&s->line, '\t'));
    if (s->shape != STAT_SHAPE_JSON || s->at > 0)
        return;
    json_init(&s->json, &s->line);
    json_open(&s->json, NULL, '{');
    json_string(&s->json, "format", s->format);
}

void
stat_sheet_open(struct stat_sheet *s, enum stat_shape shape, const char *format,
                const struct stat_column *columns)
{
    *s = (struct stat_sheet){
        .shape = shape, .format = format, .columns = columns};
    buf_init(&s->line, LINE_MAX_BYTES);
}

/* --- cells --- */

/* A cell that is the same text for people and in tables. */
static void
put_text(struct stat_sheet *s, const char *people, const char *table)
{
    if (s->shape == STAT_SHAPE_PEOPLE)
        put_cell(s, people);
    else
        note(s, buf_adds(&s->line, table));
    s->at++;
}

void
stat_sheet_text(struct stat_sheet *s, const char *text)
{
    bool none = text == NULL || *text == '\0';

    begin_cell(s);
    if (s->shape == STAT_SHAPE_JSON) {
        json_string(&s->json, s->columns[s->at++].name, none ? NULL : text);
    } else if (s->shape == STAT_SHAPE_TSV) {
        note(s, record_add_field(&s->line, text));
        s->at++;
    } else {
        put_text(s, none ? "-" : text, "");
    }
}

void
stat_sheet_field(struct stat_sheet *s, const char *text, size_t n)
{
    struct buf copy;
    bool none = n == 0 || (n == 1 && *text == '-');

    buf_init(&copy, n + 1);
    note(s, buf_add(&copy, text, n));
    complain_clean(copy.data);
    begin_cell(s);
    if (s->shape == STAT_SHAPE_JSON)
        json_string(&s->json, s->columns[s->at++].name,
                    none ? NULL : copy.data);
    else
        put_text(s, none ? "-" : copy.data, none ? "-" : copy.data);
    buf_clear(&copy);
}

void
stat_sheet_uint(struct stat_sheet *s, uint64_t value)
{
    char text[CELL_SIZE];

    begin_cell(s);
    snprintf(text, sizeof text, "%" PRIu64, value);
    if (s->shape == STAT_SHAPE_JSON)
        json_uint(&s->json, s->columns[s->at++].name, value);
    else
        put_text(s, text, text);
}

/* A number that people see as PEOPLE. */
static void
put_number(struct stat_sheet *s, double value, int decimals, const char *people)
{
    char text[CELL_SIZE] = "-";

    begin_cell(s);
    if (isfinite(value))
        snprintf(text, sizeof text, "%.*f", decimals, value);
    if (s->shape == STAT_SHAPE_JSON)
        json_number(&s->json, s->columns[s->at++].name, value, decimals);
    else
        put_text(s, people, text);
}

void
stat_sheet_number(struct stat_sheet *s, double value, int decimals)
{
    char people[UNITS_TEXT_SIZE];

    stat_format_rate(people, value);
    put_number(s, value, decimals, people);
}

void
stat_sheet_share(struct stat_sheet *s, double value)
{
    char people[UNITS_TEXT_SIZE] = "-";

    if (isfinite(value))
        snprintf(people, sizeof people, "%.*f%%", value < 0.0995 ? 2 : 1,
                 100 * value);
    put_number(s, value, 6, people);
}

void
stat_sheet_time(struct stat_sheet *s, double ns)
{
    char people[UNITS_TEXT_SIZE];

    stat_format_time(people, ns);
    put_number(s, ns / 1000, 3, people);
}

static void
put_percentile(struct stat_sheet *s, enum dist_support support, double ns)
{
    char time[UNITS_TEXT_SIZE], text[CELL_SIZE];
    const char *mark = support == DIST_FEW      ? "~"
                       : support == DIST_BEYOND ? ">"
                                                : "";

    s->marks.none |= support == DIST_NONE;
    s->marks.few |= support == DIST_FEW;
    s->marks.beyond |= support == DIST_BEYOND;
    stat_format_time(time, support == DIST_NONE ? NAN : ns);
    snprintf(text, sizeof text, "%s%s", mark, time);
    if (support == DIST_BEYOND && s->shape == STAT_SHAPE_TSV) {
        begin_cell(s);
        note(s, buf_addf(&s->line, ">%.3f", ns / 1000));
        s->at++;
        return;
    }
    put_number(s,
               support == DIST_NONE || support == DIST_BEYOND ? NAN : ns / 1000,
               3, text);
}

void
stat_sheet_percentile(struct stat_sheet *s, struct dist *d, uint64_t censored,
                      double p)
{
    int64_t ns;
    enum dist_support support = dist_supported(d, censored, p, &ns);

    put_percentile(s, support, (double) ns);
}

void
stat_sheet_supported(struct stat_sheet *s, double ns, uint64_t n, double p)
{
    put_percentile(s, (enum dist_support) histogram_supports(n, p), ns);
}

void
stat_sheet_end_row(struct stat_sheet *s)
{
    if (s->shape == STAT_SHAPE_JSON) {
        json_close(&s->json, '}');
        note(s, s->json.err);
    }
    if (s->err == 0)
        printf("%s\n", s->line.data);
    buf_reset(&s->line);
    s->at = 0;
}

int
stat_sheet_close(struct stat_sheet *s, int status)
{
    if (!s->begun && status <= STAT_FAILED)
        put_head(s);
    buf_clear(&s->line);
    if (s->shape == STAT_SHAPE_PEOPLE)
        stat_put_marks(&s->marks);
    if (s->err != 0)
        status = complain(STAT_OUTPUT, "cannot print: %s", strerror(s->err));
    return stat_finish(status);
}
