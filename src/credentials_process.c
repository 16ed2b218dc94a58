/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "credentials_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/wait.h>

#include "clock.h"
#include "json_read.h"
#include "process.h"

#define OUTPUT_MAX ((size_t) 65536)
#define TIMEOUT_NS (60 * CLOCK_NS_PER_S)

enum member { VERSION, ACCESS_KEY, SECRET_KEY, TOKEN, EXPIRATION, MEMBERS };

static const char *const names[MEMBERS] = {
    [VERSION] = "Version",
    [ACCESS_KEY] = "AccessKeyId",
    [SECRET_KEY] = "SecretAccessKey",
    [TOKEN] = "SessionToken",
    [EXPIRATION] = "Expiration",
};

struct answer {
    char *texts[MEMBERS]; /* owned; NULL when missing, null or "" */
    const char *bad; /* a member that is there twice or of another type */
    int err;
};

static bool
on_member(void *ctx, const char *key, enum json_kind kind, const char *value)
{
    struct answer *a = (struct answer *) ctx;

    for (size_t i = 0; i < MEMBERS; i++) {
        if (strcmp(key, names[i]) != 0)
            continue;
        if (kind == JSON_LITERAL && i != VERSION && strcmp(value, "null") == 0)
            return true;
        if (a->texts[i] != NULL ||
            kind != (i == VERSION ? JSON_LITERAL : JSON_TEXT)) {
            a->bad = names[i];
            return false;
        }
        if (*value == '\0')
            return true;
        a->texts[i] = strdup(value);
        if (a->texts[i] == NULL)
            a->err = ENOMEM;
        return a->texts[i] != NULL;
    }
    return true;
}

/* N digits at *TEXT. */
static bool
read_number(int *out, const char **text, int n)
{
    int value = 0;

    for (; n > 0; n--, ++*text) {
        if (**text < '0' || **text > '9')
            return false;
        value = value * 10 + (**text - '0');
    }
    *out = value;
    return true;
}

/* "Z", "+01:00", "-0130", or nothing, which means UTC. */
static bool
read_zone(long *seconds, const char *text)
{
    int sign = *text == '-' ? -1 : 1, hours, minutes;

    *seconds = 0;
    if (strcmp(text, "Z") == 0 || strcmp(text, "z") == 0 || *text == '\0')
        return true;
    if (*text != '+' && *text != '-')
        return false;
    text++;
    if (!read_number(&hours, &text, 2))
        return false;
    text += *text == ':';
    if (!read_number(&minutes, &text, 2) || *text != '\0')
        return false;
    *seconds = sign * (hours * 3600L + minutes * 60L);
    return true;
}

/* N digits and the character END behind them. */
static bool
read_part(int *out, const char **text, int n, char end)
{
    return read_number(out, text, n) && *(*text)++ == end;
}

static bool
read_date(struct tm *tm, const char **text)
{
    if (!read_part(&tm->tm_year, text, 4, '-') ||
        !read_part(&tm->tm_mon, text, 2, '-') ||
        !read_number(&tm->tm_mday, text, 2) ||
        (**text != 'T' && **text != 't' && **text != ' '))
        return false;
    ++*text;
    tm->tm_year -= 1900;
    tm->tm_mon -= 1;
    return true;
}

static bool
read_time(struct tm *tm, const char **text)
{
    if (!read_part(&tm->tm_hour, text, 2, ':') ||
        !read_part(&tm->tm_min, text, 2, ':') ||
        !read_number(&tm->tm_sec, text, 2))
        return false;
    if (**text == '.')
        *text += 1 + strspn(*text + 1, "0123456789");
    return tm->tm_hour <= 23 && tm->tm_min <= 59 && tm->tm_sec <= 60;
}

