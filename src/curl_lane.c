/* SPDX-License-Identifier: MIT */
/* One lane of libcurl's carrier: an easy handle and the moments it meets. */
#include "config.h"

#include "curl_lane.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/ssl.h>

#include "clock.h"

/* What a kernel takes in before the server has read any of it. */
#define STALE_TAKEN_MAX (8 << 20)
#define EXPECTATION_FAILED 417

/* --- the moments of an exchange: libcurl's callbacks on a lane --- */

/* A socket for a request that was sent already: libcurl found the reused
 * connection dead and wants to send again behind our back. */
static int
on_socket(void *ctx, curl_socket_t fd, curlsocktype purpose)
{
    struct curl_lane *lane = ctx;

    (void) fd, (void) purpose;
    lane->fresh = true;
    return lane->requests > 0 ? CURL_SOCKOPT_ERROR : CURL_SOCKOPT_OK;
}

/* Note what TLS the new connection has. */
static void
see_tls(struct curl_lane *lane)
{
    const struct curl_tlssessioninfo *info = NULL;
    struct transport_tls *seen = lane->seen;
    const SSL *ssl;
    uint32_t tls;

    lane->fresh = false;
    if (curl_easy_getinfo(lane->easy, CURLINFO_TLS_SSL_PTR, &info) !=
            CURLE_OK ||
        info == NULL || info->backend != CURLSSLBACKEND_OPENSSL ||
        info->internals == NULL)
        return;
    ssl = info->internals;
    tls = (uint32_t) SSL_version(ssl) << 16 |
          SSL_CIPHER_get_protocol_id(SSL_get_current_cipher(ssl));
    seen->handshakes++;
    seen->resumed += SSL_session_reused(ssl) == 1;
    if (seen->first == 0)
        seen->first = tls;
    else if (tls != seen->first)
        seen->other = tls;
}

/* libcurl is about to send the request. A second time is what on_socket()
 * refuses, over another connection that was idle. */
