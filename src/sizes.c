/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "sizes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "permutation.h"
#include "random.h"
#include "units.h"

#define USE_SIZES 0x512e5 /* random numbers for sizes */
#define TEXT_MAX 64 /* of a size in a specification */
#define SHORT_SIZE 20 /* of its shortest form, below 2^48 */
#define LOG2_SPAN 256 /* largest by smallest, unless both are given */
#define SIGMAS 4 /* how far lognormal goes from the median */
#define WEIGHTS_MAX (UINT64_C(1) << 32)
#define DRAWS_MAX 200 /* of which each is taken with 49 % or more */

static const char not_bytes[] =
    "it is bytes, or has one of the suffixes K M G T Ki Mi Gi Ti";
static const char too_large[] = "it is at most 256 TiB";

/* --- specifications --- */

/* Cut what comes before the first END, or all, off *TEXT into OUT; false if
 * it is too long. */
static bool
cut(char out[TEXT_MAX], const char **text, const char *end)
{
    const char *at = end != NULL ? strstr(*text, end) : NULL;
    size_t n = at != NULL ? (size_t) (at - *text) : strlen(*text);

    if (n >= TEXT_MAX)
        return false;
    memcpy(out, *text, n);
    out[n] = '\0';
    *text += n;
    if (at != NULL)
        *text += strlen(end);
    return true;
}

static const char *
parse_size(uint64_t *out, const char *text)
{
    uint64_t size;

    if (!units_parse_size(&size, text))
        return not_bytes;
    if (size > SIZES_MAX)
        return too_large;
    *out = size;
    return NULL;
}

/* "SIZE" or "MIN..MAX"; *IS_RANGE says which. */
static const char *
parse_range(uint64_t *min, uint64_t *max, bool *is_range, const char *text)
{
    char first[TEXT_MAX];
    const char *why;

    *is_range = strstr(text, "..") != NULL;
    if (!cut(first, &text, ".."))
        return not_bytes;
    why = parse_size(min, first);
    *max = *min;
    if (why == NULL && *is_range)
        why = parse_size(max, text);
    if (why == NULL && *max < *min)
        why = "MIN..MAX begins with the smaller one";
    return why;
}

static const char *
parse_class(struct sizes *s, const char *text, bool weighted)
{
    struct sizes_class *class = &s->classes[s->class_count];
    uint64_t before = s->class_count > 0 ? class[-1].until : 0, weight = 1;
    const char *colon = strchr(text, ':'), *why;
    char range[2 * TEXT_MAX];
    bool is_range;

    if (weighted && colon == NULL)
        return "each class is SIZE:WEIGHT";
    if (colon != NULL &&
        (!units_parse_count(&weight, colon + 1) || weight > WEIGHTS_MAX))
        return "a weight is a whole number, at most 2^32";
    snprintf(range, sizeof range, "%.*s",
             colon != NULL ? (int) (colon - text) : (int) strlen(text), text);
    why = parse_range(&class->min, &class->max, &is_range, range);
    if (why != NULL || weight == 0) /* as if it were not there */
        return why;
    for (uint32_t i = 0; i < s->class_count; i++)
        if (class->min <= s->classes[i].max && s->classes[i].min <= class->max)
            return "the classes overlap";
    class->until = before + weight;
    s->class_count++;
    return NULL;
}

static void
reduce_weights(struct sizes *s)
{
    uint64_t divisor = 0, before = 0;

    for (uint32_t i = 0; i < s->class_count; i++) {
        uint64_t a = s->classes[i].until - before, b = divisor;

        before = s->classes[i].until;
        while (b > 0) { /* Euclid */
            uint64_t rest = a % b;

            a = b;
            b = rest;
        }
        divisor = a;
    }
    for (uint32_t i = 0; i < s->class_count; i++)
        s->classes[i].until /= divisor;
}

