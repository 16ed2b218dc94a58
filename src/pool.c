/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

#define USE_POOL 0x9001 /* random numbers for pools */

/* pool_object.use: a state, a mark, and how many read it. */
#define FREE UINT32_C(0) /* not there, as far as is known */
#define WRITTEN UINT32_C(1) /* is being put */
#define THERE UINT32_C(2)
#define DELETED UINT32_C(3) /* is being deleted */
#define STATE UINT32_C(3)
#define COPIED UINT32_C(4)
#define READER UINT32_C(8) /* one of them */

static void
set_state(struct pool *p, uint32_t object, uint32_t state)
{
    struct pool_object *o = &p->objects[object];

    o->use = (o->use & COPIED) | state;
}

/* --- those that are there --- */

static void
swap(struct pool *p, uint32_t a, uint32_t b)
{
    uint32_t first = p->there[a], second = p->there[b];

    p->there[a] = second;
    p->there[b] = first;
    p->objects[first].place = b;
    p->objects[second].place = a;
}

/* The one at PLACE, which is idle, no longer is. */
static void
make_busy(struct pool *p, uint32_t place)
{
    swap(p, place, --p->idle_count);
}

static void
make_idle(struct pool *p, uint32_t place)
{
    swap(p, place, p->idle_count++);
}

/* OBJECT is there from now on. */
static void
enter(struct pool *p, uint32_t object)
{
    set_state(p, object, THERE);
    p->there[p->there_count] = object;
    p->objects[object].place = p->there_count++;
    make_idle(p, p->objects[object].place);
}

static uint32_t
begin_read(struct pool *p)
{
    uint32_t place = (uint32_t) random_below(&p->random, p->there_count);
    uint32_t object = p->there[place];

    if (p->objects[object].use < READER)
        make_busy(p, place);
    p->objects[object].use += READER;
    return object;
}

static void
end_read(struct pool *p, uint32_t object)
{
    p->objects[object].use -= READER;
    if (p->objects[object].use < READER)
        make_idle(p, p->objects[object].place);
}

static uint32_t
begin_removal(struct pool *p)
{
    uint32_t place = (uint32_t) random_below(&p->random, p->idle_count);
    uint32_t object = p->there[place];

    make_busy(p, place);
    swap(p, p->objects[object].place, --p->there_count);
    set_state(p, object, DELETED);
    return object;
}

/* --- free numbers --- */

static void
release(struct pool *p, uint32_t object)
{
    set_state(p, object, FREE);
    p->objects[object].place = POOL_NO_OBJECT;
    if (p->first_free == POOL_NO_OBJECT)
        p->first_free = object;
    else
        p->objects[p->last_free].place = object;
    p->last_free = object;
}

/* Make room for more numbers; false if there is none. */
static bool
grow(struct pool *p, uint32_t room)
{
    void *more;

    more = realloc(p->objects, (size_t) room * sizeof *p->objects);
    if (more == NULL)
        return false;
    p->objects = more;
    more = realloc(p->there, (size_t) room * sizeof *p->there);
    if (more == NULL)
        return false;
    p->there = more;
    p->room = room;
    return true;
}

static bool
can_put(struct pool *p)
{
    uint32_t room =
        p->room < POOL_OBJECTS_MAX / 2 ? p->room * 2 + 1024 : POOL_OBJECTS_MAX;

    return p->first_free != POOL_NO_OBJECT || p->count < p->room ||
           (p->count < POOL_OBJECTS_MAX && grow(p, room));
}

/* After can_put(). */
static uint32_t
begin_put(struct pool *p)
{
    uint32_t object = p->first_free;

    if (object != POOL_NO_OBJECT) {
        p->first_free = p->objects[object].place;
    } else {
        object = p->count++;
        p->objects[object].use = 0;
    }
    set_state(p, object, WRITTEN);
    return object;
}

/* --- the whole --- */

int
pool_init(struct pool *p, const struct mix *mix, uint32_t count, uint32_t room,
          uint64_t first, uint64_t seed)
{
    *p = (struct pool){.mix = *mix,
                       .random = random_fork(seed, USE_POOL) + first,
                       .first_free = POOL_NO_OBJECT,
                       .last_free = POOL_NO_OBJECT};
    pthread_mutex_init(&p->lock, NULL);
    mix_begin(&p->dealer, mix, first);
    if (!grow(p, room > count ? room : count + 1)) {
        pool_clear(p);
        return ENOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        p->objects[i].use = 0;
        enter(p, i);
    }
    p->count = count;
    return 0;
}

void
pool_clear(struct pool *p)
{
    free(p->objects);
    free(p->there);
    p->objects = NULL;
    p->there = NULL;
    pthread_mutex_destroy(&p->lock);
}

static unsigned
possible_kinds(struct pool *p)
{
    unsigned possible = 1u << MIX_LS;

    if (p->there_count > 0)
        possible |=
            1u << MIX_GET | 1u << MIX_GET_RANGE | 1u << MIX_HEAD | 1u << MIX_CP;
    if (p->idle_count > 0)
        possible |= 1u << MIX_RM;
    if (p->mix.weights[MIX_PUT] > 0 && can_put(p))
        possible |= 1u << MIX_PUT;
    return possible;
}

bool
pool_begin(struct pool *p, struct pool_item *item)
{
    uint32_t object = POOL_NO_OBJECT;
    enum mix_kind kind;

    pthread_mutex_lock(&p->lock);
    kind = mix_deal(&p->dealer, &p->mix, possible_kinds(p));
    switch (kind) {
    case MIX_GET:
    case MIX_GET_RANGE:
    case MIX_HEAD:
    case MIX_CP:
        object = begin_read(p);
        if (kind == MIX_CP)
            p->objects[object].use |= COPIED;
        break;
    case MIX_PUT:
        object = begin_put(p);
        break;
    case MIX_RM:
        object = begin_removal(p);
        break;
    default:
        break;
    }
    pthread_mutex_unlock(&p->lock);
    *item = (struct pool_item){kind, object};
    return kind != MIX_NONE;
}

void
pool_end(struct pool *p, const struct pool_item *item,
         enum pool_outcome outcome)
{
    uint32_t object = item->object;

    pthread_mutex_lock(&p->lock);
    switch (item->kind) {
    case MIX_GET:
    case MIX_GET_RANGE:
    case MIX_HEAD:
    case MIX_CP:
        end_read(p, object);
        break;
    case MIX_PUT:
        if (outcome == POOL_DONE)
            enter(p, object);
        else
            release(p, object);
        break;
    case MIX_RM:
        if (outcome == POOL_REFUSED)
            enter(p, object);
        else
            release(p, object);
        break;
    default:
        break;
    }
    pthread_mutex_unlock(&p->lock);
}

double
pool_owes(struct pool *p, enum mix_kind kind)
{
    double owed;

    pthread_mutex_lock(&p->lock);
    owed = (double) p->dealer.owed[kind] / (double) mix_sum(&p->mix);
    pthread_mutex_unlock(&p->lock);
    return owed;
}

uint32_t
pool_count(struct pool *p)
{
    uint32_t count;

    pthread_mutex_lock(&p->lock);
    count = p->count;
    pthread_mutex_unlock(&p->lock);
    return count;
}

bool
pool_was_copied(const struct pool *p, uint32_t object)
{
    return (p->objects[object].use & COPIED) != 0;
}
