/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/rand.h>

#include "complain.h"
#include "host.h"
#include "run.h"
#include "sse.h"
#include "stages_parts.h"

/* All of the file, "-" for standard input. */
static int
read_file(struct buf *out, const char *path)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "re");
    char chunk[4096];
    size_t n;
    int err = 0;

    if (file == NULL)
        return errno;
    errno = 0;
    while (err == 0 && (n = fread(chunk, 1, sizeof chunk, file)) > 0)
        err = buf_add(out, chunk, n);
    if (err == 0 && ferror(file))
        err = errno != 0 ? errno : EIO;
    if (!standard)
        fclose(file);
    return err;
}

/* Say what is wrong with the job. Returns: the exit status. */
static int
refuse_job(const struct stages *s, int err)
{
    if (err == ENOMEM)
        return complain(2, "out of memory");
    complain_at(s->file, s->job.line);
    return complain(2, "%s", s->job.error);
}

static int
read_job(struct stages *s, const char *path)
{
    struct buf text;
    int err;

    buf_init(&text, JOB_SIZE_MAX + 1);
    err = read_file(&text, path);
    if (err != 0 && err != EMSGSIZE) {
        buf_clear(&text);
        return complain(2, "cannot read '%s': %s", path, strerror(err));
    }
    err = job_read(&s->job, text.data, err == EMSGSIZE ? text.max : text.len);
    buf_clear(&text);
    s->job.run = s->run;
    for (size_t i = 0; i < s->o->sets.count && err == 0; i++)
        err = job_set(&s->job, s->o->sets.items[i]);
    if (err == 0)
        err = job_expand(&s->job);
    return err == 0 ? 0 : refuse_job(s, err);
}

/* Returns: 0, or the exit status of the first stage that cannot be run. */
static int
check(const struct stages *s)
{
    int status = 0;

    for (size_t i = 0; i < s->count && status == 0; i++) {
        complain_at(s->file, s->list[i].section->line);
        status = run_check(&s->list[i].options);
    }
    return status;
}

static int
print_stages(const struct stages *s)
{
    for (size_t i = 0; i < s->count; i++)
        printf("%s\t%s\n", s->list[i].section->name, s->list[i].command.data);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    return complain(4, "cannot write to standard output: %s", strerror(errno));
}

static int
perform(const struct stages *s, int rss)
{
    bool stopped = false;
    int worst = 0, killed = 0;

    run_catch_signals();
    for (size_t i = 0; i < s->count; i++) {
        const struct stage *stage = &s->list[i];
        int status, number;

        if (stopped && !stage->cleanup)
            continue;
        complain_at(s->file, stage->section->line);
        host_forget_rss(rss); /* each stage tells of its own */
        status = run_stage(&stage->options, stage->command.data);
        number = run_take_signal();
        worst = status > worst ? status : worst;
        if (number != 0 && killed != 0)
            break; /* clean-up that is interrupted, too */
        if (number != 0)
            killed = number;
        if (stopped || (number == 0 && (status == 0 || stage->go_on)))
            continue;
        stopped = true;
        complain(0, "the stage '%s' %s: only clean-up follows",
                 stage->section->name,
                 number != 0 ? "was interrupted" : "failed");
    }
    complain_at(NULL, 0);
    run_die_of(killed);
    return worst;
}

static void
clear(struct stages *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->list[i].argv);
        buf_clear(&s->list[i].words);
        buf_clear(&s->list[i].numbers);
        buf_clear(&s->list[i].command);
    }
    free(s->list);
    job_clear(&s->job);
}

/* One key for all stages that want one. */
static int
make_key(const struct stages *s, struct sse_made *key)
{
    for (size_t i = 0; i < s->count; i++)
        if (options_need_key(&s->list[i].options) && sse_make(key) != 0)
            return complain(3, "no key for --sse c could be made");
    return 0;
}

/* A name that no other run has had: 8 hex digits. */
static bool
name_run(struct stages *s)
{
    unsigned char bytes[4];

    if (RAND_bytes(bytes, sizeof bytes) != 1)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(s->run + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

int
stages_run(const struct options *o)
{
    struct sse_made key = {.made = false};
    struct stages s = {.o = o};
    int status, rss = host_open_rss();

    if (o->target_count != 1)
        options_refuse("run takes one job file, not %zu", o->target_count);
    s.file = strcmp(o->targets[0], "-") == 0 ? "standard input" : o->targets[0];
    if (!name_run(&s))
        options_refuse("there are no random bytes");
    status = read_job(&s, o->targets[0]);
    if (status == 0)
        status = stages_compose(&s);
    if (status == 0)
        status = make_key(&s, &key);
    if (status == 0)
        status = check(&s);
    complain_at(NULL, 0);
    if (status == 0)
        status = o->check ? print_stages(&s) : perform(&s, rss);
    if (rss >= 0)
        close(rss);
    sse_forget(&key);
    clear(&s);
    return status;
}