static int
on_request(void *ctx, char *peer, char *local, int peer_port, int local_port)
{
    struct curl_lane *lane = ctx;

    (void) peer, (void) local, (void) peer_port;
    lane->requests++;
    if (lane->requests == 1)
        lane->local_port = (uint16_t) local_port;
    if (lane->fresh && lane->tls)
        see_tls(lane);
    return lane->requests > 1 ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

static int
on_progress(void *ctx, curl_off_t down_total, curl_off_t down,
            curl_off_t up_total, curl_off_t up)
{
    struct curl_lane *lane = ctx;
    struct exchange *x = lane->x;

    (void) down_total, (void) down, (void) up_total;
    if (x == NULL || lane->requests == 0)
        return 0;
    if (x->on_wire != NULL && (uint64_t) up > x->sent_bytes)
        x->on_wire(x->wire_ctx, (size_t) ((uint64_t) up - x->sent_bytes));
    /* libcurl may rewind what it would like to send again. */
    if ((uint64_t) up > x->sent_bytes)
        x->sent_bytes = (uint64_t) up;
    if (x->sent_ns == EXCHANGE_NONE && x->sent_bytes >= x->body_len)
        x->sent_ns = clock_now_ns();
    return 0;
}

static size_t
on_read(char *out, size_t size, size_t n, void *ctx)
{
    struct curl_lane *lane = ctx;
    uint64_t left = lane->x->body_len - lane->offset;

    n *= size;
    if (n > left)
        n = (size_t) left;
    if (n > 0)
        lane->x->read(lane->x->read_ctx, out, n, lane->offset);
    lane->offset += n;
    return n;
}

/* Rewinding must succeed, or libcurl 7.88 remembers the failure on the
 * handle; on_request() sees to it that nothing is sent a second time. */
static int
on_seek(void *ctx, curl_off_t offset, int origin)
{
    struct curl_lane *lane = ctx;

    if (origin != SEEK_SET)
        return CURL_SEEKFUNC_CANTSEEK;
    lane->offset = (uint64_t) offset;
    return CURL_SEEKFUNC_OK;
}

static void
split_header(struct exchange *x, const char *line, size_t n)
{
    const char *colon = memchr(line, ':', n);
    const char *end = line + n;
    const char *value;

    if (colon == NULL || x->on_header == NULL)
        return;
    value = colon + 1;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    while (end > value && (end[-1] == '\r' || end[-1] == '\n' ||
                           end[-1] == ' ' || end[-1] == '\t'))
        end--;
    x->on_header(x->ctx, line, (size_t) (colon - line), value,
                 (size_t) (end - value));
}

static size_t
on_header(char *line, size_t size, size_t n, void *ctx)
{
    struct curl_lane *lane = ctx;
    struct exchange *x = lane->x;

    n *= size;
    if (n > 5 && memcmp(line, "HTTP/", 5) == 0) {
        const char *blank = memchr(line, ' ', n);

        /* A 1xx answer is followed by another status line, which then
         * overwrites both. */
        x->status = blank != NULL ? atoi(blank + 1) : 0;
        x->first_ns = clock_now_ns();
    } else if (x->status >= 200) {
        split_header(x, line, n);
    }
    return n;
}

static size_t
on_body(char *bytes, size_t size, size_t n, void *ctx)
{
    struct curl_lane *lane = ctx;
    struct exchange *x = lane->x;

    n *= size;
    if (x->body_ns == EXCHANGE_NONE)
        x->body_ns = clock_now_ns();
    x->received_bytes += n;
    if (x->on_wire != NULL)
        x->on_wire(x->wire_ctx, n);
    if (x->on_body != NULL && !x->on_body(x->ctx, bytes, n))
        return n + 1; /* tells libcurl to stop */
    return n;
}

static int
on_trace(CURL *easy, curl_infotype type, char *text, size_t n, void *ctx)
{
    struct curl_lane *lane = ctx;
    const char *mark = type == CURLINFO_TEXT         ? "* "
                       : type == CURLINFO_HEADER_OUT ? "> "
                       : type == CURLINFO_HEADER_IN  ? "< "
                                                     : NULL;
    char line[8192];

    (void) easy;
    while (mark != NULL && n > 0) {
        const char *end = memchr(text, '\n', n);
        size_t part = end != NULL ? (size_t) (end - text) : n;
        size_t whole = end != NULL ? part + 1 : part;

        while (part > 0 && text[part - 1] == '\r')
            part--;
        snprintf(line, sizeof line, "%s%.*s", mark, (int) part, text);
        lane->config->trace(lane->config->trace_ctx, line);
        text += whole;
        n -= whole;
    }
    return 0;
}

/* --- how an exchange ended --- */

/*
 * What a connection that broke without an answer means. A REUSED one was
 * probably closed by the server as the request came: "stale", and the caller
 * may send it again. But a server that has taken in more than its kernel
 * holds by itself was reading: that is a reset.
 */
static enum exchange_error
broken(const struct curl_lane *lane, bool reused)
{
    struct exchange *x = lane->x;
    long head = 0;

    curl_easy_getinfo(lane->easy, CURLINFO_REQUEST_SIZE, &head);
    if (!reused || x->status != 0 || lane->outstanding < 0)
        return EXCHANGE_RESET;
    x->untouched = lane->outstanding >= head;
    if (head + (int64_t) x->sent_bytes - lane->outstanding > STALE_TAKEN_MAX)
        return EXCHANGE_RESET;
    return EXCHANGE_STALE;
}

static enum exchange_error
classify(CURLcode code, const struct curl_lane *lane)
{
    bool sent = lane->requests > 0;

    switch (code) {
    case CURLE_OK:
        return EXCHANGE_OK;
    case CURLE_COULDNT_RESOLVE_HOST:
        return EXCHANGE_LOOKUP;
    case CURLE_COULDNT_CONNECT:
    case CURLE_INTERFACE_FAILED:
        return sent ? broken(lane, true) : EXCHANGE_CONNECT;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CIPHER:
        return EXCHANGE_TLS;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CERTPROBLEM:
        return EXCHANGE_CERTIFICATE;
    case CURLE_OPERATION_TIMEDOUT:
        return sent ? EXCHANGE_TIMEOUT : EXCHANGE_CONNECT_TIMEOUT;
    case CURLE_PARTIAL_FILE:
        return EXCHANGE_SHORT;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
        return broken(lane, sent && lane->x->connections == 0);
    case CURLE_ABORTED_BY_CALLBACK:
        /* The answer stands: libcurl would have asked once more, without
         * Expect. */
        if (lane->x->status == EXPECTATION_FAILED)
            return EXCHANGE_OK;
        return sent ? broken(lane, true) : EXCHANGE_ABORTED;
    case CURLE_WRITE_ERROR:
        return EXCHANGE_ABORTED;
    case CURLE_OUT_OF_MEMORY:
        /* libcurl 7.88 says so of a header line beyond its limit. */
        return sent && lane->x->body_ns == EXCHANGE_NONE ? EXCHANGE_PROTOCOL
                                                         : EXCHANGE_INTERNAL;
    default:
        return EXCHANGE_PROTOCOL;
    }
}

/* A moment of libcurl's, which counts from the start of the transfer. */
static int64_t
moment(const struct curl_lane *lane, CURLINFO what)
{
    curl_off_t us = 0;

    curl_easy_getinfo(lane->easy, what, &us);
    return us > 0 ? lane->begun_ns + us * CLOCK_NS_PER_US : EXCHANGE_NONE;
}

/* Name lookup, connect and TLS are libcurl's stamps; the rest are ours. */
static void
stamp_connection(struct curl_lane *lane)
{
    struct exchange *x = lane->x;

    x->lookup_ns = moment(lane, CURLINFO_NAMELOOKUP_TIME_T);
    x->connect_ns = moment(lane, CURLINFO_CONNECT_TIME_T);
    x->tls_ns = moment(lane, CURLINFO_APPCONNECT_TIME_T);
}

void
curl_lane_finish(struct curl_lane *lane, CURLcode code)
{
    struct exchange *x = lane->x;
    curl_off_t promised = -1;
    long connections = 0;

    x->end_ns = clock_now_ns();
    curl_easy_getinfo(lane->easy, CURLINFO_NUM_CONNECTS, &connections);
    x->connections = (uint32_t) connections;
    x->error = classify(code, lane);
    if (code != CURLE_OK)
        snprintf(x->detail, sizeof x->detail, "%s", curl_easy_strerror(code));
    if (x->error == EXCHANGE_STALE)
        snprintf(x->detail, sizeof x->detail,
                 "the server had closed the connection");
    else if (x->error == EXCHANGE_PROTOCOL && code == CURLE_OUT_OF_MEMORY)
        snprintf(x->detail, sizeof x->detail,
                 "a header line of the answer is too long");
    curl_easy_getinfo(lane->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T,
                      &promised);
    x->promised_bytes = promised;
    x->reused =
        lane->requests > 0 && (connections == 0 || x->error == EXCHANGE_STALE);
    if (!x->reused)
        stamp_connection(lane);
    if (x->error == EXCHANGE_OK && x->sent_ns == EXCHANGE_NONE)
        x->sent_ns = x->first_ns; /* the answer came before the last byte
                                     was seen to leave */
    lane->x = NULL;
}

static void
set_callbacks(struct curl_lane *lane, const struct transport_config *c)
{
    CURL *e = lane->easy;

    curl_easy_setopt(e, CURLOPT_SOCKOPTFUNCTION, on_socket);
    curl_easy_setopt(e, CURLOPT_SOCKOPTDATA, lane);
    curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, on_request);
    curl_easy_setopt(e, CURLOPT_PREREQDATA, lane);
    curl_easy_setopt(e, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(e, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(e, CURLOPT_XFERINFODATA, lane);
    curl_easy_setopt(e, CURLOPT_READFUNCTION, on_read);
    curl_easy_setopt(e, CURLOPT_READDATA, lane);
    curl_easy_setopt(e, CURLOPT_SEEKFUNCTION, on_seek);
    curl_easy_setopt(e, CURLOPT_SEEKDATA, lane);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, lane);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, lane);
    if (c->trace != NULL) {
        curl_easy_setopt(e, CURLOPT_VERBOSE, 1L);
        curl_easy_setopt(e, CURLOPT_DEBUGFUNCTION, on_trace);
        curl_easy_setopt(e, CURLOPT_DEBUGDATA, lane);
    }
}

