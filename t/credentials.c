/* SPDX-License-Identifier: MIT */
/* Where keys, region and endpoint come from, and in which order. */
#include "config.h"

#include "credentials.h"

#include <errno.h>

#include <sys/stat.h>

#include "credentials-files.h"
#include "tap.h"
#include "vectors.h"

enum field {
    NAME,
    CONFIG,
    CREDENTIALS,
    ENVIRONMENT,
    ERROR,
    ACCESS_KEY,
    SECRET_KEY,
    TOKEN,
    SOURCE,
    REGION,
    ENDPOINT,
    ADDRESSING,
    FIELDS
};

/*
 * The endpoint, WANT being botocore's. A named difference
 * (doc/credentials.md): us-east-1 has AWS's regional name here and the old
 * global one there.
 */
static void
check_endpoint(const char *name, const char *want)
{
    struct endpoint e;
    struct buf url;
    bool parsed = creds.endpoint_url != NULL
                      ? endpoint_parse(&e, creds.endpoint_url) == NULL
                      : endpoint_aws(&e, creds.region);

    if (strcmp(want, "https://s3.amazonaws.com") == 0)
        want = "https://s3.us-east-1.amazonaws.com";
    buf_init(&url, 1024);
    ok(parsed && endpoint_add_url(&url, &e) == 0, "%s: an endpoint", name);
    is_str(url.data, want, "%s: is that", name);
    buf_clear(&url);
}

static void
check_found(char **field)
{
    static const char *const sources[][3] = {
        {"env", "environment", "AWS_ACCESS_KEY_ID"},
        {"shared-credentials-file", "credentials file", "aws_access_key_id"},
        {"config-file", "config file", "aws_access_key_id"},
        {"custom-process", "config file", "credential_process"},
    };
    const struct credentials_source *from = &creds.from[CREDENTIALS_KEYS];
    const char *name = field[NAME], *const *source = NULL;
    enum addressing addressing = ADDRESSING_AUTO;
    char *access_key = vectors_text(field[ACCESS_KEY]);
    char *secret_key = vectors_text(field[SECRET_KEY]);
    char *token = vectors_text(field[TOKEN]);

    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
        if (strcmp(field[SOURCE], sources[i][0]) == 0)
            source = sources[i];
    if (source == NULL)
        vectors_die("unknown source", field[SOURCE]);
    addressing_parse(&addressing, field[ADDRESSING]);
    is_str(creds.error, "", "%s: loaded", name);
    is_str(creds.access_key, access_key, "%s: access key", name);
    is_str(creds.secret_key, secret_key, "%s: secret key", name);
    is_str(creds.session_token, token, "%s: session token", name);
    is_str(from->kind, source[1], "%s: kind of source", name);
    is_str(from->name, source[2], "%s: source", name);
    is_str(creds.region, field[REGION], "%s: region", name);
    check_endpoint(name, field[ENDPOINT]);
    is_int(creds.addressing, addressing, "%s: addressing", name);
    free(access_key);
    free(secret_key);
    free(token);
}

/* What botocore did with the same files and environment. */
static void
check_case(char **field)
{
    char *config = vectors_text(field[CONFIG]);
    char *credentials = vectors_text(field[CREDENTIALS]);
    struct vectors_pairs env;
    int err;

    set_files(config, credentials);
    vectors_read_pairs(&env, field[ENVIRONMENT]);
    for (size_t i = 0; i < env.n; i++)
        setenv(env.pair[i].name, env.pair[i].value, 1);
    err = load();
    if (strcmp(field[ERROR], "-") != 0)
        ok(err == EINVAL && *creds.error != '\0', "%s: refused: %s",
           field[NAME], creds.error);
    else
        check_found(field);
    vectors_free_pairs(&env);
    free(config);
    free(credentials);
}

