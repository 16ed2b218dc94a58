/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "sweep.h"

#include <errno.h>
#include <stdlib.h>

#include "clock.h"
#include "random.h"

#define OPS_PER_LANE 20
#define OPS_LEAST 1000
/* What is expected when nobody says more: a gigabit a second. */
#define LINE_BYTES_PER_S 125000000
/* What a phase takes besides: a process, a connection for each lane. */
#define PHASE_NS (20 * CLOCK_NS_PER_MS)
/* A key in the answer of a listing: its name, date, tag, size, class. */
#define LISTED_KEY_BYTES 400
/* What is in flight at the end of a phase has so long. */
#define DRAIN_NS (2 * CLOCK_NS_PER_S)

const char *const sweep_skip_names[SWEEP_SKIPS] = {
    [SWEEP_RUNS] = "-",
    [SWEEP_OVER_ALIVE] = "max-alive",
    [SWEEP_OVER_BYTES] = "max-bytes",
    [SWEEP_OVER_REQUESTS] = "max-requests",
    [SWEEP_OVER_TIME] = "max-time",
};

/* --- volumes --- */

static void
add(uint64_t *sum, uint64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = UINT64_MAX;
}

static void
add_ns(int64_t *sum, int64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = INT64_MAX;
}

static uint64_t
times(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t
sweep_requests(const struct sweep_volume *v)
{
    uint64_t sum = v->puts;

    add(&sum, v->lists);
    add(&sum, v->gets);
    add(&sum, v->deletes);
    return sum;
}

uint64_t
sweep_bytes(const struct sweep_volume *v)
{
    uint64_t sum = v->up_bytes;

    add(&sum, v->down_bytes);
    return sum;
}

double
sweep_money(const struct sweep_volume *v, const struct prices *p)
{
    const double gib = 1 << 30;

    return ((double) v->puts * p->put_1000 + (double) v->lists * p->list_1000 +
            (double) v->gets * p->get_1000 +
            (double) v->deletes * p->delete_1000) /
               1000 +
           (double) v->up_bytes / gib * p->up_gib +
           (double) v->down_bytes / gib * p->down_gib;
}

/* Everything but what is alive, which is no sum. */
static void
add_volume(struct sweep_volume *sum, const struct sweep_volume *v)
{
    add(&sum->up_bytes, v->up_bytes);
    add(&sum->down_bytes, v->down_bytes);
    add(&sum->puts, v->puts);
    add(&sum->lists, v->lists);
    add(&sum->gets, v->gets);
    add(&sum->deletes, v->deletes);
    add_ns(&sum->most_ns, v->most_ns);
    add_ns(&sum->likely_ns, v->likely_ns);
}

/* How long OPS operations of SIZE bytes take on so many lanes, by what is
 * known of the way. */
static double
expected_ns(const struct sweep *s, uint64_t ops, uint64_t size, uint64_t lanes)
{
    double line = s->line_bytes_per_s > 0 ? (double) s->line_bytes_per_s
                                          : (double) LINE_BYTES_PER_S;
    double latency =
        s->latency_ns > 0 ? (double) s->latency_ns : (double) CLOCK_NS_PER_MS;
    double in_turn = (double) ops * latency / (double) lanes;
    double through = (double) ops * (double) size / line * 1e9;

    return in_turn > through ? in_turn : through;
}

/* A phase that is measured, or (TIMED false) work beside it, which nothing
 * cuts short. */
static void
add_time(struct sweep_volume *v, const struct sweep *s, double ns, bool timed)
{
    double most = timed ? (double) s->cell_ns : ns;
    double likely = ns < most ? ns : most;

    if (timed)
        most += DRAIN_NS;
    add_ns(&v->most_ns, (int64_t) most + PHASE_NS);
    add_ns(&v->likely_ns, (int64_t) likely + PHASE_NS);
}

/* Answers that one listing of so many keys takes. */
static uint64_t
pages_of(uint64_t keys)
{
    return keys / SWEEP_PAGE + (keys % SWEEP_PAGE > 0);
}

/* Each listing's answers have all keys in them. */
static void
add_lists(struct sweep_volume *v, uint64_t listings, uint64_t keys)
{
    add(&v->lists, times(listings, pages_of(keys)));
    add(&v->down_bytes, times(listings, times(keys, LISTED_KEY_BYTES)));
}

static void
add_listing(struct sweep_volume *v, const struct sweep *s,
            const struct sweep_cell *c)
{
    uint64_t pages = pages_of(c->ops), listings = c->ops / pages;

    if (listings < c->lanes)
        listings = c->lanes;
    add_lists(v, listings, c->ops);
    add_time(v, s, expected_ns(s, times(listings, pages), 0, c->lanes), true);
}

static void
add_bucket_phases(struct sweep_volume *v, const struct sweep *s,
                  const struct sweep_cell *c)
{
    double ns = expected_ns(s, c->ops, 0, 1);

    add(&v->gets, c->ops); /* HEAD: the names must be free */
    add(&v->puts, c->ops);
    add(&v->deletes, c->ops);
    add_time(v, s, ns, (c->phases & SWEEP_BIT(SWEEP_CREATE)) != 0);
    add_time(v, s, ns, (c->phases & SWEEP_BIT(SWEEP_REMOVE)) != 0);
}

/* The objects of a cell are made and taken away in any case, whether or not
 * that is measured. */
static void
add_object_phases(struct sweep_volume *v, const struct sweep *s,
                  const struct sweep_cell *c)
{
    uint64_t bytes = times(c->ops, c->size);
    double small = expected_ns(s, c->ops, 0, c->lanes);
    double large = expected_ns(s, c->ops, c->size, c->lanes);

    v->alive_bytes = bytes;
    if (c->first) {
        add(&v->puts, c->ops);
        add(&v->up_bytes, bytes);
        add_time(v, s, large, (c->phases & SWEEP_BIT(SWEEP_UPLOAD)) != 0);
    }
    if ((c->phases & SWEEP_READS) != 0) {
        add_lists(v, 1, c->ops); /* what is there? */
        add_ns(&v->most_ns, s->settle_ns);
        add_ns(&v->likely_ns, s->settle_ns);
    }
    if ((c->phases & SWEEP_BIT(SWEEP_LIST)) != 0)
        add_listing(v, s, c);
    if ((c->phases & SWEEP_BIT(SWEEP_HEAD)) != 0) {
        add(&v->gets, c->ops);
        add_time(v, s, small, true);
    }
    if ((c->phases & SWEEP_BIT(SWEEP_RANGE)) != 0) {
        uint64_t part = c->size < s->range ? c->size : s->range;

        add(&v->gets, c->ops);
        add(&v->down_bytes, times(c->ops, part));
        add_time(v, s, expected_ns(s, c->ops, part, c->lanes), true);
    }
    if ((c->phases & SWEEP_BIT(SWEEP_DOWNLOAD)) != 0) {
        add(&v->gets, c->ops);
        add(&v->down_bytes, bytes);
        add_time(v, s, large, true);
    }
    if (c->last) {
        add(&v->deletes, c->ops);
        add_time(v, s, small, (c->phases & SWEEP_BIT(SWEEP_ERASE)) != 0);
    }
}

static struct sweep_volume
volume_of(const struct sweep *s, const struct sweep_cell *c)
{
    struct sweep_volume v = {0};

    if ((c->phases & SWEEP_BUCKETS) != 0)
        add_bucket_phases(&v, s, c);
    else
        add_object_phases(&v, s, c);
    return v;
}

/* Never fewer than one a lane, whatever that makes in bytes. */
static uint64_t
ops_of(const struct sweep *s, uint64_t size, uint64_t lanes)
{
    uint64_t ops = s->cell_ops;

    if (ops == 0)
        ops =
            lanes > OPS_LEAST / OPS_PER_LANE ? lanes * OPS_PER_LANE : OPS_LEAST;
    if (size > 0 && s->cell_bytes > 0 && ops > s->cell_bytes / size)
        ops = s->cell_bytes / size;
    return ops > lanes ? ops : lanes;
}

/* Whether a cell by itself, STORED bytes being there already, is too much. */
static enum sweep_skip
judge(const struct sweep_limits *l, const struct sweep_volume *v,
      uint64_t stored)
{
    uint64_t alive = stored;

    add(&alive, v->alive_bytes);
    if (l->alive > 0 && alive > l->alive)
        return SWEEP_OVER_ALIVE;
    if (l->bytes > 0 && sweep_bytes(v) > l->bytes)
        return SWEEP_OVER_BYTES;
    if (l->requests > 0 && sweep_requests(v) > l->requests)
        return SWEEP_OVER_REQUESTS;
    if (l->time_ns > 0 && v->most_ns > l->time_ns)
        return SWEEP_OVER_TIME;
    return SWEEP_RUNS;
}

/* --- the order --- */

struct maker {
    const struct sweep *s;
    struct sweep_plan *plan;
    uint64_t random;
    size_t places; /* of the matrix, and one for buckets */
    bool buckets;
    uint32_t passes; /* of a repeat */
    size_t *places_order, *targets_order;
    uint64_t *stored; /* bytes, of each target, that stay for a later pass */
    enum sweep_skip *skips; /* of this repeat's groups */
};

static void
put_in_order(struct maker *m, size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1 && !m->s->ordered; i--) {
        __extension__ unsigned __int128 wide = random_next(&m->random);
        size_t j = (size_t) (wide * i >> 64), swapped = order[j];

        order[j] = order[i - 1];
        order[i - 1] = swapped;
    }
}

