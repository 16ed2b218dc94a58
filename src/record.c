/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "record.h"

#include <inttypes.h>
#include <string.h>

#include "units.h"
#include "uri.h"

enum kind {
    TIME, /* int64_t nanoseconds; RECORD_NONE is empty */
    KEY, /* const char *, percent-encoded but for '/' */
    TEXT, /* const char * */
    CODE, /* char[RECORD_CODE_SIZE] */
    U64,
    U32,
    STATUS, /* int, never negative */
    FLAG /* bool */
};

static const struct column {
    const char *name;
    enum kind kind;
    size_t at; /* offset in struct record */
} columns[RECORD_COLUMN_COUNT] = {
    {"due_us", TIME, offsetof(struct record, due_ns)},
    {"start_us", TIME, offsetof(struct record, start_ns)},
    {"end_us", TIME, offsetof(struct record, end_ns)},
    {"lookup_us", TIME, offsetof(struct record, lookup_ns)},
    {"connect_us", TIME, offsetof(struct record, connect_ns)},
    {"tls_us", TIME, offsetof(struct record, tls_ns)},
    {"sent_us", TIME, offsetof(struct record, sent_ns)},
    {"first_us", TIME, offsetof(struct record, first_ns)},
    {"body_us", TIME, offsetof(struct record, body_ns)},
    {"total_us", TIME, offsetof(struct record, total_ns)},
    {"verify_us", TIME, offsetof(struct record, verify_ns)},
    {"op", TEXT, offsetof(struct record, op)},
    {"bucket", KEY, offsetof(struct record, bucket)},
    {"key", KEY, offsetof(struct record, key)},
    {"size", U64, offsetof(struct record, size)},
    {"good_bytes", U64, offsetof(struct record, good_bytes)},
    {"wire_bytes", U64, offsetof(struct record, wire_bytes)},
    {"status", STATUS, offsetof(struct record, status)},
    {"code", CODE, offsetof(struct record, code)},
    {"transport", TEXT, offsetof(struct record, transport)},
    {"attempt", U32, offsetof(struct record, attempt)},
    {"reused", FLAG, offsetof(struct record, reused)},
    {"lane", U32, offsetof(struct record, lane)},
    {"endpoint", TEXT, offsetof(struct record, endpoint)},
    {"host", TEXT, offsetof(struct record, host)},
};

static const void *
member(const struct record *r, const struct column *c)
{
    return (const char *) r + c->at;
}

/* The text of a KEY, TEXT or CODE column; NULL counts as "". */
static const char *
text_of(const struct record *r, const struct column *c)
{
    const char *text =
        c->kind == CODE ? member(r, c) : *(const char *const *) member(r, c);

    return text != NULL ? text : "";
}

static uint64_t
number_of(const struct record *r, const struct column *c)
{
    const void *at = member(r, c);
    const int *status = at;

    switch (c->kind) {
    case U64:
        return *(const uint64_t *) at;
    case U32:
        return *(const uint32_t *) at;
    case STATUS:
        return (uint64_t) (unsigned) *status;
    default:
        return *(const bool *) at;
    }
}

/* A lone "-" means "none", so the text "-" must look different. */
static int
add_dash(struct buf *out, const char *text)
{
    return buf_adds(out, *text == '\0' ? "-" : "%2D");
}

static bool
needs_dash(const char *text)
{
    return *text == '\0' || strcmp(text, "-") == 0;
}

static int
add_key(struct buf *out, const char *key)
{
    if (needs_dash(key))
        return add_dash(out, key);
    return uri_encode(out, key, strlen(key), true);
}

int
record_add_field(struct buf *out, const char *text)
{
    int err = 0;

    if (text == NULL)
        text = "";
    if (needs_dash(text))
        return add_dash(out, text);
    for (; *text != '\0' && err == 0; text++) {
        unsigned char c = (unsigned char) *text;

        if (c <= ' ' || c == '%' || c == 0x7f)
            err = buf_addf(out, "%%%02X", c);
        else
            err = buf_addc(out, *text);
    }
    return err;
}

static int
add_time(struct buf *out, int64_t ns)
{
    uint64_t size = ns < 0 ? -(uint64_t) ns : (uint64_t) ns;

    if (ns == RECORD_NONE)
        return 0;
    return buf_addf(out, "%s%" PRIu64 ".%03u", ns < 0 ? "-" : "", size / 1000,
                    (unsigned) (size % 1000));
}

static int
add_column(struct buf *out, const struct record *r, const struct column *c)
{
    switch (c->kind) {
    case TIME:
        return add_time(out, *(const int64_t *) member(r, c));
    case KEY:
        return add_key(out, text_of(r, c));
    case TEXT:
    case CODE:
        return record_add_field(out, text_of(r, c));
    default:
        return buf_addf(out, "%" PRIu64, number_of(r, c));
    }
}

const char *
record_column_name(size_t i)
{
    return columns[i].name;
}

int
record_add_columns(struct buf *out)
{
    int err = 0;

    for (size_t i = 0; i < RECORD_COLUMN_COUNT && err == 0; i++)
        err = buf_addf(out, "%s%s", i > 0 ? "\t" : "", columns[i].name);
    return err != 0 ? err : buf_addc(out, '\n');
}

