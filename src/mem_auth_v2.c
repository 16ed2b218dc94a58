/* SPDX-License-Identifier: MIT */
/* Signature version 2: see mem_auth.h. */
#include "config.h"

#include "mem_auth.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <openssl/crypto.h>
#include <openssl/hmac.h>

#include "clock.h"
#include "units.h"

#define TO_SIGN_MAX ((size_t) 64 << 10)
#define SHA1_LEN 20
#define SIGNATURE_LEN 28 /* base64 of a SHA-1 */
#define EXPIRES_MAX UINT64_C(253402300799) /* the end of the year 9999 */

/* What a resource consists of, besides the path; in order. */
static const char *const sub_resources[] = {
    "accelerate",
    "acl",
    "analytics",
    "cors",
    "delete",
    "inventory",
    "lifecycle",
    "location",
    "logging",
    "metrics",
    "notification",
    "object-lock",
    "partNumber",
    "policy",
    "publicAccessBlock",
    "replication",
    "requestPayment",
    "response-cache-control",
    "response-content-disposition",
    "response-content-encoding",
    "response-content-language",
    "response-content-type",
    "response-expires",
    "restore",
    "tagging",
    "torrent",
    "uploadId",
    "uploads",
    "versionId",
    "versioning",
    "versions",
    "website",
};

/* The bytes of a parameter: version 2 takes a plus sign as it is. */
static const char *
param(const struct mem_request *r, const char *name)
{
    const char *value = mem_request_param(r, name);

    return value != NULL ? value : "";
}

static const char *
header(const struct mem_request *r, const char *name)
{
    const char *value = mem_request_find(r, name);

    return value != NULL ? value : "";
}

static int
compare_headers(const void *a, const void *b)
{
    const struct sigv4_header *left = *(const struct sigv4_header *const *) a;
    const struct sigv4_header *right = *(const struct sigv4_header *const *) b;
    int order = strcasecmp(left->name, right->name);

    if (order != 0)
        return order;
    return left < right ? -1 : left > right; /* repeated ones stay in order */
}

/* Add "name:value\n" of all x-amz headers. */
static int
add_amz_headers(struct buf *out, const struct mem_request *r)
{
    const struct sigv4_header *sorted[SIGV4_HEADERS_MAX];
    size_t count = 0;
    int err = 0;

    for (size_t i = 0; i < r->header_count; i++)
        if (strncasecmp(r->headers[i].name, "x-amz-", 6) == 0)
            sorted[count++] = &r->headers[i];
    if (count > 1)
        qsort(sorted, count, sizeof(*sorted), compare_headers);
    for (size_t i = 0; i < count && err == 0; i++) {
        const char *value = sorted[i]->value;
        size_t at = out->len;

        if (i > 0 && strcasecmp(sorted[i - 1]->name, sorted[i]->name) == 0) {
            out->len--; /* the line's end */
            err = buf_addc(out, ',');
        } else {
            err = buf_addf(out, "%s:", sorted[i]->name);
            for (; err == 0 && at < out->len; at++)
                if (out->data[at] >= 'A' && out->data[at] <= 'Z')
                    out->data[at] = (char) (out->data[at] | 32);
        }
        value += strspn(value, " \t");
        if (err == 0)
            err = buf_addf(out, "%s\n", value);
    }
    return err;
}

/* Add what is asked for: bucket, path and the parameters that count. */
static int
add_resource(struct buf *out, const struct mem_request *r)
{
    char joint = '?';
    int err = 0;

    if (r->virtual_host)
        err = buf_addf(out, "/%s", r->bucket);
    if (err == 0)
        err = buf_adds(out, r->path);
    for (size_t i = 0; i < sizeof(sub_resources) / sizeof(*sub_resources);
         i++) {
        const char *name = sub_resources[i];
        const char *value = mem_request_param(r, name);

        if (value == NULL || err != 0)
            continue;
        err = value[0] != '\0' ? buf_addf(out, "%c%s=%s", joint, name, value)
                               : buf_addf(out, "%c%s", joint, name);
        joint = '&';
    }
    return err;
}

