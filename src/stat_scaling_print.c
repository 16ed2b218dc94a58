/* SPDX-License-Identifier: MIT */
/* Curves for people and for programs. */
#include "config.h"

#include "stat_scaling.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cells.h"
#include "json.h"
#include "units.h"
#include "version.h"

#define FORMAT "s3perf-scaling 1"
#define POINTS_FORMAT "s3perf-scaling-points 1"

/* --- text --- */

static const char *
plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

static void
put_range(const struct stats_usl_value *v, double scale, const char *unit)
{
    printf("%.3g%s", v->value * scale, unit);
    if (isnan(v->low))
        return;
    if (isinf(v->high))
        printf(" (from %.3g)", v->low * scale);
    else
        printf(" (%.3g to %.3g)", v->low * scale, v->high * scale);
}

static void
put_law(const struct scaling_curve *c)
{
    const struct stats_usl *law = &c->law;
    double last = c->levels[c->count - 1].lanes;

    if (!c->fitted) {
        printf("  law      none: too few concurrencies\n");
        return;
    }
    printf("  law      one lane ");
    put_range(&law->lambda, 1, " ops/s");
    printf("\n           contention ");
    put_range(&law->sigma, 100, " %");
    printf(", coherency ");
    put_range(&law->kappa, 1e6, " ppm");
    if (isinf(law->peak_n.value) && isinf(law->peak.value))
        printf("\n           no limit in sight");
    else if (isinf(law->peak_n.value))
        printf("\n           no peak, nears ");
    else
        printf("\n           peak ");
    if (isfinite(law->peak.value))
        put_range(&law->peak, 1, " ops/s");
    if (isfinite(law->peak_n.value)) {
        printf(" at ");
        put_range(&law->peak_n, 1, " lanes");
    }
    if (isfinite(law->peak_n.value) && law->peak_n.value > last)
        printf(", beyond what was measured");
    if (!isnan(law->misfit))
        printf("\n           misses points by %.2g %%", 100 * law->misfit);
    putchar('\n');
}

static void
put_knee(const struct scaling_curve *c, const struct scaling_options *o)
{
    char best[UNITS_TEXT_SIZE], there[UNITS_TEXT_SIZE];

    if (c->knee == SIZE_MAX)
        return;
    units_format_duration(best, c->levels[c->quickest].p99_us * 1e3);
    units_format_duration(there, c->levels[c->knee].p99_us * 1e3);
    printf("  knee     %" PRIu32 " lane%s: p99 %s, within %.3g times the best"
           " (%s at %" PRIu32 ")\n",
           c->levels[c->knee].lanes, plural(c->levels[c->knee].lanes), there,
           o->knee, best, c->levels[c->quickest].lanes);
}

static void
put_line(const struct scaling *s, const struct scaling_curve *c)
{
    double share = scaling_line_share(s, c);

    if (!(share > 0))
        return;
    printf("  line     %.1f of %.1f MB/s are content: %.1f %%",
           share * s->options->line_bits_per_s / 8e6,
           s->options->line_bits_per_s / 8e6, 100 * share);
    if (share > SCALING_LINE_MOST)
        printf(
            ", more than the line\n           can carry: its rate is another,"
            " or these bytes did not cross it\n");
    else
        printf("; the other %.1f %% is\n           protocol or idle: Ethernet,"
               " IP and TCP need %.1f %%\n",
               100 * (1 - share), 100 * (1 - SCALING_LINE_MOST));
}

static void
put_marks(const struct scaling_curve *c)
{
    for (unsigned bit = 0; bit < 32; bit++) {
        char name[CELLS_MARKS_SIZE];
        bool first = true;

        cells_format_marks(name, 1u << bit);
        for (size_t i = 0; i < c->count; i++) {
            if ((c->levels[i].marks >> bit & 1) == 0)
                continue;
            if (first)
                printf("  marked   %s at", name);
            printf("%s %" PRIu32, first ? "" : ",", c->levels[i].lanes);
            first = false;
        }
        if (!first)
            putchar('\n');
    }
}

