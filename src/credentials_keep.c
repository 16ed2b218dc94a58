/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "credentials_parts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

void
credentials_wipe(char **text)
{
    if (*text != NULL)
        OPENSSL_cleanse(*text, strlen(*text));
    free(*text);
    *text = NULL;
}

int
credentials_fail(struct credentials *creds, int err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(creds->error, sizeof(creds->error), format, args);
    va_end(args);
    return err;
}

int
credentials_keep(struct credentials *creds, char **slot, const char *text)
{
    if (text == NULL)
        return 0;
    *slot = strdup(text);
    return *slot != NULL ? 0 : credentials_fail(creds, ENOMEM, "out of memory");
}

/* A control character would break the headers that are signed. */
static bool
is_printable(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char) *text < ' ' || *text == 0x7f)
            return false;
    return true;
}

int
credentials_keep_keys(struct credentials *creds, const char *where,
                      const char *access_key, const char *secret_key,
                      const char *token)
{
    int err;

    if (access_key == NULL || secret_key == NULL)
        return credentials_fail(creds, EINVAL, "%.160s: %s key without %s key",
                                where, access_key != NULL ? "access" : "secret",
                                access_key != NULL ? "secret" : "access");
    if (!is_printable(access_key) || !is_printable(secret_key) ||
        (token != NULL && !is_printable(token)))
        return credentials_fail(creds, EINVAL,
                                "%.160s: control character in a key or token",
                                where);
    err = credentials_keep(creds, &creds->access_key, access_key);
    if (err == 0)
        err = credentials_keep(creds, &creds->secret_key, secret_key);
    if (err == 0)
        err = credentials_keep(creds, &creds->session_token, token);
    return err;
}

const char *
credentials_env(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && *value != '\0' ? value : NULL;
}
