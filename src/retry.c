/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "retry.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "random.h"

#define BASE_NS (100 * CLOCK_NS_PER_MS)
#define CAP_NS (20 * CLOCK_NS_PER_S)

struct code_verdict {
    const char *code;
    enum retry_verdict verdict;
};

/* Codes whose status would mislead, or that have come with several. */
static const struct code_verdict codes[] = {
    /* AWS and most others */
    {"InternalError", RETRY_YES},
    {"SlowDown", RETRY_YES},
    {"ServiceUnavailable", RETRY_YES},
    {"Unavailable", RETRY_YES}, /* Wasabi */
    {"Busy", RETRY_YES},
    {"ServerBusy", RETRY_YES},
    {"RequestTimeout", RETRY_YES}, /* a 400: s3fs-fuse#2584 */
    {"RequestLimitExceeded", RETRY_YES},
    {"RequestThrottled", RETRY_YES},
    {"BandwidthLimitExceeded", RETRY_YES},
    {"PriorRequestNotComplete", RETRY_YES},
    {"OperationAborted", RETRY_YES}, /* a 409: arrow-rs#4777 */
    {"ConditionalRequestConflict", RETRY_YES}, /* a 409: opendal#6741 */
    {"BadDigest", RETRY_ONCE}, /* damaged on its way */
    /* MinIO */
    {"SlowDownRead", RETRY_YES},
    {"SlowDownWrite", RETRY_YES},
    {"TooManyRequests", RETRY_YES},
    {"XMinioServerNotInitialized", RETRY_YES},
    {"XMinioStorageFull", RETRY_NO},
    /* SeaweedFS */
    {"ErrTooManyRequest", RETRY_YES},
    {"ErrRequestBytesExceed", RETRY_YES},
    /* These need a repair, or more than patience, whatever the status. */
    {"RequestTimeTooSkewed", RETRY_NO},
    {"AuthorizationHeaderMalformed", RETRY_NO},
    {"PermanentRedirect", RETRY_NO},
    {"TemporaryRedirect", RETRY_NO},
    {"ExpiredToken", RETRY_NO},
    {"NotImplemented", RETRY_NO},
    {"InsufficientStorage", RETRY_NO},
    {"QuotaExceeded", RETRY_NO},
};

static enum retry_verdict
judge_status(int status)
{
    static const int passing[] = {408, 429, 499, 500, 502, 503, 504, 509, 520};

    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        if (status == passing[i])
            return RETRY_YES;
    return RETRY_NO;
}

static enum retry_verdict
judge_answer(const struct retry_failure *f)
{
    if (f->cut)
        return f->repeatable ? RETRY_YES : RETRY_NO;
    if (strncmp(f->code, "Throttling", strlen("Throttling")) == 0)
        return RETRY_YES;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(f->code, codes[i].code) == 0)
            return codes[i].verdict;
    return judge_status(f->status);
}

enum retry_verdict
retry_judge(const struct retry_failure *f)
{
    switch (f->error) {
    case EXCHANGE_OK:
        return judge_answer(f);
    case EXCHANGE_LOOKUP:
    case EXCHANGE_CONNECT:
    case EXCHANGE_CONNECT_TIMEOUT:
    case EXCHANGE_TLS:
        return RETRY_YES; /* nothing was sent */
    case EXCHANGE_TIMEOUT:
    case EXCHANGE_RESET:
    case EXCHANGE_STALE:
    case EXCHANGE_SHORT:
        return f->repeatable ? RETRY_YES : RETRY_NO;
    case EXCHANGE_CERTIFICATE:
    case EXCHANGE_PROTOCOL:
    case EXCHANGE_ABORTED:
    case EXCHANGE_CANCELLED:
    case EXCHANGE_INTERNAL:
        break;
    }
    return RETRY_NO;
}

/* --- how long to wait --- */

void
retry_init(struct retry_backoff *b, uint64_t seed, uint64_t number)
{
    b->state = seed;
    b->state = random_next(&b->state) + number;
    b->state = random_next(&b->state);
}

int64_t
retry_wait_ns(struct retry_backoff *b, uint32_t retry, int64_t after_ns)
{
    int64_t bound_ns = BASE_NS, wait_ns;

    while (--retry > 0 && bound_ns < CAP_NS)
        bound_ns *= 2;
    if (bound_ns > CAP_NS)
        bound_ns = CAP_NS;
    wait_ns = (int64_t) (random_next(&b->state) % (uint64_t) bound_ns);
    /* All lanes were told the same time: they must not come back at once. */
    if (after_ns >= CAP_NS)
        return CAP_NS;
    if (after_ns > 0)
        wait_ns += after_ns;
    return wait_ns < CAP_NS ? wait_ns : CAP_NS;
}

int64_t
retry_parse_after(const char *value, time_t now)
{
    struct tm date = {0};
    const char *end;
    int64_t seconds = 0;

    if (*value >= '0' && *value <= '9') {
        for (end = value; *end >= '0' && *end <= '9'; end++)
            if (seconds < CAP_NS)
                seconds = 10 * seconds + (*end - '0');
        if (*end != '\0')
            return RETRY_NONE;
    } else {
        end = strptime(value, "%a, %d %b %Y %H:%M:%S GMT", &date);
        if (end == NULL || *end != '\0')
            return RETRY_NONE;
        seconds = (int64_t) timegm(&date) - (int64_t) now;
    }
    if (seconds < 0)
        return 0;
    return seconds < CAP_NS / CLOCK_NS_PER_S ? seconds * CLOCK_NS_PER_S
                                             : CAP_NS;
}
