/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "whoami.h"

#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "complain.h"
#include "json.h"
#include "print.h"
#include "service.h"

#define TEXT_MAX ((size_t) 1 << 20)
#define MASK_SIZE 16 /* 4 characters, 4 stars, 4 characters, NUL */

static const char command_line[] = "command line";

/* One line: a value and its source. */
struct line {
    const char *name; /* in JSON, with _ for blanks */
    const char *value; /* NULL: there is none */
    const char *none; /* what to print then */
    struct credentials_source from; /* kind NULL: not worth a word */
};

enum row {
    ENDPOINT,
    REGION,
    PROFILE,
    KEY_ID,
    SECRET_KEY,
    TOKEN,
    EXPIRES,
    CA_BUNDLE,
    CERTIFICATE,
    ADDRESSING,
    PAYLOAD,
    SIGNATURE,
    ROWS
};

struct page {
    const struct options *o;
    struct service service;
    char key_id[MASK_SIZE], expires[CLOCK_ISO_SIZE];
    struct line lines[ROWS];
};

/* Enough of KEY to know it by: at most half of it. */
static void
mask(char out[MASK_SIZE], const char *key)
{
    size_t n = strlen(key);
    int shown = n / 4 < 4 ? (int) (n / 4) : 4;

    snprintf(out, MASK_SIZE, "%.*s****%s", shown, key, key + n - shown);
}

/* The option's source if it was given, else what was loaded. */
static struct credentials_source
source_of(const struct page *p, enum credentials_value value, bool given,
          const char *option)
{
    if (given)
        return (struct credentials_source){command_line, option};
    return p->service.creds.from[value];
}

static const char *
addressing_name(enum addressing addressing)
{
    switch (addressing) {
    case ADDRESSING_PATH:
        return "path";
    case ADDRESSING_VIRTUAL:
        return "virtual";
    case ADDRESSING_AUTO:
        break;
    }
    return "auto";
}

static void
fill_keys(struct page *p)
{
    const struct credentials *creds = &p->service.creds;
    struct credentials_source from = creds->from[CREDENTIALS_KEYS];
    const char *id = NULL;

    if (creds->access_key != NULL) {
        mask(p->key_id, creds->access_key);
        id = p->key_id;
    } else {
        from = (struct credentials_source){NULL, NULL};
    }
    p->lines[KEY_ID] = (struct line){"key_id", id, "none", from};
    p->lines[SECRET_KEY] =
        (struct line){"secret_key",
                      creds->secret_key != NULL ? "present" : NULL,
                      "none",
                      {NULL, NULL}};
    p->lines[TOKEN] =
        (struct line){"session_token",
                      creds->session_token != NULL ? "present" : NULL,
                      "none",
                      {NULL, NULL}};
    if (creds->expires != 0)
        clock_format_iso(p->expires, creds->expires);
    p->lines[EXPIRES] = (struct line){"expires",
                                      creds->expires != 0 ? p->expires : NULL,
                                      "not known",
                                      {NULL, NULL}};
}

static void
fill_service(struct page *p)
{
    const struct options *o = p->o;
    const struct service *s = &p->service;
    struct credentials_source from;

    p->lines[ENDPOINT] =
        (struct line){"endpoint", s->url.data, "none",
                      source_of(p, CREDENTIALS_ENDPOINT, o->endpoints.count > 0,
                                "--endpoint")};
    p->lines[REGION] = (struct line){"region", s->creds.region, "none",
                                     s->creds.from[CREDENTIALS_REGION]};
    p->lines[PROFILE] = (struct line){"profile", s->creds.profile, "none",
                                      s->creds.from[CREDENTIALS_PROFILE]};
    p->lines[CA_BUNDLE] = (struct line){
        "ca_bundle", s->ca_file, "the system's",
        source_of(p, CREDENTIALS_CA_BUNDLE, o->cacert != NULL, "--cacert")};
    from = source_of(p, CREDENTIALS_INSECURE, o->insecure, "--insecure");
    if (!s->insecure)
        from = (struct credentials_source){"default", NULL};
    p->lines[CERTIFICATE] = (struct line){"certificate",
                                          !s->request.endpoint.tls ? NULL
                                          : s->insecure ? "not verified"
                                                        : "verified",
                                          "none with http", from};
    p->lines[ADDRESSING] = (struct line){
        "addressing", addressing_name(s->request.addressing), "none",
        source_of(p, CREDENTIALS_ADDRESSING, o->addressing_set,
                  "--addressing")};
}

