/* SPDX-License-Identifier: MIT */
/* What the total consists of, for people. */
#include "config.h"

#include "report_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define NAME_WIDTH 20

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

    page_fit(fitted, name, NAME_WIDTH);
    page_put(page, "%-*s %9" PRIu64 " %6" PRIu64, NAME_WIDTH, fitted, r->ops,
             r->errors);
    put_rate(page, report_ops_per_s(r));
    put_rate(page, report_bytes_per_s(r) / (1 << 20));
    page_put_percentile(page, &r->service, r->unfinished, 0.5);
    page_put_percentile(page, &r->service, r->unfinished, 0.99);
    page_put(page, "\n");
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
        put_slice(page, &r->slices[i], slice->name);
    }
}
