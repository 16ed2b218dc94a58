/* SPDX-License-Identifier: MIT */
/* AWS's generic SigV4 suite, read from where it is. */
#include "config.h"

#include "sigv4.h"

#include <dirent.h>

#include "tap.h"
#include "uri.h"
#include "vectors.h"

#define HEADERS 24

static struct sigv4 *signer;
static struct sigv4_texts texts;

/* What a context.json says; texts are owned. */
struct context {
    char *access_key, *secret_key, *token, *region, *service;
    char stamp[CLOCK_AMZ_SIZE];
    bool sign_body, omit_token;
};

/* A raw request, cut in pieces. */
struct raw {
    char *method, *path, *query, *body;
    struct sigv4_header headers[HEADERS];
    size_t n;
};

static char *
slurp(const char *folder, const char *name)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return vectors_slurp(path);
}

/* The value of KEY in a flat JSON TEXT: a string without escapes, or a
 * bare word. NULL without it. */
static char *
json_value(const char *text, const char *key)
{
    char quoted[64];
    const char *at;

    snprintf(quoted, sizeof(quoted), "\"%s\"", key);
    at = strstr(text, quoted);
    if (at == NULL)
        return NULL;
    at += strlen(quoted);
    at += strspn(at, ": ");
    if (*at == '"')
        return strndup(at + 1, strcspn(at + 1, "\""));
    return strndup(at, strcspn(at, ",}\n "));
}

static bool
is_true(const char *text, const char *key)
{
    char *value = json_value(text, key);
    bool yes = value != NULL && strcmp(value, "true") == 0;

    free(value);
    return yes;
}

static bool
read_context(struct context *c, const char *folder)
{
    char *text = slurp(folder, "context.json"), *stamp;
    size_t n = 0;

    if (text == NULL)
        return false;
    c->access_key = json_value(text, "access_key_id");
    c->secret_key = json_value(text, "secret_access_key");
    c->token = json_value(text, "token");
    c->region = json_value(text, "region");
    c->service = json_value(text, "service");
    c->sign_body = is_true(text, "sign_body");
    c->omit_token = is_true(text, "omit_session_token");
    stamp = json_value(text, "timestamp");
    for (const char *p = stamp != NULL ? stamp : "";
         *p != '\0' && n < sizeof(c->stamp) - 1; p++)
        if (*p != '-' && *p != ':')
            c->stamp[n++] = *p;
    c->stamp[n] = '\0';
    free(stamp);
    free(text);
    return c->access_key != NULL && c->secret_key != NULL &&
           c->region != NULL && c->service != NULL;
}

static void
free_context(struct context *c)
{
    free(c->access_key);
    free(c->secret_key);
    free(c->token);
    free(c->region);
    free(c->service);
}

/* Cut TEXT in place. The target reaches to the last blank of its line. */
static bool
cut_request(struct raw *r, char *text)
{
    char *line = strsep(&text, "\n"), *blank = strrchr(line, ' ');

    r->method = strsep(&line, " ");
    if (line == NULL || blank == NULL || blank < line)
        return false;
    *blank = '\0';
    r->path = strsep(&line, "?");
    r->query = line;
    while (text != NULL && *text != '\0' && *text != '\n' &&
           r->n < HEADERS - 4) {
        char *value = strsep(&text, "\n");
        char *name = strsep(&value, ":");

        if (value == NULL)
            return false;
        r->headers[r->n++] = (struct sigv4_header){name, value};
    }
    r->body = text != NULL && *text == '\n' ? text + 1 : (char *) "";
    return true;
}

/* The canonical form of a raw query, through the library's own steps. */
static void
canonical_query(struct buf *out, char *query)
{
    struct uri_param params[VECTORS_PAIRS_MAX];
    struct buf decoded[VECTORS_PAIRS_MAX * 2];
    size_t n = 0;

    while (query != NULL && *query != '\0' && n < VECTORS_PAIRS_MAX) {
        char *value = strsep(&query, "&");
        char *name = strsep(&value, "=");
        struct buf *at = &decoded[n * 2];

        buf_init(&at[0], 4096);
        buf_init(&at[1], 4096);
        uri_decode(&at[0], name, strlen(name), false);
        if (value != NULL)
            uri_decode(&at[1], value, strlen(value), false);
        params[n++] = (struct uri_param){at[0].data, at[1].data};
    }
    uri_canonical_query(out, params, n);
    for (size_t i = 0; i < n * 2; i++)
        buf_clear(&decoded[i]);
}

