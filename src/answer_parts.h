/* SPDX-License-Identifier: MIT */
/*
 * Which elements of a document are of interest, within the answer module.
 */
#ifndef S3PERF_ANSWER_PARTS_H
#define S3PERF_ANSWER_PARTS_H

#include <stddef.h>

/* Where in a document we are: elements of interest, the rest is SKIP. */
enum place {
    OUTSIDE, /* above the document element */
    SKIP, /* an element that nobody asked for, and all below it */
    ERROR,
    LIST,
    CONTENTS, /* an object, or a version of one */
    DELETE_MARKER,
    COMMON,
    ALL_BUCKETS,
    BUCKETS,
    BUCKET,
    DELETE,
    DELETED,
    FAILED,
    RESULT,
    /* from here on elements whose text is wanted */
    FIELD, /* goes to struct answer as it is, cut when too long */
    NAME,
    SIZE,
    MODIFIED,
    ETAG,
    VERSION,
    LATEST,
    RESULT_ETAG,
    TRUNCATED,
    ENCODING,
    TOKEN,
    MARKER,
    VERSION_MARKER,
    FAILED_CODE,
    FAILED_MESSAGE
};

struct step {
    enum place from;
    const char *name; /* local name of a child element */
    enum place to;
    size_t at; /* of a FIELD: offset of its char[ANSWER_TEXT_MAX] */
};

/* The step from the place FROM to its child element NAME, whose place is
 * SKIP when nobody asked for it. */
const struct step *answer_find_step(enum place from, const char *name);

#endif
