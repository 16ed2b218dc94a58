/* SPDX-License-Identifier: MIT */
/* Records reach the file, or their loss is said. */
#include "config.h"

#include "journal.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "tap.h"

/* A file that takes nothing until it is let, or fails. */
struct slow_file {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool let;
    int err;
    uint64_t lines;
};

static const char *const names[] = {"k"};
static struct workload workload = {.names = names,
                                   .name_count = 1,
                                   .numbered = true,
                                   .count = WORKLOAD_ENDLESS,
                                   .per_item = 1};
static const struct record record = {.op = "put",
                                     .bucket = "b",
                                     .key = "",
                                     .status = 200,
                                     .attempt = 1,
                                     .endpoint = "http://h",
                                     .host = "h",
                                     .ok = true};

static ssize_t
on_write(void *cookie, const char *bytes, size_t n)
{
    struct slow_file *f = cookie;

    pthread_mutex_lock(&f->lock);
    while (!f->let)
        pthread_cond_wait(&f->changed, &f->lock);
    for (size_t i = 0; f->err == 0 && i < n; i++)
        f->lines += bytes[i] == '\n';
    pthread_mutex_unlock(&f->lock);
    errno = f->err;
    return f->err != 0 ? 0 : (ssize_t) n;
}

static FILE *
open_slow(struct slow_file *f, bool let, int err)
{
    *f = (struct slow_file){.let = let, .err = err};
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->changed, NULL);
    return fopencookie(f, "w", (cookie_io_functions_t){.write = on_write});
}

static void
let(struct slow_file *f)
{
    pthread_mutex_lock(&f->lock);
    f->let = true;
    pthread_cond_signal(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

static struct journal *
start(FILE *out)
{
    const struct journal_config config = {.out = out, .names = &workload};
    struct journal *j = NULL;

    is_int(journal_open(&j, &config), 0, "a journal is opened");
    return j;
}

static void
add(struct journal *j, uint64_t n, bool wait)
{
    for (uint64_t i = 0; i < n; i++)
        journal_add(j, &record, i, "", wait);
}

static void
test_all_arrive(void)
{
    struct slow_file f;
    FILE *out = open_slow(&f, true, 0);
    struct journal *j = start(out);

    add(j, 3, false);
    is_int(journal_close(j), 0, "a few records are written");
    is_int((int64_t) f.lines, 3, "each has its line");
    j = start(out);
    add(j, 3 * JOURNAL_QUEUE, true);
    is_int(journal_close(j), 0, "those who wait lose nothing");
    is_int((int64_t) f.lines, 3 + 3 * JOURNAL_QUEUE, "each has its line");
    fclose(out);
}

static void
test_overflow(void)
{
    struct slow_file f;
    FILE *out = open_slow(&f, false, 0);
    struct journal *j = start(out);

    add(j, JOURNAL_QUEUE, false);
    let(&f);
    is_int(journal_close(j), 0, "a full queue is no loss");
    is_int((int64_t) f.lines, JOURNAL_QUEUE, "each has its line");

    f.let = false;
    f.lines = 0;
    j = start(out);
    add(j, JOURNAL_QUEUE + 1, false);
    let(&f);
    is_int(journal_close(j), EOVERFLOW, "one more is, and is reported");
    is_int((int64_t) f.lines, JOURNAL_QUEUE, "the others are there");
    fclose(out);
}

static void
test_failure(void)
{
    struct slow_file f;
    FILE *out = open_slow(&f, true, ENOSPC);
    struct journal *j = start(out);

    add(j, 2 * JOURNAL_QUEUE, true);
    is_int(journal_close(j), ENOSPC, "a full disk is reported, none waits");
    fclose(out);
}

int
main(void)
{
    is_int(journal_close(NULL), 0, "closing none is fine");
    test_all_arrive();
    test_overflow();
    test_failure();
    return done_testing();
}
