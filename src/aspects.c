/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "aspects.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "clock.h"
#include "random.h"
#include "units.h"
#include "uri.h"

#define TEXTS_MAX 65536
#define USE_METADATA 0x6d657461
#define TOKEN                                                                  \
    "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"                      \
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

void
aspects_init(struct aspects *a)
{
    *a = (struct aspects){.count = 0};
    buf_init_secret(&a->texts, TEXTS_MAX);
}

void
aspects_clear(struct aspects *a)
{
    buf_wipe(&a->texts);
    a->count = 0;
}

/* A header begins whose value is still to be written. */
static int
begin(struct aspects *a, unsigned when, const char *name, size_t name_len)
{
    struct aspect *item = &a->items[a->count];
    int err;

    if (a->count == ASPECTS_MAX)
        return E2BIG;
    item->when = when;
    item->name = a->texts.len;
    err = buf_add(&a->texts, name, name_len);
    if (err == 0)
        err = buf_addc(&a->texts, '\0');
    item->value = a->texts.len;
    return err;
}

/* Its value is complete, if ERR is 0. */
static int
end(struct aspects *a, int err)
{
    if (err == 0)
        err = buf_addc(&a->texts, '\0');
    if (err == 0)
        a->count++;
    return err;
}

int
aspects_add(struct aspects *a, unsigned when, const char *name,
            const char *value)
{
    int err = begin(a, when, name, strlen(name));

    return err != 0 ? err : end(a, buf_adds(&a->texts, value));
}

const char *
aspects_name(const struct aspects *a, size_t i)
{
    return a->texts.data + a->items[i].name;
}

const char *
aspects_value(const struct aspects *a, size_t i)
{
    return a->texts.data + a->items[i].value;
}

bool
aspects_have(const struct aspects *a, const char *name)
{
    for (size_t i = 0; i < a->count; i++)
        if (strcasecmp(aspects_name(a, i), name) == 0)
            return true;
    return false;
}

bool
aspects_is_value(const char *text)
{
    size_t n = strlen(text);

    if (n == 0 || text[0] == ' ' || text[n - 1] == ' ')
        return false;
    for (; *text != '\0'; text++)
        if ((unsigned char) *text < 0x20 || *text == 0x7f)
            return false;
    return true;
}

int
aspects_add_metadata(struct aspects *a, const char *text)
{
    static const char prefix[] = "x-amz-meta-";
    size_t n = strspn(text, TOKEN);
    char name[sizeof prefix + 128];

    if (n == 0 || n > 128 || text[n] != '=' || !aspects_is_value(text + n + 1))
        return EINVAL;
    memcpy(name, prefix, sizeof prefix - 1);
    memcpy(name + sizeof prefix - 1, text, n);
    name[sizeof prefix - 1 + n] = '\0';
    if (aspects_have(a, name))
        return EINVAL;
    return aspects_add(a, ASPECTS_BEGIN, name, text + n + 1);
}

int
aspects_add_random(struct aspects *a, size_t n, uint64_t seed)
{
    static const char digits[64] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "abcdefghijklmnopqrstuvwxyz0123456789-_";
    static const char name[] = "x-amz-meta-random";
    uint64_t state = random_fork(seed, USE_METADATA);
    int err = begin(a, ASPECTS_BEGIN, name, sizeof name - 1);

    for (size_t i = 0; err == 0 && i < n; i++)
        err = buf_addc(&a->texts, digits[random_below(&state, 64)]);
    return end(a, err);
}

/* One tag of N bytes: its name, '=', its value. */
static int
add_tag(struct buf *out, const char *text, size_t n)
{
    const char *equals = memchr(text, '=', n);
    int err;

    if (equals == NULL || equals == text)
        return EINVAL;
    err = uri_encode(out, text, (size_t) (equals - text), false);
    if (err == 0)
        err = buf_addc(out, '=');
    n -= (size_t) (equals + 1 - text);
    return err != 0 ? err : uri_encode(out, equals + 1, n, false);
}

