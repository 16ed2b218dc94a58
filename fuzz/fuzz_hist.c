/* SPDX-License-Identifier: MIT */
/* Histogram blocks: what is read, written and read again stays the same. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "histogram_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_block(struct histogram *h, const struct histogram_label *label)
{
    struct histogram_label again;
    struct buf first, second;
    const char *at;

    buf_init(&first, 1 << 24);
    buf_init(&second, 1 << 24);
    if (histogram_add_text(&first, h, label->op, label->stage, "") != 0)
        abort();
    at = first.data;
    if (histogram_parse(h, &again, &at) != NULL || *at != '\0' ||
        histogram_add_text(&second, h, again.op, again.stage, "") != 0 ||
        strcmp(first.data, second.data) != 0)
        abort();
    if (h->count > 0 && (histogram_percentile(h, 0.5) < h->min_ns ||
                         histogram_percentile(h, 0.5) > h->max_ns))
        abort();
    buf_clear(&first);
    buf_clear(&second);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint64_t counts[1 << 15];
    struct histogram h = {.counts = counts};
    struct histogram_label label;
    char *text = (char *) malloc(size + 1);
    const char *at = text;

    if (text == NULL)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    while (*at != '\0' && histogram_parse(&h, &label, &at) == NULL)
        check_block(&h, &label);
    free(text);
    return 0;
}
