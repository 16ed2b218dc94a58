/* SPDX-License-Identifier: MIT */
/* Endpoints: what is read, what is refused, and how a bucket is addressed. */
#include "config.h"

#include "endpoint.h"

#include "tap.h"

static struct buf out;

static void
test_good(void)
{
    static const struct {
        const char *url, *back, *host;
        uint16_t port;
        bool tls, ip, aws;
    } cases[] = {
        {"http://127.0.0.1:9000", "http://127.0.0.1:9000", "127.0.0.1", 9000,
         false, true, false},
        {"http://h", "http://h", "h", 80, false, false, false},
        {"http://h:80/", "http://h", "h", 80, false, false, false},
        {"http://h:443", "http://h:443", "h", 443, false, false, false},
        {"https://h:443", "https://h", "h", 443, true, false, false},
        {"https://h:80", "https://h:80", "h", 80, true, false, false},
        {"HTTPS://S3.Example.NET/", "https://s3.example.net", "s3.example.net",
         443, true, false, false},
        {"s3.example.net", "https://s3.example.net", "s3.example.net", 443,
         true, false, false},
        {"localhost:9000", "https://localhost:9000", "localhost", 9000, true,
         false, false},
        {"http://[::1]:8080", "http://[::1]:8080", "[::1]", 8080, false, true,
         false},
        {"[FE80::A]", "https://[fe80::a]", "[fe80::a]", 443, true, true, false},
        {"http://[::ffff:10.0.0.1]/", "http://[::ffff:10.0.0.1]",
         "[::ffff:10.0.0.1]", 80, false, true, false},
        {"http://my_minio-1:9000", "http://my_minio-1:9000", "my_minio-1", 9000,
         false, false, false},
        {"http://1.2.3.4.example", "http://1.2.3.4.example", "1.2.3.4.example",
         80, false, false, false},
        {"s3.eu-west-1.amazonaws.com", "https://s3.eu-west-1.amazonaws.com",
         "s3.eu-west-1.amazonaws.com", 443, true, false, true},
        {"s3.cn-north-1.amazonaws.com.cn",
         "https://s3.cn-north-1.amazonaws.com.cn",
         "s3.cn-north-1.amazonaws.com.cn", 443, true, false, true},
        {"http://amazonaws.com", "http://amazonaws.com", "amazonaws.com", 80,
         false, false, true},
        {"http://notamazonaws.com", "http://notamazonaws.com",
         "notamazonaws.com", 80, false, false, false},
        {"http://s3.amazonaws.com.evil.example",
         "http://s3.amazonaws.com.evil.example",
         "s3.amazonaws.com.evil.example", 80, false, false, false},
        {"h:65535", "https://h:65535", "h", 65535, true, false, false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct endpoint e = {0};

        is_str(endpoint_parse(&e, cases[i].url), NULL, "%s is taken",
               cases[i].url);
        is_str(e.host, cases[i].host, "%s: host", cases[i].url);
        ok(e.port == cases[i].port && e.tls == cases[i].tls &&
               e.ip == cases[i].ip && e.aws == cases[i].aws,
           "%s: port and kind", cases[i].url);
        buf_reset(&out);
        endpoint_add_url(&out, &e);
        is_str(out.data, cases[i].back, "%s: written back", cases[i].url);
    }
}

static const struct {
    const char *url, *why;
} bad[] = {
    {"", "has no host"},
    {"http://", "has no host"},
    {"http://:80", "has no host"},
    {"http:///b", "has no host"},
    {"http://h/b", "has a path"},
    {"http://h//", "has a path"},
    {"h/b/", "has a path"},
    {"http://h?x", "has a query"},
    {"http://h/?x", "has a query"},
    {"http://h#x", "has a fragment"},
    {"http://h/#x", "has a fragment"},
    {"http://u:p@h", "has user information"},
    {"http://u@h", "has user information"},
    {"ftp://h", "has a scheme other than http and https"},
    {"://h", "has a scheme other than http and https"},
    {"http://h:", "has a bad port"},
    {"http://h:0", "has a bad port"},
    {"http://h:65536", "has a bad port"},
    {"http://h:999999", "has a bad port"},
    {"http://h:+80", "has a bad port"},
    {"http://h:80 ", "has a bad port"},
    {"http://h:0x50", "has a bad port"},
    {"http://[::1]80", "has a bad port"},
    {"http://[::1]:", "has a bad port"},
    {"http://[::1", "has a bad IPv6 address"},
    {"http://[]", "has a bad IPv6 address"},
    {"http://[::1::]", "has a bad IPv6 address"},
    {"http://[127.0.0.1]", "has a bad IPv6 address"},
    {"http://[1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21]",
     "has a bad IPv6 address"},
    {"http://[fe80::1%eth0]", "has an IPv6 zone"},
    {"http://::1", "has an IPv6 address without brackets"},
    {"http://1.2.3", "has a bad IPv4 address"},
    {"http://256.1.1.1", "has a bad IPv4 address"},
    {"http://1.2.3.04", "has a bad IPv4 address"},
    {"http://2130706433", "has a bad IPv4 address"},
    {"http://0x7f000001", "has a bad IPv4 address"},
    {"http://a b", "has a bad host name"},
    {"http://a..b", "has a bad host name"},
    {"http://.a", "has a bad host name"},
    {"http://a.", "has a bad host name"},
    {"http://a%2eb", "has a bad host name"},
    {"http://a\r\nX: y", "has a bad host name"},
    {"http://m\xc3\xbcnchen", "has a bad host name"},
    {"http://a\\b", "has a bad host name"},
};

static void
test_bad(void)
{
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct endpoint e = {.host = "untouched"};

        is_str(endpoint_parse(&e, bad[i].url), bad[i].why,
               "case %zu is refused: %s", i, bad[i].why);
        ok(strcmp(e.host, "untouched") == 0 && e.port == 0,
           "case %zu: nothing is changed", i);
    }
}

