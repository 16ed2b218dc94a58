/* SPDX-License-Identifier: MIT */
/* A run that is one worker's share of a larger one. */
#include "config.h"

#include "run_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "units.h"

double
run_own_rate(const struct run *r)
{
    uint32_t of = r->plan.share.of;

    return of > 0 ? r->o->rate_per_s / of : r->o->rate_per_s;
}

int64_t
run_first_arrival(const struct run *r)
{
    if (run_own_rate(r) <= 0 || r->o->arrivals != PACE_CONSTANT)
        return 0;
    return (int64_t) (r->plan.share.number * 1e9 / r->o->rate_per_s);
}

static int64_t
agree(void *ctx)
{
    const struct run *r = ctx;

    return r->start_ns;
}

int
run_join_others(struct run *r, struct crew_config *crew)
{
    if (strcmp(r->o->start_at, "-") != 0) {
        crew->agree = agree;
        crew->agree_ctx = r;
        return 0;
    }
    crew->agree = channel_agree;
    crew->agree_ctx = &r->channel;
    return channel_open(&r->channel, run_wake_fd());
}

int
run_become_worker(struct run *r, struct options *own)
{
    uint64_t start_ns = 0;

    r->o = r->results.o = own;
    own->cell = own->hist = NULL;
    own->columns = own->json = false;
    own->progress = "none";
    r->results.silent = true;
    if (own->log != NULL && own->part_file != NULL) {
        snprintf(r->part_log, sizeof r->part_log, "%s.ops", own->part_file);
        own->log = r->part_log;
    }
    if (own->start_at != NULL && strcmp(own->start_at, "-") != 0 &&
        (!units_parse_count(&start_ns, own->start_at) || start_ns > INT64_MAX))
        return complain(2, "bad start-at '%s'", own->start_at);
    r->start_ns = (int64_t) start_ns;
    return 0;
}

int
run_write_text(const char *path, const struct buf *text)
{
    FILE *file = fopen(path, "we");
    int err = 0;

    if (file == NULL)
        return errno;
    errno = 0;
    if (fwrite(text->data, 1, text->len, file) != text->len)
        err = errno != 0 ? errno : EIO;
    if (fclose(file) != 0 && err == 0)
        err = errno;
    return err;
}

/* Write the part file whole or not at all. */
static int
write_part(struct run *r, int err)
{
    const char *path = r->o->part_file;
    char temporary[4096 + 8];
    struct buf text;

    r->part.number = r->plan.share.number;
    r->part.of = r->plan.share.of;
    r->part.err = err;
    r->part.verify = r->report.asked.verify;
    snprintf(temporary, sizeof temporary, "%.4096s.tmp", path);
    buf_init(&text, PART_MAX_BYTES);
    err = part_add_text(&text, &r->part);
    if (err == 0)
        err = run_write_text(temporary, &text);
    if (err == 0 && rename(temporary, path) != 0)
        err = errno;
    buf_clear(&text);
    if (err != 0)
        return complain(4, "cannot write '%s': %s", path, strerror(err));
    if (r->o->start_at != NULL && strcmp(r->o->start_at, "-") == 0)
        channel_say_done();
    return 0;
}

int
run_finish(struct run *r, int err)
{
    if (r->o->share == NULL)
        part_conclude(&r->report, &r->intervals, &r->part, 1);
    results_write(&r->results);
    if (r->o->share != NULL)
        return write_part(r, err);
    return results_conclude(&r->results, err);
}
