/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

void
complain_clean(char *line)
{
    for (; *line != '\0'; line++)
        if ((unsigned char) *line < 0x20 || *line == 0x7f)
            *line = '?';
}

int
complain(int status, const char *format, ...)
{
    char line[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    complain_clean(line);
    /* One call, so that lines of several programs do not mix. */
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, line);
    return status;
}
