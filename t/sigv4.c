/* SPDX-License-Identifier: MIT */
/* Signatures: published and recorded cases, the cache, the limits. */
#include "config.h"

#include "sigv4.h"

#include <errno.h>

#include "endpoint.h"
#include "tap.h"
#include "uri.h"
#include "vectors.h"

enum field {
    NAME,
    METHOD,
    SCHEME,
    HOST,
    ADDRESSING,
    BUCKET,
    KEY,
    QUERY,
    HEADERS,
    PAYLOAD_MODE,
    PAYLOAD,
    ACCESS_KEY,
    SECRET_KEY,
    TOKEN,
    REGION,
    SERVICE,
    STAMP,
    PATH,
    CANONICAL_QUERY,
    SIGNED_HEADERS,
    CANONICAL,
    TO_SIGN,
    SIGNATURE,
    AUTHORIZATION,
    FIELDS
};

static struct sigv4 *signer; /* one for all cases: its cache must not leak */
static struct sigv4_texts texts;

static void
build_query(struct buf *out, const char *field)
{
    struct uri_param params[VECTORS_PAIRS_MAX];
    struct vectors_pairs query;

    vectors_read_pairs(&query, field);
    for (size_t i = 0; i < query.n; i++)
        params[i] = (struct uri_param){query.pair[i].name, query.pair[i].value};
    uri_canonical_query(out, params, query.n);
    vectors_free_pairs(&query);
}

/* Path and Host as the endpoint module makes them, where a case has a
 * bucket: compared, then used. */
static void
check_parts(struct buf *path, char **field)
{
    bool virtual_host = strcmp(field[ADDRESSING], "vhost") == 0;
    char *bucket = vectors_text(field[BUCKET]);
    struct endpoint e;
    struct buf url, made;
    size_t key_len;
    char *key;

    if (bucket == NULL) {
        buf_adds(path, field[PATH]);
        return;
    }
    key = vectors_hex(field[KEY], &key_len);
    virtual_host = virtual_host && *bucket != '\0';
    endpoint_add_path(path, bucket, key, key_len, virtual_host);
    is_str(path->data, field[PATH], "%s: path", field[NAME]);

    buf_init(&url, 1024);
    buf_init(&made, 1024);
    buf_addf(&url, "%s://%s", field[SCHEME],
             field[HOST] + (virtual_host ? strlen(bucket) + 1 : 0));
    is_str(endpoint_parse(&e, url.data), NULL, "%s: endpoint", field[NAME]);
    endpoint_add_host(&made, &e, bucket, virtual_host);
    is_str(made.data, field[HOST], "%s: host", field[NAME]);
    buf_clear(&url);
    buf_clear(&made);
    free(key);
    free(bucket);
}

static void
check_texts(char **field)
{
    const char *name = field[NAME];
    char *canonical = vectors_text(field[CANONICAL]);
    char *to_sign = vectors_text(field[TO_SIGN]);

    is_str(texts.canonical.data, canonical, "%s: canonical request", name);
    is_str(texts.to_sign.data, to_sign, "%s: string to sign", name);
    is_str(texts.signed_headers.data, field[SIGNED_HEADERS],
           "%s: signed headers", name);
    is_str(texts.signature, field[SIGNATURE], "%s: signature", name);
    if (strcmp(field[AUTHORIZATION], "-") != 0)
        is_str(texts.authorization.data, field[AUTHORIZATION],
               "%s: authorization", name);
    free(canonical);
    free(to_sign);
}

static void
check_case(char **field)
{
    struct sigv4_header headers[VECTORS_PAIRS_MAX + 4];
    struct sigv4_scope scope = {field[ACCESS_KEY], field[SECRET_KEY],
                                field[REGION], field[SERVICE], field[STAMP]};
    char hash[SIGV4_HEX_SIZE];
    const char *payload_hash = field[PAYLOAD_MODE];
    struct vectors_pairs extra;
    struct buf path, query;
    size_t n = 0, len;
    char *payload = vectors_hex(field[PAYLOAD], &len);

    buf_init(&path, 1 << 16);
    buf_init(&query, 1 << 16);
    check_parts(&path, field);
    build_query(&query, field[QUERY]);
    is_str(query.data, field[CANONICAL_QUERY], "%s: query", field[NAME]);
    if (strcmp(payload_hash, "hash") == 0) {
        sigv4_hash_hex(hash, payload, len);
        payload_hash = hash;
    }
    vectors_read_pairs(&extra, field[HEADERS]);
    for (size_t i = 0; i < extra.n; i++)
        headers[n++] =
            (struct sigv4_header){extra.pair[i].name, extra.pair[i].value};
    headers[n++] = (struct sigv4_header){"X-Amz-Date", field[STAMP]};
    headers[n++] = (struct sigv4_header){"x-amz-content-sha256", payload_hash};
    headers[n++] = (struct sigv4_header){"Host", field[HOST]};
    if (strcmp(field[TOKEN], "-") != 0)
        headers[n++] =
            (struct sigv4_header){"x-amz-security-token", field[TOKEN]};
    is_int(
        sigv4_sign(signer, &texts,
                   &(struct sigv4_request){field[METHOD], path.data, query.data,
                                           headers, n, payload_hash},
                   &scope),
        0, "%s: signed", field[NAME]);
    check_texts(field);
    vectors_free_pairs(&extra);
    buf_clear(&path);
    buf_clear(&query);
    free(payload);
}

static const struct sigv4_header two[] = {{"host", "h"},
                                          {"x-amz-date", "20130524T000000Z"}};