int
aspects_add_tags(struct aspects *a, const char *text)
{
    static const char name[] = "x-amz-tagging";
    int err = begin(a, ASPECTS_BEGIN, name, sizeof name - 1);

    for (bool first = true; err == 0 && (first || *text != '\0');
         first = false) {
        size_t n = strcspn(text, ",");

        if (!first)
            err = buf_addc(&a->texts, '&');
        if (err == 0)
            err = add_tag(&a->texts, text, n);
        text += n;
        if (err == 0 && *text == ',' && *++text == '\0')
            err = EINVAL; /* nothing follows the last comma */
    }
    return end(a, err);
}

/* The three headers of the customer's key, which all begin with PREFIX. */
static int
add_customer(struct aspects *a, unsigned when, const char *prefix,
             const struct sse *s)
{
    const char *const rows[][2] = {
        {"algorithm", "AES256"}, {"key", s->key}, {"key-MD5", s->key_md5}};
    char name[96];
    int err = 0;

    for (size_t i = 0; err == 0 && i < sizeof rows / sizeof *rows; i++) {
        snprintf(name, sizeof name,
                 "x-amz-%sserver-side-encryption-customer-%s", prefix,
                 rows[i][0]);
        err = aspects_add(a, when, name, rows[i][1]);
    }
    return err;
}

int
aspects_add_sse(struct aspects *a, const struct sse *s)
{
    static const char name[] = "x-amz-server-side-encryption";
    static const char key_name[] =
        "x-amz-server-side-encryption-aws-kms-key-id";
    const unsigned objects = ASPECTS_BEGIN | ASPECTS_COPY;
    int err = 0;

    switch (s->kind) {
    case SSE_NONE:
        break;
    case SSE_S3:
        err = aspects_add(a, objects, name, "AES256");
        break;
    case SSE_KMS:
        err = aspects_add(a, objects, name, "aws:kms");
        if (err == 0 && s->key_id != NULL)
            err = aspects_add(a, objects, key_name, s->key_id);
        break;
    case SSE_C:
        err = add_customer(a, objects | ASPECTS_PART | ASPECTS_READ, "", s);
        if (err == 0)
            err = add_customer(a, ASPECTS_COPY, "copy-source-", s);
        break;
    }
    return err;
}

int
aspects_add_retention(struct aspects *a, const char *text, time_t wall)
{
    static const struct {
        const char *name, *mode;
    } modes[] = {{"governance:", "GOVERNANCE"}, {"compliance:", "COMPLIANCE"}};
    char until[CLOCK_ISO_SIZE];
    int64_t ns = 0;
    size_t i = 0;
    int err;

    while (i < sizeof modes / sizeof *modes &&
           strncmp(text, modes[i].name, strlen(modes[i].name)) != 0)
        i++;
    if (i == sizeof modes / sizeof *modes ||
        !units_parse_duration(&ns, text + strlen(modes[i].name)) ||
        ns < CLOCK_NS_PER_S)
        return EINVAL;
    clock_format_iso(until, wall + (time_t) (ns / CLOCK_NS_PER_S));
    err =
        aspects_add(a, ASPECTS_BEGIN, "x-amz-object-lock-mode", modes[i].mode);
    return err != 0 ? err
                    : aspects_add(a, ASPECTS_BEGIN,
                                  "x-amz-object-lock-retain-until-date", until);
}

int
aspects_add_match(struct aspects *a, const char *text)
{
    bool quoted = text[0] == '"' || strcmp(text, "*") == 0;
    int err = begin(a, ASPECTS_BECOME, "If-Match", strlen("If-Match"));

    if (!aspects_is_value(text))
        err = EINVAL;
    if (err == 0)
        err = buf_addf(&a->texts, quoted ? "%s" : "\"%s\"", text);
    return end(a, err);
}
