/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "repair.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "clock.h"

#define SKEW_MAX_S (15 * 60) /* what servers allow */

/* --- what was learnt --- */

void
repair_init(struct repair *r, bool fix_clock)
{
    memset(r, 0, sizeof *r);
    pthread_mutex_init(&r->lock, NULL);
    r->fix_clock = fix_clock;
}

void
repair_clear(struct repair *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        free(r->routes[i]);
    r->count = 0;
    pthread_mutex_destroy(&r->lock);
}

const struct repair_route *
repair_route(const struct repair *r, const struct endpoint *home,
             const char *bucket)
{
    for (uint32_t i = atomic_load(&r->count); i-- > 0;)
        if (r->routes[i]->lasting && r->routes[i]->home == home &&
            strcmp(r->routes[i]->bucket, bucket) == 0)
            return r->routes[i];
    return NULL;
}

time_t
repair_wall(const struct repair *r)
{
    return clock_wall() + (time_t) atomic_load(&r->clock_offset_s);
}

/* Whether A leads where B does. */
static bool
says_the_same(const struct repair_route *a, const struct repair_route *b)
{
    return a->home == b->home && strcmp(a->bucket, b->bucket) == 0 &&
           strcmp(a->region, b->region) == 0 &&
           endpoint_is_same(&a->endpoint, &b->endpoint);
}

/* The newest route that says the same as ROUTE; NULL without one. */
static const struct repair_route *
find_same(const struct repair *r, const struct repair_route *route)
{
    const struct repair_route *known;

    if (route->lasting) {
        known = repair_route(r, route->home, route->bucket);
        return known != NULL && says_the_same(known, route) ? known : NULL;
    }
    for (uint32_t i = 0; i < r->count; i++)
        if (!r->routes[i]->lasting && says_the_same(r->routes[i], route))
            return r->routes[i];
    return NULL;
}

/* The same, or else a new one; NULL without room. */
static const struct repair_route *
learn(struct repair *r, const struct repair_route *route)
{
    const struct repair_route *known;
    struct repair_route *added;
    uint32_t count;

    pthread_mutex_lock(&r->lock);
    count = r->count;
    known = find_same(r, route);
    if (known == NULL && count < REPAIR_ROUTES_MAX) {
        added = malloc(sizeof *added);
        if (added != NULL) {
            *added = *route;
            r->routes[count] = added;
            atomic_store(&r->count, count + 1);
            known = added;
        }
    }
    pthread_mutex_unlock(&r->lock);
    return known;
}

/* --- words --- */

static void __attribute__((format(printf, 2, 3)))
say(struct repair_advice *a, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(a->text, sizeof a->text, format, args);
    va_end(args);
    for (char *p = a->text; *p != '\0'; p++)
        if ((unsigned char) *p < 0x20 || *p == 0x7f)
            *p = ' ';
}

/* --- regions --- */

static bool
is_region(const char *text)
{
    size_t n = strlen(text);

    return n > 0 && n <= REPAIR_REGION_MAX &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz"
                        "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == n;
}

/* Where the region of one of AWS's S3 names stands: behind "s3." or "s3-",
 * with or without a bucket in front. NULL when HOST is none. */
static const char *
aws_region_at(const char *host, size_t *n)
{
    for (const char *label = host; label != NULL;) {
        const char *dot = strchr(label, '.');

        if (dot != NULL && strncmp(label, "s3", 2) == 0 &&
            (label[2] == '.' || label[2] == '-')) {
            const char *region = label + 3;

            if (strncmp(region, "dualstack.", 10) == 0)
                region += 10;
            *n = strcspn(region, ".");
            return strncmp(region + *n, ".amazonaws.com", 14) == 0 ? region
                                                                   : NULL;
        }
        label = dot != NULL ? dot + 1 : NULL;
    }
    return NULL;
}

/* The region that the server says is the bucket's, in OUT; false without. */
static bool
named_region(char out[REPAIR_REGION_MAX + 1], const struct request *q,
             const struct answer *a)
{
    const char *text = q->region[0] != '\0' ? q->region : a->error.region;
    size_t n = strlen(text);

    if (n == 0) {
        text = aws_region_at(a->error.endpoint, &n);
        if (text == NULL)
            return false;
    }
    if (n > REPAIR_REGION_MAX)
        return false;
    snprintf(out, REPAIR_REGION_MAX + 1, "%.*s", (int) n, text);
    if (strcmp(out, "EU") == 0)
        strcpy(out, "eu-west-1");
    if (!is_region(out))
        out[0] = '\0';
    return out[0] != '\0';
}

