/* SPDX-License-Identifier: MIT */
/*
 * When operations are due in an open loop: arrivals at a rate, scheduled
 * ahead of time and never moved by how long operations take.
 * A pure function of its inputs: no clock, so tests can go through a day.
 */
#ifndef S3PERF_PACE_H
#define S3PERF_PACE_H

#include <stdbool.h>
#include <stdint.h>

enum pace_arrivals {
    PACE_CONSTANT, /* evenly apart */
    PACE_POISSON /* independent: exponentially distributed gaps */
};

/* A place in the stream of arrivals. */
struct pace_place {
    uint64_t state[4]; /* of the random generator (xoshiro256++) */
    uint64_t number; /* arrivals before this one */
    double at_ns; /* Poisson: due_ns, exactly, since begin_ns */
    int64_t due_ns;
};

/*
 * The arrivals of one of PARTS threads, which together make RATE: constant
 * arrivals are dealt out in turn, Poisson streams add up to one.
 */
struct pace {
    enum pace_arrivals arrivals;
    double rate_per_s; /* of all parts together, above 0 */
    uint32_t part, parts;
    int64_t begin_ns;
    struct pace_place next;
    int64_t due_ns; /* the next arrival */
    struct pace_place ahead; /* how far pace_backlog() has looked: the first */
    int64_t ahead_ns; /* ... after this */
};

/* The first arrival is at BEGIN_NS (constant) or one gap later (Poisson). */
void pace_init(struct pace *p, enum pace_arrivals arrivals, double rate_per_s,
               uint32_t part, uint32_t parts, uint64_t seed, int64_t begin_ns);

/* Take the next arrival: returns when it is due, and moves on. */
int64_t pace_take(struct pace *p);

/*
 * How many arrivals there are from the start until UNTIL_NS, not counting
 * what pace_take() has given, which goes on as if nobody had looked. Costs
 * as much as there are arrivals since the last call's UNTIL_NS.
 */
uint64_t pace_backlog(struct pace *p, int64_t until_ns);

/* Read "constant" or "poisson"; false, *OUT untouched, otherwise. */
bool pace_parse_arrivals(enum pace_arrivals *out, const char *text);

#endif
