/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "job.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"

#define VARIABLES "variables"
#define NAME_CHARS                                                             \
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
#define BLANKS " \t"

static int __attribute__((format(printf, 3, 4)))
fail(struct job *j, unsigned line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(j->error, sizeof j->error, format, args);
    va_end(args);
    j->line = line;
    return EINVAL;
}

/* ARRAY with room for one more than COUNT elements of SIZE bytes; NULL
 * without memory. */
static void *
grow(void *array, size_t *room, size_t count, size_t size)
{
    size_t more = *room > 0 ? *room * 2 : 8;

    if (count < *room)
        return array;
    array = realloc(array, more * size);
    if (array != NULL)
        *room = more;
    return array;
}

const struct job_section *
job_find(const struct job *j, const char *name)
{
    for (size_t i = 0; i < j->count; i++)
        if (strcmp(j->sections[i].name, name) == 0)
            return &j->sections[i];
    return NULL;
}

/* "[NAME]", of N bytes. */
static int
add_section(struct job *j, const char *text, size_t n, unsigned line)
{
    struct job_section section = {.line = line}, *sections;
    int err;

    if (n < 3 || text[n - 1] != ']' ||
        strspn(text + 1, NAME_CHARS ".") != n - 2 || n - 2 > JOB_NAME_MAX)
        return fail(j, line,
                    "a section is [NAME], of at most %d letters, digits, '-', "
                    "'_' and '.'",
                    JOB_NAME_MAX);
    if (j->count == JOB_SECTIONS_MAX)
        return fail(j, line, "there are more than %d sections",
                    JOB_SECTIONS_MAX);
    sections = grow(j->sections, &j->room, j->count, sizeof section);
    if (sections == NULL)
        return ENOMEM;
    j->sections = sections;
    section.name = strndup(text + 1, n - 2);
    if (section.name == NULL)
        return ENOMEM;
    if (job_find(j, section.name) != NULL) {
        err = fail(j, line, "there is a section [%s] already", section.name);
        free(section.name);
        return err;
    }
    j->sections[j->count++] = section;
    return 0;
}

/* Add an entry to the last section. */
static int
add_entry(struct job *j, const struct job_entry *entry)
{
    struct job_section *section = &j->sections[j->count - 1];
    struct job_entry *entries;

    if (j->entries == JOB_ENTRIES_MAX)
        return fail(j, entry->line, "there are more than %d lines",
                    JOB_ENTRIES_MAX);
    for (size_t i = 0; i < section->count; i++)
        if (strcmp(section->name, VARIABLES) == 0 &&
            strcmp(section->entries[i].name, entry->name) == 0)
            return fail(j, entry->line, "there is a variable '%s' already",
                        entry->name);
    entries =
        grow(section->entries, &section->room, section->count, sizeof *entries);
    if (entries == NULL)
        return ENOMEM;
    section->entries = entries;
    entries[section->count++] = *entry;
    j->entries++;
    return 0;
}

/* "NAME" or "NAME = VALUE", of N bytes, without blanks around it. */
static int
read_entry(struct job *j, const char *text, size_t n, unsigned line)
{
    struct job_entry entry = {.line = line};
    size_t name = strspn(text, NAME_CHARS);
    const char *value = text + name + strspn(text + name, BLANKS);
    int err;

    if (name == 0 || *text == '-' || name > JOB_NAME_MAX ||
        (*value != '\0' && *value != '='))
        return fail(j, line,
                    "a line is [SECTION], NAME = VALUE, NAME, or a "
                    "comment after # or ;");
    if (j->count == 0)
        return fail(j, line,
                    "'%.*s' stands in no section: begin one, "
                    "[global] or [STAGE]",
                    (int) name, text);
    entry.name = strndup(text, name);
    if (*value == '=') {
        value += 1 + strspn(value + 1, BLANKS);
        entry.value = strndup(value, (size_t) (text + n - value));
    }
    err = entry.name == NULL || (*value != '\0' && entry.value == NULL)
              ? ENOMEM
              : add_entry(j, &entry);
    if (err != 0) {
        free(entry.name);
        free(entry.value);
    }
    return err;
}

/* One line of N bytes, which ends in NUL. */
static int
read_line(struct job *j, char *text, size_t n, unsigned line)
{
    size_t skip = strspn(text, BLANKS);

    if (strlen(text) != n)
        return fail(j, line, "the line has a NUL byte");
    text += skip;
    n -= skip;
    while (n > 0 && strchr(BLANKS "\r", text[n - 1]) != NULL)
        n--;
    text[n] = '\0';
    if (n == 0 || *text == '#' || *text == ';')
        return 0;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char) text[i] < 0x20 && text[i] != '\t')
            return fail(j, line, "the line has a control character");
    return *text == '[' ? add_section(j, text, n, line)
                        : read_entry(j, text, n, line);
}

