/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "options_parts.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "units.h"
#include "version.h"

void
options_refuse(const char *format, ...)
{
    char line[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    exit(complain(2, "%s", line));
}

void
options_refuse_if(bool wrong, const char *why)
{
    if (wrong)
        options_refuse("%s", why);
}

/* End after --help or --version, which may be going to a full disk. */
static void __attribute__((noreturn)) finish_printing(void)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        exit(complain(4, "cannot write to standard output: %s",
                      strerror(errno)));
    exit(0);
}

static void
add_item(struct options_list *list, const struct option_row *row,
         const char *value)
{
    if (list->count == OPTIONS_LIST_MAX)
        options_refuse("too many --%s options", row->name);
    list->items[list->count++] = value;
}

/* What a value should have looked like, where that is not plain. */
static const char *
shape_of(enum option_kind kind)
{
    if (kind == SIZE)
        return ": it is bytes, or has one of the suffixes K M G T Ki Mi Gi Ti";
    if (kind == BIT_RATE)
        return ": it is a number with kbit, Mbit or Gbit";
    return "";
}

/* A count, which must not be 0 where KIND says so. */
static bool
parse_count(uint64_t *out, enum option_kind kind, const char *value)
{
    if (kind == BATCH && value == NULL) {
        *out = OPTIONS_BATCH_MAX;
        return true;
    }
    return units_parse_count(out, value) && *out != OPTIONS_UNSET &&
           (kind == COUNT || *out > 0);
}

static void
store_sizes(struct options *o, const char *value)
{
    const char *why = sizes_parse(&o->sizes, value);

    if (why != NULL)
        options_refuse("bad size '%s': %s", value, why);
    o->size = o->sizes.max;
    o->size_text = value;
}

static void
store(struct options *o, const struct option_row *row, const char *value)
{
    char *field = (char *) o + row->offset;
    bool good = true;

    switch (row->kind) {
    case FLAG:
        *(bool *) field = true;
        break;
    case TEXT:
        *(const char **) field = value;
        break;
    case LIST:
        add_item((struct options_list *) field, row, value);
        break;
    case BATCH:
    case COUNT:
    case NATURAL:
        good = parse_count((uint64_t *) field, row->kind, value);
        break;
    case SIZE:
        good = units_parse_size((uint64_t *) field, value) &&
               *(uint64_t *) field != OPTIONS_UNSET;
        break;
    case SIZES:
        store_sizes(o, value);
        break;
    case DURATION:
        good = units_parse_duration((int64_t *) field, value) &&
               (row->letter != 'd' || *(int64_t *) field > 0);
        break;
    case RATE:
        good = units_parse_rate((double *) (void *) field, value);
        break;
    case BIT_RATE:
        good = units_parse_bit_rate((double *) (void *) field, value);
        break;
    case ARRIVALS:
        o->arrivals_set = true;
        good = pace_parse_arrivals(&o->arrivals, value);
        break;
    case ADDRESSING:
        o->addressing_set = true;
        good = addressing_parse(&o->addressing, value);
        break;
    case HELP:
        options_print_help();
        finish_printing();
    case VERSION:
        printf("s3op %s\n", S3PERF_VERSION);
        finish_printing();
    case TITLE:
        break;
    }
    if (!good)
        options_refuse("bad %s '%s'%s", row->name, value, shape_of(row->kind));
}

/* Build getopt's two views of the table. */
static void
fill_getopt(struct option longs[OPTIONS_ROWS_MAX + 1],
            char shorts[3 * OPTIONS_ROWS_MAX + 2])
{
    size_t n = 0, s = 0;

    shorts[s++] = ':';
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];

        if (row->kind == TITLE)
            continue;
        longs[n++] = (struct option){row->name,
                                     row->kind == BATCH      ? optional_argument
                                     : row->argument != NULL ? required_argument
                                                             : no_argument,
                                     NULL, 256 + (int) i};
        if (row->letter == 0)
            continue;
        shorts[s++] = row->letter;
        if (row->argument != NULL)
            shorts[s++] = ':';
    }
    longs[n] = (struct option){0};
    shorts[s] = '\0';
}

static const struct option_row *
find_row(int found)
{
    if (found >= 256)
        return &option_rows[found - 256];
    for (size_t i = 0; i < option_row_count; i++)
        if (option_rows[i].letter == found && option_rows[i].letter != 0)
            return &option_rows[i];
    return NULL;
}

