/* SPDX-License-Identifier: MIT */
/*
 * How an object is cut into parts that are sent or read by themselves.
 * Source: AWS S3, "Amazon S3 multipart upload limits".
 */
#ifndef S3PERF_PARTS_H
#define S3PERF_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#define PARTS_COUNT_MAX 10000u /* in one upload */
#define PARTS_BYTES_MIN (UINT64_C(5) << 20) /* of all but the last */
#define PARTS_BYTES_MAX (UINT64_C(5) << 30)

/* All parts have the same size, but the last one, which has the rest. */
struct parts {
    uint64_t object_bytes;
    uint64_t part_bytes;
    uint32_t count; /* at least 1: an empty object is one empty part */
};

enum parts_fault {
    PARTS_FINE,
    PARTS_TOO_SMALL, /* a part that is not the last is below the minimum */
    PARTS_TOO_LARGE, /* a part is above the maximum */
    PARTS_TOO_MANY
};

/*
 * Cut an object into parts of PART_BYTES, more than 0, as it can be
 * uploaded.
 * Returns: PARTS_FINE, or what servers would refuse, *OUT untouched then.
 */
enum parts_fault parts_for_upload(struct parts *out, uint64_t object_bytes,
                                  uint64_t part_bytes);

/* The same to read it, of which parts need no minimum: PARTS_TOO_MANY only
 * beyond 2^32. */
enum parts_fault parts_for_download(struct parts *out, uint64_t object_bytes,
                                    uint64_t part_bytes);

/* Which objects go in parts. All zero: none. */
struct parts_rule {
    uint64_t part_bytes;
    uint64_t threshold_bytes; /* smaller objects go in one */
};

/* Cut an object as RULE says, which has been found to be fine; false, *OUT
 * untouched, when it goes in one. */
bool parts_apply(struct parts *out, const struct parts_rule *rule,
                 uint64_t object_bytes);

/* The smallest parts, in whole MiB, in which such an object can be uploaded;
 * 0: there are none. */
uint64_t parts_least_bytes(uint64_t object_bytes);

/* Where part INDEX, from 0, begins in the object, and how long it is. */
uint64_t parts_offset(const struct parts *p, uint32_t index);
uint64_t parts_length(const struct parts *p, uint32_t index);

#endif
