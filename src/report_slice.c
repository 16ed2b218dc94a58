/* SPDX-License-Identifier: MIT */
/* What the total consists of, for people. */
#include "config.h"

#include "report_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fairness.h"

#define NAME_WIDTH 20

void
report_spread(struct report_spread *out, const struct report *r,
              enum report_by by)
{
    double rates[REPORT_SLICES_MAX], medians[REPORT_SLICES_MAX];
    size_t rate_count = 0, median_count = 0;

    for (uint32_t i = 0; i < r->asked.slice_count; i++) {
        const struct report *s = &r->slices[i];

        if (r->asked.slices[i].by != by)
            continue;
        /* All are over the same time. */
        rates[rate_count++] = (double) s->ops;
        if (s->service.count > 0)
            medians[median_count++] =
                (double) histogram_percentile(&s->service, 0.5);
    }
    *out = (struct report_spread){
        .jain = fairness_jain(rates, rate_count),
        .rate = fairness_spread(rates, rate_count),
        .time = fairness_spread(medians, median_count),
    };
}

static void
put_rate(struct report_page *page, double value)
{
    char text[UNITS_TEXT_SIZE] = "-";

    if (isfinite(value) && value > 0)
        page_format_rate(text, value);
    page_put(page, " %8s", text);
}

static void
put_slice(struct report_page *page, const struct report *r, const char *name)
{
    char fitted[PAGE_FITTED_SIZE];

    page_fit(fitted, name, PAGE_WIDTH);
    if (strlen(fitted) > NAME_WIDTH) { /* a line of its own */
        page_put(page, "%s\n", fitted);
        fitted[0] = '\0';
    }
    page_put(page, "%-*s %9" PRIu64 " %6" PRIu64, NAME_WIDTH, fitted, r->ops,
             r->errors);
    put_rate(page, report_ops_per_s(r));
    put_rate(page, report_bytes_per_s(r) / (1 << 20));
    page_put_percentile(page, &r->service, r->unfinished, 0.5);
    page_put_percentile(page, &r->service, r->unfinished, 0.99);
    page_put(page, "\n");
}

/* "0.93", or "-". */
static void
format_share(char out[UNITS_TEXT_SIZE], double value)
{
    if (isfinite(value))
        snprintf(out, UNITS_TEXT_SIZE, "%.3f", value);
    else
        snprintf(out, UNITS_TEXT_SIZE, "-");
}

/* How evenly the endpoints did. */
static void
put_spread(struct report_page *page, const struct report *r)
{
    char jain[UNITS_TEXT_SIZE], rate[UNITS_TEXT_SIZE], time[UNITS_TEXT_SIZE];
    struct report_spread spread;

    if (r->asked.endpoint_select == NULL)
        return;
    report_spread(&spread, r, REPORT_BY_ENDPOINT);
    format_share(jain, spread.jain);
    format_share(rate, spread.rate);
    format_share(time, spread.time);
    page_put(page,
             "%s: slowest/fastest %s by rate, %s by median; Jain's index %s\n",
             r->asked.endpoint_select, rate, time, jain);
}

void
page_put_slices(struct report_page *page, const struct report *r)
{
    for (uint32_t i = 0; i < r->asked.slice_count; i++) {
        const struct report_slice *slice = &r->asked.slices[i];

        if (i == 0 || slice->by != slice[-1].by)
            page_put(page, "\n%-*s %9s %6s %8s %8s %9s %9s\n", NAME_WIDTH,
                     report_by_names[slice->by], "ops", "errors", "ops/s",
                     "MiB/s", "p50", "p99");
        /* A class of sizes that none came from says nothing. */
        if (slice->by != REPORT_BY_SIZE || r->slices[i].ops > 0 ||
            r->slices[i].errors > 0 || r->slices[i].unfinished > 0)
            put_slice(page, &r->slices[i], slice->name);
    }
    put_spread(page, r);
}
