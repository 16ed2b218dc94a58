/* SPDX-License-Identifier: MIT */
/* What --endpoint says. */
#include "config.h"

#include "endpoints.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>

#include "units.h"

#define DIGITS_MAX 9 /* of a number in a range */
#define NAMES_MAX 3 /* that are all said */

void
endpoints_init(struct endpoints *e)
{
    *e = (struct endpoints){0};
}

void
endpoints_clear(struct endpoints *e)
{
    for (size_t i = 0; i < e->count; i++)
        free(e->items[i].profile);
    free(e->items);
    e->items = NULL;
    e->count = e->room = 0;
}

static int __attribute__((format(printf, 2, 3)))
refuse(struct endpoints *e, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(e->why, sizeof e->why, format, args);
    va_end(args);
    return EINVAL;
}

/* --- one more --- */

/* Append ENTRY, whose profile E takes over. */
static int
append(struct endpoints *e, const struct endpoints_entry *entry)
{
    size_t room = e->room > 0 ? 2 * e->room : 8;
    struct endpoints_entry *items;

    if (e->count == e->room) {
        items = realloc(e->items, room * sizeof *items);
        if (items == NULL)
            return ENOMEM;
        e->items = items;
        e->room = room;
    }
    e->items[e->count++] = *entry;
    return 0;
}

static bool
is_address(const char *text)
{
    struct in6_addr address;

    return strlen(text) < ENDPOINTS_ADDRESS_SIZE &&
           (inet_pton(AF_INET, text, &address) == 1 ||
            inet_pton(AF_INET6, text, &address) == 1);
}

/* What does not go together: one kind of payload hash, one answer to whether
 * TLS was verified, and no endpoint that counts twice. */
static int
check(struct endpoints *e, const struct endpoints_entry *entry)
{
    if (e->count == ENDPOINTS_MAX)
        return refuse(e, "there are more than %d endpoints", ENDPOINTS_MAX);
    if (e->count > 0 && e->items[0].endpoint.tls != entry->endpoint.tls)
        return refuse(e, "endpoints are all https, or all http: '%s', '%s'",
                      e->items[0].label, entry->label);
    for (size_t i = 0; i < e->count; i++)
        if (strcmp(e->items[i].label, entry->label) == 0)
            return refuse(e, "the endpoint '%s' is there twice", entry->label);
    return 0;
}

/* Read URL into ENTRY. Returns: NULL, or a text that says what is wrong. */
static const char *
read_url(struct endpoints_entry *entry, const char *url)
{
    const char *mark = strchr(url, '#');
    char bare[ENDPOINTS_TEXT_MAX + 1];
    const char *why;

    if (mark == NULL)
        return endpoint_parse(&entry->endpoint, url);
    snprintf(bare, sizeof bare, "%.*s", (int) (mark - url), url);
    why = endpoint_parse(&entry->endpoint, bare);
    if (why == NULL && !is_address(mark + 1))
        why = "has no address behind its #";
    if (why == NULL)
        snprintf(entry->address, sizeof entry->address, "%s", mark + 1);
    return why;
}

static int
set_label(struct endpoints_entry *entry)
{
    struct buf text;
    int err;

    buf_init(&text, sizeof entry->label - 1);
    err = endpoint_add_url(&text, &entry->endpoint);
    if (err == 0 && entry->address[0] != '\0')
        err = buf_addf(&text, "#%s", entry->address);
    snprintf(entry->label, sizeof entry->label, "%s", text.data);
    buf_clear(&text);
    return err;
}

/* Add URL itself, for the keys of PROFILE, NULL for the run's. */
static int
add_url(struct endpoints *e, const char *url, const char *profile)
{
    struct endpoints_entry entry = {.profile = NULL};
    const char *why = read_url(&entry, url);
    int err;

    if (why != NULL && strpbrk(url, "{}") != NULL)
        return refuse(e,
                      "bad endpoint '%s': a range is {FIRST...LAST}, {1...8} "
                      "for example",
                      url);
    /* what stands before an @ may be a password */
    if (why != NULL && strchr(url, '@') != NULL)
        return refuse(e, "bad endpoint: it %s", why);
    if (why != NULL)
        return refuse(e, "bad endpoint '%s': it %s", url, why);
    err = set_label(&entry);
    if (err == 0 && profile != NULL) {
        entry.profile = strdup(profile);
        err = entry.profile == NULL ? ENOMEM : 0;
    }
    if (err == 0)
        err = check(e, &entry);
    if (err == 0)
        err = append(e, &entry);
    if (err != 0)
        free(entry.profile);
    return err;
}

/* --- ranges --- */

struct range {
    size_t before; /* characters in front of it */
    const char *after; /* what follows it */
    uint64_t first, last;
    int width; /* digits, if there are leading zeros */
};

/* Read the number that ends where END begins. */
static bool
read_number(uint64_t *out, const char *text, const char *end)
{
    char digits[DIGITS_MAX + 1];
    size_t n = (size_t) (end - text);

    if (n == 0 || n > DIGITS_MAX)
        return false;
    memcpy(digits, text, n);
    digits[n] = '\0';
    return units_parse_count(out, digits);
}

