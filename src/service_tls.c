/* SPDX-License-Identifier: MIT */
/* From options to what TLS may be, and to the proxy. */
#include "config.h"

#include "service.h"

#include <stdio.h>
#include <string.h>

#include <openssl/ssl.h>

#include "complain.h"
#include "service_parts.h"

/* Add the N characters at NAME to LIST of SIZE; false when they do not fit. */
static bool
add_name(char *list, size_t size, const char *name, size_t n)
{
    size_t len = strlen(list);

    if (len + n + 2 > size)
        return false;
    snprintf(list + len, size - len, "%s%.*s", len > 0 ? ":" : "", (int) n,
             name);
    return true;
}

/* Those of TLS 1.3 have names and a list of their own. */
static bool
split_ciphers(struct service_tls *t, const char *text)
{
    bool good = true;

    while (good && *text != '\0') {
        size_t n = strcspn(text, ":");

        good = strncmp(text, "TLS_", 4) == 0
                   ? add_name(t->suites, sizeof t->suites, text, n)
                   : add_name(t->ciphers, sizeof t->ciphers, text, n);
        text += n;
        text += *text == ':';
    }
    return good && (t->suites[0] != '\0' || t->ciphers[0] != '\0');
}

/* Whether OpenSSL knows all that T names. */
static bool
are_known(const struct service_tls *t)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    bool good =
        ctx != NULL &&
        (t->suites[0] == '\0' || SSL_CTX_set_ciphersuites(ctx, t->suites)) &&
        (t->ciphers[0] == '\0' || SSL_CTX_set_cipher_list(ctx, t->ciphers));

    SSL_CTX_free(ctx);
    return good;
}

static int
choose_ciphers(struct service_tls *t, const char *text)
{
    int wanted;

    if (text == NULL)
        return 0;
    if (!split_ciphers(t, text) || !are_known(t))
        return complain(2,
                        "bad ciphers '%s': OpenSSL knows no such list, see "
                        "`openssl ciphers -v`",
                        text);
    /* What is named for one version only is not to be had with another. */
    wanted = t->suites[0] == '\0' ? 2 : t->ciphers[0] == '\0' ? 3 : t->minor;
    if (t->minor != 0 && wanted != t->minor)
        return complain(2, "bad ciphers '%s': there is none for TLS 1.%d", text,
                        t->minor);
    t->minor = wanted;
    return 0;
}

static int
choose_version(struct service_tls *t, const char *text)
{
    if (text == NULL)
        return 0;
    if (strcmp(text, "1.2") != 0 && strcmp(text, "1.3") != 0)
        return complain(2, "bad tls-version '%s': it is 1.2 or 1.3", text);
    t->minor = text[2] - '0';
    return 0;
}

/* Keys would be seen by all. */
static int
check_proxy(const char *text)
{
    static const char *const schemes[] = {"http://",   "https://",
                                          "socks4://", "socks4a://",
                                          "socks5://", "socks5h://"};

    if (text == NULL)
        return 0;
    if (strchr(text, '@') != NULL)
        return complain(2, "bad proxy: secrets never come by option, where "
                           "others see them");
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strncmp(text, schemes[i], strlen(schemes[i])) == 0 &&
            aspects_is_value(text + strlen(schemes[i])))
            return 0;
    return complain(2,
                    "bad proxy '%s': it is a URL that begins with http, https, "
                    "socks4, socks4a, socks5 or socks5h",
                    text);
}

/* What is about TLS is for https alone. */
static int
check_use(const struct service *s, const struct options *o)
{
    const char *name = o->tls_version != NULL     ? "tls-version"
                       : o->ciphers != NULL       ? "ciphers"
                       : o->session_reuse != NULL ? "session-reuse"
                                                  : NULL;
    bool tls = false;

    for (size_t i = 0; i < s->endpoints.count; i++)
        tls |= s->endpoints.items[i].endpoint.tls;
    if (name != NULL && !tls)
        return complain(2, "--%s needs an https endpoint", name);
    if (o->session_reuse == NULL)
        return 0;
    if (strcmp(o->session_reuse, "on") != 0 &&
        strcmp(o->session_reuse, "off") != 0)
        return complain(2, "bad session-reuse '%s': it is on or off",
                        o->session_reuse);
    if (strcmp(o->connection, "new-tls") == 0 &&
        strcmp(o->session_reuse, "on") == 0)
        return complain(2, "--session-reuse on does not go with --connection "
                           "new-tls, which resumes no session");
    return 0;
}

int
service_choose_tls(struct service *s, const struct options *o)
{
    int status = check_use(s, o);

    if (status == 0)
        status = choose_version(&s->tls, o->tls_version);
    if (status == 0)
        status = choose_ciphers(&s->tls, o->ciphers);
    return status != 0 ? status : check_proxy(o->proxy);
}
