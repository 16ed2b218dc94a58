/* SPDX-License-Identifier: MIT */
/*
 * What checksums cost: GB/s of each kind, on one core, as the median of many
 * rounds; of the CRCs also by tables.
 * Usage: checksum-cost [ROUNDS]
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "clock.h"

#define SIZE (1u << 20)
#define ROUNDS_MAX 10001

static unsigned char bytes[SIZE];
static volatile uint64_t keep; /* or the work would be left out */

static int
compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *) a, right = *(const int64_t *) b;

    return (left > right) - (left < right);
}

/* The median of ROUNDS of SIZE bytes, N at a time, in GB/s. */
static double
measure(struct checksum *c, size_t n, int rounds, bool portable)
{
    static int64_t times[ROUNDS_MAX];
    unsigned char sum[CHECKSUM_BYTES_MAX];

    for (int i = 0; i < rounds; i++) {
        int64_t begun = clock_now_ns();

        for (size_t at = 0; at < SIZE; at += n) {
            if (portable) {
                keep = checksum_crc(c->kind, bytes + at, n, true);
                continue;
            }
            checksum_begin(c);
            checksum_add(c, bytes + at, n);
            checksum_end(c, sum);
            keep = sum[0];
        }
        times[i] = clock_now_ns() - begun;
    }
    qsort(times, (size_t) rounds, sizeof *times, compare);
    return (double) SIZE / (double) times[rounds / 2];
}

int
main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 101;

    if (rounds < 1 || rounds > ROUNDS_MAX)
        return 2;
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char) (i * 7 + 3);
    printf("kind\t1MiB_GB_s\t4KiB_GB_s\ttables_GB_s\n");
    for (int k = CHECKSUM_CRC32; k < CHECKSUM_KINDS; k++) {
        struct checksum c;

        if (checksum_init(&c, (enum checksum_kind) k) != 0)
            return 1;
        printf("%s\t%.2f\t%.2f", checksum_name(c.kind),
               measure(&c, SIZE, rounds, false),
               measure(&c, 4096, rounds, false));
        if (k <= CHECKSUM_CRC64NVME)
            printf("\t%.2f\n", measure(&c, SIZE, rounds, true));
        else
            printf("\t-\n");
        checksum_clear(&c);
    }
    return 0;
}