static void
test_keys(void)
{
    const char *pair = "[default]\naws_access_key_id=A\n"
                       "aws_secret_access_key=S\n"
                       "aws_security_token=OLD\naws_session_token=NEW\n";

    set_files(NULL, NULL);
    is_int(load(), 0, "nothing anywhere is no error");
    ok(creds.access_key == NULL && creds.secret_key == NULL &&
           creds.from[CREDENTIALS_KEYS].kind == NULL &&
           creds.endpoint_url == NULL,
       "and gives no keys");
    is_str(creds.region, "us-east-1", "but a region");

    set_files(NULL, pair);
    load();
    is_str(creds.session_token, "NEW", "the new name of a token wins");
    setenv("AWS_ACCESS_KEY_ID", "E", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "T", 1);
    setenv("AWS_SECURITY_TOKEN", "OLD", 1);
    load();
    is_str(creds.session_token, "OLD", "the old variable works");
    setenv("AWS_SESSION_TOKEN", "NEW", 1);
    load();
    is_str(creds.session_token, "NEW", "the new variable wins");
    unsetenv("AWS_SESSION_TOKEN");
    unsetenv("AWS_SECURITY_TOKEN");
    load();
    is_str(creds.session_token, NULL, "a file's token stays with its keys");
    is_int(credentials_load(&creds, "default", NULL, NULL), 0,
           "a profile by option");
    is_str(creds.access_key, "A", "beats keys in the environment");

    setenv("AWS_SECRET_ACCESS_KEY", "", 1);
    is_int(load(), EINVAL, "half a pair in the environment");
    is_str(creds.error, "environment: access key without secret key",
           "is said");
    setenv("AWS_ACCESS_KEY_ID", "", 1);
    is_int(load(), 0, "empty variables count as not set");
    is_str(creds.from[CREDENTIALS_KEYS].kind, "credentials file",
           "so the file is asked");

    set_files(pair, "[default]\naws_access_key_id =\n"
                    "aws_secret_access_key=\n");
    load();
    is_str(creds.from[CREDENTIALS_KEYS].kind, "config file",
           "empty options count as missing");
    set_files(NULL, "[default]\naws_secret_access_key=S3CR3T\n");
    is_int(load(), EINVAL, "a secret key alone");
    ok(strstr(creds.error, "secret key without access key") != NULL &&
           strstr(creds.error, in_folder("credentials")) != NULL,
       "is said, with the file's name");
}

static void
test_profiles(void)
{
    set_files("[default]\nregion=r0\nendpoint_url=http://h0\n"
              "[profile a]\nregion=ra\n[profile default]\nregion=r1\n",
              "[b]\naws_access_key_id=B\naws_secret_access_key=S\n"
              "region=rb\n");
    load();
    is_str(creds.region, "r1", "[profile default] beats [default]");
    is_str(creds.endpoint_url, NULL, "and takes nothing from it");
    setenv("AWS_DEFAULT_PROFILE", "b", 1);
    load();
    is_str(creds.access_key, "B", "AWS_DEFAULT_PROFILE");
    is_str(creds.region, "rb", "a region in the credentials file");
    setenv("AWS_PROFILE", "a", 1);
    is_int(load(), 0, "AWS_PROFILE");
    is_str(creds.region, "ra", "beats AWS_DEFAULT_PROFILE");
    is_str(creds.access_key, NULL, "and takes no other profile's keys");

    setenv("AWS_PROFILE", "none", 1);
    setenv("AWS_ACCESS_KEY_ID", "E", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "T", 1);
    is_int(load(), ENOENT, "a profile in no file, even with keys");
    ok(strstr(creds.error, "'none'") != NULL && creds.access_key == NULL,
       "is named: %s", creds.error);
    is_int(credentials_load(&creds, "x", NULL, NULL), ENOENT,
           "the same by option");
    setenv("AWS_PROFILE", "a", 1);
    load();
    is_str(creds.access_key, "E", "keys of the environment,");
    is_str(creds.region, "ra", "region of AWS_PROFILE");
}

