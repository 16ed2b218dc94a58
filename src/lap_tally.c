/* SPDX-License-Identifier: MIT */
/* Laps as lines of a file, and what they add up to. */
#include "config.h"

#include "lap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

#define FIELDS 7

static const char *const end_names[] = {"done",    "exit",    "signal",
                                        "timeout", "stopped", "short"};

int
lap_read_environment(FILE *file)
{
    char *line = NULL, *value;
    size_t size = 0;
    ssize_t n;
    int err = 0;

    while (err == 0 && (n = getline(&line, &size, file)) > 0) {
        line[n - (line[n - 1] == '\n')] = '\0';
        value = strchr(line, '=');
        if (value == line || *line == '\0') {
            err = EINVAL;
        } else if (value == NULL) {
            err = unsetenv(line) == 0 ? 0 : errno;
        } else {
            *value = '\0';
            err = setenv(line, value + 1, 1) == 0 ? 0 : errno;
        }
    }
    if (line != NULL) {
        explicit_bzero(line, size); /* a key may have been in it */
        free(line);
    }
    return err == 0 && ferror(file) ? EIO : err;
}

int
lap_add_line(struct buf *out, const struct lap *lap)
{
    return buf_addf(
        out, "%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRIu64 "\t%s\t%d\t%s\n",
        lap->start_ns, lap->end_ns, lap->cpu_ns, lap->rss_kib,
        end_names[lap->end], lap->number, lap->said);
}

static bool
parse_end(enum lap_end *end, const char *name)
{
    for (size_t i = 0; i < sizeof end_names / sizeof *end_names; i++)
        if (strcmp(end_names[i], name) == 0) {
            *end = (enum lap_end) i;
            return true;
        }
    return false;
}

static bool
parse_number(int64_t *out, const char *text)
{
    uint64_t value;

    if (!units_parse_count(&value, text) || value > INT64_MAX)
        return false;
    *out = (int64_t) value;
    return true;
}

/* Cut LINE at its tabs. Returns whether it has as many fields. */
static bool
cut(char *fields[FIELDS], char *line)
{
    size_t n = 0;

    for (; line != NULL && n < FIELDS - 1; n++)
        fields[n] = strsep(&line, "\t");
    if (line != NULL)
        fields[n++] = line;
    return n == FIELDS;
}

bool
lap_parse_line(struct lap *lap, const char *line)
{
    char text[LAP_LINE_MAX], *fields[FIELDS];
    int64_t rss, number;

    *lap = (struct lap){0};
    if (strlen(line) >= sizeof text)
        return false;
    strcpy(text, line);
    text[strcspn(text, "\n")] = '\0';
    if (!cut(fields, text) || !parse_number(&lap->start_ns, fields[0]) ||
        !parse_number(&lap->end_ns, fields[1]) ||
        !parse_number(&lap->cpu_ns, fields[2]) ||
        !parse_number(&rss, fields[3]) || !parse_end(&lap->end, fields[4]) ||
        !parse_number(&number, fields[5]) || number > 255 ||
        lap->end_ns < lap->start_ns || strlen(fields[6]) >= LAP_SAID_SIZE)
        return false;
    lap->rss_kib = (uint64_t) rss;
    lap->number = (int) number;
    strcpy(lap->said, fields[6]);
    return true;
}

static void
add_lap(struct report *r, const struct lap *lap, bool moves)
{
    struct record record = {.due_ns = lap->start_ns,
                            .start_ns = lap->start_ns,
                            .end_ns = lap->end_ns,
                            .total_ns = lap->end_ns - lap->start_ns,
                            .sent_ns = RECORD_NONE,
                            .first_ns = RECORD_NONE,
                            .body_ns = RECORD_NONE,
                            .verify_ns = RECORD_NONE,
                            .op = r->asked.op,
                            .bucket = r->asked.bucket,
                            .key = r->asked.key,
                            .size = r->asked.size,
                            .attempt = 1,
                            .endpoint = r->asked.endpoint,
                            .ok = lap->end == LAP_DONE};

    r->cpu_ns += lap->cpu_ns;
    if (lap->rss_kib > r->max_rss_kib)
        r->max_rss_kib = lap->rss_kib;
    if (lap->end == LAP_STOPPED) {
        r->unfinished++;
        return;
    }
    if (lap->end == LAP_EXIT)
        snprintf(record.code, sizeof record.code, "Exit%d", lap->number);
    else if (lap->end == LAP_SIGNAL)
        snprintf(record.code, sizeof record.code, "Signal%d", lap->number);
    else if (!record.ok)
        record.transport = end_names[lap->end];
    if (record.ok && moves)
        record.good_bytes = record.wire_bytes = r->asked.size;
    r->books.flight_ns += (double) record.total_ns;
    report_add(r, &record, lap->said);
}

int
lap_tally(struct report *r, FILE *file, bool moves)
{
    char *line = NULL;
    size_t size = 0;
    struct lap lap;
    int err = 0;

    while (err == 0 && getline(&line, &size, file) > 0) {
        if (lap_parse_line(&lap, line))
            add_lap(r, &lap, moves);
        else
            err = EINVAL;
    }
    free(line);
    return err == 0 && ferror(file) ? EIO : err;
}
