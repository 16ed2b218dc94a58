/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "pace.h"

#include <math.h>
#include <string.h>

/* xoshiro256++ 1.0 and splitmix64: Blackman and Vigna, public domain
 * algorithms; seeded as their authors advise. */
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

static void
seed_random(uint64_t s[4], uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        s[i] = z ^ z >> 31;
    }
}

/* Uniform in (0, 1]: never 0, whose logarithm there is none. */
static double
uniform(uint64_t s[4])
{
    return ((double) (next_random(s) >> 11) + 1) / 9007199254740992.0;
}

/* Compute when the arrival after `taken` others is due. */
static void
schedule(struct pace *p)
{
    if (p->arrivals == PACE_CONSTANT) {
        /* From the start each time, so that no rounding adds up. */
        double number = (double) p->taken * p->parts + p->part;

        p->due_ns = p->begin_ns + (int64_t) (number * 1e9 / p->rate_per_s);
        return;
    }
    p->at_ns -= log(uniform(p->state)) * 1e9 * p->parts / p->rate_per_s;
    p->due_ns = p->begin_ns + (int64_t) p->at_ns;
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
    seed_random(p->state, seed + part * UINT64_C(0x632be59bd9b4e019));
    schedule(p);
}

int64_t
pace_take(struct pace *p)
{
    int64_t due_ns = p->due_ns;

    p->taken++;
    schedule(p);
    return due_ns;
}

uint64_t
pace_backlog(const struct pace *p, int64_t until_ns)
{
    struct pace ahead = *p;
    uint64_t n = 0;

    if (p->arrivals == PACE_CONSTANT) {
        double last = (double) (until_ns - p->begin_ns) * p->rate_per_s / 1e9;
        double mine = floor((last - p->part) / p->parts) + 1;

        return mine > (double) p->taken ? (uint64_t) mine - p->taken : 0;
    }
    while (ahead.due_ns <= until_ns) {
        pace_take(&ahead);
        n++;
    }
    return n;
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