static void
test_settings(void)
{
    set_files("[default]\nregion=rf\nendpoint_url=http://f\nca_bundle=/f\n"
              "s3 =\n  addressing_style = virtual\n",
              "[default]\nca_bundle=/c\n");
    load();
    is_str(creds.region, "rf", "region of the profile");
    is_str(creds.endpoint_url, "http://f", "endpoint of the profile");
    is_str(creds.ca_bundle, "/c", "the credentials file is merged on top");
    is_int(creds.addressing, ADDRESSING_VIRTUAL, "addressing style");
    setenv("AWS_DEFAULT_REGION", "rd", 1);
    setenv("AWS_ENDPOINT_URL", "http://e", 1);
    setenv("AWS_CA_BUNDLE", "/e", 1);
    load();
    is_str(creds.region, "rd", "AWS_DEFAULT_REGION");
    is_str(creds.endpoint_url, "http://e", "AWS_ENDPOINT_URL");
    is_str(creds.ca_bundle, "/e", "AWS_CA_BUNDLE");
    setenv("AWS_REGION", "re", 1);
    setenv("AWS_ENDPOINT_URL_S3", "http://s3", 1);
    load();
    is_str(creds.region, "re", "AWS_REGION beats it");
    is_str(creds.endpoint_url, "http://s3", "AWS_ENDPOINT_URL_S3 beats it");
    credentials_load(&creds, NULL, "ro", NULL);
    is_str(creds.region, "ro", "an option beats all");
    setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "True", 1);
    load();
    is_str(creds.endpoint_url, NULL, "all of them can be ignored");
    setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "false", 1);
    load();
    is_str(creds.endpoint_url, "http://s3", "or not");

    set_files("[default]\nignore_configured_endpoint_urls = true\n"
              "endpoint_url = http://f\n",
              NULL);
    load();
    is_str(creds.endpoint_url, NULL, "by an option of the profile, too");
    setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "no", 1);
    load();
    is_str(creds.endpoint_url, "http://f", "which the variable beats");
}

static void
test_paths(void)
{
    set_files(NULL, NULL);
    unsetenv("AWS_CONFIG_FILE");
    unsetenv("AWS_SHARED_CREDENTIALS_FILE");
    mkdir(in_folder(".aws"), 0700);
    put_file(".aws/config", "[default]\nregion=home\n");
    put_file(".aws/credentials",
             "[default]\naws_access_key_id=H\naws_secret_access_key=S\n");
    load();
    is_str(creds.region, "home", "~/.aws/config");
    is_str(creds.access_key, "H", "~/.aws/credentials");
    put_file("other", "[default]\nregion=tilde\n");
    setenv("AWS_CONFIG_FILE", "~/other", 1);
    load();
    is_str(creds.region, "tilde", "~ in a variable");
    setenv("AWS_CONFIG_FILE", "~no-such-user/other", 1);
    is_int(load(), ENOENT, "an unknown user");
    is_str(creds.error, "AWS_CONFIG_FILE: no home for '~no-such-user'",
           "is named");
    setenv("AWS_CONFIG_FILE", folder, 1);
    is_int(load(), EISDIR, "a folder is no file");
    ok(strstr(creds.error, folder) != NULL, "and named: %s", creds.error);
    setenv("AWS_CONFIG_FILE", in_folder("other/below"), 1);
    is_int(load(), 0, "a path through a file counts as missing");
    put_file(".aws/config", NULL);
    put_file(".aws/credentials", NULL);
    put_file("other", NULL);
    rmdir(in_folder(".aws"));
}

/* Session tokens may be long, and no message may show a secret. */
static void
test_long_and_secret(void)
{
    static const char *const broken[] = {
        "[default]\naws_secret_access_key=S3CR3T\n",
        "[default]\naws_secret_access_key=S3CR3T\naws_access_key_id\n",
        "[default]\naws_access_key_id=A\naws_secret_access_key S3CR3T\n",
        "[default]\naws_secret_access_key=S3CR3T\n"
        "aws_secret_access_key=S3CR3T\n",
        "aws_secret_access_key=S3CR3T\n",
        "[default]\naws_access_key_id=A\n"
        "aws_secret_access_key=S3CR3T\001\n",
        "[default]\naws_access_key_id=A\naws_secret_access_key=S3CR3T\n"
        "  continued = S3CR3T\n",
    };
    char *text = (char *) malloc(100000), *token;

    if (text == NULL)
        return;
    strcpy(text, "[default]\naws_access_key_id=A\n"
                 "aws_secret_access_key=S\naws_session_token=");
    token = text + strlen(text);
    memset(token, 'T', 65536);
    strcpy(token + 65536, "\nregion=after\n");
    set_files(NULL, text);
    is_int(load(), 0, "a token of 64 KiB");
    token[65536] = '\0';
    ok(creds.session_token != NULL && strcmp(creds.session_token, token) == 0,
       "is whole");
    is_str(creds.region, "after", "and what follows it is read");
    free(text);

    for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
        set_files(NULL, broken[i]);
        ok(load() == EINVAL && *creds.error != '\0' &&
               strstr(creds.error, "S3CR3T") == NULL,
           "broken file %zu: %s", i, creds.error);
        ok(creds.access_key == NULL && creds.secret_key == NULL &&
               creds.region == NULL,
           "and nothing is left");
    }
    set_files(NULL, NULL);
    setenv("AWS_ACCESS_KEY_ID", "A\r\nX-Evil: 1", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "S3CR3T", 1);
    is_int(load(), EINVAL, "a line end in a key is refused");
    is_str(creds.error, "environment: control character in a key or token",
           "and said");
}