/* What cell PLACE of the matrix is on TARGET, in all its passes. */
static struct sweep_cell
describe(const struct maker *m, size_t place, uint32_t target, uint32_t repeat)
{
    const struct sweep *s = m->s;
    struct sweep_cell c = {
        .group =
            (uint32_t) (((repeat - 1) * m->places + place) * s->target_count +
                        target + 1),
        .target = target,
        .repeat = repeat,
        .lanes = 1,
        .phases = s->phases & SWEEP_BUCKETS,
        .first = true,
        .last = true,
        .ops = s->bucket_ops,
    };

    if (m->buckets && place == m->places - 1)
        return c;
    c.size = s->sizes.values[place / s->lanes.count];
    c.lanes = s->lanes.values[place % s->lanes.count];
    c.phases = s->phases & SWEEP_OBJECTS;
    c.ops = ops_of(s, c.size, c.lanes);
    return c;
}

/* Add what pass PASS does of C. */
static void
add_pass(struct maker *m, struct sweep_cell c, size_t place, uint32_t pass)
{
    size_t at = place * m->s->target_count + c.target;
    struct sweep_plan *plan = m->plan;

    if (pass == 0) {
        struct sweep_volume all = volume_of(m->s, &c);

        m->skips[at] = judge(&m->s->limits, &all, m->stored[c.target]);
        plan->skipped[m->skips[at]]++;
    }
    c.skip = m->skips[at];
    if (m->passes > 1 && (c.phases & SWEEP_BUCKETS) == 0) {
        c.first = pass == 0;
        c.last = !c.first;
        c.phases &=
            c.first ? SWEEP_BIT(SWEEP_UPLOAD) : ~SWEEP_BIT(SWEEP_UPLOAD);
    } else if (pass > 0) {
        return;
    }
    c.volume = volume_of(m->s, &c);
    if (c.skip == SWEEP_RUNS) {
        add_volume(&plan->total, &c.volume);
        if (c.first)
            add(&m->stored[c.target], c.volume.alive_bytes);
        if (m->stored[c.target] > plan->total.alive_bytes)
            plan->total.alive_bytes = m->stored[c.target];
        if (c.last)
            m->stored[c.target] -= c.volume.alive_bytes;
    }
    plan->cells[plan->count++] = c;
}

