/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stats_usl.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "random.h"
#include "stats_math.h"

#define PARAMETERS 3
#define RESAMPLES 999
#define STEPS_MAX 60
#define SMALLEST 1e-15 /* of sigma and kappa */
#define NONE 1e-3 /* slows down the most lanes by less: there is none */

/* Points, with z = log(X / N). */
struct points {
    size_t n;
    double lanes[STATS_USL_MAX], z[STATS_USL_MAX];
};

/* A fit: u = log sigma, v = log kappa; lambda is what is left. */
struct fit {
    double u, v, log_lambda, squares;
};

static double
slowdown(double u, double v, double lanes)
{
    return 1 + (lanes - 1) * (exp(u) + exp(v) * lanes);
}

/* Complete F for P: lambda and the sum of squares. */
static void
judge(struct fit *f, const struct points *p)
{
    double sum = 0, squares = 0, n = (double) p->n;

    for (size_t i = 0; i < p->n; i++) {
        double rest = p->z[i] + log(slowdown(f->u, f->v, p->lanes[i]));

        sum += rest;
        squares += rest * rest;
    }
    f->log_lambda = sum / n;
    f->squares = fmax(squares - sum * sum / n, 0);
}

/* Normal equations of the rests, their means taken away (as lambda does). */
struct normal {
    double uu, uv, vv, u, v;
};

static void
linearise(struct normal *e, const struct fit *f, const struct points *p)
{
    double sum_u = 0, sum_v = 0, n = (double) p->n;

    *e = (struct normal){0};
    for (size_t i = 0; i < p->n; i++) {
        double lanes = p->lanes[i], slow = slowdown(f->u, f->v, lanes);
        double rest = p->z[i] + log(slow) - f->log_lambda;
        double by_u = exp(f->u) * (lanes - 1) / slow;
        double by_v = exp(f->v) * lanes * (lanes - 1) / slow;

        sum_u += by_u;
        sum_v += by_v;
        e->uu += by_u * by_u;
        e->uv += by_u * by_v;
        e->vv += by_v * by_v;
        e->u += by_u * rest;
        e->v += by_v * rest;
    }
    e->uu -= sum_u * sum_u / n;
    e->uv -= sum_u * sum_v / n;
    e->vv -= sum_v * sum_v / n;
}

/* Levenberg-Marquardt from where F is. */
static void
descend(struct fit *f, const struct points *p)
{
    double damping = 1e-3;

    judge(f, p);
    for (int i = 0; i < STEPS_MAX && damping < 1e10; i++) {
        struct normal e;
        struct fit next;
        double uu, vv, det, gained;

        linearise(&e, f, p);
        uu = e.uu * (1 + damping) + 1e-15;
        vv = e.vv * (1 + damping) + 1e-15;
        det = uu * vv - e.uv * e.uv;
        next.u = f->u - fmax(fmin((vv * e.u - e.uv * e.v) / det, 3), -3);
        next.v = f->v - fmax(fmin((uu * e.v - e.uv * e.u) / det, 3), -3);
        next.u = fmin(fmax(next.u, log(SMALLEST)), 0); /* sigma up to 1 */
        next.v = fmin(fmax(next.v, log(SMALLEST)), 0);
        judge(&next, p);
        gained = f->squares - next.squares;
        damping *= gained > 0 ? 0.2 : 8;
        if (gained > 0)
            *f = next;
        if (gained >= 0 && gained <= 1e-12 * f->squares)
            break;
    }
}

/* The best fit of all starts. */
static void
search(struct fit *best, const struct points *p)
{
    static const double sigmas[] = {1e-4, 1e-2, 0.3}, pairs[] = {0.01, 1, 100};
    double most = p->lanes[p->n - 1];

    best->squares = INFINITY;
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            struct fit f = {.u = log(sigmas[i]),
                            .v = log(pairs[j] / (most * most))};

            descend(&f, p);
            if (f.squares < best->squares)
                *best = f;
        }
    }
}

enum { LAMBDA, SIGMA, KAPPA, PEAK_N, PEAK, VALUES };

