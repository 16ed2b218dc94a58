/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the service module share. Private to them.
 */
#ifndef S3PERF_SERVICE_PARTS_H
#define S3PERF_SERVICE_PARTS_H

#include "service.h"

/* Free what service_spread() has got. Safe twice. */
void service_forget(struct service *s);

/* Fill in what requests say of objects. Returns as service_init(). */
int service_choose_aspects(struct service *s, const struct options *o);

/* Decide what TLS may be. Returns as service_init(). */
int service_choose_tls(struct service *s, const struct options *o);

#endif
