/* SPDX-License-Identifier: MIT */
/*
 * What a run needs against what the machine has: local ports and memory.
 * Arithmetic, and readers of /proc below a folder that tests choose. Where
 * /proc says nothing there is no limit to compare with.
 */
#ifndef S3PERF_HEADROOM_H
#define S3PERF_HEADROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

/* --- local ports to one server --- */

struct headroom_ports {
    uint64_t count; /* that connections to one server can have */
    int reuse; /* tcp_tw_reuse: 1 for all, 2 on loopback only */
};

/* ROOT is "" but for tests. Returns: false, *OUT untouched, without /proc. */
bool headroom_read_ports(struct headroom_ports *out, const char *root);

/* How long a port rests after its connection was closed: a minute, or a
 * second where it may be used again. */
int64_t headroom_port_rest_ns(const struct headroom_ports *p, bool loopback);

/* How connections are opened. */
struct headroom_opening {
    uint64_t lanes;
    bool fresh; /* a new connection for each operation */
    uint64_t count; /* operations; UINT64_MAX: no limit */
    double rate_per_s; /* 0: as fast as lanes go */
    int64_t duration_ns; /* 0: no deadline */
};

/* Ports in use or at rest at one time, at most: as fast as lanes go is
 * taken to be 1000 a second each, and 20000 of all. */
uint64_t headroom_ports_wanted(const struct headroom_opening *o,
                               int64_t rest_ns);

/* --- memory --- */

/* Parts of an estimate, in bytes. */
struct headroom_need {
    uint64_t lanes, lane_bytes; /* of each */
    uint64_t threads, thread_bytes; /* of each */
    uint64_t kept_bytes; /* bodies and records that wait to be compared */
    uint64_t hash_bytes; /* payload hashes made ahead */
    uint64_t base_bytes; /* libraries, journal, histograms */
};

/* The sum; UINT64_MAX when it overflows. */
uint64_t headroom_need_total(const struct headroom_need *n);

/* What the largest part is and how to lower it: ends a sentence. */
const char *headroom_need_advice(const struct headroom_need *n);

struct headroom_memory {
    uint64_t bytes;
    const char *what; /* "available", "left in the control group" */
};

/* MemAvailable, or less when a control group (version 1 or 2) has less left,
 * not counting its page cache, which gives way. Returns: false, *OUT
 * untouched, when nothing is known. */
bool headroom_read_memory(struct headroom_memory *out, const char *root);

/* Bytes of address space that this process has; 0 when not known. */
uint64_t headroom_read_address_space(const char *root);

#endif
