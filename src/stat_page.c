/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stat_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void
stat_format_time(char out[UNITS_TEXT_SIZE], double ns)
{
    char *blank;

    if (!isfinite(ns)) {
        snprintf(out, UNITS_TEXT_SIZE, "-");
        return;
    }
    units_format_duration(out, ns);
    blank = strchr(out, ' ');
    if (blank != NULL)
        memmove(blank, blank + 1, strlen(blank));
}

void
stat_format_rate(char out[UNITS_TEXT_SIZE], double value)
{
    if (!isfinite(value))
        snprintf(out, UNITS_TEXT_SIZE, "-");
    else if (value >= 99.95)
        snprintf(out, UNITS_TEXT_SIZE, "%.0f", value);
    else
        snprintf(out, UNITS_TEXT_SIZE, "%.3g", value);
}

const char *
stat_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void
put_marked(double ns, const char *mark)
{
    char time[UNITS_TEXT_SIZE], text[UNITS_TEXT_SIZE + 1];

    stat_format_time(time, ns);
    snprintf(text, sizeof text, "%s%s", mark, time);
    printf(" %7s", text);
}

void
stat_put_time(double ns)
{
    put_marked(ns, "");
}

void
stat_put_percentile(struct stat_marks *marks, struct dist *d, uint64_t censored,
                    double p)
{
    int64_t ns;

    switch (dist_supported(d, censored, p, &ns)) {
    case DIST_NONE:
        marks->none = true;
        put_marked(NAN, "");
        break;
    case DIST_FEW:
        marks->few = true;
        put_marked((double) ns, "~");
        break;
    case DIST_FULL:
        put_marked((double) ns, "");
        break;
    case DIST_BEYOND:
        marks->beyond = true;
        put_marked((double) ns, ">");
    }
}

void
stat_put_marks(const struct stat_marks *marks)
{
    const struct {
        bool set;
        const char *text;
    } notes[] = {
        {marks->few, "~  fewer than 10 operations lie beyond this percentile"},
        {marks->none, "-  too few operations for it"},
        {marks->beyond,
         ">  among the operations that were given up at the end"},
    };
    bool first = true;

    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        if (!notes[i].set)
            continue;
        printf("%s%s\n", first ? "\n" : "", notes[i].text);
        first = false;
    }
}

void
stat_put_text(const char *text, int width)
{
    if (strlen(text) <= (size_t) width)
        printf("%-*s", width, text);
    else
        printf("%.*s...", width - 3, text);
}