/* Point the lane at X's server and target. The target goes past the URL:
 * libcurl writes escapes in lower case there, and S3 signs upper case. */
static bool
set_url(struct curl_lane *lane, const struct exchange *x)
{
    bool tls = strcmp(x->scheme, "https") == 0;
    char port[8];

    if (curl_easy_setopt(lane->easy, CURLOPT_REQUEST_TARGET, x->target) !=
        CURLE_OK)
        return false;
    if (strcmp(lane->host, x->host) == 0 && lane->port == x->port &&
        lane->tls == tls)
        return true;
    snprintf(port, sizeof port, "%u", x->port);
    if (curl_url_set(lane->url, CURLUPART_SCHEME, x->scheme, 0) != CURLUE_OK ||
        curl_url_set(lane->url, CURLUPART_HOST, x->host, 0) != CURLUE_OK ||
        curl_url_set(lane->url, CURLUPART_PORT, port, 0) != CURLUE_OK)
        return false;
    snprintf(lane->host, sizeof lane->host, "%s", x->host);
    lane->port = x->port;
    lane->tls = tls;
    return true;
}

/* Have it connect to X's address, while all else keeps the name. */
static void
set_address(struct curl_lane *lane, const struct exchange *x)
{
    char text[sizeof lane->connect_text] = "";

    if (x->address != NULL) /* of any host and port; the port stays */
        snprintf(
            text, sizeof text,
            strchr(x->address, ':') != NULL ? "::[%s]:" : "::%s:", x->address);
    if (strcmp(text, lane->connect_text) == 0)
        return;
    memcpy(lane->connect_text, text, sizeof text);
    lane->connect_to.data = lane->connect_text;
    curl_easy_setopt(lane->easy, CURLOPT_CONNECT_TO,
                     text[0] != '\0' ? &lane->connect_to : NULL);
}

