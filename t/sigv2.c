/* SPDX-License-Identifier: MIT */
/* Version 2 signatures: the published examples and each rule. */
#include "config.h"

#include "sigv2.h"

#include <errno.h>

#include "tap.h"
#include "vectors.h"

enum field { NAME, TO_SIGN, ACCESS_KEY, SECRET_KEY, SIGNATURE, FIELDS };

static struct sigv2_texts texts;

/* The requests behind the published strings to sign, by name. */
static const struct example {
    const char *name;
    struct sigv2_request r;
} examples[] = {
    {"get",
     {.method = "GET",
      .bucket = "johnsmith",
      .path = "/photos/puppy.jpg",
      .query = "",
      .headers =
          (const struct sigv4_header[]){
              {"Host", "johnsmith.s3.amazonaws.com"},
              {"Date", "Tue, 27 Mar 2007 19:36:42 +0000"}},
      .header_count = 2}},
    {"put",
     {.method = "PUT",
      .bucket = "johnsmith",
      .path = "/photos/puppy.jpg",
      .query = "",
      .headers =
          (const struct sigv4_header[]){
              {"Content-Type", "image/jpeg"},
              {"Content-Length", "94328"},
              {"Date", "Tue, 27 Mar 2007 21:15:45 +0000"}},
      .header_count = 3}},
    {"list",
     {.method = "GET",
      .bucket = "johnsmith",
      .path = "/",
      .query = "marker=puppy&max-keys=50&prefix=photos",
      .headers =
          (const struct sigv4_header[]){
              {"User-Agent", "Mozilla/5.0"},
              {"date", "Tue, 27 Mar 2007 19:42:41 +0000"}},
      .header_count = 2}},
    {"acl",
     {.method = "GET",
      .bucket = "johnsmith",
      .path = "/",
      .query = "acl=",
      .headers =
          (const struct sigv4_header[]){
              {"Date", "Tue, 27 Mar 2007 19:44:46 +0000"}},
      .header_count = 1}},
    {"upload",
     {.method = "PUT",
      .bucket = "static.johnsmith.net",
      .path = "/db-backup.dat.gz",
      .query = "",
      .headers =
          (const struct sigv4_header[]){
              {"Date", "Tue, 27 Mar 2007 21:06:08 +0000"},
              {"x-amz-acl", "public-read"},
              {"content-type", "application/x-download"},
              {"Content-MD5", "4gJE4saaMU4BqNR0kLY+lw=="},
              {"X-Amz-Meta-ReviewedBy", "joe@johnsmith.net"},
              {"X-Amz-Meta-ReviewedBy", "jane@johnsmith.net"},
              {"X-Amz-Meta-FileChecksum", "0x02661779"},
              {"X-Amz-Meta-ChecksumAlgorithm", "crc32"}},
      .header_count = 8}},
    {"unicode",
     {.method = "GET",
      .bucket = "",
      .path = "/dictionary/fran%C3%A7ais/pr%c3%a9f%c3%a8re",
      .query = "",
      .headers =
          (const struct sigv4_header[]){
              {"Date", "Wed, 28 Mar 2007 01:49:49 +0000"}},
      .header_count = 1}},
    {"get-new",
     {.method = "GET",
      .bucket = "awsexamplebucket1",
      .path = "/photos/puppy.jpg",
      .query = "",
      .headers =
          (const struct sigv4_header[]){
              {"Date", "Tue, 27 Mar 2007 19:36:42 +0000"}},
      .header_count = 1}},
    {"list-new",
     {.method = "GET",
      .bucket = "awsexamplebucket1",
      .path = "/",
      .query = "max-keys=50",
      .headers =
          (const struct sigv4_header[]){
              {"Date", "Tue, 27 Mar 2007 19:42:41 +0000"}},
      .header_count = 1}},
    {"query",
     {.method = "GET",
      .bucket = "johnsmith",
      .path = "/photos/puppy.jpg",
      .query = ""}},
};

static const struct example *
find_example(const char *name)
{
    for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++)
        if (strcmp(examples[i].name, name) == 0)
            return &examples[i];
    vectors_die("of no known example", name);
}

static void
check_case(char **field)
{
    const struct example *e = find_example(field[NAME]);
    char *to_sign = vectors_text(field[TO_SIGN]), authorization[256];

    if (strcmp(field[NAME], "query") == 0) {
        is_int(sigv2_presign(&texts, &e->r, field[ACCESS_KEY],
                             field[SECRET_KEY], 1175139620, NULL),
               0, "%s: signed", field[NAME]);
        is_str(texts.query.data,
               "AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Expires=1175139620"
               "&Signature=NpgCjnDzrM%2BWFzoENXmpNDUsSn8%3D",
               "%s: the URL's query", field[NAME]);
        is_str(texts.authorization.data, "", "and no header");
    } else {
        snprintf(authorization, sizeof(authorization), "AWS %s:%s",
                 field[ACCESS_KEY], field[SIGNATURE]);
        is_int(sigv2_sign(&texts, &e->r, field[ACCESS_KEY], field[SECRET_KEY]),
               0, "%s: signed", field[NAME]);
        is_str(texts.authorization.data, authorization, "%s: authorization",
               field[NAME]);
    }
    is_str(texts.to_sign.data, to_sign, "%s: string to sign", field[NAME]);
    is_str(texts.signature, field[SIGNATURE], "%s: signature", field[NAME]);
    free(to_sign);
}