static void
put_curve(const struct scaling *s, const struct scaling_curve *c)
{
    const struct scaling_level *best = &c->levels[c->best];
    char size[UNITS_TEXT_SIZE], rate[UNITS_TEXT_SIZE];

    units_format_size(size, (double) c->cell.size);
    printf("%s, %s", s->work.phases.texts[c->cell.phase], size);
    if (s->work.targets.count > 1)
        printf(", %s", s->work.targets.texts[c->cell.target]);
    printf(": %zu concurrenc%s, %" PRIu32 " to %" PRIu32 "\n", c->count,
           c->count == 1 ? "y" : "ies", c->levels[0].lanes,
           c->levels[c->count - 1].lanes);
    if (isnan(best->ops_per_s)) {
        puts("  no throughput is known");
        return;
    }
    printf("  fastest  %.4g ops/s", best->ops_per_s);
    if (best->bytes_per_s > 0) {
        units_format_size(rate, best->bytes_per_s);
        printf(", %s/s", rate);
    }
    printf(" at %" PRIu32 " lane%s\n", best->lanes, plural(best->lanes));
    put_law(c);
    put_knee(c, s->options);
    put_line(s, c);
    put_marks(c);
}

void
scaling_print_text(const struct scaling *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (i > 0)
            putchar('\n');
        put_curve(s, &s->curves[i]);
    }
}

/* --- numbers of a curve, for both formats --- */

enum {
    BEST_LANES,
    BEST_OPS,
    BEST_BYTES,
    LAMBDA,
    SIGMA = LAMBDA + 3,
    KAPPA = SIGMA + 3,
    PEAK_N = KAPPA + 3,
    PEAK = PEAK_N + 3,
    MISFIT = PEAK + 3,
    KNEE_LANES,
    KNEE_P99,
    BEST_P99,
    LINE_SHARE,
    NUMBERS
};

static const struct {
    const char *name;
    int decimals;
} numbers[NUMBERS] = {
    {"best_lanes", 0},     {"best_ops_per_s", 6}, {"best_bytes_per_s", 1},
    {"lambda", 6},         {"lambda_low", 6},     {"lambda_high", 6},
    {"sigma", 6},          {"sigma_low", 6},      {"sigma_high", 6},
    {"kappa", 9},          {"kappa_low", 9},      {"kappa_high", 9},
    {"peak_lanes", 1},     {"peak_lanes_low", 1}, {"peak_lanes_high", 1},
    {"peak_ops_per_s", 6}, {"peak_low", 6},       {"peak_high", 6},
    {"misfit", 4},         {"knee_lanes", 0},     {"knee_p99_us", 3},
    {"best_p99_us", 3},    {"line_share", 4},
};

static void
fill_value(double *out, const struct stats_usl_value *v)
{
    out[0] = v->value;
    out[1] = v->low;
    out[2] = v->high;
}

static void
fill_numbers(double out[NUMBERS], const struct scaling *s,
             const struct scaling_curve *c)
{
    const struct scaling_level *best = &c->levels[c->best];

    for (int i = 0; i < NUMBERS; i++)
        out[i] = NAN;
    out[LINE_SHARE] = scaling_line_share(s, c);
    if (c->knee != SIZE_MAX) {
        out[KNEE_LANES] = c->levels[c->knee].lanes;
        out[KNEE_P99] = c->levels[c->knee].p99_us;
        out[BEST_P99] = c->levels[c->quickest].p99_us;
    }
    if (isnan(best->ops_per_s))
        return;
    out[BEST_LANES] = best->lanes;
    out[BEST_OPS] = best->ops_per_s;
    out[BEST_BYTES] = best->bytes_per_s;
    if (!c->fitted)
        return;
    fill_value(out + LAMBDA, &c->law.lambda);
    fill_value(out + SIGMA, &c->law.sigma);
    fill_value(out + KAPPA, &c->law.kappa);
    fill_value(out + PEAK_N, &c->law.peak_n);
    fill_value(out + PEAK, &c->law.peak);
    out[MISFIT] = c->law.misfit;
}

/* --- tables --- */

static int
add_number(struct buf *out, double value, int decimals)
{
    if (!isfinite(value) || value > 1e15)
        return buf_adds(out, isinf(value) ? "\tinf" : "\t-");
    return buf_addf(out, "\t%.*f", decimals, value);
}

static int
add_what(struct buf *out, const struct scaling *s,
         const struct scaling_curve *c)
{
    return buf_addf(out, "%s\t%s\t%" PRIu64,
                    s->work.phases.texts[c->cell.phase],
                    s->work.targets.texts[c->cell.target], c->cell.size);
}

