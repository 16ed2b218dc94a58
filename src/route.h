/* SPDX-License-Identifier: MIT */
/*
 * What the user says of the way to the server: fixed addresses, the local
 * interface, a client certificate. Checked before anything is sent.
 */
#ifndef S3PERF_ROUTE_H
#define S3PERF_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An entry HOST:PORT:ADDR; ADDR may be an IPv6 address, in brackets or not. */
struct route_entry {
    const char *host; /* into the text, HOST_LEN characters */
    size_t host_len;
    uint16_t port;
    const char *address; /* into the text, ADDRESS_LEN characters */
    size_t address_len;
};

/* False, *OUT untouched, when TEXT is no entry. */
bool route_parse(struct route_entry *out, const char *text);

/* Whether TEXT is an IPv4 or IPv6 address without brackets. */
bool route_is_address(const char *text);

/*
 * Whether a connection can be shown CERT and KEY, two PEM files; KEY may be
 * NULL when the first has both.
 * Returns: NULL, or a static text that says what is wrong; *CULPRIT is the
 *          file then.
 */
const char *route_check_certificate(const char *cert, const char *key,
                                    const char **culprit);

#endif
