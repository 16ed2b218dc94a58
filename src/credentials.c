/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "credentials.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "buf.h"
#include "credentials_parts.h"
#include "profile.h"
#include "s3cfg.h"

#define PATH_MAX_LEN 4096
#define URL_MAX_LEN 4096
#define SECTION_MAX_LEN 1024
#define DEFAULT_PROFILE "default"
#define DEFAULT_REGION "us-east-1"

static const char environment[] = "environment";
static const char credentials_file[] = "credentials file";
static const char config_file[] = "config file";
static const char s3cmd_file[] = "s3cmd file";
static const char command_line[] = "command line";

/* When s3cmd's file counts. */
enum rank {
    RANK_NEVER,
    RANK_FIRST, /* it was asked for: before the environment */
    RANK_LATER /* the keys stand nowhere else: before AWS's files */
};

/* A value and where it stands. */
struct found {
    const char *value; /* NULL: not there */
    struct credentials_source from;
};

/* Where a load stands. */
struct load {
    struct credentials *creds;
    struct credentials_file credentials, config;
    bool by_option; /* the profile is the command line's choice */
    bool named; /* or a variable's */
    enum rank rank; /* of the s3cmd file */
    struct s3cfg s3cfg;
    struct buf s3cfg_path, s3cfg_url;
    char *service_url; /* endpoint_url of the services section */
};

static struct found
in_env(const char *name)
{
    return (struct found){credentials_env(name), {environment, name}};
}

static struct found
in_credentials(const struct load *l, enum said option)
{
    return (struct found){l->credentials.said[option],
                          {credentials_file, credentials_said_name(option)}};
}

static struct found
in_config(const struct load *l, enum said option)
{
    return (struct found){l->config.said[option],
                          {config_file, credentials_said_name(option)}};
}

/* VALUE of s3cmd's option NAME, if the file counts at this RANK. */
static struct found
in_s3cfg(const struct load *l, enum rank rank, const char *value,
         const char *name)
{
    return (struct found){l->rank == rank ? value : NULL, {s3cmd_file, name}};
}

/* The first of the N that is there; else the last, which is not. */
static struct found
first(const struct found *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].value != NULL)
            return list[i];
    return (struct found){NULL, {"default", NULL}};
}

#define FIRST(...)                                                             \
    first((const struct found[]){__VA_ARGS__},                                 \
          sizeof((const struct found[]){__VA_ARGS__}) / sizeof(struct found))

/* --- reading --- */

static int
read_files(struct load *l)
{
    char section[SECTION_MAX_LEN];
    const char *profile = l->creds->profile;
    const char *sections[] = {section, DEFAULT_PROFILE};
    bool standard = strcmp(profile, DEFAULT_PROFILE) == 0;
    int n = snprintf(section, sizeof(section), "profile %s", profile);
    int err;

    if (n < 0 || (size_t) n >= sizeof(section))
        return credentials_fail(l->creds, EINVAL, "profile name too long");
    err = credentials_add_path(l->creds, &l->credentials.path,
                               "AWS_SHARED_CREDENTIALS_FILE",
                               "~/.aws/credentials");
    if (err == 0)
        err = credentials_add_path(l->creds, &l->config.path, "AWS_CONFIG_FILE",
                                   "~/.aws/config");
    if (err == 0)
        err = credentials_file_read(l->creds, &l->credentials, &profile, 1);
    if (err == 0)
        err = credentials_file_read(l->creds, &l->config, sections,
                                    standard ? 2 : 1);
    return err;
}

/* Read s3cmd's file at l->s3cfg_path. */
static int
read_s3cfg(struct load *l, bool needed)
{
    const char *path = l->s3cfg_path.data;
    struct buf text;
    int err;

    buf_init(&text, PROFILE_FILE_MAX);
    err = credentials_read_text(l->creds, &text, path, needed);
    if (err == 0) {
        err = s3cfg_read(&l->s3cfg, text.data, text.len);
        if (err == EINVAL)
            credentials_fail(l->creds, err, "%.160s: bad value of %s", path,
                             l->s3cfg.bad);
        else if (err != 0)
            credentials_fail(l->creds, err, "%.160s: %s", path, strerror(err));
    }
    if (err == 0) {
        err = s3cfg_add_endpoint(&l->s3cfg_url, &l->s3cfg);
        if (err != 0)
            credentials_fail(l->creds, err, "%.160s: host_base too long", path);
    }
    buf_wipe(&text);
    return err;
}

/* --- keys --- */

static int
take_keys(struct load *l, struct credentials_source from, const char *where,
          const char *access_key, const char *secret_key, const char *token)
{
    l->creds->from[CREDENTIALS_KEYS] = from;
    return credentials_keep_keys(l->creds, where, access_key, secret_key,
                                 token);
}

