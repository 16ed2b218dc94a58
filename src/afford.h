/* SPDX-License-Identifier: MIT */
/*
 * Whether the machine can carry out a plan: open files, local ports, memory.
 */
#ifndef S3PERF_AFFORD_H
#define S3PERF_AFFORD_H

#include "plan.h"
#include "service.h"

/*
 * Raise the limit of open files as far as PLAN needs, and compare the rest of
 * its needs with the machine. Warns of what may fail.
 * Returns: 0, or 2 with one line printed that says what is missing.
 */
int afford_check(const struct plan *p, const struct service *s);

#endif
