/* SPDX-License-Identifier: MIT */
/* Whether runs were measured alike. */
#include "config.h"

#include "stat_compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "json_read.h"

/* Options of s3op that decide what is measured; whatever names places,
 * outputs or the cell itself is not among them. */
static const struct {
    const char *name;
    char letter;
    bool flag; /* takes no value */
} options[] = {
    {"count", 'n', false},
    {"duration", 'd', false},
    {"objects", 0, false},
    {"warmup", 0, false},
    {"ramp", 0, false},
    {"think", 0, false},
    {"arrivals", 0, false},
    {"threads", 0, false},
    {"workers", 0, false},
    {"connection", 0, false},
    {"payload", 0, false},
    {"compressible", 0, false},
    {"verify", 0, true},
    {"signature", 0, false},
    {"chunked", 0, false},
    {"addressing", 0, false},
    {"retries", 0, false},
    {"expect-100", 0, true},
    {"checksum", 0, false},
    {"range", 0, false},
    {"offset", 0, false},
    {"part-size", 0, false},
    {"part-concurrency", 0, false},
    {"mix", 0, false},
    {"pages", 0, false},
    {"pick", 0, false},
    {"prefixes", 0, false},
    {"stop-when", 0, false},
    {"autoterm", 0, true},
    {"content-type", 0, false},
    {"metadata", 0, false},
    {"metadata-size", 0, false},
    {"tags", 0, false},
    {"storage-class", 0, false},
    {"sse", 0, false},
    {"if-none-match", 0, true},
    {"if-match", 0, false},
    {"retention", 0, false},
    {"legal-hold", 0, true},
    {"bypass-governance", 0, true},
    {"object-lock", 0, true},
    {"versioned", 0, true},
    {"append", 0, true},
    {"tls-version", 0, false},
    {"ciphers", 0, false},
    {"session-reuse", 0, false},
    {"proxy", 0, false},
};

/* Facts that may differ and are worth a note: what is being compared. */
static const char *const notable[] = {"program", "endpoint", "client host",
                                      "client library"};

/* Settings of a run that say where, how often or how long, not how. */
static const char *const ignored[] = {
    "label",     "sizes",          "concurrency",    "phases",       "repeat",
    "seed",      "bucket-ops",     "max-bytes",      "max-requests", "max-time",
    "max-alive", "max-error-rate", "endpoint",       "bucket",       "location",
    "log",       "region",         "profile",        "cacert",       "builtin",
    "timeout",   "ordered",        "connect-timeout"};

#define IS_IN(list, name) is_in(list, sizeof(list) / sizeof *(list), name)

static bool
is_in(const char *const *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

int
compare_keep(struct compare_run *run, const char *name, const char *value)
{
    struct compare_fact *fact = &run->facts[run->fact_count];

    if (run->fact_count == COMPARE_FACTS_MAX)
        return 0;
    fact->name = strdup(name);
    fact->value = strdup(value);
    run->fact_count++;
    return fact->name != NULL && fact->value != NULL ? 0 : ENOMEM;
}

/* --- a command line --- */

/* The option that WORD is, -1: none that matters. *VALUE: what is behind it
 * in the same word; NULL: nothing. */
static int
find_option(const char **value, const char *word)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        size_t n = strlen(options[i].name);

        *value = NULL;
        if (options[i].letter != 0 && word[0] == '-' &&
            word[1] == options[i].letter) {
            *value = word[2] != '\0' ? word + 2 : NULL;
            return (int) i;
        }
        if (strncmp(word, "--", 2) != 0 ||
            strncmp(word + 2, options[i].name, n) != 0)
            continue;
        if (word[2 + n] == '=')
            *value = word + 3 + n;
        if (word[2 + n] == '\0' || word[2 + n] == '=')
            return (int) i;
    }
    return -1;
}

static int
keep_command(struct compare_run *run, const char *command)
{
    char *copy = strdup(command), *state = NULL, *word;
    int err = copy != NULL ? 0 : ENOMEM;

    for (word = err == 0 ? strtok_r(copy, " ", &state) : NULL;
         err == 0 && word != NULL; word = strtok_r(NULL, " ", &state)) {
        const char *value;
        int i = find_option(&value, word);

        if (i < 0)
            continue;
        if (options[i].flag)
            value = "yes";
        else if (value == NULL)
            value = strtok_r(NULL, " ", &state);
        if (value != NULL)
            err = compare_keep(run, options[i].name, value);
    }
    free(copy);
    return err;
}

