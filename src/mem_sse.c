/* SPDX-License-Identifier: MIT */
/*
 * Server-side encryption as far as a client can see it: see mem_op.h. The
 * content stays as it is; of a customer's key only its MD5 is kept.
 */
#include "config.h"

#include "mem_op.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <openssl/crypto.h>

#define SSE "x-amz-server-side-encryption"
#define KMS_KEY SSE "-aws-kms-key-id"
#define CONTEXT SSE "-context"
#define BUCKET_KEY SSE "-bucket-key-enabled"
#define CUSTOMER "-customer-"
#define KEY_MD5 SSE CUSTOMER "key-MD5"
#define KEY_BYTES 32
#define KEY_BASE64 44
#define MD5_BASE64 24

/* The headers with a customer's key: of the object, and of the source of a
 * copy. */
static const struct {
    const char *algorithm, *key, *md5;
} customer[] = {
    {SSE CUSTOMER "algorithm", SSE CUSTOMER "key", KEY_MD5},
    {"x-amz-copy-source-server-side-encryption-customer-algorithm",
     "x-amz-copy-source-server-side-encryption-customer-key",
     "x-amz-copy-source-server-side-encryption-customer-key-MD5"},
};

/* The base64 of the MD5 of the key in TEXT. false when it is no key. */
static bool
digest_key(char out[MD5_BASE64 + 1], const char *text)
{
    unsigned char key[KEY_BASE64 / 4 * 3], md5[EVP_MAX_MD_SIZE];
    bool good = strlen(text) == KEY_BASE64 && text[KEY_BASE64 - 1] == '=' &&
                text[KEY_BASE64 - 2] != '=' &&
                EVP_DecodeBlock(key, (const unsigned char *) text,
                                KEY_BASE64) == (int) sizeof(key) &&
                EVP_Digest(key, KEY_BYTES, md5, NULL, EVP_md5(), NULL);

    OPENSSL_cleanse(key, sizeof(key));
    if (good)
        EVP_EncodeBlock((unsigned char *) out, md5, 16);
    return good;
}

/* What is wrong with a customer's key, or NULL. */
static const char *
check_key(const char *key, const char *md5)
{
    char computed[MD5_BASE64 + 1];

    if (key == NULL)
        return "A customer's key is announced, but it is not there";
    if (md5 == NULL)
        return "A customer's key must come with its MD5";
    if (!digest_key(computed, key))
        return "A customer's key must be the base64 of 32 bytes";
    if (strcmp(computed, md5) != 0)
        return "The customer's key has another MD5 than the one given";
    return NULL;
}

/* The MD5 of the key that the request gives, NULL without one.
 * Returns: false with the answer failed when it is not one. */
static bool
read_key(struct mem_op *op, const char **md5, bool source)
{
    const struct mem_request *r = &op->request;
    const char *algorithm = mem_request_find(r, customer[source].algorithm);
    const char *key = mem_request_find(r, customer[source].key);
    const char *wrong;

    *md5 = mem_request_find(r, customer[source].md5);
    if (algorithm == NULL && key == NULL && *md5 == NULL)
        return true;
    if (op->service->keys_refused) {
        mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                        "A customer's key may only come over a secure "
                        "connection");
        return false;
    }
    if (algorithm == NULL || strcmp(algorithm, "AES256") != 0) {
        mem_answer_fail(&op->answer, MEM_INVALID_ENCRYPTION,
                        "%s must be AES256", customer[source].algorithm);
        return false;
    }
    wrong = check_key(key, *md5);
    if (wrong == NULL)
        return true;
    mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT, "%s", wrong);
    mem_answer_extra(&op->answer, "ArgumentName", customer[source].algorithm);
    return false;
}

/* What is wrong with the headers of SSE-S3 and SSE-KMS, or NULL. */
static const char *
check_method(const struct mem_request *r, const char *method, const char *md5,
             bool *is_kms)
{
    bool of_kms = mem_request_find(r, KMS_KEY) != NULL ||
                  mem_request_find(r, CONTEXT) != NULL;

    *is_kms = method != NULL && (strcmp(method, "aws:kms") == 0 ||
                                 strcmp(method, "aws:kms:dsse") == 0);
    if (of_kms && !*is_kms)
        return "A KMS key or context needs x-amz-server-side-encryption: "
               "aws:kms";
    if (method != NULL && md5 != NULL)
        return "A customer's key does not go together with another "
               "encryption";
    return NULL;
}

static int
add(struct buf *out, const char *name, const char *value)
{
    int err = buf_add(out, name, strlen(name) + 1);

    return err != 0 ? err : buf_add(out, value, strlen(value) + 1);
}

