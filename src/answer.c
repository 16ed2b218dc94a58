/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <expat.h>

#include "answer_parts.h"
#include "units.h"

/*
 * The bounds that keep memory constant, whatever arrives. Expat holds one
 * unfinished token, one name per open element, and each distinct name for
 * ever; character data it hands on in pieces.
 */
#define DEPTH_MAX 32
#define TOKEN_MAX 16384 /* a tag or comment */
#define NAMES_MAX 256 /* distinct element and attribute names */
#define NAME_BITS 1024
#define DOCUMENT_MAX (UINT64_C(64) << 20)
#define PIECE 4096 /* the bounds are checked after so many bytes */
#define SHORT_MAX 64

static const struct step outside = {OUTSIDE, "", OUTSIDE, 0};

struct answer_parser {
    XML_Parser expat;
    bool started; /* something but blanks has arrived */
    bool stopped; /* by an error or by one of our bounds */
    uint64_t fed;
    size_t quiet; /* bytes since expat reported anything */
    size_t depth;
    const struct step *path[DEPTH_MAX + 1]; /* path[0] is `outside` */
    unsigned char seen[NAME_BITS / 8]; /* hashes of names */
    unsigned names; /* bits set in `seen` */
    struct buf text; /* of the innermost wanted element */
    bool overlong; /* text did not hold all of it */
    /* the entry or failed key being read */
    struct buf name, version;
    uint64_t size;
    bool latest;
    char modified[SHORT_MAX];
    char etag[ANSWER_TEXT_MAX];
    char code[ANSWER_TEXT_MAX];
    char message[ANSWER_TEXT_MAX];
    char derived[16];
};

static void
stop(struct answer *a)
{
    a->parser->stopped = true;
    XML_StopParser(a->parser->expat, XML_FALSE);
}

/* Copy the N bytes at TEXT, cut between characters. */
static void
copy_cut(char *out, size_t size, const char *text, size_t n)
{
    if (n >= size) {
        n = size - 1;
        while (n > 0 && ((unsigned char) text[n] & 0xc0) == 0x80)
            n--;
    }
    memcpy(out, text, n);
    out[n] = '\0';
}

static void
copy_unquoted(char *out, size_t size, const char *text, size_t n)
{
    if (n >= 2 && text[0] == '"' && text[n - 1] == '"') {
        text++;
        n -= 2;
    }
    copy_cut(out, size, text, n);
}

/* Expat keeps each distinct name until the document ends. */
static void
count_name(struct answer *a, const char *name)
{
    struct answer_parser *p = a->parser;
    uint32_t hash = UINT32_C(2166136261);

    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char) *name) * UINT32_C(16777619);
    hash = (hash ^ hash >> 16) % NAME_BITS;
    if (p->seen[hash / 8] & 1u << hash % 8)
        return;
    p->seen[hash / 8] |= (unsigned char) (1u << hash % 8);
    if (++p->names > NAMES_MAX)
        stop(a);
}

static const char *
local_name(const char *name)
{
    const char *colon = strrchr(name, ':');

    return colon != NULL ? colon + 1 : name;
}

static bool
is_entry(enum place place)
{
    return place == CONTENTS || place == DELETE_MARKER || place == COMMON ||
           place == BUCKET;
}

static void
begin_entry(struct answer_parser *p)
{
    buf_reset(&p->name);
    buf_reset(&p->version);
    p->size = 0;
    p->latest = false;
    p->modified[0] = p->etag[0] = p->code[0] = p->message[0] = '\0';
}

static void XMLCALL
on_start(void *ctx, const XML_Char *full_name, const XML_Char **attributes)
{
    struct answer *a = ctx;
    struct answer_parser *p = a->parser;
    const char *name = local_name(full_name);
    const struct step *step;

    p->quiet = 0;
    if (p->stopped)
        return;
    count_name(a, full_name);
    for (; *attributes != NULL; attributes += 2)
        count_name(a, *attributes);
    if (p->depth == DEPTH_MAX)
        stop(a);
    if (p->stopped)
        return;
    if (p->depth == 0)
        copy_cut(a->root, sizeof(a->root), name, strlen(name));
    step = answer_find_step(p->path[p->depth]->to, name);
    p->path[++p->depth] = step;
    if (step->to >= FIELD) {
        buf_reset(&p->text);
        p->overlong = false;
    }
    if (is_entry(step->to) || step->to == FAILED)
        begin_entry(p);
}

static void XMLCALL
on_text(void *ctx, const XML_Char *text, int length)
{
    struct answer *a = ctx;
    struct answer_parser *p = a->parser;
    size_t n = (size_t) length;
    size_t room = p->text.max - p->text.len;

    p->quiet = 0;
    if (p->stopped || p->path[p->depth]->to < FIELD)
        return;
    if (n > room) {
        n = room;
        p->overlong = true;
    }
    if (buf_add(&p->text, text, n) != 0)
        stop(a);
}

