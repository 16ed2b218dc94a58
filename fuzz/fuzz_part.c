/* SPDX-License-Identifier: MIT */
/* Part files: what is read, written and read again stays the same. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "part.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct report_asked asked = {.program = "s3op",
                                          .version = "0",
                                          .command = "s3op",
                                          .op = "get",
                                          .phase = "get",
                                          .bucket = "",
                                          .key = "",
                                          .endpoint = "",
                                          .region = "",
                                          .addressing = "path",
                                          .payload_hash = "signed",
                                          .connection = "reuse",
                                          .concurrency = 1};

/* Read TEXT and write it to OUT; false when it is no part. */
static bool
go_round(struct buf *out, const char *text)
{
    struct interval_table intervals;
    struct report report;
    struct part part;
    uint64_t line;
    bool good;

    if (part_init(&part, &asked, INT64_C(1000000000)) != 0)
        abort();
    good = part_parse(&part, text, &line) == NULL;
    if (good && part_add_text(out, &part) != 0)
        abort();
    if (good && report_init(&report, &asked) == 0) {
        if (interval_init(&intervals, INT64_C(1000000000)) != 0)
            abort();
        part_conclude(&report, &intervals, &part, 1);
        report_clear(&report);
        interval_clear(&intervals);
    }
    part_clear(&part);
    return good;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = (char *) malloc(size + 1);
    struct buf first, second;

    if (text == NULL)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    buf_init(&first, PART_MAX_BYTES);
    buf_init(&second, PART_MAX_BYTES);
    if (go_round(&first, text) && (!go_round(&second, first.data) ||
                                   strcmp(first.data, second.data) != 0))
        abort();
    buf_clear(&first);
    buf_clear(&second);
    free(text);
    return 0;
}
