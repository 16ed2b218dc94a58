/* SPDX-License-Identifier: MIT */
/* Answers in XML: the cases of t/data/xml-responses.tsv, and bad ones. */
#include "config.h"

#include "answer.h"

#include <malloc.h>
#include <stdlib.h>

#include <openssl/evp.h>

#include "tap.h"
#include "uri.h"

#define FIELDS 19
#define MIB (1 << 20)

enum field {
    CASE_NAME,
    CASE_STATUS,
    CASE_OPERATION,
    CASE_BODY,
    CASE_CODE,
    CASE_DERIVED,
    CASE_MESSAGE,
    CASE_REQUEST_ID,
    CASE_REGION,
    CASE_ENDPOINT,
    CASE_SERVER_TIME,
    CASE_ETAG,
    CASE_TRUNCATED,
    CASE_TOKEN,
    CASE_KEYS,
    CASE_SIZES,
    CASE_PREFIXES,
    CASE_BUCKETS,
    CASE_RETRIABLE /* t/retry.c looks at it */
};

/* What the callbacks saw: one "KIND NAME SIZE MODIFIED ETAG" line each. */
struct seen {
    struct buf text;
    struct buf names[3]; /* by kind, a comma behind each */
    struct buf sizes;
    uint64_t calls;
};

static void
on_entry(void *ctx, const struct answer_entry *entry)
{
    struct seen *seen = ctx;

    seen->calls++;
    buf_addf(&seen->text, "%d %s %" PRIu64 " %s %s\n", (int) entry->kind,
             entry->name, entry->size, entry->modified, entry->etag);
    buf_addf(&seen->names[entry->kind], "%s,", entry->name);
    if (entry->kind == ANSWER_OBJECT)
        buf_addf(&seen->sizes, "%" PRIu64 ",", entry->size);
}

static void
on_failed_key(void *ctx, const struct answer_failed_key *key)
{
    struct seen *seen = ctx;

    seen->calls++;
    buf_addf(&seen->text, "failed %s %s %s\n", key->key, key->code,
             key->message);
}

static void
seen_init(struct seen *seen)
{
    memset(seen, 0, sizeof(*seen));
    buf_init(&seen->text, MIB);
    buf_init(&seen->sizes, MIB);
    for (int i = 0; i < 3; i++)
        buf_init(&seen->names[i], MIB);
}

static void
seen_clear(struct seen *seen)
{
    buf_clear(&seen->text);
    buf_clear(&seen->sizes);
    for (int i = 0; i < 3; i++)
        buf_clear(&seen->names[i]);
}

/* Feed N bytes at a time, STEP 0: all at once. */
static void
feed(struct answer *a, const char *text, size_t n, size_t step)
{
    if (step == 0)
        step = n > 0 ? n : 1;
    for (size_t at = 0; at < n; at += step)
        answer_feed(a, text + at, n - at < step ? n - at : step);
    answer_finish(a);
}

static void
read_document(struct answer *a, struct seen *seen, const char *text, size_t n,
              size_t step)
{
    seen_clear(seen);
    seen_init(seen);
    answer_reset(a);
    feed(a, text, n, step);
}

static void
read_text(struct answer *a, struct seen *seen, const char *text)
{
    read_document(a, seen, text, strlen(text), 0);
}

/* The base64 TEXT of N characters, decoded. */
static void
unbase64(struct buf *out, const char *text, size_t n)
{
    unsigned char *bytes = malloc(n + 1);
    int got;

    if (bytes == NULL)
        abort();
    got = EVP_DecodeBlock(bytes, (const unsigned char *) text, (int) n);
    for (; n > 0 && text[n - 1] == '='; n--)
        got--;
    if (got > 0)
        buf_add(out, bytes, (size_t) got);
    free(bytes);
}

static void
check_text(const char *name, const char *what, const char *got,
           const char *want64)
{
    struct buf want;

    if (strcmp(want64, "-") == 0)
        return;
    buf_init(&want, MIB);
    unbase64(&want, want64, strlen(want64));
    is_str(got, want.data, "%s: %s", name, what);
    buf_clear(&want);
}

