/* SPDX-License-Identifier: MIT */
/* Whatever a file holds, reading it ends well: records, warp's, histograms. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "intake.h"
#include "tally.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read all of it, and count it. */
static void
read_all(struct intake *in, struct tally *t)
{
    static const struct tally_window all = {INT64_MIN, INT64_MAX, false};
    static uint64_t counts[1 << 15];
    struct histogram h = {.counts = counts};
    struct histogram_label label;
    struct record_view v;

    if (in->format == INTAKE_HIST)
        while (intake_histogram(in, &h, &label) == INTAKE_ONE)
            if (h.count > 0 && h.min_ns > h.max_ns)
                abort();
    if (in->format == INTAKE_OPS || in->format == INTAKE_WARP)
        while (intake_record(in, &v) == INTAKE_ONE)
            if (tally_add(t, &v, &all) != 0)
                abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("input", 0);
    struct dist_pool pool;
    struct intake in;
    struct tally t;
    char path[32];

    if (fd < 0)
        return 0;
    dist_pool_init(&pool, 1 << 16);
    if (write(fd, data, size) != (ssize_t) size ||
        tally_init(&t, &pool, 1000000000, false) != 0)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (intake_open(&in, path) == 0)
        read_all(&in, &t);
    intake_close(&in);
    tally_clear(&t);
    close(fd);
    return 0;
}
