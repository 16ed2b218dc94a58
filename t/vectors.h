/* SPDX-License-Identifier: MIT */
/*
 * Cases for C tests: TSV files of t/data/, made by make-vectors.sh there,
 * and where other test data is. Trouble with them ends the test.
 */
#ifndef S3PERF_T_VECTORS_H
#define S3PERF_T_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "buf.h"

#define VECTORS_FIELDS_MAX 32
#define VECTORS_PAIRS_MAX 16
#define VECTORS_FILE_MAX ((size_t) 1 << 22)

struct vectors_pair {
    char *name, *value; /* owned, end in NUL */
};

struct vectors_pairs {
    struct vectors_pair pair[VECTORS_PAIRS_MAX];
    size_t n;
};

static __attribute__((noreturn, unused)) void
vectors_die(const char *what, const char *name)
{
    printf("Bail out! %s: %s\n", name, what);
    exit(99);
}

/* The whole file; free() it. NULL when there is none. */
static __attribute__((unused)) char *
vectors_slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    struct buf text;
    char chunk[4096];
    size_t n;

    if (f == NULL)
        return NULL;
    buf_init(&text, VECTORS_FILE_MAX);
    if (buf_reserve(&text, 0) != 0)
        vectors_die("no memory", path);
    while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
        if (buf_add(&text, chunk, n) != 0)
            vectors_die("too large", path);
    if (ferror(f))
        vectors_die("cannot be read", path);
    fclose(f);
    return text.data;
}

static __attribute__((unused)) void
vectors_data_path(char *out, size_t size, const char *name)
{
    const char *srcdir = getenv("srcdir");

    snprintf(out, size, "%s/t/data/%s", srcdir != NULL ? srcdir : ".", name);
}

/* NAME in the folder of data that is not ours, beside the source tree or
 * where $S3PERF_SHARED says. False when it is not there. */
static __attribute__((unused)) bool
vectors_shared_path(char *out, size_t size, const char *name)
{
    const char *shared = getenv("S3PERF_SHARED");
    const char *srcdir = getenv("srcdir");

    if (shared != NULL)
        snprintf(out, size, "%s/reference/vectors/%s", shared, name);
    else
        snprintf(out, size, "%s/../shared/reference/vectors/%s",
                 srcdir != NULL ? srcdir : ".", name);
    return access(out, R_OK) == 0;
}

/* Decode the N characters of base64 at TEXT; free() it. *LEN may be NULL. */
static __attribute__((unused)) char *
vectors_base64(const char *text, size_t n, size_t *len)
{
    char *out = (char *) calloc(1, n / 4 * 3 + 1);
    int got;

    if (out == NULL)
        vectors_die("no memory", "base64");
    got = EVP_DecodeBlock((unsigned char *) out, (const unsigned char *) text,
                          (int) n);
    if (got < 0)
        vectors_die("bad base64", text);
    for (size_t i = n; i > 0 && text[i - 1] == '='; i--)
        got--;
    out[got] = '\0';
    if (len != NULL)
        *len = (size_t) got;
    return out;
}

/* A whole field of base64; NULL for "-". */
static __attribute__((unused)) char *
vectors_text(const char *field)
{
    if (strcmp(field, "-") == 0)
        return NULL;
    return vectors_base64(field, strlen(field), NULL);
}

/* A field of hex; NULL for "-". free() it. */
static __attribute__((unused)) char *
vectors_hex(const char *field, size_t *len)
{
    long got = 0;
    unsigned char *bytes;
    char *out;

    *len = 0;
    if (strcmp(field, "-") == 0)
        return NULL;
    out = (char *) calloc(1, strlen(field) / 2 + 1);
    bytes = *field != '\0' ? OPENSSL_hexstr2buf(field, &got) : NULL;
    if (out == NULL || (*field != '\0' && bytes == NULL))
        vectors_die("bad hex", field);
    if (got > 0)
        memcpy(out, bytes, (size_t) got);
    OPENSSL_free(bytes);
    *len = (size_t) got;
    return out;
}

static __attribute__((unused)) void
vectors_read_pairs(struct vectors_pairs *out, const char *field)
{
    out->n = 0;
    while (*field != '\0') {
        size_t name = strcspn(field, ":");
        const char *value = field + name + 1;
        size_t n = strcspn(value, ",");

        if (out->n == VECTORS_PAIRS_MAX)
            vectors_die("too many pairs", field);
        out->pair[out->n].name = vectors_base64(field, name, NULL);
        out->pair[out->n++].value = vectors_base64(value, n, NULL);
        field = value + n;
        field += *field == ',';
    }
}

static __attribute__((unused)) void
vectors_free_pairs(struct vectors_pairs *pairs)
{
    for (size_t i = 0; i < pairs->n; i++) {
        free(pairs->pair[i].name);
        free(pairs->pair[i].value);
    }
    pairs->n = 0;
}

/* Call CASE_FN with the FIELDS of each line of t/data/NAME. Returns the
 * number of cases. */
static __attribute__((unused)) size_t
vectors_each(const char *name, size_t fields, void (*case_fn)(char **field))
{
    char path[4096], *text, *rest, *line;
    size_t count = 0;

    vectors_data_path(path, sizeof(path), name);
    text = vectors_slurp(path);
    if (text == NULL)
        vectors_die("not there", path);
    rest = text;
    while ((line = strsep(&rest, "\n")) != NULL) {
        char *field[VECTORS_FIELDS_MAX];
        size_t n = 0;

        if (*line == '\0' || *line == '#')
            continue;
        while (line != NULL && n < VECTORS_FIELDS_MAX)
            field[n++] = strsep(&line, "\t");
        if (n != fields)
            vectors_die("wrong number of fields", path);
        case_fn(field);
        count++;
    }
    free(text);
    return count;
}

#endif
