/* SPDX-License-Identifier: MIT */
/* Records as lines of CSV, JSON and InfluxDB's line protocol. */
#include "config.h"

#include "stat_convert.h"

#include <inttypes.h>
#include <string.h>

/* --- CSV, RFC 4180 --- */

/* Put what was added from AT on into quotes, if it needs them. */
static int
quote(struct buf *out, size_t at)
{
    size_t n = out->len - at, quotes = 0;
    int err;

    if (strcspn(out->data + at, ",\"\r") == n)
        return 0;
    for (size_t i = at; i < out->len; i++)
        quotes += out->data[i] == '"';
    err = buf_reserve(out, quotes + 2);
    if (err != 0)
        return err;
    out->len += quotes + 2;
    out->data[out->len] = '\0';
    out->data[out->len - 1] = '"';
    for (size_t from = at + n, to = out->len - 1; from > at;) {
        out->data[--to] = out->data[--from];
        if (out->data[to] == '"')
            out->data[--to] = '"';
    }
    out->data[at] = '"';
    return 0;
}

int
stat_convert_csv(struct buf *out, const struct record_view *v, int64_t start_ns)
{
    int err = 0;

    (void) start_ns;
    for (unsigned c = 0; c < RECORD_COLUMN_COUNT && err == 0; c++) {
        size_t at;

        if (c > 0)
            err = buf_addc(out, ',');
        at = out->len;
        if (err == 0)
            err = record_view_add(out, v, (enum record_column) c);
        if (err == 0)
            err = quote(out, at);
    }
    return err != 0 ? err : buf_adds(out, "\r\n");
}

int
stat_convert_csv_names(struct buf *out)
{
    int err = 0;

    for (unsigned c = 0; c < RECORD_COLUMN_COUNT && err == 0; c++)
        err = buf_addf(out, "%s%s", c > 0 ? "," : "", record_column_name(c));
    return err != 0 ? err : buf_adds(out, "\r\n");
}

/* --- JSON --- */

int
stat_convert_json(struct buf *out, const struct record_view *v,
                  int64_t start_ns)
{
    struct json j;

    (void) start_ns;
    json_init(&j, out);
    json_open(&j, NULL, '{');
    json_string(&j, "format", RECORD_FORMAT);
    record_view_add_json(&j, v);
    json_close(&j, '}');
    return j.err != 0 ? j.err : buf_addc(out, '\n');
}

/* --- InfluxDB --- */

/* ",NAME=TEXT" unless there is none. A tag's commas, blanks and equal signs
 * are escaped, and no backslash may stand at its end: it is encoded. */
static int
add_tag(struct buf *out, const char *name, struct record_text t)
{
    int err = 0;

    if (record_text_is_none(t))
        return 0;
    err = buf_addf(out, ",%s=", name);
    for (size_t i = 0; i < t.n && err == 0; i++) {
        char c = t.at[i];

        if (c == '\\')
            err = buf_adds(out, "%5C");
        else if (c == ',' || c == '=' || c == ' ')
            err = buf_addf(out, "\\%c", c);
        else
            err = buf_addc(out, c);
    }
    return err;
}

static int
add_tags(struct buf *out, const struct record_view *v)
{
    int err = buf_adds(out, "s3perf");

    if (err == 0)
        err = add_tag(out, "op", v->op);
    if (err == 0)
        err = add_tag(out, "bucket", v->bucket);
    if (err == 0)
        err = add_tag(out, "code", v->code);
    if (err == 0)
        err = add_tag(out, "transport", v->transport);
    if (err == 0)
        err = add_tag(out, "endpoint", v->endpoint);
    if (err == 0)
        err = add_tag(out, "host", v->host);
    if (err == 0) /* so that no two points are the same one */
        err = buf_addf(out, ",lane=%" PRIu32, v->lane);
    return err;
}

static int
add_key(struct buf *out, struct record_text t)
{
    int err = buf_adds(out, ",key=\"");

    for (size_t i = 0; i < t.n && err == 0; i++)
        err = t.at[i] == '"' || t.at[i] == '\\' ? buf_addf(out, "\\%c", t.at[i])
                                                : buf_addc(out, t.at[i]);
    return err != 0 ? err : buf_addc(out, '"');
}

static int
add_fields(struct buf *out, const struct record_view *v)
{
    int err = buf_addf(
        out,
        " size=%" PRIu64 "i,good_bytes=%" PRIu64 "i,wire_bytes=%" PRIu64
        "i,status=%" PRIu32 "i,attempt=%" PRIu32 "i,reused=%s,ok=%s",
        v->size, v->good_bytes, v->wire_bytes, v->status, v->attempt,
        v->reused ? "true" : "false", v->ok ? "true" : "false");

    for (unsigned c = 0; c < RECORD_TIMES && err == 0; c++) {
        if (v->ns[c] == RECORD_NONE)
            continue;
        err = buf_addf(out, ",%s=", record_column_name(c));
        if (err == 0)
            err = record_view_add(out, v, (enum record_column) c);
    }
    if (err == 0 && !record_text_is_none(v->key))
        err = add_key(out, v->key);
    return err;
}

int
stat_convert_influx(struct buf *out, const struct record_view *v,
                    int64_t start_ns)
{
    int err = add_tags(out, v);

    if (err == 0)
        err = add_fields(out, v);
    return err != 0
               ? err
               : buf_addf(out, " %" PRId64 "\n", start_ns + v->ns[RECORD_END]);
}