static int
write_to_sign(struct buf *out, const struct mem_request *r, bool query)
{
    const char *date = query ? param(r, "Expires")
                       : mem_request_find(r, "x-amz-date") != NULL
                           ? ""
                           : header(r, "date");
    int err =
        buf_addf(out, "%s\n%s\n%s\n%s\n", r->method, header(r, "content-md5"),
                 header(r, "content-type"), date);

    if (err == 0)
        err = add_amz_headers(out, r);
    return err != 0 ? err : add_resource(out, r);
}

static bool
check_signature(struct mem_answer *answer, const struct mem_request *r,
                const struct mem_keys *keys, const char *signature, bool query)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    char right[SIGNATURE_LEN + 1];
    struct buf text;
    bool good = false;

    buf_init(&text, TO_SIGN_MAX);
    if (write_to_sign(&text, r, query) != 0 ||
        HMAC(EVP_sha1(), keys->secret_key, (int) strlen(keys->secret_key),
             (unsigned char *) text.data, text.len, digest, NULL) == NULL) {
        mem_answer_fail(answer, MEM_INTERNAL_ERROR,
                        "The signature could not be computed");
        goto done;
    }
    EVP_EncodeBlock((unsigned char *) right, digest, SHA1_LEN);
    good = strlen(signature) == SIGNATURE_LEN &&
           CRYPTO_memcmp(signature, right, SIGNATURE_LEN) == 0;
    if (!good) {
        mem_answer_fail(answer, MEM_SIGNATURE_DOES_NOT_MATCH, NULL);
        mem_answer_extra(answer, "AWSAccessKeyId", keys->access_key);
        mem_answer_extra(answer, "StringToSign", text.data);
    }
done:
    buf_clear(&text);
    return good;
}

static bool
check_expiry(struct mem_answer *answer, const struct mem_request *r, time_t now)
{
    const char *text = param(r, "Expires");
    char iso[CLOCK_ISO_SIZE];
    uint64_t expires;

    if (!units_parse_count(&expires, text) || expires > EXPIRES_MAX) {
        mem_answer_fail(answer, MEM_ACCESS_DENIED,
                        "Expires must be a time in seconds since 1970");
        return false;
    }
    if (now <= (time_t) expires)
        return true;
    mem_answer_fail(answer, MEM_ACCESS_DENIED, "Request has expired");
    clock_format_iso(iso, (time_t) expires);
    mem_answer_extra(answer, "Expires", iso);
    clock_format_iso(iso, now);
    mem_answer_extra(answer, "ServerTime", iso);
    return false;
}

static bool
check_date(struct mem_answer *answer, const struct mem_request *r, time_t now)
{
    const char *date = mem_request_find(r, "x-amz-date");
    time_t at;

    if (date == NULL)
        date = header(r, "date");
    if (!mem_parse_http_date(&at, date) && !clock_parse_amz(&at, date)) {
        mem_answer_fail(answer, MEM_ACCESS_DENIED,
                        "AWS authentication requires a valid Date or "
                        "x-amz-date header");
        return false;
    }
    return mem_auth_check_skew(answer, date, at, now);
}

bool
mem_auth_check_v2(struct mem_answer *answer, const struct mem_request *r,
                  const struct mem_keys *keys, time_t now, bool query)
{
    const char *authorization = header(r, "authorization");
    const char *key = authorization + strlen("AWS "), *signature, *token;
    size_t n;

    if (query) {
        key = param(r, "AWSAccessKeyId");
        n = strlen(key);
        signature = param(r, "Signature");
        token = mem_request_param(r, "x-amz-security-token");
    } else {
        /* A key may hold colons; base64 does not. */
        const char *colon = strrchr(key, ':');

        if (colon == NULL) {
            mem_answer_fail(answer, MEM_INVALID_ARGUMENT,
                            "The Authorization header must be "
                            "AWS KEY:SIGNATURE");
            return false;
        }
        n = (size_t) (colon - key);
        signature = colon + 1;
        token = mem_request_find(r, "x-amz-security-token");
    }
    if (n != strlen(keys->access_key) ||
        memcmp(key, keys->access_key, n) != 0) {
        mem_answer_fail(answer, MEM_INVALID_ACCESS_KEY_ID, NULL);
        return false;
    }
    return (query ? check_expiry(answer, r, now)
                  : check_date(answer, r, now)) &&
           check_signature(answer, r, keys, signature, query) &&
           mem_auth_check_token(answer, keys, token);
}
