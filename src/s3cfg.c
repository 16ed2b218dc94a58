/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "s3cfg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <openssl/crypto.h>

#define AWS_HOST "s3.amazonaws.com" /* what s3cmd writes when not told */
#define BUCKET_PATTERN "%(bucket)s"

static const char *const names[S3CFG_COUNT] = {
    [S3CFG_ACCESS_KEY] = "access_key",
    [S3CFG_SECRET_KEY] = "secret_key",
    [S3CFG_ACCESS_TOKEN] = "access_token",
    [S3CFG_HOST_BASE] = "host_base",
    [S3CFG_HOST_BUCKET] = "host_bucket",
    [S3CFG_BUCKET_LOCATION] = "bucket_location",
    [S3CFG_CA_CERTS_FILE] = "ca_certs_file",
    [S3CFG_USE_HTTPS] = "use_https",
    [S3CFG_CHECK_SSL_CERTIFICATE] = "check_ssl_certificate",
    [S3CFG_SIGNATURE_V2] = "signature_v2",
};

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static void
wipe(char **text)
{
    if (*text != NULL)
        OPENSSL_cleanse(*text, strlen(*text));
    free(*text);
    *text = NULL;
}

static bool
is_one_of(const char *text, const char *const words[4])
{
    for (int i = 0; i < 4; i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}

static bool
is_true(const char *text)
{
    static const char *const words[] = {"true", "yes", "on", "1"};

    return is_one_of(text, words);
}

static bool
is_false(const char *text)
{
    static const char *const words[] = {"false", "no", "off", "0"};

    return is_one_of(text, words);
}

static bool
is_switch(size_t i)
{
    return i >= S3CFG_USE_HTTPS;
}

/* Keep the N bytes at VALUE for option I. */
static int
keep(struct s3cfg *cfg, size_t i, const char *value, size_t n)
{
    char *text;

    if (memchr(value, '\0', n) != NULL) {
        cfg->bad = names[i];
        return EINVAL;
    }
    wipe(&cfg->text[i]);
    text = strndup(value, n);
    if (text == NULL)
        return ENOMEM;
    if (*text == '$') {
        const char *variable = getenv(text + 1);

        free(text);
        text = strdup(variable != NULL ? variable : "");
        if (text == NULL)
            return ENOMEM;
    }
    if (*text == '\0')
        wipe(&text);
    if (text != NULL && is_switch(i) && !is_true(text) && !is_false(text)) {
        wipe(&text);
        cfg->bad = names[i];
        return EINVAL;
    }
    cfg->text[i] = text;
    return 0;
}

/* "name = value" or 'name = "value"', up to END. */
static int
read_option(struct s3cfg *cfg, const char *line, const char *end)
{
    const char *equals = memchr(line, '=', (size_t) (end - line));
    const char *name_end = equals, *value;

    if (equals == NULL)
        return 0;
    while (name_end > line && is_blank(name_end[-1]))
        name_end--;
    value = equals + 1;
    while (value < end && is_blank(*value))
        value++;
    if (end - value >= 2 && *value == '"' && end[-1] == '"') {
        value++;
        end--;
    }
    for (size_t i = 0; i < S3CFG_COUNT; i++) {
        size_t n = strlen(names[i]);

        if ((size_t) (name_end - line) == n && memcmp(line, names[i], n) == 0)
            return keep(cfg, i, value, (size_t) (end - value));
    }
    return 0;
}

/* Anything up to END but a header. */
static int
read_line(struct s3cfg *cfg, const char *line, const char *end)
{
    while (line < end && is_blank(*line))
        line++;
    while (end > line && is_blank(end[-1]))
        end--;
    return line < end && *line != '#' ? read_option(cfg, line, end) : 0;
}

/* The header between LINE and END: is it [default]? */
static bool
is_default(const char *line, const char *end)
{
    static const char header[] = "[default]";

    return (size_t) (end - line) >= sizeof(header) - 1 &&
           memcmp(line, header, sizeof(header) - 1) == 0;
}

void
s3cfg_init(struct s3cfg *cfg)
{
    *cfg = (struct s3cfg){0};
}

void
s3cfg_clear(struct s3cfg *cfg)
{
    for (size_t i = 0; i < S3CFG_COUNT; i++)
        wipe(&cfg->text[i]);
    cfg->bad = NULL;
}

int
s3cfg_read(struct s3cfg *cfg, const char *text, size_t len)
{
    const char *at = text, *stop = text + len;
    bool inside = true;
    int err = 0;

    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    while (err == 0 && at < stop) {
        const char *end = memchr(at, '\n', (size_t) (stop - at));

        if (end == NULL)
            end = stop;
        if (at < end && *at == '[')
            inside = is_default(at, end);
        else if (inside)
            err = read_line(cfg, at, end);
        at = end < stop ? end + 1 : stop;
    }
    return err;
}

bool
s3cfg_is(const struct s3cfg *cfg, enum s3cfg_option option, bool fallback)
{
    const char *text = cfg->text[option];

    return text != NULL ? is_true(text) : fallback;
}

int
s3cfg_add_endpoint(struct buf *out, const struct s3cfg *cfg)
{
    const char *host = cfg->text[S3CFG_HOST_BASE];
    bool tls = s3cfg_is(cfg, S3CFG_USE_HTTPS, true);

    if (host == NULL)
        return 0;
    if (tls && strcasecmp(host, AWS_HOST) == 0)
        return buf_adds(out, "aws");
    return buf_addf(out, "%s://%s", tls ? "https" : "http", host);
}

const char *
s3cfg_region(const struct s3cfg *cfg)
{
    const char *location = cfg->text[S3CFG_BUCKET_LOCATION];

    if (location == NULL)
        return NULL;
    if (strcasecmp(location, "US") == 0)
        return "us-east-1";
    if (strcasecmp(location, "EU") == 0)
        return "eu-west-1";
    return location;
}

bool
s3cfg_addressing(enum addressing *out, bool *other_host,
                 const struct s3cfg *cfg)
{
    const char *bucket = cfg->text[S3CFG_HOST_BUCKET];
    const char *host = cfg->text[S3CFG_HOST_BASE];
    size_t n = strlen(BUCKET_PATTERN);

    if (host == NULL)
        host = AWS_HOST;
    *other_host = false;
    if (bucket == NULL)
        return false;
    if (strstr(bucket, BUCKET_PATTERN) == NULL) {
        *out = ADDRESSING_PATH;
        return true;
    }
    *other_host = strncmp(bucket, BUCKET_PATTERN, n) != 0 || bucket[n] != '.' ||
                  strcasecmp(bucket + n + 1, host) != 0;
    if (strcasecmp(host, AWS_HOST) == 0) {
        *out = ADDRESSING_AUTO;
        *other_host = false; /* AWS's names follow from the region */
    } else {
        *out = *other_host ? ADDRESSING_PATH : ADDRESSING_VIRTUAL;
    }
    return true;
}
