/* SPDX-License-Identifier: MIT */
/*
 * Object lock as rules: who may delete a version, and how its lock may
 * change. Pure: the time is given.
 * Source: AWS S3 user guide, "Locking objects with Object Lock".
 */
#ifndef S3PERF_MEM_LOCK_H
#define S3PERF_MEM_LOCK_H

#include <stdbool.h>
#include <time.h>

enum mem_lock_mode { MEM_LOCK_NONE, MEM_LOCK_GOVERNANCE, MEM_LOCK_COMPLIANCE };
enum mem_hold { MEM_HOLD_NEVER, MEM_HOLD_OFF, MEM_HOLD_ON };

struct mem_lock {
    enum mem_lock_mode mode;
    time_t until; /* with a mode */
    enum mem_hold hold; /* the legal hold */
};

/* A bucket's default retention. */
struct mem_lock_rule {
    enum mem_lock_mode mode; /* NONE: there is none */
    unsigned days, years; /* one of them */
};

/* "GOVERNANCE", "COMPLIANCE", "" */
const char *mem_lock_mode_name(enum mem_lock_mode mode);

/* Returns: false, *OUT untouched, for what is neither of the first two. */
bool mem_lock_parse_mode(enum mem_lock_mode *out, const char *text);

/* Until when RULE locks what comes at NOW. */
time_t mem_lock_rule_until(const struct mem_lock_rule *rule, time_t now);

/* May what has such a LOCK be deleted? BYPASS: despite GOVERNANCE. */
bool mem_lock_may_delete(const struct mem_lock *lock, bool bypass, time_t now);

/* May mode and time of LOCK become those of NEXT? */
bool mem_lock_may_change(const struct mem_lock *lock,
                         const struct mem_lock *next, bool bypass, time_t now);

#endif
