/* SPDX-License-Identifier: MIT */
/* The table of sub-commands. */
#include "config.h"

#include "stat_command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"

static const struct stat_command *const commands[] = {
    &stat_plan,   &stat_summary, &stat_timeline, &stat_cdf,     &stat_stages,
    &stat_errors, &stat_slowest, &stat_convert,  &stat_compare, &stat_scaling,
};

const struct stat_command *
stat_find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

void
stat_print_help(void)
{
    fputs(
        "Usage: s3stat COMMAND [OPTION]... FILE...\n"
        "Turn what was measured into numbers: operation records, histograms,\n"
        "run directories, and the raw records of warp.\n"
        "\n"
        "Commands:\n",
        stdout);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        printf("  %-12s%s\n", commands[i]->name, commands[i]->summary);
    fputs("\n"
          "  -h, --help     print this and exit; COMMAND --help has its "
          "options\n"
          "  -V, --version  print the version and exit\n"
          "\n"
          "FILE may be packed with zstd or gzip, and - is standard input.\n"
          "\n"
          "Exit status: 0 all is well; 1 operations failed; 2 usage, or an "
          "input\n"
          "that cannot be read; 4 results could not be written; 5 a comparison "
          "found\n"
          "something worse.\n",
          stdout);
}

int
stat_finish(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    return complain(STAT_OUTPUT, "standard output could not be written: %s",
                    strerror(errno != 0 ? errno : EIO));
}
