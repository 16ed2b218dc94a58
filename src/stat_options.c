/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stat_options.h"

#include <getopt.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "stat_command.h"
#include "units.h"
#include "version.h"

#define OPTIONS_MAX 64
#define FIRST_CODE 256 /* of long options; row numbers follow */
#define HELP_COLUMN 27

/* All rows of a command in one line, for getopt. */
struct lookup {
    const struct stat_option *rows[OPTIONS_MAX];
    size_t base[OPTIONS_MAX];
    size_t count;
    struct option longs[OPTIONS_MAX + 3];
    char shorts[2 * OPTIONS_MAX + 8];
};

static void
add_row(struct lookup *l, const struct stat_option *row, size_t base)
{
    size_t n = strlen(l->shorts);

    l->rows[l->count] = row;
    l->base[l->count] = base;
    l->longs[l->count] = (struct option){
        row->name, row->argument != NULL ? required_argument : no_argument,
        NULL, FIRST_CODE + (int) l->count};
    l->count++;
    if (row->letter != 0)
        snprintf(l->shorts + n, sizeof l->shorts - n, "%c%s", row->letter,
                 row->argument != NULL ? ":" : "");
}

static void
fill_lookup(struct lookup *l, const struct stat_command *command)
{
    memset(l, 0, sizeof *l);
    strcpy(l->shorts, command->stops ? "+:hV" : ":hV");
    for (size_t i = 0; i < STAT_TABLES_MAX; i++) {
        const struct stat_option_table *t = &command->tables[i];

        for (size_t k = 0; k < t->count && l->count < OPTIONS_MAX; k++)
            add_row(l, &t->rows[k], t->base);
    }
    l->longs[l->count] = (struct option){"help", no_argument, NULL, 'h'};
    l->longs[l->count + 1] = (struct option){"version", no_argument, NULL, 'V'};
}

/* --- values --- */

static bool
parse_choice(int *out, const struct stat_option *row, const char *value)
{
    for (int i = 0; row->choices[i] != NULL; i++) {
        if (strcmp(row->choices[i], value) != 0)
            continue;
        *out = i;
        return true;
    }
    return false;
}

/* "5%" and "0.05" are the same. */
static bool
parse_percent(double *out, const char *value)
{
    char *end;
    double number;

    if (*value == '\0' || strspn(value, "0123456789.%") != strlen(value))
        return false;
    number = strtod(value, &end);
    if (end == value || !isfinite(number))
        return false;
    if (*end == '%') {
        number /= 100;
        end++;
    }
    if (*end != '\0')
        return false;
    *out = number;
    return true;
}

static bool
add_to_list(struct stat_list *list, const char *value)
{
    if (list->count == STAT_LIST_MAX)
        return false;
    list->items[list->count++] = value;
    return true;
}

static bool
set_value(void *field, const struct stat_option *row, const char *value)
{
    uint64_t *number = field;

    switch (row->kind) {
    case STAT_FLAG:
        *(bool *) field = true;
        return true;
    case STAT_TEXT:
        *(const char **) field = value;
        return true;
    case STAT_COUNT:
        return units_parse_count(number, value);
    case STAT_NATURAL:
        return units_parse_count(number, value) && *number > 0;
    case STAT_SIZE:
        return units_parse_size(number, value);
    case STAT_DURATION:
        return units_parse_duration(field, value);
    case STAT_CHOICE:
        return parse_choice(field, row, value);
    case STAT_LIST:
        return add_to_list(field, value);
    default:
        return parse_percent(field, value);
    }
}

/* --- help --- */

/* Print TEXT from column AT on, broken before column 79. */
static void
print_wrapped(const char *text, int at)
{
    int column = at;

    while (*text != '\0') {
        int word = (int) strcspn(text, " ");

        if (column > at && column + 1 + word > 79) {
            printf("\n%*s", at, "");
            column = at;
        } else if (column > at) {
            putchar(' ');
            column++;
        }
        printf("%.*s", word, text);
        column += word;
        text += word;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void
print_row(char letter, const char *name, const char *argument, const char *text)
{
    char left[80];

    snprintf(left, sizeof left, "  %c%c%c --%s%s%s", letter != 0 ? '-' : ' ',
             letter != 0 ? letter : ' ', letter != 0 ? ',' : ' ', name,
             argument != NULL ? "=" : "", argument != NULL ? argument : "");
    printf("%-*s", HELP_COLUMN, left);
    if (strlen(left) >= HELP_COLUMN)
        printf("\n%*s", HELP_COLUMN, "");
    print_wrapped(text, HELP_COLUMN);
}

static void
print_command_help(const struct stat_command *command)
{
    printf("Usage: s3stat %s [OPTION]... %s\n%s", command->name,
           command->operands, command->text);
    for (size_t i = 0; i < STAT_TABLES_MAX; i++) {
        const struct stat_option_table *t = &command->tables[i];

        if (t->count == 0)
            continue;
        printf("\n%s:\n", t->title);
        for (size_t k = 0; k < t->count; k++)
            print_row(t->rows[k].letter, t->rows[k].name, t->rows[k].argument,
                      t->rows[k].help);
    }
    putchar('\n');
    print_row('h', "help", NULL, "print this and exit");
    print_row('V', "version", NULL, "print the version and exit");
}

/* --- parsing --- */

/* The row of a short or long option's code. */
static size_t
find_row(const struct lookup *l, int code)
{
    size_t i = 0;

    if (code >= FIRST_CODE)
        return (size_t) (code - FIRST_CODE);
    while (l->rows[i]->letter != code)
        i++;
    return i;
}

static int
complain_option(const char *what, char **argv)
{
    /* A short one may stand in a group: then getopt is not past it. */
    if (optopt > 0 && optopt < FIRST_CODE)
        return complain(STAT_USAGE, "%s '-%c'", what, optopt);
    return complain(STAT_USAGE, "%s '%s'", what, argv[optind - 1]);
}

int
stat_parse_options(const struct stat_command *command, void *into, int argc,
                   char **argv)
{
    struct lookup l;
    int code;

    fill_lookup(&l, command);
    opterr = 0;
    optind = 0; /* GNU: from the start, with this string */
    while ((code = getopt_long(argc, argv, l.shorts, l.longs, NULL)) != -1) {
        size_t i;

        switch (code) {
        case 'h':
            print_command_help(command);
            return stat_finish(STAT_FINE);
        case 'V':
            puts("s3stat " S3PERF_VERSION);
            return stat_finish(STAT_FINE);
        case '?':
            return complain_option("unknown option", argv);
        case ':':
            return complain_option("a value is missing for", argv);
        default:
            i = find_row(&l, code);
            if (!set_value((char *) into + l.base[i] + l.rows[i]->offset,
                           l.rows[i], optarg))
                return complain(STAT_USAGE, "bad --%s '%s'", l.rows[i]->name,
                                optarg);
        }
    }
    return -1;
}
