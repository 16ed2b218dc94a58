/* SPDX-License-Identifier: MIT */
/* The axes of a sweep, from what a user writes. */
#include "config.h"

#include "sweep.h"

#include <stdlib.h>
#include <string.h>

#include "units.h"

#define NUMBER_MAX 40 /* characters of one number */

const char *const sweep_phase_names[SWEEP_PHASES] = {
    [SWEEP_CREATE] = "create",   [SWEEP_UPLOAD] = "upload",
    [SWEEP_LIST] = "list",       [SWEEP_HEAD] = "head",
    [SWEEP_RANGE] = "get-range", [SWEEP_DOWNLOAD] = "download",
    [SWEEP_ERASE] = "erase",     [SWEEP_REMOVE] = "remove",
};

/* BASE^EXPONENT; *FACTOR becomes the base. */
static bool
parse_power(uint64_t *out, uint64_t *factor, char *text, char *caret)
{
    uint64_t base, exponent, value = 1;

    *caret = '\0';
    if (!units_parse_count(&base, text) ||
        !units_parse_count(&exponent, caret + 1) || base < 2)
        return false;
    for (; exponent > 0; exponent--)
        if (__builtin_mul_overflow(value, base, &value))
            return false;
    *out = value;
    *factor = base;
    return true;
}

/* A number of LEN characters; *FACTOR is left alone unless it is a power. */
static bool
parse_number(uint64_t *out, uint64_t *factor, const char *at, size_t len,
             bool bytes)
{
    char text[NUMBER_MAX + 1], *caret;

    if (len > NUMBER_MAX)
        return false;
    memcpy(text, at, len);
    text[len] = '\0';
    caret = strchr(text, '^');
    if (caret != NULL)
        return parse_power(out, factor, text, caret);
    return bytes ? units_parse_size(out, text) : units_parse_count(out, text);
}

/* Returns NULL, or what is wrong, as below. */
static const char *
add_value(struct sweep_axis *axis, uint64_t value)
{
    size_t i = axis->count;

    while (i > 0 && axis->values[i - 1] > value)
        i--;
    if (i > 0 && axis->values[i - 1] == value)
        return NULL;
    if (axis->count == SWEEP_AXIS_MAX)
        return "there are more than 256 values";
    memmove(axis->values + i + 1, axis->values + i,
            (axis->count - i) * sizeof *axis->values);
    axis->values[i] = value;
    axis->count++;
    return NULL;
}

/* "A..B" or "A..B*F", whose dots are at DOTS. */
static const char *
add_range(struct sweep_axis *axis, const char *at, size_t len, const char *dots,
          bool bytes)
{
    const char *second = dots + 2, *end = at + len;
    const char *star = memchr(second, '*', (size_t) (end - second));
    const char *last = star != NULL ? star : end, *wrong = NULL;
    uint64_t low, high, factor = 2, ignored;

    if (!parse_number(&low, &factor, at, (size_t) (dots - at), bytes) ||
        !parse_number(&high, &ignored, second, (size_t) (last - second), bytes))
        return "it is no range";
    if (star != NULL && !parse_number(&factor, &ignored, star + 1,
                                      (size_t) (end - star - 1), false))
        return "bad factor";
    if (factor < 2)
        return "a factor is at least 2";
    if (low == 0)
        return "a range of factors cannot begin with 0";
    if (low > high)
        return "it ends before it begins";
    for (; wrong == NULL && low < high; low *= factor) {
        wrong = add_value(axis, low);
        if (low > UINT64_MAX / factor)
            break;
    }
    if (wrong == NULL && low != high)
        return "its factors miss its end";
    return wrong != NULL ? wrong : add_value(axis, high);
}

static const char *
add_item(struct sweep_axis *axis, const char *at, size_t len, bool bytes)
{
    const char *dots = NULL;
    uint64_t value, ignored;

    for (size_t i = 0; dots == NULL && i + 1 < len; i++)
        if (at[i] == '.' && at[i + 1] == '.')
            dots = at + i;
    if (dots != NULL)
        return add_range(axis, at, len, dots, bytes);
    if (!parse_number(&value, &ignored, at, len, bytes))
        return bytes ? "it is no size" : "it is no number";
    return add_value(axis, value);
}

const char *
sweep_parse_axis(struct sweep_axis *axis, const char *text, bool bytes,
                 const char **where, size_t *len)
{
    uint64_t most = bytes ? SWEEP_PUT_MAX : SWEEP_LANES_MAX;
    const char *wrong = NULL;

    axis->count = 0;
    do {
        *where = text;
        *len = strcspn(text, ",");
        wrong = add_item(axis, text, *len, bytes);
        if (wrong == NULL && axis->values[axis->count - 1] > most)
            wrong = bytes ? "a single put takes at most 5 GiB"
                          : "it is more than 65536";
        if (wrong == NULL && !bytes && axis->values[0] == 0)
            wrong = "it is at least 1";
        text += *len;
    } while (wrong == NULL && *text++ == ',');
    return wrong;
}

bool
sweep_parse_phases(uint32_t *phases, const char *text, const char **where,
                   size_t *len)
{
    *phases = 0;
    do {
        uint32_t bit = 0;

        *where = text;
        *len = strcspn(text, ",");
        for (size_t i = 0; i < SWEEP_PHASES; i++)
            if (strlen(sweep_phase_names[i]) == *len &&
                strncmp(sweep_phase_names[i], text, *len) == 0)
                bit = SWEEP_BIT(i);
        if (bit == 0 || (*phases & bit) != 0)
            return false;
        *phases |= bit;
        text += *len;
    } while (*text++ == ',');
    return true;
}
