/* SPDX-License-Identifier: MIT */
/* Which endpoint is next. */
#include "config.h"

#include "endpoints.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_LINE 64

/* In a line of its own, or threads would wait for each other's counts. */
struct endpoints_busy {
    alignas(CACHE_LINE) _Atomic uint32_t in_flight;
};

static const char *const names[] = {
    [ENDPOINTS_ROUND_ROBIN] = "roundrobin",
    [ENDPOINTS_LEAST_BUSY] = "least-busy",
    [ENDPOINTS_PER_LANE] = "per-lane",
};

bool
endpoints_parse_way(enum endpoints_way *out, const char *text)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            *out = (enum endpoints_way) i;
            return true;
        }
    return false;
}

const char *
endpoints_way_name(enum endpoints_way way)
{
    return names[way];
}

int
endpoints_choice_init(struct endpoints_choice *c, enum endpoints_way way,
                      uint32_t count, uint64_t first)
{
    *c = (struct endpoints_choice){.way = way, .count = count, .turn = first};
    c->busy = aligned_alloc(CACHE_LINE, count * sizeof *c->busy);
    if (c->busy == NULL)
        return ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        atomic_init(&c->busy[i].in_flight, 0);
    return 0;
}

void
endpoints_choice_clear(struct endpoints_choice *c)
{
    free(c->busy);
    c->busy = NULL;
}

static uint32_t
take_turn(struct endpoints_choice *c)
{
    return (uint32_t) (atomic_fetch_add_explicit(&c->turn, 1,
                                                 memory_order_relaxed) %
                       c->count);
}

/* The first from START on that has the fewest; *FEWEST of them. */
static uint32_t
find_least_busy(struct endpoints_choice *c, uint32_t start, uint32_t *fewest)
{
    uint32_t best = start;

    *fewest = UINT32_MAX;
    for (uint32_t i = 0; i<c->count && * fewest> 0; i++) {
        uint32_t at = start + i < c->count ? start + i : start + i - c->count;
        uint32_t busy =
            atomic_load_explicit(&c->busy[at].in_flight, memory_order_relaxed);

        if (busy < *fewest) {
            *fewest = busy;
            best = at;
        }
    }
    return best;
}

/* Another thread may have been given the same one meanwhile: look again
 * then, or both would pile up on it. */
static uint32_t
take_least_busy(struct endpoints_choice *c)
{
    uint32_t start = take_turn(c), busy, best;

    do
        best = find_least_busy(c, start, &busy);
    while (!atomic_compare_exchange_weak_explicit(
        &c->busy[best].in_flight, &busy, busy + 1, memory_order_relaxed,
        memory_order_relaxed));
    return best;
}

uint32_t
endpoints_take(struct endpoints_choice *c, uint64_t lane)
{
    switch (c->way) {
    case ENDPOINTS_LEAST_BUSY:
        return take_least_busy(c);
    case ENDPOINTS_PER_LANE:
        return (uint32_t) (lane % c->count);
    case ENDPOINTS_ROUND_ROBIN:
        break;
    }
    return take_turn(c);
}

void
endpoints_give_back(struct endpoints_choice *c, uint32_t number)
{
    if (c->way == ENDPOINTS_LEAST_BUSY)
        atomic_fetch_sub_explicit(&c->busy[number].in_flight, 1,
                                  memory_order_relaxed);
}
