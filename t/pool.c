/* SPDX-License-Identifier: MIT */
/* The pool does what a naive model does, step by step, and keeps its word to
 * several threads. */
#include "config.h"

#include "pool.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "chi-square.h"
#include "random.h"
#include "tap.h"

#define MODEL_MAX 100000
#define STEPS 200000
#define FLIGHT_MAX 64

/* --- a naive model --- */

struct model {
    enum { GONE, WRITTEN, THERE, DELETED } state[MODEL_MAX];
    unsigned readers[MODEL_MAX];
    uint64_t freed[MODEL_MAX]; /* when; 0: never was used */
    uint64_t clock;
    uint32_t count;
};

static bool
is_read(enum mix_kind kind)
{
    return kind == MIX_GET || kind == MIX_GET_RANGE || kind == MIX_HEAD ||
           kind == MIX_CP;
}

/* The number that a put must take: the one free for longest, or a new one. */
static uint32_t
oldest_free(const struct model *m)
{
    uint32_t oldest = m->count;

    for (uint32_t i = 0; i < m->count; i++)
        if (m->state[i] == GONE &&
            (oldest == m->count || m->freed[i] < m->freed[oldest]))
            oldest = i;
    return oldest;
}

/* Whether the model allows ITEM; it is done there. */
static bool
model_begin(struct model *m, const struct pool_item *item)
{
    uint32_t i = item->object;

    if (item->kind == MIX_LS)
        return i == POOL_NO_OBJECT;
    if (i >= m->count + (item->kind == MIX_PUT) || i >= MODEL_MAX)
        return false;
    if (is_read(item->kind)) {
        m->readers[i]++;
        return m->state[i] == THERE;
    }
    if (item->kind == MIX_RM) {
        bool may = m->state[i] == THERE && m->readers[i] == 0;

        m->state[i] = DELETED;
        return may;
    }
    if (i != oldest_free(m))
        return false;
    m->count += i == m->count;
    m->state[i] = WRITTEN;
    return true;
}

static void
model_end(struct model *m, const struct pool_item *item,
          enum pool_outcome outcome)
{
    uint32_t i = item->object;
    bool there;

    if (item->kind == MIX_LS)
        return;
    if (is_read(item->kind)) {
        m->readers[i]--;
        return;
    }
    there =
        item->kind == MIX_PUT ? outcome == POOL_DONE : outcome == POOL_REFUSED;
    m->state[i] = there ? THERE : GONE;
    m->freed[i] = ++m->clock;
}

/* Whether the pool's books are the model's. */
static bool
books_agree(const struct pool *p, const struct model *m)
{
    uint32_t there = 0, idle = 0;

    for (uint32_t i = 0; i < m->count; i++) {
        there += m->state[i] == THERE;
        idle += m->state[i] == THERE && m->readers[i] == 0;
    }
    for (uint32_t i = 0; i < p->there_count; i++) {
        uint32_t object = p->there[i];

        if (m->state[object] != THERE || p->objects[object].place != i ||
            (m->readers[object] == 0) != (i < p->idle_count))
            return false;
    }
    return p->count == m->count && p->there_count == there &&
           p->idle_count == idle;
}

/* A random walk; FAIL: percent of operations that fail, one way or the
 * other. */
