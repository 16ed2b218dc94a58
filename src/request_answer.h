/* SPDX-License-Identifier: MIT */
/*
 * A request's answer on its way in. Private to the request module.
 */
#ifndef S3PERF_REQUEST_ANSWER_H
#define S3PERF_REQUEST_ANSWER_H

#include "request.h"

/* Make R ready for the answer to SPEC. Returns: 0, ENOMEM. */
int request_expect_answer(struct request *r, const struct request_spec *spec);

/* The buffers of a page's names. */
void request_init_list(struct request *r);

/* A page begins. */
void request_begin_list(struct request *r, const struct request_spec *spec);

/* An answer's on_entry, over a request. */
void request_on_entry(void *ctx, const struct answer_entry *entry);

/* The page has ended: hand on what was held.
 * Returns: 0, EINVAL when names are badly encoded, or a buffer's errno
 *          value. */
int request_finish_list(struct request *r);

#endif