/* Whether the answer is one that a wrong region gets. */
static bool
is_elsewhere(const struct request *q, const char *code)
{
    int status = q->x.status;

    if (strcmp(code, "AuthorizationHeaderMalformed") == 0 ||
        strcmp(code, "PermanentRedirect") == 0)
        return true;
    if (strcmp(code, "IllegalLocationConstraintException") == 0)
        return q->op != REQUEST_CREATE_BUCKET;
    return status == 301 || status == 302 || status == 307 ||
           (q->x.head && status == 400);
}

/* Whether E is one of AWS's plain names, s3.REGION.amazonaws.com. */
static bool
is_regional(const struct endpoint *e)
{
    size_t n;
    const char *region;

    if (!e->aws)
        return false;
    if (strcmp(e->host, "s3.amazonaws.com") == 0)
        return true;
    region = aws_region_at(e->host, &n);
    return region != NULL && region == e->host + 3 && e->host[2] == '.';
}

/* Whether the server names an endpoint that is not SENT's. */
static bool
names_other_endpoint(const struct answer *a, const struct repair_sent *sent)
{
    const char *host = a->error.endpoint;
    size_t n = strlen(sent->bucket);

    if (*host == '\0')
        return false;
    if (n > 0 && strncasecmp(host, sent->bucket, n) == 0 && host[n] == '.')
        host += n + 1;
    n = strlen(sent->endpoint->host);
    return strncasecmp(host, sent->endpoint->host, n) != 0 ||
           (host[n] != '\0' && host[n] != ':');
}

static void
start_route(struct repair_route *route, const struct repair_sent *sent)
{
    *route =
        (struct repair_route){.home = sent->home, .endpoint = *sent->endpoint};
    snprintf(route->bucket, sizeof route->bucket, "%s", sent->bucket);
    snprintf(route->region, sizeof route->region, "%s", sent->region);
}

static void
write_url(struct repair_route *route)
{
    struct buf url;

    buf_init(&url, sizeof route->url - 1);
    if (endpoint_add_url(&url, &route->endpoint) == 0)
        snprintf(route->url, sizeof route->url, "%s", url.data);
    buf_clear(&url);
}

/* Take ROUTE if there is room for it. */
static void
take(struct repair *r, struct repair_advice *a, struct repair_route *route)
{
    write_url(route);
    a->route = learn(r, route);
    a->again = a->route != NULL;
}

static void
explain_elsewhere(struct repair_advice *a, const char *code,
                  const struct answer *answer, const char *region,
                  const struct repair_sent *sent)
{
    bool other = names_other_endpoint(answer, sent);

    if (other && region[0] != '\0')
        say(a, "the server names the endpoint %s and the region %s",
            answer->error.endpoint, region);
    else if (other)
        say(a, "the server names the endpoint %s", answer->error.endpoint);
    else if (region[0] != '\0')
        say(a, "signed for the region %s, the server names %s", sent->region,
            region);
    else if (strcmp(code, "AuthorizationHeaderMalformed") == 0)
        say(a, "signed for the region %s; the server names no other",
            sent->region);
}

static void
judge_region(struct repair *r, struct repair_advice *a, unsigned *done,
             const struct request *q, const char *code,
             const struct answer *answer, const struct repair_sent *sent)
{
    struct repair_route route;
    char region[REPAIR_REGION_MAX + 1] = "";
    bool regional = is_regional(sent->endpoint);

    start_route(&route, sent);
    route.lasting = true;
    if (named_region(region, q, answer)) {
        struct endpoint home;

        memcpy(route.region, region, sizeof region);
        if (regional && endpoint_aws(&home, region)) {
            home.tls = sent->endpoint->tls;
            home.port = sent->endpoint->port;
            route.endpoint = home;
        }
    }
    /* A host outside AWS is not ours to choose: keys were given for one. */
    if (!(*done & REPAIR_REGION) &&
        (regional || !names_other_endpoint(answer, sent)) &&
        (strcmp(route.region, sent->region) != 0 ||
         !endpoint_is_same(&route.endpoint, sent->endpoint)))
        take(r, a, &route);
    if (a->again) {
        *done |= REPAIR_REGION;
        say(a, "signed again for the region %s", route.region);
    } else {
        explain_elsewhere(a, code, answer, region, sent);
    }
}

/* --- 307: the same request, for a while, at another host --- */

/*
 * Read Q's Location into E when nothing but the host differs from what was
 * sent; libcurl is not asked, for the host is signed.
 */
