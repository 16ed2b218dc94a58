/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "record_print.h"

#include <inttypes.h>
#include <string.h>

struct record_text
record_view_text(const struct record_view *v, enum record_column c)
{
    static const struct record_text none = {"-", 1};

    switch (c) {
    case RECORD_OP:
        return v->op;
    case RECORD_BUCKET:
        return v->bucket;
    case RECORD_KEY:
        return v->key;
    case RECORD_CODE:
        return v->code;
    case RECORD_TRANSPORT:
        return v->transport;
    case RECORD_ENDPOINT:
        return v->endpoint;
    case RECORD_HOST:
        return v->host;
    default:
        return none;
    }
}

/* Whether C is a number, which *OUT becomes. */
static bool
number_of(uint64_t *out, const struct record_view *v, enum record_column c)
{
    switch (c) {
    case RECORD_SIZE:
        *out = v->size;
        return true;
    case RECORD_GOOD_BYTES:
        *out = v->good_bytes;
        return true;
    case RECORD_WIRE_BYTES:
        *out = v->wire_bytes;
        return true;
    case RECORD_STATUS:
        *out = v->status;
        return true;
    case RECORD_ATTEMPT:
        *out = v->attempt;
        return true;
    case RECORD_REUSED:
        *out = v->reused;
        return true;
    case RECORD_LANE:
        *out = v->lane;
        return true;
    default:
        return false;
    }
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

int
record_view_add(struct buf *out, const struct record_view *v,
                enum record_column c)
{
    struct record_text text;
    uint64_t number;

    if (c < RECORD_TIMES)
        return add_time(out, v->ns[c]);
    if (number_of(&number, v, c))
        return buf_addf(out, "%" PRIu64, number);
    text = record_view_text(v, c);
    return buf_add(out, text.at, text.n);
}

int
record_view_add_tsv(struct buf *out, const struct record_view *v)
{
    int err = 0;

    for (unsigned c = 0; c < RECORD_COLUMN_COUNT && err == 0; c++) {
        if (c > 0)
            err = buf_addc(out, '\t');
        if (err == 0)
            err = record_view_add(out, v, (enum record_column) c);
    }
    return err != 0 ? err : buf_addc(out, '\n');
}

static void
add_json_text(struct json *j, const char *name, struct record_text t)
{
    struct buf copy;
    int err;

    if (record_text_is_none(t)) {
        json_null(j, name);
        return;
    }
    buf_init(&copy, t.n);
    err = buf_add(&copy, t.at, t.n);
    if (err != 0 && j->err == 0)
        j->err = err;
    json_string(j, name, copy.data);
    buf_clear(&copy);
}

void
record_view_add_json(struct json *j, const struct record_view *v)
{
    for (unsigned c = 0; c < RECORD_COLUMN_COUNT; c++) {
        const char *name = record_column_name(c);
        uint64_t number;

        if (c == RECORD_REUSED)
            json_bool(j, name, v->reused);
        else if (c < RECORD_TIMES && v->ns[c] == RECORD_NONE)
            json_null(j, name);
        else if (c < RECORD_TIMES)
            json_number(j, name, (double) v->ns[c] / 1000, 3);
        else if (number_of(&number, v, (enum record_column) c))
            json_uint(j, name, number);
        else
            add_json_text(j, name, record_view_text(v, (enum record_column) c));
    }
}