int
record_add_tsv(struct buf *out, const struct record *r)
{
    int err = 0;

    for (size_t i = 0; i < RECORD_COLUMN_COUNT && err == 0; i++) {
        if (i > 0)
            err = buf_addc(out, '\t');
        if (err == 0)
            err = add_column(out, r, &columns[i]);
    }
    return err != 0 ? err : buf_addc(out, '\n');
}

/* KEY columns hold the same encoded text as in the TSV. */
static void
add_json_key(struct json *j, const char *name, const char *key)
{
    struct buf encoded;
    int err = 0;

    buf_init(&encoded, 3 * strlen(key) + 1);
    if (*key != '\0')
        err = add_key(&encoded, key);
    if (err != 0 && j->err == 0)
        j->err = err;
    json_string(j, name, *key != '\0' ? encoded.data : NULL);
    buf_clear(&encoded);
}

void
record_add_json(struct json *j, const struct record *r)
{
    for (size_t i = 0; i < RECORD_COLUMN_COUNT; i++) {
        const struct column *c = &columns[i];
        const char *text;
        int64_t ns;

        switch (c->kind) {
        case TIME:
            ns = *(const int64_t *) member(r, c);
            if (ns == RECORD_NONE)
                json_null(j, c->name);
            else
                json_number(j, c->name, (double) ns / 1000, 3);
            break;
        case KEY:
            add_json_key(j, c->name, text_of(r, c));
            break;
        case TEXT:
        case CODE:
            text = text_of(r, c);
            json_string(j, c->name, *text != '\0' ? text : NULL);
            break;
        case FLAG:
            json_bool(j, c->name, number_of(r, c) != 0);
            break;
        default:
            json_uint(j, c->name, number_of(r, c));
        }
    }
}

static bool
parse_number(uint64_t *out, const char *text, size_t n, uint64_t max)
{
    char digits[24];
    uint64_t value;

    if (n >= sizeof(digits))
        return false;
    memcpy(digits, text, n);
    digits[n] = '\0';
    if (!units_parse_count(&value, digits) || value > max)
        return false;
    *out = value;
    return true;
}

static bool
parse_time(int64_t *out, const char *text, size_t n)
{
    bool negative = n > 0 && *text == '-';
    uint64_t us, rest;
    int64_t ns;

    if (n == 0) {
        *out = RECORD_NONE;
        return true;
    }
    text += negative;
    n -= negative;
    if (n < 5 || text[n - 4] != '.' ||
        !parse_number(&us, text, n - 4, INT64_MAX / 1000 - 1) ||
        !parse_number(&rest, text + n - 3, 3, 999))
        return false;
    ns = (int64_t) (us * 1000 + rest);
    *out = negative ? -ns : ns;
    return true;
}

/* Decode into STORE, which has room: earlier texts must not move. Returns
 * NULL for a bad text. */
static const char *
parse_text(struct buf *store, const char *text, size_t n)
{
    size_t at = store->len;

    if (n == 0)
        return NULL;
    if ((n != 1 || *text != '-') && uri_decode(store, text, n, false) != 0)
        return NULL;
    if (buf_addc(store, '\0') != 0)
        return NULL;
    return store->data + at;
}

static bool
parse_column(struct record *r, const struct column *c, struct buf *store,
             const char *text, size_t n)
{
    void *at = (char *) r + c->at;
    const char *decoded = "";
    uint64_t value = 0;

    switch (c->kind) {
    case TIME:
        return parse_time(at, text, n);
    case KEY:
    case TEXT:
        decoded = parse_text(store, text, n);
        *(const char **) at = decoded;
        return decoded != NULL;
    case CODE:
        decoded = parse_text(store, text, n);
        if (decoded == NULL || strlen(decoded) >= RECORD_CODE_SIZE)
            return false;
        memcpy(at, decoded, strlen(decoded) + 1);
        return true;
    case U64:
        return parse_number(at, text, n, UINT64_MAX);
    case U32:
        if (!parse_number(&value, text, n, UINT32_MAX))
            return false;
        *(uint32_t *) at = (uint32_t) value;
        return true;
    case STATUS:
        if (!parse_number(&value, text, n, 999))
            return false;
        *(int *) at = (int) value;
        return true;
    default:
        if (!parse_number(&value, text, n, 1))
            return false;
        *(bool *) at = value != 0;
        return true;
    }
}

bool
record_parse_tsv(struct record *r, struct buf *store, const char *line)
{
    buf_reset(store);
    *r = (struct record){0};
    /* Decoding never lengthens, and each tab pays for one final NUL. */
    if (buf_reserve(store, strlen(line) + 1) != 0)
        return false;
    for (size_t i = 0; i < RECORD_COLUMN_COUNT; i++) {
        size_t n = strcspn(line, "\t");
        bool last = i == RECORD_COLUMN_COUNT - 1;

        if (line[n] != (last ? '\0' : '\t') ||
            !parse_column(r, &columns[i], store, line, n))
            return false;
        line += n + !last;
    }
    if (*r->transport == '\0')
        r->transport = NULL;
    r->ok = r->transport == NULL && r->code[0] == '\0' && r->status >= 200 &&
            r->status < 300;
    return true;
}
