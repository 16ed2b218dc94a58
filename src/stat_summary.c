/* SPDX-License-Identifier: MIT */
/* s3stat summary: what happened, per operation. */
#include "config.h"

#include <getopt.h>

#include "complain.h"
#include "stat_command.h"

struct options {
    bool json;
};

static const struct stat_option rows[] = {
    {STAT_FLAG, 0, "json", NULL, offsetof(struct options, json),
     "print one JSON object", NULL},
};

static int
run(int argc, char **argv)
{
    struct options o = {0};
    int status = stat_parse_options(&stat_summary, &o, argc, argv);

    if (status >= 0)
        return status;
    if (optind == argc)
        return complain(STAT_USAGE, "summary: no FILE");
    return stat_finish(STAT_FINE);
}

const struct stat_command stat_summary = {
    .name = "summary",
    .operands = "FILE...",
    .summary = "counts, rates and times of each operation",
    .text = "Sum up operation records.\n",
    .tables = {STAT_TABLE("Output", rows, 0)},
    .run = run,
};
