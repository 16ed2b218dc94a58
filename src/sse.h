/* SPDX-License-Identifier: MIT */
/*
 * Encryption on the server's side: with keys of the service (S3), of a key
 * management service (KMS), or with a key that the customer sends along (C).
 * Source: AWS, "Protecting data with server-side encryption".
 */
#ifndef S3PERF_SSE_H
#define S3PERF_SSE_H

#include <stdbool.h>

#define SSE_KEY_SIZE 45 /* base64 of its 32 bytes, and NUL */
#define SSE_MD5_SIZE 25
#define SSE_VARIABLE "S3PERF_SSE_C_KEY" /* of the environment: its base64 */

enum sse_kind { SSE_NONE, SSE_S3, SSE_KMS, SSE_C };

struct sse {
    enum sse_kind kind;
    const char *key_id; /* KMS: not owned; NULL: the service's own */
    char key[SSE_KEY_SIZE]; /* C: a secret */
    char key_md5[SSE_MD5_SIZE];
};

/* Read "s3", "kms", "kms:KEY-ID" or "c"; KEY-ID stays in TEXT. Returns false,
 * *OUT untouched, for anything else. */
bool sse_parse(struct sse *out, const char *text);

/* Take the customer's key from the environment. Returns: 0; ENOENT without
 * one; EINVAL when it is not 32 bytes in base64; EIO of OpenSSL. */
int sse_take_key(struct sse *s);

/* Wipe the key. Safe twice. */
void sse_clear(struct sse *s);

/* A key that is made here: for all operations of this process, and of those
 * that it starts. */
struct sse_made {
    char variable[sizeof SSE_VARIABLE + SSE_KEY_SIZE];
    bool made;
};

/* Make one, unless the environment has one. M must stay where it is until
 * sse_forget(), which wipes it; that is safe on all zero, and twice.
 * Returns: 0, or EIO or ENOMEM. */
int sse_make(struct sse_made *m);
void sse_forget(struct sse_made *m);

#endif