static const struct sigv4_request simple = {
    .method = "GET",
    .path = "/",
    .query = "",
    .headers = two,
    .header_count = 2,
    .payload_hash = SIGV4_UNSIGNED,
};
static const struct sigv4_scope usual = {"AK", "SK", "us-east-1", "s3",
                                         "20130524T000000Z"};

/* A signer that has signed for USUAL must sign for SCOPE as a new one. */
static void
check_cache(const char *what, struct sigv4_scope scope)
{
    char first[SIGV4_HEX_SIZE], usual_signature[SIGV4_HEX_SIZE];
    struct sigv4 *fresh;

    if (sigv4_new(&fresh) != 0)
        return;
    sigv4_sign(fresh, &texts, &simple, &scope);
    memcpy(first, texts.signature, sizeof(first));
    sigv4_free(fresh);
    sigv4_sign(signer, &texts, &simple, &usual);
    memcpy(usual_signature, texts.signature, sizeof(first));
    sigv4_sign(signer, &texts, &simple, &scope);
    is_str(texts.signature, first, "another %s derives the key anew", what);
    ok(strcmp(first, usual_signature) != 0, "and signs differently");
    sigv4_sign(signer, &texts, &simple, &usual);
    is_str(texts.signature, usual_signature, "and the first one again");
}

static void
test_cache(void)
{
    struct sigv4_scope scope = usual;

    scope.secret_key = "SKx";
    check_cache("secret", scope);
    scope = usual;
    scope.region = "us-east-2";
    check_cache("region", scope);
    scope = usual;
    scope.service = "iam";
    check_cache("service", scope);
    scope = usual;
    scope.stamp = "20130525T000000Z";
    check_cache("day", scope);
}

/* Nothing of ours is allocated once the buffers have their size. */
static void
test_warm(void)
{
    struct sigv4_texts before;
    struct sigv4_scope scope = usual;
    bool same = true;

    sigv4_sign(signer, &texts, &simple, &scope);
    before = texts;
    scope.stamp = "20130524T235959Z";
    for (int i = 0; i < 100; i++) {
        sigv4_sign(signer, &texts, &simple, &scope);
        same = same && texts.canonical.data == before.canonical.data &&
               texts.to_sign.data == before.to_sign.data &&
               texts.signed_headers.data == before.signed_headers.data &&
               texts.authorization.data == before.authorization.data;
    }
    ok(same, "a warm signature moves no buffer");
    ok(strcmp(before.signature, texts.signature) != 0,
       "another time of the same day signs differently");
}

static void
test_refusals(void)
{
    static const char *const stamps[] = {
        "",
        "20130524",
        "20130524T000000",
        "20130524T000000Zx",
        "20130524 000000Z",
        "2013-05-24T00:00:00Z",
        "2013O524T000000Z",
    };
    struct sigv4_header many[SIGV4_HEADERS_MAX + 1];
    struct sigv4_request r = simple;
    struct sigv4_scope scope = usual;

    for (size_t i = 0; i < sizeof(stamps) / sizeof(*stamps); i++) {
        scope.stamp = stamps[i];
        is_int(sigv4_sign(signer, &texts, &simple, &scope), EINVAL,
               "bad stamp '%s'", stamps[i]);
    }
    for (size_t i = 0; i < SIGV4_HEADERS_MAX + 1; i++)
        many[i] = (struct sigv4_header){i % 2 == 0 ? "a" : "B", "v"};
    r.headers = many;
    r.header_count = SIGV4_HEADERS_MAX;
    is_int(sigv4_sign(signer, &texts, &r, &usual), 0, "%d headers",
           SIGV4_HEADERS_MAX);
    is_str(texts.signed_headers.data, "a;b", "repeated names are joined");
    r.header_count++;
    is_int(sigv4_sign(signer, &texts, &r, &usual), E2BIG, "one too many");
}

static void
test_headers(void)
{
    static const struct sigv4_header odd[] = {
        {"x-b", "\t one \t two\t"},
        {"X-A", ""},
        {"x-b", ""},
        {"x-a-c", "1"},
        {"X-B", "\t"},
        {"x_a", "2"},
    };
    struct sigv4_request r = simple;

    r.headers = odd;
    r.header_count = sizeof(odd) / sizeof(*odd);
    sigv4_sign(signer, &texts, &r, &usual);
    is_str(texts.canonical.data,
           "GET\n/\n\nx-a:\nx-a-c:1\nx-b:one two,,\nx_a:2\n\n"
           "x-a;x-a-c;x-b;x_a\nUNSIGNED-PAYLOAD",
           "tabs, empty values, repeats, names that begin alike");
    r.header_count = 0;
    is_int(sigv4_sign(signer, &texts, &r, &usual), 0, "no header at all");
    is_str(texts.signed_headers.data, "", "signs none");
}

int
main(void)
{
    char hash[SIGV4_HEX_SIZE];
    size_t count;

    if (sigv4_new(&signer) != 0)
        return 99;
    sigv4_texts_init(&texts);
    count = vectors_each("s3-sigv4-cases.tsv", FIELDS, check_case);
    ok(count >= 44, "%zu recorded cases", count);
    count = vectors_each("aws-doc-s3-examples.tsv", FIELDS, check_case);
    ok(count >= 4, "%zu published cases", count);
    sigv4_hash_hex(hash, "", 0);
    is_str(hash, SIGV4_EMPTY_HASH, "the hash of nothing");
    test_cache();
    test_warm();
    test_refusals();
    test_headers();
    sigv4_texts_clear(&texts);
    sigv4_texts_clear(&texts);
    sigv4_free(signer);
    sigv4_free(NULL);
    return done_testing();
}
