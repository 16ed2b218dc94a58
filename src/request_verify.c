/* SPDX-License-Identifier: MIT */
/* Checksums that the server gives along with objects. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "request_parts.h"

bool
request_is_verified(const struct request_service *s,
                    const struct request_spec *spec)
{
    return spec->op == REQUEST_GET && s->checksum != CHECKSUM_NONE &&
           s->checksum != CHECKSUM_MD5 && spec->range_len == 0;
}

int
request_expect_sum(struct request *r, const struct request_service *s,
                   const struct request_spec *spec)
{
    struct request_check *c = &r->check;
    int err = 0;

    c->wanted = request_is_verified(s, spec);
    c->done = false;
    c->text[0] = '\0';
    c->took_ns = 0;
    if (!c->wanted)
        return 0;
    if (!c->ready)
        err = checksum_init(&c->sum, s->checksum);
    c->ready = err == 0;
    if (c->ready)
        checksum_begin(&c->sum);
    return err;
}

void
request_clear_sum(struct request *r)
{
    if (r->check.ready)
        checksum_clear(&r->check.sum);
    r->check.ready = false;
}

void
request_take_sum(struct request *r, const char *name, size_t name_len,
                 const char *value, size_t value_len)
{
    struct request_check *c = &r->check;
    const char *wanted = c->wanted ? checksum_header(c->sum.kind) : "";

    /* What is longer is a checksum of checksums, with a number: "...-3". */
    if (c->wanted && strlen(wanted) == name_len &&
        strncasecmp(wanted, name, name_len) == 0 &&
        value_len == checksum_text_len(c->sum.kind))
        snprintf(c->text, sizeof c->text, "%.*s", (int) value_len, value);
}

void
request_add_sum(struct request *r, const void *bytes, size_t n)
{
    struct request_check *c = &r->check;
    int64_t begin_ns;

    if (c->text[0] == '\0')
        return;
    begin_ns = clock_now_ns();
    checksum_add(&c->sum, bytes, n);
    c->took_ns += clock_now_ns() - begin_ns;
}

bool
request_has_wrong_sum(struct request *r, struct request_outcome *o)
{
    struct request_check *c = &r->check;
    unsigned char sum[CHECKSUM_BYTES_MAX];
    char text[CHECKSUM_TEXT_SIZE] = "";

    if (c->text[0] == '\0' || c->done)
        return false;
    c->done = true;
    if (checksum_end(&c->sum, sum) == 0)
        checksum_text(text, c->sum.kind, sum);
    if (strcmp(text, c->text) == 0)
        return false;
    o->transport = "mismatch";
    snprintf(o->message, sizeof o->message,
             "the content's %s is %s, the server says %s",
             checksum_name(c->sum.kind), text, c->text);
    return true;
}
