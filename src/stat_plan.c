/* SPDX-License-Identifier: MIT */
/* s3stat plan: what a sweep will do, before it does it. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "stat_command.h"
#include "sweep.h"

#define TARGETS_MAX 16
#define REPEATS_MAX 10000
#define TABLE_MAX_BYTES ((size_t) 512 << 20)
#define PREVIEW_MAX_BYTES 65536

struct plan_options {
    const char *sizes, *concurrency, *phases, *prices, *table;
    struct stat_list targets;
    uint64_t repeats, bucket_ops, seed, cell_ops, cell_bytes, range;
    uint64_t max_bytes, max_requests, max_alive, line_bytes;
    int64_t cell_ns, settle_ns, max_ns, latency_ns;
    bool ordered, cold;
};

#define AT(member) offsetof(struct plan_options, member)

static const struct stat_option matrix_rows[] = {
    {STAT_TEXT, 0, "sizes", "LIST", AT(sizes),
     "bytes of an object: 4Ki,1Mi or 2^0..2^24 (default 2^0..2^24)", NULL},
    {STAT_TEXT, 0, "concurrency", "LIST", AT(concurrency),
     "lanes: 1,16 or 1..1024, which doubles (default 1..1024)", NULL},
    {STAT_TEXT, 0, "phases", "LIST", AT(phases),
     "of create, upload, list, head, get-range, download, erase, remove "
     "(default all but head and get-range)",
     NULL},
    {STAT_LIST, 0, "target", "NAME", AT(targets),
     "a service, may be repeated: they take turns, cell by cell", NULL},
    {STAT_NATURAL, 0, "repeat", "N", AT(repeats),
     "the whole matrix so many times (default 1)", NULL},
    {STAT_COUNT, 0, "bucket-ops", "N", AT(bucket_ops),
     "create and remove so many buckets (default 10)", NULL},
    {STAT_FLAG, 0, "ordered", NULL, AT(ordered),
     "in the order of the lists, not shuffled", NULL},
    {STAT_COUNT, 0, "seed", "N", AT(seed), "of the order (default 1)", NULL},
    {STAT_FLAG, 0, "cold", NULL, AT(cold), "read a pass later than the uploads",
     NULL},
};

static const struct stat_option cell_rows[] = {
    {STAT_DURATION, 0, "cell-time", "TIME", AT(cell_ns),
     "a phase of a cell lasts so long (default 5s)", NULL},
    {STAT_COUNT, 0, "cell-ops", "N", AT(cell_ops),
     "or so many operations (default: 20 a lane, at least 1000)", NULL},
    {STAT_SIZE, 0, "cell-bytes", "BYTES", AT(cell_bytes),
     "or so much, but an operation a lane at least (default 1Gi)", NULL},
    {STAT_SIZE, 0, "range", "BYTES", AT(range),
     "get-range reads so much of an object (default 4Ki)", NULL},
    {STAT_DURATION, 0, "settle", "TIME", AT(settle_ns),
     "pause before the first read of a cell", NULL},
};

static const struct stat_option limit_rows[] = {
    {STAT_SIZE, 0, "max-bytes", "BYTES", AT(max_bytes),
     "skip cells that may move more", NULL},
    {STAT_COUNT, 0, "max-requests", "N", AT(max_requests),
     "skip cells that may make more requests", NULL},
    {STAT_DURATION, 0, "max-time", "TIME", AT(max_ns),
     "skip cells that may last longer", NULL},
    {STAT_SIZE, 0, "max-alive", "BYTES", AT(max_alive),
     "skip cells that may store more at a time on a target", NULL},
};

static const struct stat_option result_rows[] = {
    {STAT_TEXT, 'o', "output", "FILE", AT(table), "write the plan here", NULL},
    {STAT_TEXT, 0, "prices", "FILE", AT(prices), "count the money, too", NULL},
    {STAT_DURATION, 0, "latency", "TIME", AT(latency_ns),
     "of a small request, for the expected time (default 1ms)", NULL},
    {STAT_SIZE, 0, "line", "BYTES", AT(line_bytes),
     "a second go through, likewise (default 125M)", NULL},
};

static int run(int argc, char **argv);

const struct stat_command stat_plan = {
    .name = "plan",
    .operands = "",
    .summary = "what a sweep will do, and what it takes at most",
    .text = "Print what a sweep will do: its cells, and at most how many "
            "requests,\n"
            "bytes and how much time they take. With -o also write them as a "
            "table,\n"
            "in the order in which they run. Nothing is sent anywhere.\n",
    .tables = {STAT_TABLE("Matrix", matrix_rows, 0),
               STAT_TABLE("Each cell", cell_rows, 0),
               STAT_TABLE("Limits", limit_rows, 0),
               STAT_TABLE("Results", result_rows, 0)},
    .run = run,
};

/* --- what was asked --- */

