/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "credentials.h"

#include <errno.h>
#include <pwd.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <openssl/crypto.h>

#include "buf.h"
#include "profile.h"

#define PATH_MAX_LEN 4096
#define SECTION_MAX_LEN 1024
#define DEFAULT_PROFILE "default"
#define DEFAULT_REGION "us-east-1"

/* What one file says of the profile. All owned; NULL when not said. */
struct said {
    char *access_key, *secret_key, *session_token, *security_token;
    char *region, *endpoint_url, *ca_bundle, *ignore_endpoints, *addressing;
    const char *repeated; /* an option that stands there twice */
    int err;
};

/* The options that are read, everything else in a file is skipped. */
static const struct option {
    const char *parent, *name;
    size_t slot;
} options[] = {
    {NULL, "aws_access_key_id", offsetof(struct said, access_key)},
    {NULL, "aws_secret_access_key", offsetof(struct said, secret_key)},
    {NULL, "aws_session_token", offsetof(struct said, session_token)},
    {NULL, "aws_security_token", offsetof(struct said, security_token)},
    {NULL, "region", offsetof(struct said, region)},
    {NULL, "endpoint_url", offsetof(struct said, endpoint_url)},
    {NULL, "ca_bundle", offsetof(struct said, ca_bundle)},
    {NULL, "ignore_configured_endpoint_urls",
     offsetof(struct said, ignore_endpoints)},
    {"s3", "addressing_style", offsetof(struct said, addressing)},
};

#define OPTION_COUNT (sizeof(options) / sizeof(*options))

/* One of the two files. */
struct file {
    struct buf path; /* for messages too; "" when there is no home */
    const char *source; /* what struct credentials calls it */
    bool found; /* it exists and has the profile */
    struct said said;
};

/* Where a load stands. */
struct load {
    struct credentials *creds;
    const char *profile;
    struct file credentials, config;
};

/* A variable's value; an empty one counts as not set. */
static const char *
env(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && *value != '\0' ? value : NULL;
}

static const char *
env_either(const char *name, const char *other)
{
    const char *value = env(name);

    return value != NULL ? value : env(other);
}

static void
wipe(char **text)
{
    if (*text != NULL)
        OPENSSL_cleanse(*text, strlen(*text));
    free(*text);
    *text = NULL;
}

/* Put the message into CREDS, which never takes a secret. Returns ERR. */
static int __attribute__((format(printf, 3, 4)))
fail(struct credentials *creds, int err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(creds->error, sizeof(creds->error), format, args);
    va_end(args);
    return err;
}

/* Set *SLOT, once, to a copy of TEXT; NULL changes nothing. */
static int
keep(struct credentials *creds, char **slot, const char *text)
{
    if (text == NULL)
        return 0;
    *slot = strdup(text);
    return *slot != NULL ? 0 : fail(creds, ENOMEM, "out of memory");
}

static char **
slot_of(struct said *said, size_t i)
{
    return (char **) (void *) ((char *) said + options[i].slot);
}

static bool
on_entry(void *ctx, const char *parent, const char *name, const char *value)
{
    struct said *said = (struct said *) ctx;

    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const char *wanted = options[i].parent;
        char **slot = slot_of(said, i);

        if ((wanted == NULL) != (parent == NULL) ||
            (wanted != NULL && strcmp(wanted, parent) != 0) ||
            strcmp(options[i].name, name) != 0)
            continue;
        if (*slot != NULL) {
            said->repeated = options[i].name;
            return false;
        }
        *slot = strdup(value);
        if (*slot == NULL)
            said->err = ENOMEM;
        return *slot != NULL;
    }
    return true;
}

/* Options that are there but empty count as missing. */
static void
drop_empty(struct said *said)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (*slot_of(said, i) != NULL && **slot_of(said, i) == '\0')
            wipe(slot_of(said, i));
}

