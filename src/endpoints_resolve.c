/* SPDX-License-Identifier: MIT */
/* The addresses that the names of endpoints stand for. */
#include "config.h"

#include "endpoints.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>

int
endpoints_lookup(void *ctx, const char *host, uint16_t port,
                 char (*addresses)[ENDPOINTS_ADDRESS_SIZE], size_t max,
                 size_t *count)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
    int code = getaddrinfo(host, NULL, &hints, &list);

    (void) ctx, (void) port;
    *count = 0;
    if (code != 0)
        return code;
    for (const struct addrinfo *a = list; a != NULL && *count < max;
         a = a->ai_next)
        if (getnameinfo(a->ai_addr, a->ai_addrlen, addresses[*count],
                        ENDPOINTS_ADDRESS_SIZE, NULL, 0, NI_NUMERICHOST) == 0 &&
            strchr(addresses[*count], '%') == NULL) /* no zone */
            ++*count;
    freeaddrinfo(list);
    return *count > 0 ? 0 : EAI_NONAME;
}

/* IPv4 first, then by value. */
static int
compare_addresses(const void *a, const void *b)
{
    unsigned char one[17] = {0}, other[17] = {0};

    if (inet_pton(AF_INET, a, one + 1) != 1)
        one[0] = (unsigned char) inet_pton(AF_INET6, a, one + 1);
    if (inet_pton(AF_INET, b, other + 1) != 1)
        other[0] = (unsigned char) inet_pton(AF_INET6, b, other + 1);
    return memcmp(one, other, sizeof one);
}

/* What requests will connect to. Returns false when it is too long. */
static bool
connect_name(char *out, size_t size, const struct endpoint *e,
             const char *bucket)
{
    int n = bucket != NULL ? snprintf(out, size, "%s.%s", bucket, e->host)
                           : snprintf(out, size, "%s", e->host);

    return n >= 0 && (size_t) n < size;
}

/* Append FROM with ADDRESS to OUT. */
static int
append(struct endpoints *out, const struct endpoints_entry *from,
       const char *address)
{
    struct endpoints_entry *entry;
    size_t n = strlen(from->label);

    if (out->count == out->room) {
        snprintf(out->why, sizeof out->why,
                 "there are more than %d addresses of endpoints",
                 ENDPOINTS_MAX);
        return EINVAL;
    }
    entry = &out->items[out->count];
    *entry = *from;
    if (from->profile != NULL) {
        entry->profile = strdup(from->profile);
        if (entry->profile == NULL)
            return ENOMEM;
    }
    out->count++;
    if (address == NULL)
        return 0;
    snprintf(entry->address, sizeof entry->address, "%s", address);
    snprintf(entry->label + n, sizeof entry->label - n, "#%s", address);
    return 0;
}

struct resolver {
    endpoints_lookup_fn *lookup;
    void *ctx;
    char (*addresses)[ENDPOINTS_ADDRESS_SIZE]; /* room for ENDPOINTS_MAX */
};

/* Append an entry for each of ENTRY's addresses to OUT. */
static int
spread(struct endpoints *out, const struct endpoints_entry *entry,
       const char *bucket, const struct resolver *r)
{
    char name[2 * ENDPOINT_HOST_MAX + 2];
    size_t count = 0;
    int code, err = 0;

    if (!connect_name(name, sizeof name, &entry->endpoint, bucket))
        code = EAI_NONAME;
    else
        code = r->lookup(r->ctx, name, entry->endpoint.port, r->addresses,
                         ENDPOINTS_MAX, &count);
    if (code != 0) {
        snprintf(out->why, sizeof out->why, "cannot resolve '%.511s': %s", name,
                 gai_strerror(code));
        return EINVAL;
    }
    qsort(r->addresses, count, sizeof *r->addresses, compare_addresses);
    for (size_t i = 0; err == 0 && i < count; i++)
        if (i == 0 || strcmp(r->addresses[i], r->addresses[i - 1]) != 0)
            err = append(out, entry, r->addresses[i]);
    return err;
}

int
endpoints_resolve(struct endpoints *e, const char *bucket,
                  endpoints_lookup_fn *lookup, void *ctx)
{
    struct endpoints out = {.room = ENDPOINTS_MAX};
    struct resolver r = {.lookup = lookup, .ctx = ctx};
    int err = 0;

    out.items = calloc(out.room, sizeof *out.items);
    r.addresses = calloc(ENDPOINTS_MAX, sizeof *r.addresses);
    if (out.items == NULL || r.addresses == NULL)
        err = ENOMEM;
    for (size_t i = 0; err == 0 && i < e->count; i++)
        err = e->items[i].endpoint.ip || e->items[i].address[0] != '\0'
                  ? append(&out, &e->items[i], NULL)
                  : spread(&out, &e->items[i], bucket, &r);
    free(r.addresses);
    if (err == EINVAL)
        memcpy(e->why, out.why, sizeof e->why);
    if (err != 0) {
        endpoints_clear(&out);
        return err;
    }
    endpoints_clear(e);
    *e = out;
    return 0;
}