/* GOT is a comma-terminated list; URL: its names are still encoded. */
static void
check_list(const char *name, const char *what, const struct buf *got,
           const char *want64, bool url)
{
    struct buf want, plain;

    if (strcmp(want64, "-") == 0)
        return;
    buf_init(&want, MIB);
    buf_init(&plain, MIB);
    while (*want64 != '\0') {
        size_t n = strcspn(want64, ",");

        unbase64(&want, want64, n);
        buf_addc(&want, ',');
        want64 += n + (want64[n] == ',');
    }
    if (url)
        uri_decode(&plain, got->data, got->len, true);
    else
        buf_add(&plain, got->data, got->len);
    is_str(plain.data, want.data, "%s: %s", name, what);
    buf_clear(&want);
    buf_clear(&plain);
}

static void
check_code(struct answer *a, char **f)
{
    bool key = strstr(f[CASE_OPERATION], "Bucket") == NULL &&
               strstr(f[CASE_OPERATION], "List") == NULL;
    bool derived;
    const char *code = answer_code(a, atoi(f[CASE_STATUS]), key, &derived);

    if (atoi(f[CASE_STATUS]) < 300 && strcmp(f[CASE_CODE], "-") == 0) {
        is_str(a->error.code, "", "%s: no error", f[CASE_NAME]);
        return;
    }
    check_text(f[CASE_NAME], "code", code, f[CASE_CODE]);
    ok(*code != '\0', "%s: code '%s'", f[CASE_NAME], code);
    is_int(derived, atoi(f[CASE_DERIVED]), "%s: derived", f[CASE_NAME]);
}

static void
check_case(struct answer *a, struct seen *seen, char **f,
           const struct buf *body, size_t step)
{
    const char *name = f[CASE_NAME];
    bool url = strstr(body->data, "<EncodingType>url<") != NULL;
    struct buf *sizes = &seen->sizes;

    read_document(a, seen, body->data, body->len, step);
    is_int(a->complete, body->len > 0, "%s: complete, step %zu", name, step);
    check_code(a, f);
    check_text(name, "message", a->error.message, f[CASE_MESSAGE]);
    check_text(name, "request id", a->error.request_id, f[CASE_REQUEST_ID]);
    check_text(name, "region", a->error.region, f[CASE_REGION]);
    check_text(name, "endpoint", a->error.endpoint, f[CASE_ENDPOINT]);
    check_text(name, "server time", a->error.server_time, f[CASE_SERVER_TIME]);
    check_text(name, "etag", a->etag, f[CASE_ETAG]);
    check_text(name, "token", a->next_token.data, f[CASE_TOKEN]);
    check_list(name, "keys", &seen->names[ANSWER_OBJECT], f[CASE_KEYS], url);
    check_list(name, "prefixes", &seen->names[ANSWER_PREFIX], f[CASE_PREFIXES],
               url);
    check_list(name, "buckets", &seen->names[ANSWER_BUCKET], f[CASE_BUCKETS],
               false);
    if (strcmp(a->root, "ListBucketResult") == 0)
        is_int(a->truncated, strcmp(f[CASE_TRUNCATED], "true") == 0,
               "%s: truncated", name);
    if (sizes->len > 0 && strcmp(f[CASE_SIZES], "-") != 0) {
        sizes->data[--sizes->len] = '\0';
        is_str(sizes->data, f[CASE_SIZES], "%s: sizes", name);
    }
    is_int((int64_t) a->entries, (int64_t) seen->calls, "%s: entries", name);
}

static void
test_vectors(struct answer *a, struct seen *seen)
{
    const char *srcdir = getenv("srcdir");
    char path[4096], line[16384];
    FILE *f;
    int cases = 0;

    snprintf(path, sizeof(path), "%s/t/data/xml-responses.tsv",
             srcdir != NULL ? srcdir : ".");
    f = fopen(path, "r");
    ok(f != NULL, "%s is there", path);
    if (f == NULL)
        return;
    while (fgets(line, sizeof(line), f) != NULL) {
        char *fields[FIELDS], *at = line;
        struct buf body;
        int n = 0;

        line[strcspn(line, "\n")] = '\0';
        if (*line == '#')
            continue;
        while (n < FIELDS && (fields[n] = strsep(&at, "\t")) != NULL)
            n++;
        if (!ok(n == FIELDS && at == NULL, "line %d has its fields", cases))
            break;
        buf_init(&body, MIB);
        unbase64(&body, fields[CASE_BODY], strlen(fields[CASE_BODY]));
        for (size_t step = 0; step < 8; step += 1 + step * 5)
            check_case(a, seen, fields, &body, step);
        buf_clear(&body);
        cases++;
    }
    fclose(f);
    ok(cases >= 25, "%d cases", cases);
}

