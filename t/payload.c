/* SPDX-License-Identifier: MIT */
/* Generated content is a function of seed, key and offset. */
#include "config.h"

#include "payload.h"

#include <stdlib.h>

#include "sigv4.h"
#include "tap.h"

#define SIZE 100000u

static unsigned char one[SIZE], other[SIZE];

static void
test_ranges(struct payload *p, uint64_t object)
{
    static const struct {
        uint64_t offset;
        size_t n;
    } ranges[] = {{0, 1},     {1, 1},     {15, 2},       {16, 16},
                  {17, 4096}, {4095, 2},  {16383, 2},    {16384, 20000},
                  {7, 99000}, {50000, 0}, {SIZE - 1, 1}, {31, 33000}};

    payload_fill(p, object, 0, one, SIZE);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        memset(other, 0, SIZE);
        payload_fill(p, object, ranges[i].offset, other, ranges[i].n);
        ok(memcmp(other, one + ranges[i].offset, ranges[i].n) == 0,
           "%zu bytes at %" PRIu64 " are the same alone", ranges[i].n,
           ranges[i].offset);
        is_int((int64_t) payload_match(p, object, ranges[i].offset,
                                       one + ranges[i].offset, ranges[i].n),
               (int64_t) ranges[i].n, "and match");
    }
}

/* No block of 4 KiB may be alike anywhere: not within, not between. */
static void
test_unlike(struct payload *p)
{
    bool alike = false;

    payload_fill(p, payload_object("a1", 2), 0, one, SIZE);
    payload_fill(p, payload_object("a2", 2), 0, other, SIZE);
    for (size_t i = 0; i + 4096 <= SIZE; i += 4096)
        for (size_t k = 0; k + 4096 <= SIZE; k += 4096) {
            alike |= memcmp(one + i, other + k, 4096) == 0;
            alike |= i != k && memcmp(one + i, one + k, 4096) == 0;
        }
    ok(!alike, "no two blocks are alike, within and between objects");
}

static void
test_difference(struct payload *p, uint64_t object)
{
    static const size_t places[] = {0, 1, 16383, 16384, 77777, SIZE - 1};

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        payload_fill(p, object, 0, one, SIZE);
        one[places[i]] ^= 1;
        is_int((int64_t) payload_match(p, object, 0, one, SIZE),
               (int64_t) places[i], "a flipped bit at %zu is found", places[i]);
    }
}

static void
test_hash(struct payload *p, uint64_t object)
{
    char streamed[PAYLOAD_HASH_SIZE], whole[SIGV4_HEX_SIZE];

    payload_fill(p, object, 0, one, SIZE);
    for (uint64_t size = 0; size <= SIZE; size += 33333) {
        payload_hash(p, object, size, streamed);
        sigv4_hash_hex(whole, one, size);
        is_str(streamed, whole, "hash of %" PRIu64 " bytes", size);
    }
}

/* Stored objects must verify with later versions too. */
static void
test_frozen(struct payload *p)
{
    char hash[PAYLOAD_HASH_SIZE];

    payload_hash(p, payload_object("testfile1", 9), 1048576, hash);
    is_str(hash,
           "9af61b59551d7e5570ef9c1235a5dfda37ba4aa143613c60f630aec24d113692",
           "1 MiB of seed 1, key testfile1, has not changed");
}

int
main(void)
{
    struct payload *p, *seed2;
    uint64_t object = payload_object("dir/key", 7);

    if (payload_new(&p, 1) != 0 || payload_new(&seed2, 2) != 0)
        return 1;
    test_ranges(p, object);
    test_unlike(p);
    test_difference(p, object);
    test_hash(p, object);
    test_frozen(p);
    payload_fill(p, object, 0, one, 64);
    payload_fill(seed2, object, 0, other, 64);
    ok(memcmp(one, other, 64) != 0, "another seed gives other content");
    payload_free(p);
    payload_free(seed2);
    return done_testing();
}
