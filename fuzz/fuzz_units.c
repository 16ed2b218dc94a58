/* SPDX-License-Identifier: MIT */
/* Numbers with units: no crash, nothing written on false, and what is
 * accepted is a plain number with a known suffix. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

#define UNTOUCHED 0x5ca1ab1e

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool good)
{
    if (!good)
        abort();
}

static void
check_parsers(const char *text)
{
    uint64_t count = UNTOUCHED, bytes = UNTOUCHED;
    int64_t ns = UNTOUCHED;
    double rate = UNTOUCHED, decimal = UNTOUCHED;
    bool plain = strspn(text, "0123456789.kKMGTiBnumsh/") == strlen(text) &&
                 *text >= '0' && *text <= '9';

    if (units_parse_count(&count, text)) {
        /* A plain number means the same to the size parser. */
        require(units_parse_size(&bytes, text) && bytes == count);
    } else {
        require(count == UNTOUCHED);
        require(units_parse_size(&bytes, text) ? plain : bytes == UNTOUCHED);
    }
    if (units_parse_duration(&ns, text))
        require(plain && ns >= 0);
    else
        require(ns == UNTOUCHED);
    if (units_parse_rate(&rate, text))
        require(plain && rate > 0 && isfinite(rate));
    else
        require(rate == UNTOUCHED);
    if (units_parse_decimal(&decimal, text))
        require(plain && decimal >= 0 && isfinite(decimal));
    else
        require(decimal == UNTOUCHED);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = (char *) malloc(size + 1);
    char out[UNITS_TEXT_SIZE];
    double value = 0;

    if (text == NULL)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    check_parsers(text);
    if (size >= sizeof(value))
        memcpy(&value, data, sizeof(value));
    units_format_size(out, value);
    require(strlen(out) > 0 && strlen(out) < sizeof(out));
    units_format_duration(out, value);
    require(strlen(out) > 0 && strlen(out) < sizeof(out));
    free(text);
    return 0;
}
