/* SPDX-License-Identifier: MIT */
/* Small JSON objects: any bytes. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
check_member(void *ctx, const char *key, enum json_kind kind, const char *value)
{
    size_t *left = (size_t *) ctx, n = strlen(key) + strlen(value);

    /* decoding never makes more of it */
    if (n > *left || (kind == JSON_LITERAL && *value == '\0') ||
        (kind == JSON_NESTED && *value != '\0'))
        abort();
    *left -= n;
    return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = (char *) calloc(1, size + 1);
    size_t at, left = size;

    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    json_read_members(text, size, check_member, &left, &at);
    if (at > size)
        abort();
    free(text);
    return 0;
}
