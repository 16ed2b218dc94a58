/* SPDX-License-Identifier: MIT */
/* Lines of cells.tsv: no crash, and what is accepted is finite, not negative
 * and reads alike the second time. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool good)
{
    if (!good)
        abort();
}

static void
check_line(const struct cells_reader *reader, char *line)
{
    char *copy = strdup(line), marks[CELLS_MARKS_SIZE];
    struct cells_line one, two;
    const char *name, *value, *why;

    if (copy == NULL)
        return;
    why = cells_read(&one, &name, &value, reader, line);
    require(why == NULL || (*why != '\0' && name != NULL && value != NULL));
    require((why == NULL) ==
            (cells_read(&two, &name, &value, reader, copy) == NULL));
    for (int i = 0; why == NULL && i < CELLS_NUMBERS; i++) {
        require(isnan(one.number[i]) ||
                (isfinite(one.number[i]) && one.number[i] >= 0));
        require((one.at_least >> i & 1) == 0 || !isnan(one.number[i]));
        require(memcmp(&one.number[i], &two.number[i], sizeof(double)) == 0);
    }
    cells_format_marks(marks, one.marks);
    require(*marks != '\0');
    free(copy);
}

/* The first line has the names of columns; the others are cells. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *line, *end;
    struct cells_reader reader;
    const char *name;

    if (text == NULL)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    end = text + strcspn(text, "\n");
    line = *end != '\0' ? end + 1 : end;
    *end = '\0';
    if (cells_init(&reader, &name, text) == NULL) {
        while (*line != '\0') {
            end = line + strcspn(line, "\n");
            name = *end != '\0' ? end + 1 : end;
            *end = '\0';
            check_line(&reader, line);
            line += (size_t) (name - line);
        }
    }
    free(text);
    return 0;
}
