/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "route.h"

#include <arpa/inet.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "units.h"

bool
route_is_address(const char *text)
{
    struct in6_addr address;

    return inet_pton(AF_INET, text, &address) == 1 ||
           inet_pton(AF_INET6, text, &address) == 1;
}

/* The same of the N characters at TEXT, brackets allowed. */
static bool
is_address(const char *text, size_t n)
{
    char copy[INET6_ADDRSTRLEN + 2];
    size_t skip = n > 2 && text[0] == '[' && text[n - 1] == ']';

    if (n - 2 * skip >= sizeof copy)
        return false;
    memcpy(copy, text + skip, n - 2 * skip);
    copy[n - 2 * skip] = '\0';
    return route_is_address(copy);
}

bool
route_parse(struct route_entry *out, const char *text)
{
    const char *first = strchr(text, ':');
    const char *second = first != NULL ? strchr(first + 1, ':') : NULL;
    char port[6];
    uint64_t number;
    size_t n;

    if (second == NULL || first == text)
        return false;
    n = (size_t) (second - first) - 1;
    if (n == 0 || n >= sizeof port)
        return false;
    memcpy(port, first + 1, n);
    port[n] = '\0';
    if (!units_parse_count(&number, port) || number == 0 || number > 65535 ||
        !is_address(second + 1, strlen(second + 1)))
        return false;
    for (const char *c = text; c < first; c++)
        if ((unsigned char) *c <= ' ' || *c == '+' || *c == '*')
            return false; /* would mean something to libcurl */
    *out = (struct route_entry){.host = text,
                                .host_len = (size_t) (first - text),
                                .port = (uint16_t) number,
                                .address = second + 1,
                                .address_len = strlen(second + 1)};
    return true;
}

/* Never ask a terminal: lanes would do so by the hundred. */
static int
no_passphrase(char *out, int size, int writing, void *ctx)
{
    (void) out, (void) size, (void) writing, (void) ctx;
    return -1;
}

const char *
route_check_certificate(const char *cert, const char *key, const char **culprit)
{
    SSL_CTX *ssl = SSL_CTX_new(TLS_client_method());
    const char *why = NULL;

    *culprit = cert;
    if (ssl == NULL)
        return "no memory for TLS";
    SSL_CTX_set_default_passwd_cb(ssl, no_passphrase);
    if (SSL_CTX_use_certificate_chain_file(ssl, cert) != 1) {
        why = "has no certificate in PEM form that can be read";
        goto done;
    }
    *culprit = key != NULL ? key : cert;
    if (SSL_CTX_use_PrivateKey_file(ssl, *culprit, SSL_FILETYPE_PEM) != 1)
        why =
            ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH
                ? "is not the key of the certificate"
                : "has no private key that can be read, without a "
                  "passphrase";
    else if (SSL_CTX_check_private_key(ssl) != 1)
        why = "is not the key of the certificate";
done:
    ERR_clear_error();
    SSL_CTX_free(ssl);
    return why;
}
