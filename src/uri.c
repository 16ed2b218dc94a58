/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "uri.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PARAMS_MAX 64

static const char hex_digits[] = "0123456789ABCDEF";

/* ctype.h would follow the locale. */
static bool
is_unreserved(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
           c == '~';
}

/* Value of a hex digit, -1 for any other character. */
static int
hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* The byte written as %XX at TEXT, which has N bytes left; -1 if none is. */
static int
escape_value(const char *text, size_t n)
{
    if (n < 3 || text[0] != '%' || hex_value(text[1]) < 0 ||
        hex_value(text[2]) < 0)
        return -1;
    return hex_value(text[1]) * 16 + hex_value(text[2]);
}

static char *
put_escape(char *at, unsigned char c)
{
    *at++ = '%';
    *at++ = hex_digits[c >> 4];
    *at++ = hex_digits[c & 15];
    return at;
}

/* The room needed is counted first, so that a buffer's limit is about the
 * result and a refused addition leaves nothing behind. */
int
uri_encode(struct buf *out, const char *bytes, size_t n, bool keep_slash)
{
    size_t room = n;
    char *at;
    int err;

    for (size_t i = 0; i < n; i++)
        if (!is_unreserved((unsigned char) bytes[i]) &&
            !(keep_slash && bytes[i] == '/'))
            room += 2;
    err = buf_reserve(out, room);
    if (err != 0 || room == 0)
        return err;
    at = out->data + out->len;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char) bytes[i];

        if (is_unreserved(c) || (keep_slash && c == '/'))
            *at++ = (char) c;
        else
            at = put_escape(at, c);
    }
    *at = '\0';
    out->len += room;
    return 0;
}

int
uri_encode_url_path(struct buf *out, const char *text, size_t n)
{
    size_t before = out->len;
    int err = 0;

    for (size_t i = 0; i < n && err == 0; i++) {
        int byte = escape_value(text + i, n - i);

        if (byte >= 0) {
            char escape[3];

            put_escape(escape, (unsigned char) byte);
            err = buf_add(out, escape, sizeof(escape));
            i += 2;
        } else {
            err = uri_encode(out, text + i, 1, true);
        }
    }
    if (err != 0 && out->len > before) {
        out->len = before;
        out->data[before] = '\0';
    }
    return err;
}

int
uri_decode(struct buf *out, const char *text, size_t n, bool plus_is_blank)
{
    size_t room = 0;
    char *at;
    int err;

    for (size_t i = 0; i < n; i++, room++) {
        if (text[i] != '%')
            continue;
        if (escape_value(text + i, n - i) <= 0)
            return EINVAL;
        i += 2;
    }
    err = buf_reserve(out, room);
    if (err != 0 || room == 0)
        return err;
    at = out->data + out->len;
    for (size_t i = 0; i < n; i++) {
        char c = text[i];

        if (c == '%') {
            c = (char) escape_value(text + i, n - i);
            i += 2;
        } else if (c == '+' && plus_is_blank) {
            c = ' ';
        }
        *at++ = c;
    }
    *at = '\0';
    out->len += room;
    return 0;
}

/*
 * Where C's encoding sorts. An encoded byte starts with '%', which no plain
 * one does, and then sorts by its value, since hex digits ascend; so whole
 * encodings can be compared without being written.
 */
static int
rank(unsigned char c)
{
    if (c == '\0')
        return 0;
    return is_unreserved(c) ? c << 8 : '%' << 8 | c;
}

static int
compare_encoded(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return rank((unsigned char) *a) - rank((unsigned char) *b);
}

static const char *
value_of(const struct uri_param *param)
{
    return param->value != NULL ? param->value : "";
}

static int
compare_params(const void *a, const void *b)
{
    const struct uri_param *left = (const struct uri_param *) a;
    const struct uri_param *right = (const struct uri_param *) b;
    int order = compare_encoded(left->name, right->name);

    if (order != 0)
        return order;
    return compare_encoded(value_of(left), value_of(right));
}

int
uri_canonical_query(struct buf *out, struct uri_param *params, size_t n)
{
    size_t before = out->len;
    int err = 0;

    if (n > PARAMS_MAX)
        return E2BIG;
    if (n > 1)
        qsort(params, n, sizeof(*params), compare_params);
    for (size_t i = 0; i < n && err == 0; i++) {
        const char *name = params[i].name, *value = value_of(&params[i]);

        if (i > 0)
            err = buf_addc(out, '&');
        if (err == 0)
            err = uri_encode(out, name, strlen(name), false);
        if (err == 0)
            err = buf_addc(out, '=');
        if (err == 0)
            err = uri_encode(out, value, strlen(value), false);
    }
    if (err != 0 && out->len > before) {
        out->len = before;
        out->data[before] = '\0';
    }
    return err;
}
