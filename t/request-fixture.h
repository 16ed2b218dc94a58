/* SPDX-License-Identifier: MIT */
/*
 * For tests of requests: a service, one request built for it, and its
 * answer, without any network.
 */
#ifndef S3PERF_T_REQUEST_FIXTURE_H
#define S3PERF_T_REQUEST_FIXTURE_H

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "request.h"

#define WALL ((time_t) 1369353600) /* 20130524T000000Z */

static struct credentials creds = {.access_key = (char *) "AKEXAMPLE",
                                   .secret_key = (char *) "secret"};
static struct request_service service = {.addressing = ADDRESSING_PATH,
                                         .creds = &creds,
                                         .region = "us-east-1",
                                         .sign_payload = true,
                                         .user_agent = "s3op/test"};

static struct request request;
static struct request_maker maker;

static __attribute__((unused)) void
use_endpoint(const char *url)
{
    const char *why = endpoint_parse(&service.endpoint, url);

    if (why != NULL)
        printf("Bail out! %s %s\n", url, why);
}

/* The value of header NAME of what was built; NULL without it. */
static __attribute__((unused)) const char *
header(const char *name)
{
    size_t n = strlen(name);

    for (size_t i = 0; i < request.x.header_count; i++)
        if (strncasecmp(request.x.headers[i], name, n) == 0 &&
            request.x.headers[i][n] == ':')
            return request.x.headers[i] + n + 2;
    return NULL;
}

static __attribute__((unused)) int
build(const struct request_spec *spec)
{
    return request_build(&request, &maker, spec, WALL);
}

/* Let TEXT be the answer's body, with STATUS. */
static __attribute__((unused)) void
answer(int status, const char *text, struct request_outcome *o)
{
    request.x.status = status;
    request.x.error = EXCHANGE_OK;
    request.x.sent_bytes = request.x.body_len;
    request.x.received_bytes = strlen(text);
    request.x.on_body(request.x.ctx, text, strlen(text));
    request_judge(&request, o);
}

/* False when memory is out. */
static bool
fixture_init(void)
{
    use_endpoint("http://127.0.0.1:9000");
    return request_init(&request) == 0 &&
           request_maker_init(&maker, &service) == 0;
}

static void
fixture_clear(void)
{
    request_clear(&request);
    request_maker_clear(&maker);
}

#endif
