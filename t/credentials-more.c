/* SPDX-License-Identifier: MIT */
/* Services sections, credential_process, s3cmd's file, and which source
 * each value is said to have. */
#include "config.h"

#include "credentials.h"

#include <errno.h>

#include "credentials-files.h"
#include "tap.h"
#include "vectors.h"

#define KEYS "aws_access_key_id = A\naws_secret_access_key = S3CR3T\n"

/* The source of VALUE as "KIND: NAME". */
static const char *
source(enum credentials_value value)
{
    static char text[128];
    const struct credentials_source *from = &creds.from[value];

    snprintf(text, sizeof(text), "%s: %s", from->kind,
             from->name != NULL ? from->name : "-");
    return text;
}

/* The last load failed with a line that has WORD and no secret. */
static void
says(const char *word, const char *what)
{
    ok(strstr(creds.error, word) != NULL &&
           strstr(creds.error, "S3CR3T") == NULL && creds.secret_key == NULL,
       "%s: %s", what, creds.error);
}

static void
test_services(void)
{
    const char *lab =
        "[default]\nservices = lab\nendpoint_url = http://p\n" KEYS
        "[services lab]\nec2 =\n  endpoint_url = http://ec2\n"
        "services = lab\nendpoint_url = http://outer\n"
        "s3 =\n  endpoint_url = http://s3\n"
        "  services = lab\n";

    set_files(lab, NULL);
    load();
    is_str(creds.endpoint_url, "http://s3", "the services section");
    is_str(source(CREDENTIALS_ENDPOINT), "config file: services", "is named");
    setenv("AWS_ENDPOINT_URL", "http://e", 1);
    load();
    is_str(creds.endpoint_url, "http://e", "a variable beats it");
    is_str(source(CREDENTIALS_ENDPOINT), "environment: AWS_ENDPOINT_URL",
           "and is named");
    setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true", 1);
    load();
    is_str(creds.endpoint_url, NULL, "it can be ignored");
    is_str(source(CREDENTIALS_ENDPOINT),
           "environment: AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "is said");

    set_files("[default]\nendpoint_url = http://p\nservices = lab\n"
              "[services lab]\nec2 =\n  endpoint_url = http://ec2\n",
              NULL);
    load();
    is_str(creds.endpoint_url, "http://p",
           "a section without s3 gives nothing");
    set_files("[default]\nendpoint_url = http://p\nservices = \"lab\"\n", NULL);
    is_int(load(), ENOENT, "a section that is not there");
    says("services", "is named");
    setenv("AWS_ENDPOINT_URL", "http://e", 1);
    is_int(load(), 0, "unless it does not matter");
    set_files("[default]\nservices = lab\n[services lab]\ns3 =\n"
              "  endpoint_url = http://1\n  endpoint_url = http://2\n",
              NULL);
    is_int(load(), EINVAL, "an endpoint twice");
    says("endpoint_url twice", "is named");
    set_files("[default]\nservices = lab\n[services lab]\nnonsense\n", NULL);
    is_int(load(), EINVAL, "a malformed section");
    says("line 4 is malformed", "is named");
}

static void
test_nested_settings(void)
{
    set_files("[default]\ns3 =\n  payload_signing_enabled = TRUE\n"
              "  max_concurrent_requests = 7\n  use_dualstack_endpoint = x\n",
              NULL);
    load();
    is_int(creds.payload, CREDENTIALS_PAYLOAD_SIGNED, "payloads signed");
    is_str(source(CREDENTIALS_PAYLOAD), "config file: payload_signing_enabled",
           "by the config file");
    set_files("[default]\n", "[default]\ns3 =\n"
                             "  payload_signing_enabled = false\n");
    load();
    is_int(creds.payload, CREDENTIALS_PAYLOAD_UNSIGNED, "not signed");
    set_files(NULL, NULL);
    load();
    is_int(creds.payload, CREDENTIALS_PAYLOAD_UNSAID, "not said");
    is_str(source(CREDENTIALS_PAYLOAD), "default: -", "so the default");
    set_files("[default]\ns3 =\n  payload_signing_enabled = maybe\n", NULL);
    is_int(load(), EINVAL, "anything else is refused");
    says("payload_signing_enabled", "by name");
}

/* Let credential_process print TEXT, which has no ' in it. */
static int
load_printed(const char *text)
{
    char config[4096];

    snprintf(config, sizeof(config),
             "[default]\ncredential_process = printf %%s '%s'\n", text);
    set_files(config, NULL);
    return load();
}

#define PAIR "\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"S3CR3T\""

static void
test_process(void)
{
    is_int(load_printed("{\"Version\": 1, " PAIR ", \"SessionToken\": null,"
                        "\"AccountId\": [1], \"Expiration\": null}"),
           0, "what is null or unknown");
    ok(creds.session_token == NULL && creds.expires == 0, "counts as missing");
    is_str(creds.secret_key, "S3CR3T", "the secret key");
    is_str(source(CREDENTIALS_KEYS), "config file: credential_process",
           "its source");
    load_printed("{\"Version\":1," PAIR
                 ",\"Expiration\":\"2999-12-31T23:59:59Z\"}");
    is_int(creds.expires, INT64_C(32503679999), "an expiration");
    load_printed("{\"Version\":1," PAIR
                 ",\"Expiration\":\"3000-01-01T01:29:59.123+01:30\"}");
    is_int(creds.expires, INT64_C(32503679999), "with fraction and zone");
    is_int(load_printed("{\"Version\":1," PAIR
                        ",\"Expiration\":\"2020-01-01T00:00:00Z\"}"),
           EKEYEXPIRED, "expired keys");
    says("expired at 2020-01-01T00:00:00Z", "are an error");

    set_files("[default]\n" KEYS "credential_process = printf %s "
              "'{\"Version\":1,\"AccessKeyId\":\"P\","
              "\"SecretAccessKey\":\"S\"}'\n",
              NULL);
    load();
    is_str(creds.access_key, "P", "it beats keys of the config file");
    put_file("credentials", "[default]\naws_access_key_id = C\n"
                            "aws_secret_access_key = S\n");
    load();
    is_str(creds.access_key, "C", "but not those of the credentials file");
    setenv("AWS_ACCESS_KEY_ID", "E", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "T", 1);
    load();
    is_str(creds.access_key, "E", "nor the environment");
    set_files("[default]\ncredential_process = touch /nonexistent/x\n", NULL);
    setenv("AWS_ACCESS_KEY_ID", "E", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "T", 1);
    is_int(load(), 0, "it is not run when it is not needed");
}

static void
test_bad_process(void)
{
    static const struct {
        const char *json, *word;
    } cases[] = {
        {"S3CR3T", "no JSON object, see byte 0"},
        {"{\"Version\":1," PAIR "} S3CR3T", "no JSON object"},
        {"{" PAIR "}", "Version 1"},
        {"{\"Version\":2," PAIR "}", "Version 1"},
        {"{\"Version\":\"1\"," PAIR "}", "bad Version"},
        {"{\"Version\":1,\"Version\":1," PAIR "}", "bad Version"},
        {"{\"Version\":1,\"AccessKeyId\":\"A\"}", "no SecretAccessKey"},
        {"{\"Version\":1,\"SecretAccessKey\":\"S3CR3T\"}", "no AccessKeyId"},
        {"{\"Version\":1,\"AccessKeyId\":\"\",\"SecretAccessKey\":\"S3CR3T\"}",
         "no AccessKeyId"},
        {"{\"Version\":1,\"AccessKeyId\":7,\"SecretAccessKey\":\"S3CR3T\"}",
         "bad AccessKeyId"},
        {"{\"Version\":1," PAIR ",\"SessionToken\":\"S3CR3T\\r\\nX: y\"}",
         "control character"},
        {"{\"Version\":1," PAIR ",\"Expiration\":\"S3CR3T\"}",
         "bad Expiration"},
        {"{\"Version\":1," PAIR ",\"Expiration\":\"2999-02-30T00:00:00Z\"}",
         "bad Expiration"},
        {"{\"Version\":1," PAIR ",\"Expiration\":\"2999-01-01T00:00:00Zx\"}",
         "bad Expiration"},
        {"{\"Version\":1," PAIR ",\"Expiration\":\"2999-01-01\"}",
         "bad Expiration"},
    };
    static const struct {
        const char *command, *word;
    } commands[] = {
        {"sh -c 'echo S3CR3T; exit 3'", "exit status 3"},
        {"sh -c 'echo S3CR3T; kill -9 $$'", "signal 9"},
        {"/nonexistent/S3CR3T", "cannot be run"},
        {"'S3CR3T", "open quote"},
        {"''", "empty"},
        {"yes S3CR3T", "more than 65536 bytes"},
        {"true", "no JSON object, see byte 0"},
        {"printf '{\\0000}'", "no JSON object"},
        {"printf '%s' '{\"Version\":1}' | cat", "byte 13"},
    };
    char config[256];

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        ok(load_printed(cases[i].json) != 0, "printed: %s", cases[i].json);
        says(cases[i].word, "is said");
    }
    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
        snprintf(config, sizeof(config), "[default]\ncredential_process = %s\n",
                 commands[i].command);
        set_files(config, NULL);
        ok(load() != 0, "command: %s", commands[i].command);
        says(commands[i].word, "is said");
    }
}

