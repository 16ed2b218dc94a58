/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "profile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

/* Where a walk stands. The texts lie in the walk's own copy of the file,
 * where lines and names get their final NUL. */
struct walk {
    const char *section;
    profile_entry_fn *entry;
    void *ctx;
    bool any_section; /* a header has been seen */
    bool inside; /* the wanted section's lines are being read */
    bool found;
    bool stopped; /* by the entry function */
    const char *option; /* the last one, NULL after a header */
    bool option_empty; /* so indented lines below it are nested */
    size_t option_indent;
};

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static char *
skip_blanks(char *text)
{
    while (is_blank(*text))
        text++;
    return text;
}

/* Cut the blanks before END off TEXT. */
static void
cut_blanks(char *text, char *end)
{
    while (end > text && is_blank(end[-1]))
        end--;
    *end = '\0';
}

/*
 * Whether the header NAME means SECTION: the same text, or the same kind
 * ("profile"), then blanks, then the same name, in quotes or not. A name
 * with a quote too many matches nothing, as in botocore.
 */
static bool
is_section(const char *name, const char *section)
{
    size_t kind = strcspn(section, " "), n;
    const char *wanted = section + kind + 1;

    if (strcmp(name, section) == 0)
        return true;
    if (section[kind] == '\0' || strncmp(name, section, kind) != 0 ||
        !is_blank(name[kind]))
        return false;
    name += kind;
    while (is_blank(*name))
        name++;
    n = strlen(name);
    if (n >= 2 && (*name == '"' || *name == '\'') && name[n - 1] == *name) {
        name++;
        n -= 2;
    }
    return strlen(wanted) == n && memcmp(name, wanted, n) == 0;
}

/* "[name]", with nothing behind it but a comment. */
static bool
read_header(struct walk *w, char *text)
{
    char *end = strchr(text, ']'), *rest;

    if (end == NULL)
        return false;
    rest = skip_blanks(end + 1);
    if (*rest != '\0' && *rest != '#' && *rest != ';')
        return false;
    text = skip_blanks(text + 1);
    cut_blanks(text, end);
    if (*text == '\0')
        return false;
    w->any_section = true;
    w->inside = is_section(text, w->section);
    w->found |= w->inside;
    w->option = NULL;
    return true;
}

/* "name = value": cut in two, the name in lower case. */
static bool
split(char *text, char **value)
{
    char *equals = strchr(text, '=');

    if (equals == NULL)
        return false;
    *value = skip_blanks(equals + 1);
    cut_blanks(text, equals);
    for (char *p = text; *p != '\0'; p++)
        if (*p >= 'A' && *p <= 'Z')
            *p = (char) (*p - 'A' + 'a');
    return *text != '\0';
}

/* An entry of the wanted section; NESTED below the last option. */
static bool
read_entry(struct walk *w, char *text, size_t indent, bool nested)
{
    char *value;

    if (nested && !w->option_empty)
        return false; /* a value over several lines: none of ours has it */
    if (!split(text, &value))
        return false;
    if (!nested) {
        w->option = text;
        w->option_empty = *value == '\0';
        w->option_indent = indent;
    }
    w->stopped = !w->entry(w->ctx, nested ? w->option : NULL, text, value);
    return true;
}

/* One line, without its end, NUL at TEXT[N]. */
static bool
read_line(struct walk *w, char *text, size_t n)
{
    char *start = skip_blanks(text);
    size_t indent = (size_t) (start - text);
    bool nested = w->option != NULL && indent > w->option_indent;

    if (memchr(text, '\0', n) != NULL)
        return w->any_section && !w->inside;
    if (*start == '\0' || *start == '#' || *start == ';')
        return true;
    cut_blanks(start, text + n);
    if (*start == '[' && !nested)
        return read_header(w, start);
    if (w->inside)
        return read_entry(w, start, indent, nested);
    if (!nested) {
        w->option = start; /* never read, but it may have nested lines */
        w->option_indent = indent;
    }
    return w->any_section;
}

int
profile_read(struct buf *text, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t room = text->max;
    struct stat st;
    int err;

    if (fd < 0)
        return errno;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
        (size_t) st.st_size < room)
        room = (size_t) st.st_size + 1;
    /* all at once: growth would leave keys in freed memory */
    buf_reset(text);
    err = buf_reserve(text, room);
    while (err == 0) {
        ssize_t got = read(fd, text->data + text->len, room - text->len);

        if (got == 0)
            break;
        if (got > 0)
            text->len += (size_t) got;
        else if (errno != EINTR)
            err = errno;
        if (err == 0 && text->len == room)
            err = room < text->max ? EAGAIN : EFBIG; /* grew meanwhile? */
    }
    close(fd);
    if (text->size > 0)
        text->data[text->len] = '\0';
    return err;
}

int
profile_walk_text(const char *text, size_t len, const char *section,
                  profile_entry_fn *entry, void *ctx, size_t *line)
{
    struct walk w = {.section = section, .entry = entry, .ctx = ctx};
    struct buf copy;
    char *at, *end;
    int err;

    *line = 0;
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3; /* some editors mark UTF-8 */
        len -= 3;
    }
    buf_init(&copy, len);
    err = buf_reserve(&copy, len);
    if (err == 0)
        err = buf_add(&copy, text, len);
    at = copy.data;
    end = copy.data + copy.len;
    while (err == 0 && at < end && !w.stopped) {
        char *eol = (char *) memchr(at, '\n', (size_t) (end - at));

        if (eol == NULL)
            eol = end;
        *eol = '\0';
        ++*line;
        if (!read_line(&w, at, (size_t) (eol - at)))
            err = EINVAL;
        at = eol + 1;
    }
    buf_wipe(&copy);
    if (err == 0 && !w.found)
        err = ESRCH;
    return err;
}
