/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stat_view.h"

#include <errno.h>
#include <string.h>

#include "complain.h"
#include "stat_inputs.h"

#define AT(field) offsetof(struct stat_view, field)

const struct stat_option stat_view_rows[] = {
    {STAT_FLAG, 0, "json", NULL, AT(json),
     "print a JSON object for each line of the table", NULL},
    {STAT_FLAG, 0, "tsv", NULL, AT(tsv), "print a table for programs", NULL},
};

_Static_assert(sizeof stat_view_rows / sizeof *stat_view_rows == STAT_VIEW_ROWS,
               "the number of rows");

int
stat_view_parse(struct stat_view *view, void *o,
                const struct stat_command *command, int argc, char **argv)
{
    int status = stat_parse_options(command, o, argc, argv);

    if (status >= 0)
        return status;
    if (view->json && view->tsv)
        return complain(STAT_USAGE, "--json and --tsv exclude each other");
    return stat_select_compile(&view->select, &view->filter, &view->asked);
}

enum stat_shape
stat_view_shape(const struct stat_view *view)
{
    if (view->json)
        return STAT_SHAPE_JSON;
    return view->tsv ? STAT_SHAPE_TSV : STAT_SHAPE_PEOPLE;
}

static int
take(void *ctx, const struct record_view *v)
{
    struct stat_view *view = ctx;
    int64_t end = v->ns[RECORD_END];

    if (end < view->asked.from_ns || end > view->asked.to_ns)
        return 0;
    return view->calls->take(view, v);
}

static int
read_file(struct stat_view *view, const char *path)
{
    struct intake *in = &view->in;
    int status = intake_open(in, path), err = 0;

    if (status == 0 && in->format != INTAKE_OPS && in->format != INTAKE_WARP)
        status = complain(STAT_USAGE, "%s: has no records", in->name);
    if (status == 0 && view->calls->begin != NULL)
        err = view->calls->begin(view, in);
    if (status == 0 && err == 0)
        status = stat_select_records(in, &view->filter, NULL, take, view);
    if (status == 0 && err == 0)
        err = view->calls->end(view, in);
    if (err == ECANCELED) /* and why has been said */
        status = STAT_USAGE;
    else if (err != 0)
        status = complain(STAT_USAGE, "%s: %s", in->name, strerror(err));
    intake_close(in);
    return status;
}

int
stat_view_read(struct stat_view *view, const struct stat_command *command,
               char **operands, const struct stat_view_calls *calls)
{
    struct stat_inputs inputs;
    int status = stat_inputs_find(&inputs, command, operands);

    view->calls = calls;
    for (size_t i = 0; status == 0 && i < inputs.count; i++)
        status = read_file(view, inputs.paths[i]);
    stat_inputs_clear(&inputs);
    return status;
}