int
compare_keep_fact(struct compare_run *run, const char *name, const char *value)
{
    static const char *const kept[] = {"program", "endpoint", "payload hash",
                                       "insecure"};

    if (strcmp(name, "command") == 0)
        return keep_command(run, value);
    return IS_IN(kept, name) ? compare_keep(run, name, value) : 0;
}

/* --- a manifest --- */

struct members {
    struct compare_run *run;
    bool nested; /* in the settings: keep them all */
    bool format; /* it is one of ours */
    int err;
};

static bool
take_member(void *ctx, const char *key, enum json_kind kind, const char *value)
{
    struct members *m = ctx;

    if (m->nested && kind != JSON_NESTED && !IS_IN(ignored, key))
        m->err = compare_keep(m->run, key, value);
    else if (!m->nested && strcmp(key, "format") == 0)
        m->format = strncmp(value, "s3perf-manifest ", 16) == 0;
    else if (!m->nested && strcmp(key, "version") == 0)
        m->err = compare_keep(m->run, "program", value);
    else if (!m->nested && strcmp(key, "client_library") == 0)
        m->err = compare_keep(m->run, "client library", value);
    return m->err == 0;
}

/* The length of the object that TEXT begins with; 0: it does not end. */
static size_t
object_length(const char *text)
{
    size_t depth = 0;
    bool quoted = false;

    for (size_t i = 0; text[i] != '\0'; i++) {
        if (quoted && text[i] == '\\' && text[i + 1] != '\0') {
            i++;
        } else if (text[i] == '"') {
            quoted = !quoted;
        } else if (!quoted && text[i] == '{') {
            depth++;
        } else if (!quoted && text[i] == '}' && --depth == 0) {
            return i + 1;
        }
    }
    return 0;
}

int
compare_keep_manifest(struct compare_run *run, char *text)
{
    static const char settings[] = "\"settings\":{";
    struct members m = {.run = run};
    char *inner = strstr(text, settings);
    size_t at, n;

    /* The settings first, from a copy: reading changes the text. */
    if (inner != NULL) {
        inner += sizeof settings - 2;
        n = object_length(inner);
        inner = strndup(inner, n);
        if (inner == NULL)
            return ENOMEM;
        m.nested = true;
        json_read_members(inner, n, take_member, &m, &at);
        m.nested = false;
        free(inner);
    }
    if (!json_read_members(text, strlen(text), take_member, &m, &at) ||
        !m.format)
        return m.err != 0 ? m.err : EINVAL;
    return m.err;
}

/* --- differences --- */

static const char *
find_fact(const struct compare_run *run, const char *name)
{
    for (size_t i = 0; i < run->fact_count; i++)
        if (strcmp(run->facts[i].name, name) == 0)
            return run->facts[i].value;
    return "-";
}

/* Say so if any run has NAME otherwise than the first one. */
static int
check_fact(struct compare_work *w, const char *name)
{
    const struct compare_run *first = &w->runs[0];
    const char *value = find_fact(first, name);

    for (size_t i = 1; i < w->run_count; i++) {
        const char *other = find_fact(&w->runs[i], name);

        if (strcmp(value, other) != 0)
            return buf_addf(IS_IN(notable, name) ? &w->notes : &w->unlike,
                            "%s: %s (%s), %s (%s)\n", name, value, first->name,
                            other, w->runs[i].name);
    }
    return 0;
}

/* Whether a run before RUN, or RUN itself before fact AT, has NAME. */
static bool
was_checked(const struct compare_work *w, size_t run, size_t at,
            const char *name)
{
    for (size_t i = 0; i <= run; i++) {
        size_t n = i < run ? w->runs[i].fact_count : at;

        for (size_t k = 0; k < n; k++)
            if (strcmp(w->runs[i].facts[k].name, name) == 0)
                return true;
    }
    return false;
}

int
compare_find_unlike(struct compare_work *w)
{
    int err = 0;

    for (size_t i = 0; err == 0 && i < w->run_count; i++)
        for (size_t k = 0; err == 0 && k < w->runs[i].fact_count; k++)
            if (!was_checked(w, i, k, w->runs[i].facts[k].name))
                err = check_fact(w, w->runs[i].facts[k].name);
    return err;
}
