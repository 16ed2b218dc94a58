/* SPDX-License-Identifier: MIT */
/* The report's histograms as a file: "s3perf-hist 1". */
#include "config.h"

#include "report.h"

#include <string.h>

#include "histogram_file.h"

const struct histogram *
report_histogram(const struct report *r, size_t i, const char **name)
{
    const struct {
        const char *name;
        const struct histogram *h;
    } whole[] = {{"service", &r->service},
                 {"response", &r->response},
                 {"failed", &r->failed},
                 {"lag", &r->lag}};

    if (i < sizeof whole / sizeof *whole) {
        *name = whole[i].name;
        return whole[i].h;
    }
    i -= sizeof whole / sizeof *whole;
    if (i >= STAGE_COUNT)
        return NULL;
    *name = report_stage_names[i];
    return &r->stages[i];
}

int
report_add_histograms(struct buf *out, const struct report *r)
{
    const struct histogram *h;
    const char *name, *facts;
    struct buf head;
    int err;

    buf_init(&head, out->max);
    err = report_add_header(&head, &r->asked, HISTOGRAM_FORMAT, "");
    if (err == 0) /* without the line that would name the columns */
        head.data[head.len - 1] = '\0';
    facts = head.data + strcspn(head.data, "\n") + 1;
    for (size_t i = 0; err == 0 && (h = report_histogram(r, i, &name)) != NULL;
         i++) {
        if (i > 0)
            err = buf_addc(out, '\n');
        if (err == 0)
            err = histogram_add_text(out, h, r->asked.op, name,
                                     i == 0 ? facts : "");
    }
    buf_clear(&head);
    return err;
}
