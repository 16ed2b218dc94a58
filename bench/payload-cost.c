/* SPDX-License-Identifier: MIT */
/*
 * What generated content costs: GB/s of each kind to make, to compare and to
 * hash, on one core, as the median of many rounds.
 * Usage: payload-cost [ROUNDS]
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "payload.h"

#define SIZE (1u << 20)
#define PIECE 65536u /* as the transport asks for it */
#define ROUNDS_MAX 10001

enum work { FILL, MATCH, HASH, SMALL, WORKS };

static unsigned char bytes[SIZE];

static int
compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *) a, right = *(const int64_t *) b;

    return (left > right) - (left < right);
}

/* Do WORK once; false when the content is not what it was. */
static bool
work_once(struct payload *p, enum work work, uint64_t object)
{
    char hash[PAYLOAD_HASH_SIZE];
    size_t same = 0;

    switch (work) {
    case FILL:
        for (size_t at = 0; at < SIZE; at += PIECE)
            payload_fill(p, object, at, bytes + at, PIECE);
        return true;
    case MATCH:
        for (size_t at = 0; at < SIZE; at += PIECE)
            same += payload_match(p, object, at, bytes + at, PIECE);
        return same == SIZE;
    case HASH:
        payload_hash(p, object, 0, SIZE, hash);
        return hash[0] != '\0';
    default: /* an object of 4 KiB each time */
        for (size_t at = 0; at < SIZE; at += 4096)
            payload_fill(p, object + at, 0, bytes + at, 4096);
        return true;
    }
}

/* The median of ROUNDS, in GB/s; 0 on a failure. */
static double
measure(struct payload *p, enum work work, long rounds)
{
    static int64_t took_ns[ROUNDS_MAX];

    if (!work_once(p, FILL, 1))
        return 0;
    for (long i = 0; i < rounds; i++) {
        int64_t start_ns = clock_now_ns();

        if (!work_once(p, work, 1))
            return 0;
        took_ns[i] = clock_now_ns() - start_ns;
    }
    qsort(took_ns, (size_t) rounds, sizeof *took_ns, compare);
    return (double) SIZE / (double) took_ns[rounds / 2];
}

int
main(int argc, char **argv)
{
    static unsigned char small[1000], large[100000];
    static const struct {
        const char *name;
        struct payload_style style;
    } styles[] = {
        {"random", {.form = PAYLOAD_RANDOM}},
        {"compressible 25", {.percent = 25}},
        {"compressible 50", {.percent = 50}},
        {"compressible 75", {.percent = 75}},
        {"compressible 100", {.percent = 100}},
        {"zero", {.form = PAYLOAD_ZERO}},
        {"text", {.form = PAYLOAD_TEXT}},
        {"file, 1000 B", {PAYLOAD_REPEAT, 0, small, sizeof small}},
        {"file, 100 kB", {PAYLOAD_REPEAT, 0, large, sizeof large}},
    };
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 101;

    if (rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: payload-cost [ROUNDS], at most %d\n",
                ROUNDS_MAX);
        return 2;
    }
    memset(small, 's', sizeof small);
    memset(large, 'l', sizeof large);
    printf("content\tfill_gb_per_s\tmatch_gb_per_s\thash_gb_per_s\t"
           "fill_4k_objects_gb_per_s\n");
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        struct payload *p;

        if (payload_new(&p, &styles[i].style, 1) != 0)
            return 1;
        printf("%s", styles[i].name);
        for (int work = 0; work < WORKS; work++)
            printf("\t%.2f", measure(p, (enum work) work, rounds));
        printf("\n");
        payload_free(p);
    }
    return 0;
}
