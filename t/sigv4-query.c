/* SPDX-License-Identifier: MIT */
/* Presigned URLs: recorded and published cases, order, limits. */
#include "config.h"

#include "sigv4.h"

#include <errno.h>

#include "tap.h"
#include "uri.h"
#include "vectors.h"

enum field {
    NAME,
    METHOD,
    SCHEME,
    HOST,
    PATH,
    QUERY,
    HEADERS,
    EXPIRES,
    ACCESS_KEY,
    SECRET_KEY,
    TOKEN,
    REGION,
    STAMP,
    CANONICAL,
    TO_SIGN,
    SIGNATURE,
    FIELDS
};

static struct sigv4 *signer;
static struct sigv4_texts texts;

static const struct sigv4_header host[] = {{"Host", "h"}};
static const struct sigv4_request simple = {
    .method = "GET",
    .path = "/",
    .query = "",
    .headers = host,
    .header_count = 1,
    .payload_hash = SIGV4_UNSIGNED,
};
static const struct sigv4_scope usual = {"A/K", "SK", "us-east-1", "s3",
                                         "20130524T000000Z"};

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

/* What is sent is what was signed, and the signature. */
static void
check_url(char **field)
{
    char *canonical = vectors_text(field[CANONICAL]), *rest = canonical, *line;
    char want[4096];

    strsep(&rest, "\n");
    strsep(&rest, "\n");
    line = strsep(&rest, "\n");
    snprintf(want, sizeof(want), "%s&X-Amz-Signature=%s", line,
             field[SIGNATURE]);
    is_str(texts.query.data, want, "%s: query of the URL", field[NAME]);
    is_str(texts.authorization.data, "", "%s: no header", field[NAME]);
    free(canonical);
}

static void
check_case(char **field)
{
    struct sigv4_header headers[VECTORS_PAIRS_MAX + 1];
    const struct sigv4_scope scope = {field[ACCESS_KEY], field[SECRET_KEY],
                                      field[REGION], "s3", field[STAMP]};
    const char *token = strcmp(field[TOKEN], "-") != 0 ? field[TOKEN] : NULL;
    char *canonical = vectors_text(field[CANONICAL]);
    char *to_sign = vectors_text(field[TO_SIGN]);
    struct vectors_pairs extra;
    struct buf query;
    size_t n = 0;
    int err;

    buf_init(&query, 1 << 16);
    build_query(&query, field[QUERY]);
    vectors_read_pairs(&extra, field[HEADERS]);
    for (size_t i = 0; i < extra.n; i++)
        headers[n++] =
            (struct sigv4_header){extra.pair[i].name, extra.pair[i].value};
    headers[n++] = (struct sigv4_header){"Host", field[HOST]};
    err = sigv4_presign(signer, &texts,
                        &(struct sigv4_request){field[METHOD], field[PATH],
                                                query.data, headers, n,
                                                SIGV4_UNSIGNED},
                        &scope, (uint32_t) atoi(field[EXPIRES]), token);
    is_int(err, 0, "%s: signed", field[NAME]);
    is_str(texts.canonical.data, canonical, "%s: canonical request",
           field[NAME]);
    is_str(texts.to_sign.data, to_sign, "%s: string to sign", field[NAME]);
    is_str(texts.signature, field[SIGNATURE], "%s: signature", field[NAME]);
    check_url(field);
    vectors_free_pairs(&extra);
    buf_clear(&query);
    free(canonical);
    free(to_sign);
}

/* Own parameters fall before, between and behind those of the signature. */
static void
test_order(void)
{
    static const char want[] =
        "GET\n/\nA=1&X-Amz-Algorith=&X-Amz-Algorithm=AWS4-HMAC-SHA256"
        "&X-Amz-Credential=A%2FK%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
        "&X-Amz-D=2&X-Amz-D=3&X-Amz-Date=20130524T000000Z"
        "&X-Amz-Date-x=&X-Amz-Expires=1&X-Amz-Security-Token=t%2B%2F%3D"
        "&X-Amz-SignedHeaders=host&uploads=\nhost:h\n\nhost\nUNSIGNED-PAYLOAD";
    struct sigv4_request r = simple;

    r.query = "A=1&X-Amz-Algorith=&X-Amz-D=2&X-Amz-D=3&X-Amz-Date-x=&uploads=";
    is_int(sigv4_presign(signer, &texts, &r, &usual, 1, "t+/="), 0,
           "parameters all over the alphabet");
    is_str(texts.canonical.data, want, "are sorted by name");
}

static void
test_limits(void)
{
    struct sigv4_header many[SIGV4_HEADERS_MAX + 1];
    struct sigv4_request r = simple;
    struct sigv4_scope scope = usual;

    is_int(sigv4_presign(signer, &texts, &simple, &usual, 0, NULL), ERANGE,
           "no time at all");
    is_int(sigv4_presign(signer, &texts, &simple, &usual, 604800, NULL), 0,
           "a week");
    is_int(sigv4_presign(signer, &texts, &simple, &usual, 604801, NULL), ERANGE,
           "a second more");
    scope.stamp = "20130524";
    is_int(sigv4_presign(signer, &texts, &simple, &scope, 1, NULL), EINVAL,
           "a bad stamp");
    for (size_t i = 0; i <= SIGV4_HEADERS_MAX; i++)
        many[i] = host[0];
    r.headers = many;
    r.header_count = SIGV4_HEADERS_MAX + 1;
    is_int(sigv4_presign(signer, &texts, &r, &usual, 1, NULL), E2BIG,
           "too many headers");
    sigv4_sign(signer, &texts, &simple, &usual);
    is_str(texts.query.data, "", "the header form leaves no query behind");
}

static void
test_lines(void)
{
    const char *const lines[] = {"1", "2", "3", "4"};
    char signature[SIGV4_HEX_SIZE];
    struct buf to_sign;

    buf_init(&to_sign, 4096);
    is_int(sigv4_sign_lines(signer, &to_sign, signature, &usual, "ALG", lines,
                            SIGV4_LINES_MAX),
           0, "as many lines as may be");
    is_str(to_sign.data,
           "ALG\n20130524T000000Z\n20130524/us-east-1/s3/aws4_request\n"
           "1\n2\n3",
           "stand behind algorithm, time and scope");
    is_int(sigv4_sign_lines(signer, &to_sign, signature, &usual, "ALG", lines,
                            SIGV4_LINES_MAX + 1),
           E2BIG, "one more");
    buf_clear(&to_sign);
}

int
main(void)
{
    size_t count;

    if (sigv4_new(&signer) != 0)
        return 99;
    sigv4_texts_init(&texts);
    count = vectors_each("s3-presign-cases.tsv", FIELDS, check_case);
    is_int((long long) count, 5, "recorded cases");
    count = vectors_each("aws-doc-presign.tsv", FIELDS, check_case);
    is_int((long long) count, 1, "published cases");
    test_order();
    test_limits();
    test_lines();
    sigv4_texts_clear(&texts);
    sigv4_free(signer);
    return done_testing();
}
