/* SPDX-License-Identifier: MIT */
/* From the sections of a job file to command lines: see stages_parts.h. */
#include "config.h"

#include "stages_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "complain.h"

#define WORDS_MAX ((size_t) 1 << 20)
#define GLOBAL "global"
#define VARIABLES "variables"

/* What a section says besides options. */
static const char *const own_names[] = {"verb", "target", "without",
                                        "on-failure", "cleanup"};

/* What only whoever starts workers may say, or has no meaning here. */
static const char *const barred[] = {"share", "part-file", "start-at", "set",
                                     "check"};

/* Names that people give to keys. */
static const char *const secrets[] = {
    "access-key",    "access_key",    "secret-key",
    "secret_key",    "access_key_id", "secret_access_key",
    "session_token", "session-token", "password",
    "token",         "secret"};

static bool
is_listed(const char *const *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}
#define IS_IN(list, name) is_listed(list, sizeof list / sizeof *list, name)

static bool
is_secret(const char *name)
{
    if (strncasecmp(name, "aws_", 4) == 0 || strncasecmp(name, "aws-", 4) == 0)
        name += 4;
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
        if (strcasecmp(secrets[i], name) == 0)
            return true;
    return false;
}

/* "yes" or "no"; a name that stands alone says yes. */
static bool
read_flag(const struct job_entry *e)
{
    static const char *const yes[] = {"yes", "true", "on", "1"};
    static const char *const no[] = {"no", "false", "off", "0"};

    if (e->value == NULL || IS_IN(yes, e->value))
        return true;
    if (!IS_IN(no, e->value))
        options_refuse("bad %s '%s': it is yes or no", e->name, e->value);
    return false;
}

static const char *
need_value(const struct job_entry *e)
{
    if (e->value == NULL)
        options_refuse("'%s' needs a value: %s = VALUE", e->name, e->name);
    return e->value;
}

/* The last entry called NAME in SECTION, which may be NULL. */
static const struct job_entry *
find_entry(const struct job_section *section, const char *name)
{
    for (size_t i = section != NULL ? section->count : 0; i-- > 0;)
        if (strcmp(section->entries[i].name, name) == 0)
            return &section->entries[i];
    return NULL;
}

/* The same; what a stage does not say holds for all. */
static const struct job_entry *
find_setting(const struct stages *s, const struct stage *stage,
             const char *name)
{
    const struct job_entry *e = find_entry(stage->section, name);

    return e != NULL ? e : find_entry(job_find(&s->job, GLOBAL), name);
}

/* Can there be an entry like E at all? */
static void
check_name(const struct stages *s, const struct job_entry *e)
{
    complain_at(s->file, e->line);
    if (is_secret(e->name))
        options_refuse("keys never stand in a job file: '%s' belongs into the "
                       "environment or a profile",
                       e->name);
    if (IS_IN(own_names, e->name))
        return;
    if (options_form(e->name) == OPTIONS_NONE || IS_IN(barred, e->name))
        options_refuse("unknown option '%s', see s3op --help", e->name);
    if (options_form(e->name) == OPTIONS_FLAG)
        (void) read_flag(e);
    else if (options_form(e->name) == OPTIONS_VALUE)
        (void) need_value(e);
}

static void
check_names(const struct stages *s)
{
    for (size_t i = 0; i < s->job.count; i++) {
        const struct job_section *section = &s->job.sections[i];

        if (strcmp(section->name, VARIABLES) == 0) {
            for (size_t k = 0; k < section->count; k++) {
                complain_at(s->file, section->entries[k].line);
                if (is_secret(section->entries[k].name))
                    options_refuse("keys never stand in a job file, not even "
                                   "as a variable");
            }
            continue;
        }
        for (size_t k = 0; k < section->count; k++)
            check_name(s, &section->entries[k]);
    }
}

/* Add a word, NAME and VALUE, each may be "", that stands in LINE. */
static void
add_word(struct stage *stage, unsigned line, const char *name,
         const char *value)
{
    int err = buf_addf(&stage->words, "%s%s", name, value);

    if (err == 0)
        err = buf_addc(&stage->words, '\0');
    if (err == 0)
        err = buf_add(&stage->numbers, &line, sizeof line);
    if (err != 0)
        options_refuse("the stage says too much");
}