static const char s3cfg_text[] =
    "[default]\naccess_key = S3A\nsecret_key = \"S3S\"\n"
    "access_token = S3T\nhost_base = h:1\nuse_https = no\n"
    "host_bucket = %(bucket)s.h:1\nbucket_location = xx-1\n"
    "check_ssl_certificate = no\nsignature_v2 = on\n"
    "ca_certs_file = /ca\n";

static void
test_s3cfg(void)
{
    set_files(NULL, NULL);
    put_file(".s3cfg", s3cfg_text);
    is_int(load(), 0, "s3cmd's file, when there is nothing else");
    is_str(creds.access_key, "S3A", "access_key");
    is_str(creds.secret_key, "S3S", "secret_key");
    is_str(creds.session_token, "S3T", "access_token");
    is_str(creds.endpoint_url, "http://h:1", "host_base and use_https");
    is_str(creds.region, "xx-1", "bucket_location");
    is_str(creds.ca_bundle, "/ca", "ca_certs_file");
    is_int(creds.addressing, ADDRESSING_VIRTUAL, "host_bucket");
    ok(creds.insecure && creds.signature_v2, "the switches");
    is_str(source(CREDENTIALS_KEYS), "s3cmd file: access_key", "its source");
    is_str(creds.s3cfg_file.path, in_folder(".s3cfg"), "its path");
    setenv("AWS_ENDPOINT_URL", "http://e", 1);
    setenv("AWS_REGION", "re", 1);
    load();
    is_str(creds.endpoint_url, "http://e", "variables beat it");
    is_str(creds.region, "re", "each for itself");
    ok(!creds.insecure, "another endpoint's certificate is checked");

    set_files("[default]\nregion = rf\nendpoint_url = http://f\n", NULL);
    load();
    is_str(creds.region, "xx-1", "its keys come with its settings");
    set_files(NULL, "[default]\n" KEYS);
    load();
    is_str(creds.access_key, "A", "AWS's files with keys hide it");
    ok(creds.endpoint_url == NULL && !creds.signature_v2 &&
           creds.addressing == ADDRESSING_AUTO && !creds.s3cfg_file.used,
       "wholly");
    set_files("[profile x]\nregion = rx\n", NULL);
    is_int(credentials_load(&creds, "x", NULL, NULL), 0, "a named profile");
    is_str(creds.access_key, NULL, "does without it");
}