/* Find the first range in TEXT; false when there is none. */
static bool
find_range(struct range *r, const char *text)
{
    const char *open = strchr(text, '{');
    const char *dots = open != NULL ? strstr(open, "...") : NULL;
    const char *close = dots != NULL ? strchr(dots, '}') : NULL;

    if (close == NULL || !read_number(&r->first, open + 1, dots) ||
        !read_number(&r->last, dots + 3, close) || r->first > r->last)
        return false;
    r->before = (size_t) (open - text);
    r->after = close + 1;
    r->width = open[1] == '0' ? (int) (dots - open) - 1 : 1;
    return true;
}

/* Add TEXT, in which the first range gives way to its numbers, and then the
 * next one, and so on. */
static int
add_ranges(struct endpoints *e, const char *text, const char *profile)
{
    struct range range;
    char one[ENDPOINTS_TEXT_MAX + 1];
    int err = 0;

    if (!find_range(&range, text))
        return add_url(e, text, profile);
    for (uint64_t i = range.first; err == 0 && i <= range.last; i++) {
        int n =
            snprintf(one, sizeof one, "%.*s%0*llu%s", (int) range.before, text,
                     range.width, (unsigned long long) i, range.after);

        err = n >= 0 && (size_t) n < sizeof one
                  ? add_ranges(e, one, profile)
                  : refuse(e, "bad endpoint: it is too long");
    }
    return err;
}

/* --- what is in front --- */

/* Add a URL, with or without its profile. */
static int
add_text(struct endpoints *e, const char *text)
{
    static const char mark[] = "profile=";
    char profile[ENDPOINTS_TEXT_MAX + 1];
    const char *comma;

    if (strlen(text) > ENDPOINTS_TEXT_MAX)
        return refuse(e, "bad endpoint: it is too long");
    if (strncmp(text, mark, sizeof mark - 1) != 0)
        return add_ranges(e, text, NULL);
    text += sizeof mark - 1;
    comma = strchr(text, ',');
    if (comma == NULL || comma == text)
        return refuse(e, "bad endpoint '%s%s': it is profile=NAME,URL", mark,
                      text);
    snprintf(profile, sizeof profile, "%.*s", (int) (comma - text), text);
    return add_ranges(e, comma + 1, profile);
}

/* Cut blanks off both ends of LINE, its newline among them. */
static char *
trim(char *line)
{
    static const char blanks[] = " \t\r\n";
    size_t n;

    line += strspn(line, blanks);
    n = strlen(line);
    while (n > 0 && strchr(blanks, line[n - 1]) != NULL)
        n--;
    line[n] = '\0';
    return line;
}

/* Put WHERE in front of what is wrong. */
static void
name_line(struct endpoints *e, const char *path, uint64_t number)
{
    char what[ENDPOINTS_WHY_SIZE];

    memcpy(what, e->why, sizeof what);
    snprintf(e->why, sizeof e->why, "line %llu of '%.256s': %.*s",
             (unsigned long long) number, path, ENDPOINTS_TEXT_MAX, what);
}

static int
add_file(struct endpoints *e, const char *path)
{
    char line[ENDPOINTS_TEXT_MAX + 2];
    size_t before = e->count;
    uint64_t number = 0;
    FILE *file = fopen(path, "re");
    int err = 0;

    if (file == NULL)
        return refuse(e, "cannot read '%s': %s", path, strerror(errno));
    while (err == 0 && fgets(line, sizeof line, file) != NULL) {
        size_t n = strlen(line);
        bool cut = n == sizeof line - 1 && line[n - 1] != '\n';
        const char *text = trim(line);

        number++;
        if (cut)
            err = refuse(e, "it is too long");
        else if (*text != '\0' && *text != '#')
            err = add_text(e, text);
        if (err == EINVAL)
            name_line(e, path, number);
    }
    if (err == 0 && ferror(file))
        err = refuse(e, "cannot read '%s': %s", path, strerror(EIO));
    fclose(file);
    if (err == 0 && e->count == before)
        err = refuse(e, "'%s' has no endpoint", path);
    return err;
}

int
endpoints_add_names(struct buf *out, const struct endpoints *e)
{
    bool few = e->count <= NAMES_MAX;
    int err = buf_adds(out, e->items[0].label);

    if (err == 0 && !few)
        err = buf_adds(out, ",...");
    for (size_t i = few ? 1 : e->count - 1; err == 0 && i < e->count; i++)
        err = buf_addf(out, ",%s", e->items[i].label);
    return err;
}

int
endpoints_add_lines(struct buf *out, const struct endpoints *e)
{
    int err = 0;

    for (size_t i = 0; err == 0 && i < e->count; i++) {
        const char *profile = e->items[i].profile;

        if (profile != NULL)
            err = buf_addf(out, "profile=%s,", profile);
        if (err == 0)
            err = buf_addf(out, "%s\n", e->items[i].label);
    }
    return err;
}

int
endpoints_add(struct endpoints *e, const char *text)
{
    static const char mark[] = "file:";

    if (strncmp(text, mark, sizeof mark - 1) == 0)
        return add_file(e, text + sizeof mark - 1);
    return add_text(e, text);
}
