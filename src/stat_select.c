/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stat_select.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "complain.h"
#include "stat_command.h"

#define AT(field) offsetof(struct stat_select, field)

const struct stat_option stat_select_rows[] = {
    {STAT_LIST, 0, "op", "NAME", AT(ops),
     "only these operations; may be repeated, as may the next three, and takes"
     " patterns (put*)",
     NULL},
    {STAT_LIST, 0, "host", "NAME", AT(hosts), "only of these clients", NULL},
    {STAT_LIST, 0, "endpoint", "URL", AT(endpoints), "only to these endpoints",
     NULL},
    {STAT_LIST, 0, "size", "BYTES", AT(sizes),
     "only objects of this size, or of a range of sizes (4Ki-1Mi)", NULL},
    {STAT_LIST, 0, "where", "CONDITION", AT(where),
     "only records whose column compares so: total_us>10ms, code=SlowDown,"
     " lane<8, first_us=-, ok=0; all of several must",
     NULL},
    {STAT_DURATION, 0, "from", "TIME", AT(from_ns),
     "the window opens so long after the start of the run", NULL},
    {STAT_DURATION, 0, "to", "TIME", AT(to_ns),
     "... and closes so long after it", NULL},
    {STAT_DURATION, 0, "skip", "TIME", AT(skip_ns),
     "leave out so much of the beginning, as --from does", NULL},
    {STAT_FLAG, 0, "whole", NULL, AT(whole),
     "first start to last end, also of a run that was timed", NULL},
};

_Static_assert(sizeof stat_select_rows / sizeof *stat_select_rows ==
                   STAT_SELECT_ROWS,
               "the number of rows");

static int
add_list(struct filter *filter, enum record_column column, const char *name,
         const struct stat_list *list)
{
    const char *bad = "";
    const char *why =
        filter_add_list(filter, column, list->items, list->count, &bad);

    if (why == NULL)
        return -1;
    return complain(STAT_USAGE, "bad --%s '%s': %s", name, bad, why);
}

static int
compile_window(const struct stat_select *s, struct stat_window_asked *asked)
{
    *asked = (struct stat_window_asked){
        .from_ns = s->from_ns, .to_ns = s->to_ns, .whole = s->whole};
    if (s->skip_ns != 0) {
        if (s->from_ns != INT64_MIN)
            return complain(STAT_USAGE, "--skip and --from are the same");
        asked->from_ns = s->skip_ns;
    }
    if (s->whole && (asked->from_ns != INT64_MIN || asked->to_ns != INT64_MAX))
        return complain(STAT_USAGE,
                        "--whole does not go with --from, --to or --skip");
    if (asked->from_ns >= asked->to_ns)
        return complain(STAT_USAGE, "the window closes before it opens");
    return -1;
}

int
stat_select_compile(const struct stat_select *s, struct filter *filter,
                    struct stat_window_asked *asked)
{
    int status;

    filter_init(filter);
    status = add_list(filter, RECORD_OP, "op", &s->ops);
    if (status < 0)
        status = add_list(filter, RECORD_HOST, "host", &s->hosts);
    if (status < 0)
        status = add_list(filter, RECORD_ENDPOINT, "endpoint", &s->endpoints);
    if (status < 0)
        status = add_list(filter, RECORD_SIZE, "size", &s->sizes);
    for (size_t i = 0; status < 0 && i < s->where.count; i++) {
        const char *why = filter_add(filter, s->where.items[i]);

        if (why != NULL)
            status = complain(STAT_USAGE, "bad --where '%s': %s",
                              s->where.items[i], why);
    }
    return status < 0 ? compile_window(s, asked) : status;
}

int
stat_select_records(struct intake *in, const struct filter *filter,
                    const struct stat_window *w, stat_record_fn *take,
                    void *ctx)
{
    struct record_view v;
    enum intake_got got;
    int err;

    while ((got = intake_record(in, &v)) == INTAKE_ONE) {
        if (w != NULL && !stat_window_agrees(w, &v)) {
            intake_complain(in,
                            "lane %" PRIu32 " goes back in time, so the "
                            "window cannot be told: sort by end_us, or say "
                            "--whole or --from",
                            v.lane);
            return STAT_USAGE;
        }
        if (filter->count > 0 && !filter_matches(filter, &v))
            continue;
        err = take(ctx, &v);
        if (err == E2BIG) {
            intake_complain(in, "too many different texts or groups");
            return STAT_USAGE;
        }
        if (err != 0)
            return complain(STAT_USAGE, "%s: %s", in->name, strerror(err));
    }
    return got == INTAKE_BAD ? STAT_USAGE : 0;
}
