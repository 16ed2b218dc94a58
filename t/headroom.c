/* SPDX-License-Identifier: MIT */
/* Needs against limits: arithmetic, and what /proc and control groups say. */
#include "config.h"

#include "headroom.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

#define MIB (UINT64_C(1) << 20)

static char root[] = "/tmp/s3perf-headroom.XXXXXX";

/* Write TEXT to PATH below the root, folders and all. */
static void
put_file(const char *path, const char *text)
{
    char full[1024];
    FILE *f;

    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *at = full + strlen(root) + 1; *at != '\0'; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        if (mkdir(full, 0777) != 0 && errno != EEXIST)
            exit(1);
        *at = '/';
    }
    f = fopen(full, "w");
    if (f == NULL)
        exit(1);
    fputs(text, f);
    fclose(f);
}

/* Forget all that was put. */
static void
start_over(void)
{
    char command[1100];

    snprintf(command, sizeof command, "rm -rf '%s'", root);
    if (system(command) != 0 || mkdir(root, 0700) != 0)
        exit(1);
}

static void
test_read_ports(void)
{
    struct headroom_ports ports = {7, 7};

    start_over();
    ok(!headroom_read_ports(&ports, root), "no /proc: no ports known");
    is_int((int64_t) ports.count, 7, "and nothing is touched");
    put_file("/proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n");
    ok(headroom_read_ports(&ports, root), "a range is read");
    is_int((int64_t) ports.count, 28232, "its ports");
    is_int(ports.reuse, 0, "no word on reuse: none");
    put_file("/proc/sys/net/ipv4/tcp_tw_reuse", "2\n");
    ok(headroom_read_ports(&ports, root) && ports.reuse == 2, "reuse is read");
    put_file("/proc/sys/net/ipv4/ip_local_port_range", "none\n");
    ok(!headroom_read_ports(&ports, root), "a bad range is not believed");
}

static void
test_rest(void)
{
    const struct {
        int reuse;
        bool loopback;
        int64_t seconds;
    } cases[] = {{0, true, 60}, {0, false, 60}, {1, true, 1},
                 {1, false, 1}, {2, true, 1},   {2, false, 60}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct headroom_ports ports = {100, cases[i].reuse};

        is_int(headroom_port_rest_ns(&ports, cases[i].loopback),
               cases[i].seconds * CLOCK_NS_PER_S, "tcp_tw_reuse %d%s",
               cases[i].reuse, cases[i].loopback ? " on loopback" : "");
    }
}

