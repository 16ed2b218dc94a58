/* SPDX-License-Identifier: MIT */
/*
 * Within the request module: its bodies.
 */
#ifndef S3PERF_REQUEST_BODY_H
#define S3PERF_REQUEST_BODY_H

#include <stdbool.h>

#include "request.h"
#include "signer.h"

/* Whether OP's body is the caller's. */
bool request_has_data(enum request_op op);

/* Whether the body of SPEC is framed. */
bool request_is_chunked(const struct request_maker *m,
                        const struct request_spec *spec);

/* What M signs SPEC with. */
void request_keys(struct signer_keys *keys, const struct request_maker *m,
                  const struct request_spec *spec);

/* Give R's exchange its body. Returns: as request_build(). */
int request_build_body(struct request *r, const struct request_maker *m,
                       const struct request_spec *spec);

/* After R is signed: the chain of frames begins with that signature. */
void request_start_frames(struct request *r, struct request_maker *m,
                          const struct request_spec *spec);

#endif
