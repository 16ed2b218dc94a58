/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "afford.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "complain.h"
#include "histogram.h"
#include "interval.h"
#include "headroom.h"
#include "report.h"
#include "sink.h"
#include "source.h"
#include "units.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define SPARE_FILES 64u
/* Measured, rounded up: doc/measuring.md. */
#define BASE_BYTES (32 * MIB)
/* So much is there, or the program would not have started; to ask the kernel
 * takes longer than a small operation. */
#define SMALL_BYTES (64 * MIB)
#define LANE_BYTES (48 * KIB)
#define LANE_TLS_BYTES (40 * KIB)
#define LANE_LARGE_BYTES (64 * KIB) /* a larger buffer, either way */
#define FEW_LANES 64u /* have even larger ones */
#define FEW_LARGE_BYTES (256 * KIB)
#define STACK_BYTES (256 * KIB) /* that are touched */
#define RECORD_BYTES KIB /* of one that waits for its body */

/* What lanes may keep open. */
static uint64_t
connections(uint64_t lanes, const struct service *s)
{
    size_t destinations = s->way == ENDPOINTS_PER_LANE ? 1 : s->endpoints.count;

    return transport_pool((size_t) lanes, destinations);
}

/* Each lane needs a socket, and connections may be kept beside it. */
static int
raise_file_limit(uint64_t lanes, const struct service *s)
{
    struct rlimit limit;
    rlim_t want = lanes + connections(lanes, s) + SPARE_FILES;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= want)
        return 0;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < want) {
        limit.rlim_max = want; /* root may */
        limit.rlim_cur = want;
        if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
            return 0;
        return complain(2,
                        "%" PRIu64 " operations in flight need %" PRIu64
                        " open files, the limit is lower: see ulimit -n",
                        lanes, (uint64_t) want);
    }
    limit.rlim_cur = want;
    setrlimit(RLIMIT_NOFILE, &limit);
    return 0;
}

static int
check_ports(const struct plan *p, const struct service *s)
{
    const struct options *o = p->o;
    struct headroom_opening opening = {.lanes = plan_lanes(p),
                                       .fresh =
                                           strcmp(o->connection, "reuse") != 0,
                                       .count = p->workload.count,
                                       .rate_per_s = o->rate_per_s,
                                       .duration_ns = o->duration_ns};
    struct headroom_ports ports;
    int64_t rest_ns;
    uint64_t wanted;

    if (!headroom_read_ports(&ports, ""))
        return 0;
    if (opening.lanes > ports.count)
        return complain(2,
                        "%" PRIu64 " operations in flight need as many local "
                        "ports, net.ipv4.ip_local_port_range has %" PRIu64
                        ": lower -c or widen the range",
                        opening.lanes, ports.count);
    rest_ns = headroom_port_rest_ns(&ports,
                                    endpoint_is_loopback(&s->request.endpoint));
    wanted = headroom_ports_wanted(&opening, rest_ns);
    if (opening.fresh && wanted > ports.count)
        complain(0,
                 "--connection %s may run out of local ports: up to %" PRIu64
                 " at a time of %" PRIu64 ", each rests %" PRId64
                 " s after use; widen net.ipv4.ip_local_port_range, lower -r "
                 "or set net.ipv4.tcp_tw_reuse",
                 o->connection, wanted, ports.count, rest_ns / CLOCK_NS_PER_S);
    return 0;
}

static uint64_t
lane_bytes(const struct plan *p, const struct service *s)
{
    const struct options *o = p->o;
    bool few = plan_lanes(p) <= FEW_LANES;
    uint64_t bytes = LANE_BYTES;

    if (s->request.endpoint.tls)
        bytes += LANE_TLS_BYTES;
    if (plan_uploads(o) && o->size <= SOURCE_SMALL)
        bytes += o->size;
    else if (plan_uploads(o) || plan_downloads(o))
        bytes += few ? FEW_LARGE_BYTES : LANE_LARGE_BYTES;
    return bytes;
}

/* Two reports and a table of intervals. */
static uint64_t
thread_bytes(void)
{
    size_t counters = 4 * histogram_buckets(HISTOGRAM_SUB_OPS) +
                      STAGE_COUNT * histogram_buckets(HISTOGRAM_SUB_STAGES);

    return STACK_BYTES + 2 * counters * sizeof(uint64_t) +
           INTERVAL_MAX * sizeof(struct interval);
}

static void
estimate(struct headroom_need *n, const struct plan *p, const struct service *s)
{
    const struct options *o = p->o;
    uint64_t different = workload_different(&p->workload);
    uint64_t count = p->workload.count;

    *n = (struct headroom_need){.lanes = plan_lanes(p),
                                .lane_bytes = lane_bytes(p, s),
                                .threads = plan_threads(p) +
                                           UINT64_C(1), /* and the sum of all */
                                .thread_bytes = thread_bytes(),
                                .base_bytes = BASE_BYTES};
    if (o->verb == VERB_GET &&
        sink_keeps(o->verify, o->output, count, plan_body_size(o)))
        n->kept_bytes = count * (plan_body_size(o) + RECORD_BYTES);
    if (plan_uploads(o) && o->file == NULL && s->request.sign_payload &&
        different <= SOURCE_HASHES_MAX)
        n->hash_bytes = different * 32;
}

static int
refuse(const struct headroom_need *n, uint64_t need, uint64_t has,
       const char *what)
{
    char needs[UNITS_TEXT_SIZE], left[UNITS_TEXT_SIZE];

    units_format_size(needs, (double) need);
    units_format_size(left, (double) has);
    return complain(2, "this run needs about %s of memory, %s is %s: %s", needs,
                    left, what, headroom_need_advice(n));
}

static int
check_memory(const struct plan *p, const struct service *s)
{
    struct headroom_need need;
    struct headroom_memory memory;
    struct rlimit limit, stack;
    uint64_t total, space;

    estimate(&need, p, s);
    total = headroom_need_total(&need);
    if (total <= SMALL_BYTES)
        return 0;
    if (headroom_read_memory(&memory, "") && total > memory.bytes)
        return refuse(&need, total, memory.bytes, memory.what);
    space = headroom_read_address_space("");
    if (space == 0 || getrlimit(RLIMIT_AS, &limit) != 0 ||
        limit.rlim_cur == RLIM_INFINITY)
        return 0;
    /* A thread takes its whole stack of the address space. */
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY)
        total += plan_threads(p) * (uint64_t) stack.rlim_cur;
    if (total > limit.rlim_cur || space > limit.rlim_cur - total)
        return refuse(&need, total + space, limit.rlim_cur,
                      "the limit of address space (ulimit -v)");
    return 0;
}

int
afford_check(const struct plan *p, const struct service *s)
{
    int status = raise_file_limit(plan_lanes(p), s);

    if (status == 0)
        status = check_ports(p, s);
    if (status == 0)
        status = check_memory(p, s);
    return status;
}
