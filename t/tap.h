/* SPDX-License-Identifier: MIT */
/*
 * TAP for C tests. The plan comes last, so a test that dies early has none
 * and counts as broken.
 */
#ifndef S3PERF_TAP_H
#define S3PERF_TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned tap_run, tap_failed;

static bool __attribute__((format(printf, 2, 0)))
tap_result(bool good, const char *format, va_list args)
{
    tap_failed += !good;
    printf("%sok %u - ", good ? "" : "not ", ++tap_run);
    vprintf(format, args);
    putchar('\n');
    fflush(stdout);
    return good;
}

static bool __attribute__((format(printf, 2, 3), unused))
ok(bool good, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    tap_result(good, format, args);
    va_end(args);
    return good;
}

static bool __attribute__((format(printf, 3, 4), unused))
is_int(int64_t got, int64_t want, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    tap_result(got == want, format, args);
    va_end(args);
    if (got != want)
        printf("#  got %" PRId64 "\n# want %" PRId64 "\n", got, want);
    return got == want;
}

/* Print TEXT as a diagnostic, each of its lines behind "#". */
static void __attribute__((unused)) tap_say(const char *what, const char *text)
{
    printf("# %s ", what);
    for (; *text != '\0'; text++) {
        putchar(*text);
        if (*text == '\n')
            printf("#      ");
    }
    putchar('\n');
}

static bool __attribute__((format(printf, 3, 4), unused))
is_str(const char *got, const char *want, const char *format, ...)
{
    bool good =
        got != NULL && want != NULL ? strcmp(got, want) == 0 : got == want;
    va_list args;

    va_start(args, format);
    tap_result(good, format, args);
    va_end(args);
    if (!good) {
        tap_say(" got", got != NULL ? got : "(null)");
        tap_say("want", want != NULL ? want : "(null)");
    }
    return good;
}

/* Skip the whole test. */
static int __attribute__((unused)) skip_all(const char *why)
{
    printf("1..0 # SKIP %s\n", why);
    return 0;
}

static int
done_testing(void)
{
    printf("1..%u\n", tap_run);
    return tap_failed > 0;
}

#endif
