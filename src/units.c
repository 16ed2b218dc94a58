/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FRACTION_DIGITS 18 /* so that 10^n fits into 64 bits */

/* whole + fraction / scale */
struct decimal {
    uint64_t whole;
    uint64_t fraction;
    uint64_t scale;
    bool point; /* was written with one */
};

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns what follows the digits at TEXT; NULL without any or on overflow. */
static const char *
parse_digits(uint64_t *out, const char *text)
{
    uint64_t value = 0;

    if (!is_digit(*text))
        return NULL;
    for (; is_digit(*text); text++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t) (*text - '0'), &value))
            return NULL;
    }
    *out = value;
    return text;
}

/* Returns what follows the number at TEXT, NULL when there is no number. */
static const char *
parse_decimal(struct decimal *out, const char *text)
{
    const char *p = parse_digits(&out->whole, text);
    const char *start, *end;

    out->fraction = 0;
    out->scale = 1;
    out->point = p != NULL && *p == '.';
    if (!out->point)
        return p;
    start = ++p;
    while (is_digit(*p))
        p++;
    end = p;
    if (end == start)
        return NULL;
    while (end > start && end[-1] == '0')
        end--;
    if (end - start > FRACTION_DIGITS)
        return NULL;
    for (; start < end; start++) {
        out->fraction = out->fraction * 10 + (uint64_t) (*start - '0');
        out->scale *= 10;
    }
    return p;
}

/* D times UNIT as an integer: rounded, or refused when EXACT is asked for
 * and there is a rest. */
static bool
scale_decimal(uint64_t *out, const struct decimal *d, uint64_t unit, bool exact)
{
    __extension__ unsigned __int128 value, part;
    uint64_t rest;

    part = d->fraction;
    part *= unit;
    rest = (uint64_t) (part % d->scale);
    if (exact && rest != 0)
        return false;
    value = d->whole;
    value = value * unit + part / d->scale;
    if (rest >= d->scale - rest && rest != 0)
        value++;
    if (value > UINT64_MAX)
        return false;
    *out = (uint64_t) value;
    return true;
}

bool
units_parse_count(uint64_t *out, const char *text)
{
    uint64_t value;
    const char *end = parse_digits(&value, text);

    if (end == NULL || *end != '\0')
        return false;
    *out = value;
    return true;
}

static double
to_double(const struct decimal *d)
{
    return (double) d->whole + (double) d->fraction / (double) d->scale;
}

bool
units_parse_decimal(double *out, const char *text)
{
    struct decimal d;
    const char *end = parse_decimal(&d, text);

    if (end == NULL || *end != '\0')
        return false;
    *out = to_double(&d);
    return true;
}

bool
units_parse_size(uint64_t *out, const char *text)
{
    static const char letters[] = "KMGT";
    struct decimal d;
    const char *p = parse_decimal(&d, text);
    const char *letter;
    uint64_t unit = 1, step = 1000;

    if (p == NULL || (d.point && *p == '\0'))
        return false;
    letter = *p != '\0' ? strchr(letters, *p == 'k' ? 'K' : *p) : NULL;
    if (letter != NULL) {
        p++;
        if (*p == 'i') {
            step = 1024;
            p++;
        }
        for (const char *l = letters; l <= letter; l++)
            unit *= step;
    }
    if (*p == 'B')
        p++;
    return *p == '\0' && scale_decimal(out, &d, unit, true);
}

bool
units_parse_duration(int64_t *out_ns, const char *text)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"", 1000000000},
                 {"ns", 1},
                 {"us", 1000},
                 {"ms", 1000000},
                 {"s", 1000000000},
                 {"m", UINT64_C(60000000000)},
                 {"h", UINT64_C(3600000000000)}};
    struct decimal d;
    const char *p = parse_decimal(&d, text);
    uint64_t ns;

    if (p == NULL)
        return false;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(p, units[i].name) != 0)
            continue;
        if (!scale_decimal(&ns, &d, units[i].ns, false) || ns > INT64_MAX)
            return false;
        *out_ns = (int64_t) ns;
        return true;
    }
    return false;
}

bool
units_parse_rate(double *out_per_s, const char *text)
{
    struct decimal d;
    const char *p = parse_decimal(&d, text);
    double rate;

    if (p == NULL)
        return false;
    rate = to_double(&d);
    if (strcmp(p, "/m") == 0)
        rate /= 60;
    else if (*p != '\0' && strcmp(p, "/s") != 0)
        return false;
    if (!(rate > 0))
        return false;
    *out_per_s = rate;
    return true;
}

bool
units_parse_bit_rate(double *out_bits_per_s, const char *text)
{
    static const struct {
        const char *name;
        double bits;
    } units[] = {{"bit", 1},
                 {"kbit", 1e3},
                 {"Mbit", 1e6},
                 {"Gbit", 1e9},
                 {"Tbit", 1e12}};
    struct decimal d;
    const char *p = parse_decimal(&d, text);

    for (size_t i = 0; p != NULL && i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i].name);
        double rate = to_double(&d) * units[i].bits;

        if (strncmp(p, units[i].name, n) != 0 ||
            (p[n] != '\0' && strcmp(p + n, "/s") != 0) || !(rate > 0))
            continue;
        *out_bits_per_s = rate;
        return true;
    }
    return false;
}

/* Digits after the point that make three significant ones of VALUE. */
static int
decimals_for(double value)
{
    /* What rounds up to the next power of ten needs one less. */
    return value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
}

void
units_format_size(char out[UNITS_TEXT_SIZE], double bytes)
{
    static const char *const names[] = {"B",   "KiB", "MiB", "GiB",
                                        "TiB", "PiB", "EiB"};
    size_t unit = 0;
    char *end;

    if (!isfinite(bytes)) {
        snprintf(out, UNITS_TEXT_SIZE, "-");
        return;
    }
    while (bytes >= 1023.5 && unit < sizeof(names) / sizeof(names[0]) - 1) {
        bytes /= 1024;
        unit++;
    }
    if (bytes >= 1e15)
        snprintf(out, UNITS_TEXT_SIZE, "%.3g", bytes);
    else
        snprintf(out, UNITS_TEXT_SIZE, "%.*f", decimals_for(bytes), bytes);
    end = out + strlen(out);
    if (strchr(out, '.') != NULL) {
        while (end[-1] == '0')
            end--;
        if (end[-1] == '.')
            end--;
    }
    snprintf(end, (size_t) (out + UNITS_TEXT_SIZE - end), " %s", names[unit]);
}

void
units_format_duration(char out[UNITS_TEXT_SIZE], double ns)
{
    static const char *const names[] = {"us", "ms", "s"};
    double value = ns / 1000;
    size_t unit = 0;

    if (!isfinite(ns)) {
        snprintf(out, UNITS_TEXT_SIZE, "-");
        return;
    }
    if (ns < 999.5) {
        snprintf(out, UNITS_TEXT_SIZE, "%.0f ns", ns);
        return;
    }
    while (value >= 999.5 && unit < sizeof(names) / sizeof(names[0]) - 1) {
        value /= 1000;
        unit++;
    }
    if (value >= 1e15)
        snprintf(out, UNITS_TEXT_SIZE, "%.3g s", value);
    else
        snprintf(out, UNITS_TEXT_SIZE, "%.*f %s", decimals_for(value), value,
                 names[unit]);
}
