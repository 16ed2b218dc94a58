/* SPDX-License-Identifier: MIT */
/*
 * Which part of an object a ranged read asks for.
 *
 *   LENGTH   bytes, at an offset that is
 *     random       any at which there are so many
 *     aligned      any multiple of LENGTH at which there are so many
 *     sequential   0, then LENGTH, ... to the end of the object, whose last
 *                  part may be shorter
 *     BYTES        always this
 *   random   first and last byte are independent and uniform
 */
#ifndef S3PERF_OFFSETS_H
#define S3PERF_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>

enum offsets_form {
    OFFSETS_RANDOM,
    OFFSETS_ALIGNED,
    OFFSETS_SEQUENTIAL,
    OFFSETS_FIXED
};

struct offsets {
    uint64_t length; /* bytes of a range; 0: any, whatever the form */
    enum offsets_form form;
    uint64_t at; /* OFFSETS_FIXED */
};

/* LENGTH bytes of an object from OFFSET on. All zero: none yet. */
struct range {
    uint64_t offset, length;
};

/* Read what --range (a size, "random") and --offset (NULL: random) say.
 * Returns: NULL, or a static text that says what is wrong, with *OUT
 * untouched. */
const char *offsets_parse(struct offsets *out, const char *range,
                          const char *offset);

/* Bytes that the smallest object must have, 0 if not even one. */
uint64_t offsets_need(const struct offsets *o);

/* Choose RANGE of an object of SIZE bytes, which are enough, for operation
 * TURN; for OFFSETS_SEQUENTIAL it begins a new pass. */
void offsets_choose(struct range *range, const struct offsets *o, uint64_t seed,
                    uint64_t turn, uint64_t size);

/* OFFSETS_SEQUENTIAL: move RANGE on. Returns false at the end of the object. */
bool offsets_advance(struct range *range, const struct offsets *o,
                     uint64_t size);

#endif
