/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "stats_math.h"

#include <float.h>
#include <math.h>

#define TINY 1e-300 /* in place of a zero that Lentz would divide by */
#define STEPS_MAX 10000
#define EPSILON 1e-15
#define DF_NORMAL 1e6 /* from here on t is the normal distribution */

/* --- normal --- */

double
stats_normal_p(double x)
{
    return erfc(-x / M_SQRT2) / 2;
}

double
stats_normal_quantile(double p)
{
    double t, x;

    if (!(p > 0 && p < 1))
        return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
    if (p > 0.5)
        return -stats_normal_quantile(1 - p);
    t = sqrt(-2 * log(p));
    x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                  (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
    for (int i = 0; i < 3; i++) { /* Halley: three times the digits a step */
        double density = exp(-x * x / 2) / sqrt(2 * M_PI);
        double off = (stats_normal_p(x) - p) / density;

        x -= off / (1 + x * off / 2);
    }
    return x;
}

/* --- incomplete beta and gamma --- */

static double
no_zero(double x)
{
    return fabs(x) < TINY ? TINY : x;
}

/* A continued fraction after Lentz. */
struct fraction {
    double value, c, d;
};

static void
fraction_init(struct fraction *f, double b0)
{
    f->value = f->c = no_zero(b0);
    f->d = 0;
}

/* Add the term A / (B + ...); returns whether it no longer mattered. */
static int
fraction_add(struct fraction *f, double a, double b)
{
    double step;

    f->d = 1 / no_zero(b + a * f->d);
    f->c = no_zero(b + a / f->c);
    step = f->c * f->d;
    f->value *= step;
    return fabs(step - 1) < EPSILON;
}

/* I_x(a, b) where its fraction converges soon. */
static double
beta_small(double x, double a, double b)
{
    struct fraction f;
    double front;
    int sign;

    front = exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) -
                lgamma_r(b, &sign) + a * log(x) + b * log1p(-x)) /
            a;
    fraction_init(&f, 1);
    for (int i = 1; i < STEPS_MAX; i++) {
        int m = i / 2;
        double term =
            i % 2 == 0
                ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

        if (fraction_add(&f, term, 1))
            break;
    }
    return front / f.value;
}

double
stats_beta(double x, double a, double b)
{
    if (!(x >= 0 && x <= 1 && a > 0 && b > 0))
        return NAN;
    if (x == 0 || x == 1)
        return x;
    if (x < (a + 1) / (a + b + 2))
        return beta_small(x, a, b);
    return 1 - beta_small(1 - x, b, a);
}

double
stats_gamma(double a, double x)
{
    struct fraction f;
    double front, sum, term;
    int sign;

    if (!(a > 0 && x >= 0))
        return NAN;
    if (x == 0)
        return 0;
    front = exp(a * log(x) - x - lgamma_r(a, &sign));
    if (x < a + 1) {
        sum = term = 1 / a;
        for (int i = 1; i < STEPS_MAX && term > sum * EPSILON; i++) {
            term *= x / (a + i);
            sum += term;
        }
        return front * sum;
    }
    fraction_init(&f, x + 1 - a);
    for (int i = 1; i < STEPS_MAX; i++)
        if (fraction_add(&f, -i * (i - a), x + 2 * i + 1 - a))
            break;
    return 1 - front / f.value;
}

/* --- inversion --- */

struct distribution {
    double (*p)(double x, const struct distribution *d);
    double df1, df2;
};

