/* SPDX-License-Identifier: MIT */
/*
 * The files that operands stand for: themselves, or those of a run's
 * directory.
 */
#ifndef S3PERF_STAT_INPUTS_H
#define S3PERF_STAT_INPUTS_H

#include <stddef.h>

#include "stat_command.h"

struct stat_inputs {
    char **paths; /* owned */
    size_t count;
};

/*
 * Find the files of OPERANDS, which a NULL ends. Of a directory they are
 * those in its ops/, else those in its hist/, in the order of their names.
 * Returns: 0; or 2 with one line printed, also without an operand.
 *          stat_inputs_clear() in any case.
 */
int stat_inputs_find(struct stat_inputs *inputs,
                     const struct stat_command *command, char **operands);
void stat_inputs_clear(struct stat_inputs *inputs);

#endif
