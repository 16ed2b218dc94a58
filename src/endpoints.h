/* SPDX-License-Identifier: MIT */
/*
 * The endpoints that a run is spread over: read from what --endpoint says,
 * multiplied by the addresses that their names stand for, and chosen for
 * one operation after another.
 */
#ifndef S3PERF_ENDPOINTS_H
#define S3PERF_ENDPOINTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "endpoint.h"

#define ENDPOINTS_MAX 1024
#define ENDPOINTS_TEXT_MAX 1024 /* bytes of one entry */
#define ENDPOINTS_ADDRESS_SIZE 46 /* an IPv6 address and its NUL */
#define ENDPOINTS_LABEL_SIZE (ENDPOINT_HOST_MAX + 16 + ENDPOINTS_ADDRESS_SIZE)
#define ENDPOINTS_WHY_SIZE (ENDPOINTS_TEXT_MAX + 512)

struct endpoints_entry {
    struct endpoint endpoint;
    char *profile; /* owned; whose keys to use; NULL: those of the run */
    char address[ENDPOINTS_ADDRESS_SIZE]; /* to connect to; "": look the name
                                             up */
    char label[ENDPOINTS_LABEL_SIZE]; /* in results: its URL, "#ADDRESS" behind
                                         it when there is one */
};

/* --- what there is --- */

struct endpoints {
    struct endpoints_entry *items; /* owned */
    size_t count, room;
    char why[ENDPOINTS_WHY_SIZE]; /* what was wrong, a line without its end */
};

void endpoints_init(struct endpoints *e);
void endpoints_clear(struct endpoints *e);

/*
 * Add what TEXT names: a URL, in which {FIRST...LAST} stands for each number
 * in between (leading zeros are kept), "#ADDRESS" behind it to connect to
 * that one, "profile=NAME," in front of it to use the keys of that profile
 * there; or "file:PATH" with one of these a line, blank lines and those that
 * begin with # left out.
 * Returns: 0, or EINVAL with e->why set, or ENOMEM; E is only fit to be
 *          cleared then.
 */
int endpoints_add(struct endpoints *e, const char *text);

/* Add what endpoints_add() makes these of again, one a line. Returns 0 or a
 * buffer's errno value. */
int endpoints_add_lines(struct buf *out, const struct endpoints *e);

/* What endpoints_resolve() asks. ADDRESSES has room for MAX texts, without
 * brackets. Returns: 0, or an EAI_* code of getaddrinfo(). */
typedef int endpoints_lookup_fn(void *ctx, const char *host, uint16_t port,
                                char (*addresses)[ENDPOINTS_ADDRESS_SIZE],
                                size_t max, size_t *count);

/*
 * Put an entry for each address in the place of each one whose host is a
 * name and that has none yet, in an order that does not depend on the answer's.
 * With BUCKET, the name asked for is BUCKET.HOST: what requests will connect
 * to. Returns: as endpoints_add().
 */
int endpoints_resolve(struct endpoints *e, const char *bucket,
                      endpoints_lookup_fn *lookup, void *ctx);

/* Ask the system's resolver. Blocks. */
int endpoints_lookup(void *ctx, const char *host, uint16_t port,
                     char (*addresses)[ENDPOINTS_ADDRESS_SIZE], size_t max,
                     size_t *count);

/* Add what to call them all: their labels, or, of many, the first and the
 * last. Returns 0 or a buffer's errno value. */
int endpoints_add_names(struct buf *out, const struct endpoints *e);

/* --- which one is next --- */

enum endpoints_way {
    ENDPOINTS_ROUND_ROBIN, /* one after another */
    ENDPOINTS_LEAST_BUSY, /* with the fewest operations in flight; of those
                             the one whose turn it is */
    ENDPOINTS_PER_LANE /* a lane stays with one */
};

/* Read "roundrobin", "least-busy" or "per-lane"; false, *OUT untouched,
 * otherwise. And back. */
bool endpoints_parse_way(enum endpoints_way *out, const char *text);
const char *endpoints_way_name(enum endpoints_way way);

/* One for all threads of a process. */
struct endpoints_choice {
    enum endpoints_way way;
    uint32_t count;
    _Atomic uint64_t turn;
    struct endpoints_busy *busy; /* owned; operations in flight of each */
};

/* FIRST is whose turn it is. Returns: 0 or ENOMEM. */
int endpoints_choice_init(struct endpoints_choice *c, enum endpoints_way way,
                          uint32_t count, uint64_t first);
void endpoints_choice_clear(struct endpoints_choice *c);

/* The number, from 0, of the endpoint for the next operation of LANE, which
 * is counted among all threads and processes. It is busy until
 * endpoints_give_back(). Threads: called by any, both of them. */
uint32_t endpoints_take(struct endpoints_choice *c, uint64_t lane);
void endpoints_give_back(struct endpoints_choice *c, uint32_t number);

#endif
