/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "credentials_parts.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile.h"

#define PATH_MAX_LEN 4096
#define SECTION_MAX_LEN 1024

static const struct option {
    const char *parent, *name;
} options[SAID_COUNT] = {
    [SAID_ACCESS_KEY] = {NULL, "aws_access_key_id"},
    [SAID_SECRET_KEY] = {NULL, "aws_secret_access_key"},
    [SAID_SESSION_TOKEN] = {NULL, "aws_session_token"},
    [SAID_SECURITY_TOKEN] = {NULL, "aws_security_token"},
    [SAID_PROCESS] = {NULL, "credential_process"},
    [SAID_REGION] = {NULL, "region"},
    [SAID_ENDPOINT] = {NULL, "endpoint_url"},
    [SAID_CA_BUNDLE] = {NULL, "ca_bundle"},
    [SAID_IGNORE_ENDPOINTS] = {NULL, "ignore_configured_endpoint_urls"},
    [SAID_SERVICES] = {NULL, "services"},
    [SAID_ADDRESSING] = {"s3", "addressing_style"},
    [SAID_PAYLOAD_SIGNING] = {"s3", "payload_signing_enabled"},
};

/* What a walk over a section collects: copies of the options of WANTED. */
struct collector {
    const struct option *wanted;
    size_t count;
    char *texts[SAID_COUNT]; /* COUNT are used; the caller's after a walk */
    const char *repeated; /* an option that stands there twice */
    int err;
};

static bool
is_wanted(const struct option *wanted, const char *parent, const char *name)
{
    return (wanted->parent == NULL) == (parent == NULL) &&
           (parent == NULL || strcmp(wanted->parent, parent) == 0) &&
           strcmp(wanted->name, name) == 0;
}

static bool
on_entry(void *ctx, const char *parent, const char *name, const char *value)
{
    struct collector *c = (struct collector *) ctx;

    for (size_t i = 0; i < c->count; i++) {
        if (!is_wanted(&c->wanted[i], parent, name))
            continue;
        if (c->texts[i] != NULL) {
            c->repeated = c->wanted[i].name;
            return false;
        }
        c->texts[i] = strdup(value);
        if (c->texts[i] == NULL)
            c->err = ENOMEM;
        return c->texts[i] != NULL;
    }
    return true;
}

/* Forget all texts, or those that are "", which counts as missing. */
static void
drop(struct collector *c, bool all)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->texts[i] != NULL && (all || *c->texts[i] == '\0'))
            credentials_wipe(&c->texts[i]);
}

/* Let C collect SECTION of F. Returns ESRCH without such a section. */
static int
walk(struct credentials *creds, struct collector *c,
     const struct credentials_file *f, const char *section)
{
    const char *path = f->path.data;
    size_t line;
    int err = profile_walk_text(f->text.data, f->text.len, section, on_entry, c,
                                &line);

    if (err == 0)
        err = c->err;
    if (err == EINVAL)
        credentials_fail(creds, err, "%.160s: line %zu is malformed", path,
                         line);
    else if (err == 0 && c->repeated != NULL)
        err = credentials_fail(creds, EINVAL,
                               "%.120s: section [%.64s] has %s twice", path,
                               section, c->repeated);
    else if (err != 0 && err != ESRCH)
        credentials_fail(creds, err, "%.160s: %s", path, strerror(err));
    drop(c, err != 0);
    return err;
}

/* The home of the user NAME, N bytes long; our own when N is 0. */
static const char *
home_of(const char *name, size_t n)
{
    const char *home = n == 0 ? credentials_env("HOME") : NULL;
    struct passwd *user;
    char text[256];

    if (home != NULL)
        return home;
    if (n >= sizeof(text))
        return NULL;
    memcpy(text, name, n);
    text[n] = '\0';
    user = n == 0 ? getpwuid(getuid()) : getpwnam(text);
    return user != NULL ? user->pw_dir : NULL;
}

const char *
credentials_said_name(enum said option)
{
    return options[option].name;
}

void
credentials_file_init(struct credentials_file *f)
{
    *f = (struct credentials_file){0};
    buf_init(&f->path, PATH_MAX_LEN);
    buf_init(&f->text, PROFILE_FILE_MAX);
}

void
credentials_file_clear(struct credentials_file *f)
{
    for (size_t i = 0; i < SAID_COUNT; i++)
        credentials_wipe(&f->said[i]);
    buf_clear(&f->path);
    buf_wipe(&f->text);
}

int
credentials_add_path(struct credentials *creds, struct buf *path,
                     const char *variable, const char *standard)
{
    const char *value = credentials_env(variable), *home = "";
    int err;

    if (value == NULL)
        value = standard;
    if (*value == '~') {
        size_t n = strcspn(value, "/");

        home = home_of(value + 1, n - 1);
        if (home == NULL && value == standard)
            return 0;
        if (home == NULL)
            return credentials_fail(creds, ENOENT, "%s: no home for '%.*s'",
                                    variable, (int) n, value);
        value += n;
    }
    err = buf_adds(path, home);
    if (err == 0)
        err = buf_adds(path, value);
    return err != 0
               ? credentials_fail(creds, err, "%s: path too long", variable)
               : 0;
}

int
credentials_read_text(struct credentials *creds, struct buf *text,
                      const char *path, bool needed)
{
    int err = profile_read(text, path);

    if ((err == ENOENT || err == ENOTDIR) && !needed)
        return 0;
    return err == 0 ? 0
                    : credentials_fail(creds, err, "%.160s: %s", path,
                                       strerror(err));
}

int
credentials_file_read(struct credentials *creds, struct credentials_file *f,
                      const char *const *sections, size_t n)
{
    int err;

    if (f->path.len == 0)
        return 0;
    err = credentials_read_text(creds, &f->text, f->path.data, false);
    for (size_t i = 0; i < n && err == 0 && !f->found; i++) {
        struct collector c = {.wanted = options, .count = SAID_COUNT};

        err = walk(creds, &c, f, sections[i]);
        f->found = err == 0;
        memcpy(f->said, c.texts, sizeof(f->said));
        if (err == ESRCH)
            err = 0;
    }
    return err;
}

int
credentials_file_service(struct credentials *creds, char **url,
                         const struct credentials_file *f, const char *name)
{
    static const struct option wanted = {"s3", "endpoint_url"};
    struct collector c = {.wanted = &wanted, .count = 1};
    char section[SECTION_MAX_LEN];
    int n = snprintf(section, sizeof(section), "services %s", name), err;

    *url = NULL;
    if (n < 0 || (size_t) n >= sizeof(section))
        return credentials_fail(creds, EINVAL,
                                "%.160s: name of services "
                                "too long",
                                f->path.data);
    err = walk(creds, &c, f, section);
    *url = c.texts[0];
    if (err == ESRCH)
        return credentials_fail(creds, ENOENT,
                                "no section [services %.64s] "
                                "in %.120s",
                                name, f->path.data);
    return err;
}
