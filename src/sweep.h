/* SPDX-License-Identifier: MIT */
/*
 * What a sweep will do: the cells of its matrix, in which order, and what
 * each of them takes at most. Pure: no clock, no network, no files.
 */
#ifndef S3PERF_SWEEP_H
#define S3PERF_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "prices.h"

#define SWEEP_PLAN_FORMAT "s3perf-plan 1"
#define SWEEP_AXIS_MAX 256
#define SWEEP_CELLS_MAX 1000000
#define SWEEP_OBJECTS_MAX 1000000000
#define SWEEP_PUT_MAX (UINT64_C(5) << 30) /* AWS's limit */
#define SWEEP_LANES_MAX 65536
#define SWEEP_PAGE 1000 /* keys in one answer of a listing */

/* In the order in which a cell runs them. */
enum sweep_phase {
    SWEEP_CREATE, /* a bucket */
    SWEEP_UPLOAD,
    SWEEP_LIST,
    SWEEP_HEAD,
    SWEEP_RANGE, /* the beginning of each object */
    SWEEP_DOWNLOAD,
    SWEEP_ERASE, /* objects */
    SWEEP_REMOVE, /* a bucket */
    SWEEP_PHASES
};

extern const char *const sweep_phase_names[SWEEP_PHASES];

#define SWEEP_BIT(phase) (1u << (phase))
#define SWEEP_BUCKETS (SWEEP_BIT(SWEEP_CREATE) | SWEEP_BIT(SWEEP_REMOVE))
#define SWEEP_READS                                                            \
    (SWEEP_BIT(SWEEP_LIST) | SWEEP_BIT(SWEEP_HEAD) | SWEEP_BIT(SWEEP_RANGE) |  \
     SWEEP_BIT(SWEEP_DOWNLOAD))
#define SWEEP_OBJECTS                                                          \
    (SWEEP_READS | SWEEP_BIT(SWEEP_UPLOAD) | SWEEP_BIT(SWEEP_ERASE))

/* Different values, smallest first. */
struct sweep_axis {
    uint64_t values[SWEEP_AXIS_MAX];
    size_t count;
};

/*
 * Read an axis: a list of numbers (with BYTES: of sizes, "64Ki"), powers
 * ("2^10") and ranges ("2^0..2^24", "1..1024": doubling; "10^3..10^6": times
 * ten; "1..4096*8": times eight). Both ends of a range are in it.
 * Returns: NULL with the axis filled, or a static text that says what is
 *          wrong, *WHERE and *LEN then being the item to blame in TEXT.
 */
const char *sweep_parse_axis(struct sweep_axis *axis, const char *text,
                             bool bytes, const char **where, size_t *len);

/* A list of names of phases, each once. On false *WHERE and *LEN are the one
 * to blame. */
bool sweep_parse_phases(uint32_t *phases, const char *text, const char **where,
                        size_t *len);

/* 0: no limit. */
struct sweep_limits {
    uint64_t bytes; /* in both directions together */
    uint64_t requests;
    uint64_t alive; /* bytes stored at a time, on each target */
    int64_t time_ns;
};

/* What was asked. */
struct sweep {
    const char *const *targets; /* names; not owned */
    uint32_t target_count;
    struct sweep_axis sizes, lanes;
    uint32_t phases; /* SWEEP_BIT() of each */
    uint32_t repeats;
    uint64_t bucket_ops; /* buckets of one bucket cell */
    uint64_t cell_ops; /* operations of a phase; 0: as many as are needed to
                          say something: 20 a lane, at least 1000 */
    uint64_t cell_bytes; /* of a phase; 0: any */
    uint64_t range; /* bytes that SWEEP_RANGE reads of an object */
    int64_t cell_ns; /* time of a phase */
    int64_t settle_ns; /* pause before the first read */
    bool ordered; /* not shuffled */
    bool cold; /* reads come a pass later than the uploads */
    uint64_t seed; /* of the order */
    struct sweep_limits limits;
    int64_t latency_ns; /* of one small request, as probed; 0: not known */
    uint64_t line_bytes_per_s; /* what is expected to go through; 0: 1 Gbit */
};

/* What something takes at most. Sums stop at the largest number. */
struct sweep_volume {
    uint64_t up_bytes, down_bytes;
    uint64_t puts, lists, gets, deletes; /* requests, as they are priced */
    uint64_t alive_bytes;
    int64_t most_ns, likely_ns;
};

enum sweep_skip {
    SWEEP_RUNS,
    SWEEP_OVER_ALIVE,
    SWEEP_OVER_BYTES,
    SWEEP_OVER_REQUESTS,
    SWEEP_OVER_TIME,
    SWEEP_SKIPS
};

/* "-", "max-alive", ...: of the option whose limit is passed. */
extern const char *const sweep_skip_names[SWEEP_SKIPS];

/*
 * One line of the plan: what is run, and run again, as a whole. A cell of
 * the matrix is one; with `cold` it is up to three, which share a group.
 */
struct sweep_cell {
    uint32_t group; /* from 1; which objects or buckets it works on */
    uint32_t target; /* index */
    uint32_t repeat; /* from 1 */
    uint64_t size, lanes; /* a bucket cell has size 0, one lane */
    uint32_t phases;
    bool first, last; /* of its group: makes the objects, takes them away */
    uint64_t ops; /* of each phase at most; objects: keys 1 to this */
    enum sweep_skip skip;
    struct sweep_volume volume;
};

struct sweep_plan {
    struct sweep_cell *cells; /* owned */
    size_t count;
    struct sweep_volume total; /* of those that run; alive: the most at a time
                                  on one target */
    size_t skipped[SWEEP_SKIPS]; /* groups, by reason; [SWEEP_RUNS]: that run */
};

/*
 * Put the cells of S in the order in which they run.
 * Returns: 0, ENOMEM, or E2BIG for more than SWEEP_CELLS_MAX. Pair with
 *          sweep_plan_clear() in any case; safe twice.
 */
int sweep_plan_make(struct sweep_plan *plan, const struct sweep *s);
void sweep_plan_clear(struct sweep_plan *plan);

uint64_t sweep_requests(const struct sweep_volume *v);
uint64_t sweep_bytes(const struct sweep_volume *v);

/* The money that V costs at most. */
double sweep_money(const struct sweep_volume *v, const struct prices *prices);

/* plan.tsv, beginning with the line that names its format. Returns 0 or a
 * buffer's errno value, as below. */
int sweep_add_table(struct buf *out, const struct sweep *s,
                    const struct sweep_plan *plan);

/* What is going to happen, for people. PRICES may be NULL. */
int sweep_add_preview(struct buf *out, const struct sweep *s,
                      const struct sweep_plan *plan,
                      const struct prices *prices);

#endif
