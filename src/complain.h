/* SPDX-License-Identifier: MIT */
/*
 * One line on standard error that names the culprit.
 */
#ifndef S3PERF_COMPLAIN_H
#define S3PERF_COMPLAIN_H

/* Print "PROGRAM: " and the message as one line.
 * Returns: STATUS, so that a caller can return what it says. */
int complain(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Until the next call, messages are about line LINE of FILE, 0 for none of
 * them, and say so; about nothing when FILE is NULL. FILE must stay. For the
 * whole process, as standard error is: call it while no other thread runs.
 */
void complain_at(const char *file, unsigned line);

/* Overwrite control characters of LINE, which may come from anywhere. */
void complain_clean(char *line);

#endif