static void
test_listing(struct answer *a, struct seen *seen)
{
    read_text(a, seen,
              "<s3:ListBucketResult xmlns:s3='http://x/'>\n"
              " <s3:Name>b</s3:Name>\n <s3:Prefix>echo</s3:Prefix>\n"
              " <s3:IsTruncated>false</s3:IsTruncated>\n"
              " <s3:Contents>\n  <s3:Key>k1</s3:Key>\n"
              "  <s3:LastModified>2026-01-02T03:04:05Z</s3:LastModified>\n"
              "  <s3:ETag>&#34;e1&#34;</s3:ETag><s3:Size>7</s3:Size>\n"
              "  <s3:Owner><s3:ID>o</s3:ID><s3:Key>no</s3:Key></s3:Owner>\n"
              " </s3:Contents>\n"
              " <s3:Contents><s3:Key> k 2 </s3:Key></s3:Contents>\n"
              " <s3:Contents><s3:Size>9</s3:Size></s3:Contents>\n"
              " <s3:CommonPrefixes><s3:Prefix>p/</s3:Prefix>"
              "</s3:CommonPrefixes>\n</s3:ListBucketResult>\n");
    ok(a->complete, "a listing with prefixes and line breaks is complete");
    is_str(a->root, "ListBucketResult", "local name of the root");
    is_str(seen->text.data,
           "1 k1 7 2026-01-02T03:04:05Z e1\n1  k 2  0  \n2 p/ 0  \n",
           "entries: outer elements only, nothing left from the one before");
    is_int((int64_t) a->entries, 3, "an entry without a key does not count");
    ok(!a->truncated && a->next_token.len == 0, "not truncated");
}

static void
test_delete(struct answer *a, struct seen *seen)
{
    read_text(a, seen,
              "<DeleteResult><Deleted><Key>a</Key></Deleted>"
              "<Error><Key>b</Key><Code>AccessDenied</Code>"
              "<Message>no &amp; never</Message></Error>"
              "<Deleted><Key>c</Key></Deleted>"
              "<Error><Code>InternalError</Code></Error></DeleteResult>");
    is_int((int64_t) a->deleted, 2, "deleted keys");
    is_int((int64_t) a->failed_keys, 2, "failed keys");
    is_str(seen->text.data,
           "failed b AccessDenied no & never\nfailed  InternalError \n",
           "failed keys are told");
    is_str(a->error.code, "", "a failed key is no error of the request");
}

static void
test_bad_documents(struct answer *a, struct seen *seen)
{
    static const char *const bad[] = {
        "",
        "  \r\n\t ",
        "not found",
        "{\"error\": 1}",
        "<",
        "<Error>",
        "<Error><Code>X</Code>",
        "<Error><Code>X</Error>",
        "<Error/><Error/>",
        "<Error/>trailing",
        "<Error>&undefined;</Error>",
        "<Error>\x01</Error>",
        "<Error>\xff\xfe</Error>",
        "<Error>&#0;</Error>",
        "<Error a='1' a='2'/>",
        "<?xml version='1.0' encoding='x-unknown'?><Error/>",
        "<!DOCTYPE html><html><body>502</body></html>",
        "<html><body><hr><p>502 Bad Gateway</body></html>",
        "<!DOCTYPE Error [<!ENTITY a 'x'>]><Error><Code>&a;</Code></Error>",
        "<!DOCTYPE Error SYSTEM 'file:///etc/passwd'><Error/>",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        read_text(a, seen, bad[i]);
        ok(!a->complete, "bad document %zu is not complete", i);
    }
    read_text(a, seen, "<Error><Code>SlowDown</Code><Message>wait");
    is_str(a->error.code, "SlowDown", "a cut-off error keeps its code");
    read_document(a, seen, "<Error><Code>A\0B</Code></Error>", 31, 0);
    ok(!a->complete, "a NUL byte is no XML");
    read_document(a, seen, "\0\0\0\0", 4, 0);
    ok(!a->complete, "only NUL bytes");
    read_text(a, seen, "<html><head/><Code>X</Code></html>");
    ok(a->complete, "well-formed HTML is complete");
    is_str(a->root, "html", "and its root says what it is");
    is_str(a->error.code, "", "and no error is made of it");
    read_text(a, seen, "\xef\xbb\xbf<Error><Code>X</Code></Error>");
    is_str(a->error.code, "X", "a byte order mark is accepted");
}

