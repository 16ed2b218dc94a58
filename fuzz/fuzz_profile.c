/* SPDX-License-Identifier: MIT */
/* Configuration files: any bytes, several sections asked for. */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Names are in lower case and not empty, values have no outer blanks. */
static bool
check_entry(void *ctx, const char *parent, const char *name, const char *value)
{
    size_t n = strlen(value);

    if (*name == '\0' || (parent != NULL && *parent == '\0') ||
        strpbrk(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ=\n") != NULL ||
        strchr(value, '\n') != NULL || *value == ' ' ||
        (n > 0 && value[n - 1] == ' '))
        abort();
    return --*(int *) ctx > 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const sections[] = {"default", "profile a", "a", ""};

    for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
        int left = 1000;
        size_t line;
        int err = profile_walk_text((const char *) data, size, sections[i],
                                    check_entry, &left, &line);

        if (err != 0 && err != ESRCH && err != EINVAL && err != ENOMEM)
            abort();
        if ((err == EINVAL && line == 0) || line > size + 1)
            abort();
    }
    return 0;
}
