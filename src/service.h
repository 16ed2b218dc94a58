/* SPDX-License-Identifier: MIT */
/*
 * From options to a service that can be asked: endpoint, keys, region,
 * addressing, payload hash, the user's headers.
 */
#ifndef S3PERF_SERVICE_H
#define S3PERF_SERVICE_H

#include "aspects.h"
#include "credentials.h"
#include "endpoints.h"
#include "options.h"
#include "request.h"
#include "worker.h"

/* The keys of endpoints that have a profile of their own, and the service
 * with them. */
struct service_keys {
    const char *profile; /* an endpoint's; NULL: what the run says */
    struct credentials creds;
    struct request_service request;
};

/* What TLS may be. */
struct service_tls {
    int minor; /* as transport_config has it */
    char ciphers[1024], suites[512]; /* "": OpenSSL's own */
};

struct service {
    struct endpoints endpoints; /* at least one */
    enum endpoints_way way; /* to choose among them */
    struct credentials creds; /* of the first of them */
    struct service_keys *others; /* owned: room for one an endpoint */
    /* What workers are told, owned; filled in by service_spread(). */
    const struct request_service **services;
    uint32_t service_count;
    struct worker_endpoint *places; /* as many as endpoints */
    struct request_header headers[OPTIONS_LIST_MAX];
    struct buf texts; /* the headers' names and values */
    struct aspects aspects; /* of objects */
    struct service_tls tls;
    struct buf url; /* the endpoints, for people */
    const char *ca_file; /* NULL: the system's */
    bool insecure; /* TLS is not verified */
    struct request_service request; /* points into the rest */
};

/*
 * Resolve O.
 * Returns: 0, or the exit status (2 or 3), with one line printed that says
 *          why.
 */
int service_init(struct service *s, const struct options *o);

/*
 * Get ready to send to all of the endpoints: read the keys of those that
 * have a profile, and with --resolve-all put each address in the place of
 * its name; virtual-host requests will name BUCKET.
 * Returns as service_init().
 */
int service_spread(struct service *s, const struct options *o,
                   const char *bucket);

/* Have ON_SIGNED called for each request that is signed for S. */
void service_trace(struct service *s,
                   void (*on_signed)(const struct signer_result *result));

/* Before S is asked: a file of certificates that cannot be read would look
 * like a server that is not to be trusted. Returns as service_init(). */
int service_check_ca(const struct service *s, const struct options *o);

/* The same of --resolve, --interface, --cert and --key. */
int service_check_route(const struct service *s, const struct options *o);

void service_clear(struct service *s);

#endif
