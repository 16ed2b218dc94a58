/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "fairness.h"

#include <math.h>

static double
largest(const double *values, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        if (values[i] > most)
            most = values[i];
    return most;
}

double
fairness_jain(const double *values, size_t n)
{
    double most = largest(values, n), sum = 0, squares = 0;

    if (most == 0)
        return NAN;
    for (size_t i = 0; i < n; i++) {
        /* No square of these is too large, nor are all of them too small. */
        double share = values[i] / most;

        sum += share;
        squares += share * share;
    }
    return sum * sum / ((double) n * squares);
}

double
fairness_spread(const double *values, size_t n)
{
    double most = largest(values, n), least = most;

    if (most == 0)
        return NAN;
    for (size_t i = 0; i < n; i++)
        if (values[i] < least)
            least = values[i];
    return least / most;
}
