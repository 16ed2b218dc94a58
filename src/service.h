/* SPDX-License-Identifier: MIT */
/*
 * From options to a service that can be asked: endpoint, keys, region,
 * addressing, payload hash, the user's headers.
 */
#ifndef S3PERF_SERVICE_H
#define S3PERF_SERVICE_H

#include "credentials.h"
#include "options.h"
#include "request.h"

struct service {
    struct credentials creds;
    struct request_header headers[OPTIONS_LIST_MAX];
    struct buf texts; /* the headers' names and values */
    struct buf url; /* the endpoint, for people */
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

/* Before S is asked: a file of certificates that cannot be read would look
 * like a server that is not to be trusted. Returns as service_init(). */
int service_check_ca(const struct service *s, const struct options *o);

/* The same of --resolve, --interface, --cert and --key. */
int service_check_route(const struct service *s, const struct options *o);

void service_clear(struct service *s);

#endif