static void
add_option(struct stage *stage, const struct job_entry *e)
{
    bool flag = options_form(e->name) == OPTIONS_FLAG;
    bool valued = !flag && e->value != NULL;
    char name[JOB_NAME_MAX + 4];

    snprintf(name, sizeof name, "--%s%s", e->name, valued ? "=" : "");
    if (!flag || read_flag(e))
        add_word(stage, e->line, name, valued ? e->value : "");
}

/* Does one of the stage's lists of what it does without have NAME? */
static bool
does_without(const struct stage *stage, const char *name)
{
    size_t n = strlen(name);

    for (size_t i = 0; i < stage->section->count; i++) {
        const struct job_entry *e = &stage->section->entries[i];
        const char *at = e->value;

        if (strcmp(e->name, "without") != 0)
            continue;
        for (at += strspn(at, " \t"); *at != '\0'; at += strspn(at, " \t")) {
            size_t word = strcspn(at, " \t");

            if (word == n && memcmp(at, name, n) == 0)
                return true;
            at += word;
        }
    }
    return false;
}

/* What a stage does without must stand in [global]. */
static void
check_without(const struct stages *s, const struct job_entry *e)
{
    const struct job_section *global = job_find(&s->job, GLOBAL);
    char name[JOB_NAME_MAX + 1];
    const char *at = need_value(e);

    for (at += strspn(at, " \t"); *at != '\0'; at += strspn(at, " \t")) {
        size_t n = strcspn(at, " \t");

        snprintf(name, sizeof name, "%.*s", (int) n, at);
        if (n >= sizeof name || find_entry(global, name) == NULL ||
            IS_IN(own_names, name))
            options_refuse("bad without '%.*s': [global] has no such option",
                           (int) n, at);
        at += n;
    }
}

/* Add the options of SECTION, NULL for none, but for those that the stage
 * or the command line says itself. */
static void
add_options(const struct stages *s, struct stage *stage,
            const struct job_section *section, enum verb verb)
{
    bool global = section != stage->section;

    for (size_t i = 0; section != NULL && i < section->count; i++) {
        const struct job_entry *e = &section->entries[i];

        if (IS_IN(own_names, e->name) || options_beats(s->o, e->name))
            continue;
        if (global &&
            (find_entry(stage->section, e->name) != NULL ||
             does_without(stage, e->name) || !options_goes_with(e->name, verb)))
            continue;
        complain_at(s->file, e->line);
        add_option(stage, e);
    }
}

/* What the command line says for all stages. */
static void
add_handed_on(const struct stages *s, struct stage *stage, enum verb verb)
{
    struct buf words;

    buf_init(&words, WORDS_MAX);
    if (options_hand_on(s->o, verb, &words) != 0)
        options_refuse("out of memory");
    for (size_t at = 0; at < words.len; at += strlen(words.data + at) + 1)
        add_word(stage, stage->section->line, words.data + at, "");
    buf_clear(&words);
}

static void
add_targets(const struct stages *s, struct stage *stage)
{
    const struct job_section *section = stage->section;

    if (find_entry(section, "target") == NULL)
        section = job_find(&s->job, GLOBAL);
    for (size_t i = 0; section != NULL && i < section->count; i++) {
        const struct job_entry *e = &section->entries[i];

        if (strcmp(e->name, "target") == 0)
            add_word(stage, e->line, "", need_value(e));
    }
}

static void
read_settings(const struct stages *s, struct stage *stage)
{
    const struct job_entry *e = find_setting(s, stage, "on-failure");

    if (e != NULL) {
        complain_at(s->file, e->line);
        stage->go_on = strcmp(need_value(e), "continue") == 0;
        if (!stage->go_on && strcmp(e->value, "stop") != 0)
            options_refuse("bad on-failure '%s': it is stop or continue",
                           e->value);
    }
    for (size_t i = 0; i < stage->section->count; i++) {
        e = &stage->section->entries[i];
        complain_at(s->file, e->line);
        if (strcmp(e->name, "without") == 0)
            check_without(s, e);
    }
    e = find_entry(stage->section, "cleanup");
    if (e != NULL) {
        complain_at(s->file, e->line);
        stage->cleanup = read_flag(e);
    }
}

