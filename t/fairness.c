/* SPDX-License-Identifier: MIT */
/* How evenly something is spread. */
#include "config.h"

#include "fairness.h"

#include <float.h>
#include <math.h>

#include "tap.h"

static const struct {
    double values[4];
    size_t n;
    double jain, spread;
} cases[] = {
    {{5}, 1, 1, 1},
    {{3, 3, 3, 3}, 4, 1, 1},
    {{8, 0, 0, 0}, 4, 0.25, 0},
    {{1, 1, 0, 0}, 4, 0.5, 0},
    /* (1 + 2 + 3 + 4)^2 / (4 (1 + 4 + 9 + 16)) */
    {{1, 2, 3, 4}, 4, 100.0 / 120, 0.25},
    {{4, 1, 3, 2}, 4, 100.0 / 120, 0.25},
    /* The same whatever the unit. */
    {{1e-9, 2e-9, 3e-9, 4e-9}, 4, 100.0 / 120, 0.25},
    {{DBL_MAX, DBL_MAX}, 2, 1, 1},
    {{DBL_MIN, DBL_MIN}, 2, 1, 1},
    /* One of two at 90 %: (1.9)^2 / (2 x 1.81) */
    {{1, 0.9}, 2, 3.61 / 3.62, 0.9},
};

int
main(void)
{
    static const double zeros[3];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double jain = fairness_jain(cases[i].values, cases[i].n);
        double spread = fairness_spread(cases[i].values, cases[i].n);

        ok(fabs(jain - cases[i].jain) < 1e-12, "case %zu: index %.12f", i,
           jain);
        ok(fabs(spread - cases[i].spread) < 1e-12, "case %zu: spread %.12f", i,
           spread);
    }
    ok(isnan(fairness_jain(zeros, 3)) && isnan(fairness_spread(zeros, 3)),
       "nothing is spread neither way");
    ok(isnan(fairness_jain(zeros, 0)) && isnan(fairness_spread(zeros, 0)),
       "nor is it over none");
    return done_testing();
}
