/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "pace.h"

#include <math.h>
#include <string.h>

#include "random.h"

/* xoshiro256++ 1.0: Blackman and Vigna, a public domain algorithm; seeded by
 * splitmix64, as its authors advise. */
static uint64_t
rotate(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

static uint64_t
next_random(uint64_t s[4])
{
    uint64_t result = rotate(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

/* Uniform in (0, 1]: never 0, whose logarithm there is none. */
static double
uniform(uint64_t s[4])
{
    return ((double) (next_random(s) >> 11) + 1) / 9007199254740992.0;
}

/* Compute when the arrival after `number` others is due. */
static void
schedule(const struct pace *p, struct pace_place *at)
{
    if (p->arrivals == PACE_CONSTANT) {
        /* From the start each time, so that no rounding adds up. */
        double number = (double) at->number * p->parts + p->part;

        at->due_ns = p->begin_ns + (int64_t) (number * 1e9 / p->rate_per_s);
        return;
    }
    at->at_ns -= log(uniform(at->state)) * 1e9 * p->parts / p->rate_per_s;
    at->due_ns = p->begin_ns + (int64_t) at->at_ns;
}

void
pace_init(struct pace *p, enum pace_arrivals arrivals, double rate_per_s,
          uint32_t part, uint32_t parts, uint64_t seed, int64_t begin_ns)
{
    *p = (struct pace){.arrivals = arrivals,
                       .rate_per_s = rate_per_s,
                       .part = part,
                       .parts = parts,
                       .begin_ns = begin_ns};
    seed += part * UINT64_C(0x632be59bd9b4e019);
    for (int i = 0; i < 4; i++)
        p->next.state[i] = random_next(&seed);
    schedule(p, &p->next);
    p->due_ns = p->next.due_ns;
    p->ahead = p->next;
    p->ahead_ns = begin_ns;
}

int64_t
pace_take(struct pace *p)
{
    int64_t due_ns = p->due_ns;

    p->next.number++;
    schedule(p, &p->next);
    p->due_ns = p->next.due_ns;
    return due_ns;
}

uint64_t
pace_backlog(struct pace *p, int64_t until_ns)
{
    if (p->arrivals == PACE_CONSTANT) {
        double last = (double) (until_ns - p->begin_ns) * p->rate_per_s / 1e9;
        double mine = floor((last - p->part) / p->parts) + 1;

        return mine > (double) p->next.number ? (uint64_t) mine - p->next.number
                                              : 0;
    }
    /* On from where the last call stopped, unless that is of no use. */
    if (p->ahead.number < p->next.number || until_ns < p->ahead_ns)
        p->ahead = p->next;
    p->ahead_ns = until_ns;
    while (p->ahead.due_ns <= until_ns) {
        p->ahead.number++;
        schedule(p, &p->ahead);
    }
    return p->ahead.number - p->next.number;
}

bool
pace_parse_arrivals(enum pace_arrivals *out, const char *text)
{
    if (strcmp(text, "constant") == 0)
        *out = PACE_CONSTANT;
    else if (strcmp(text, "poisson") == 0)
        *out = PACE_POISSON;
    else
        return false;
    return true;
}
