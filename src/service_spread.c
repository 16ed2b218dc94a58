/* SPDX-License-Identifier: MIT */
/* A service with several endpoints: their addresses, their keys. */
#include "config.h"

#include "service_parts.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "route.h"

/* --- addresses --- */

/* An endpoints_lookup_fn over the options: what --resolve says comes first,
 * all of it. */
static int
look_up(void *ctx, const char *host, uint16_t port,
        char (*addresses)[ENDPOINTS_ADDRESS_SIZE], size_t max, size_t *count)
{
    const struct options *o = ctx;

    *count = 0;
    for (size_t i = 0; i < o->resolves.count && *count < max; i++) {
        struct route_entry e;
        size_t skip;

        if (!route_parse(&e, o->resolves.items[i]) || e.port != port ||
            e.host_len != strlen(host) ||
            strncasecmp(e.host, host, e.host_len) != 0)
            continue;
        skip = e.address[0] == '[';
        snprintf(addresses[(*count)++], ENDPOINTS_ADDRESS_SIZE, "%.*s",
                 (int) (e.address_len - 2 * skip), e.address + skip);
    }
    if (*count > 0)
        return 0;
    return endpoints_lookup(NULL, host, port, addresses, max, count);
}

static int
resolve(struct service *s, const struct options *o, const char *bucket)
{
    const struct request_service *r = &s->request;
    bool virtual_host =
        endpoint_is_virtual(&r->endpoint, r->addressing, bucket);
    int err;

    if (!o->resolve_all || o->endpoint_file != NULL)
        return 0;
    err = endpoints_resolve(&s->endpoints, virtual_host ? bucket : NULL,
                            look_up, (void *) o);
    if (err == EINVAL)
        return complain(3, "%s", s->endpoints.why);
    return err == 0 ? 0 : complain(1, "out of memory");
}

/* --- keys --- */

static bool
is_same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Load the keys of PROFILE, NULL for what O says, into K. All but keys,
 * region and addressing is as the first service has it. */
static int
load_keys(struct service_keys *k, const struct service *s,
          const struct options *o, const char *profile)
{
    credentials_init(&k->creds);
    k->profile = profile;
    k->request = s->request;
    if (o->s3cfg != NULL)
        return complain(2, "an endpoint's profile does not go with --s3cfg");
    if (credentials_load(&k->creds, profile != NULL ? profile : o->profile,
                         o->region, NULL) != 0)
        return complain(3, "%s", k->creds.error);
    if (k->creds.access_key == NULL)
        return complain(3, "no credentials for the endpoints without a "
                           "profile: set AWS_ACCESS_KEY_ID and "
                           "AWS_SECRET_ACCESS_KEY, or name a --profile");
    k->request.creds = &k->creds;
    k->request.region = k->creds.region;
    if (!o->addressing_set)
        k->request.addressing = k->creds.addressing;
    return 0;
}

/* *NUMBER becomes that of the service with the keys of PROFILE, which are
 * loaded when they are new. */
static int
find_service(struct service *s, const struct options *o, const char *profile,
             uint32_t *number)
{
    struct service_keys *k;
    int status;

    if (is_same(profile, s->endpoints.items[0].profile)) {
        *number = 0;
        return 0;
    }
    for (uint32_t i = 1; i < s->service_count; i++)
        if (is_same(profile, s->others[i].profile)) {
            *number = i;
            return 0;
        }
    k = &s->others[s->service_count];
    status = load_keys(k, s, o, profile);
    *number = s->service_count++;
    s->services[*number] = &k->request;
    return status;
}

int
service_spread(struct service *s, const struct options *o, const char *bucket)
{
    int status = resolve(s, o, bucket);
    size_t count = s->endpoints.count;

    if (status != 0)
        return status;
    s->others = calloc(count, sizeof *s->others);
    s->services = calloc(count, sizeof *s->services);
    s->places = calloc(count, sizeof *s->places);
    if (s->others == NULL || s->services == NULL || s->places == NULL)
        return complain(1, "out of memory");
    s->services[0] = &s->request;
    s->service_count = 1;
    for (size_t i = 0; status == 0 && i < count; i++) {
        const struct endpoints_entry *e = &s->endpoints.items[i];

        s->places[i] = (struct worker_endpoint){
            .endpoint = &e->endpoint,
            .address = e->address[0] != '\0' ? e->address : NULL,
            .label = e->label,
        };
        status = find_service(s, o, e->profile, &s->places[i].service);
    }
    return status;
}

void
service_trace(struct service *s,
              void (*on_signed)(const struct signer_result *result))
{
    s->request.on_signed = on_signed;
    for (uint32_t i = 1; i < s->service_count; i++)
        s->others[i].request.on_signed = on_signed;
}

void
service_forget(struct service *s)
{
    for (uint32_t i = 1; i < s->service_count; i++)
        credentials_clear(&s->others[i].creds);
    free(s->others);
    free(s->services);
    free(s->places);
    s->others = NULL;
    s->services = NULL;
    s->places = NULL;
    s->service_count = 0;
}
