/* SPDX-License-Identifier: MIT */
/* Record lines: what is read, written and read again stays the same. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Written lines are canonical: one more round changes nothing. */
static void
check_line(const char *line)
{
    struct record r;
    struct buf store, first, second;
    struct json j;

    buf_init(&store, 1 << 20);
    buf_init(&first, 1 << 22);
    buf_init(&second, 1 << 22);
    if (!record_parse_tsv(&r, &store, line))
        goto done;
    if (record_add_tsv(&first, &r) != 0)
        abort();
    first.data[--first.len] = '\0';
    if (!record_parse_tsv(&r, &store, first.data) ||
        record_add_tsv(&second, &r) != 0)
        abort();
    second.data[--second.len] = '\0';
    if (strcmp(first.data, second.data) != 0)
        abort();
    buf_reset(&second);
    json_init(&j, &second);
    json_open(&j, NULL, '{');
    record_add_json(&j, &r);
    json_close(&j, '}');
    if (j.err != 0)
        abort();
done:
    buf_clear(&store);
    buf_clear(&first);
    buf_clear(&second);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *line = (char *) malloc(size + 1);

    if (line == NULL)
        return 0;
    if (size > 0)
        memcpy(line, data, size);
    line[size] = '\0';
    check_line(line);
    free(line);
    return 0;
}