static void
add_repeat(struct maker *m, uint32_t repeat)
{
    const struct sweep *s = m->s;

    for (uint32_t pass = 0; pass < m->passes; pass++) {
        put_in_order(m, m->places_order, m->places);
        for (size_t i = 0; i < m->places; i++) {
            put_in_order(m, m->targets_order, s->target_count);
            for (uint32_t t = 0; t < s->target_count; t++) {
                size_t place = m->places_order[i];
                uint32_t target = (uint32_t) m->targets_order[t];

                add_pass(m, describe(m, place, target, repeat), place, pass);
            }
        }
    }
}

static int
make_all(struct maker *m)
{
    const struct sweep *s = m->s;

    m->places_order = calloc(m->places, sizeof *m->places_order);
    m->targets_order = calloc(s->target_count, sizeof *m->targets_order);
    m->stored = calloc(s->target_count, sizeof *m->stored);
    m->skips = calloc(m->places * s->target_count, sizeof *m->skips);
    if (m->places_order == NULL || m->targets_order == NULL ||
        m->stored == NULL || m->skips == NULL)
        return ENOMEM;
    for (uint32_t repeat = 1; repeat <= s->repeats; repeat++)
        add_repeat(m, repeat);
    return 0;
}

int
sweep_plan_make(struct sweep_plan *plan, const struct sweep *s)
{
    struct maker m = {.s = s, .plan = plan, .random = s->seed};
    uint64_t count;
    int err = ENOMEM;

    *plan = (struct sweep_plan){0};
    m.buckets = (s->phases & SWEEP_BUCKETS) != 0 && s->bucket_ops > 0;
    m.passes = s->cold && (s->phases & SWEEP_READS) != 0 ? 2 : 1;
    if ((s->phases & SWEEP_OBJECTS) != 0)
        m.places = s->sizes.count * s->lanes.count;
    m.places += m.buckets;
    count =
        times(times(m.places, s->target_count), times(s->repeats, m.passes));
    if (count > SWEEP_CELLS_MAX)
        return E2BIG;
    if (count == 0)
        return 0;
    plan->cells = calloc(count, sizeof *plan->cells);
    if (plan->cells != NULL)
        err = make_all(&m);
    free(m.places_order);
    free(m.targets_order);
    free(m.stored);
    free(m.skips);
    return err;
}

void
sweep_plan_clear(struct sweep_plan *plan)
{
    free(plan->cells);
    *plan = (struct sweep_plan){0};
}