static void
walk(const char *mix, uint32_t objects, uint64_t fail, uint64_t seed)
{
    static struct model m;
    struct pool_item flight[FLIGHT_MAX];
    size_t flying = 0;
    uint64_t state = seed, begun = 0;
    int64_t dealt[MIX_KINDS] = {0};
    bool good = true, even = true;
    struct pool p;
    struct mix x;

    if (mix_parse(&x, mix) != NULL ||
        pool_init(&p, &x, objects, 0, 0, seed) != 0)
        abort();
    m = (struct model){.count = objects};
    for (uint32_t i = 0; i < objects; i++)
        m.state[i] = THERE;
    for (int step = 0; good && step < STEPS && m.count < 2000; step++) {
        if (flying < FLIGHT_MAX && random_below(&state, 2) == 0) {
            struct pool_item *item = &flight[flying];

            if (pool_begin(&p, item)) {
                good = model_begin(&m, item);
                dealt[item->kind]++;
                begun++;
                flying++;
            }
        } else if (flying > 0) {
            size_t i = (size_t) random_below(&state, flying);
            enum pool_outcome outcome =
                random_below(&state, 100) >= fail
                    ? POOL_DONE
                    : (enum pool_outcome)(1 + random_below(&state, 2));

            model_end(&m, &flight[i], outcome);
            pool_end(&p, &flight[i], outcome);
            flight[i] = flight[--flying];
        }
        if (step % 64 == 0)
            good &= books_agree(&p, &m);
    }
    for (int kind = 0; kind < MIX_KINDS; kind++) {
        double off = (double) dealt[kind] -
                     (double) begun * mix_share(&x, (enum mix_kind) kind);

        even &= fabs(off + pool_owes(&p, (enum mix_kind) kind)) < 1e-6;
    }
    ok(good, "%s, %d objects, %d%% fail: as the model (%d operations)", mix,
       (int) objects, (int) fail, (int) begun);
    ok(even, "what is owed is what is missing");
    ok(begun > 500, "it was a walk");
    pool_clear(&p);
}

static void
test_model(void)
{
    walk("get=45,head=30,put=15,rm=10,ls=2,cp=3,get-range=5", 100, 10, 1);
    walk("get=45,put=25,rm=25", 3, 30, 2);
    walk("put=50,rm=50", 0, 0, 3);
    walk("get=1,put=1,rm=1", 1, 90, 4);
    walk("head=1,cp=1", 2, 50, 5);
    walk("get=90,put=5,rm=5", 500, 1, 6);
}

/* --- what a naive model does not say --- */

static void
test_fair(void)
{
    struct pool_item item;
    uint64_t counts[50] = {0};
    double worst = 0;
    struct pool p;
    struct mix x;

    mix_parse(&x, "get=45,head=30,put=15,rm=10");
    pool_init(&p, &x, 50, 0, 0, 1);
    for (int i = 0; i < 100000; i++) {
        pool_begin(&p, &item);
        if (is_read(item.kind) && item.object < 50)
            counts[item.object]++;
        pool_end(&p, &item,
                 item.kind == MIX_PUT || item.kind == MIX_RM ? POOL_REFUSED
                                                             : POOL_DONE);
    }
    for (int kind = 0; kind < MIX_KINDS; kind++)
        worst = fmax(worst, fabs(pool_owes(&p, (enum mix_kind) kind)));
    ok(worst < 1, "with everything possible, shares are exact");
    ok(chi_square_fits(counts, NULL, 50), "each object is as likely");
    pool_clear(&p);
}

/* All but puts end when nothing is there; then puts go on alone, and the
 * others catch up. */
static void
test_dry(void)
{
    struct pool_item item, one;
    int64_t puts = 0;
    struct pool p;
    struct mix x;

    mix_parse(&x, "get=90,rm=10");
    pool_init(&p, &x, 1, 0, 0, 1);
    for (int i = 0; i < 1000; i++) {
        if (!pool_begin(&p, &item))
            break;
        pool_end(&p, &item, POOL_DONE);
    }
    ok(item.kind == MIX_NONE && !pool_begin(&p, &item),
       "nothing there, nothing put: the end");
    pool_clear(&p);
    mix_parse(&x, "get=90,put=10");
    pool_init(&p, &x, 0, 0, 0, 1);
    pool_begin(&p, &one);
    pool_begin(&p, &item);
    ok(one.kind == MIX_PUT && item.kind == MIX_PUT && one.object == 0 &&
           item.object == 1,
       "nothing there: puts only");
    pool_end(&p, &one, POOL_DONE);
    pool_end(&p, &item, POOL_UNCLEAR);
    for (int i = 2; i < 1000; i++) {
        pool_begin(&p, &item);
        puts += item.kind == MIX_PUT;
        if (i == 2)
            ok(item.kind == MIX_GET && item.object == 0,
               "what failed is not read");
        pool_end(&p, &item, POOL_DONE);
    }
    is_int(puts + 2, 100, "in the end puts have their share");
    pool_clear(&p);
}

