/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "pick.h"

#include <math.h>
#include <string.h>

#include "random.h"
#include "units.h"

#define USE_PICK 0x9e1c /* random numbers for picks */

bool
pick_parse(struct pick *out, const char *text)
{
    static const char *const names[] = {
        [PICK_SEQUENTIAL] = "sequential",
        [PICK_SHUFFLE] = "shuffle",
        [PICK_UNIFORM] = "uniform",
    };
    double skew;

    for (int i = PICK_SEQUENTIAL; i <= PICK_UNIFORM; i++) {
        if (strcmp(text, names[i]) == 0) {
            out->form = (enum pick_form) i;
            return true;
        }
    }
    if (strncmp(text, "zipf:", 5) != 0 ||
        !units_parse_decimal(&skew, text + 5) || skew > PICK_SKEW_MAX)
        return false;
    out->form = skew > 0 ? PICK_ZIPF : PICK_UNIFORM;
    out->skew = skew;
    return true;
}

/*
 * Ranks by rejection and inversion (Hoermann and Derflinger 1996): h is the
 * weight 1 / x^S of any real rank x, H its integral from 1 to x. A uniform
 * number between H(1.5) - h(1) and H(N + 0.5) is taken back through H and
 * rounded; what lies outside the bar of its rank is drawn again, which seldom
 * happens.
 */
static double
weight(const struct pick *p, double x)
{
    return exp(-p->skew * log(x));
}

/* (e^(A X) - 1) / A, which is X where A is 0. */
static double
grown(double a, double x)
{
    return fabs(a * x) > 1e-9 ? expm1(a * x) / a : x * (1 + a * x / 2);
}

static double
integral(const struct pick *p, double x)
{
    return grown(1 - p->skew, log(x));
}

static double
integral_inverse(const struct pick *p, double y)
{
    double a = 1 - p->skew;
    double grows = fmax(a * y, -1); /* not below, whatever the rounding */

    return exp(fabs(grows) > 1e-9 ? log1p(grows) / a : y * (1 - grows / 2));
}

static uint64_t
draw_rank(const struct pick *p, uint64_t *state)
{
    for (;;) {
        double u = p->high + random_fraction(state) * (p->low - p->high);
        double x = integral_inverse(p, u);
        double rank = floor(x + 0.5);

        rank = fmin(fmax(rank, 1), (double) p->count);
        if (rank - x <= p->sure ||
            u >= integral(p, rank + 0.5) - weight(p, rank))
            return (uint64_t) rank - 1;
    }
}

void
pick_init(struct pick *p, uint64_t count, uint64_t seed)
{
    p->count = count;
    p->seed = random_fork(seed, USE_PICK);
    if (p->form != PICK_ZIPF)
        return;
    p->low = integral(p, 1.5) - 1;
    p->high = integral(p, (double) count + 0.5);
    p->sure = 2 - integral_inverse(p, integral(p, 2.5) - weight(p, 2));
    permutation_init(&p->popular, count, random_fork(p->seed, USE_PICK));
}

uint64_t
pick_at(const struct pick *p, uint64_t turn)
{
    uint64_t state = random_at(p->seed, turn);
    struct permutation order;

    switch (p->form) {
    case PICK_SHUFFLE:
        permutation_init(&order, p->count, random_at(p->seed, turn / p->count));
        return permutation_at(&order, turn % p->count);
    case PICK_UNIFORM:
        return random_below(&state, p->count);
    case PICK_ZIPF:
        return permutation_at(&p->popular, draw_rank(p, &state));
    default:
        return turn % p->count;
    }
}