static void
set_flag(bool *out, const char *text)
{
    *out = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
}

/* A name or a token is of no use when it is not whole. */
static void
keep_whole(struct answer *a, struct buf *out)
{
    struct answer_parser *p = a->parser;

    buf_reset(out);
    if (p->overlong || buf_add(out, p->text.data, p->text.len) != 0)
        stop(a);
}

/* The element of STEP has ended; its text is complete. */
static void
take_text(struct answer *a, const struct step *step)
{
    struct answer_parser *p = a->parser;
    const char *text = p->text.data;
    size_t n = p->text.len;

    switch (step->to) {
    case FIELD:
        copy_cut((char *) a + step->at, ANSWER_TEXT_MAX, text, n);
        break;
    case NAME:
        keep_whole(a, &p->name);
        break;
    case TOKEN:
        keep_whole(a, &a->next_token);
        break;
    case MARKER:
        keep_whole(a, &a->next_marker);
        break;
    case VERSION:
        keep_whole(a, &p->version);
        break;
    case VERSION_MARKER:
        keep_whole(a, &a->next_version);
        break;
    case LATEST:
        set_flag(&p->latest, text);
        break;
    case ENCODING:
        a->encoded = strcmp(text, "url") == 0;
        break;
    case SIZE:
        units_parse_count(&p->size, text);
        break;
    case MODIFIED:
        copy_cut(p->modified, sizeof(p->modified), text, n);
        break;
    case ETAG:
        copy_unquoted(p->etag, sizeof(p->etag), text, n);
        break;
    case RESULT_ETAG:
        copy_unquoted(a->etag, sizeof(a->etag), text, n);
        break;
    case TRUNCATED:
        set_flag(&a->truncated, text);
        break;
    case FAILED_CODE:
        copy_cut(p->code, sizeof(p->code), text, n);
        break;
    default: /* FAILED_MESSAGE */
        copy_cut(p->message, sizeof(p->message), text, n);
    }
}

static void
take_entry(struct answer *a, enum place place)
{
    struct answer_parser *p = a->parser;
    struct answer_entry entry = {
        .kind = place == BUCKET          ? ANSWER_BUCKET
                : place == CONTENTS      ? ANSWER_OBJECT
                : place == DELETE_MARKER ? ANSWER_DELETE_MARKER
                                         : ANSWER_PREFIX,
        .name = p->name.data,
        .size = p->size,
        .modified = p->modified,
        .etag = p->etag,
        .version = p->version.data,
        .latest = p->latest,
    };

    if (p->name.len == 0)
        return;
    a->entries++;
    if (a->on_entry != NULL)
        a->on_entry(a->ctx, &entry);
}

static void
take_failed_key(struct answer *a)
{
    struct answer_parser *p = a->parser;
    struct answer_failed_key failed = {p->name.data, p->code, p->message};

    a->failed_keys++;
    if (a->on_failed_key != NULL)
        a->on_failed_key(a->ctx, &failed);
}

static void XMLCALL
on_end(void *ctx, const XML_Char *name)
{
    struct answer *a = ctx;
    struct answer_parser *p = a->parser;
    const struct step *step;

    (void) name;
    p->quiet = 0;
    if (p->stopped)
        return;
    step = p->path[p->depth--];
    if (step->to >= FIELD)
        take_text(a, step);
    else if (is_entry(step->to))
        take_entry(a, step->to);
    else if (step->to == FAILED)
        take_failed_key(a);
    else if (step->to == DELETED)
        a->deleted++;
}

/* No S3 answer has a DTD; stopping here keeps all entities undefined. */
static void XMLCALL
on_doctype(void *ctx, const XML_Char *name, const XML_Char *system_id,
           const XML_Char *public_id, int internal_subset)
{
    (void) name;
    (void) system_id;
    (void) public_id;
    (void) internal_subset;
    stop(ctx);
}

/* All that has no handler of its own; a finished token is not quiet. */
static void XMLCALL
on_other(void *ctx, const XML_Char *text, int length)
{
    struct answer *a = ctx;

    (void) text;
    (void) length;
    a->parser->quiet = 0;
}

static void
begin_document(struct answer *a)
{
    struct answer_parser *p = a->parser;

    XML_SetUserData(p->expat, a);
    XML_SetElementHandler(p->expat, on_start, on_end);
    XML_SetCharacterDataHandler(p->expat, on_text);
    XML_SetStartDoctypeDeclHandler(p->expat, on_doctype);
    XML_SetDefaultHandler(p->expat, on_other);
    p->started = p->stopped = p->overlong = false;
    p->fed = 0;
    p->quiet = p->depth = 0;
    p->path[0] = &outside;
    p->names = 0;
    memset(p->seen, 0, sizeof(p->seen));
    buf_reset(&p->text);
    begin_entry(p);

    memset(&a->error, 0, sizeof(a->error));
    a->root[0] = a->location[0] = a->etag[0] = a->upload_id[0] = '\0';
    a->complete = a->truncated = a->encoded = false;
    buf_reset(&a->next_token);
    buf_reset(&a->next_marker);
    buf_reset(&a->next_version);
    a->entries = a->deleted = a->failed_keys = 0;
}