static bool
is_header(const char *line, const char *name)
{
    size_t n = strlen(name);

    return strncasecmp(line, name, n) == 0 && line[n] == ':';
}

/* Link the lane's own list nodes; nothing is copied. */
static void
set_headers(struct curl_lane *lane, const struct exchange *x)
{
    static char no_accept[] = "Accept:", no_expect[] = "Expect:",
                no_type[] = "Content-Type:", wait[] = "Expect: 100-continue";
    bool expect = false, type = false;
    size_t n = 0;

    lane->lines[n++].data = no_accept;
    for (size_t i = 0; i < x->header_count; i++) {
        expect |= is_header(x->headers[i], "Expect");
        type |= is_header(x->headers[i], "Content-Type");
        lane->lines[n++].data = (char *) x->headers[i];
    }
    if (!expect)
        lane->lines[n++].data =
            lane->config->expect_100 && x->body_len > 0 ? wait : no_expect;
    if (!type)
        lane->lines[n++].data = no_type;
    for (size_t i = 0; i < n; i++)
        lane->lines[i].next = i + 1 < n ? &lane->lines[i + 1] : NULL;
    curl_easy_setopt(lane->easy, CURLOPT_HTTPHEADER, lane->lines);
}

static void
set_method(struct curl_lane *lane, const struct exchange *x)
{
    CURL *e = lane->easy;

    curl_easy_setopt(e, CURLOPT_NOBODY, x->head ? 1L : 0L);
    if (x->has_body) {
        /* A body of 0 bytes needs a pointer, or it would be asked for. */
        const void *body = x->body_len == 0 ? "" : x->body;

        curl_easy_setopt(e, CURLOPT_POST, 1L);
        curl_easy_setopt(e, CURLOPT_POSTFIELDS, body);
        curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE,
                         (curl_off_t) x->body_len);
    } else if (!x->head) {
        curl_easy_setopt(e, CURLOPT_HTTPGET, 1L);
    }
    curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, x->head ? NULL : x->method);
}

int
curl_lane_init(struct curl_lane *lane, const struct transport_config *c)
{
    lane->config = c;
    lane->easy = curl_easy_init();
    lane->url = curl_url();
    if (lane->easy == NULL || lane->url == NULL)
        return ENOMEM;
    curl_lane_set_options(lane, c);
    set_callbacks(lane, c);
    return 0;
}

void
curl_lane_clear(struct curl_lane *lane)
{
    curl_easy_cleanup(lane->easy);
    lane->easy = NULL;
    curl_url_cleanup(lane->url);
    lane->url = NULL;
}

bool
curl_lane_load(struct curl_lane *lane, struct exchange *x)
{
    if (!set_url(lane, x))
        return false;
    x->error = EXCHANGE_OK;
    x->detail[0] = '\0';
    x->status = 0;
    x->sent_ns = x->first_ns = x->body_ns = x->end_ns = EXCHANGE_NONE;
    x->lookup_ns = x->connect_ns = x->tls_ns = EXCHANGE_NONE;
    x->sent_bytes = x->received_bytes = 0;
    x->promised_bytes = -1;
    x->reused = false;
    x->untouched = false;
    x->connections = 0;
    set_address(lane, x);
    set_headers(lane, x);
    set_method(lane, x);
    lane->offset = 0;
    lane->requests = 0;
    lane->fresh = false;
    lane->local_port = 0;
    lane->outstanding = -1;
    lane->begun_ns = clock_now_ns();
    lane->x = x;
    return true;
}

void
curl_lane_closing(struct curl_lane *lane, uint16_t local_port,
                  int64_t outstanding)
{
    if (lane->x != NULL && lane->requests > 0 && local_port != 0 &&
        lane->local_port == local_port)
        lane->outstanding = outstanding;
}