static int
take_s3cfg_keys(struct load *l)
{
    char *const *text = l->s3cfg.text;

    if (text[S3CFG_ACCESS_KEY] == NULL && text[S3CFG_SECRET_KEY] == NULL)
        return 0;
    return take_keys(l, (struct credentials_source){s3cmd_file, "access_key"},
                     l->s3cfg_path.data, text[S3CFG_ACCESS_KEY],
                     text[S3CFG_SECRET_KEY], text[S3CFG_ACCESS_TOKEN]);
}

static int
take_named_s3cfg_keys(struct load *l)
{
    return l->rank == RANK_FIRST ? take_s3cfg_keys(l) : 0;
}

static int
take_env_keys(struct load *l)
{
    struct found access_key = in_env("AWS_ACCESS_KEY_ID");
    const char *secret_key = credentials_env("AWS_SECRET_ACCESS_KEY");

    if (l->by_option || (access_key.value == NULL && secret_key == NULL))
        return 0;
    return take_keys(
        l, access_key.from, environment, access_key.value, secret_key,
        FIRST(in_env("AWS_SESSION_TOKEN"), in_env("AWS_SECURITY_TOKEN")).value);
}

static int
take_file_keys(struct load *l, const struct credentials_file *f,
               struct credentials_source from)
{
    char *const *said = f->said;

    if (said[SAID_ACCESS_KEY] == NULL && said[SAID_SECRET_KEY] == NULL)
        return 0;
    return take_keys(
        l, from, f->path.data, said[SAID_ACCESS_KEY], said[SAID_SECRET_KEY],
        said[SAID_SESSION_TOKEN] != NULL ? said[SAID_SESSION_TOKEN]
                                         : said[SAID_SECURITY_TOKEN]);
}

static int
take_credentials_keys(struct load *l)
{
    return take_file_keys(l, &l->credentials,
                          in_credentials(l, SAID_ACCESS_KEY).from);
}

static int
take_process_keys(struct load *l)
{
    struct found command =
        FIRST(in_credentials(l, SAID_PROCESS), in_config(l, SAID_PROCESS));

    if (command.value == NULL)
        return 0;
    l->creds->from[CREDENTIALS_KEYS] = command.from;
    return credentials_run(l->creds, command.value);
}

static int
take_config_keys(struct load *l)
{
    return take_file_keys(l, &l->config, in_config(l, SAID_ACCESS_KEY).from);
}

/* The s3cmd file that nobody named. Who names a profile means AWS's. */
static int
take_standard_s3cfg(struct load *l)
{
    int err;

    if (l->rank == RANK_FIRST || l->named)
        return 0;
    err = credentials_add_path(l->creds, &l->s3cfg_path, "S3CMD_CONFIG",
                               "~/.s3cfg");
    if (err == 0 && l->s3cfg_path.len > 0)
        err = read_s3cfg(l, false);
    if (err == 0)
        err = take_s3cfg_keys(l);
    if (err == 0 && l->creds->access_key != NULL)
        l->rank = RANK_LATER;
    return err;
}

/* The first provider that knows keys wins; a half pair ends the search. */
static int
find_keys(struct load *l)
{
    static int (*const providers[])(struct load *) = {
        take_named_s3cfg_keys, take_env_keys,    take_credentials_keys,
        take_process_keys,     take_config_keys, take_standard_s3cfg};
    size_t count = sizeof(providers) / sizeof(*providers);
    int err = 0;

    for (size_t i = 0; i < count && err == 0 && l->creds->access_key == NULL;
         i++)
        err = providers[i](l);
    return err;
}

/* --- settings --- */

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
set_region(struct load *l, const char *wish)
{
    struct found asked = {wish, {command_line, "--region"}};
    const char *location = s3cfg_region(&l->s3cfg);
    struct found region =
        FIRST(asked, in_s3cfg(l, RANK_FIRST, location, "bucket_location"),
              in_env("AWS_REGION"), in_env("AWS_DEFAULT_REGION"),
              in_s3cfg(l, RANK_LATER, location, "bucket_location"),
              in_credentials(l, SAID_REGION), in_config(l, SAID_REGION));

    if (region.value == NULL)
        region.value = DEFAULT_REGION;
    if (!is_region(region.value))
        return credentials_fail(l->creds, EINVAL, "bad region '%.64s'",
                                region.value);
    l->creds->from[CREDENTIALS_REGION] = region.from;
    return credentials_keep(l->creds, &l->creds->region, region.value);
}

