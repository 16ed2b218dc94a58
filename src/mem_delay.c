/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_delay.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "clock.h"

struct waiting {
    int64_t due_ns;
    void *thing;
};

struct mem_delay {
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed; /* the first due moment, or stopping */
    bool stopping, joined;
    void (*wake)(void *thing);
    size_t count, capacity;
    struct waiting heap[]; /* the first one is due first */
};

static void
swap(struct waiting *a, struct waiting *b)
{
    struct waiting other = *a;

    *a = *b;
    *b = other;
}

static void
push(struct mem_delay *d, struct waiting w)
{
    size_t at = d->count++;

    d->heap[at] = w;
    while (at > 0 && d->heap[(at - 1) / 2].due_ns > d->heap[at].due_ns) {
        swap(&d->heap[(at - 1) / 2], &d->heap[at]);
        at = (at - 1) / 2;
    }
}

static struct waiting
pop(struct mem_delay *d)
{
    struct waiting first = d->heap[0];
    size_t at = 0;

    d->heap[0] = d->heap[--d->count];
    for (;;) {
        size_t child = 2 * at + 1;

        if (child + 1 < d->count &&
            d->heap[child + 1].due_ns < d->heap[child].due_ns)
            child++;
        if (child >= d->count || d->heap[at].due_ns <= d->heap[child].due_ns)
            return first;
        swap(&d->heap[at], &d->heap[child]);
        at = child;
    }
}

/* Wait until something may be due; the lock is held. */
static void
wait_for_change(struct mem_delay *d)
{
    int64_t due_ns;
    struct timespec until;

    if (d->count == 0) {
        pthread_cond_wait(&d->changed, &d->lock);
        return;
    }
    due_ns = d->heap[0].due_ns;
    until.tv_sec = due_ns / CLOCK_NS_PER_S;
    until.tv_nsec = due_ns % CLOCK_NS_PER_S;
    pthread_cond_timedwait(&d->changed, &d->lock, &until);
}

static void *
run(void *ctx)
{
    struct mem_delay *d = ctx;

    /* Or the kernel adds up to 50 us to each wait. */
    prctl(PR_SET_TIMERSLACK, 1);
    pthread_mutex_lock(&d->lock);
    while (!d->stopping || d->count > 0) {
        struct waiting w;

        if (!d->stopping &&
            (d->count == 0 || d->heap[0].due_ns > clock_now_ns())) {
            wait_for_change(d);
            continue;
        }
        w = pop(d);
        pthread_mutex_unlock(&d->lock);
        d->wake(w.thing);
        pthread_mutex_lock(&d->lock);
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

int
mem_delay_new(struct mem_delay **out, size_t capacity,
              void (*wake)(void *thing))
{
    struct mem_delay *d = calloc(1, sizeof(*d) + capacity * sizeof(d->heap[0]));
    pthread_condattr_t attr;
    int err;

    if (d == NULL)
        return ENOMEM;
    d->wake = wake;
    d->capacity = capacity;
    pthread_mutex_init(&d->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&d->changed, &attr);
    pthread_condattr_destroy(&attr);
    err = pthread_create(&d->thread, NULL, run, d);
    if (err != 0) {
        d->joined = true;
        mem_delay_free(d);
        return err;
    }
    *out = d;
    return 0;
}

bool
mem_delay_add(struct mem_delay *d, void *thing, int64_t due_ns)
{
    bool added;

    pthread_mutex_lock(&d->lock);
    added = !d->stopping && d->count < d->capacity;
    if (added) {
        push(d, (struct waiting){due_ns, thing});
        if (d->heap[0].thing == thing)
            pthread_cond_signal(&d->changed);
    }
    pthread_mutex_unlock(&d->lock);
    return added;
}

void
mem_delay_stop(struct mem_delay *d)
{
    if (d == NULL || d->joined)
        return;
    pthread_mutex_lock(&d->lock);
    d->stopping = true;
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->lock);
    pthread_join(d->thread, NULL);
    d->joined = true;
}

void
mem_delay_free(struct mem_delay *d)
{
    if (d == NULL)
        return;
    mem_delay_stop(d);
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->lock);
    free(d);
}
