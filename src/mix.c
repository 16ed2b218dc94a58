/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "units.h"

#define WEIGHT_MAX 1000000000
#define RATE_MAX 1e9
#define RATE_UNIT                                                              \
    60e6 /* parts of an operation per second: what is told per                 \
            minute has whole ones, too */
#define FIRST_MAX 1000000u /* operations that are gone through to begin */
#define ALL_KINDS ((1u << MIX_KINDS) - 1)

static const char *const names[MIX_KINDS] = {
    [MIX_GET] = "get",   [MIX_GET_RANGE] = "get-range",
    [MIX_HEAD] = "head", [MIX_PUT] = "put",
    [MIX_RM] = "rm",     [MIX_LS] = "ls",
    [MIX_CP] = "cp",
};

const char *
mix_name(enum mix_kind kind)
{
    return names[kind];
}

/* --- reading --- */

/* What has been read. */
struct reading {
    struct mix mix;
    bool seen[MIX_KINDS];
    bool rates, shares; /* which of them there are */
};

static const char *
read_value(struct reading *r, enum mix_kind kind, const char *text)
{
    uint64_t weight;
    double rate;

    if (units_parse_count(&weight, text)) {
        r->shares |= weight > 0;
        if (weight > WEIGHT_MAX)
            return "a share is at most 1000000000";
        r->mix.weights[kind] = (int64_t) weight;
        return NULL;
    }
    if (!units_parse_rate(&rate, text) || strchr(text, '/') == NULL)
        return "a share is a whole number, a rate is N/s or N/m";
    if (rate > RATE_MAX || rate * RATE_UNIT < 1)
        return "a rate is at most 10^9/s, at least one in 694 days";
    r->rates = true;
    r->mix.rate_per_s += rate;
    r->mix.weights[kind] = llround(rate * RATE_UNIT);
    return NULL;
}

static const char *
read_one(struct reading *r, const char *text, size_t n)
{
    char name[64], *value;

    if (n >= sizeof name)
        return "each part is OPERATION=SHARE";
    memcpy(name, text, n);
    name[n] = '\0';
    value = strchr(name, '=');
    if (value == NULL)
        return "each part is OPERATION=SHARE";
    *value++ = '\0';
    for (int kind = 0; kind < MIX_KINDS; kind++) {
        if (strcmp(name, names[kind]) != 0)
            continue;
        if (r->seen[kind])
            return "an operation is named twice";
        r->seen[kind] = true;
        return read_value(r, (enum mix_kind) kind, value);
    }
    return "operations are get, get-range, head, put, rm, ls and cp";
}

static int64_t
common_divisor(const struct mix *m)
{
    int64_t divisor = 0;

    for (int kind = 0; kind < MIX_KINDS; kind++) {
        int64_t a = m->weights[kind];

        while (a > 0) { /* Euclid */
            int64_t rest = divisor % a;

            divisor = a;
            a = rest;
        }
    }
    return divisor;
}

static int64_t
largest(const struct mix *m)
{
    int64_t most = 0;

    for (int kind = 0; kind < MIX_KINDS; kind++)
        if (m->weights[kind] > most)
            most = m->weights[kind];
    return most;
}

/* Make the weights as small as they can be; what dealers owe must not
 * overflow. */
static void
reduce(struct mix *m)
{
    int64_t divisor = common_divisor(m);

    for (int kind = 0; kind < MIX_KINDS; kind++)
        m->weights[kind] /= divisor;
    divisor = (largest(m) - 1) / WEIGHT_MAX + 1;
    for (int kind = 0; divisor > 1 && kind < MIX_KINDS; kind++)
        m->weights[kind] = (m->weights[kind] + divisor - 1) / divisor;
}

const char *
mix_parse(struct mix *out, const char *text)
{
    struct reading r = {.rates = false};
    const char *why = NULL, *comma;

    do {
        comma = strchr(text, ',');
        why = read_one(&r, text,
                       comma != NULL ? (size_t) (comma - text) : strlen(text));
        text = comma != NULL ? comma + 1 : NULL;
    } while (why == NULL && text != NULL);
    if (why == NULL && r.rates && r.shares)
        why = "shares and rates do not go together";
    if (why == NULL && mix_sum(&r.mix) == 0)
        why = "some share must be above 0";
    if (why != NULL)
        return why;
    reduce(&r.mix);
    *out = r.mix;
    return NULL;
}

/* --- dealing --- */

int64_t
mix_sum(const struct mix *m)
{
    int64_t sum = 0;

    for (int kind = 0; kind < MIX_KINDS; kind++)
        sum += m->weights[kind];
    return sum;
}

double
mix_share(const struct mix *m, enum mix_kind kind)
{
    return (double) m->weights[kind] / (double) mix_sum(m);
}

void
mix_begin(struct mix_dealer *d, const struct mix *m, uint64_t first)
{
    uint64_t steps = first % (uint64_t) mix_sum(m); /* then it repeats */

    *d = (struct mix_dealer){{0}};
    for (steps %= FIRST_MAX; steps > 0; steps--)
        mix_deal(d, m, ALL_KINDS);
}

/*
 * Earliest deadline first. A kind may have its next operation as soon as a
 * part of it is owed; the deadline is when all of it is. One of those that
 * may always meets its deadline, so nobody is ahead or behind by a whole
 * operation (unless the kind was not possible).
 */
enum mix_kind
mix_deal(struct mix_dealer *d, const struct mix *m, unsigned possible)
{
    double sum = (double) mix_sum(m), best_left = 0;
    enum mix_kind best = MIX_NONE;
    bool best_may = false;

    for (int kind = 0; kind < MIX_KINDS; kind++) {
        bool may = d->owed[kind] + m->weights[kind] > 0;
        double left; /* operations from now to the deadline */

        if (m->weights[kind] == 0 || (possible >> kind & 1) == 0)
            continue;
        left = (sum - (double) d->owed[kind]) / (double) m->weights[kind];
        if (best != MIX_NONE &&
            (may == best_may ? left >= best_left : best_may))
            continue;
        best = (enum mix_kind) kind;
        best_left = left;
        best_may = may;
    }
    if (best == MIX_NONE)
        return best;
    for (int kind = 0; kind < MIX_KINDS; kind++)
        d->owed[kind] += m->weights[kind];
    d->owed[best] -= mix_sum(m);
    return best;
}
