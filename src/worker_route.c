/* SPDX-License-Identifier: MIT */
/* Where a lane's requests go. */
#include "config.h"

#include "worker_parts.h"

#include <string.h>

void
worker_take_endpoint(struct worker_lane *lane)
{
    const struct worker_config *c = lane->w->config;
    size_t index = (size_t) (lane - lane->w->lanes), number = 0;

    if (lane->endpoint != NULL)
        return;
    if (c->endpoint_count > 1)
        number = endpoints_take(c->choice, worker_lane_number(lane->w, index));
    lane->endpoint = &c->endpoints[number];
    lane->slices[REPORT_BY_ENDPOINT] = lane->endpoint->slice;
}

void
worker_give_endpoint(struct worker_lane *lane)
{
    const struct worker_config *c = lane->w->config;

    if (lane->endpoint != NULL && c->endpoint_count > 1)
        endpoints_give_back(c->choice,
                            (uint32_t) (lane->endpoint - c->endpoints));
    lane->endpoint = NULL;
}

const struct request_service *
worker_service(const struct worker_lane *lane)
{
    return lane->w->config->services[lane->endpoint->service];
}

/* Send LANE's request to its endpoint, or where a repair found that it must
 * go. */
static void
follow_route(struct worker_lane *lane)
{
    const struct worker_endpoint *home = lane->endpoint;
    const struct repair_route *route = lane->route;
    struct request_spec *spec = &lane->spec;

    spec->region = route != NULL ? route->region : NULL;
    spec->endpoint = home->endpoint;
    spec->address = home->address;
    lane->label = home->label;
    if (route == NULL || endpoint_is_same(&route->endpoint, home->endpoint))
        return;
    spec->endpoint = &route->endpoint;
    spec->address = NULL;
    lane->label = route->url;
}

void
worker_choose_route(struct worker_lane *lane)
{
    const struct worker_config *c = lane->w->config;
    struct request_spec *spec = &lane->spec;
    const char *region;

    lane->route =
        lane->next_route != NULL
            ? lane->next_route
            : repair_route(c->repair, lane->endpoint->endpoint, spec->bucket);
    lane->next_route = NULL;
    follow_route(lane);
    if (spec->op != REQUEST_CREATE_BUCKET || lane->op->spec.location != NULL)
        return;
    /* AWS wants to be told the region, except this one. Others have names
     * of their own for their locations, so they are told when asked. */
    region = spec->region != NULL ? spec->region : worker_service(lane)->region;
    spec->location =
        spec->endpoint->aws && strcmp(region, "us-east-1") != 0 ? region : NULL;
}
