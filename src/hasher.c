/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "hasher.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Hashes that are kept: half of them ahead of the run, half behind it, for
 * lanes that are still to take theirs. */
#define SLOTS ((uint64_t) 1 << 16)
#define AHEAD (SLOTS / 2)
#define WAKE_BELOW (AHEAD / 2)
#define READY_BYTES ((uint64_t) 512 << 20)

struct slot {
    uint64_t index; /* of the body; UINT64_MAX: none */
    struct digests digests;
};

struct hasher {
    const struct workload *w;
    struct hasher_cut cut;
    uint64_t count; /* bodies there will be; UINT64_MAX: no end */
    const atomic_int *stop;
    struct payload *payload;
    struct digester digester;
    struct buf name;
    pthread_t thread;
    bool running;
    pthread_mutex_t mutex; /* of all that follows */
    pthread_cond_t changed;
    struct slot *slots;
    uint64_t next; /* number of the body to hash: of each name, as many as
                      may be */
    bool ready; /* the run may start */
    bool asleep, ending;
    int err;
};

/* Wait until there is something to hash; false when it is over. Takes and
 * leaves the mutex held. */
static bool
wait_for_work(struct hasher *h)
{
    uint64_t given = workload_given(h->w) * h->cut.stride;

    while (!h->ending && *h->stop == 0 && h->next < h->count) {
        if (h->next < given + AHEAD)
            return true;
        h->ready = h->asleep = true;
        pthread_cond_broadcast(&h->changed);
        pthread_cond_wait(&h->changed, &h->mutex);
        h->asleep = false;
        given = workload_given(h->w) * h->cut.stride;
    }
    return false;
}

int
hasher_digest(struct digester *d, struct digests *out, struct payload *p,
              const struct hasher_cut *cut, uint64_t object, uint64_t size,
              uint32_t piece)
{
    struct parts parts = {size, size, 1};

    parts_apply(&parts, &cut->rule, size);
    out->hash[0] = out->sum[0] = '\0';
    if (piece >= parts.count)
        return 0;
    return digester_generated(d, out, p, object, parts_offset(&parts, piece),
                              parts_length(&parts, piece));
}

static int
hash(struct hasher *h, uint64_t index, struct digests *out)
{
    const struct workload *w = h->w;
    uint64_t name = index / h->cut.stride;
    int err = workload_name(w, name, &h->name);

    if (err == 0)
        err = hasher_digest(&h->digester, out, h->payload, &h->cut,
                            payload_object(h->name.data, h->name.len),
                            workload_size(w, workload_identity(w, name)),
                            (uint32_t) (index % h->cut.stride));
    return err;
}

/* How much was hashed for body number INDEX, about. */
static uint64_t
body_bytes(const struct hasher *h, uint64_t index)
{
    const struct workload *w = h->w;
    uint64_t name = index / h->cut.stride;

    return workload_size(w, workload_identity(w, name)) / h->cut.stride;
}

static void *
work(void *ctx)
{
    struct hasher *h = ctx;
    uint64_t bytes = 0;

    pthread_mutex_lock(&h->mutex);
    while (h->err == 0 && wait_for_work(h)) {
        uint64_t index = h->next;
        struct slot slot = {.index = index};
        int err;

        pthread_mutex_unlock(&h->mutex);
        err = hash(h, index, &slot.digests);
        pthread_mutex_lock(&h->mutex);
        h->err = err;
        h->slots[index % SLOTS] = slot;
        h->next = index + 1;
        bytes += body_bytes(h, index);
        if (bytes >= READY_BYTES && !h->ready) {
            h->ready = true;
            pthread_cond_broadcast(&h->changed);
        }
    }
    h->ready = h->ending = true;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->mutex);
    return NULL;
}

/* The thread must not be the one to take SIGINT. */
static int
start(struct hasher *h)
{
    sigset_t blocked, before;
    int err;

    sigfillset(&blocked);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    err = pthread_create(&h->thread, NULL, work, h);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    h->running = err == 0;
    return err;
}

int
hasher_open(struct hasher **out, const struct workload *w,
            const struct hasher_cut *cut, const struct payload_style *style,
            uint64_t seed, const atomic_int *stop)
{
    struct hasher *h = calloc(1, sizeof *h);
    int err;

    if (h == NULL)
        return ENOMEM;
    h->w = w;
    h->cut = *cut;
    h->count = w->count < UINT64_MAX / cut->stride ? w->count * cut->stride
                                                   : UINT64_MAX;
    h->stop = stop;
    buf_init(&h->name, WORKLOAD_NAME_ROOM);
    pthread_mutex_init(&h->mutex, NULL);
    pthread_cond_init(&h->changed, NULL);
    h->slots = malloc(SLOTS * sizeof *h->slots);
    err = h->slots == NULL ? ENOMEM : payload_new(&h->payload, style, seed);
    if (err == 0)
        err = digester_init(&h->digester, &cut->wish);
    for (uint64_t i = 0; err == 0 && i < SLOTS; i++)
        h->slots[i].index = UINT64_MAX;
    if (err == 0)
        err = start(h);
    pthread_mutex_lock(&h->mutex);
    while (err == 0 && !h->ready)
        pthread_cond_wait(&h->changed, &h->mutex);
    if (err == 0)
        err = h->err;
    pthread_mutex_unlock(&h->mutex);
    if (err != 0) {
        hasher_close(h);
        return err;
    }
    *out = h;
    return 0;
}

void
hasher_close(struct hasher *h)
{
    if (h == NULL)
        return;
    pthread_mutex_lock(&h->mutex);
    h->ending = true;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->mutex);
    if (h->running)
        pthread_join(h->thread, NULL);
    pthread_cond_destroy(&h->changed);
    pthread_mutex_destroy(&h->mutex);
    payload_free(h->payload);
    digester_clear(&h->digester);
    buf_clear(&h->name);
    free(h->slots);
    free(h);
}

enum hasher_answer
hasher_take(struct hasher *h, uint64_t name, uint32_t piece,
            struct digests *out)
{
    uint64_t index = name * h->cut.stride + piece;
    const struct slot *slot = &h->slots[index % SLOTS];
    enum hasher_answer answer = HASHER_GONE;

    pthread_mutex_lock(&h->mutex);
    if (slot->index == index) {
        *out = slot->digests;
        answer = HASHER_TAKEN;
    } else if (index >= h->next && !h->ending) {
        answer = HASHER_NOT_YET;
    }
    if (h->asleep && h->next < index + WAKE_BELOW)
        pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->mutex);
    return answer;
}
