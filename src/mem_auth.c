/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_auth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <openssl/crypto.h>

#include "clock.h"
#include "units.h"
#include "uri.h"

#define ALGORITHM "AWS4-HMAC-SHA256"
#define SIGNATURE_LEN (SIGV4_HEX_SIZE - 1)
#define DAY_LEN 8
#define QUERY_MAX ((size_t) 64 << 10)

struct mem_signer {
    struct sigv4 *sigv4;
    struct sigv4_texts texts;
    struct buf query; /* canonical */
};

/* A piece of a longer text. */
struct slice {
    const char *text;
    size_t n;
};

/* The Authorization header, taken apart. */
struct authorization {
    struct slice access_key, day, region, service, end; /* of Credential */
    struct slice signed_headers, signature;
};

int
mem_signer_new(struct mem_signer **out)
{
    struct mem_signer *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return ENOMEM;
    if (sigv4_new(&s->sigv4) != 0) {
        free(s);
        return ENOMEM;
    }
    sigv4_texts_init(&s->texts);
    buf_init(&s->query, QUERY_MAX);
    *out = s;
    return 0;
}

void
mem_signer_free(struct mem_signer *s)
{
    if (s == NULL)
        return;
    sigv4_free(s->sigv4);
    sigv4_texts_clear(&s->texts);
    buf_clear(&s->query);
    free(s);
}

int
mem_signer_sign(struct mem_signer *s, char signature[SIGV4_HEX_SIZE],
                const struct mem_keys *keys, const char *stamp,
                const char *algorithm, const char *const *lines, size_t count)
{
    const struct sigv4_scope scope = {keys->access_key, keys->secret_key,
                                      keys->region, "s3", stamp};

    return sigv4_sign_lines(s->sigv4, &s->texts.to_sign, signature, &scope,
                            algorithm, lines, count);
}

static bool
is_text(struct slice s, const char *text)
{
    return s.n == strlen(text) && memcmp(s.text, text, s.n) == 0;
}

/* Cut the part behind the last '/' off FROM. */
static bool
cut_last(struct slice *from, struct slice *part)
{
    const char *slash = memrchr(from->text, '/', from->n);

    if (slash == NULL)
        return false;
    part->text = slash + 1;
    part->n = from->n - (size_t) (slash + 1 - from->text);
    from->n = (size_t) (slash - from->text);
    return true;
}

/* KEY/DAY/REGION/SERVICE/aws4_request; a key may hold slashes itself. */
static bool
parse_credential(struct authorization *a, struct slice credential)
{
    if (!cut_last(&credential, &a->end) ||
        !cut_last(&credential, &a->service) ||
        !cut_last(&credential, &a->region) || !cut_last(&credential, &a->day))
        return false;
    a->access_key = credential;
    return credential.n > 0;
}

/* Read one NAME=VALUE of the header. */
static bool
parse_part(struct authorization *a, struct slice part)
{
    const char *equals = memchr(part.text, '=', part.n);
    struct slice name, value;

    if (equals == NULL)
        return false;
    name = (struct slice){part.text, (size_t) (equals - part.text)};
    value = (struct slice){equals + 1, part.n - name.n - 1};
    if (is_text(name, "Credential"))
        return a->access_key.text == NULL && parse_credential(a, value);
    if (is_text(name, "SignedHeaders") && a->signed_headers.text == NULL)
        a->signed_headers = value;
    else if (is_text(name, "Signature") && a->signature.text == NULL)
        a->signature = value;
    else
        return false;
    return value.n > 0;
}

/* Returns: NULL, or a text that says what is wrong with it. */
static const char *
parse_authorization(struct authorization *a, const char *text)
{
    memset(a, 0, sizeof(*a));
    text += strlen(ALGORITHM);
    while (*text != '\0') {
        size_t blanks = strspn(text, " \t,");
        size_t n = strcspn(text + blanks, " \t,");

        if (n > 0 &&
            (blanks == 0 || !parse_part(a, (struct slice){text + blanks, n})))
            return "The Authorization header could not be taken apart";
        text += blanks + n;
    }
    if (a->access_key.text == NULL)
        return "The Authorization header has no Credential";
    if (a->signed_headers.text == NULL)
        return "The Authorization header has no SignedHeaders";
    if (a->signature.n != SIGNATURE_LEN)
        return "The Authorization header has no Signature of 64 digits";
    if (!is_text(a->end, "aws4_request"))
        return "The credential's scope must end in aws4_request";
    if (!is_text(a->service, "s3"))
        return "The credential's scope must name the service s3";
    return NULL;
}

