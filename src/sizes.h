/* SPDX-License-Identifier: MIT */
/*
 * How large objects are. The size of an object is a function of the seed
 * and of its number, and of nothing else, so what puts it, gets it and
 * verifies it agree, in any order, in any process, on any machine.
 *
 * A specification is one of
 *   SIZE                    each has this size
 *   MIN..MAX                each size from MIN to MAX is as likely
 *   log2:MAX, log2:MIN..MAX
 *                           the logarithm is uniform: a size is as likely
 *                           between 1 and 2 MiB as between 2 and 4; MIN is
 *                           MAX/256 unless given
 *   lognormal:MEDIAN,SIGMA[,MAX]
 *                           the natural logarithm is normal, SIGMA its
 *                           standard deviation; what lies more than four of
 *                           them from the median, or above MAX, is drawn again
 *   SIZE:WEIGHT,...         weighted classes, each of one size or MIN..MAX.
 *                           Of as many objects in a row as the weights'
 *                           sum (after division by what divides all) each
 *                           class has exactly its share.
 */
#ifndef S3PERF_SIZES_H
#define S3PERF_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#define SIZES_CLASSES_MAX 64
#define SIZES_MAX (UINT64_C(1) << 48) /* what a size may be */
#define SIZES_NAME_SIZE 48

enum sizes_law {
    SIZES_CLASSES, /* also one size, or MIN..MAX: a single class */
    SIZES_LOG2,
    SIZES_LOGNORMAL
};

struct sizes_class {
    uint64_t min, max;
    uint64_t until; /* the weights' sum up to and with this one */
};

struct sizes {
    enum sizes_law law;
    uint64_t min, max; /* no size is outside */
    double median, sigma; /* SIZES_LOGNORMAL */
    struct sizes_class classes[SIZES_CLASSES_MAX];
    uint32_t class_count;
};

/* All objects have SIZE bytes. */
void sizes_fix(struct sizes *s, uint64_t size);

/* Read a specification. Returns: NULL, or a static text that says what is
 * wrong, with *OUT untouched. */
const char *sizes_parse(struct sizes *out, const char *text);

/* Whether all objects are alike. */
bool sizes_is_fixed(const struct sizes *s);

/* Bytes of the object NUMBER, from 0. */
uint64_t sizes_of(const struct sizes *s, uint64_t seed, uint64_t number);

/* The mean to expect. */
double sizes_mean(const struct sizes *s);

/*
 * Classes for results: those of the specification if it has several; else
 * powers of two, class by class from the smallest size to the largest. One
 * when all objects are alike.
 */
uint32_t sizes_class_count(const struct sizes *s);

/* The class, from 0, of an object of SIZE bytes, which sizes_of() gave. */
uint32_t sizes_class_of(const struct sizes *s, uint64_t size);

/* "4Ki", "1Ki..4Ki" of classes as they were written; "4Ki..8Ki" for sizes
 * from 4 KiB to below 8 KiB; "0". */
void sizes_class_name(const struct sizes *s, uint32_t number,
                      char out[SIZES_NAME_SIZE]);

#endif
