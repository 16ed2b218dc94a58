/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "json_read.h"

#include <stdint.h>
#include <string.h>

/* TEXT[LEN] is NUL, which no rule of the grammar takes: looking one ahead
 * is safe everywhere. */
struct reader {
    char *at;
};

static void
skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

static bool
take(struct reader *r, char c)
{
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

/* Four hex digits. */
static bool
read_hex(struct reader *r, uint32_t *out)
{
    uint32_t value = 0;

    for (int i = 0; i < 4; i++, r->at++) {
        char c = *r->at;

        if (c >= '0' && c <= '9')
            value = value * 16 + (uint32_t) (c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value * 16 + (uint32_t) (c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            value = value * 16 + (uint32_t) (c - 'A' + 10);
        else
            return false;
    }
    *out = value;
    return true;
}

/* Write CODE as UTF-8; never longer than the escape it came from. */
static char *
put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char) code;
        return out;
    }
    if (code >= 0x10000) {
        *out++ = (char) (0xf0 | code >> 18);
        *out++ = (char) (0x80 | (code >> 12 & 0x3f));
    } else if (code >= 0x800) {
        *out++ = (char) (0xe0 | code >> 12);
    } else {
        *out++ = (char) (0xc0 | code >> 6);
        *out++ = (char) (0x80 | (code & 0x3f));
        return out;
    }
    *out++ = (char) (0x80 | (code >> 6 & 0x3f));
    *out++ = (char) (0x80 | (code & 0x3f));
    return out;
}

/* "\uXXXX", behind the u; two of them for what is beyond 16 bits. */
static bool
read_unicode(struct reader *r, char **out)
{
    uint32_t code, low;

    if (!read_hex(r, &code) || code == 0 || (code >= 0xdc00 && code < 0xe000))
        return false;
    if (code >= 0xd800 && code < 0xdc00) {
        if (!take(r, '\\') || !take(r, 'u') || !read_hex(r, &low) ||
            low < 0xdc00 || low >= 0xe000)
            return false;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    *out = put_utf8(*out, code);
    return true;
}

static bool
read_escape(struct reader *r, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *known;

    if (take(r, 'u'))
        return read_unicode(r, out);
    known = *r->at != '\0' ? strchr(from, *r->at) : NULL;
    if (known == NULL)
        return false;
    *(*out)++ = to[known - from];
    r->at++;
    return true;
}

/* A string, decoded in place; *TEXT gets its final NUL. */
static bool
read_string(struct reader *r, char **text)
{
    char *out;

    if (!take(r, '"'))
        return false;
    *text = out = r->at;
    while (*r->at != '"') {
        if ((unsigned char) *r->at < 0x20)
            return false;
        if (take(r, '\\')) {
            if (!read_escape(r, &out))
                return false;
        } else {
            *out++ = *r->at++;
        }
    }
    r->at++;
    *out = '\0';
    return true;
}

static bool
skip_digits(struct reader *r)
{
    size_t n = strspn(r->at, "0123456789");

    r->at += n;
    return n > 0;
}

static bool
skip_number(struct reader *r)
{
    take(r, '-');
    if (!take(r, '0') && !skip_digits(r))
        return false;
    if (take(r, '.') && !skip_digits(r))
        return false;
    if (take(r, 'e') || take(r, 'E')) {
        if (!take(r, '+'))
            take(r, '-');
        return skip_digits(r);
    }
    return true;
}

static bool
skip_literal(struct reader *r)
{
    static const char *const words[] = {"true", "false", "null"};

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        size_t n = strlen(words[i]);

        if (strncmp(r->at, words[i], n) == 0) {
            r->at += n;
            return true;
        }
    }
    return skip_number(r);
}

static bool
skip_key(struct reader *r)
{
    char *key;

    skip_blanks(r);
    if (!read_string(r, &key))
        return false;
    skip_blanks(r);
    return take(r, ':');
}

/* What is open, the innermost last: its closing bracket. */
struct stack {
    char closers[JSON_READ_DEPTH_MAX];
    size_t depth;
};

static bool
open_bracket(struct reader *r, struct stack *s)
{
    if (s->depth == sizeof(s->closers))
        return false;
    s->closers[s->depth++] = *r->at++ == '{' ? '}' : ']';
    skip_blanks(r);
    return true;
}

/* Close all that ends here, and go on behind the comma. */
static bool
close_brackets(struct reader *r, struct stack *s)
{
    skip_blanks(r);
    while (s->depth > 0 && take(r, s->closers[s->depth - 1])) {
        s->depth--;
        skip_blanks(r);
    }
    return s->depth == 0 || take(r, ',');
}

/* An array or object, without recursion. */
static bool
skip_nested(struct reader *r)
{
    struct stack s = {.depth = 0};
    char *text;

    do {
        bool whole = true; /* the value is, not just its opening bracket */

        skip_blanks(r);
        if (*r->at == '{' || *r->at == '[') {
            if (!open_bracket(r, &s))
                return false;
            whole = *r->at == s.closers[s.depth - 1];
        } else if (*r->at == '"' ? !read_string(r, &text) : !skip_literal(r)) {
            return false;
        }
        if (whole && !close_brackets(r, &s))
            return false;
        if (s.depth > 0 && s.closers[s.depth - 1] == '}' && !skip_key(r))
            return false;
    } while (s.depth > 0);
    return true;
}

/* A value, handed to MEMBER under KEY. */
static bool
read_value(struct reader *r, const char *key, json_member_fn *member, void *ctx,
           bool *stopped)
{
    char *start = r->at, after;

    if (*start == '"') {
        if (!read_string(r, &start))
            return false;
        *stopped = !member(ctx, key, JSON_TEXT, start);
        return true;
    }
    if (*start == '{' || *start == '[') {
        if (!skip_nested(r))
            return false;
        *stopped = !member(ctx, key, JSON_NESTED, "");
        return true;
    }
    if (!skip_literal(r))
        return false;
    after = *r->at;
    *r->at = '\0';
    *stopped = !member(ctx, key, JSON_LITERAL, start);
    *r->at = after;
    return true;
}

static bool
read_members(struct reader *r, json_member_fn *member, void *ctx, bool *stopped)
{
    char *key;

    skip_blanks(r);
    if (!take(r, '{'))
        return false;
    skip_blanks(r);
    if (take(r, '}'))
        return true;
    do {
        skip_blanks(r);
        if (!read_string(r, &key))
            return false;
        skip_blanks(r);
        if (!take(r, ':'))
            return false;
        skip_blanks(r);
        if (!read_value(r, key, member, ctx, stopped))
            return false;
        skip_blanks(r);
    } while (!*stopped && take(r, ','));
    return *stopped || take(r, '}');
}

bool
json_read_members(char *text, size_t len, json_member_fn *member, void *ctx,
                  size_t *at)
{
    struct reader r = {text};
    bool stopped = false;
    bool good = read_members(&r, member, ctx, &stopped);

    if (good && !stopped) {
        skip_blanks(&r);
        good = r.at == text + len;
    }
    *at = (size_t) (r.at - text);
    return good;
}