/* A moment as ISO 8601 writes it, "2026-11-30T22:00:00Z". */
static bool
read_moment(time_t *out, const char *text)
{
    struct tm tm = {0}, again;
    long zone;
    time_t when;

    if (!read_date(&tm, &text) || !read_time(&tm, &text) ||
        !read_zone(&zone, text))
        return false;
    again = tm;
    when = timegm(&again);
    /* the 31st of April would have become another day */
    if (tm.tm_sec < 60 &&
        (again.tm_mon != tm.tm_mon || again.tm_mday != tm.tm_mday))
        return false;
    *out = when - zone;
    return true;
}

/* Report how the program ended; nothing of what it printed. */
static int
check_status(struct credentials *creds, const char *where, int status)
{
    if (WIFSIGNALED(status))
        return credentials_fail(creds, EIO, "%s: ended by signal %d", where,
                                WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return credentials_fail(creds, EIO, "%s: exit status %d", where,
                                WEXITSTATUS(status));
    return 0;
}

static int
run(struct credentials *creds, struct buf *output, const char *where,
    const char *line)
{
    struct process_command command;
    int status = 0, err = process_split(&command, line);

    if (err == EINVAL)
        credentials_fail(creds, err, "%s: it is empty or has an open quote",
                         where);
    else if (err != 0)
        credentials_fail(creds, err, "%s: %s", where, strerror(err));
    if (err == 0) {
        err = process_run(output, &status, &command, TIMEOUT_NS);
        if (err == ETIMEDOUT)
            credentials_fail(creds, err, "%s: not done after %d s", where,
                             (int) (TIMEOUT_NS / CLOCK_NS_PER_S));
        else if (err == EMSGSIZE)
            credentials_fail(creds, err, "%s: prints more than %zu bytes",
                             where, OUTPUT_MAX);
        else if (err != 0)
            credentials_fail(creds, err, "%s: cannot be run: %s", where,
                             strerror(err));
        else
            err = check_status(creds, where, status);
    }
    process_clear(&command);
    return err;
}

static int
take(struct credentials *creds, const struct answer *a, const char *where)
{
    const char *version = a->texts[VERSION];
    const char *expiration = a->texts[EXPIRATION];
    char when[CLOCK_ISO_SIZE];

    if (version == NULL || strcmp(version, "1") != 0)
        return credentials_fail(creds, EINVAL, "%s: prints no Version 1",
                                where);
    if (a->texts[ACCESS_KEY] == NULL || a->texts[SECRET_KEY] == NULL)
        return credentials_fail(
            creds, EINVAL, "%s: prints no %s", where,
            names[a->texts[ACCESS_KEY] == NULL ? ACCESS_KEY : SECRET_KEY]);
    if (expiration != NULL) {
        if (!read_moment(&creds->expires, expiration))
            return credentials_fail(creds, EINVAL, "%s: bad Expiration", where);
        clock_format_iso(when, creds->expires);
        if (creds->expires <= clock_wall())
            return credentials_fail(creds, EKEYEXPIRED,
                                    "%s: its keys expired at %s", where, when);
    }
    return credentials_keep_keys(creds, where, a->texts[ACCESS_KEY],
                                 a->texts[SECRET_KEY], a->texts[TOKEN]);
}

int
credentials_run(struct credentials *creds, const char *command)
{
    struct answer a = {{NULL}, NULL, 0};
    struct buf output;
    char where[128];
    size_t at;
    int err;

    snprintf(where, sizeof(where), "profile '%.64s': credential_process",
             creds->profile);
    buf_init(&output, OUTPUT_MAX);
    err = run(creds, &output, where, command);
    if (err == 0 &&
        !json_read_members(output.data, output.len, on_member, &a, &at))
        err = credentials_fail(creds, EINVAL,
                               "%s: prints no JSON object, see byte %zu", where,
                               at);
    if (err == 0 && a.err != 0)
        err = credentials_fail(creds, a.err, "%s: %s", where, strerror(a.err));
    if (err == 0 && a.bad != NULL)
        err = credentials_fail(creds, EINVAL, "%s: prints a bad %s", where,
                               a.bad);
    if (err == 0)
        err = take(creds, &a, where);
    for (size_t i = 0; i < MEMBERS; i++)
        credentials_wipe(&a.texts[i]);
    buf_wipe(&output);
    return err;
}
