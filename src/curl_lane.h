/* SPDX-License-Identifier: MIT */
/*
 * One lane of libcurl's carrier. Private to the transport.
 */
#ifndef S3PERF_CURL_LANE_H
#define S3PERF_CURL_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <curl/curl.h>

#include "exchange.h"
#include "transport.h"

/* Lines that only keep libcurl from adding its own. */
#define CURL_LANE_FIXED_HEADERS 4

struct curl_lane {
    const struct transport_config *config;
    size_t index;
    CURL *easy; /* lives as long as the lane */
    CURLU *url;
    struct exchange *x; /* NULL while idle */
    struct curl_slist lines[EXCHANGE_HEADERS_MAX + CURL_LANE_FIXED_HEADERS];
    int64_t begun_ns; /* when libcurl was given the exchange */
    uint64_t offset; /* of the next body byte to send */
    uint32_t requests; /* times libcurl was about to send this one */
    bool fresh; /* its connection is new: what TLS it has is still to be seen */
    struct transport_tls *seen; /* where that goes */
    uint16_t local_port; /* of the connection it was first sent on */
    int64_t outstanding; /* bytes that the peer's TCP had not acknowledged
                            when that connection was closed; -1: it is open */
    char host[300]; /* what `url` holds now */
    struct curl_slist connect_to; /* where to go instead of it */
    char connect_text[64]; /* the same; "" for nowhere else */
    uint16_t port;
    bool tls;
};

/* Returns: 0 or ENOMEM. LANE is zeroed; C must outlive it. */
int curl_lane_init(struct curl_lane *lane, const struct transport_config *c);

/* Tell LANE's easy handle what C asks for. */
void curl_lane_set_options(struct curl_lane *lane,
                           const struct transport_config *c);

/* The easy handle must be out of its multi handle. Safe twice. */
void curl_lane_clear(struct curl_lane *lane);

/* Make the easy handle ready to carry X, whose outcome is reset. Returns
 * false, nothing changed in X, when memory is out. */
bool curl_lane_load(struct curl_lane *lane, struct exchange *x);

/* The connection on LOCAL_PORT is about to be closed, with OUTSTANDING bytes
 * not acknowledged by the peer. */
void curl_lane_closing(struct curl_lane *lane, uint16_t local_port,
                       int64_t outstanding);

/* Fill in X's outcome; the lane is idle then. */
void curl_lane_finish(struct curl_lane *lane, CURLcode code);

#endif
