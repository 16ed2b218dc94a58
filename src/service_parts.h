/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the service module share. Private to them.
 */
#ifndef S3PERF_SERVICE_PARTS_H
#define S3PERF_SERVICE_PARTS_H

#include "service.h"

/* Free what service_spread() has got. Safe twice. */
void service_forget(struct service *s);

#endif