static bool
is_signed(const struct authorization *a, const char *name)
{
    struct slice rest = a->signed_headers;
    size_t len = strlen(name);

    for (;;) {
        const char *end = memchr(rest.text, ';', rest.n);
        size_t n = end != NULL ? (size_t) (end - rest.text) : rest.n;

        if (n == len && strncasecmp(rest.text, name, n) == 0)
            return true;
        if (end == NULL)
            return false;
        rest.text += n + 1;
        rest.n -= n + 1;
    }
}

const char *
mem_auth_name(enum mem_auth_kind kind)
{
    static const char *const names[] = {"none", "v4", "v4-query", "v2",
                                        "v2-query"};

    return names[kind];
}

/* Which kind of signature R has. Returns: false when it is an unknown one. */
static bool
find_kind(enum mem_auth_kind *out, const struct mem_request *r,
          const char *authorization)
{
    size_t n = strlen(ALGORITHM);

    *out = MEM_AUTH_NONE;
    if (authorization == NULL) {
        if (mem_request_param(r, "X-Amz-Signature") != NULL ||
            mem_request_param(r, "X-Amz-Algorithm") != NULL)
            *out = MEM_AUTH_V4_QUERY;
        else if (mem_request_param(r, "AWSAccessKeyId") != NULL &&
                 mem_request_param(r, "Signature") != NULL)
            *out = MEM_AUTH_V2_QUERY;
        return true;
    }
    if (strncmp(authorization, ALGORITHM, n) == 0 &&
        strchr(" \t", authorization[n]) != NULL)
        *out = MEM_AUTH_V4;
    else if (strncmp(authorization, "AWS ", 4) == 0)
        *out = MEM_AUTH_V2;
    else
        return false;
    return true;
}

/* What a presigned URL says, as the header would. Returns: NULL, or what
 * is wrong with it. */
static const char *
parse_query(struct authorization *a, const struct mem_request *r)
{
    static const char *const names[] = {"X-Amz-Credential",
                                        "X-Amz-SignedHeaders",
                                        "X-Amz-Signature", "X-Amz-Date"};
    const char *values[4];
    const char *algorithm = mem_request_param(r, "X-Amz-Algorithm");

    memset(a, 0, sizeof(*a));
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
        values[i] = mem_request_param(r, names[i]);
        if (values[i] == NULL)
            return "The query needs X-Amz-Algorithm, X-Amz-Credential, "
                   "X-Amz-Date, X-Amz-Expires, X-Amz-SignedHeaders and "
                   "X-Amz-Signature";
    }
    if (algorithm == NULL || strcmp(algorithm, ALGORITHM) != 0)
        return "X-Amz-Algorithm can only be " ALGORITHM;
    if (!parse_credential(a, (struct slice){values[0], strlen(values[0])}))
        return "X-Amz-Credential could not be taken apart";
    a->signed_headers = (struct slice){values[1], strlen(values[1])};
    a->signature = (struct slice){values[2], strlen(values[2])};
    if (a->signature.n != SIGNATURE_LEN)
        return "X-Amz-Signature must have 64 digits";
    if (!is_text(a->end, "aws4_request") || !is_text(a->service, "s3"))
        return "The credential's scope must end in s3/aws4_request";
    return NULL;
}

static bool
check_scope(struct mem_answer *answer, const struct authorization *a,
            const struct mem_keys *keys, const char *stamp)
{
    if (!is_text(a->region, keys->region)) {
        mem_answer_fail(answer, MEM_AUTHORIZATION_HEADER_MALFORMED,
                        "The region '%.*s' is wrong; expecting '%s'",
                        (int) (a->region.n < 64 ? a->region.n : 64),
                        a->region.text, keys->region);
        mem_answer_extra(answer, "Region", keys->region);
        mem_answer_header(answer, "x-amz-bucket-region", keys->region);
        return false;
    }
    if (a->day.n != DAY_LEN || memcmp(a->day.text, stamp, DAY_LEN) != 0) {
        mem_answer_fail(answer, MEM_AUTHORIZATION_HEADER_MALFORMED,
                        "The credential's date is not that of x-amz-date");
        return false;
    }
    if (!is_text(a->access_key, keys->access_key)) {
        mem_answer_fail(answer, MEM_INVALID_ACCESS_KEY_ID, NULL);
        return false;
    }
    return true;
}

