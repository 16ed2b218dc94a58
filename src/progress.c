/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "json.h"
#include "units.h"

void
progress_init(struct progress *p, const char *wish, const char *phase)
{
    *p = (struct progress){.phase = phase};
    if (wish == NULL)
        p->form = isatty(STDERR_FILENO) ? PROGRESS_LINE : PROGRESS_NONE;
    else if (strcmp(wish, "line") == 0)
        p->form = PROGRESS_LINE;
    else if (strcmp(wish, "json") == 0)
        p->form = PROGRESS_JSON;
}

/* What is left: time, operations, or nothing that is known. */
static void
format_left(char *out, size_t size, const struct crew_view *v)
{
    if (v->left_ns >= 0)
        snprintf(out, size, "%" PRId64 " s left",
                 (v->left_ns + CLOCK_NS_PER_S - 1) / CLOCK_NS_PER_S);
    else if (v->left_ops != UINT64_MAX)
        snprintf(out, size, "%" PRIu64 " left", v->left_ops);
    else
        out[0] = '\0';
}

static void
show_line(struct progress *p, const struct crew_view *v)
{
    char left[40], p50[UNITS_TEXT_SIZE] = "-", p99[UNITS_TEXT_SIZE] = "-";
    char line[160];

    format_left(left, sizeof left, v);
    if (v->last.ops > 0) {
        units_format_duration(p50, (double) interval_percentile(&v->last, 0.5));
        units_format_duration(p99,
                              (double) interval_percentile(&v->last, 0.99));
    }
    snprintf(line, sizeof line,
             "%s %" PRId64 " s, %s  %.0f ops/s  %.1f MiB/s  %" PRIu64
             " errors  p50 %s  p99 %s",
             p->phase, v->elapsed_ns / CLOCK_NS_PER_S, left, v->ops_per_s,
             v->good_bytes_per_s / (1 << 20), v->errors, p50, p99);
    line[79] = '\0';
    /* To the line's start, write, and take away what stood there. */
    fprintf(stderr, isatty(STDERR_FILENO) ? "\r%s\033[K" : "%s\n", line);
    fflush(stderr);
    p->shown = true;
}

static void
show_json(const struct progress *p, const struct crew_view *v)
{
    struct buf out;
    struct json j;

    buf_init(&out, 4096);
    json_init(&j, &out);
    json_open(&j, NULL, '{');
    json_string(&j, "format", "s3perf-progress 1");
    json_string(&j, "phase", p->phase);
    json_number(&j, "elapsed_s", (double) v->elapsed_ns / 1e9, 3);
    if (v->left_ns >= 0)
        json_number(&j, "left_s", (double) v->left_ns / 1e9, 3);
    if (v->left_ops != UINT64_MAX)
        json_uint(&j, "left_ops", v->left_ops);
    json_uint(&j, "ops", v->ops);
    json_uint(&j, "errors", v->errors);
    json_number(&j, "ops_per_s", v->ops_per_s, 3);
    json_number(&j, "good_bytes_per_s", v->good_bytes_per_s, 1);
    if (v->last.ops > 0) {
        json_number(&j, "p50_us",
                    (double) interval_percentile(&v->last, 0.5) / 1e3, 3);
        json_number(&j, "p99_us",
                    (double) interval_percentile(&v->last, 0.99) / 1e3, 3);
    }
    json_close(&j, '}');
    if (j.err == 0)
        fprintf(stderr, "%s\n", out.data);
    buf_clear(&out);
}

void
progress_show(void *ctx, const struct crew_view *view)
{
    struct progress *p = ctx;

    if (p->form == PROGRESS_LINE)
        show_line(p, view);
    else if (p->form == PROGRESS_JSON)
        show_json(p, view);
}

void
progress_clear(struct progress *p)
{
    if (p->shown && p->form == PROGRESS_LINE && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    p->shown = false;
}
