/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *at_file; /* NULL: messages are about none */
static unsigned at_line;

void
complain_at(const char *file, unsigned line)
{
    at_file = file;
    at_line = line;
}

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
    size_t n = 0;
    va_list args;

    if (at_file != NULL && at_line > 0)
        snprintf(line, sizeof line / 2, "%s:%u: ", at_file, at_line);
    else if (at_file != NULL)
        snprintf(line, sizeof line / 2, "%s: ", at_file);
    if (at_file != NULL)
        n = strlen(line);
    va_start(args, format);
    vsnprintf(line + n, sizeof line - n, format, args);
    va_end(args);
    complain_clean(line);
    /* One call, so that lines of several programs do not mix. */
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, line);
    return status;
}