/* Give URL a host name of N bytes in labels of LABEL bytes. */
static const char *
parse_long(size_t n, size_t label)
{
    char url[400] = "http://";
    struct endpoint e;

    for (size_t i = 0; i < n; i++)
        url[7 + i] = i % (label + 1) == label ? '.' : 'a';
    return endpoint_parse(&e, url);
}

static void
test_long(void)
{
    is_str(parse_long(63, 63), NULL, "a label of 63 bytes");
    is_str(parse_long(64, 64), "has a bad host name", "a label of 64");
    is_str(parse_long(253, 60), NULL, "a name of 253");
    is_str(parse_long(254, 60), "has a bad host name", "a name of 254");
    is_str(parse_long(350, 60), "has a bad host name", "a name of 350");
}

static void
test_aws(void)
{
    struct endpoint e = {0};
    char long_region[300];

    ok(endpoint_aws(&e, "eu-west-1") && e.tls && e.aws && !e.ip &&
           e.port == 443,
       "a region's endpoint");
    is_str(e.host, "s3.eu-west-1.amazonaws.com", "its host");
    ok(endpoint_aws(&e, "cn-north-1"), "a Chinese region");
    is_str(e.host, "s3.cn-north-1.amazonaws.com.cn", "its host");
    memset(long_region, 'a', sizeof(long_region) - 1);
    long_region[sizeof(long_region) - 1] = '\0';
    ok(!endpoint_aws(&e, "a/b") && !endpoint_aws(&e, "") &&
           !endpoint_aws(&e, long_region),
       "what cannot stand in a host name is refused");
    is_str(e.host, "s3.cn-north-1.amazonaws.com.cn", "and changes nothing");
}

static void
test_addressing(void)
{
    static const struct {
        const char *url, *bucket;
        bool automatic, virtual_host; /* with these wishes */
    } cases[] = {
        {"s3.eu-west-1.amazonaws.com", "bkt", true, true},
        {"s3.eu-west-1.amazonaws.com", "my.bkt", false, true},
        {"s3.eu-west-1.amazonaws.com", "My_Bkt", false, true},
        {"s3.eu-west-1.amazonaws.com", "", false, false},
        {"s3.eu-west-1.amazonaws.com", "a/b", false, false},
        {"s3.eu-west-1.amazonaws.com", "a..b", false, false},
        {"http://127.0.0.1:9000", "bkt", false, false},
        {"http://[::1]", "bkt", false, false},
        {"http://localhost:9000", "bkt", false, true},
        {"https://s3.example.net", "bkt", false, true},
    };
    enum addressing wish = ADDRESSING_AUTO;

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct endpoint e;

        endpoint_parse(&e, cases[i].url);
        is_int(endpoint_is_virtual(&e, ADDRESSING_AUTO, cases[i].bucket),
               cases[i].automatic, "auto: '%s' at %s", cases[i].bucket,
               cases[i].url);
        is_int(endpoint_is_virtual(&e, ADDRESSING_VIRTUAL, cases[i].bucket),
               cases[i].virtual_host, "virtual: '%s' at %s", cases[i].bucket,
               cases[i].url);
        ok(!endpoint_is_virtual(&e, ADDRESSING_PATH, cases[i].bucket),
           "path: '%s' at %s", cases[i].bucket, cases[i].url);
    }
    ok(addressing_parse(&wish, "path") && wish == ADDRESSING_PATH, "path");
    ok(addressing_parse(&wish, "auto") && wish == ADDRESSING_AUTO, "auto");
    ok(addressing_parse(&wish, "virtual") && wish == ADDRESSING_VIRTUAL,
       "virtual");
    ok(!addressing_parse(&wish, "") && !addressing_parse(&wish, "Path") &&
           !addressing_parse(&wish, "pathx") && wish == ADDRESSING_VIRTUAL,
       "anything else is refused");
}

static const char *
host(const char *url, const char *bucket, bool virtual_host)
{
    struct endpoint e;

    endpoint_parse(&e, url);
    buf_reset(&out);
    endpoint_add_host(&out, &e, bucket, virtual_host);
    return out.data;
}

static const char *
path(const char *bucket, const char *key, bool virtual_host)
{
    buf_reset(&out);
    endpoint_add_path(&out, bucket, key, key != NULL ? strlen(key) : 0,
                      virtual_host);
    return out.data;
}

static void
test_parts(void)
{
    is_str(host("https://h", "b", true), "b.h", "host with a bucket");
    is_str(host("https://h:8443", "b", true), "b.h:8443", "and a port");
    is_str(host("http://[::1]:9000", "b", false), "[::1]:9000",
           "brackets stay");
    is_str(host("http://h:80", "b", false), "h", "a default port goes");

    is_str(path("", NULL, false), "/", "the service");
    is_str(path("b", NULL, false), "/b", "a bucket in the path");
    is_str(path("b", NULL, true), "/", "a bucket in the host");
    is_str(path("b", "k", false), "/b/k", "a key");
    is_str(path("b", "k", true), "/k", "a key, bucket in the host");
    is_str(path("b", "/k/", true), "//k/", "slashes of a key stay");
    is_str(path("b", "a b%+\xc3\xa9", false), "/b/a%20b%25%2B%C3%A9",
           "a key is encoded");
    is_str(path("b/c d", "k", false), "/b%2Fc%20d/k", "a bucket is, too");
}

int
main(void)
{
    buf_init(&out, 1 << 16);
    test_good();
    test_bad();
    test_long();
    test_aws();
    test_addressing();
    test_parts();
    buf_clear(&out);
    return done_testing();
}