static const char *
parse_classes(struct sizes *s, const char *text)
{
    bool weighted = strchr(text, ',') != NULL, more = true;

    s->law = SIZES_CLASSES;
    s->min = UINT64_MAX;
    while (more) {
        char one[TEXT_MAX];
        const char *why;

        more = strchr(text, ',') != NULL;
        if (s->class_count == SIZES_CLASSES_MAX)
            return "there are at most 64 classes";
        if (!cut(one, &text, ","))
            return not_bytes;
        why = parse_class(s, one, weighted);
        if (why != NULL)
            return why;
    }
    if (s->class_count == 0)
        return "some weight must be above 0";
    for (uint32_t i = 0; i < s->class_count; i++) {
        if (s->classes[i].min < s->min)
            s->min = s->classes[i].min;
        if (s->classes[i].max > s->max)
            s->max = s->classes[i].max;
    }
    reduce_weights(s);
    return NULL;
}

static const char *
parse_log2(struct sizes *s, const char *text)
{
    bool is_range;
    const char *why = parse_range(&s->min, &s->max, &is_range, text);

    s->law = SIZES_LOG2;
    if (why == NULL && s->max == 0)
        return "log2 needs a MAX above 0";
    if (why == NULL && is_range && s->min == 0)
        return "log2 needs a MIN above 0";
    if (why == NULL && !is_range)
        s->min = s->max > LOG2_SPAN ? s->max / LOG2_SPAN : 1;
    return why;
}

static const char *
parse_lognormal(struct sizes *s, const char *text)
{
    static const char form[] = "it is lognormal:MEDIAN,SIGMA or "
                               "lognormal:MEDIAN,SIGMA,MAX";
    char median[TEXT_MAX], sigma[TEXT_MAX];
    uint64_t bytes = 0, limit = SIZES_MAX;
    const char *why;
    double most;

    s->law = SIZES_LOGNORMAL;
    if (!cut(median, &text, ",") || *text == '\0' || !cut(sigma, &text, ","))
        return form;
    why = parse_size(&bytes, median);
    if (why == NULL && *text != '\0')
        why = parse_size(&limit, text);
    if (why != NULL)
        return why;
    if (!units_parse_decimal(&s->sigma, sigma) || s->sigma > 10)
        return "SIGMA, of the natural logarithm, is 0 to 10";
    s->median = (double) bytes;
    if (bytes == 0 || limit < bytes)
        return "the MEDIAN is above 0, and MAX is not below it";
    most = s->median * random_exp(SIGMAS * s->sigma);
    s->min = (uint64_t) (s->median * random_exp(-SIGMAS * s->sigma));
    s->max = most < (double) limit ? (uint64_t) most : limit;
    return NULL;
}

const char *
sizes_parse(struct sizes *out, const char *text)
{
    struct sizes s = {.min = 0};
    const char *why;

    if (strncmp(text, "log2:", 5) == 0)
        why = parse_log2(&s, text + 5);
    else if (strncmp(text, "lognormal:", 10) == 0)
        why = parse_lognormal(&s, text + 10);
    else
        why = parse_classes(&s, text);
    if (why == NULL)
        *out = s;
    return why;
}

void
sizes_fix(struct sizes *s, uint64_t size)
{
    *s = (struct sizes){.law = SIZES_CLASSES,
                        .min = size,
                        .max = size,
                        .classes = {{size, size, 1}},
                        .class_count = 1};
}

bool
sizes_is_fixed(const struct sizes *s)
{
    return s->min == s->max;
}

/* --- drawing --- */

static uint64_t
draw_between(uint64_t *state, uint64_t min, uint64_t max)
{
    return min == max ? min : min + random_below(state, max - min + 1);
}

/* Classes are dealt out, in an order of its own for each deal. */
static uint64_t
draw_class(const struct sizes *s, uint64_t seed, uint64_t number,
           uint64_t *state)
{
    const struct sizes_class *class = s->classes;
    uint64_t deck = s->classes[s->class_count - 1].until, card;
    struct permutation order;

    if (s->class_count > 1) {
        permutation_init(
            &order, deck,
            random_at(random_fork(seed, USE_SIZES + 1), number / deck));
        card = permutation_at(&order, number % deck);
        while (class->until <= card)
            class ++;
    }
    return draw_between(state, class->min, class->max);
}

/* BYTES, which some rounding may have carried out of bounds. */
static uint64_t
within(const struct sizes *s, double bytes)
{
    if (bytes <= (double) s->min)
        return s->min;
    return bytes >= (double) s->max ? s->max : (uint64_t) bytes;
}

static uint64_t
draw_log2(const struct sizes *s, uint64_t *state)
{
    double ratio = (double) s->max / (double) s->min;
    double power = random_log(ratio) * random_fraction(state);

    return within(s, (double) s->min * random_exp(power) + 0.5);
}

