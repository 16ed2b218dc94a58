/* SPDX-License-Identifier: MIT */
/* TLS of the probe: what was agreed, and whether the certificate is good. */
#include "config.h"

#include "probe_parts.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "clock.h"

static bool
fail_tls(struct probe *p, const char *what)
{
    unsigned long code = ERR_peek_last_error();
    const char *reason = code != 0 ? ERR_reason_error_string(code) : NULL;

    return probe_fail(p, PROBE_TLS, "%s%s%s", what, reason != NULL ? ": " : "",
                      reason != NULL ? reason : "");
}

/* Trust what s3op would trust, and name what it would show. */
static bool
set_up(struct probe *p)
{
    const char *key = p->o->key != NULL ? p->o->key : p->o->cert;

    p->ssl_context = SSL_CTX_new(TLS_client_method());
    if (p->ssl_context == NULL)
        return fail_tls(p, "no memory");
    if (p->service.ca_file == NULL)
        SSL_CTX_set_default_verify_paths(p->ssl_context);
    else if (SSL_CTX_load_verify_locations(p->ssl_context, p->service.ca_file,
                                           NULL) != 1)
        return fail_tls(p, p->service.ca_file);
    if (p->o->cert != NULL &&
        (SSL_CTX_use_certificate_chain_file(p->ssl_context, p->o->cert) != 1 ||
         SSL_CTX_use_PrivateKey_file(p->ssl_context, key, SSL_FILETYPE_PEM) !=
             1))
        return fail_tls(p, p->o->cert);
    p->ssl = SSL_new(p->ssl_context);
    if (p->ssl == NULL || SSL_set_fd(p->ssl, p->fd) != 1)
        return fail_tls(p, "no memory");
    /* The result is looked at afterwards, with all there is to see. */
    SSL_set_verify(p->ssl, SSL_VERIFY_NONE, NULL);
    if (p->service.request.endpoint.ip)
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(p->ssl), p->name) ==
                   1 ||
               fail_tls(p, "bad address");
    SSL_set_tlsext_host_name(p->ssl, p->name);
    return SSL_set1_host(p->ssl, p->name) == 1 || fail_tls(p, "bad name");
}

static bool
shake_hands(struct probe *p)
{
    int64_t begun_ns = clock_now_ns();
    int64_t deadline_ns = begun_ns + p->o->connect_timeout_ns;

    for (;;) {
        int got, why;

        ERR_clear_error();
        got = SSL_connect(p->ssl);
        if (got == 1)
            break;
        why = SSL_get_error(p->ssl, got);
        if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE)
            return fail_tls(p, "the handshake failed");
        if (!probe_wait(p->fd, why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT,
                        deadline_ns))
            return probe_fail(p, PROBE_TLS, "the handshake took too long");
    }
    p->tls_ns = clock_now_ns() - begun_ns;
    return true;
}

static void
print_name(char out[PROBE_TEXT_SIZE], const X509_NAME *name)
{
    BIO *text = BIO_new(BIO_s_mem());
    int n = 0;

    if (text != NULL &&
        X509_NAME_print_ex(text, name, 0,
                           XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_2253) >= 0)
        n = BIO_read(text, out, PROBE_TEXT_SIZE - 1);
    out[n > 0 ? n : 0] = '\0';
    BIO_free(text);
}

static void
look_at_certificate(struct probe *p)
{
    X509 *certificate = SSL_get0_peer_certificate(p->ssl);
    long result = SSL_get_verify_result(p->ssl);
    struct tm end;

    p->verified = certificate != NULL && result == X509_V_OK;
    snprintf(p->verify_message, sizeof p->verify_message, "%s",
             certificate == NULL ? "there is none"
                                 : X509_verify_cert_error_string(result));
    if (certificate == NULL)
        return;
    print_name(p->subject, X509_get_subject_name(certificate));
    print_name(p->issuer, X509_get_issuer_name(certificate));
    if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) == 1)
        p->expires = timegm(&end);
}

bool
probe_tls(struct probe *p)
{
    if (!set_up(p) || !shake_hands(p))
        return false;
    snprintf(p->tls_version, sizeof p->tls_version, "%s",
             SSL_get_version(p->ssl));
    snprintf(p->tls_cipher, sizeof p->tls_cipher, "%s",
             SSL_get_cipher_name(p->ssl));
    look_at_certificate(p);
    if (!p->verified && !p->service.insecure)
        probe_fail(p, PROBE_CERTIFICATE, "%s", p->verify_message);
    return true;
}
