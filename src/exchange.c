/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "exchange.h"

const char *
exchange_error_name(enum exchange_error error)
{
    static const char *const names[] = {
        [EXCHANGE_OK] = NULL,
        [EXCHANGE_LOOKUP] = "lookup",
        [EXCHANGE_CONNECT] = "connect",
        [EXCHANGE_CONNECT_TIMEOUT] = "connect-timeout",
        [EXCHANGE_TLS] = "tls",
        [EXCHANGE_CERTIFICATE] = "certificate",
        [EXCHANGE_TIMEOUT] = "timeout",
        [EXCHANGE_RESET] = "reset",
        [EXCHANGE_STALE] = "stale",
        [EXCHANGE_SHORT] = "short",
        [EXCHANGE_PROTOCOL] = "protocol",
        [EXCHANGE_ABORTED] = "aborted",
        [EXCHANGE_CANCELLED] = "cancelled",
        [EXCHANGE_INTERNAL] = "internal",
    };

    return names[error];
}