static void
test_wanted(void)
{
    const int64_t s = CLOCK_NS_PER_S;
    const struct {
        struct headroom_opening o;
        int64_t rest_s, want;
        const char *what;
    } cases[] = {
        {{64, false, UINT64_MAX, 500, 0}, 60, 64, "kept connections"},
        {{64, true, UINT64_MAX, 500, 0}, 60, 30064, "500/s for a minute"},
        {{64, true, UINT64_MAX, 500, 0}, 1, 564, "500/s for a second"},
        {{64, true, UINT64_MAX, 500, 10 * s}, 60, 5064, "500/s for 10 s"},
        {{64, true, 100, 500, 10 * s}, 60, 164, "500/s, 100 in all"},
        {{1, true, 100000, 0, 0}, 60, 60001, "a lane as fast as it goes"},
        {{1, true, 100, 0, 0}, 60, 101, "the same, 100 in all"},
        {{4, true, UINT64_MAX, 0, 2 * s}, 60, 8004, "four lanes for 2 s"},
        {{1024, true, UINT64_MAX, 0, 0}, 1, 21024, "not above 20000/s"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        is_int(
            (int64_t) headroom_ports_wanted(&cases[i].o, cases[i].rest_s * s),
            cases[i].want, "ports: %s", cases[i].what);
}

static void
test_total(void)
{
    struct headroom_need need = {.lanes = 1024,
                                 .lane_bytes = 1000,
                                 .threads = 3,
                                 .thread_bytes = 500,
                                 .kept_bytes = 7,
                                 .hash_bytes = 80,
                                 .base_bytes = 900};

    is_int((int64_t) headroom_need_total(&need), 1024000 + 1500 + 987, "a sum");
    is_str(headroom_need_advice(&need), "lower -c", "lanes weigh most");
    need.kept_bytes = 2000000;
    ok(strncmp(headroom_need_advice(&need), "lower -n", 8) == 0,
       "kept bodies weigh most");
    need.hash_bytes = 3000000;
    ok(strstr(headroom_need_advice(&need), "--objects") != NULL,
       "hashes weigh most");
    need.base_bytes = 4000000;
    is_str(headroom_need_advice(&need), "free some memory", "the base does");
    need.lane_bytes = UINT64_MAX / 2;
    ok(headroom_need_total(&need) == UINT64_MAX, "too much does not wrap");
    need.lane_bytes = 0;
    need.kept_bytes = UINT64_MAX;
    ok(headroom_need_total(&need) == UINT64_MAX, "nor does a sum");
}

static void
is_memory(uint64_t mib, const char *what)
{
    struct headroom_memory memory = {0, ""};

    ok(headroom_read_memory(&memory, root), "%s: memory is known", what);
    is_int((int64_t) (memory.bytes / MIB), (int64_t) mib, "%s", what);
}

static void
test_memory(void)
{
    struct headroom_memory memory;

    start_over();
    ok(!headroom_read_memory(&memory, root), "no /proc: no memory known");
    put_file("/proc/meminfo", "MemTotal: 9999999 kB\n"
                              "MemFree:    9999 kB\n"
                              "MemAvailable:    1048576 kB\n");
    is_memory(1024, "MemAvailable");
    put_file("/proc/self/cgroup", "0::/a/b\n");
    is_memory(1024, "groups that are not mounted");
    put_file("/sys/fs/cgroup/a/b/memory.max", "max\n");
    put_file("/sys/fs/cgroup/a/b/memory.current", "104857600\n");
    is_memory(1024, "a group without a limit");
    put_file("/sys/fs/cgroup/a/memory.max", "524288000\n");
    put_file("/sys/fs/cgroup/a/memory.current", "104857600\n");
    is_memory(400, "the limit of a group above");
    put_file("/sys/fs/cgroup/a/memory.stat",
             "anon 1\ninactive_file 20971520\nactive_file 10485760\n");
    is_memory(430, "its page cache does not count");
    put_file("/sys/fs/cgroup/memory.max", "1048576\n");
    put_file("/sys/fs/cgroup/memory.current", "2097152\n");
    is_memory(0, "a top that is overfull");
}

static void
test_version1(void)
{
    start_over();
    put_file("/proc/meminfo", "MemAvailable:    1048576 kB\n");
    put_file("/proc/self/cgroup",
             "5:cpu,cpuacct:/x\n4:memory:/outside\n0::/\n");
    put_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "209715200\n");
    put_file("/sys/fs/cgroup/memory/memory.usage_in_bytes", "157286400\n");
    put_file("/sys/fs/cgroup/memory/memory.stat",
             "inactive_file 5\ntotal_inactive_file 52428800\n");
    is_memory(100, "a container's group, version 1");
    put_file("/sys/fs/cgroup/memory/memory.limit_in_bytes",
             "9223372036854771712\n");
    is_memory(1024, "version 1 without a limit");
}

static void
test_address_space(void)
{
    start_over();
    ok(headroom_read_address_space(root) == 0, "no statm: not known");
    put_file("/proc/self/statm", "100 50 20 1 0 30 0\n");
    is_int((int64_t) headroom_read_address_space(root),
           100 * sysconf(_SC_PAGESIZE), "pages of address space");
}

int
main(void)
{
    if (mkdtemp(root) == NULL)
        return 1;
    test_read_ports();
    test_rest();
    test_wanted();
    test_total();
    test_memory();
    test_version1();
    test_address_space();
    start_over();
    rmdir(root);
    return done_testing();
}