bool
mem_auth_check_skew(struct mem_answer *answer, const char *stamp, time_t at,
                    time_t now)
{
    char iso[CLOCK_ISO_SIZE];

    if (at >= now - MEM_SKEW_MAX_S && at <= now + MEM_SKEW_MAX_S)
        return true;
    mem_answer_fail(answer, MEM_REQUEST_TIME_TOO_SKEWED, NULL);
    clock_format_iso(iso, now);
    mem_answer_extra(answer, "RequestTime", stamp);
    mem_answer_extra(answer, "ServerTime", iso);
    mem_answer_extra(answer, "MaxAllowedSkewMilliseconds", "900000");
    return false;
}

/* Is a presigned URL in its time? */
static bool
check_expiry(struct mem_answer *answer, const struct mem_request *r, time_t at,
             time_t now)
{
    const char *text = mem_request_param(r, "X-Amz-Expires");
    char iso[CLOCK_ISO_SIZE];
    uint64_t expires;

    if (text == NULL || !units_parse_count(&expires, text) || expires < 1 ||
        expires > MEM_EXPIRES_MAX_S) {
        mem_answer_fail(answer, MEM_AUTHORIZATION_QUERY_ERROR,
                        "X-Amz-Expires must be from 1 to %d seconds",
                        MEM_EXPIRES_MAX_S);
        return false;
    }
    if (at > now + MEM_SKEW_MAX_S) {
        mem_answer_fail(answer, MEM_ACCESS_DENIED, "Request is not valid yet");
        return false;
    }
    if (now <= at + (time_t) expires)
        return true;
    mem_answer_fail(answer, MEM_ACCESS_DENIED, "Request has expired");
    mem_answer_extra(answer, "X-Amz-Expires", text);
    clock_format_iso(iso, at + (time_t) expires);
    mem_answer_extra(answer, "Expires", iso);
    clock_format_iso(iso, now);
    mem_answer_extra(answer, "ServerTime", iso);
    return false;
}

bool
mem_auth_check_token(struct mem_answer *answer, const struct mem_keys *keys,
                     const char *token)
{
    if (token == NULL && keys->token == NULL)
        return true;
    if (token == NULL) {
        /* A temporary key is none without its token. */
        mem_answer_fail(answer, MEM_INVALID_ACCESS_KEY_ID, NULL);
        return false;
    }
    if (keys->token != NULL && strcmp(token, keys->token) == 0)
        return true;
    mem_answer_fail(answer, MEM_INVALID_TOKEN, NULL);
    return false;
}

/* Host and all x-amz-* must be signed. */
static bool
check_coverage(struct mem_answer *answer, const struct mem_request *r,
               const struct authorization *a)
{
    const char *missing = is_signed(a, "host") ? NULL : "host";

    for (size_t i = 0; i < r->header_count && missing == NULL; i++)
        if (strncasecmp(r->headers[i].name, "x-amz-", 6) == 0 &&
            !is_signed(a, r->headers[i].name))
            missing = r->headers[i].name;
    if (missing == NULL)
        return true;
    mem_answer_fail(answer, MEM_ACCESS_DENIED,
                    "There were headers present in the request which were "
                    "not signed");
    mem_answer_extra(answer, "HeadersNotSigned", missing);
    return false;
}

/* The parameters that are signed, and how many. */
static size_t
copy_params(struct uri_param *out, const struct mem_request *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->param_count; i++)
        if (strcmp(r->params[i].name, "X-Amz-Signature") != 0)
            out[n++] = r->params[i];
    return n;
}

/* The last line of what is signed. */
static const char *
payload_hash(const struct mem_request *r)
{
    const char *hash = mem_request_find(r, "x-amz-content-sha256");

    if (hash == NULL) /* only a presigned URL comes without it */
        hash = mem_request_param(r, "X-Amz-Content-Sha256");
    return hash != NULL ? hash : SIGV4_UNSIGNED;
}

static bool
check_signature(struct mem_signer *s, struct mem_answer *answer,
                const struct mem_request *r, const struct authorization *a,
                const struct mem_keys *keys, const char *stamp)
{
    struct sigv4_header headers[SIGV4_HEADERS_MAX];
    struct uri_param params[MEM_PARAMS_MAX];
    struct sigv4_request request = {
        .method = r->method, .path = r->path, .headers = headers};
    const struct sigv4_scope scope = {keys->access_key, keys->secret_key,
                                      keys->region, "s3", stamp};
    int err;

    for (size_t i = 0; i < r->header_count; i++)
        if (is_signed(a, r->headers[i].name))
            headers[request.header_count++] = r->headers[i];
    buf_reset(&s->query);
    err = uri_canonical_query(&s->query, params, copy_params(params, r));
    request.query = s->query.data;
    request.payload_hash = payload_hash(r);
    if (err == 0)
        err = sigv4_sign(s->sigv4, &s->texts, &request, &scope);
    if (err != 0) {
        mem_answer_fail(answer, MEM_INTERNAL_ERROR,
                        "The signature could not be computed");
        return false;
    }
    if (CRYPTO_memcmp(s->texts.signature, a->signature.text, SIGNATURE_LEN) ==
        0)
        return true;
    mem_answer_fail(answer, MEM_SIGNATURE_DOES_NOT_MATCH, NULL);
    mem_answer_extra(answer, "AWSAccessKeyId", keys->access_key);
    mem_answer_extra(answer, "StringToSign", s->texts.to_sign.data);
    mem_answer_extra(answer, "CanonicalRequest", s->texts.canonical.data);
    return false;
}

