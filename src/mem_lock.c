/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_lock.h"

#include <string.h>

#define DAY_S (24 * 3600)

static const char *const names[] = {
    [MEM_LOCK_NONE] = "",
    [MEM_LOCK_GOVERNANCE] = "GOVERNANCE",
    [MEM_LOCK_COMPLIANCE] = "COMPLIANCE",
};

const char *
mem_lock_mode_name(enum mem_lock_mode mode)
{
    return names[mode];
}

bool
mem_lock_parse_mode(enum mem_lock_mode *out, const char *text)
{
    for (int mode = MEM_LOCK_GOVERNANCE; mode <= MEM_LOCK_COMPLIANCE; mode++) {
        if (strcmp(text, names[mode]) != 0)
            continue;
        *out = (enum mem_lock_mode) mode;
        return true;
    }
    return false;
}

time_t
mem_lock_rule_until(const struct mem_lock_rule *rule, time_t now)
{
    /* A year is 365 days there. */
    return now + ((time_t) rule->days + (time_t) rule->years * 365) * DAY_S;
}

bool
mem_lock_may_delete(const struct mem_lock *lock, bool bypass, time_t now)
{
    if (lock->hold == MEM_HOLD_ON)
        return false;
    return lock->mode == MEM_LOCK_NONE || lock->until <= now ||
           (lock->mode == MEM_LOCK_GOVERNANCE && bypass);
}

bool
mem_lock_may_change(const struct mem_lock *lock, const struct mem_lock *next,
                    bool bypass, time_t now)
{
    if (lock->mode == MEM_LOCK_NONE || lock->until <= now)
        return true;
    if (lock->mode == MEM_LOCK_GOVERNANCE && bypass)
        return true;
    /* It may only become stricter. */
    return next->mode >= lock->mode && next->until >= lock->until;
}
