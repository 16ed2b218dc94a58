/* SPDX-License-Identifier: MIT */
/* The reader of s3cmd's file. */
#include "config.h"

#include "s3cfg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static struct s3cfg cfg;

static int
read_text(const char *text)
{
    s3cfg_clear(&cfg);
    return s3cfg_read(&cfg, text, strlen(text));
}

/* The access key that TEXT gives. */
static const char *
key(const char *text)
{
    return read_text(text) == 0 ? cfg.text[S3CFG_ACCESS_KEY] : "an error";
}

static void
test_syntax(void)
{
    is_str(key("[default]\naccess_key = A\n"), "A", "an option");
    is_str(key("access_key=A"), "A", "without section, blanks and line end");
    is_str(key("\xef\xbb\xbf[default]\r\naccess_key = A \t\r\n"), "A",
           "a byte order mark and CRLF");
    is_str(key("  access_key\t=  A=B#C \n"), "A=B#C", "the rest is the value");
    is_str(key("access_key = \"A B\"\n"), "A B", "quotes");
    is_str(key("access_key = \"A\"B\"\n"), "A\"B", "quotes in quotes");
    is_str(key("access_key = \"A\n"), "\"A", "an open quote is none");
    is_str(key("access_key = \"\n"), "\"", "alone, too");
    is_str(key("access_key = A\naccess_key = B\n"), "B", "the last one counts");
    is_str(key("access_key = A\naccess_key =\n"), NULL, "even an empty one");
    is_str(key("# access_key = A\n  # c\n\nnonsense\n= x\n[default\n"), NULL,
           "comments and nonsense");
    is_str(key("[other]\naccess_key = A\n"), NULL, "another section");
    is_str(key("[other]\n[default]\naccess_key = A\n[x]\naccess_key=B\n"), "A",
           "among others");
    is_str(key("Access_Key = A\nxaccess_key = B\naccess_keys = C\n"), NULL,
           "only the exact name");
    setenv("S3PERF_T", "from outside", 1);
    is_str(key("access_key = $S3PERF_T\n"), "from outside", "a variable");
    unsetenv("S3PERF_T");
    is_str(key("access_key = $S3PERF_T\n"), NULL, "that is not set");
    s3cfg_clear(&cfg);
    is_int(s3cfg_read(&cfg, "secret_key = A\0B\n", 17), EINVAL, "a NUL byte");
    is_str(cfg.bad, "secret_key", "is named");
}

static void
test_booleans(void)
{
    static const char *const yes[] = {"True", "yes", "ON", "1", "\"true\""};
    static const char *const no[] = {"False", "no", "Off", "0"};
    char text[64];

    for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
        snprintf(text, sizeof(text), "signature_v2 = %s\n", yes[i]);
        ok(read_text(text) == 0 && s3cfg_is(&cfg, S3CFG_SIGNATURE_V2, false),
           "%s is true", yes[i]);
    }
    for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++) {
        snprintf(text, sizeof(text), "use_https = %s\n", no[i]);
        ok(read_text(text) == 0 && !s3cfg_is(&cfg, S3CFG_USE_HTTPS, true),
           "%s is false", no[i]);
    }
    ok(read_text("") == 0 && s3cfg_is(&cfg, S3CFG_USE_HTTPS, true) &&
           !s3cfg_is(&cfg, S3CFG_USE_HTTPS, false),
       "neither");
    is_int(read_text("use_https = maybe\n"), EINVAL, "anything else");
    is_str(cfg.bad, "use_https", "is refused by name");
}

/* The endpoint and the style of TEXT, as "URL STYLE". */
static const char *
service(const char *text)
{
    static struct buf out;
    enum addressing style = ADDRESSING_AUTO;
    bool other, said;

    buf_clear(&out);
    buf_init(&out, 1000);
    if (read_text(text) != 0 || s3cfg_add_endpoint(&out, &cfg) != 0)
        return NULL;
    said = s3cfg_addressing(&style, &other, &cfg);
    buf_adds(&out, !said                         ? " -"
                   : style == ADDRESSING_PATH    ? " path"
                   : style == ADDRESSING_VIRTUAL ? " virtual"
                                                 : " auto");
    if (said && other)
        buf_addc(&out, '!');
    return out.data;
}

static void
test_service(void)
{
    is_str(service(""), " -", "nothing");
    is_str(service("host_base = h:9000\nhost_bucket = h:9000\n"),
           "https://h:9000 path", "no bucket in the pattern: path");
    is_str(service("host_base = h:9000\nuse_https = no\n"
                   "host_bucket = %(bucket)s.h:9000\n"),
           "http://h:9000 virtual", "the same host: virtual");
    is_str(service("host_base = h\nhost_bucket = %(bucket)s.other\n"),
           "https://h path!", "another host: path");
    is_str(service("host_base = h\nhost_bucket = h/%(bucket)s\n"),
           "https://h path!", "a bucket elsewhere: path");
    is_str(service("host_base = s3.amazonaws.com\n"
                   "host_bucket = %(bucket)s.s3.amazonaws.com\n"),
           "aws auto", "AWS as s3cmd writes it");
    is_str(service("host_base = s3.amazonaws.com\nuse_https = no\n"
                   "host_bucket = %(bucket)s.s3-%(location)s.amazonaws.com\n"),
           "http://s3.amazonaws.com auto", "AWS without TLS");
    read_text("bucket_location = US\n");
    is_str(s3cfg_region(&cfg), "us-east-1", "US");
    read_text("bucket_location = EU\n");
    is_str(s3cfg_region(&cfg), "eu-west-1", "EU");
    read_text("bucket_location = ap-south-1\n");
    is_str(s3cfg_region(&cfg), "ap-south-1", "a region");
    read_text("");
    is_str(s3cfg_region(&cfg), NULL, "no region");
    service("");
}

int
main(void)
{
    s3cfg_init(&cfg);
    test_syntax();
    test_booleans();
    test_service();
    s3cfg_clear(&cfg);
    s3cfg_clear(&cfg);
    ok(cfg.text[S3CFG_ACCESS_KEY] == NULL, "cleared twice");
    return done_testing();
}
