/* SPDX-License-Identifier: MIT */
/* Objects cut into parts. */
#include "config.h"

#include "parts.h"

#include "tap.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define GIB (MIB * 1024)
#define TIB (GIB * 1024)

static const struct {
    uint64_t object, part;
    uint32_t count; /* of parts */
    uint64_t last; /* bytes of the last */
} good[] = {
    {0, 5 * MIB, 1, 0},
    {1, 5 * MIB, 1, 1},
    {5 * MIB - 1, 5 * MIB, 1, 5 * MIB - 1},
    {5 * MIB, 5 * MIB, 1, 5 * MIB},
    {5 * MIB + 1, 5 * MIB, 2, 1},
    {10 * MIB, 5 * MIB, 2, 5 * MIB},
    {100 * MIB, 8 * MIB, 13, 4 * MIB},
    {1000, 1000, 1, 1000}, /* a single part is the last one */
    {1000, 1001, 1, 1000},
    {50000 * MIB, 5 * MIB, 10000, 5 * MIB},
    {1000, 6 * GIB, 1, 1000}, /* never gets so long */
    {5 * GIB, 6 * GIB, 1, 5 * GIB},
    {10000 * 5 * GIB, 5 * GIB, 10000, 5 * GIB},
};

static const struct {
    uint64_t object, part;
    enum parts_fault fault;
    uint64_t least; /* what would do; 0: nothing */
} bad[] = {
    {1000, 4, PARTS_TOO_SMALL, 5 * MIB},
    {10 * MIB, 5 * MIB - 1, PARTS_TOO_SMALL, 5 * MIB},
    {5 * MIB, 1, PARTS_TOO_SMALL, 5 * MIB},
    {50000 * MIB + 1, 5 * MIB, PARTS_TOO_MANY, 6 * MIB},
    {5 * TIB, 8 * MIB, PARTS_TOO_MANY, 525 * MIB},
    {6 * GIB, 5 * GIB + 1, PARTS_TOO_LARGE, 5 * MIB},
    {5 * GIB + 1, 5 * GIB + 1, PARTS_TOO_LARGE, 5 * MIB},
    {10000 * 5 * GIB + 1, 5 * GIB, PARTS_TOO_MANY, 0},
    {UINT64_MAX, UINT64_MAX, PARTS_TOO_LARGE, 0},
    {UINT64_MAX, 5 * MIB, PARTS_TOO_MANY, 0},
};

/* The parts lie end to end and are the object. */
static void
check_sum(const struct parts *p)
{
    uint64_t at = 0;
    bool touch = true;

    for (uint32_t i = 0; i < p->count; i++) {
        touch &= parts_offset(p, i) == at;
        at += parts_length(p, i);
    }
    ok(touch && at == p->object_bytes, "parts lie end to end");
}

static void
test_uploads(void)
{
    struct parts p;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        memset(&p, 0, sizeof p);
        is_int(parts_for_upload(&p, good[i].object, good[i].part), PARTS_FINE,
               "%" PRIu64 " bytes in parts of %" PRIu64, good[i].object,
               good[i].part);
        is_int(p.count, good[i].count, "number of parts");
        is_int((int64_t) parts_length(&p, p.count - 1), (int64_t) good[i].last,
               "the last one");
        check_sum(&p);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        p = (struct parts){.count = 77};
        is_int(parts_for_upload(&p, bad[i].object, bad[i].part), bad[i].fault,
               "%" PRIu64 " bytes in parts of %" PRIu64 " are refused",
               bad[i].object, bad[i].part);
        is_int(p.count, 77, "and nothing is touched");
        is_int((int64_t) parts_least_bytes(bad[i].object),
               (int64_t) bad[i].least, "what would do");
    }
}

/* What is advised is taken, and 1 MiB less is not, above the minimum. */
static void
test_advice(void)
{
    static const uint64_t objects[] = {
        0,         1,         5 * MIB,     50000 * MIB, 50000 * MIB + 1,
        100 * GIB, 999 * GIB, 5 * TIB - 1, 5 * TIB,     10000 * 5 * GIB};
    struct parts p;

    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        uint64_t least = parts_least_bytes(objects[i]);

        ok(least % MIB == 0 &&
               parts_for_upload(&p, objects[i], least) == PARTS_FINE,
           "%" PRIu64 " bytes do in parts of %" PRIu64, objects[i], least);
        if (least > PARTS_BYTES_MIN)
            is_int(parts_for_upload(&p, objects[i], least - MIB),
                   PARTS_TOO_MANY, "and not in smaller ones");
    }
}

static void
test_downloads(void)
{
    struct parts p;

    is_int(parts_for_download(&p, 1000, 1), PARTS_FINE, "any part is read");
    is_int(p.count, 1000, "so many");
    is_int(parts_for_download(&p, 0, 1), PARTS_FINE, "nothing is read");
    is_int(p.count, 1, "as one part");
    is_int((int64_t) parts_length(&p, 0), 0, "which is empty");
    is_int(parts_for_download(&p, UINT32_MAX, 1), PARTS_FINE, "2^32 - 1");
    is_int(parts_for_download(&p, UINT64_C(1) << 32, 1), PARTS_TOO_MANY,
           "2^32 are too many");
    is_int(parts_for_download(&p, UINT64_MAX, UINT64_MAX), PARTS_FINE,
           "the largest");
    is_int(p.count, 1, "is one");
}

static void
test_rule(void)
{
    static const struct parts_rule none, some = {8 * MIB, 10 * MIB},
                                         all = {8 * MIB, 0};
    struct parts p = {.count = 77};

    ok(!parts_apply(&p, &none, 100 * MIB), "without a rule nothing is cut");
    ok(!parts_apply(&p, &some, 10 * MIB - 1), "nor is what is too small");
    is_int(p.count, 77, "and nothing is touched");
    ok(parts_apply(&p, &some, 10 * MIB), "what is large enough is cut");
    is_int(p.count, 2, "into two");
    ok(parts_apply(&p, &all, 0), "without a threshold all is cut");
    is_int(p.count, 1, "if only into one");
}

int
main(void)
{
    test_rule();
    test_uploads();
    test_advice();
    test_downloads();
    return done_testing();
}