static void
derive(double out[VALUES], const struct fit *f, double most)
{
    double sigma = exp(f->u) * most > NONE ? exp(f->u) : 0;
    double kappa = exp(f->v) * most * most > NONE ? exp(f->v) : 0;
    double lambda = exp(f->log_lambda), n;

    n = kappa > 0 ? fmax(sqrt((1 - sigma) / kappa), 1) : INFINITY;
    out[LAMBDA] = lambda;
    out[SIGMA] = sigma;
    out[KAPPA] = kappa;
    out[PEAK_N] = n;
    if (isfinite(n))
        out[PEAK] = lambda * n / (1 + (n - 1) * (sigma + kappa * n));
    else
        out[PEAK] = sigma > 0 ? lambda / sigma : INFINITY;
}

static int
by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Fits of points whose rests were dealt out anew. */
static void
resample(double out[VALUES][RESAMPLES], const struct fit *best,
         const struct points *p, uint64_t seed)
{
    double rests[STATS_USL_MAX], n = (double) p->n;
    double blow = sqrt(n / (n - PARAMETERS));
    struct points drawn = *p;

    for (size_t i = 0; i < p->n; i++)
        rests[i] = (p->z[i] - best->log_lambda +
                    log(slowdown(best->u, best->v, p->lanes[i]))) *
                   blow;
    for (size_t k = 0; k < RESAMPLES; k++) {
        double values[VALUES], most = p->lanes[p->n - 1];
        struct fit f = {.u = fmax(best->u, log(1e-4)),
                        .v = fmax(best->v, log(0.01 / (most * most)))};

        for (size_t i = 0; i < p->n; i++)
            drawn.z[i] = best->log_lambda -
                         log(slowdown(best->u, best->v, p->lanes[i])) +
                         rests[random_next(&seed) % p->n];
        descend(&f, &drawn);
        derive(values, &f, most);
        for (int i = 0; i < VALUES; i++)
            out[i][k] = values[i];
    }
    for (int i = 0; i < VALUES; i++)
        qsort(out[i], RESAMPLES, sizeof(double), by_value);
}

static int
find_intervals(struct stats_usl_value *values[VALUES], const struct fit *best,
               const struct points *p, double level, uint64_t seed)
{
    double(*drawn)[RESAMPLES] = calloc(VALUES, sizeof *drawn);
    double n = (double) p->n, tail;
    size_t at;

    if (drawn == NULL)
        return ENOMEM;
    resample(drawn, best, p, seed);
    tail = stats_normal_p(-sqrt(n / (n - 1)) *
                          stats_t_quantile((1 + level) / 2, n - PARAMETERS));
    at = (size_t) (tail * RESAMPLES);
    for (int i = 0; i < VALUES; i++) {
        values[i]->low = drawn[i][at];
        values[i]->high = drawn[i][RESAMPLES - 1 - at];
    }
    free(drawn);
    return 0;
}

static int
by_lanes(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

int
stats_usl_fit(struct stats_usl *usl, const double *lanes,
              const double *log_throughput, size_t n, double level,
              uint64_t seed)
{
    struct stats_usl_value *values[VALUES] = {
        &usl->lambda, &usl->sigma, &usl->kappa, &usl->peak_n, &usl->peak};
    double pairs[STATS_USL_MAX][2], found[VALUES];
    struct points p = {.n = n};
    struct fit best;

    if (n < STATS_USL_MIN || n > STATS_USL_MAX)
        return EINVAL;
    for (size_t i = 0; i < n; i++) {
        pairs[i][0] = lanes[i];
        pairs[i][1] = log_throughput[i] - log(lanes[i]);
    }
    qsort(pairs, n, sizeof pairs[0], by_lanes);
    for (size_t i = 0; i < n; i++) {
        p.lanes[i] = pairs[i][0];
        p.z[i] = pairs[i][1];
    }
    search(&best, &p);
    derive(found, &best, p.lanes[n - 1]);
    for (int i = 0; i < VALUES; i++)
        *values[i] = (struct stats_usl_value){found[i], NAN, NAN};
    usl->misfit =
        n > PARAMETERS ? sqrt(best.squares / (double) (n - PARAMETERS)) : NAN;
    return n > PARAMETERS ? find_intervals(values, &best, &p, level, seed) : 0;
}

double
stats_usl_at(const struct stats_usl *usl, double lanes)
{
    return usl->lambda.value * lanes /
           (1 + (lanes - 1) * (usl->sigma.value + usl->kappa.value * lanes));
}