int
scaling_add_tsv(struct buf *out, const struct scaling *s)
{
    int err = buf_addf(out,
                       "# " FORMAT "\n# program: s3stat " S3PERF_VERSION
                       "\n# confidence: %g\n# knee: %g\n"
                       "phase\ttarget\tsize\tconcurrencies",
                       s->options->confidence, s->options->knee);

    for (int i = 0; err == 0 && i < NUMBERS; i++)
        err = buf_addf(out, "\t%s", numbers[i].name);
    if (err == 0)
        err = buf_addc(out, '\n');
    for (size_t k = 0; err == 0 && k < s->count; k++) {
        const struct scaling_curve *c = &s->curves[k];
        double values[NUMBERS];

        fill_numbers(values, s, c);
        err = add_what(out, s, c);
        if (err == 0)
            err = buf_addf(out, "\t%zu", c->count);
        for (int i = 0; err == 0 && i < NUMBERS; i++)
            err = add_number(out, values[i], numbers[i].decimals);
        if (err == 0)
            err = buf_addc(out, '\n');
    }
    return err;
}

static int
add_points(struct buf *out, const struct scaling *s,
           const struct scaling_curve *c)
{
    int err = 0;

    for (size_t i = 0; err == 0 && i < c->count; i++) {
        const struct scaling_level *level = &c->levels[i];
        char marks[CELLS_MARKS_SIZE];

        cells_format_marks(marks, level->marks);
        err = add_what(out, s, c);
        if (err == 0)
            err = buf_addf(out, "\t%" PRIu32 "\t%zu", level->lanes, level->n);
        if (err == 0)
            err = add_number(out, level->ops_per_s, 6);
        if (err == 0)
            err = add_number(
                out, c->fitted ? stats_usl_at(&c->law, level->lanes) : NAN, 6);
        if (err == 0)
            err = add_number(out, level->bytes_per_s, 1);
        if (err == 0)
            err = add_number(out, level->p99_us, 3);
        if (err == 0)
            err = buf_addf(out, "\t%s\n", marks);
    }
    return err;
}

int
scaling_add_points(struct buf *out, const struct scaling *s)
{
    int err =
        buf_adds(out, "# " POINTS_FORMAT "\n# program: s3stat " S3PERF_VERSION
                      "\nphase\ttarget\tsize\tconcurrency\tvalues\t"
                      "ops_per_s\tlaw_ops_per_s\tbytes_per_s\tp99_us\t"
                      "mark\n");

    for (size_t i = 0; err == 0 && i < s->count; i++) {
        /* gnuplot's blocks: "index" chooses one */
        if (i > 0)
            err = buf_adds(out, "\n\n");
        if (err == 0)
            err = add_points(out, s, &s->curves[i]);
    }
    return err;
}

/* --- JSON --- */

static void
add_json_curve(struct json *j, const struct scaling *s,
               const struct scaling_curve *c)
{
    double values[NUMBERS];

    fill_numbers(values, s, c);
    json_open(j, NULL, '{');
    json_string(j, "phase", s->work.phases.texts[c->cell.phase]);
    json_string(j, "target", s->work.targets.texts[c->cell.target]);
    json_uint(j, "size", c->cell.size);
    for (int i = 0; i < NUMBERS; i++)
        json_number(j, numbers[i].name, values[i], numbers[i].decimals);
    json_open(j, "points", '[');
    for (size_t i = 0; i < c->count; i++) {
        const struct scaling_level *level = &c->levels[i];
        char marks[CELLS_MARKS_SIZE];

        cells_format_marks(marks, level->marks);
        json_open(j, NULL, '{');
        json_uint(j, "concurrency", level->lanes);
        json_uint(j, "values", level->n);
        json_number(j, "ops_per_s", level->ops_per_s, 6);
        json_number(j, "law_ops_per_s",
                    c->fitted ? stats_usl_at(&c->law, level->lanes) : NAN, 6);
        json_number(j, "bytes_per_s", level->bytes_per_s, 1);
        json_number(j, "p99_us", level->p99_us, 3);
        json_string(j, "mark", marks[0] != '-' ? marks : NULL);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

int
scaling_add_json(struct buf *out, const struct scaling *s)
{
    struct json j;

    json_init(&j, out);
    json_open(&j, NULL, '{');
    json_string(&j, "format", FORMAT);
    json_string(&j, "program", "s3stat " S3PERF_VERSION);
    json_number(&j, "confidence", s->options->confidence, 4);
    json_number(&j, "knee", s->options->knee, 4);
    json_number(
        &j, "line_bits_per_s",
        s->options->line_bits_per_s > 0 ? s->options->line_bits_per_s : NAN, 0);
    json_open(&j, "curves", '[');
    for (size_t i = 0; i < s->count; i++)
        add_json_curve(&j, s, &s->curves[i]);
    json_close(&j, ']');
    json_close(&j, '}');
    return j.err != 0 ? j.err : buf_addc(out, '\n');
}
