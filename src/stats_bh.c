/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stats_bh.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct test {
    double p;
    size_t at;
};

static int
by_p(const void *a, const void *b)
{
    const struct test *x = a, *y = b;

    return (x->p > y->p) - (x->p < y->p);
}

int
stats_bh(double *q, const double *p, size_t n)
{
    struct test *tests = calloc(n > 0 ? n : 1, sizeof *tests);
    double least = 1;
    size_t count = 0;

    if (tests == NULL)
        return ENOMEM;
    for (size_t i = 0; i < n; i++) {
        if (!isnan(p[i]))
            tests[count++] = (struct test){p[i], i};
        else
            q[i] = NAN;
    }
    qsort(tests, count, sizeof *tests, by_p);
    for (size_t rank = count; rank > 0; rank--) {
        const struct test *t = &tests[rank - 1];

        least = fmin(least, t->p * (double) count / (double) rank);
        q[t->at] = least;
    }
    free(tests);
    return 0;
}
