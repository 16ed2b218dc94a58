/* SPDX-License-Identifier: MIT */
/* Sizes are read as they are written, and drawn as they are said to be. */
#include "config.h"

#include "sizes.h"

#include <math.h>

#include "chi-square.h"
#include "tap.h"

#define KI UINT64_C(1024)
#define MI (KI * KI)
#define DRAWS 100000

static void
test_fixed(void)
{
    struct sizes s;

    ok(sizes_parse(&s, "1Mi") == NULL, "one size");
    ok(sizes_is_fixed(&s) && s.max == MI, "all are alike");
    ok(sizes_of(&s, 1, 0) == MI && sizes_of(&s, 9, 99) == MI, "always");
    is_int((int64_t) sizes_mean(&s), MI, "its mean");
    is_int(sizes_class_count(&s), 1, "one class of results");
    ok(sizes_parse(&s, "0") == NULL && sizes_is_fixed(&s) &&
           sizes_of(&s, 1, 5) == 0,
       "empty objects");
    sizes_fix(&s, 77);
    ok(sizes_is_fixed(&s) && sizes_of(&s, 1, 5) == 77 &&
           sizes_class_count(&s) == 1 && sizes_class_of(&s, 77) == 0,
       "a number of bytes");
}

static void
test_refused(void)
{
    static const char *const bad[] = {
        "",
        "4x",
        "1Mi,2Mi",
        "1Ki:1,2Ki",
        "1Ki:x",
        "1Ki:-1",
        "1Ki:0",
        "1Ki:1,,2Ki:1",
        "1Ki:1,",
        "5..4",
        "4..",
        "..4",
        "log2:",
        "log2:0",
        "log2:0..5",
        "log2:4x",
        "lognormal:",
        "lognormal:1",
        "lognormal:1,",
        "lognormal:1,x",
        "lognormal:0,1",
        "lognormal:2,1,1",
        "lognormal:1Mi,11",
        "1Ki:1,1Ki:2",
        "1..4Ki:1,2Ki:1",
        "300T",
        "1Ki:4294967297",
        "lognormal:1,1,1,1",
        "log3:1Mi",
        "1 Ki",
    };
    struct sizes s, before;

    sizes_fix(&s, 1);
    before = s;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(sizes_parse(&s, bad[i]) != NULL, "'%s' is none", bad[i]);
    ok(memcmp(&s, &before, sizeof s) == 0, "nothing was changed");
    is_str(sizes_parse(&s, "1Ki:1,2Ki"), "each class is SIZE:WEIGHT",
           "it says why");
}

/* All draws of SPEC have bounds and their mean; the same draws come again,
 * others with another seed. */
static void
check_draws(const char *spec, uint64_t min, uint64_t max)
{
    struct sizes s;
    uint64_t low = UINT64_MAX, high = 0;
    double sum = 0, squares = 0, mean, error;
    bool again = true, other = false;

    ok(sizes_parse(&s, spec) == NULL, "%s is read", spec);
    is_int((int64_t) s.min, (int64_t) min, "its smallest size");
    is_int((int64_t) s.max, (int64_t) max, "its largest size");
    for (uint64_t i = 0; i < DRAWS; i++) {
        uint64_t size = sizes_of(&s, 1, i);

        low = size < low ? size : low;
        high = size > high ? size : high;
        sum += (double) size;
        squares += (double) size * (double) size;
        again &= sizes_of(&s, 1, i) == size;
        other |= sizes_of(&s, 2, i) != size;
    }
    mean = sum / DRAWS;
    error = sqrt((squares / DRAWS - mean * mean) / DRAWS);
    ok(low >= min && high <= max, "no draw is outside");
    ok(fabs(mean - sizes_mean(&s)) < 5 * error + 1,
       "mean %.0f, expected %.0f, standard error %.0f", mean, sizes_mean(&s),
       error);
    ok(again && other, "the seed decides");
}

static void
test_uniform(void)
{
    uint64_t counts[5] = {0};
    struct sizes s;

    check_draws("1Ki..1Mi", KI, MI);
    check_draws("0..1", 0, 1);
    sizes_parse(&s, "10..14");
    for (uint64_t i = 0; i < DRAWS; i++)
        counts[sizes_of(&s, 1, i) - 10]++;
    ok(chi_square_fits(counts, NULL, 5), "both ends are as likely as others");
}

/* Each of the eight octaves below MAX is as likely. */
static void
test_log2(void)
{
    uint64_t counts[8] = {0};
    struct sizes s;

    check_draws("log2:16Mi", 64 * KI, 16 * MI);
    check_draws("log2:100", 1, 100);
    check_draws("log2:1..1Gi", 1, KI * MI);
    sizes_parse(&s, "log2:256Mi");
    for (uint64_t i = 0; i < DRAWS; i++) {
        double octave = log2((double) sizes_of(&s, 1, i) / (double) MI);

        counts[(size_t) fmin(octave, 7)]++;
    }
    ok(chi_square_fits(counts, NULL, 8), "octaves are even");
    /* log2:MAX is what warp draws, for one who compares. */
    ok(fabs(sizes_mean(&s) / (256 * (double) MI) - 0.18) < 0.001,
       "the mean is 0.18 MAX");
}

