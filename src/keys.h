/* SPDX-License-Identifier: MIT */
/*
 * What objects are called: BASE1, BASE2, ..., those names spread over
 * prefixes or with a part that has no order, or the names in a list of the
 * user's. A name is a function of its number and of nothing else.
 */
#ifndef S3PERF_KEYS_H
#define S3PERF_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

#define KEYS_LENGTH_MAX 1024 /* bytes of a name in a list: S3's limit */
#define KEYS_FILE_MAX ((size_t) 1 << 31)
#define KEYS_GROWTH 64 /* bytes that a name has beyond its base at most */

enum keys_entropy {
    KEYS_PLAIN, /* numbers alone */
    KEYS_HEAD, /* eight hexadecimal digits in front of the number */
    KEYS_TAIL /* ... or behind it */
};

/* How names are made. All zero: BASE1, BASE2, ... */
struct keys_style {
    uint64_t prefixes; /* number I is below BASEP/, P = (I - 1) mod PREFIXES
                          + 1; 0: there are none */
    enum keys_entropy entropy;
};

/* "head" or "tail"; false, *OUT untouched, for anything else. */
bool keys_parse_entropy(enum keys_entropy *out, const char *text);

/* Add to OUT the name of the object INDEX, from 0; numbers in names begin
 * with 1. Returns: 0 or a buffer's errno value. */
int keys_add_name(struct buf *out, const struct keys_style *style,
                  const char *base, uint64_t index);

/* Names from a file. */
struct keys_list {
    struct buf text; /* names, each with its NUL */
    uint64_t *starts; /* where they begin */
    uint64_t count;
};

/* What is wrong with a list. */
struct keys_fault {
    uint64_t line; /* from 1 */
    const char *what; /* static */
};

/*
 * Read names from PATH ("-": standard input), each of which ends in END ('\n'
 * or NUL; the last may go without).
 * Returns: 0; an errno value of the file (EMSGSIZE: too large) or of memory;
 *          EINVAL with *FAULT set for a name that cannot be one.
 */
int keys_read(struct keys_list *list, const char *path, char end,
              struct keys_fault *fault);
void keys_clear(struct keys_list *list); /* safe twice */

/* Name number INDEX, from 0, below the count. */
const char *keys_listed(const struct keys_list *list, uint64_t index);

#endif