/* The endpoint_url of the services section that the profile names. */
static int
find_service_url(struct load *l)
{
    struct found name =
        FIRST(in_credentials(l, SAID_SERVICES), in_config(l, SAID_SERVICES));

    if (name.value == NULL)
        return 0;
    return credentials_file_service(l->creds, &l->service_url, &l->config,
                                    name.value);
}

static int
set_endpoint(struct load *l)
{
    const char *s3cfg_url = l->s3cfg_url.len > 0 ? l->s3cfg_url.data : NULL;
    struct found ignore = FIRST(in_env("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"),
                                in_credentials(l, SAID_IGNORE_ENDPOINTS),
                                in_config(l, SAID_IGNORE_ENDPOINTS));
    struct found url = FIRST(in_s3cfg(l, RANK_FIRST, s3cfg_url, "host_base"));
    bool ignored = url.value == NULL && ignore.value != NULL &&
                   strcasecmp(ignore.value, "true") == 0;
    int err = 0;

    if (url.value == NULL && !ignored)
        url = FIRST(in_env("AWS_ENDPOINT_URL_S3"), in_env("AWS_ENDPOINT_URL"),
                    in_s3cfg(l, RANK_LATER, s3cfg_url, "host_base"));
    if (url.value == NULL && !ignored) {
        struct found service = {NULL, {config_file, "services"}};

        err = find_service_url(l);
        service.value = l->service_url;
        url = FIRST(service, in_credentials(l, SAID_ENDPOINT),
                    in_config(l, SAID_ENDPOINT));
    }
    if (err == 0 && ignored)
        url.from = ignore.from;
    l->creds->from[CREDENTIALS_ENDPOINT] = url.from;
    return err != 0
               ? err
               : credentials_keep(l->creds, &l->creds->endpoint_url, url.value);
}

static int
set_ca_bundle(struct load *l)
{
    const char *in_file = l->s3cfg.text[S3CFG_CA_CERTS_FILE];
    struct found path =
        FIRST(in_s3cfg(l, RANK_FIRST, in_file, "ca_certs_file"),
              in_env("AWS_CA_BUNDLE"),
              in_s3cfg(l, RANK_LATER, in_file, "ca_certs_file"),
              in_credentials(l, SAID_CA_BUNDLE), in_config(l, SAID_CA_BUNDLE));

    l->creds->from[CREDENTIALS_CA_BUNDLE] = path.from;
    return credentials_keep(l->creds, &l->creds->ca_bundle, path.value);
}

static int
set_addressing(struct load *l)
{
    struct found style = FIRST(in_credentials(l, SAID_ADDRESSING),
                               in_config(l, SAID_ADDRESSING));
    bool other_host;

    if (l->rank != RANK_NEVER &&
        s3cfg_addressing(&l->creds->addressing, &other_host, &l->s3cfg)) {
        l->creds->from[CREDENTIALS_ADDRESSING] = (struct credentials_source){
            s3cmd_file,
            other_host ? "host_bucket, which is another host" : "host_bucket"};
        return 0;
    }
    l->creds->from[CREDENTIALS_ADDRESSING] = style.from;
    if (style.value == NULL ||
        addressing_parse(&l->creds->addressing, style.value))
        return 0;
    return credentials_fail(l->creds, EINVAL,
                            "profile '%.64s': bad addressing_style '%.32s'",
                            l->creds->profile, style.value);
}

static int
set_payload(struct load *l)
{
    struct found wish = FIRST(in_credentials(l, SAID_PAYLOAD_SIGNING),
                              in_config(l, SAID_PAYLOAD_SIGNING));

    l->creds->from[CREDENTIALS_PAYLOAD] = wish.from;
    if (wish.value == NULL)
        return 0;
    if (strcasecmp(wish.value, "true") == 0)
        l->creds->payload = CREDENTIALS_PAYLOAD_SIGNED;
    else if (strcasecmp(wish.value, "false") == 0)
        l->creds->payload = CREDENTIALS_PAYLOAD_UNSIGNED;
    else
        return credentials_fail(
            l->creds, EINVAL,
            "profile '%.64s': bad payload_signing_enabled '%.32s'",
            l->creds->profile, wish.value);
    return 0;
}

/* What only s3cmd's file has. */
static void
set_switches(struct load *l)
{
    struct credentials_source *from = l->creds->from;

    from[CREDENTIALS_INSECURE].kind = "default";
    from[CREDENTIALS_SIGNATURE].kind = "default";
    if (l->rank == RANK_NEVER)
        return;
    /* said of that file's host, not of any other */
    l->creds->insecure =
        from[CREDENTIALS_ENDPOINT].kind == s3cmd_file &&
        !s3cfg_is(&l->s3cfg, S3CFG_CHECK_SSL_CERTIFICATE, true);
    l->creds->signature_v2 = s3cfg_is(&l->s3cfg, S3CFG_SIGNATURE_V2, false);
    if (l->creds->insecure)
        from[CREDENTIALS_INSECURE] =
            (struct credentials_source){s3cmd_file, "check_ssl_certificate"};
    if (l->creds->signature_v2)
        from[CREDENTIALS_SIGNATURE] =
            (struct credentials_source){s3cmd_file, "signature_v2"};
}