static void
test_lognormal(void)
{
    uint64_t counts[4] = {0}, capped = 0;
    struct sizes s;

    check_draws("lognormal:1Mi,1", 19205, 57250309);
    check_draws("lognormal:1Mi,1.5,4Mi", 2599, 4 * MI);
    check_draws("lognormal:1000,0.1", 670, 1491);
    ok(sizes_parse(&s, "lognormal:5,0") == NULL && sizes_is_fixed(&s) &&
           sizes_of(&s, 1, 1) == 5 && sizes_mean(&s) == 5,
       "without spread it is one size");
    sizes_parse(&s, "lognormal:1Mi,2");
    for (uint64_t i = 0; i < DRAWS; i++) {
        double z = log((double) sizes_of(&s, 1, i) / (double) MI) / 2;

        counts[z < -0.6744897501960817  ? 0
               : z < 0                  ? 1
               : z < 0.6744897501960817 ? 2
                                        : 3]++;
    }
    ok(chi_square_fits(counts, NULL, 4), "its quarters are even");
    sizes_parse(&s, "lognormal:1Mi,2,1Mi");
    for (uint64_t i = 0; i < DRAWS; i++)
        capped += sizes_of(&s, 1, i) == MI;
    ok(capped < 50, "what is above MAX is not MAX: %d are", (int) capped);
}

/* Of each 20 objects in a row, 14 are small, 5 are middling, 1 is large. */
static void
test_classes(void)
{
    struct sizes s;
    bool exact = true;
    uint64_t places[20] = {0};

    check_draws("4Ki:70,1Mi:25,16Mi:5", 4 * KI, 16 * MI);
    sizes_parse(&s, "4Ki:70,1Mi:25,16Mi:5");
    is_int((int64_t) s.classes[2].until, 20, "weights are reduced");
    for (uint64_t deck = 0; deck < 5000; deck++) {
        unsigned seen[3] = {0};

        for (uint64_t i = 0; i < 20; i++) {
            uint32_t class = sizes_class_of(&s, sizes_of(&s, 1, deck * 20 + i));

            seen[class]++;
            places[i] += class == 2;
        }
        exact &= seen[0] == 14 && seen[1] == 5 && seen[2] == 1;
    }
    ok(exact, "each class has its share of any deal");
    ok(chi_square_fits(places, NULL, 20), "the large one is anywhere in it");
    check_draws("0:1,1Ki..4Ki:2,1Mi:0", 0, 4 * KI);
    ok(sizes_parse(&s, "0:1,1Ki..4Ki:2,1Mi:0") == NULL,
       "a class may be a range, or not occur");
    is_int(sizes_class_count(&s), 2, "it has two classes then");
}

static void
check_class(const char *spec, uint64_t size, uint32_t number, const char *name)
{
    char got[SIZES_NAME_SIZE];
    struct sizes s;

    sizes_parse(&s, spec);
    is_int(sizes_class_of(&s, size), number, "%s: the class of %d", spec,
           (int) size);
    sizes_class_name(&s, number, got);
    is_str(got, name, "its name");
    ok(number < sizes_class_count(&s), "is one of them");
}

static void
test_names(void)
{
    check_class("5000", 5000, 0, "5000");
    check_class("1Mi", MI, 0, "1Mi");
    check_class("0", 0, 0, "0");
    check_class("0..1Mi", 0, 0, "0");
    check_class("0..1Mi", 1, 1, "1..2");
    check_class("0..1Mi", 4096, 13, "4Ki..8Ki");
    check_class("0..1Mi", 8191, 13, "4Ki..8Ki");
    check_class("log2:1Mi", MI, 8, "1Mi..2Mi");
    check_class("log2:1Mi", 4096, 0, "4Ki..8Ki");
    check_class("4Ki:70,1Mi:25", MI, 1, "1Mi");
    check_class("1..4Ki:70,1Mi:25", 77, 0, "1..4Ki");
    check_class("0..281474976710656", UINT64_C(1) << 48, 49, "256Ti..512Ti");
}

/* A run a year from now, on another machine, has the same objects. */
static void
test_golden(void)
{
    static const struct {
        const char *spec;
        uint64_t sizes[3];
    } golden[] = {
        {"1..1Mi", {107060, 566905, 709616}},
        {"log2:1Mi", {7215, 82102, 174630}},
        {"lognormal:1Mi,1", {142380, 16262189, 3175531}},
        {"1:1,2:1,3:1", {3, 1, 2}},
    };
    struct sizes s;

    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        sizes_parse(&s, golden[i].spec);
        for (uint64_t k = 0; k < 3; k++)
            is_int((int64_t) sizes_of(&s, 1, k), (int64_t) golden[i].sizes[k],
                   "%s: object %d", golden[i].spec, (int) k);
    }
}

int
main(void)
{
    test_fixed();
    test_refused();
    test_uniform();
    test_log2();
    test_lognormal();
    test_classes();
    test_names();
    test_golden();
    return done_testing();
}