static void
fill_signing(struct page *p)
{
    const struct service *s = &p->service;
    struct credentials_source from = source_of(
        p, CREDENTIALS_PAYLOAD, p->o->payload_hash != NULL, "--payload-hash");

    /* a profile's wish does not count with http */
    if (p->o->payload_hash == NULL && !s->request.endpoint.tls)
        from = (struct credentials_source){"default", NULL};
    p->lines[PAYLOAD] = (struct line){"payload_hash",
                                      !s->request.signer->payload_header ? NULL
                                      : s->request.sign_payload ? "signed"
                                                                : "unsigned",
                                      "none with v2", from};
    p->lines[SIGNATURE] =
        (struct line){"signature", s->request.signer->name, "none",
                      source_of(p, CREDENTIALS_SIGNATURE,
                                p->o->signature != NULL, "--signature")};
}

/* Control bytes of a file must not reach the terminal. */
static int
add_safe(struct buf *out, const char *text)
{
    int err = 0;

    for (; *text != '\0' && err == 0; text++)
        if ((unsigned char) *text < 0x20 || *text == 0x7f)
            err = buf_addf(out, "\\x%02x", (unsigned) (unsigned char) *text);
        else
            err = buf_addc(out, *text);
    return err;
}

static int
add_line(struct buf *out, const struct line *line)
{
    char label[16];
    int err;

    snprintf(label, sizeof label, "%s", line->name);
    for (char *c = label; *c != '\0'; c++)
        if (*c == '_')
            *c = ' ';
    err = buf_addf(out, "%-14s", label);
    if (err == 0)
        err = add_safe(out, line->value != NULL ? line->value : line->none);
    if (err == 0 && line->from.kind != NULL && line->from.name != NULL)
        err = buf_addf(out, "  (%s: %s)", line->from.kind, line->from.name);
    else if (err == 0 && line->from.kind != NULL)
        err = buf_addf(out, "  (%s)", line->from.kind);
    return err == 0 ? buf_addc(out, '\n') : err;
}

static int
add_file(struct buf *out, const char *kind, const struct credentials_path *f)
{
    int err;

    if (f->path == NULL)
        return 0;
    err = buf_addf(out, "%-18s", kind);
    if (err == 0)
        err = add_safe(out, f->path);
    return err == 0 ? buf_adds(out, f->used ? "\n" : "  (not used)\n") : err;
}

static int
add_text(struct buf *out, const struct page *p)
{
    const struct credentials *creds = &p->service.creds;
    int err = 0;

    for (size_t i = 0; i < ROWS && err == 0; i++)
        if (i != EXPIRES || p->lines[i].value != NULL)
            err = add_line(out, &p->lines[i]);
    if (err == 0)
        err = add_file(out, "credentials file", &creds->credentials_file);
    if (err == 0)
        err = add_file(out, "config file", &creds->config_file);
    if (err == 0)
        err = add_file(out, "s3cmd file", &creds->s3cfg_file);
    return err;
}

static void
json_file(struct json *j, const char *key, const struct credentials_path *f)
{
    json_open(j, key, '{');
    json_string(j, "path", f->path);
    json_bool(j, "used", f->used);
    json_close(j, '}');
}

static int
add_json(struct buf *out, const struct page *p)
{
    const struct credentials *creds = &p->service.creds;
    struct json j;

    json_init(&j, out);
    json_open(&j, NULL, '{');
    json_string(&j, "format", WHOAMI_FORMAT);
    for (size_t i = 0; i < ROWS; i++) {
        json_open(&j, p->lines[i].name, '{');
        json_string(&j, "value", p->lines[i].value);
        json_string(&j, "source", p->lines[i].from.kind);
        json_string(&j, "name", p->lines[i].from.name);
        json_close(&j, '}');
    }
    json_file(&j, "credentials_file", &creds->credentials_file);
    json_file(&j, "config_file", &creds->config_file);
    json_file(&j, "s3cmd_file", &creds->s3cfg_file);
    json_close(&j, '}');
    return j.err == 0 ? buf_addc(out, '\n') : j.err;
}

static int
print(const struct page *p)
{
    struct buf out;
    int err;

    buf_init(&out, TEXT_MAX);
    err = p->o->json ? add_json(&out, p) : add_text(&out, p);
    return print_made(&out, err, "whoami");
}

int
whoami_print(const struct options *o)
{
    struct page p = {.o = o};
    int status;

    if (o->target_count > 0)
        return complain(2, "whoami takes no target");
    status = service_init(&p.service, o);
    if (status == 0) {
        fill_service(&p);
        fill_keys(&p);
        fill_signing(&p);
        status = print(&p);
    }
    if (status == 0 && p.service.creds.access_key == NULL)
        status = complain(3, "no keys were found");
    service_clear(&p.service);
    return status;
}
