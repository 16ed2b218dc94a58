/* SPDX-License-Identifier: MIT */
/* What libcurl is told once, of all that a lane will carry. */
#include "config.h"

#include "curl_lane.h"

#include <stdio.h>
#include <net/if.h>

#include "clock.h"

#define FEW_LANES 64
#define EXPECT_WAIT_MS 1000L /* for the server's word, then the body goes */
#define IDLE_MAX_S 5L /* AWS closes idle TLS connections after about 6 s */

/* Say which it is: libcurl would look up what it does not know. */
static void
set_interface(CURL *easy, const char *name)
{
    char text[256];

    snprintf(text, sizeof text, "%s!%s",
             if_nametoindex(name) != 0 ? "if" : "host", name);
    curl_easy_setopt(easy, CURLOPT_INTERFACE, text); /* copied */
}

/* Through a tunnel, also with http: what is sent is then for the server, and
 * the proxy sees only where to. */
static void
set_proxy(CURL *easy, const char *proxy)
{
    curl_easy_setopt(easy, CURLOPT_NOPROXY, proxy != NULL ? "" : "*");
    if (proxy == NULL)
        return;
    curl_easy_setopt(easy, CURLOPT_PROXY, proxy);
    curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
}

static void
set_tls(CURL *easy, const struct transport_config *c)
{
    long version = c->tls_minor == 2
                       ? CURL_SSLVERSION_TLSv1_2 | CURL_SSLVERSION_MAX_TLSv1_2
                       : CURL_SSLVERSION_TLSv1_3 | CURL_SSLVERSION_MAX_TLSv1_3;

    if (c->tls_minor != 0)
        curl_easy_setopt(easy, CURLOPT_SSLVERSION, version);
    if (c->ciphers != NULL)
        curl_easy_setopt(easy, CURLOPT_SSL_CIPHER_LIST, c->ciphers);
    if (c->suites != NULL)
        curl_easy_setopt(easy, CURLOPT_TLS13_CIPHERS, c->suites);
}

void
curl_lane_set_options(struct curl_lane *lane, const struct transport_config *c)
{
    CURL *e = lane->easy;
    bool few = c->lanes <= FEW_LANES;

    curl_easy_setopt(e, CURLOPT_PRIVATE, lane);
    curl_easy_setopt(e, CURLOPT_CURLU, lane->url);
    curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long) CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    set_proxy(e, c->proxy);
    curl_easy_setopt(e, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(e, CURLOPT_MAXAGE_CONN, IDLE_MAX_S);
    curl_easy_setopt(e, CURLOPT_EXPECT_100_TIMEOUT_MS, EXPECT_WAIT_MS);
    /* Larger buffers are faster, while they fit the cache and the memory
     * that many lanes may take. */
    curl_easy_setopt(e, CURLOPT_BUFFERSIZE,
                     c->large_download && few ? 65536L : 16384L);
    if (c->large_upload)
        curl_easy_setopt(e, CURLOPT_UPLOAD_BUFFERSIZE, few ? 262144L : 65536L);
    if (!c->reuse) {
        curl_easy_setopt(e, CURLOPT_FRESH_CONNECT, 1L);
        curl_easy_setopt(e, CURLOPT_FORBID_REUSE, 1L);
    }
    curl_easy_setopt(e, CURLOPT_SSL_SESSIONID_CACHE, c->tls_resume ? 1L : 0L);
    curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS,
                     (long) (c->connect_timeout_ns / CLOCK_NS_PER_MS));
    curl_easy_setopt(e, CURLOPT_TIMEOUT_MS,
                     (long) (c->timeout_ns / CLOCK_NS_PER_MS));
    if (c->ca_file != NULL)
        curl_easy_setopt(e, CURLOPT_CAINFO, c->ca_file);
    if (c->cert_file != NULL) {
        curl_easy_setopt(e, CURLOPT_SSLCERT, c->cert_file);
        curl_easy_setopt(e, CURLOPT_SSLKEY,
                         c->key_file != NULL ? c->key_file : c->cert_file);
    }
    if (c->interface != NULL)
        set_interface(e, c->interface);
    set_tls(e, c);
    curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, c->insecure ? 0L : 1L);
    curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, c->insecure ? 0L : 2L);
}
