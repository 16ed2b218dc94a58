/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "sse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#define KEY_BYTES 32

bool
sse_parse(struct sse *out, const char *text)
{
    struct sse s = {.kind = SSE_NONE};

    if (strcmp(text, "s3") == 0) {
        s.kind = SSE_S3;
    } else if (strcmp(text, "c") == 0) {
        s.kind = SSE_C;
    } else if (strcmp(text, "kms") == 0) {
        s.kind = SSE_KMS;
    } else if (strncmp(text, "kms:", 4) == 0 && text[4] != '\0') {
        s.kind = SSE_KMS;
        s.key_id = text + 4;
    } else {
        return false;
    }
    *out = s;
    return true;
}

/* Read the base64 of a key. EVP_DecodeBlock() drops blanks around it and
 * counts the padding. */
static bool
decode(unsigned char key[KEY_BYTES], const char *text)
{
    unsigned char bytes[SSE_KEY_SIZE];
    bool good = strlen(text) == SSE_KEY_SIZE - 1 &&
                text[SSE_KEY_SIZE - 2] == '=' &&
                text[SSE_KEY_SIZE - 3] != '=' &&
                EVP_DecodeBlock(bytes, (const unsigned char *) text,
                                SSE_KEY_SIZE - 1) == KEY_BYTES + 1;

    if (good)
        memcpy(key, bytes, KEY_BYTES);
    OPENSSL_cleanse(bytes, sizeof bytes);
    return good;
}

int
sse_take_key(struct sse *s)
{
    unsigned char key[KEY_BYTES] = {0}, md5[EVP_MAX_MD_SIZE];
    const char *text = getenv(SSE_VARIABLE);
    int err = 0;

    if (text == NULL || text[0] == '\0')
        return ENOENT;
    if (!decode(key, text))
        err = EINVAL;
    else if (EVP_Digest(key, sizeof key, md5, NULL, EVP_md5(), NULL) != 1)
        err = EIO;
    if (err == 0) {
        EVP_EncodeBlock((unsigned char *) s->key, key, sizeof key);
        EVP_EncodeBlock((unsigned char *) s->key_md5, md5, 16);
    }
    OPENSSL_cleanse(key, sizeof key);
    return err;
}

void
sse_clear(struct sse *s)
{
    OPENSSL_cleanse(s->key, sizeof s->key);
    *s = (struct sse){.kind = SSE_NONE};
}

int
sse_make(struct sse_made *m)
{
    const char *there = getenv(SSE_VARIABLE);
    unsigned char key[KEY_BYTES];
    char text[SSE_KEY_SIZE];
    int err = 0;

    if (m->made || (there != NULL && there[0] != '\0'))
        return 0;
    if (RAND_priv_bytes(key, sizeof key) != 1)
        return EIO;
    EVP_EncodeBlock((unsigned char *) text, key, sizeof key);
    snprintf(m->variable, sizeof m->variable, "%s=%s", SSE_VARIABLE, text);
    OPENSSL_cleanse(key, sizeof key);
    OPENSSL_cleanse(text, sizeof text);
    /* The memory stays ours, so that it can be wiped. */
    if (putenv(m->variable) != 0)
        err = ENOMEM;
    m->made = err == 0;
    return err;
}

void
sse_forget(struct sse_made *m)
{
    if (m->made)
        unsetenv(SSE_VARIABLE);
    OPENSSL_cleanse(m->variable, sizeof m->variable);
    m->made = false;
}
