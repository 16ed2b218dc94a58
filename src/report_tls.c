/* SPDX-License-Identifier: MIT */
/* What TLS the connections had. */
#include "config.h"

#include "report.h"

#include <inttypes.h>
#include <stdio.h>

#include "report_page.h"

/* Names of OpenSSL's for the numbers of TLS's registry at IANA, of those that
 * OpenSSL offers by default. */
static const struct {
    uint16_t number;
    const char *name;
} suites[] = {
    {0x1301, "TLS_AES_128_GCM_SHA256"},
    {0x1302, "TLS_AES_256_GCM_SHA384"},
    {0x1303, "TLS_CHACHA20_POLY1305_SHA256"},
    {0xc02b, "ECDHE-ECDSA-AES128-GCM-SHA256"},
    {0xc02c, "ECDHE-ECDSA-AES256-GCM-SHA384"},
    {0xc02f, "ECDHE-RSA-AES128-GCM-SHA256"},
    {0xc030, "ECDHE-RSA-AES256-GCM-SHA384"},
    {0xcca8, "ECDHE-RSA-CHACHA20-POLY1305"},
    {0xcca9, "ECDHE-ECDSA-CHACHA20-POLY1305"},
    {0xccaa, "DHE-RSA-CHACHA20-POLY1305"},
    {0x009e, "DHE-RSA-AES128-GCM-SHA256"},
    {0x009f, "DHE-RSA-AES256-GCM-SHA384"},
    {0x009c, "AES128-GCM-SHA256"},
    {0x009d, "AES256-GCM-SHA384"},
    {0xc023, "ECDHE-ECDSA-AES128-SHA256"},
    {0xc024, "ECDHE-ECDSA-AES256-SHA384"},
    {0xc027, "ECDHE-RSA-AES128-SHA256"},
    {0xc028, "ECDHE-RSA-AES256-SHA384"},
    {0xc009, "ECDHE-ECDSA-AES128-SHA"},
    {0xc00a, "ECDHE-ECDSA-AES256-SHA"},
    {0xc013, "ECDHE-RSA-AES128-SHA"},
    {0xc014, "ECDHE-RSA-AES256-SHA"},
    {0x003c, "AES128-SHA256"},
    {0x003d, "AES256-SHA256"},
    {0x002f, "AES128-SHA"},
    {0x0035, "AES256-SHA"},
};

void
report_tls_name(char out[REPORT_TLS_SIZE], uint32_t tls)
{
    unsigned major = tls >> 24 & 0xff, minor = tls >> 16 & 0xff;
    uint16_t suite = (uint16_t) tls;

    out[0] = '\0';
    if (tls == 0)
        return;
    /* TLS 1.0 calls itself 3.1. */
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        if (suites[i].number == suite && major == 3 && minor > 0)
            snprintf(out, REPORT_TLS_SIZE, "TLSv1.%u %s", minor - 1,
                     suites[i].name);
    if (out[0] == '\0')
        snprintf(out, REPORT_TLS_SIZE, "TLSv1.%u 0x%04X",
                 minor > 0 ? minor - 1 : 0, suite);
}

void
report_merge_tls(struct transport_tls *tls, const struct transport_tls *from)
{
    tls->handshakes += from->handshakes;
    tls->resumed += from->resumed;
    if (tls->first == 0)
        tls->first = from->first;
    else if (from->first != 0 && from->first != tls->first)
        tls->other = from->first;
    if (tls->other == 0 && from->other != tls->first)
        tls->other = from->other;
}

void
page_put_tls(struct report_page *page, const struct transport_tls *tls)
{
    char first[REPORT_TLS_SIZE], other[REPORT_TLS_SIZE];

    if (tls->handshakes == 0)
        return;
    report_tls_name(first, tls->first);
    report_tls_name(other, tls->other);
    page_put(page, "%-*s%s%s%s; %" PRIu64 " handshake%s", PAGE_LABEL, "tls",
             first, other[0] != '\0' ? " and " : "", other, tls->handshakes,
             page_plural(tls->handshakes));
    if (tls->resumed > 0)
        page_put(page, ", %" PRIu64 " resumed a session", tls->resumed);
    page_put(page, "\n");
}