static uint64_t
draw_lognormal(const struct sizes *s, uint64_t *state)
{
    for (int i = 0; i < DRAWS_MAX; i++) {
        double z = random_normal(state);
        double bytes = s->median * random_exp(s->sigma * z);

        if (fabs(z) <= SIGMAS && bytes <= (double) s->max)
            return within(s, bytes + 0.5);
    }
    return (uint64_t) s->median; /* once in 10^58 */
}

uint64_t
sizes_of(const struct sizes *s, uint64_t seed, uint64_t number)
{
    uint64_t state;

    if (s->min == s->max)
        return s->min;
    state = random_at(random_fork(seed, USE_SIZES), number);
    switch (s->law) {
    case SIZES_LOG2:
        return draw_log2(s, &state);
    case SIZES_LOGNORMAL:
        return draw_lognormal(s, &state);
    default:
        return draw_class(s, seed, number, &state);
    }
}

/* The share of a standard normal distribution below X. */
static double
normal_below(double x)
{
    return erfc(-x * M_SQRT1_2) / 2;
}

double
sizes_mean(const struct sizes *s)
{
    double min = (double) s->min, max = (double) s->max, sum = 0, high;
    uint64_t before = 0;

    if (s->min == s->max)
        return max;
    if (s->law == SIZES_LOG2)
        return (max - min) / log(max / min);
    if (s->law == SIZES_LOGNORMAL) {
        high = fmin(log(max / s->median) / s->sigma, SIGMAS);
        return s->median * exp(s->sigma * s->sigma / 2) *
               (normal_below(high - s->sigma) -
                normal_below(-SIGMAS - s->sigma)) /
               (normal_below(high) - normal_below(-SIGMAS));
    }
    for (uint32_t i = 0; i < s->class_count; i++) {
        const struct sizes_class *class = &s->classes[i];

        sum += ((double) class->min + (double) class->max) / 2 *
               (double) (class->until - before);
        before = class->until;
    }
    return sum / (double) before;
}

/* --- classes of results --- */

/* 0 for 0, 1 for 1, 2 for 2 and 3, 3 for 4 to 7, ... */
static uint32_t
bit_length(uint64_t size)
{
    return size > 0 ? 64 - (uint32_t) __builtin_clzll(size) : 0;
}

static bool
has_classes(const struct sizes *s)
{
    return s->law == SIZES_CLASSES && s->class_count > 1;
}

uint32_t
sizes_class_count(const struct sizes *s)
{
    return has_classes(s) ? s->class_count
                          : bit_length(s->max) - bit_length(s->min) + 1;
}

uint32_t
sizes_class_of(const struct sizes *s, uint64_t size)
{
    uint32_t i = 0;

    if (!has_classes(s))
        return bit_length(size) - bit_length(s->min);
    while (i + 1 < s->class_count &&
           (size < s->classes[i].min || size > s->classes[i].max))
        i++;
    return i;
}

/* SIZE as short as a specification may have it. */
static void
format_size(char out[SHORT_SIZE], uint64_t size)
{
    static const char *const suffixes[] = {"", "Ki", "Mi", "Gi", "Ti"};
    size_t i = 0;

    while (i < 4 && size > 0 && size % 1024 == 0) {
        size /= 1024;
        i++;
    }
    snprintf(out, SHORT_SIZE, "%" PRIu64 "%s", size, suffixes[i]);
}

void
sizes_class_name(const struct sizes *s, uint32_t number,
                 char out[SIZES_NAME_SIZE])
{
    char from[SHORT_SIZE], to[SHORT_SIZE];
    uint32_t bits = bit_length(s->min) + number;
    uint64_t min = s->min, max = s->min;

    if (has_classes(s)) {
        min = s->classes[number].min;
        max = s->classes[number].max;
    } else if (s->min != s->max && bits > 0) {
        min = UINT64_C(1) << (bits - 1);
        max = 2 * min;
    } else if (bits == 0) {
        min = max = 0;
    }
    format_size(from, min);
    format_size(to, max);
    snprintf(out, SIZES_NAME_SIZE, "%s%s%s", from, min < max ? ".." : "",
             min < max ? to : "");
}