/* Compare GOT with the file NAME of FOLDER. */
static void
check_text(const char *folder, const char *name, const char *got)
{
    char *want = slurp(folder, name);

    is_str(got, want, "%s/%s", strrchr(folder, '/') + 1, name);
    free(want);
}

static void
check_signed(const char *folder)
{
    char *whole = slurp(folder, "header-signed-request.txt");
    char *want = whole != NULL ? strstr(whole, "Authorization:") : NULL;

    if (want != NULL) {
        want += strlen("Authorization:");
        want[strcspn(want, "\r\n")] = '\0';
    }
    check_text(folder, "header-canonical-request.txt", texts.canonical.data);
    check_text(folder, "header-string-to-sign.txt", texts.to_sign.data);
    check_text(folder, "header-signature.txt", texts.signature);
    is_str(texts.authorization.data, want, "%s: authorization",
           strrchr(folder, '/') + 1);
    free(whole);
}

/* The query form. Its token is a parameter, where it is signed. */
static void
check_presigned(const char *folder, const struct context *c,
                const struct sigv4_request *r)
{
    const struct sigv4_scope scope = {c->access_key, c->secret_key, c->region,
                                      c->service, c->stamp};
    char *name = strrchr(folder, '/') + 1, end[128];
    int err = sigv4_presign(signer, &texts, r, &scope, 3600,
                            c->omit_token ? NULL : c->token);

    is_int(err, 0, "%s: presigned", name);
    check_text(folder, "query-canonical-request.txt", texts.canonical.data);
    check_text(folder, "query-string-to-sign.txt", texts.to_sign.data);
    check_text(folder, "query-signature.txt", texts.signature);
    snprintf(end, sizeof(end), "&X-Amz-Signature=%s", texts.signature);
    ok(strlen(texts.query.data) > strlen(end) &&
           strcmp(texts.query.data + texts.query.len - strlen(end), end) == 0,
       "%s: the URL's query ends in the signature", name);
}

static void
check_folder(const char *folder)
{
    struct context c = {0};
    struct raw raw = {0};
    char hash[SIGV4_HEX_SIZE];
    struct buf path, query;
    char *text = slurp(folder, "request.txt");

    if (text == NULL || !read_context(&c, folder) || !cut_request(&raw, text))
        vectors_die("cannot be read", folder);
    buf_init(&path, 4096);
    buf_init(&query, 4096);
    /* the cases that ask for a normalised path have one already */
    uri_encode_url_path(&path, raw.path, strlen(raw.path));
    canonical_query(&query, raw.query);
    sigv4_hash_hex(hash, raw.body, c.sign_body ? strlen(raw.body) : 0);
    check_presigned(folder, &c,
                    &(struct sigv4_request){raw.method, path.data, query.data,
                                            raw.headers, raw.n, hash});
    raw.headers[raw.n++] = (struct sigv4_header){"X-Amz-Date", c.stamp};
    if (c.sign_body)
        raw.headers[raw.n++] =
            (struct sigv4_header){"x-amz-content-sha256", hash};
    if (c.token != NULL && !c.omit_token)
        raw.headers[raw.n++] =
            (struct sigv4_header){"X-Amz-Security-Token", c.token};
    sigv4_sign(signer, &texts,
               &(struct sigv4_request){raw.method, path.data, query.data,
                                       raw.headers, raw.n, hash},
               &(struct sigv4_scope){c.access_key, c.secret_key, c.region,
                                     c.service, c.stamp});
    check_signed(folder);
    buf_clear(&path);
    buf_clear(&query);
    free_context(&c);
    free(text);
}

int
main(void)
{
    char root[4096], folder[8192];
    struct dirent *entry;
    size_t count = 0;
    DIR *dir;

    if (!vectors_shared_path(root, sizeof(root), "aws-v4-suite"))
        return skip_all("AWS's suite is not there, see $S3PERF_SHARED");
    dir = opendir(root);
    if (dir == NULL || sigv4_new(&signer) != 0)
        return 99;
    sigv4_texts_init(&texts);
    while ((entry = readdir(dir)) != NULL) {
        snprintf(folder, sizeof(folder), "%s/%s/request.txt", root,
                 entry->d_name);
        if (*entry->d_name == '.' || access(folder, R_OK) != 0)
            continue;
        *strrchr(folder, '/') = '\0';
        check_folder(folder);
        count++;
    }
    closedir(dir);
    ok(count > 0, "%zu cases of the suite", count);
    sigv4_texts_clear(&texts);
    sigv4_free(signer);
    return done_testing();
}
