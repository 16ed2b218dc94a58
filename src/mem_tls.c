/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "mem_tls.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#define PEM_MAX ((size_t) 64 << 10)
#define VALID_S (365L * 24 * 3600)
#define EARLY_S (24L * 3600) /* for clients whose clock is behind */

/* Take what is in BIO, which is freed. */
static bool
take(struct buf *out, BIO *bio, bool written)
{
    char *text;
    long n = BIO_get_mem_data(bio, &text);
    bool good = written && n > 0 && buf_add(out, text, (size_t) n) == 0;

    BIO_free(bio);
    return good;
}

static bool
add_extension(X509 *cert, int nid, const char *value)
{
    X509V3_CTX ctx;
    X509_EXTENSION *extension;
    bool good;

    X509V3_set_ctx_nodb(&ctx);
    X509V3_set_ctx(&ctx, cert, cert, NULL, NULL, 0);
    extension = X509V3_EXT_nconf_nid(NULL, &ctx, nid, value);
    good = extension != NULL && X509_add_ext(cert, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return good;
}

static bool
add_names(X509 *cert, const char *address)
{
    X509_NAME *name = X509_get_subject_name(cert);
    char names[256];

    snprintf(names, sizeof(names),
             "DNS:localhost,DNS:*.localhost,IP:127.0.0.1,IP:::1,IP:%s",
             address);
    return X509_NAME_add_entry_by_txt(
               name, "CN", MBSTRING_ASC,
               (const unsigned char *) "s3mem, made for one run", -1, -1,
               0) == 1 &&
           X509_set_issuer_name(cert, name) == 1 &&
           add_extension(cert, NID_subject_alt_name, names);
}

static bool
fill(X509 *cert, EVP_PKEY *key, const char *address)
{
    uint64_t serial;

    /* A number of its own, or clients that keep certificates mix up runs. */
    return RAND_bytes((unsigned char *) &serial, sizeof(serial)) == 1 &&
           ASN1_INTEGER_set_uint64(X509_get_serialNumber(cert), serial >> 1) ==
               1 &&
           X509_set_version(cert, 2) == 1 &&
           X509_gmtime_adj(X509_getm_notBefore(cert), -EARLY_S) != NULL &&
           X509_gmtime_adj(X509_getm_notAfter(cert), VALID_S) != NULL &&
           X509_set_pubkey(cert, key) == 1 && add_names(cert, address) &&
           /* It is the root that clients are given, and the server's own. */
           add_extension(cert, NID_basic_constraints, "critical,CA:TRUE") &&
           add_extension(cert, NID_key_usage,
                         "critical,digitalSignature,keyCertSign") &&
           add_extension(cert, NID_ext_key_usage, "serverAuth") &&
           add_extension(cert, NID_subject_key_identifier, "hash") &&
           X509_sign(cert, key, EVP_sha256()) > 0;
}

int
mem_tls_make(struct mem_tls *t, const char *address)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = X509_new();
    BIO *bio;
    bool good = false;

    buf_init(&t->key, PEM_MAX);
    buf_init(&t->certificate, PEM_MAX);
    if (key == NULL || cert == NULL || !fill(cert, key, address))
        goto done;
    bio = BIO_new(BIO_s_mem());
    if (bio == NULL ||
        !take(&t->certificate, bio, PEM_write_bio_X509(bio, cert)))
        goto done;
    bio = BIO_new(BIO_s_secmem());
    good = bio != NULL &&
           take(&t->key, bio,
                PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL));
done:
    EVP_PKEY_free(key);
    X509_free(cert);
    if (!good)
        mem_tls_clear(t);
    return good ? 0 : EIO;
}

void
mem_tls_clear(struct mem_tls *t)
{
    buf_wipe(&t->key);
    buf_clear(&t->certificate);
}

int
mem_tls_write(const struct mem_tls *t, const char *path)
{
    size_t size = strlen(path) + sizeof(".XXXXXX");
    char *name = malloc(size);
    FILE *f = NULL;
    int fd, err = 0;

    if (name == NULL)
        return ENOMEM;
    snprintf(name, size, "%s.XXXXXX", path);
    fd = mkstemp(name);
    if (fd < 0) {
        err = errno;
        goto done;
    }
    f = fdopen(fd, "w");
    if (f == NULL) {
        err = errno;
        close(fd);
    } else {
        if (fwrite(t->certificate.data, 1, t->certificate.len, f) !=
                t->certificate.len ||
            fchmod(fd, 0644) != 0)
            err = errno;
        if (fclose(f) != 0 && err == 0)
            err = errno;
    }
    if (err == 0 && rename(name, path) != 0)
        err = errno;
    if (err != 0)
        unlink(name);
done:
    free(name);
    return err;
}
