/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "random.h"

#include <math.h>

#ifdef __clang__ /* gcc does not under -std=c11: fused, results would differ   \
                  */
#pragma STDC FP_CONTRACT OFF
#endif

#define STEP UINT64_C(0x9e3779b97f4a7c15)
/* ln 2 in two parts: multiples of the first, which has 32 bits, are exact. */
#define LN2_HIGH 0x1.62e42fee00000p-1
#define LN2_LOW 0x1.a39ef35793c76p-33

/* Steele, Lea and Flood 2014. */
static uint64_t
mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t
random_next(uint64_t *state)
{
    return mix(*state += STEP);
}

uint64_t
random_at(uint64_t seed, uint64_t index)
{
    return mix(seed + (index + 1) * STEP);
}

uint64_t
random_fork(uint64_t seed, uint64_t use)
{
    return mix(mix(seed + STEP) ^ use * STEP);
}

/* Lemire 2019: the upper half of a product; what would make some numbers
 * more likely than others is drawn again. */
uint64_t
random_below(uint64_t *state, uint64_t limit)
{
    __extension__ unsigned __int128 product;

    do {
        product = random_next(state);
        product *= limit;
    } while ((uint64_t) product < limit && (uint64_t) product < -limit % limit);
    return (uint64_t) (product >> 64);
}

double
random_fraction(uint64_t *state)
{
    return (double) (random_next(state) >> 11) * 0x1p-53;
}

/* Marsaglia's polar method: a point in the unit circle. */
double
random_normal(uint64_t *state)
{
    double x, y, square;

    do {
        x = 2 * random_fraction(state) - 1;
        y = 2 * random_fraction(state) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    return x * sqrt(-2 * random_log(square) / square);
}

double
random_exp(double x)
{
    double twos = floor(x / (LN2_HIGH + LN2_LOW) + 0.5);
    double rest = x - twos * LN2_HIGH - twos * LN2_LOW; /* |rest| < 0.35 */
    double sum = 1;

    for (int i = 14; i > 0; i--) /* Horner's form of the series */
        sum = 1 + sum * rest / i;
    return ldexp(sum, (int) twos);
}

double
random_log(double x)
{
    int twos;
    double m = frexp(x, &twos), z, sum = 0;

    if (m < M_SQRT1_2) {
        m *= 2;
        twos--;
    }
    z = (m - 1) / (m + 1); /* |z| < 0.172; ln m = 2 artanh z */
    for (int i = 23; i > 0; i -= 2)
        sum = sum * z * z + 1.0 / i;
    return twos * LN2_HIGH + (twos * LN2_LOW + 2 * z * sum);
}
