/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "host.h"

#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The first "model name" of /proc/cpuinfo; other architectures have none. */
static void
read_cpu(char *out, size_t size)
{
    FILE *f = fopen("/proc/cpuinfo", "re");
    char line[512], *value;

    out[0] = '\0';
    if (f == NULL)
        return;
    while (out[0] == '\0' && fgets(line, sizeof line, f) != NULL) {
        value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || value == NULL)
            continue;
        value += 1 + strspn(value + 1, " \t");
        value[strcspn(value, "\n")] = '\0';
        snprintf(out, size, "%s", value);
    }
    fclose(f);
}

static uint32_t
count_cores(void)
{
    cpu_set_t usable;
    long online;

    if (sched_getaffinity(0, sizeof usable, &usable) == 0)
        return (uint32_t) CPU_COUNT(&usable);
    online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t) online : 1;
}

void
host_look(struct host *h, bool model)
{
    struct utsname system;
    struct sysinfo info;

    *h = (struct host){.cores = count_cores()};
    if (gethostname(h->name, sizeof h->name - 1) != 0)
        strcpy(h->name, "localhost");
    if (uname(&system) == 0)
        snprintf(h->kernel, sizeof h->kernel, "%.40s %.60s %.20s",
                 system.sysname, system.release, system.machine);
    if (sysinfo(&info) == 0)
        h->memory_kib = (uint64_t) info.totalram * info.mem_unit / 1024;
    if (model)
        read_cpu(h->cpu, sizeof h->cpu);
}

uint64_t
host_max_rss_kib(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
    return (uint64_t) usage.ru_maxrss;
}

int
host_open_rss(void)
{
    int dumpable = prctl(PR_GET_DUMPABLE), fd;

    /* Of a process that cannot be dumped this file is root's. */
    prctl(PR_SET_DUMPABLE, 1);
    fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    prctl(PR_SET_DUMPABLE, dumpable);
    return fd;
}

void
host_forget_rss(int fd)
{
    static const char peak[] = "5"; /* see proc(5) */

    malloc_trim(0);
    if (fd >= 0 && write(fd, peak, 1) != 1)
        return; /* then it stays what it was */
}