/* Take the header or the query apart. */
static bool
parse(struct mem_auth *out, struct authorization *a, struct mem_answer *answer,
      const struct mem_request *r, const char *authorization)
{
    bool query = out->kind == MEM_AUTH_V4_QUERY;
    const char *wrong =
        query ? parse_query(a, r) : parse_authorization(a, authorization);

    if (wrong != NULL) {
        mem_answer_fail(answer,
                        query ? MEM_AUTHORIZATION_QUERY_ERROR
                              : MEM_AUTHORIZATION_HEADER_MALFORMED,
                        "%s", wrong);
        return false;
    }
    out->signed_headers = a->signed_headers.text;
    out->signed_headers_len = a->signed_headers.n;
    return true;
}

/* Is it the right time for the request? */
static bool
check_times(struct mem_answer *answer, const struct mem_request *r,
            const struct authorization *a, const struct mem_keys *keys,
            const char *stamp, bool query, time_t now)
{
    time_t at;

    if (stamp == NULL || !clock_parse_amz(&at, stamp)) {
        mem_answer_fail(answer, MEM_ACCESS_DENIED,
                        "A valid x-amz-date %s is needed",
                        query ? "parameter" : "header");
        return false;
    }
    if (!check_scope(answer, a, keys, stamp))
        return false;
    return query ? check_expiry(answer, r, at, now)
                 : mem_auth_check_skew(answer, stamp, at, now);
}

static bool
check_v4(struct mem_signer *s, struct mem_auth *out, struct mem_answer *answer,
         const struct mem_request *r, const struct mem_keys *keys, time_t now)
{
    bool query = out->kind == MEM_AUTH_V4_QUERY;
    const char *stamp = query ? mem_request_param(r, "X-Amz-Date")
                              : mem_request_find(r, "x-amz-date");
    const char *token = query ? mem_request_param(r, "X-Amz-Security-Token")
                              : mem_request_find(r, "x-amz-security-token");
    struct authorization a;

    if (!parse(out, &a, answer, r, mem_request_find(r, "authorization")) ||
        !check_times(answer, r, &a, keys, stamp, query, now))
        return false;
    if (!query && mem_request_find(r, "x-amz-content-sha256") == NULL) {
        mem_answer_fail(answer, MEM_INVALID_REQUEST,
                        "Missing required header for this request: "
                        "x-amz-content-sha256");
        return false;
    }
    if (!check_coverage(answer, r, &a) ||
        !check_signature(s, answer, r, &a, keys, stamp) ||
        !mem_auth_check_token(answer, keys, token))
        return false;
    memcpy(out->signature, s->texts.signature, sizeof(out->signature));
    memcpy(out->stamp, stamp, sizeof(out->stamp));
    return true;
}

bool
mem_auth_check(struct mem_signer *s, struct mem_auth *out,
               struct mem_answer *answer, const struct mem_request *r,
               const struct mem_keys *keys, time_t now)
{
    const char *authorization = mem_request_find(r, "authorization");

    *out = (struct mem_auth){.signed_headers = ""};
    if (!find_kind(&out->kind, r, authorization)) {
        mem_answer_fail(answer, MEM_INVALID_REQUEST,
                        "The authorization mechanism is not supported. Use " //
                        ALGORITHM);
        return false;
    }
    if (r->headers_lost) {
        mem_answer_fail(answer, MEM_INVALID_REQUEST, "More than %d headers",
                        SIGV4_HEADERS_MAX);
        return false;
    }
    switch (out->kind) {
    case MEM_AUTH_NONE:
        if (keys->anonymous)
            return true;
        mem_answer_fail(answer, MEM_ACCESS_DENIED,
                        "The request has no Authorization header");
        return false;
    case MEM_AUTH_V2:
    case MEM_AUTH_V2_QUERY:
        return mem_auth_check_v2(answer, r, keys, now,
                                 out->kind == MEM_AUTH_V2_QUERY);
    default:
        return check_v4(s, out, answer, r, keys, now);
    }
}
