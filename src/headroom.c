/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "headroom.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE 4096u
#define REST_NS (60 * CLOCK_NS_PER_S) /* the kernel's TIME-WAIT */
#define REST_REUSED_NS CLOCK_NS_PER_S
#define LANE_OPENS_PER_S 1000.0
#define OPENS_PER_S 20000.0

/* --- reading --- */

static FILE *__attribute__((format(printf, 1, 2)))
open_file(const char *format, ...)
{
    char path[PATH_SIZE];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(path, sizeof path, format, args);
    va_end(args);
    return n > 0 && (size_t) n < sizeof path ? fopen(path, "re") : NULL;
}

/* The first number of a file; false when there is none, as in "max". */
static bool
read_number(uint64_t *out, FILE *f)
{
    bool good;

    if (f == NULL)
        return false;
    good = fscanf(f, "%" SCNu64, out) == 1;
    fclose(f);
    return good;
}

/* The number behind NAME at the start of a line of a file. */
static bool
read_named(uint64_t *out, FILE *f, const char *name)
{
    size_t len = strlen(name);
    bool good = false;
    char line[256];

    if (f == NULL)
        return false;
    while (!good && fgets(line, sizeof line, f) != NULL)
        good = strncmp(line, name, len) == 0 &&
               sscanf(line + len, "%" SCNu64, out) == 1;
    fclose(f);
    return good;
}

/* --- ports --- */

bool
headroom_read_ports(struct headroom_ports *out, const char *root)
{
    FILE *f = open_file("%s/proc/sys/net/ipv4/ip_local_port_range", root);
    unsigned first = 1, last = 0;
    uint64_t reuse = 0;

    if (f == NULL)
        return false;
    if (fscanf(f, "%u %u", &first, &last) != 2)
        last = 0;
    fclose(f);
    if (first > last)
        return false;
    if (!read_number(&reuse,
                     open_file("%s/proc/sys/net/ipv4/tcp_tw_reuse", root)))
        reuse = 0;
    out->count = last - first + 1;
    out->reuse = (int) reuse;
    return true;
}

int64_t
headroom_port_rest_ns(const struct headroom_ports *p, bool loopback)
{
    return p->reuse == 1 || (p->reuse == 2 && loopback) ? REST_REUSED_NS
                                                        : REST_NS;
}

uint64_t
headroom_ports_wanted(const struct headroom_opening *o, int64_t rest_ns)
{
    double rate = o->rate_per_s, opened;
    int64_t span_ns = rest_ns;

    if (!o->fresh)
        return o->lanes;
    if (rate <= 0) {
        rate = LANE_OPENS_PER_S * (double) o->lanes;
        rate = rate < OPENS_PER_S ? rate : OPENS_PER_S;
    }
    if (o->duration_ns > 0 && o->duration_ns < span_ns)
        span_ns = o->duration_ns;
    opened = rate * (double) span_ns / (double) CLOCK_NS_PER_S;
    if (o->count != UINT64_MAX && opened > (double) o->count)
        opened = (double) o->count;
    return o->lanes + (uint64_t) opened;
}

/* --- memory --- */

static uint64_t
product(uint64_t a, uint64_t b)
{
    return b > 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t
sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t
headroom_need_total(const struct headroom_need *n)
{
    uint64_t total = sum(product(n->lanes, n->lane_bytes),
                         product(n->threads, n->thread_bytes));

    return sum(sum(total, n->kept_bytes), sum(n->hash_bytes, n->base_bytes));
}

const char *
headroom_need_advice(const struct headroom_need *n)
{
    const struct {
        uint64_t bytes;
        const char *text;
    } parts[] = {
        {n->base_bytes, "free some memory"},
        {product(n->lanes, n->lane_bytes), "lower -c"},
        {product(n->threads, n->thread_bytes), "lower --threads"},
        {n->kept_bytes, "lower -n, since bodies are kept to be compared or "
                        "written"},
        {n->hash_bytes, "lower --objects or use --payload-hash unsigned"},
    };
    size_t most = 0;

    for (size_t i = 1; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].bytes > parts[most].bytes)
            most = i;
    return parts[most].text;
}

/* Names of the two versions' files. */
struct group_files {
    const char *mount, *limit, *usage, *cache[2];
};

static const struct group_files version1 = {
    "/sys/fs/cgroup/memory",
    "memory.limit_in_bytes",
    "memory.usage_in_bytes",
    {"total_inactive_file ", "total_active_file "}};
static const struct group_files version2 = {"/sys/fs/cgroup",
                                            "memory.max",
                                            "memory.current",
                                            {"inactive_file ", "active_file "}};

/* Lower *LEFT to what the group at PATH has left. */
static void
look_at_group(uint64_t *left, const char *root, const struct group_files *g,
              const char *path)
{
    uint64_t limit, used = 0, cache;

    if (!read_number(&limit,
                     open_file("%s%s%s/%s", root, g->mount, path, g->limit)) ||
        !read_number(&used,
                     open_file("%s%s%s/%s", root, g->mount, path, g->usage)))
        return;
    for (int i = 0; i < 2; i++)
        if (read_named(&cache,
                       open_file("%s%s%s/memory.stat", root, g->mount, path),
                       g->cache[i]))
            used -= cache < used ? cache : used;
    limit = limit > used ? limit - used : 0;
    if (limit < *left)
        *left = limit;
}

/* The group at PATH and those above it. In a container the path may be that
 * outside; the mount's own top then is the group. */
static void
look_at_groups(uint64_t *left, const char *root, const struct group_files *g,
               char *path)
{
    char *slash;

    while ((slash = strrchr(path, '/')) != NULL) {
        look_at_group(left, root, g, slash[1] != '\0' ? path : "");
        *slash = '\0';
    }
    look_at_group(left, root, g, "");
}

static uint64_t
read_group_left(const char *root)
{
    FILE *f = open_file("%s/proc/self/cgroup", root);
    uint64_t left = UINT64_MAX;
    char line[PATH_SIZE], *controllers, *path;

    if (f == NULL)
        return left;
    /* "4:memory:/path" or "0::/path" */
    while (fgets(line, sizeof line, f) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        path = line;
        strsep(&path, ":");
        controllers = strsep(&path, ":");
        if (path == NULL)
            continue;
        if (*controllers == '\0')
            look_at_groups(&left, root, &version2, path);
        else if (strcmp(controllers, "memory") == 0)
            look_at_groups(&left, root, &version1, path);
    }
    fclose(f);
    return left;
}

bool
headroom_read_memory(struct headroom_memory *out, const char *root)
{
    uint64_t kib, group = read_group_left(root);
    bool known =
        read_named(&kib, open_file("%s/proc/meminfo", root), "MemAvailable:");

    if (!known && group == UINT64_MAX)
        return false;
    if (!known || group < product(kib, 1024))
        *out = (struct headroom_memory){group, "left in the control group"};
    else
        *out = (struct headroom_memory){product(kib, 1024), "available"};
    return true;
}

uint64_t
headroom_read_address_space(const char *root)
{
    long page = sysconf(_SC_PAGESIZE);
    uint64_t pages;

    if (!read_number(&pages, open_file("%s/proc/self/statm", root)))
        return 0;
    return product(pages, page > 0 ? (uint64_t) page : 4096);
}