/* The headers of SSE-KMS. A bare key id comes back as a whole name. */
static int
add_kms(struct mem_op *op, struct buf *out)
{
    const struct mem_request *r = &op->request;
    const char *key = mem_request_find(r, KMS_KEY);
    const char *context = mem_request_find(r, CONTEXT);
    const char *bucket_key = mem_request_find(r, BUCKET_KEY);
    int err;

    if (key == NULL)
        key = "s3mem";
    if (strncmp(key, "arn:", 4) == 0) {
        err = add(out, KMS_KEY, key);
    } else {
        err = buf_add(out, KMS_KEY, sizeof(KMS_KEY));
        if (err == 0)
            err = buf_addf(out, "arn:aws:kms:%s:000000000000:%s%s",
                           op->service->keys.region,
                           strncmp(key, "alias/", 6) == 0 ? "" : "key/", key);
        if (err == 0)
            err = buf_addc(out, '\0');
    }
    if (err == 0 && context != NULL)
        err = add(out, CONTEXT, context);
    if (err == 0 && bucket_key != NULL && strcasecmp(bucket_key, "true") == 0)
        err = add(out, BUCKET_KEY, "true");
    return err;
}

bool
mem_op_sse(struct mem_op *op, struct buf *out)
{
    const struct mem_request *r = &op->request;
    const char *method = mem_request_find(r, SSE), *md5, *wrong;
    bool is_kms;
    int err = 0;

    if (!read_key(op, &md5, false))
        return false;
    wrong = check_method(r, method, md5, &is_kms);
    if (wrong != NULL) {
        mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT, "%s", wrong);
        return false;
    }
    if (method != NULL && !is_kms && strcmp(method, "AES256") != 0) {
        mem_answer_fail(&op->answer, MEM_INVALID_ENCRYPTION,
                        "x-amz-server-side-encryption must be AES256, "
                        "aws:kms or aws:kms:dsse");
        mem_answer_extra(&op->answer, "ArgumentValue", method);
        return false;
    }
    if (method != NULL)
        err = add(out, SSE, method);
    if (err == 0 && is_kms)
        err = add_kms(op, out);
    if (err == 0 && md5 != NULL)
        err = add(out, customer[0].algorithm, "AES256");
    if (err == 0 && md5 != NULL)
        err = add(out, KEY_MD5, md5);
    if (err == EMSGSIZE)
        mem_answer_fail(&op->answer, MEM_METADATA_TOO_LARGE, NULL);
    else if (err != 0)
        mem_op_fail_errno(op, err);
    return err == 0;
}

bool
mem_op_sse_read(struct mem_op *op, const struct mem_object *o, bool source)
{
    const char *kept = mem_object_own(o, KEY_MD5), *given;

    if (!read_key(op, &given, source))
        return false;
    if (kept == NULL && given == NULL)
        return true;
    if (kept == NULL)
        mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                        "The object is not encrypted with a customer's key");
    else if (given == NULL)
        mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                        "The object is encrypted with a customer's key, "
                        "which must be given");
    else if (strcmp(kept, given) != 0)
        mem_answer_fail(&op->answer, MEM_ACCESS_DENIED,
                        "Access denied: the object has another key");
    else
        return true;
    return false;
}

bool
mem_op_sse_part(struct mem_op *op, const struct mem_object *o)
{
    const char *kept = mem_object_own(o, KEY_MD5), *given;

    if (!read_key(op, &given, false))
        return false;
    if (kept == NULL ? given == NULL
                     : given != NULL && strcmp(kept, given) == 0)
        return true;
    if (given == NULL)
        mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                        "The upload was begun with a customer's key, which "
                        "each part must give");
    else
        mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                        "The upload was not begun with that customer's key");
    return false;
}

void
mem_op_sse_headers(struct mem_op *op, const struct mem_object *o)
{
    for (size_t at = o->meta_own; at < o->meta_len;) {
        const char *name = o->meta + at;
        const char *value = name + strlen(name) + 1;

        if (strncmp(name, SSE, strlen(SSE)) == 0)
            mem_answer_header(&op->answer, name, value);
        at = (size_t) (value - o->meta) + strlen(value) + 1;
    }
}

bool
mem_op_sse_etag(const struct mem_object *o)
{
    const char *method;

    if (o->meta_own == o->meta_len)
        return false;
    method = mem_object_own(o, SSE);
    return mem_object_own(o, KEY_MD5) != NULL ||
           (method != NULL && strncmp(method, "aws:kms", 7) == 0);
}