/* The home of the user NAME, N bytes long; our own when N is 0. */
static const char *
home_of(const char *name, size_t n)
{
    const char *home = n == 0 ? env("HOME") : NULL;
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

/* Set F's path to VARIABLE's value, or to STANDARD, with "~" expanded. */
static int
set_path(struct credentials *creds, struct file *f, const char *variable,
         const char *standard)
{
    const char *path = env(variable), *home = "";
    int err;

    if (path == NULL)
        path = standard;
    if (*path == '~') {
        size_t n = strcspn(path, "/");

        home = home_of(path + 1, n - 1);
        if (home == NULL && path == standard)
            return 0;
        if (home == NULL)
            return fail(creds, ENOENT, "%s: no home for '%.*s'", variable,
                        (int) n, path);
        path += n;
    }
    err = buf_adds(&f->path, home);
    if (err == 0)
        err = buf_adds(&f->path, path);
    return err != 0 ? fail(creds, err, "%s: path too long", variable) : 0;
}

/* Read SECTION of TEXT, F's content, into F. */
static int
read_section(struct credentials *creds, struct file *f, const struct buf *text,
             const char *section)
{
    const char *path = f->path.data;
    size_t line;
    int err = profile_walk_text(text->data, text->len, section, on_entry,
                                &f->said, &line);

    if (err == ESRCH)
        return 0;
    if (err == EINVAL)
        return fail(creds, err, "%.160s: line %zu is malformed", path, line);
    if (err == 0)
        err = f->said.err;
    if (err != 0)
        return fail(creds, err, "%.160s: %s", path, strerror(err));
    if (f->said.repeated != NULL)
        return fail(creds, EINVAL, "%.120s: section [%.64s] has %s twice", path,
                    section, f->said.repeated);
    f->found = true;
    return 0;
}

/* Read the first of SECTIONS that F has. A missing file is an empty one. */
static int
read_file(struct credentials *creds, struct file *f,
          const char *const *sections, size_t n)
{
    struct buf text;
    int err;

    if (f->path.len == 0)
        return 0;
    buf_init(&text, PROFILE_FILE_MAX);
    err = profile_read(&text, f->path.data);
    if (err == ENOENT || err == ENOTDIR)
        err = 0;
    else if (err != 0)
        fail(creds, err, "%.160s: %s", f->path.data, strerror(err));
    for (size_t i = 0; i < n && err == 0 && !f->found; i++)
        err = read_section(creds, f, &text, sections[i]);
    buf_wipe(&text);
    drop_empty(&f->said);
    return err;
}

static int
read_files(struct load *l)
{
    char section[SECTION_MAX_LEN];
    const char *sections[] = {section, DEFAULT_PROFILE};
    bool standard = strcmp(l->profile, DEFAULT_PROFILE) == 0;
    int n = snprintf(section, sizeof(section), "profile %s", l->profile);
    int err;

    if (n < 0 || (size_t) n >= sizeof(section))
        return fail(l->creds, EINVAL, "profile name too long");
    err = set_path(l->creds, &l->credentials, "AWS_SHARED_CREDENTIALS_FILE",
                   "~/.aws/credentials");
    if (err == 0)
        err =
            set_path(l->creds, &l->config, "AWS_CONFIG_FILE", "~/.aws/config");
    if (err == 0)
        err = read_file(l->creds, &l->credentials, &l->profile, 1);
    if (err == 0)
        err = read_file(l->creds, &l->config, sections, standard ? 2 : 1);
    return err;
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

/* Take a pair of keys found in WHERE, a path or SOURCE itself. */
static int
take_keys(struct credentials *creds, const char *source, const char *where,
          const char *access_key, const char *secret_key, const char *token)
{
    int err;

    if (access_key == NULL || secret_key == NULL)
        return fail(creds, EINVAL, "%.160s: %s key without %s key", where,
                    access_key != NULL ? "access" : "secret",
                    access_key != NULL ? "secret" : "access");
    if (!is_printable(access_key) || !is_printable(secret_key) ||
        (token != NULL && !is_printable(token)))
        return fail(creds, EINVAL,
                    "%.160s: control character in a key or token", where);
    err = keep(creds, &creds->access_key, access_key);
    if (err == 0)
        err = keep(creds, &creds->secret_key, secret_key);
    if (err == 0)
        err = keep(creds, &creds->session_token, token);
    creds->source = source;
    return err;
}

static int
take_env_keys(struct load *l)
{
    const char *access_key = env("AWS_ACCESS_KEY_ID");
    const char *secret_key = env("AWS_SECRET_ACCESS_KEY");

    if (access_key == NULL && secret_key == NULL)
        return 0;
    return take_keys(l->creds, "environment", "environment", access_key,
                     secret_key,
                     env_either("AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN"));
}

static int
take_file_keys(struct load *l, const struct file *f)
{
    const struct said *said = &f->said;

    if (said->access_key == NULL && said->secret_key == NULL)
        return 0;
    return take_keys(l->creds, f->source, f->path.data, said->access_key,
                     said->secret_key,
                     said->session_token != NULL ? said->session_token
                                                 : said->security_token);
}

static int
take_config_keys(struct load *l)
{
    return take_file_keys(l, &l->config);
}

static int
take_credentials_keys(struct load *l)
{
    return take_file_keys(l, &l->credentials);
}

/* The first provider that knows keys wins; a half pair ends the search. */
static int
find_keys(struct load *l, bool use_environment)
{
    static int (*const providers[])(struct load *) = {
        take_env_keys, take_credentials_keys, take_config_keys};
    size_t count = sizeof(providers) / sizeof(*providers);
    int err = 0;

    for (size_t i = use_environment ? 0 : 1;
         i < count && err == 0 && l->creds->access_key == NULL; i++)
        err = providers[i](l);
    return err;
}

/* The first of the texts that is there. */
static const char *
first(const char *a, const char *b, const char *c)
{
    if (a != NULL)
        return a;
    return b != NULL ? b : c;
}

/* It becomes a part of the scope, and with AWS of a host name. */
static bool
is_region(const char *text)
{
    size_t n = strlen(text);

    return n > 0 && n <= 63 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz"
                        "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == n;
}

static int
set_region(struct load *l, const char *region)
{
    const struct said *over = &l->credentials.said, *under = &l->config.said;

    if (region == NULL)
        region = env_either("AWS_REGION", "AWS_DEFAULT_REGION");
    region = first(region, over->region, under->region);
    if (region == NULL)
        region = DEFAULT_REGION;
    if (!is_region(region))
        return fail(l->creds, EINVAL, "bad region '%.64s'", region);
    return keep(l->creds, &l->creds->region, region);
}

static int
set_endpoint(struct load *l)
{
    const struct said *over = &l->credentials.said, *under = &l->config.said;
    const char *ignore = first(env("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"),
                               over->ignore_endpoints, under->ignore_endpoints);
    const char *url = env_either("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL");

    if (ignore != NULL && strcasecmp(ignore, "true") == 0)
        return 0;
    url = first(url, over->endpoint_url, under->endpoint_url);
    return keep(l->creds, &l->creds->endpoint_url, url);
}

static int
set_rest(struct load *l)
{
    const struct said *over = &l->credentials.said, *under = &l->config.said;
    const char *style = first(over->addressing, under->addressing, NULL);
    const char *ca_bundle =
        first(env("AWS_CA_BUNDLE"), over->ca_bundle, under->ca_bundle);

    if (style != NULL && !addressing_parse(&l->creds->addressing, style))
        return fail(l->creds, EINVAL,
                    "profile '%.64s': bad addressing_style '%.32s'", l->profile,
                    style);
    return keep(l->creds, &l->creds->ca_bundle, ca_bundle);
}

static int
load(struct load *l, const char *profile, const char *region)
{
    bool use_environment = profile == NULL;
    bool named;
    int err;

    if (profile == NULL)
        profile = env_either("AWS_PROFILE", "AWS_DEFAULT_PROFILE");
    named = profile != NULL;
    l->profile = named ? profile : DEFAULT_PROFILE;
    err = read_files(l);
    if (err != 0)
        return err;
    if (named && !l->credentials.found && !l->config.found)
        return fail(l->creds, ENOENT, "no profile '%.64s' in %.80s or %.80s",
                    profile, l->credentials.path.data, l->config.path.data);
    err = find_keys(l, use_environment);
    if (err == 0)
        err = set_region(l, region);
    if (err == 0)
        err = set_endpoint(l);
    if (err == 0)
        err = set_rest(l);
    return err;
}

static void
file_init(struct file *f, const char *source)
{
    *f = (struct file){.source = source};
    buf_init(&f->path, PATH_MAX_LEN);
}

static void
file_clear(struct file *f)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        wipe(slot_of(&f->said, i));
    buf_clear(&f->path);
}

void
credentials_init(struct credentials *creds)
{
    *creds = (struct credentials){.addressing = ADDRESSING_AUTO};
}

void
credentials_clear(struct credentials *creds)
{
    wipe(&creds->access_key);
    wipe(&creds->secret_key);
    wipe(&creds->session_token);
    wipe(&creds->region);
    wipe(&creds->endpoint_url);
    wipe(&creds->ca_bundle);
    credentials_init(creds);
}

int
credentials_load(struct credentials *creds, const char *profile,
                 const char *region)
{
    struct load l = {.creds = creds};
    int err;

    credentials_clear(creds);
    file_init(&l.credentials, "credentials file");
    file_init(&l.config, "config file");
    err = load(&l, profile, region);
    file_clear(&l.credentials);
    file_clear(&l.config);
    if (err != 0) {
        char error[sizeof(creds->error)];

        memcpy(error, creds->error, sizeof(error));
        credentials_clear(creds);
        memcpy(creds->error, error, sizeof(error));
    }
    return err;
}
