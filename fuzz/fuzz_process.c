/* SPDX-License-Identifier: MIT */
/* Command lines: any text is cut into words; nothing is run. */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct process_command command;
    char *line = (char *) calloc(1, size + 1);
    size_t used = 0;
    int err;

    if (line == NULL)
        return 0;
    memcpy(line, data, size);
    err = process_split(&command, line);
    if (err != 0 && err != EINVAL && err != E2BIG && err != ENOMEM)
        abort();
    for (size_t i = 0; err == 0 && command.words[i] != NULL; i++)
        used += strlen(command.words[i]);
    if (used > strlen(line) || (err == 0 && command.words[0] == NULL))
        abort();
    process_clear(&command);
    free(line);
    return 0;
}