static void
test_busy(void)
{
    struct pool_item items[40];
    unsigned removals = 0;
    struct pool p;
    struct mix x;

    mix_parse(&x, "get=1,rm=1");
    pool_init(&p, &x, 1, 0, 0, 1);
    pool_begin(&p, &items[0]);
    for (int i = 1; i < 40; i++) {
        pool_begin(&p, &items[i]);
        removals += items[i].kind == MIX_RM;
    }
    ok(items[0].kind == MIX_GET && removals == 0,
       "an object that is read is not deleted");
    ok(pool_owes(&p, MIX_RM) == 20, "the removals are owed");
    for (int i = 0; i < 40; i++)
        pool_end(&p, &items[i], POOL_DONE);
    pool_begin(&p, &items[0]);
    ok(items[0].kind == MIX_RM, "and come as soon as they can");
    ok(!pool_begin(&p, &items[1]), "what is being deleted is not read");
    pool_end(&p, &items[0], POOL_REFUSED);
    ok(pool_begin(&p, &items[1]) && items[1].object == 0,
       "a refusal gives it back");
    ok(!pool_was_copied(&p, 0), "nobody has copied it");
    pool_clear(&p);
}

/* --- threads --- */

#define THREADS 4
#define THREAD_STEPS 100000

struct shared {
    struct pool pool;
    /* of each object: readers, or -1 for one who wants it alone */
    atomic_int holders[POOL_OBJECTS_MAX / 100000];
    atomic_uint broken;
    atomic_int dealt[MIX_KINDS];
};

static void
hold(struct shared *s, const struct pool_item *item, bool begins)
{
    atomic_int *holder = &s->holders[item->object];
    int change = is_read(item->kind) ? 1 : -1, before;

    before = atomic_fetch_add(holder, begins ? change : -change);
    if (begins && (is_read(item->kind) ? before < 0 : before != 0))
        atomic_fetch_add(&s->broken, 1);
}

static void *
work(void *arg)
{
    struct shared *s = arg;
    uint64_t state = (uint64_t) pthread_self();
    struct pool_item items[8];
    size_t held = 0;

    for (int i = 0; i < THREAD_STEPS; i++) {
        if (held < 8 && pool_begin(&s->pool, &items[held])) {
            atomic_fetch_add(&s->dealt[items[held].kind], 1);
            hold(s, &items[held++], true);
        }
        if (held == 8 || random_below(&state, 2) == 0) {
            hold(s, &items[--held], false);
            pool_end(&s->pool, &items[held],
                     random_below(&state, 10) > 0 ? POOL_DONE : POOL_REFUSED);
        }
    }
    while (held > 0) {
        hold(s, &items[--held], false);
        pool_end(&s->pool, &items[held], POOL_DONE);
    }
    return NULL;
}

static void
test_threads(void)
{
    struct shared *s = calloc(1, sizeof *s);
    pthread_t threads[THREADS];
    double total = 0, worst = 0;
    struct mix x;

    mix_parse(&x, "get=45,head=30,put=15,rm=10");
    if (s == NULL || pool_init(&s->pool, &x, 100, 0, 0, 1) != 0)
        abort();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, s);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int kind = 0; kind < MIX_KINDS; kind++)
        total += s->dealt[kind];
    for (int kind = 0; kind < MIX_KINDS; kind++)
        worst = fmax(worst, fabs(s->dealt[kind] -
                                 total * mix_share(&x, (enum mix_kind) kind)));
    is_int((int64_t) s->broken, 0, "no object is shared that must not be");
    ok(total > THREADS * THREAD_STEPS / 4 && worst < 1,
       "%g operations have exact shares", total);
    is_int(s->pool.there_count, s->pool.idle_count, "in the end all are idle");
    pool_clear(&s->pool);
    free(s);
}

int
main(void)
{
    test_model();
    test_fair();
    test_dry();
    test_busy();
    test_threads();
    return done_testing();
}