static void
to_sign_is(const struct sigv2_request *r, const char *want, const char *what)
{
    is_int(sigv2_sign(&texts, r, "AK", "SK"), 0, "%s", what);
    is_str(texts.to_sign.data, want, "%s: string to sign", what);
}

static void
test_resource(void)
{
    struct sigv2_request r = {.method = "GET", .bucket = "", .path = "/b/k"};

    r.query = "partNumber=3&prefix=x&uploadId=a%2Fb%2Bc%3D";
    to_sign_is(&r, "GET\n\n\n\n/b/k?partNumber=3&uploadId=a/b+c=",
               "values are decoded, other parameters left out");
    r.query = "delete=&uploads=";
    to_sign_is(&r, "GET\n\n\n\n/b/k?delete&uploads", "empty ones have no =");
    r.query = "response-content-type=text%2Fplain%3B%20x&versionId=v";
    to_sign_is(&r,
               "GET\n\n\n\n/b/k?response-content-type=text/plain; x"
               "&versionId=v",
               "the response family");
    r.query = "aclx=1&list-type=2&Acl=1&versionIdMarker=1";
    to_sign_is(&r, "GET\n\n\n\n/b/k", "names must be the same, case and all");
    r.query = "";
    r.bucket = "b";
    r.path = "/a%20b";
    to_sign_is(&r, "GET\n\n\n\n/b/a%20b",
               "a bucket of the host is put in front, the path stays encoded");
    r.query = "versionId=%zz";
    is_int(sigv2_sign(&texts, &r, "AK", "SK"), EINVAL, "a broken escape");
}

static void
test_headers(void)
{
    const struct sigv4_header headers[] = {
        {"x-amz-meta-b", " two  blanks "},
        {"X-AMZ-Date", "Tue, 27 Mar 2007 21:20:26 +0000"},
        {"Date", "Tue, 27 Mar 2007 21:20:27 +0000"},
        {"x-amz-meta-a-b", "1"},
        {"x-amz-meta-a", "2"},
        {"Range", "bytes=0-1"},
        {"x-amz-security-token", "T"},
    };
    struct sigv4_header many[SIGV4_HEADERS_MAX + 1];
    struct sigv2_request r = {.method = "DELETE",
                              .bucket = "",
                              .path = "/b/k",
                              .query = "",
                              .headers = headers,
                              .header_count = 7};

    to_sign_is(&r,
               "DELETE\n\n\n\n"
               "x-amz-date:Tue, 27 Mar 2007 21:20:26 +0000\n"
               "x-amz-meta-a:2\nx-amz-meta-a-b:1\n"
               "x-amz-meta-b:two  blanks\nx-amz-security-token:T\n/b/k",
               "x-amz-date empties the date's line");
    for (size_t i = 0; i <= SIGV4_HEADERS_MAX; i++)
        many[i] = (struct sigv4_header){"x-amz-meta-x", "v"};
    r.headers = many;
    r.header_count = SIGV4_HEADERS_MAX + 1;
    is_int(sigv2_sign(&texts, &r, "AK", "SK"), E2BIG, "too many headers");
    r.header_count = SIGV4_HEADERS_MAX;
    is_int(sigv2_sign(&texts, &r, "AK", "SK"), 0, "as many as may be");
    is_int(sigv2_presign(&texts, &r, "AK", "SK", 1, "T"), E2BIG,
           "a URL needs one for the token");
}

static void
test_presign(void)
{
    const struct sigv4_header headers[] = {{"content-type", "text/plain"}};
    const struct sigv2_request r = {.method = "PUT",
                                    .bucket = "",
                                    .path = "/b/k",
                                    .query = "partNumber=3&uploadId=u",
                                    .headers = headers,
                                    .header_count = 1};
    char query[256];

    is_int(sigv2_presign(&texts, &r, "A/K", "SK", 1175139620, "t+/="), 0,
           "a URL with parameters, a header and a token");
    is_str(texts.to_sign.data,
           "PUT\n\ntext/plain\n1175139620\nx-amz-security-token:t+/=\n"
           "/b/k?partNumber=3&uploadId=u",
           "its string to sign");
    snprintf(query, sizeof(query),
             "partNumber=3&uploadId=u&AWSAccessKeyId=A%%2FK"
             "&Expires=1175139620&x-amz-security-token=t%%2B%%2F%%3D"
             "&Signature=");
    ok(strncmp(texts.query.data, query, strlen(query)) == 0,
       "all of it is in the query: %s", texts.query.data);
}

int
main(void)
{
    size_t count;

    sigv2_texts_init(&texts);
    count = vectors_each("aws-doc-sigv2-examples.tsv", FIELDS, check_case);
    is_int((long long) count, 9, "published cases");
    test_resource();
    test_headers();
    test_presign();
    sigv2_texts_clear(&texts);
    sigv2_texts_clear(&texts);
    return done_testing();
}
