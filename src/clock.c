/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "clock.h"

#include <stdio.h>
#include <string.h>

static int64_t
read_clock(clockid_t id)
{
    struct timespec ts;

    clock_gettime(id, &ts);
    return ts.tv_sec * CLOCK_NS_PER_S + ts.tv_nsec;
}

int64_t
clock_now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t
clock_cpu_ns(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

time_t
clock_wall(void)
{
    return time(NULL);
}

int64_t
clock_wall_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* strftime is safe here: only numeric fields, so no locale shows. */
void
clock_format_amz(char out[CLOCK_AMZ_SIZE], time_t wall)
{
    struct tm tm;

    if (gmtime_r(&wall, &tm) == NULL ||
        strftime(out, CLOCK_AMZ_SIZE, "%Y%m%dT%H%M%SZ", &tm) == 0)
        memcpy(out, "19700101T000000Z", CLOCK_AMZ_SIZE);
}

void
clock_format_iso(char out[CLOCK_ISO_SIZE], time_t wall)
{
    struct tm tm;

    if (gmtime_r(&wall, &tm) == NULL ||
        strftime(out, CLOCK_ISO_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        memcpy(out, "1970-01-01T00:00:00Z", CLOCK_ISO_SIZE);
}

static const char month_names[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/* The names are ours: strftime's follow the locale. */
void
clock_format_http(char out[CLOCK_HTTP_SIZE], time_t wall)
{
    static const char days[][4] = {"Sun", "Mon", "Tue", "Wed",
                                   "Thu", "Fri", "Sat"};
    char text[CLOCK_HTTP_SIZE];
    struct tm tm;

    memcpy(out, "Thu, 01 Jan 1970 00:00:00 GMT", CLOCK_HTTP_SIZE);
    if (gmtime_r(&wall, &tm) == NULL ||
        strftime(text, sizeof text, "xxx, %d xxx %Y %H:%M:%S GMT", &tm) !=
            CLOCK_HTTP_SIZE - 1)
        return;
    memcpy(text, days[tm.tm_wday], 3);
    memcpy(text + 8, month_names[tm.tm_mon], 3);
    memcpy(out, text, sizeof text);
}

/* Read the N digits at TEXT; -1 unless all of them are digits. */
static int
digits(const char *text, int n)
{
    int value = 0;

    for (int i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

bool
clock_parse_amz(time_t *out, const char *text)
{
    struct tm tm = {0};
    char back[CLOCK_AMZ_SIZE];
    time_t wall;

    if (strlen(text) != CLOCK_AMZ_SIZE - 1)
        return false;
    tm.tm_year = digits(text, 4) - 1900;
    tm.tm_mon = digits(text + 4, 2) - 1;
    tm.tm_mday = digits(text + 6, 2);
    tm.tm_hour = digits(text + 9, 2);
    tm.tm_min = digits(text + 11, 2);
    tm.tm_sec = digits(text + 13, 2);
    wall = timegm(&tm);
    /* Written back it must be the same, or a field was out of range. */
    clock_format_amz(back, wall);
    if (strcmp(back, text) != 0)
        return false;
    *out = wall;
    return true;
}

bool
clock_parse_iso(time_t *out, const char *text)
{
    char amz[CLOCK_AMZ_SIZE];
    size_t fraction;

    if (strlen(text) < CLOCK_ISO_SIZE - 1 || text[4] != '-' || text[7] != '-' ||
        text[13] != ':' || text[16] != ':')
        return false;
    fraction = text[19] == '.' ? 1 + strspn(text + 20, "0123456789") : 0;
    if (strcmp(text + 19 + fraction, "Z") != 0)
        return false;
    snprintf(amz, sizeof amz, "%.4s%.2s%.2s%.3s%.2s%.2sZ", text, text + 5,
             text + 8, text + 10, text + 14, text + 17);
    return clock_parse_amz(out, amz);
}

bool
clock_parse_http(time_t *out, const char *text)
{
    char back[CLOCK_HTTP_SIZE];
    struct tm tm = {0};
    time_t wall;

    if (strlen(text) != CLOCK_HTTP_SIZE - 1)
        return false;
    while (tm.tm_mon < 12 && memcmp(text + 8, month_names[tm.tm_mon], 3) != 0)
        tm.tm_mon++;
    tm.tm_mday = digits(text + 5, 2);
    tm.tm_year = digits(text + 12, 4) - 1900;
    tm.tm_hour = digits(text + 17, 2);
    tm.tm_min = digits(text + 20, 2);
    tm.tm_sec = digits(text + 23, 2);
    wall = timegm(&tm);
    clock_format_http(back, wall);
    if (strcmp(back, text) != 0)
        return false;
    *out = wall;
    return true;
}
