/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int
complain(int status, const char *format, ...)
{
    char line[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    /* One call, so that lines of several programs do not mix. */
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, line);
    return status;
}
