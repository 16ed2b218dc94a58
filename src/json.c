/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static void
note(struct json *j, int err)
{
    if (j->err == 0)
        j->err = err;
}

/* Length of the valid UTF-8 sequence at TEXT, 0 when there is none. */
static size_t
utf8_length(const unsigned char *text)
{
    static const unsigned char low[] = {0x80, 0xa0, 0x90};
    size_t n = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    unsigned char first_low = low[0];
    unsigned char first_high = 0xbf;

    if (text[0] < 0x80)
        return 1;
    if (text[0] < 0xc2 || text[0] > 0xf4)
        return 0;
    if (text[0] == 0xe0)
        first_low = low[1];
    if (text[0] == 0xed)
        first_high = 0x9f;
    if (text[0] == 0xf0)
        first_low = low[2];
    if (text[0] == 0xf4)
        first_high = 0x8f;
    if (text[1] < first_low || text[1] > first_high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

static void
quote(struct json *j, const char *text)
{
    const unsigned char *p = (const unsigned char *) text;

    note(j, buf_addc(j->out, '"'));
    while (*p != '\0' && j->err == 0) {
        size_t n = utf8_length(p);

        if (*p == '"' || *p == '\\')
            note(j, buf_addf(j->out, "\\%c", *p));
        else if (*p < 0x20)
            note(j, buf_addf(j->out, "\\u%04x", *p));
        else if (n == 0)
            note(j, buf_adds(j->out, "\\ufffd"));
        else
            note(j, buf_add(j->out, p, n));
        p += n > 0 ? n : 1;
    }
    note(j, buf_addc(j->out, '"'));
}

static void
member(struct json *j, const char *key)
{
    if (j->comma)
        note(j, buf_addc(j->out, ','));
    j->comma = true;
    if (key != NULL) {
        quote(j, key);
        note(j, buf_addc(j->out, ':'));
    }
}

void
json_init(struct json *j, struct buf *out)
{
    *j = (struct json){.out = out};
}

void
json_open(struct json *j, const char *key, char bracket)
{
    member(j, key);
    note(j, buf_addc(j->out, bracket));
    j->comma = false;
}

void
json_close(struct json *j, char bracket)
{
    note(j, buf_addc(j->out, bracket));
    j->comma = true;
}

void
json_string(struct json *j, const char *key, const char *text)
{
    if (text == NULL) {
        json_null(j, key);
        return;
    }
    member(j, key);
    quote(j, text);
}

void
json_uint(struct json *j, const char *key, uint64_t value)
{
    member(j, key);
    note(j, buf_addf(j->out, "%" PRIu64, value));
}

void
json_bool(struct json *j, const char *key, bool value)
{
    member(j, key);
    note(j, buf_adds(j->out, value ? "true" : "false"));
}

void
json_null(struct json *j, const char *key)
{
    member(j, key);
    note(j, buf_adds(j->out, "null"));
}

void
json_number(struct json *j, const char *key, double value, int decimals)
{
    if (!isfinite(value)) {
        json_null(j, key);
        return;
    }
    member(j, key);
    note(j, buf_addf(j->out, "%.*f", decimals, value));
}
