/* SPDX-License-Identifier: MIT */
/* What a job file may say, and what its command line says for it. */
#include "config.h"

#include "options_parts.h"

#include <string.h>

bool
options_need_key(const struct options *o)
{
    return o->sse != NULL && strcmp(o->sse, "c") == 0 && o->verb != VERB_GET &&
           o->verb != VERB_HEAD;
}

static const struct option_row *
find_row(const char *name)
{
    for (size_t i = 0; i < option_row_count; i++)
        if (option_rows[i].kind != TITLE &&
            strcmp(option_rows[i].name, name) == 0)
            return &option_rows[i];
    return NULL;
}

enum options_form
options_form(const char *name)
{
    const struct option_row *row = find_row(name);

    if (row == NULL || row->kind == HELP || row->kind == VERSION)
        return OPTIONS_NONE;
    return row->kind == FLAG    ? OPTIONS_FLAG
           : row->kind == BATCH ? OPTIONS_EITHER
                                : OPTIONS_VALUE;
}

bool
options_goes_with(const char *name, enum verb verb)
{
    const struct option_row *row = find_row(name);

    return row != NULL && (row->verbs & OPTIONS_BIT(verb)) != 0;
}

/* Is ROW, which run hands on, given in O? All others are texts that are NULL
 * when they are not. */
static bool
is_given(const struct options *o, const struct option_row *row)
{
    const char *field = (const char *) o + row->offset;

    if ((row->verbs & OPTIONS_BIT(VERB_RUN)) == 0)
        return false;
    switch (row->kind) {
    case FLAG:
        return *(const bool *) field;
    case LIST:
        return ((const struct options_list *) (const void *) field)->count > 0;
    default:
        return *(const char *const *) (const void *) field != NULL;
    }
}

bool
options_beats(const struct options *o, const char *name)
{
    const struct option_row *row = find_row(name);

    return row != NULL && is_given(o, row);
}

/* Add "--NAME=VALUE", or "--NAME" when VALUE is NULL, and NUL. */
static int
add_word(struct buf *words, const char *name, const char *value)
{
    int err = value != NULL ? buf_addf(words, "--%s=%s", name, value)
                            : buf_addf(words, "--%s", name);

    return err != 0 ? err : buf_addc(words, '\0');
}

int
options_hand_on(const struct options *o, enum verb verb, struct buf *words)
{
    const unsigned both = OPTIONS_BIT(verb) | OPTIONS_BIT(VERB_RUN);
    int err = 0;

    for (size_t i = 0; i < option_row_count && err == 0; i++) {
        const struct option_row *row = &option_rows[i];
        const void *field = (const char *) o + row->offset;
        const struct options_list *list = field;

        if ((row->verbs & both) != both || !is_given(o, row))
            continue;
        if (row->kind == FLAG)
            err = add_word(words, row->name, NULL);
        else if (row->kind == TEXT)
            err = add_word(words, row->name, *(const char *const *) field);
        else
            for (size_t k = 0; k < list->count && err == 0; k++)
                err = add_word(words, row->name, list->items[k]);
    }
    return err;
}