/* The value of the option ROW that getopt has just found. One that need not
 * have a value may have it as its next word, if that is a number: no target
 * is one. */
static const char *
find_value(const struct option_row *row, int argc, char **argv)
{
    if (row->kind != BATCH || optarg != NULL || optind >= argc ||
        argv[optind][0] < '0' || argv[optind][0] > '9')
        return optarg;
    return argv[optind++];
}

bool
options_verb_find(enum verb *out, const char *name)
{
    for (int v = 0; v < VERB_COUNT; v++) {
        if (strcmp(name, options_verb_name((enum verb) v)) != 0)
            continue;
        *out = (enum verb) v;
        return true;
    }
    return false;
}

/* Where the words of a command line stand. */
struct place {
    const char *file; /* NULL: on the command line itself */
    const unsigned *lines;
};

/* What follows is about word I. */
static void
look_at(const struct place *place, int i)
{
    if (place->file != NULL)
        complain_at(place->file, place->lines[i]);
}

/* Read all options into O. GIVEN[R] becomes the number of the word behind the
 * one that gives row R. */
static void
read_options(struct options *o, int argc, char **argv,
             const struct place *place, int given[OPTIONS_ROWS_MAX])
{
    struct option longs[OPTIONS_ROWS_MAX + 1];
    char shorts[3 * OPTIONS_ROWS_MAX + 2];
    int found;

    fill_getopt(longs, shorts);
    opterr = 0;
    optind = 0; /* from the start, also after another command line */
    look_at(place, argc > 1 ? 1 : 0);
    while ((found = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        const struct option_row *row;

        look_at(place, optind - 1);
        if (found == ':')
            options_refuse("option '%s' needs a value", argv[optind - 1]);
        row = find_row(found);
        if (row == NULL && optopt >= 256)
            options_refuse("option '--%s' takes no value",
                           option_rows[optopt - 256].name);
        if (row == NULL && optopt > 0)
            options_refuse("unknown option '-%c', see s3op --help", optopt);
        if (row == NULL)
            options_refuse("unknown option '%s', see s3op --help",
                           argv[optind - 1]);
        given[row - option_rows] = optind;
        store(o, row, find_value(row, argc, argv));
    }
    look_at(place, 0);
}

static void
parse(struct options *o, int argc, char **argv, const struct place *place)
{
    int given[OPTIONS_ROWS_MAX] = {0};

    *o = (struct options){.count = OPTIONS_UNSET,
                          .concurrency = OPTIONS_UNSET,
                          .size = OPTIONS_UNSET,
                          .objects = OPTIONS_UNSET,
                          .threads = OPTIONS_UNSET,
                          .workers = OPTIONS_UNSET,
                          .connection = "reuse",
                          .interval_ns = -1,
                          .seed = 1,
                          .payload = "random",
                          .list_type = 2,
                          .connect_timeout_ns = INT64_C(10000000000),
                          .timeout_ns = INT64_C(300000000000),
                          .method = "GET",
                          .query_auth = OPTIONS_UNSET,
                          .expires_ns = INT64_C(3600000000000),
                          .service = "s3",
                          .endpoint_select = "roundrobin"};
    read_options(o, argc, argv, place, given);
    if (optind == argc)
        options_refuse("no verb given, see s3op --help");
    if (!options_verb_find(&o->verb, argv[optind]))
        options_refuse("unknown verb '%s', see s3op --help", argv[optind]);
    optind++;
    o->argv = argv;
    o->argc = argc;
    o->targets = argv + optind;
    o->target_count = (size_t) (argc - optind);
    for (size_t i = 0; i < option_row_count; i++) {
        if (given[i] == 0 || (option_rows[i].verbs & OPTIONS_BIT(o->verb)) != 0)
            continue;
        look_at(place, given[i] - 1);
        options_refuse("--%s does not go with %s", option_rows[i].name,
                       options_verb_name(o->verb));
    }
    options_settle(o);
    options_check(o);
}

void
options_parse(struct options *o, int argc, char **argv)
{
    static const struct place here = {NULL, NULL};

    parse(o, argc, argv, &here);
}

void
options_parse_file(struct options *o, int argc, char **argv, const char *file,
                   const unsigned *lines)
{
    const struct place place = {file, lines};

    parse(o, argc, argv, &place);
}
