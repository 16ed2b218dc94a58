/* SPDX-License-Identifier: MIT */
/* s3stat: turns what was measured into numbers. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "stat_command.h"
#include "version.h"

static bool
is_option(const char *text, const char *letter, const char *name)
{
    return strcmp(text, letter) == 0 || strcmp(text, name) == 0;
}

int
main(int argc, char **argv)
{
    const struct stat_command *command;

    if (argc < 2)
        return complain(STAT_USAGE, "no command; try s3stat --help");
    if (is_option(argv[1], "-h", "--help")) {
        stat_print_help();
        return stat_finish(STAT_FINE);
    }
    if (is_option(argv[1], "-V", "--version")) {
        puts("s3stat " S3PERF_VERSION);
        return stat_finish(STAT_FINE);
    }
    if (argv[1][0] == '-')
        return complain(STAT_USAGE, "unknown option '%s'", argv[1]);
    command = stat_find_command(argv[1]);
    if (command == NULL)
        return complain(STAT_USAGE, "unknown command '%s'; try s3stat --help",
                        argv[1]);
    return command->run(argc - 1, argv + 1);
}