static int
read_axis(struct sweep_axis *axis, const char *text, const char *option,
          bool bytes)
{
    const char *where;
    size_t len;
    const char *wrong = sweep_parse_axis(axis, text, bytes, &where, &len);

    if (wrong == NULL)
        return -1;
    return complain(STAT_USAGE, "bad --%s '%.*s': %s", option, (int) len, where,
                    wrong);
}

/* Names are columns of tables, and parts of file names. */
static int
check_targets(const struct plan_options *o)
{
    if (o->targets.count > TARGETS_MAX)
        return complain(STAT_USAGE, "more than %d targets", TARGETS_MAX);
    for (size_t i = 0; i < o->targets.count; i++) {
        const char *name = o->targets.items[i];

        if (*name == '\0' || strpbrk(name, "\t\n\r") != NULL)
            return complain(STAT_USAGE, "bad --target '%s'", name);
        for (size_t k = 0; k < i; k++)
            if (strcmp(name, o->targets.items[k]) == 0)
                return complain(STAT_USAGE, "two targets '%s'", name);
    }
    return -1;
}

static int
check_numbers(const struct plan_options *o)
{
    if (o->repeats > REPEATS_MAX)
        return complain(STAT_USAGE, "bad --repeat: it is at most %d",
                        REPEATS_MAX);
    if (o->cell_ops > SWEEP_OBJECTS_MAX || o->bucket_ops > SWEEP_OBJECTS_MAX)
        return complain(STAT_USAGE, "bad --%s: it is at most %d",
                        o->cell_ops > SWEEP_OBJECTS_MAX ? "cell-ops"
                                                        : "bucket-ops",
                        SWEEP_OBJECTS_MAX);
    if (o->cell_ns <= 0)
        return complain(STAT_USAGE, "bad --cell-time: it is above 0");
    return -1;
}

static int
read_sweep(struct sweep *s, const struct plan_options *o)
{
    static const char *const one[] = {"-"};
    const char *where;
    size_t len;
    int status = read_axis(&s->sizes, o->sizes, "sizes", true);

    if (status < 0)
        status = read_axis(&s->lanes, o->concurrency, "concurrency", false);
    if (status < 0)
        status = check_targets(o);
    if (status < 0)
        status = check_numbers(o);
    if (status >= 0)
        return status;
    if (!sweep_parse_phases(&s->phases, o->phases, &where, &len))
        return complain(STAT_USAGE,
                        "bad --phases '%.*s': they are create, upload, list, "
                        "head, get-range, download, erase and remove, each "
                        "once",
                        (int) len, where);
    s->targets = o->targets.count > 0 ? o->targets.items : one;
    s->target_count = o->targets.count > 0 ? (uint32_t) o->targets.count : 1;
    s->repeats = (uint32_t) o->repeats;
    s->bucket_ops = o->bucket_ops;
    s->cell_ops = o->cell_ops;
    s->cell_bytes = o->cell_bytes;
    s->range = o->range;
    s->cell_ns = o->cell_ns;
    s->settle_ns = o->settle_ns;
    s->ordered = o->ordered;
    s->cold = o->cold;
    s->seed = o->seed;
    s->limits = (struct sweep_limits){o->max_bytes, o->max_requests,
                                      o->max_alive, o->max_ns};
    s->latency_ns = o->latency_ns;
    s->line_bytes_per_s = o->line_bytes;
    return -1;
}

