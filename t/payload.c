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
        payload_hash(p, object, 0, size, streamed);
        sigv4_hash_hex(whole, one, size);
        is_str(streamed, whole, "hash of %" PRIu64 " bytes", size);
    }
}

/* Stored objects must verify with later versions too. */
static void
test_frozen(void)
{
    static const struct {
        struct payload_style style;
        const char *name, *hash;
    } frozen[] = {
        {{.form = PAYLOAD_RANDOM},
         "random",
         "9af61b59551d7e5570ef9c1235a5dfda37ba4aa143613c60f630aec24d113692"},
        {{.percent = 33},
         "33 %",
         "107592530d3c4a2f745d4ce305b9af06ebdb2f13adea663cc6c30e4700d4d9bb"},
        {{.form = PAYLOAD_TEXT},
         "text",
         "32937fa9121f731a82a7fce65bf6cd5fd1006a01f0978da0433da5a4db29bbcc"},
        {{.form = PAYLOAD_ZERO},
         "zero",
         "30e14955ebf1352266dc2ff8067e68104607e750abb9d3b36582b8af909fcb58"},
    };
    char hash[PAYLOAD_HASH_SIZE];

    for (size_t i = 0; i < sizeof frozen / sizeof *frozen; i++) {
        struct payload *p;

        if (payload_new(&p, &frozen[i].style, 1) != 0)
            exit(1);
        payload_hash(p, payload_object("testfile1", 9), 0, 1048576, hash);
        is_str(hash, frozen[i].hash,
               "1 MiB of %s, seed 1, key testfile1, has not changed",
               frozen[i].name);
        payload_free(p);
    }
}

/* How many of the SIZE bytes are zero in each 4 KiB, at least and at most. */
static void
test_share(uint32_t percent)
{
    struct payload_style style = {.percent = percent};
    struct payload *p;
    size_t want = 4096 * percent / 100, least = 4096, most = 0;

    if (payload_new(&p, &style, 1) != 0)
        exit(1);
    payload_fill(p, payload_object("c", 1), 0, one, SIZE);
    for (size_t at = 0; at + 4096 <= SIZE; at += 4096) {
        size_t zeros = 0;

        for (size_t i = 0; i < 4096; i++)
            zeros += one[at + i] == 0;
        least = zeros < least ? zeros : least;
        most = zeros > most ? zeros : most;
    }
    /* Rounding, and the zeros that chance brings to the rest. */
    ok(least + 41 >= want && most <= want + 70,
       "%u %%: %zu to %zu of 4096 bytes are zeros", percent, least, most);
    payload_free(p);
}

/* What must hold whatever the style: ranges, differences, hashes. */
static void
test_style(const char *name, const struct payload_style *style)
{
    uint64_t object = payload_object("dir/key", 7);
    struct payload *p;

    printf("# %s\n", name);
    if (payload_new(&p, style, 1) != 0)
        exit(1);
    test_ranges(p, object);
    test_difference(p, object);
    test_hash(p, object);
    if (!payload_is_alike(style))
        test_unlike(p);
    payload_free(p);
}

static void
test_styles(void)
{
    static const unsigned char some[] = "seven b";
    static unsigned char more[20011]; /* longer than the pieces made */
    const struct payload_style repeat = {PAYLOAD_REPEAT, 0, some, 7};
    const struct payload_style longer = {PAYLOAD_REPEAT, 0, more, sizeof more};

    for (size_t i = 0; i < sizeof more; i++)
        more[i] = (unsigned char) (i * i >> 3);
    test_style("random", &(struct payload_style){0});
    test_style("1 %", &(struct payload_style){.percent = 1});
    test_style("50 %", &(struct payload_style){.percent = 50});
    test_style("100 %", &(struct payload_style){.percent = 100});
    test_style("zero", &(struct payload_style){.form = PAYLOAD_ZERO});
    test_style("text", &(struct payload_style){.form = PAYLOAD_TEXT});
    test_style("repeated", &repeat);
    test_style("repeated, longer", &longer);
    for (uint32_t percent = 0; percent <= 100; percent += 5)
        test_share(percent);
}

/* Only letters, blanks and newlines, in lines that fit a terminal. */
static void
test_text(void)
{
    const struct payload_style style = {.form = PAYLOAD_TEXT};
    size_t odd = 0, line = 0, longest = 0;
    struct payload *p;

    if (payload_new(&p, &style, 1) != 0)
        exit(1);
    payload_fill(p, 1, 0, one, SIZE);
    for (size_t i = 0; i < SIZE; i++) {
        line = one[i] == '\n' ? 0 : line + 1;
        longest = line > longest ? line : longest;
        odd +=
            (one[i] < 'a' || one[i] > 'z') && one[i] != ' ' && one[i] != '\n';
    }
    is_int((int64_t) odd, 0, "text has letters, blanks and newlines only");
    ok(longest > 60 && longest < 80, "its longest line has %zu", longest);
    payload_free(p);
}

static void
test_names(void)
{
    enum payload_form form = PAYLOAD_REPEAT;

    ok(!payload_parse_form(&form, "Random"), "a file's name is no form");
    is_int(form, PAYLOAD_REPEAT, "and changes nothing");
    ok(payload_parse_form(&form, "text") && form == PAYLOAD_TEXT, "text");
    ok(payload_parse_form(&form, "zero") && form == PAYLOAD_ZERO, "zero");
    ok(payload_parse_form(&form, "random") && form == PAYLOAD_RANDOM, "random");
}

int
main(void)
{
    const struct payload_style random = {.form = PAYLOAD_RANDOM};
    struct payload *p, *seed2;
    uint64_t object = payload_object("dir/key", 7);

    if (payload_new(&p, &random, 1) != 0 ||
        payload_new(&seed2, &random, 2) != 0)
        return 1;
    test_names();
    test_styles();
    test_text();
    test_frozen();
    payload_fill(p, object, 0, one, 64);
    payload_fill(seed2, object, 0, other, 64);
    ok(memcmp(one, other, 64) != 0, "another seed gives other content");
    payload_free(p);
    payload_free(seed2);
    return done_testing();
}
