/* SPDX-License-Identifier: MIT */
/* Which headers are not the user's to give, and what is not to be seen. */
#include "config.h"

#include "request.h"

#include <string.h>
#include <strings.h>

/* Whoever has one of these has the data, or the account. */
static const char *const secrets[] = {
    "authorization",
    "cookie",
    "proxy-authorization",
    "set-cookie",
    "x-amz-copy-source-server-side-encryption-customer-key",
    "x-amz-s3session-token",
    "x-amz-security-token",
    "x-amz-server-side-encryption-customer-key",
    "x-auth-token",
};

const char *
request_header_refused(const char *name, bool sent)
{
    static const struct {
        const char *name;
        bool always;
    } rows[] = {
        {"content-length", false},
        {"content-md5", false},
        {"host", true},
        {"transfer-encoding", true},
        {"x-amz-content-sha256", true},
        {"x-amz-date", true},
    };

    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
        if (strcasecmp(name, secrets[i]) == 0)
            return "secrets never come by option, where others see them";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((rows[i].always || sent) && strcasecmp(name, rows[i].name) == 0)
            return "it is set by the program itself";
    return NULL;
}

/* Overwrite what follows AT, up to one of END. Returns: its end. */
static char *
mask(char *at, const char *end)
{
    for (; *at != '\0' && strchr(end, *at) == NULL; at++)
        if (*at != ' ')
            *at = '*';
    return at;
}

/* All parameters NAME= of LINE, up to one of END. */
static void
mask_parameter(char *line, const char *name, const char *end)
{
    size_t n = strlen(name);

    for (char *at = line; (at = strcasestr(at, name)) != NULL;) {
        at += n;
        if (*at == '=')
            at = mask(at + 1, end);
    }
}

/* The header NAME, at the begin of LINE or behind white space. */
static void
mask_header(char *line, const char *name)
{
    size_t n = strlen(name);

    for (char *at = line; (at = strcasestr(at, name)) != NULL;) {
        bool begins = at == line || strchr(" \t\r\n", at[-1]) != NULL;

        at += n;
        if (begins && *at == ':')
            at = mask(at + 1, "\r\n");
    }
}

/* KEY:SIGNATURE of version 2, and a key may hold colons. */
static void
mask_version_2(char *line)
{
    static const char prefix[] = "Authorization: AWS ";

    for (char *at = line; (at = strcasestr(at, prefix)) != NULL;) {
        char *colon;

        at += strlen(prefix);
        colon = memrchr(at, ':', strcspn(at, " \r\n"));
        if (colon != NULL)
            at = mask(colon + 1, " \r\n");
    }
}

void
request_mask(char *line)
{
    mask_parameter(line, "Signature", ",& ");
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        mask_parameter(line, secrets[i], "& ");
        /* Of these two the signature alone is secret. */
        if (strcasecmp(secrets[i], "authorization") != 0)
            mask_header(line, secrets[i]);
    }
    mask_version_2(line);
}