static int
read_prices(struct prices *prices, const char *path)
{
    static char text[PRICES_MAX_BYTES + 1];
    const char *wrong;
    unsigned number;
    FILE *file = fopen(path, "re");
    size_t n;

    if (file == NULL)
        return complain(STAT_USAGE, "cannot read '%s': %s", path,
                        strerror(errno));
    n = fread(text, 1, sizeof text, file);
    if (ferror(file)) {
        fclose(file);
        return complain(STAT_USAGE, "cannot read '%s'", path);
    }
    fclose(file);
    if (n > PRICES_MAX_BYTES)
        return complain(STAT_USAGE, "'%s' is no file of prices: it is too long",
                        path);
    text[n] = '\0';
    wrong = prices_parse(prices, text, n, &number);
    if (wrong != NULL)
        return complain(STAT_USAGE, "%s:%u: %s", path, number, wrong);
    return -1;
}

/* --- what comes of it --- */

static int
write_table(const char *path, const struct buf *text)
{
    FILE *file = fopen(path, "we");
    int err = 0;

    if (file == NULL)
        return complain(STAT_OUTPUT, "cannot write '%s': %s", path,
                        strerror(errno));
    errno = 0;
    if (fwrite(text->data, 1, text->len, file) != text->len)
        err = errno != 0 ? errno : EIO;
    if (fclose(file) != 0 && err == 0)
        err = errno;
    if (err == 0)
        return -1;
    return complain(STAT_OUTPUT, "cannot write '%s': %s", path, strerror(err));
}

static int
print_plan(const struct sweep *s, const struct sweep_plan *plan,
           const struct plan_options *o, const struct prices *prices)
{
    struct buf table, preview;
    int status = -1, err;

    buf_init(&table, TABLE_MAX_BYTES);
    buf_init(&preview, PREVIEW_MAX_BYTES);
    err = sweep_add_preview(&preview, s, plan, prices);
    if (err == 0 && o->table != NULL)
        err = sweep_add_table(&table, s, plan);
    if (err != 0)
        status =
            complain(STAT_FAILED, "cannot make the plan: %s", strerror(err));
    if (status < 0 && o->table != NULL)
        status = write_table(o->table, &table);
    if (status < 0) {
        fputs(preview.data, stdout);
        status = stat_finish(STAT_FINE);
    }
    buf_clear(&table);
    buf_clear(&preview);
    return status;
}

static int
run(int argc, char **argv)
{
    struct plan_options o = {
        .sizes = "2^0..2^24",
        .concurrency = "1..1024",
        .phases = "create,upload,list,download,erase,remove",
        .repeats = 1,
        .bucket_ops = 10,
        .seed = 1,
        .cell_bytes = UINT64_C(1) << 30,
        .range = 4096,
        .cell_ns = INT64_C(5000000000),
    };
    struct sweep sweep = {0};
    struct sweep_plan plan = {0};
    struct prices prices;
    int status = stat_parse_options(&stat_plan, &o, argc, argv);
    int err;

    if (status < 0 && argv[optind] != NULL)
        status = complain(STAT_USAGE, "unexpected argument '%s'", argv[optind]);
    if (status < 0)
        status = read_sweep(&sweep, &o);
    if (status < 0 && o.prices != NULL)
        status = read_prices(&prices, o.prices);
    if (status >= 0)
        return status;
    err = sweep_plan_make(&plan, &sweep);
    if (err == E2BIG)
        status = complain(STAT_USAGE, "there are more than %d cells",
                          SWEEP_CELLS_MAX);
    else if (err != 0)
        status = complain(STAT_FAILED, "out of memory");
    else
        status =
            print_plan(&sweep, &plan, &o, o.prices != NULL ? &prices : NULL);
    sweep_plan_clear(&plan);
    return status;
}