static void
test_laughs(struct answer *a, struct seen *seen)
{
    struct buf text;

    buf_init(&text, MIB);
    buf_adds(&text, "<!DOCTYPE Error [<!ENTITY l0 'lol'>");
    for (int i = 1; i < 10; i++) {
        buf_addf(&text, "<!ENTITY l%d '", i);
        for (int n = 0; n < 10; n++)
            buf_addf(&text, "&l%d;", i - 1);
        buf_adds(&text, "'>");
    }
    buf_adds(&text, "]><Error><Code>&l9;</Code></Error>");
    read_document(a, seen, text.data, text.len, 0);
    ok(!a->complete && a->error.code[0] == '\0', "a billion laughs: silence");
    buf_clear(&text);
}

static void
test_long_texts(struct answer *a, struct seen *seen)
{
    struct buf text;

    buf_init(&text, MIB);
    buf_adds(&text, "<Error><Code>C</Code><Message>x");
    for (int i = 0; i < 1000; i++)
        buf_adds(&text, "\xc3\xa9");
    buf_adds(&text, "</Message></Error>");
    read_document(a, seen, text.data, text.len, 0);
    ok(a->complete, "a long message is complete");
    is_int((int64_t) strlen(a->error.message), ANSWER_TEXT_MAX - 1, "and cut");
    buf_reset(&text);
    buf_adds(&text, "<Error><Message>");
    for (int i = 0; i < 1000; i++)
        buf_adds(&text, "\xc3\xa9");
    buf_adds(&text, "</Message></Error>");
    read_document(a, seen, text.data, text.len, 0);
    is_int((int64_t) strlen(a->error.message), ANSWER_TEXT_MAX - 2,
           "between characters");

    for (int extra = 0; extra < 2; extra++) {
        buf_reset(&text);
        buf_adds(&text, "<ListBucketResult><Contents><Key>");
        for (int i = 0; i < ANSWER_KEY_MAX + extra; i++)
            buf_addc(&text, 'k');
        buf_adds(&text, "</Key></Contents></ListBucketResult>");
        read_document(a, seen, text.data, text.len, 0);
        ok(a->complete == !extra && a->entries == !extra,
           "a key of %d bytes is %s", ANSWER_KEY_MAX + extra,
           extra ? "refused, not cut" : "read");
    }
    buf_clear(&text);
}

/* Feed HEAD, then PIECE until MIB * 5 bytes are through; how much the heap
 * grew at most meanwhile. A '%' in PIECE becomes a running number. */
static size_t
flood(const char *head, const char *piece, bool *complete)
{
    size_t before, worst = 0;
    struct answer a;
    struct buf text;
    unsigned count = 0;

    /* A fresh parser: an old one may hold what a former flood needed. */
    if (answer_init(&a) != 0)
        abort();
    buf_init(&text, MIB);
    buf_reserve(&text, MIB);
    before = mallinfo2().uordblks + mallinfo2().hblkhd;
    answer_feed(&a, head, strlen(head));
    for (size_t fed = 0; fed < 5 * MIB; fed += text.len) {
        size_t now;

        buf_reset(&text);
        while (text.len < 50000)
            for (const char *p = piece; *p != '\0'; p++) {
                if (*p == '%')
                    buf_addf(&text, "n%u", count++);
                else
                    buf_addc(&text, *p);
            }
        answer_feed(&a, text.data, text.len);
        now = mallinfo2().uordblks + mallinfo2().hblkhd;
        if (now > before + worst)
            worst = now - before;
    }
    answer_finish(&a);
    *complete = a.complete;
    answer_clear(&a);
    buf_clear(&text);
    return worst;
}

/* Under a sanitizer mallinfo2() knows nothing; then only no crash and the
 * early end are checked. */
