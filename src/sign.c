/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "sign.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "json.h"
#include "service.h"
#include "sign_target.h"
#include "signer.h"
#include "source.h"

#define TEXT_MAX_BYTES (1u << 20)

struct job {
    const struct options *o;
    struct service service;
    struct sign_target target;
    char stamp[CLOCK_AMZ_SIZE];
    char hash[PAYLOAD_HASH_SIZE];
    const char *payload; /* the canonical request's last line */
    struct sigv4_header headers[OPTIONS_LIST_MAX + 8];
    size_t header_count;
    char date[SIGNER_DATE_SIZE];
    uint32_t expires_s; /* of a URL; 0: the header is signed */
    struct signer signer;
};

/* --- the rest of the request --- */

static bool
is_hex_hash(const char *text)
{
    return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static int
hash_file(struct job *j, const char *path)
{
    struct source file;
    int err = source_init_file(&file, path, true);

    if (err != 0)
        return complain(2, "cannot read '%s': %s", path, strerror(err));
    memcpy(j->hash, file.hash, sizeof j->hash);
    j->payload = j->hash;
    source_clear(&file);
    return 0;
}

static int
read_payload(struct job *j)
{
    const char *how = j->o->payload_hash;

    if (how == NULL && j->expires_s > 0) {
        j->payload = SIGV4_UNSIGNED;
    } else if (how == NULL) {
        /* Without a body there is only the hash of nothing. */
        j->payload = j->target.tls && !j->o->no_content_sha256
                         ? SIGV4_UNSIGNED
                         : SIGV4_EMPTY_HASH;
    } else if (strcmp(how, "signed") == 0) {
        j->payload = SIGV4_EMPTY_HASH;
    } else if (strcmp(how, "unsigned") == 0) {
        j->payload = SIGV4_UNSIGNED;
    } else if (strncmp(how, "file:", 5) == 0) {
        return hash_file(j, how + 5);
    } else if (is_hex_hash(how) || strncmp(how, "STREAMING-", 10) == 0 ||
               strcmp(how, SIGV4_UNSIGNED) == 0) {
        j->payload = how;
    } else {
        return complain(2,
                        "bad payload-hash '%s': it is signed, unsigned, a hex "
                        "SHA-256, file:PATH or a STREAMING- value",
                        how);
    }
    return 0;
}

static void
add_header(struct job *j, const char *name, const char *value)
{
    j->headers[j->header_count++] = (struct sigv4_header){name, value};
}

/* A URL carries date, payload and token as parameters, if at all. */
static void
read_headers(struct job *j)
{
    const struct request_service *s = &j->service.request;
    bool header_form = j->expires_s == 0;

    add_header(j, "host", j->target.host.data);
    if (header_form && s->signer->payload_header && !j->o->no_content_sha256)
        add_header(j, "x-amz-content-sha256", j->payload);
    if (header_form)
        add_header(j, s->signer->date_header, j->date);
    if (header_form && s->creds->session_token != NULL)
        add_header(j, "x-amz-security-token", s->creds->session_token);
    for (size_t i = 0; i < s->header_count; i++)
        add_header(j, s->headers[i].name, s->headers[i].value);
}

static int
read_time(struct job *j)
{
    time_t wall = clock_wall();

    if (j->o->at != NULL && !clock_parse_amz(&wall, j->o->at))
        return complain(2, "bad at '%s': it looks like 20130524T000000Z",
                        j->o->at);
    clock_format_amz(j->stamp, wall);
    j->service.request.signer->format_date(j->date, wall);
    return 0;
}

static bool
is_presigned(const char *query)
{
    return strncmp(query, "X-Amz-", 6) == 0 || strstr(query, "&X-Amz-") != NULL;
}

/* How long a URL is to be good. */
static int
read_expiry(struct job *j)
{
    const struct options *o = j->o;

    if (o->verb == VERB_PRESIGN) {
        if (o->expires_ns % CLOCK_NS_PER_S != 0 || o->expires_ns <= 0 ||
            o->expires_ns / CLOCK_NS_PER_S > SIGV4_EXPIRES_MAX)
            return complain(2, "bad expires: it is 1s to 168h, in whole "
                               "seconds");
        j->expires_s = (uint32_t) (o->expires_ns / CLOCK_NS_PER_S);
    } else if (o->query_auth != OPTIONS_UNSET) {
        if (o->query_auth == 0 || o->query_auth > SIGV4_EXPIRES_MAX)
            return complain(2, "bad query-auth: it is 1 to %u",
                            SIGV4_EXPIRES_MAX);
        j->expires_s = (uint32_t) o->query_auth;
    }
    if (j->expires_s > 0 && is_presigned(j->target.query.data))
        return complain(2, "the target has X-Amz- parameters already");
    return 0;
}

static int
check_method(const struct options *o)
{
    static const char *const names[] = {"GET", "PUT", "HEAD", "DELETE"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(o->method, names[i]) == 0)
            return 0;
    return complain(2, "bad method '%s': it is GET, PUT, HEAD or DELETE",
                    o->method);
}

/* --- output --- */

/* What sign shows is for people to read and to send around. */
static void
mask_tokens(struct signer *s)
{
    signer_mask_token(s->texts.canonical.data);
    signer_mask_token(s->texts.query.data);
    signer_mask_token(s->v2.to_sign.data);
    signer_mask_token(s->v2.query.data);
}

static int
add_url(struct buf *out, const struct job *j)
{
    return buf_addf(out, "%s://%s%s?%s", j->target.tls ? "https" : "http",
                    j->target.host.data, j->target.path.data,
                    j->signer.result.query);
}

/* Everything that was computed. */
static int
explain(struct buf *out, const struct job *j)
{
    const struct signer_result *r = &j->signer.result;
    int err = signer_explain(out, r);

    if (err == 0 && j->expires_s == 0)
        return buf_addf(out, "Authorization:\n%s", r->authorization);
    if (err == 0)
        err = buf_adds(out, "URL:\n");
    return err != 0 ? err : add_url(out, j);
}

static int
write_json(struct buf *out, const struct job *j)
{
    const struct signer_result *r = &j->signer.result;
    struct json json;
    struct buf url;
    int err = 0;

    buf_init(&url, TEXT_MAX_BYTES);
    if (j->expires_s > 0)
        err = add_url(&url, j);
    json_init(&json, out);
    json_open(&json, NULL, '{');
    if (j->o->verb == VERB_SIGN) {
        if (r->canonical != NULL)
            json_string(&json, "canonical_request", r->canonical);
        json_string(&json, "string_to_sign", r->to_sign);
        json_string(&json, "signature", r->signature);
    }
    if (j->expires_s > 0)
        json_string(&json, "url", url.data);
    else
        json_string(&json, "authorization", r->authorization);
    json_close(&json, '}');
    buf_wipe(&url);
    return err;
}

static int
print(struct job *j)
{
    struct buf out;
    int status = 0, err;

    buf_init(&out, TEXT_MAX_BYTES);
    if (j->o->verb == VERB_SIGN)
        mask_tokens(&j->signer);
    if (j->o->json)
        err = write_json(&out, j);
    else if (j->o->verb == VERB_PRESIGN)
        err = add_url(&out, j);
    else
        err = explain(&out, j);
    if (err != 0)
        status = complain(2, "cannot sign: %s", strerror(err));
    else if (printf("%s\n", out.data) < 0 || fflush(stdout) != 0)
        status = complain(4, "cannot write the result: %s", strerror(errno));
    buf_wipe(&out);
    return status;
}

static int
sign_job(struct job *j)
{
    const struct request_service *s = &j->service.request;
    const struct signer_request request = {.method = j->o->method,
                                           .bucket = j->target.bucket,
                                           .virtual_host =
                                               j->target.virtual_host,
                                           .path = j->target.path.data,
                                           .query = j->target.query.data,
                                           .headers = j->headers,
                                           .header_count = j->header_count,
                                           .payload = j->payload};
    const struct signer_keys keys = {.scope = {s->creds->access_key,
                                               s->creds->secret_key, s->region,
                                               j->o->service, j->stamp},
                                     .token = s->creds->session_token};
    int err = signer_init(&j->signer, s->signer);

    if (err == 0 && j->expires_s > 0)
        err = s->signer->presign(&j->signer, &request, &keys, j->expires_s);
    else if (err == 0)
        err = s->signer->sign(&j->signer, &request, &keys);
    return err == 0 ? 0 : complain(2, "cannot sign: %s", strerror(err));
}

int
sign_request(const struct options *o)
{
    struct job j = {.o = o};
    int status;

    sign_target_init(&j.target);
    status = service_init(&j.service, o);
    if (status == 0 && o->verb == VERB_PRESIGN)
        status = check_method(o);
    if (status == 0)
        status = sign_target_read(&j.target, o, &j.service.request);
    if (status == 0)
        status = read_time(&j);
    if (status == 0)
        status = read_expiry(&j);
    if (status == 0)
        status = read_payload(&j);
    if (status == 0) {
        read_headers(&j);
        status = sign_job(&j);
    }
    if (status == 0)
        status = print(&j);
    signer_clear(&j.signer);
    sign_target_clear(&j.target);
    service_clear(&j.service);
    return status;
}
