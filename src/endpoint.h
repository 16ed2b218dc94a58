/* SPDX-License-Identifier: MIT */
/*
 * Where a service is and how a bucket is addressed there.
 * Opens no socket, asks no resolver.
 */
#ifndef S3PERF_ENDPOINT_H
#define S3PERF_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

#define ENDPOINT_HOST_MAX 255 /* bytes; brackets of IPv6 included */

enum addressing {
    ADDRESSING_AUTO, /* virtual for AWS names and undotted buckets else path */
    ADDRESSING_PATH,
    ADDRESSING_VIRTUAL
};

struct endpoint {
    bool tls;
    char host[ENDPOINT_HOST_MAX + 1]; /* lower case */
    uint16_t port; /* always set, 80 or 443 when the URL had none */
    bool ip; /* host is an IPv4 address or an IPv6 literal */
    bool aws; /* host is amazonaws.com or below it (also .com.cn) */
};

/*
 * Read "http://host[:port][/]" or "https://...". Without a scheme https is
 * meant. A path, a query, a fragment and user information are refused.
 * Returns: NULL with *OUT filled, or a static text that says what is wrong
 *          with URL ("has a path", "has a bad port", ...), *OUT untouched.
 */
const char *endpoint_parse(struct endpoint *out, const char *url);

/* Whether it is on this machine. */
bool endpoint_is_loopback(const struct endpoint *e);

/* AWS's own endpoint of REGION: https://s3.REGION.amazonaws.com (and .cn);
 * false, *OUT untouched, when REGION cannot stand in a host name. */
bool endpoint_aws(struct endpoint *out, const char *region);

/* Whether A and B are the same scheme, host and port. */
bool endpoint_is_same(const struct endpoint *a, const struct endpoint *b);

/* Read "auto", "path" or "virtual"; false, *OUT untouched, otherwise. */
bool addressing_parse(enum addressing *out, const char *text);

/* Whether BUCKET goes into the host name. "" (no bucket) never does. An
 * explicit wish is followed, but an IP address, and a bucket that cannot
 * stand in a host name, are always path style. */
bool endpoint_is_virtual(const struct endpoint *e, enum addressing wish,
                         const char *bucket);

/*
 * Add the Host header's value, as sent and as signed: the bucket in front
 * when VIRTUAL, the port only when it is not the scheme's default.
 */
int endpoint_add_host(struct buf *out, const struct endpoint *e,
                      const char *bucket, bool virtual_host);

/* Add the encoded path: "/" + bucket (path style) + "/" + key. KEY is raw
 * bytes, NULL for a bucket; BUCKET "" for the service itself. */
int endpoint_add_path(struct buf *out, const char *bucket, const char *key,
                      size_t key_len, bool virtual_host);

/* Add "http://host[:port]" without a path, default ports left out. */
int endpoint_add_url(struct buf *out, const struct endpoint *e);

#endif
