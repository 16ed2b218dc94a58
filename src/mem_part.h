/* SPDX-License-Identifier: MIT */
/* What uploaded and copied parts have in common. */
#ifndef S3PERF_MEM_PART_H
#define S3PERF_MEM_PART_H

#include <stdbool.h>

#include "mem_op.h"

/* Is there such an upload, and can there be such a part? Fails OP's answer
 * if not. */
void mem_part_begin(struct mem_op *op);

/* Make O, complete, the part that the request names.
 * Returns: false with OP's answer failed. */
bool mem_part_put(struct mem_op *op, struct mem_object *o);

#endif
