/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report_page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
page_put(struct report_page *page, const char *format, ...)
{
    char line[512];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    if (page->err == 0)
        page->err = buf_adds(page->out, line);
}

/* Replace what could steer a terminal: C0, DEL, and C1 in UTF-8. */
static void
disarm(char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char) *text;
        unsigned char next = (unsigned char) text[1];

        if (c < ' ' || c == 0x7f)
            *text = '?';
        else if (c == 0xc2 && next >= 0x80 && next < 0xa0)
            text[0] = text[1] = '?';
    }
}

void
page_fit(char out[PAGE_FITTED_SIZE], const char *text, size_t columns)
{
    size_t n = 0, cut = 0, at = 0;

    for (at = 0; text[at] != '\0'; at++) {
        if (((unsigned char) text[at] & 0xc0) == 0x80)
            continue;
        if (n == columns - 3)
            cut = at;
        if (n++ == columns)
            break;
    }
    if (text[at] == '\0')
        cut = at;
    snprintf(out, PAGE_FITTED_SIZE, "%.*s%s", (int) cut, text,
             text[at] != '\0' ? "..." : "");
    disarm(out);
}

void
page_format_rate(char out[UNITS_TEXT_SIZE], double value)
{
    int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;

    if (value >= 0.995 && value < 1e15)
        snprintf(out, UNITS_TEXT_SIZE, "%.*f", decimals, value);
    else
        snprintf(out, UNITS_TEXT_SIZE, "%.3g", value);
}

const char *
page_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

void
page_put_time(struct report_page *page, int64_t ns, const char *mark)
{
    char text[UNITS_TEXT_SIZE], marked[UNITS_TEXT_SIZE + 1];

    units_format_duration(text, (double) ns);
    snprintf(marked, sizeof(marked), "%s%s", mark, text);
    page_put(page, " %9s", marked);
}

void
page_put_percentile(struct report_page *page, const struct histogram *h,
                    uint64_t censored, double p)
{
    int64_t ns;

    switch (report_percentile(h, censored, p, &ns)) {
    case REPORT_NONE:
        page->none = true;
        page_put(page, " %9s", "-");
        break;
    case REPORT_FEW:
        page->few = true;
        page_put_time(page, ns, "~");
        break;
    case REPORT_FULL:
        page_put_time(page, ns, "");
        break;
    case REPORT_BEYOND:
        page->beyond = true;
        page_put_time(page, ns, ">");
    }
}
