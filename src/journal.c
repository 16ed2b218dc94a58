/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "journal.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "json.h"

#define LINE_MAX_BYTES (64u << 10)
#define MESSAGE_SIZE 128
/* So many records wake the writer, which else looks ten times a second: a
 * wake-up for each would cost the timed path a system call. */
#define WAKE_RECORDS 512u
#define LOOK_NS (CLOCK_NS_PER_S / 10)

struct entry {
    struct record record;
    uint64_t index;
    char message[MESSAGE_SIZE];
};

struct journal {
    struct journal_config config;
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t filled, drained;
    struct entry *queue;
    uint64_t put, taken; /* entries ever queued and ever written */
    bool closing;
    uint64_t lost;
    int err; /* first failure of the writer */
};

static int
format_json(struct buf *line, const struct journal *j, const struct entry *e)
{
    struct json json;

    json_init(&json, line);
    json_open(&json, NULL, '{');
    json_string(&json, "format", RECORD_FORMAT);
    record_add_json(&json, &e->record);
    json_string(&json, "addressing", j->config.addressing);
    json_string(&json, "payload_hash", j->config.payload_hash);
    json_string(&json, "message", e->message[0] != '\0' ? e->message : NULL);
    json_close(&json, '}');
    return json.err != 0 ? json.err : buf_addc(line, '\n');
}

static int
write_entry(struct journal *j, struct entry *e, struct buf *name,
            struct buf *line)
{
    int err = workload_name(j->config.names, e->index, name);

    if (err != 0)
        return err;
    if (j->config.names_are_buckets)
        e->record.bucket = name->data;
    else
        e->record.key = name->data;
    buf_reset(line);
    err = j->config.json ? format_json(line, j, e)
                         : record_add_tsv(line, &e->record);
    if (err != 0)
        return err;
    errno = 0;
    if (fwrite(line->data, 1, line->len, j->config.out) != line->len)
        return errno != 0 ? errno : EIO;
    return 0;
}

/* Write entries FROM to TO, whose slots nobody else touches meanwhile. */
static int
write_range(struct journal *j, uint64_t from, uint64_t to, struct buf *name,
            struct buf *line)
{
    int err = 0;

    for (; err == 0 && from < to; from++)
        err = write_entry(j, &j->queue[from % JOURNAL_QUEUE], name, line);
    return err;
}

/* Wait until there is much to write, or for a moment. */
static void
wait_filled(struct journal *j)
{
    int64_t until_ns = clock_now_ns() + LOOK_NS;
    struct timespec until = {until_ns / CLOCK_NS_PER_S,
                             until_ns % CLOCK_NS_PER_S};

    pthread_cond_timedwait(&j->filled, &j->lock, &until);
}

static void *
writer(void *ctx)
{
    struct journal *j = ctx;
    struct buf name, line;

    buf_init(&name, WORKLOAD_NAME_ROOM);
    buf_init(&line, LINE_MAX_BYTES);
    pthread_mutex_lock(&j->lock);
    while (j->taken < j->put || !j->closing) {
        uint64_t from = j->taken, to = j->put;
        int err = j->err;

        if (from == to) {
            wait_filled(j);
            continue;
        }
        pthread_mutex_unlock(&j->lock);
        if (err == 0) /* after a failure entries are only taken away */
            err = write_range(j, from, to, &name, &line);
        pthread_mutex_lock(&j->lock);
        j->err = err;
        j->taken = to;
        pthread_cond_signal(&j->drained);
    }
    pthread_mutex_unlock(&j->lock);
    buf_clear(&name);
    buf_clear(&line);
    return NULL;
}

static void
destroy(struct journal *j)
{
    pthread_mutex_destroy(&j->lock);
    pthread_cond_destroy(&j->filled);
    pthread_cond_destroy(&j->drained);
    free(j->queue);
    free(j);
}

int
journal_open(struct journal **out, const struct journal_config *config)
{
    struct journal *j = calloc(1, sizeof *j);
    pthread_condattr_t attributes;
    int err;

    if (j == NULL)
        return ENOMEM;
    j->config = *config;
    pthread_mutex_init(&j->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&j->filled, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_cond_init(&j->drained, NULL);
    j->queue = calloc(JOURNAL_QUEUE, sizeof *j->queue);
    err =
        j->queue == NULL ? ENOMEM : pthread_create(&j->thread, NULL, writer, j);
    if (err != 0) {
        destroy(j);
        return err;
    }
    *out = j;
    return 0;
}

void
journal_add(struct journal *j, const struct record *r, uint64_t index,
            const char *message, bool wait)
{
    struct entry *e;

    pthread_mutex_lock(&j->lock);
    while (wait && j->put - j->taken == JOURNAL_QUEUE)
        pthread_cond_wait(&j->drained, &j->lock);
    if (j->put - j->taken == JOURNAL_QUEUE) {
        j->lost++;
    } else {
        e = &j->queue[j->put % JOURNAL_QUEUE];
        e->record = *r;
        e->index = index;
        strncpy(e->message, message, sizeof e->message - 1);
        e->message[sizeof e->message - 1] = '\0';
        j->put++;
        if (j->put - j->taken >= WAKE_RECORDS)
            pthread_cond_signal(&j->filled);
    }
    pthread_mutex_unlock(&j->lock);
}

int
journal_close(struct journal *j)
{
    int err;

    if (j == NULL)
        return 0;
    pthread_mutex_lock(&j->lock);
    j->closing = true;
    pthread_cond_signal(&j->filled);
    pthread_mutex_unlock(&j->lock);
    pthread_join(j->thread, NULL);
    err = j->err;
    if (err == 0 && fflush(j->config.out) != 0)
        err = errno;
    if (err == 0 && j->lost > 0)
        err = EOVERFLOW;
    destroy(j);
    return err;
}
