/* SPDX-License-Identifier: MIT */
/*
 * What a refused request teaches about how it should have been signed: for
 * another region, at another endpoint, with another clock. Decides whether
 * to sign once more, remembers what was learnt, and says in words what
 * cannot be repaired. Sends nothing.
 * Threads: one struct repair serves all of them.
 */
#ifndef S3PERF_REPAIR_H
#define S3PERF_REPAIR_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "endpoint.h"
#include "request.h"

#define REPAIR_ROUTES_MAX 1024 /* things learnt; more are not */
#define REPAIR_REGION_MAX 63
#define REPAIR_ADVICE_SIZE 512

/* How to reach a bucket; never changes once it is there. */
struct repair_route {
    const struct endpoint *home; /* of requests that go another way now */
    char bucket[256];
    char region[REPAIR_REGION_MAX + 1];
    struct endpoint endpoint;
    char url[ENDPOINT_HOST_MAX + 16]; /* the endpoint's */
    bool lasting; /* good for later requests, too */
};

struct repair {
    bool fix_clock; /* asked for */
    _Atomic int64_t clock_offset_s; /* what to add to the clock here */
    pthread_mutex_t lock; /* for additions */
    struct repair_route *routes[REPAIR_ROUTES_MAX];
    _Atomic uint32_t count;
};

void repair_init(struct repair *r, bool fix_clock);
void repair_clear(struct repair *r);

/* The route that was learnt for BUCKET at HOME, one of the run's endpoints,
 * which must live as long as R; or NULL. Lives until repair_clear(). */
const struct repair_route *repair_route(const struct repair *r,
                                        const struct endpoint *home,
                                        const char *bucket);

/* The time to sign for. */
time_t repair_wall(const struct repair *r);

/* What one operation was repaired in already: once each. */
#define REPAIR_REGION 1u
#define REPAIR_HOST 2u
#define REPAIR_CLOCK 4u

/* How the refused request was sent. */
struct repair_sent {
    const char *bucket;
    const char *region;
    const struct endpoint *home; /* where it goes without any repair */
    const struct endpoint *endpoint; /* where it went */
    enum addressing addressing;
    time_t wall; /* the clock here, not repaired, at the answer */
};

struct repair_advice {
    bool again; /* sign and send once more */
    const struct repair_route *route; /* ... on this way; NULL: the same */
    char text[REPAIR_ADVICE_SIZE]; /* what is to be added to the message, ""
                                      for nothing */
};

/*
 * Judge the failed request Q, whose code is CODE. DONE: what its operation
 * was repaired in; what comes now is added.
 */
void repair_judge(struct repair *r, struct repair_advice *advice,
                  unsigned *done, const struct request *q, const char *code,
                  const struct repair_sent *sent);

#endif