static void
test_refusals(void)
{
    set_files("[default]\nregion = us-east-1 # home\n", NULL);
    is_int(load(), EINVAL, "a comment is a part of the value");
    is_str(creds.error, "bad region 'us-east-1 # home'", "and shown");
    is_int(credentials_load(&creds, NULL, "a/b", NULL), EINVAL, "a bad region");
    is_int(credentials_load(&creds, NULL, "", NULL), EINVAL, "an empty region");
    set_files("[default]\ns3 =\n  addressing_style = dns\n", NULL);
    is_int(load(), EINVAL, "an unknown addressing style");
    is_str(creds.error, "profile 'default': bad addressing_style 'dns'",
           "is named");
    set_files("[default]\ns3 =\n  region = inner\nother =\n"
              "  addressing_style = dns\naddressing_style = dns\n",
              NULL);
    is_int(load(), 0, "nested options count only where they belong");
    is_str(creds.region, "us-east-1", "a nested region is none");
    set_files("[default]\n", "[profile default]\naws_access_key_id = A\n");
    is_int(load(), 0, "[profile x] means nothing in the credentials file");
}

/* Files of another project, read where they are. */
static void
test_shared(void)
{
    char path[4096];

    set_files(NULL, NULL);
    if (!vectors_shared_path(path, sizeof(path), "botocore-cfg/aws_config")) {
        ok(true, "botocore's files # SKIP not there");
        return;
    }
    setenv("AWS_CONFIG_FILE", path, 1);
    load();
    is_str(creds.access_key, "foo", "aws_config: default");
    credentials_load(&creds, "personal", NULL, NULL);
    is_str(creds.session_token, "fiebaz", "aws_config: personal");
    vectors_shared_path(path, sizeof(path), "botocore-cfg/aws_config_nested");
    setenv("AWS_CONFIG_FILE", path, 1);
    load();
    is_int(creds.addressing, ADDRESSING_PATH, "aws_config_nested: style");
    is_str(creds.region, "us-west-2", "aws_config_nested: region");
    vectors_shared_path(path, sizeof(path), "botocore-cfg/aws_config_bad");
    setenv("AWS_CONFIG_FILE", path, 1);
    is_int(load(), EINVAL, "aws_config_bad");
    vectors_shared_path(path, sizeof(path), "botocore-cfg/aws_bad_profile");
    setenv("AWS_CONFIG_FILE", path, 1);
    credentials_load(&creds, "personal1", NULL, NULL);
    is_str(creds.access_key, "access_personal1", "aws_bad_profile");
    credentials_load(&creds, "my profile", NULL, NULL);
    is_str(creds.access_key, "default", "aws_bad_profile: a blank in a name");
    is_int(credentials_load(&creds, "personal", NULL, NULL), ENOENT,
           "aws_bad_profile: two names are none");
}

int
main(void)
{
    size_t count;

    if (mkdtemp(folder) == NULL)
        vectors_die("cannot be made", folder);
    credentials_init(&creds);
    count = vectors_each("config-files.tsv", FIELDS, check_case);
    ok(count >= 16, "%zu recorded cases", count);
    test_keys();
    test_profiles();
    test_settings();
    test_paths();
    test_long_and_secret();
    test_refusals();
    test_shared();
    set_files(NULL, NULL);
    rmdir(folder);
    credentials_clear(&creds);
    credentials_clear(&creds);
    ok(creds.access_key == NULL && *creds.error == '\0', "cleared twice");
    return done_testing();
}