static int
set_path(struct load *l, struct credentials_path *out, const struct buf *path,
         bool used)
{
    out->used = used;
    return credentials_keep(l->creds, &out->path,
                            path->len > 0 ? path->data : NULL);
}

static int
set_all(struct load *l, const char *region)
{
    struct credentials *creds = l->creds;
    int err = set_region(l, region);

    if (err == 0)
        err = set_endpoint(l);
    if (err == 0)
        err = set_ca_bundle(l);
    if (err == 0)
        err = set_addressing(l);
    if (err == 0)
        err = set_payload(l);
    set_switches(l);
    if (err == 0)
        err = set_path(l, &creds->credentials_file, &l->credentials.path,
                       l->credentials.found);
    if (err == 0)
        err =
            set_path(l, &creds->config_file, &l->config.path, l->config.found);
    if (err == 0)
        err = set_path(l, &creds->s3cfg_file, &l->s3cfg_path,
                       l->rank != RANK_NEVER);
    return err;
}

/* Choose the profile and read AWS's files. */
static int
load_profile(struct load *l, const char *wish)
{
    struct found asked = {wish, {command_line, "--profile"}};
    struct found profile =
        FIRST(asked, in_env("AWS_PROFILE"), in_env("AWS_DEFAULT_PROFILE"));
    int err;

    l->by_option = wish != NULL;
    l->named = profile.value != NULL;
    if (!l->named)
        profile.value = DEFAULT_PROFILE;
    l->creds->from[CREDENTIALS_PROFILE] = profile.from;
    err = credentials_keep(l->creds, &l->creds->profile, profile.value);
    if (err == 0)
        err = read_files(l);
    if (err == 0 && l->named && !l->credentials.found && !l->config.found)
        err = credentials_fail(
            l->creds, ENOENT, "no profile '%.64s' in %.80s or %.80s",
            profile.value, l->credentials.path.data, l->config.path.data);
    return err;
}

static int
load(struct load *l, const char *profile, const char *region, const char *s3cfg)
{
    int err;

    if (s3cfg != NULL) {
        l->rank = RANK_FIRST;
        err = buf_adds(&l->s3cfg_path, s3cfg);
        if (err != 0)
            credentials_fail(l->creds, err, "name of the s3cmd file too long");
        else
            err = read_s3cfg(l, true);
    } else {
        err = load_profile(l, profile);
    }
    if (err == 0)
        err = find_keys(l);
    if (err == 0)
        err = set_all(l, region);
    return err;
}

void
credentials_init(struct credentials *creds)
{
    *creds = (struct credentials){.addressing = ADDRESSING_AUTO};
}

void
credentials_clear(struct credentials *creds)
{
    credentials_wipe(&creds->access_key);
    credentials_wipe(&creds->secret_key);
    credentials_wipe(&creds->session_token);
    credentials_wipe(&creds->region);
    credentials_wipe(&creds->endpoint_url);
    credentials_wipe(&creds->ca_bundle);
    credentials_wipe(&creds->profile);
    credentials_wipe(&creds->credentials_file.path);
    credentials_wipe(&creds->config_file.path);
    credentials_wipe(&creds->s3cfg_file.path);
    credentials_init(creds);
}

int
credentials_load(struct credentials *creds, const char *profile,
                 const char *region, const char *s3cfg)
{
    struct load l = {.creds = creds};
    int err;

    credentials_clear(creds);
    credentials_file_init(&l.credentials);
    credentials_file_init(&l.config);
    s3cfg_init(&l.s3cfg);
    buf_init(&l.s3cfg_path, PATH_MAX_LEN);
    buf_init(&l.s3cfg_url, URL_MAX_LEN);
    err = load(&l, profile, region, s3cfg);
    credentials_file_clear(&l.credentials);
    credentials_file_clear(&l.config);
    s3cfg_clear(&l.s3cfg);
    buf_clear(&l.s3cfg_path);
    buf_clear(&l.s3cfg_url);
    credentials_wipe(&l.service_url);
    if (err != 0) {
        char error[sizeof(creds->error)];

        memcpy(error, creds->error, sizeof(error));
        credentials_clear(creds);
        memcpy(creds->error, error, sizeof(error));
    }
    return err;
}