int
answer_init(struct answer *a)
{
    struct answer_parser *p = calloc(1, sizeof(*p));
    int err = ENOMEM;

    memset(a, 0, sizeof(*a));
    buf_init(&a->next_token, ANSWER_KEY_MAX);
    buf_init(&a->next_marker, ANSWER_KEY_MAX);
    buf_init(&a->next_version, ANSWER_VERSION_MAX);
    if (p == NULL)
        return ENOMEM;
    a->parser = p;
    buf_init(&p->text, ANSWER_KEY_MAX);
    buf_init(&p->name, ANSWER_KEY_MAX);
    buf_init(&p->version, ANSWER_VERSION_MAX);
    p->expat = XML_ParserCreate(NULL);
    if (p->expat == NULL || buf_reserve(&p->text, ANSWER_KEY_MAX) != 0 ||
        buf_reserve(&p->name, ANSWER_KEY_MAX) != 0 ||
        buf_reserve(&p->version, 64) != 0)
        goto done;
    begin_document(a);
    err = 0;
done:
    if (err != 0)
        answer_clear(a);
    return err;
}

void
answer_clear(struct answer *a)
{
    struct answer_parser *p = a->parser;

    buf_clear(&a->next_token);
    buf_clear(&a->next_marker);
    buf_clear(&a->next_version);
    if (p == NULL)
        return;
    if (p->expat != NULL)
        XML_ParserFree(p->expat);
    buf_clear(&p->text);
    buf_clear(&p->name);
    buf_clear(&p->version);
    free(p);
    a->parser = NULL;
}

int
answer_reset(struct answer *a)
{
    if (!XML_ParserReset(a->parser->expat, NULL))
        return ENOMEM;
    begin_document(a);
    return 0;
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void
answer_feed(struct answer *a, const void *bytes, size_t n)
{
    struct answer_parser *p = a->parser;
    const char *next = bytes;
    const char *end = next + n;

    /* AWS sends blanks while it works, even in front of a declaration. */
    while (!p->started && next < end && is_blank(*next))
        next++;
    p->started = p->started || next < end;
    while (next < end && !p->stopped) {
        size_t piece =
            (size_t) (end - next) < PIECE ? (size_t) (end - next) : PIECE;

        p->fed += piece;
        p->quiet += piece;
        if (p->fed > DOCUMENT_MAX ||
            XML_Parse(p->expat, next, (int) piece, XML_FALSE) !=
                XML_STATUS_OK ||
            p->quiet > TOKEN_MAX)
            p->stopped = true;
        next += piece;
    }
}

void
answer_finish(struct answer *a)
{
    struct answer_parser *p = a->parser;

    if (p->stopped)
        return;
    a->complete =
        XML_Parse(p->expat, "", 0, XML_TRUE) == XML_STATUS_OK && !p->stopped;
    p->stopped = true;
}

static const char *
derive_code(int status, bool key)
{
    static const struct {
        int status;
        const char *code;
    } derived[] = {
        {301, "PermanentRedirect"},    {304, "NotModified"},
        {307, "TemporaryRedirect"},    {400, "BadRequest"},
        {403, "AccessDenied"},         {405, "MethodNotAllowed"},
        {408, "RequestTimeout"},       {409, "Conflict"},
        {411, "MissingContentLength"}, {412, "PreconditionFailed"},
        {416, "InvalidRange"},         {429, "TooManyRequests"},
        {500, "InternalError"},        {501, "NotImplemented"},
        {502, "BadGateway"},           {503, "SlowDown"},
        {504, "GatewayTimeout"},       {507, "InsufficientStorage"},
    };

    if (status == 404)
        return key ? "NoSuchKey" : "NoSuchBucket";
    for (size_t i = 0; i < sizeof(derived) / sizeof(derived[0]); i++)
        if (derived[i].status == status)
            return derived[i].code;
    return NULL;
}

const char *
answer_code(const struct answer *a, int status, bool key, bool *derived)
{
    const char *code;

    *derived = a->error.code[0] == '\0';
    if (!*derived)
        return a->error.code;
    code = derive_code(status, key);
    if (code != NULL)
        return code;
    snprintf(a->parser->derived, sizeof(a->parser->derived), "HTTP%d", status);
    return a->parser->derived;
}