/* --s3cfg */
static void
test_named_s3cfg(void)
{
    set_files(NULL, "[default]\n" KEYS);
    setenv("AWS_ACCESS_KEY_ID", "E", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "T", 1);
    setenv("AWS_ENDPOINT_URL", "http://e", 1);
    setenv("AWS_PROFILE", "none", 1);
    put_file("named", s3cfg_text);
    is_int(credentials_load(&creds, NULL, NULL, in_folder("named")), 0,
           "a named file");
    is_str(creds.access_key, "S3A", "beats the environment");
    is_str(creds.endpoint_url, "http://h:1", "its endpoint, too");
    ok(creds.profile == NULL && creds.config_file.path == NULL,
       "AWS's files are not read");
    put_file("named", "host_base = h\n");
    credentials_load(&creds, NULL, "ro", in_folder("named"));
    is_str(creds.access_key, "E", "keys that it lacks are the environment's");
    is_str(creds.region, "ro", "the command line beats all");
    put_file("named", NULL);
    is_int(credentials_load(&creds, NULL, NULL, in_folder("named")), ENOENT,
           "a named file that is not there");
    says("named", "is named");
    put_file("other", s3cfg_text);
    set_files(NULL, NULL);
    put_file(".s3cfg", NULL);
    setenv("S3CMD_CONFIG", in_folder("other"), 1);
    load();
    is_str(creds.access_key, "S3A", "S3CMD_CONFIG");
    put_file("other", "secret_key = S3CR3T\n");
    is_int(load(), EINVAL, "half a pair");
    says("secret key without access key", "is said");
    put_file("other", "use_https = S3CR3T\n");
    is_int(load(), EINVAL, "a bad value");
    says("bad value of use_https", "is named, not shown");
    put_file("other", NULL);
}

static void
test_sources(void)
{
    set_files("[default]\nregion = rf\nca_bundle = /f\n", "[default]\n" KEYS);
    load();
    is_str(source(CREDENTIALS_PROFILE), "default: -", "the default profile");
    is_str(creds.profile, "default", "by name");
    is_str(source(CREDENTIALS_KEYS), "credentials file: aws_access_key_id",
           "keys");
    is_str(source(CREDENTIALS_REGION), "config file: region", "region");
    is_str(source(CREDENTIALS_CA_BUNDLE), "config file: ca_bundle", "CA");
    is_str(source(CREDENTIALS_ENDPOINT), "default: -", "no endpoint");
    ok(creds.credentials_file.used && creds.config_file.used, "both files");
    credentials_load(&creds, "default", "ro", NULL);
    is_str(source(CREDENTIALS_PROFILE), "command line: --profile", "--profile");
    is_str(source(CREDENTIALS_REGION), "command line: --region", "--region");
    setenv("AWS_PROFILE", "default", 1);
    setenv("AWS_DEFAULT_REGION", "re", 1);
    load();
    is_str(source(CREDENTIALS_PROFILE), "environment: AWS_PROFILE",
           "AWS_PROFILE");
    is_str(source(CREDENTIALS_REGION), "environment: AWS_DEFAULT_REGION",
           "the very variable");
}

int
main(void)
{
    if (mkdtemp(folder) == NULL)
        vectors_die("cannot be made", folder);
    credentials_init(&creds);
    test_services();
    test_nested_settings();
    test_process();
    test_bad_process();
    test_s3cfg();
    test_named_s3cfg();
    test_sources();
    set_files(NULL, NULL);
    rmdir(folder);
    credentials_clear(&creds);
    return done_testing();
}