static bool
read_location(struct endpoint *e, const struct request *q,
              const struct repair_sent *sent)
{
    bool virtual_host =
        endpoint_is_virtual(sent->endpoint, sent->addressing, sent->bucket);
    size_t scheme = sent->endpoint->tls ? 8 : 7, n;
    const char *rest = q->location + scheme;
    char url[ENDPOINT_HOST_MAX + 64];

    if (strncasecmp(q->location, sent->endpoint->tls ? "https://" : "http://",
                    scheme) != 0)
        return false;
    n = strlen(sent->bucket);
    if (virtual_host) {
        if (strncasecmp(rest, sent->bucket, n) != 0 || rest[n] != '.')
            return false;
        rest += n + 1;
    }
    n = strcspn(rest, "/?#");
    if (n >= sizeof url - scheme - 1 || strcmp(rest + n, q->x.target) != 0)
        return false;
    snprintf(url, sizeof url, "%s%.*s",
             sent->endpoint->tls ? "https://" : "http://", (int) n, rest);
    return endpoint_parse(e, url) == NULL &&
           !endpoint_is_same(e, sent->endpoint) &&
           endpoint_is_virtual(e, sent->addressing, sent->bucket) ==
               virtual_host;
}

/* A customer's key may go along in plain text as long as it stays on this
 * machine. */
static bool
leaves_machine(const struct endpoint *to, const struct repair_sent *sent)
{
    return !to->tls && endpoint_is_loopback(sent->endpoint) &&
           !endpoint_is_loopback(to);
}

/* Whether the redirect was dealt with. */
static bool
judge_location(struct repair *r, struct repair_advice *a, unsigned *done,
               const struct request *q, const struct answer *answer,
               const struct repair_sent *sent)
{
    struct repair_route route;
    char region[REPAIR_REGION_MAX + 1];

    if (q->location[0] == '\0' || q->x.status < 300 || q->x.status >= 400)
        return false;
    start_route(&route, sent);
    if (named_region(region, q, answer))
        memcpy(route.region, region, sizeof region);
    if (q->x.status == 307 && q->op != REQUEST_DELETE_MANY &&
        !(*done & REPAIR_HOST) && read_location(&route.endpoint, q, sent) &&
        !leaves_machine(&route.endpoint, sent))
        take(r, a, &route);
    if (a->again) {
        *done |= REPAIR_HOST;
        say(a, "signed again for %s", a->route->url);
        return true;
    }
    if (!(*done & REPAIR_REGION) && q->region[0] != '\0' &&
        strcmp(q->region, sent->region) != 0)
        return false;
    say(a, "it points to %s, which is not followed", q->location);
    return true;
}

/* --- the clock --- */

static bool
server_time(time_t *out, const struct request *q, const struct answer *a)
{
    if (clock_parse_iso(out, a->error.server_time))
        return true;
    /* A cache's answer has the date of its making. */
    return q->age[0] == '\0' && clock_parse_http(out, q->date);
}

static bool
is_skewed(const struct request *q, const char *code, bool known,
          int64_t offset_s)
{
    if (strcmp(code, "RequestTimeTooSkewed") == 0)
        return true;
    if (!known || (-SKEW_MAX_S <= offset_s && offset_s <= SKEW_MAX_S))
        return false;
    if (q->x.head) /* no body says why */
        return q->x.status == 403 || q->x.status == 400;
    return q->x.status == 400 && strcmp(code, "InvalidRequest") == 0;
}

static bool
judge_clock(struct repair *r, struct repair_advice *a, unsigned *done,
            const struct request *q, const char *code,
            const struct answer *answer, const struct repair_sent *sent)
{
    time_t server = 0;
    bool known = server_time(&server, q, answer);
    int64_t offset_s = (int64_t) server - (int64_t) sent->wall;
    int64_t minutes = (llabs(offset_s) + 30) / 60;

    if (!is_skewed(q, code, known, offset_s))
        return false;
    if (!known) {
        say(a, "the clock here is more than 15 minutes off; set it");
    } else if (minutes == 0) {
        say(a, "yet the clock here is right: the request was under way for "
               "too long");
    } else if (r->fix_clock && !(*done & REPAIR_CLOCK)) {
        atomic_store(&r->clock_offset_s, offset_s);
        *done |= REPAIR_CLOCK;
        a->again = true;
        a->route = NULL;
        say(a, "signed again with the clock moved by %" PRId64 " s", offset_s);
    } else {
        say(a, "the clock here is %" PRId64 " minute%s %s; set it%s", minutes,
            minutes == 1 ? "" : "s", offset_s > 0 ? "behind" : "ahead",
            r->fix_clock ? "" : ", or sign for the server's with --fix-clock");
    }
    return true;
}

void
repair_judge(struct repair *r, struct repair_advice *advice, unsigned *done,
             const struct request *q, const char *code,
             const struct repair_sent *sent)
{
    static const struct answer none;
    const struct answer *answer = q->answer_ready ? &q->answer : &none;

    advice->again = false;
    advice->route = NULL;
    advice->text[0] = '\0';
    if (q->x.error != EXCHANGE_OK || q->x.status < 300)
        return;
    if (judge_clock(r, advice, done, q, code, answer, sent))
        return;
    if (judge_location(r, advice, done, q, answer, sent))
        return;
    if (is_elsewhere(q, code))
        judge_region(r, advice, done, q, code, answer, sent);
}