/* The X from 0 at which D reaches P, by halving: for the rare ones. */
static double
invert(const struct distribution *d, double p)
{
    double low = 0, high = 1;

    if (!(p >= 0 && p < 1))
        return p == 1 ? INFINITY : NAN;
    while (d->p(high, d) < p && high < DBL_MAX / 4)
        high *= 2;
    for (int i = 0; i < 200 && high - low > high * 1e-14; i++) {
        double middle = (low + high) / 2;

        if (d->p(middle, d) < p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* --- t --- */

double
stats_t_two_sided(double t, double df)
{
    if (!(df > 0) || isnan(t))
        return NAN;
    if (df > DF_NORMAL)
        return erfc(fabs(t) / M_SQRT2);
    if (isinf(t))
        return 0;
    return stats_beta(df / (df + t * t), df / 2, 0.5);
}

static double
t_log_density(double t, double df)
{
    int sign;

    return lgamma_r((df + 1) / 2, &sign) - lgamma_r(df / 2, &sign) -
           log(df * M_PI) / 2 - (df + 1) / 2 * log1p(t * t / df);
}

/* A first guess at the value that TAIL lies beyond. */
static double
t_guess(double tail, double df)
{
    double z = -stats_normal_quantile(tail), z2 = z * z;
    double expanded = z * (1 + (z2 + 1) / (4 * df) +
                           (5 * z2 * z2 + 16 * z2 + 3) / (96 * df * df));

    /* What heavy tails are like far out. */
    double far = sqrt(df) * pow(2 * tail, -1 / df);

    return df > 2 || far < expanded ? expanded : far;
}

double
stats_t_quantile(double p, double df)
{
    double tail = p < 0.5 ? p : 1 - p, low = 0, high = INFINITY, t;

    if (!(p > 0 && p < 1) || !(df > 0))
        return NAN;
    if (df > DF_NORMAL)
        return stats_normal_quantile(p);
    if (tail == 0.5)
        return 0;
    t = t_guess(tail, df);
    for (int i = 0; i < 200; i++) { /* Newton on the logarithm of the tail */
        double above = stats_t_two_sided(t, df) / 2, next;

        if (above > tail)
            low = t;
        else
            high = t;
        next = t + log(above / tail) * above / exp(t_log_density(t, df));
        if (!(next > low && next < high))
            next = isinf(high) ? 2 * t + 1 : (low + high) / 2;
        if (fabs(next - t) <= 1e-13 * next)
            break;
        t = next;
    }
    return p < 0.5 ? -t : t;
}

/* --- chi-squared, F, binomial --- */

static double
chi2(double x, const struct distribution *d)
{
    return stats_gamma(d->df1 / 2, x / 2);
}

double
stats_chi2_p(double x, double df)
{
    return stats_gamma(df / 2, x / 2);
}

double
stats_chi2_quantile(double p, double df)
{
    struct distribution d = {chi2, df, 0};

    return invert(&d, p);
}

double
stats_f_above(double f, double df1, double df2)
{
    if (!(f >= 0 && df1 > 0 && df2 > 0))
        return NAN;
    return stats_beta(df2 / (df2 + df1 * f), df2 / 2, df1 / 2);
}

static double
f_below(double x, const struct distribution *d)
{
    return 1 - stats_f_above(x, d->df1, d->df2);
}

double
stats_f_quantile(double p, double df1, double df2)
{
    struct distribution d = {f_below, df1, df2};

    return invert(&d, p);
}

double
stats_binomial_p(double k, double n, double p)
{
    k = floor(k);
    if (k < 0)
        return 0;
    if (k >= n)
        return 1;
    return stats_beta(1 - p, n - k, k + 1);
}

/* --- derivatives of log gamma: recurrence up, then the asymptotic series
 * (DLMF 5.11.2, 5.15.8) --- */

double
stats_digamma(double x)
{
    double sum = 0, inverse;

    for (; x < 10; x++)
        sum -= 1 / x;
    inverse = 1 / (x * x);
    return sum + log(x) - 0.5 / x -
           inverse *
               (1.0 / 12 -
                inverse * (1.0 / 120 - inverse * (1.0 / 252 - inverse / 240)));
}

double
stats_trigamma(double x)
{
    double sum = 0, inverse;

    for (; x < 10; x++)
        sum += 1 / (x * x);
    inverse = 1 / (x * x);
    return sum + 1 / x + inverse / 2 +
           inverse / x *
               (1.0 / 6 -
                inverse * (1.0 / 30 - inverse * (1.0 / 42 - inverse / 30)));
}

/* trigamma falls from infinity to 0: halve in the exponent. */
double
stats_trigamma_inverse(double y)
{
    double low = 1e-8, high = 1e8;

    if (!(y > 0))
        return INFINITY;
    for (int i = 0; i < 200 && high > low * (1 + 1e-14); i++) {
        double middle = sqrt(low * high);

        if (stats_trigamma(middle) > y)
            low = middle;
        else
            high = middle;
    }
    return sqrt(low * high);
}