static void
test_floods(struct answer *a, struct seen *seen)
{
    static const struct {
        const char *what, *head, *piece;
    } floods[] = {
        {"garbage", "", "garbage "},
        {"blanks", "", " \n"},
        {"blanks behind a declaration", "<?xml version='1.0'?>", " \r\n"},
        {"text", "<Error><Message>", "blah &amp; "},
        {"one tag name", "<", "aaaaaaaaaaaa"},
        {"one attribute", "<Error a='", "aaaaaaaaaaaa"},
        {"attributes of one tag", "<Error ", "%='1' "},
        {"one comment", "<!--", "a comment "},
        {"comments", "<Error>", "<!-- a comment -->"},
        {"one instruction", "<?pi ", "an instruction "},
        {"one CDATA section", "<Error><Code><![CDATA[", "data "},
        {"depth", "", "<a>"},
        {"distinct elements", "<Error>", "<%/>"},
        {"distinct attributes", "<Error>", "<a %='1'/>"},
        {"distinct prefixes", "<Error>", "<a xmlns:%='http://x/%'/>"},
        {"one key", "<ListBucketResult><Contents><Key>", "kkkkkkkkkkkk"},
        {"entries", "<ListBucketResult>",
         "<Contents><Key>%</Key><Size>1</Size></Contents>"},
        {"failed keys", "<DeleteResult>",
         "<Error><Key>%</Key><Code>X</Code></Error>"},
        {"control bytes", "<Error>", "\x01"},
    };

    for (size_t i = 0; i < sizeof(floods) / sizeof(floods[0]); i++) {
        bool complete = true;
        size_t grew = flood(floods[i].head, floods[i].piece, &complete);

        ok(!complete, "5 MiB of %s: not complete", floods[i].what);
        ok(grew < 512 * 1024, "5 MiB of %s: %zu KiB at most", floods[i].what,
           grew / 1024);
    }
    for (int i = 0; i < 3; i++) {
        answer_reset(a);
        for (int n = 0; n < 5 * MIB / 64; n++)
            answer_feed(a,
                        "<garbage><garbage><garbage><garbage>"
                        "garbage garbage garbage 1234",
                        64);
        answer_finish(a);
    }
    read_text(a, seen, "<Error><Code>X</Code></Error>");
    is_str(a->error.code, "X", "the next document is read as ever");
}

static void
test_codes(struct answer *a, struct seen *seen)
{
    static const struct {
        int status;
        bool key;
        const char *code;
    } cases[] = {
        {301, true, "PermanentRedirect"}, {400, true, "BadRequest"},
        {403, true, "AccessDenied"},      {404, true, "NoSuchKey"},
        {404, false, "NoSuchBucket"},     {412, true, "PreconditionFailed"},
        {416, true, "InvalidRange"},      {500, true, "InternalError"},
        {503, false, "SlowDown"},         {507, true, "InsufficientStorage"},
        {599, true, "HTTP599"},           {200, true, "HTTP200"},
        {302, true, "HTTP302"},
    };
    bool derived;

    read_text(a, seen, "");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        derived = false;
        is_str(answer_code(a, cases[i].status, cases[i].key, &derived),
               cases[i].code, "code of %d", cases[i].status);
        ok(derived, "it is derived");
    }
    read_text(a, seen, "<Error><Code>Own</Code></Error>");
    is_str(answer_code(a, 404, true, &derived), "Own", "the document's own");
    ok(!derived, "is not derived");
    read_text(a, seen, "<Error><Code/></Error>");
    is_str(answer_code(a, 404, true, &derived), "NoSuchKey",
           "an empty code is none");
}

int
main(void)
{
    struct answer a;
    struct seen seen;

    seen_init(&seen);
    if (!ok(answer_init(&a) == 0, "a parser is made"))
        return done_testing();
    a.on_entry = on_entry;
    a.on_failed_key = on_failed_key;
    a.ctx = &seen;
    test_vectors(&a, &seen);
    test_listing(&a, &seen);
    test_delete(&a, &seen);
    test_bad_documents(&a, &seen);
    test_laughs(&a, &seen);
    test_long_texts(&a, &seen);
    test_floods(&a, &seen);
    test_codes(&a, &seen);
    answer_clear(&a);
    answer_clear(&a);
    ok(a.parser == NULL, "cleared twice");
    seen_clear(&seen);
    return done_testing();
}