int
job_read(struct job *out, const char *text, size_t n)
{
    char *copy, *at, *end;
    unsigned line = 0;
    int err = 0;

    *out = (struct job){.line = 0};
    if (n > JOB_SIZE_MAX)
        return fail(out, 0, "it has more than %zu bytes", JOB_SIZE_MAX);
    copy = malloc(n + 1);
    if (copy == NULL)
        return ENOMEM;
    memcpy(copy, text, n);
    copy[n] = '\0';
    end = copy + n;
    for (at = copy; at < end && err == 0;) {
        char *newline = memchr(at, '\n', (size_t) (end - at));
        size_t len = (size_t) ((newline != NULL ? newline : end) - at);

        at[len] = '\0';
        err = read_line(out, at, len, ++line);
        at += len + 1;
    }
    free(copy);
    return err;
}

void
job_clear(struct job *j)
{
    for (size_t i = 0; i < j->count; i++) {
        struct job_section *section = &j->sections[i];

        for (size_t k = 0; k < section->count; k++) {
            free(section->entries[k].name);
            free(section->entries[k].value);
        }
        free(section->entries);
        free(section->name);
    }
    free(j->sections);
    *j = (struct job){.line = 0};
}

/* The variable called by the N bytes at NAME, among the first COUNT. */
static struct job_entry *
find_variable(const struct job *j, const char *name, size_t n, size_t count)
{
    const struct job_section *variables = job_find(j, VARIABLES);

    if (variables == NULL)
        return NULL;
    for (size_t i = 0; i < variables->count && i < count; i++) {
        struct job_entry *v = &variables->entries[i];

        if (strlen(v->name) == n && memcmp(v->name, name, n) == 0)
            return v;
    }
    return NULL;
}

int
job_set(struct job *j, const char *assignment)
{
    size_t n = strcspn(assignment, "=");
    struct job_entry *v = find_variable(j, assignment, n, SIZE_MAX);
    char *value;

    if (assignment[n] == '\0' || n == 0)
        return fail(j, 0, "bad set '%s': it is NAME=VALUE", assignment);
    if (v == NULL)
        return fail(j, 0,
                    "bad set '%s': there is no such name in "
                    "[" VARIABLES "]",
                    assignment);
    value = strdup(assignment + n + 1);
    if (value == NULL)
        return ENOMEM;
    free(v->value);
    v->value = value;
    v->literal = true;
    return 0;
}

/* Add the value of "${NAME}" at TEXT, of which *LEN bytes are used. */
static int
add_variable(struct job *j, struct buf *out, size_t *len, const char *text,
             size_t count, unsigned line)
{
    size_t n = strspn(text + 2, NAME_CHARS);
    const struct job_entry *v;

    if (n == 0 || text[2 + n] != '}')
        return fail(j, line, "a variable is ${NAME}; $${ stands for ${");
    v = find_variable(j, text + 2, n, count);
    *len = n + 3;
    if (v == NULL && j->run != NULL && strncmp(text, "${run}", 6) == 0)
        return buf_adds(out, j->run);
    if (v == NULL)
        return fail(j, line, "there is no variable '%.*s' in [" VARIABLES "]%s",
                    (int) n, text + 2,
                    find_variable(j, text + 2, n, SIZE_MAX) != NULL
                        ? " above this line"
                        : "");
    if (v->value == NULL)
        return fail(j, line,
                    "the variable '%s' has no value: give it one by "
                    "--set %s=...",
                    v->name, v->name);
    return buf_adds(out, v->value);
}

/* Put variables into E's value, the first COUNT of them. */
static int
expand(struct job *j, struct job_entry *e, size_t count)
{
    struct buf out;
    int err = 0;

    if (e->value == NULL || e->literal || strstr(e->value, "${") == NULL)
        return 0;
    buf_init(&out, JOB_VALUE_MAX);
    for (const char *at = e->value; *at != '\0' && err == 0;) {
        size_t used = strcspn(at, "$");

        if (used > 0) {
            err = buf_add(&out, at, used);
        } else if (strncmp(at, "$${", 3) == 0) {
            used = 3;
            err = buf_adds(&out, "${");
        } else if (at[1] == '{') {
            err = add_variable(j, &out, &used, at, count, e->line);
        } else {
            used = 1;
            err = buf_addc(&out, '$');
        }
        at += used;
    }
    if (err == EMSGSIZE)
        err = fail(j, e->line, "the value has more than %zu bytes",
                   JOB_VALUE_MAX);
    if (err == 0) {
        free(e->value);
        e->value = strdup(out.data);
        err = e->value == NULL ? ENOMEM : 0;
    }
    buf_clear(&out);
    return err;
}

int
job_expand(struct job *j)
{
    int err = 0;

    /* Variables first, each by those above it. */
    for (int others = 0; others < 2; others++)
        for (size_t i = 0; i < j->count; i++) {
            struct job_section *section = &j->sections[i];
            bool variables = strcmp(section->name, VARIABLES) == 0;

            for (size_t k = 0; k < section->count && err == 0; k++)
                if (variables == (others == 0))
                    err = expand(j, &section->entries[k],
                                 variables ? k : SIZE_MAX);
        }
    return err;
}