static enum verb
read_verb(const struct stages *s, const struct stage *stage)
{
    const struct job_entry *e = find_setting(s, stage, "verb");
    enum verb verb;

    complain_at(s->file, e != NULL ? e->line : stage->section->line);
    if (e == NULL)
        options_refuse("the stage '%s' has no verb", stage->section->name);
    if (!options_verb_find(&verb, need_value(e)) ||
        !options_goes_with("timeout", verb))
        options_refuse("bad verb '%s': a stage does mb, rb, put, get, head, "
                       "rm, ls, cp, release or create-upload",
                       e->value);
    return verb;
}

/* Make argv and the one text of the words. */
static void
finish(struct stage *stage)
{
    const char *at = stage->words.data;
    int err = 0;

    stage->argc = (int) (stage->numbers.len / sizeof(unsigned));
    stage->argv = calloc((size_t) stage->argc + 1, sizeof *stage->argv);
    if (stage->argv == NULL)
        options_refuse("out of memory");
    for (int i = 0; i < stage->argc && err == 0; i++) {
        stage->argv[i] = (char *) at;
        err = buf_addf(&stage->command, i > 0 ? " %s" : "%s", at);
        at += strlen(at) + 1;
    }
    if (err != 0)
        options_refuse("the stage says too much");
}

static void
compose(const struct stages *s, struct stage *stage)
{
    const struct job_section *section = stage->section;
    enum verb verb;

    buf_init(&stage->words, WORDS_MAX);
    buf_init(&stage->numbers, WORDS_MAX);
    buf_init(&stage->command, WORDS_MAX);
    read_settings(s, stage);
    verb = read_verb(s, stage);
    complain_at(s->file, section->line);
    add_word(stage, section->line, "s3op", "");
    add_word(stage, section->line, "--phase=", section->name);
    add_options(s, stage, job_find(&s->job, GLOBAL), verb);
    add_options(s, stage, section, verb);
    add_handed_on(s, stage, verb);
    add_word(stage, section->line, "", options_verb_name(verb));
    add_targets(s, stage);
    finish(stage);
}

/* Each entry of [global] must be of use to some stage. */
static void
check_global(const struct stages *s)
{
    const struct job_section *global = job_find(&s->job, GLOBAL);

    for (size_t i = 0; global != NULL && i < global->count; i++) {
        const struct job_entry *e = &global->entries[i];
        bool used = IS_IN(own_names, e->name);

        complain_at(s->file, e->line);
        if (strcmp(e->name, "cleanup") == 0 || strcmp(e->name, "without") == 0)
            options_refuse("%s is for a stage, not for all", e->name);
        for (size_t k = 0; k < s->count && !used; k++)
            used = options_goes_with(e->name, s->list[k].options.verb);
        if (!used)
            options_refuse("'%s' is for none of the stages", e->name);
    }
}

int
stages_compose(struct stages *s)
{
    const struct job *j = &s->job;

    check_names(s);
    s->list = calloc(j->count > 0 ? j->count : 1, sizeof *s->list);
    if (s->list == NULL)
        options_refuse("out of memory");
    for (size_t i = 0; i < j->count; i++) {
        struct stage *stage = &s->list[s->count];

        if (strcmp(j->sections[i].name, VARIABLES) == 0 ||
            strcmp(j->sections[i].name, GLOBAL) == 0)
            continue;
        stage->section = &j->sections[i];
        s->count++;
        compose(s, stage);
        options_parse_file(&stage->options, stage->argc, stage->argv, s->file,
                           (const unsigned *) (void *) stage->numbers.data);
    }
    check_global(s);
    complain_at(s->file, 0);
    if (s->count == 0)
        return complain(2, "there is no stage in it: a section like [warm]");
    return 0;
}
