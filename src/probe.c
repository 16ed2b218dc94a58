/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "probe.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "complain.h"
#include "json.h"
#include "print.h"
#include "probe_parts.h"

#define TEXT_MAX ((size_t) 1 << 20)

bool
probe_fail(struct probe *p, enum probe_step step, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(p->message, sizeof p->message, format, args);
    va_end(args);
    p->failed = step;
    return false;
}

static const char *
step_name(enum probe_step step)
{
    static const char *const names[] = {[PROBE_NONE] = NULL,
                                        [PROBE_LOOKUP] = "lookup",
                                        [PROBE_CONNECT] = "connect",
                                        [PROBE_TLS] = "tls",
                                        [PROBE_CERTIFICATE] = "certificate",
                                        [PROBE_HTTP] = "http"};

    return names[step];
}

/* The host without the brackets of IPv6. */
static void
take_name(struct probe *p)
{
    const char *host = p->service.request.endpoint.host;
    size_t skip = host[0] == '[';

    snprintf(p->name, sizeof p->name, "%.*s", (int) (strlen(host) - 2 * skip),
             host + skip);
}

static void
look(struct probe *p)
{
    if (!probe_lookup(p) || !probe_connect(p))
        return;
    if (p->service.request.endpoint.tls && !probe_tls(p))
        return;
    probe_http(p);
}

static void
finish(struct probe *p)
{
    SSL_free(p->ssl);
    SSL_CTX_free(p->ssl_context);
    if (p->fd >= 0)
        close(p->fd);
    service_clear(&p->service);
}

/* --- what was seen --- */

static const char *
or_null(const char *text)
{
    return *text != '\0' ? text : NULL;
}

static void
add_us(struct json *j, const char *name, int64_t ns)
{
    json_number(j, name, ns > 0 ? (double) ns / CLOCK_NS_PER_US : NAN, 1);
}

static void
add_tls(struct json *j, const struct probe *p)
{
    char expires[CLOCK_ISO_SIZE] = "";
    double days = NAN;

    if (p->expires != 0) {
        clock_format_iso(expires, p->expires);
        days = difftime(p->expires, clock_wall()) / 86400;
    }
    json_string(j, "tls_version", or_null(p->tls_version));
    json_string(j, "tls_cipher", or_null(p->tls_cipher));
    add_us(j, "tls_us", p->tls_ns);
    json_string(j, "subject", or_null(p->subject));
    json_string(j, "issuer", or_null(p->issuer));
    json_string(j, "expires", or_null(expires));
    json_number(j, "expires_days", days, 1);
    if (p->tls_ns > 0)
        json_bool(j, "verified", p->verified);
    else
        json_null(j, "verified");
    json_string(j, "verify_message", or_null(p->verify_message));
}

static int
add_json(struct buf *out, const struct probe *p)
{
    const struct endpoint *e = &p->service.request.endpoint;
    struct json j;

    json_init(&j, out);
    json_open(&j, NULL, '{');
    json_string(&j, "format", PROBE_FORMAT);
    json_string(&j, "endpoint", p->service.url.data);
    json_string(&j, "host", p->name);
    json_uint(&j, "port", e->port);
    json_bool(&j, "tls", e->tls);
    json_string(&j, "failed", step_name(p->failed));
    json_string(&j, "message", or_null(p->message));
    add_us(&j, "lookup_us", p->lookup_ns);
    json_string(&j, "address", p->address != NULL ? p->address->text : NULL);
    json_uint(&j, "connects", p->connects);
    add_us(&j, "connect_us", p->connects > 0 ? p->connect_ns : 0);
    add_tls(&j, p);
    json_number(&j, "status", p->status > 0 ? p->status : NAN, 0);
    add_us(&j, "answer_us", p->status > 0 ? p->answer_ns : 0);
    json_string(&j, "server", or_null(p->server));
    json_string(&j, "date", or_null(p->date));
    json_number(&j, "clock_offset_s",
                p->offset_known ? (double) p->offset_s : NAN, 0);
    json_uint(&j, "address_count", p->address_count);
    json_open(&j, "addresses", '[');
    for (size_t i = 0; i < p->address_count; i++)
        json_string(&j, NULL, p->addresses[i].text);
    json_close(&j, ']');
    json_close(&j, '}');
    return j.err == 0 ? buf_addc(out, '\n') : j.err;
}

/* What a server says must not steer the terminal. */
static int
add_line(struct buf *out, const char *label, const char *text)
{
    int err = buf_addf(out, "%-12s", label);

    for (; err == 0 && *text != '\0'; text++)
        err = buf_addc(
            out, (unsigned char) *text < ' ' || *text == 0x7f ? '?' : *text);
    return err == 0 ? buf_addc(out, '\n') : err;
}

static int
add_text(struct buf *out, const struct probe *p)
{
    char line[3 * PROBE_TEXT_SIZE];
    int err = add_line(out, "endpoint", p->service.url.data);

    for (size_t i = 0; err == 0 && i < p->address_count; i++)
        err = add_line(out, "address", p->addresses[i].text);
    if (err == 0 && p->connects > 0) {
        snprintf(line, sizeof line, "%.3f ms, least of %" PRIu32,
                 (double) p->connect_ns / CLOCK_NS_PER_MS, p->connects);
        err = add_line(out, "connect", line);
    }
    if (err == 0 && p->tls_ns > 0) {
        snprintf(line, sizeof line, "%s %s", p->tls_version, p->tls_cipher);
        err = add_line(out, "tls", line);
        snprintf(line, sizeof line, "%s: %s", p->subject, p->verify_message);
        if (err == 0)
            err = add_line(out, "certificate", line);
    }
    if (err == 0 && p->server[0] != '\0')
        err = add_line(out, "server", p->server);
    if (err == 0 && p->offset_known) {
        snprintf(line, sizeof line, "%+" PRId64 " s", p->offset_s);
        err = add_line(out, "clock", line);
    }
    return err;
}

static int
print(const struct probe *p)
{
    struct buf out;
    int err;

    buf_init(&out, TEXT_MAX);
    err = p->o->json ? add_json(&out, p) : add_text(&out, p);
    return print_made(&out, err, "probe");
}

int
probe_print(const struct options *o)
{
    struct probe p = {.o = o, .fd = -1};
    int status;

    if (o->target_count > 0)
        return complain(2, "probe takes no target");
    status = service_init(&p.service, o);
    if (status == 0)
        status = service_check_ca(&p.service, o);
    if (status == 0)
        status = service_check_route(&p.service, o);
    if (status == 0) {
        take_name(&p);
        look(&p);
        status = print(&p);
        if (status == 0 && p.failed != PROBE_NONE)
            status = o->quiet ? 3
                              : complain(3, "probe: %s: %s",
                                         step_name(p.failed), p.message);
    }
    finish(&p);
    return status;
}
