/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "service.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <net/if.h>

#include "complain.h"
#include "route.h"
#include "service_parts.h"
#include "version.h"

#define TEXTS_MAX 65536

static bool
is_aws(const char *url)
{
    return strcmp(url, "aws") == 0;
}

/* Add an endpoint; STATUS is what a bad one means. */
static int
add_endpoint(struct service *s, const char *text, int status)
{
    int err = endpoints_add(&s->endpoints, text);

    if (err == EINVAL)
        return complain(status, "%s", s->endpoints.why);
    return err == 0 ? 0 : complain(status, "%s", strerror(err));
}

/* Those in PATH. */
static int
add_file(struct service *s, const char *path)
{
    char text[4096 + 8];

    if (snprintf(text, sizeof text, "file:%s", path) >= (int) sizeof text)
        return complain(2, "the name of --endpoint-file is too long");
    return add_endpoint(s, text, 2);
}

/* Those that options name. "aws" waits for the region. */
static int
read_endpoints(struct service *s, const struct options *o)
{
    const struct options_list *list = &o->endpoints;
    int status = 0;

    endpoints_init(&s->endpoints);
    if (!endpoints_parse_way(&s->way, o->endpoint_select))
        return complain(2,
                        "bad endpoint-select '%s': it is roundrobin, "
                        "least-busy or per-lane",
                        o->endpoint_select);
    if (o->endpoint_file != NULL)
        return add_file(s, o->endpoint_file);
    if (list->count == 1 && is_aws(list->items[0]))
        return 0;
    for (size_t i = 0; status == 0 && i < list->count; i++)
        status = is_aws(list->items[i])
                     ? complain(2, "the endpoint aws goes with no other")
                     : add_endpoint(s, list->items[i], 2);
    return status;
}

/* Options, then environment and profile, then AWS. */
static int
find_endpoint(struct service *s, const struct options *o)
{
    struct endpoints *e = &s->endpoints;
    const char *url = s->creds.endpoint_url;
    char aws[ENDPOINT_HOST_MAX + 16];
    struct endpoint home;
    int status = 0;

    if (e->count == 0 &&
        (o->endpoints.count > 0 || url == NULL || is_aws(url))) {
        if (!endpoint_aws(&home, s->creds.region))
            return complain(3, "'%s' is no region of AWS", s->creds.region);
        snprintf(aws, sizeof aws, "https://%s", home.host);
        url = aws;
    }
    if (e->count == 0)
        status = add_endpoint(s, url, 3);
    if (status == 0 && e->count > 1 && options_are_for_one(o))
        status = complain(2, "%s takes one endpoint, not %zu",
                          options_verb_name(o->verb), e->count);
    if (status == 0)
        s->request.endpoint = e->items[0].endpoint;
    return status;
}

/* Whose keys come first. */
static const char *
first_profile(const struct service *s, const struct options *o)
{
    const struct endpoints *e = &s->endpoints;

    return e->count > 0 && e->items[0].profile != NULL ? e->items[0].profile
                                                       : o->profile;
}

/* Whether LINE has something that would break out of its header. */
static bool
has_control(const char *line)
{
    for (; *line != '\0'; line++)
        if ((unsigned char) *line < 0x20 && *line != '\t')
            return true;
    return false;
}

static int
add_header(struct service *s, const char *line, bool sent)
{
    static const char token[] = "!#$%&'*+-.^_`|~0123456789"
                                "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t name = strspn(line, token);
    struct request_header *h = &s->headers[s->request.header_count];
    const char *why, *value = line + name + 1;

    h->name = s->texts.data + s->texts.len;
    /* Reserved at once in service_init(), so the texts do not move. */
    buf_add(&s->texts, line, name);
    buf_addc(&s->texts, '\0');
    why = request_header_refused(h->name, sent);
    if (why != NULL) /* the value may be a secret */
        return complain(2, "bad header '%s': %s", h->name, why);
    if (name == 0 || line[name] != ':' || has_control(line))
        return complain(2, "bad header '%s': it is 'NAME: VALUE'", line);
    value += strspn(value, " \t");
    h->value = s->texts.data + s->texts.len;
    buf_add(&s->texts, value, strlen(value) + 1);
    s->request.header_count++;
    return 0;
}

static int
add_headers(struct service *s, const struct options *o)
{
    size_t size = 0;
    int status = 0;

    for (size_t i = 0; i < o->headers.count; i++)
        size += strlen(o->headers.items[i]) + 2;
    if (size > 0 && buf_reserve(&s->texts, size) != 0)
        return complain(2, "the headers are too long");
    for (size_t i = 0; status == 0 && i < o->headers.count; i++)
        status = add_header(s, o->headers.items[i],
                            o->verb != VERB_SIGN && o->verb != VERB_PRESIGN);
    return status;
}

static int
choose_payload_hash(struct service *s, const struct options *o)
{
    const char *how = o->payload_hash;

    s->request.sign_payload = !s->request.endpoint.tls ||
                              s->creds.payload == CREDENTIALS_PAYLOAD_SIGNED;
    if (how == NULL || o->verb == VERB_SIGN)
        return 0;
    s->request.sign_payload = strcmp(how, "signed") == 0;
    if (!s->request.sign_payload && strcmp(how, "unsigned") != 0)
        return complain(2, "bad payload-hash '%s': it is signed or unsigned",
                        how);
    return 0;
}

static int
choose_signer(struct service *s, const struct options *o)
{
    const char *version = o->signature;

    if (version == NULL)
        version = s->creds.signature_v2 ? "v2" : "v4";
    s->request.signer = signer_find(version);
    if (s->request.signer == NULL)
        return complain(2, "bad signature '%s': it is v2 or v4", version);
    if (s->request.signer->payload_header)
        return 0;
    s->request.sign_payload = false;
    return o->payload_hash == NULL
               ? 0
               : complain(2,
                          "--payload-hash does not go with --signature %s, "
                          "which signs no payload",
                          version);
}

/* The form says what of a body is signed, so nothing else may. */
static int
choose_chunked(struct service *s, const struct options *o)
{
    static const char *const own[] = {
        "content-encoding", "x-amz-decoded-content-length", "x-amz-trailer"};

    if (o->chunked == NULL)
        return 0;
    if (!chunked_parse(&s->request.chunked, o->chunked))
        return complain(2,
                        "bad chunked '%s': it is signed, signed-trailer or "
                        "unsigned-trailer",
                        o->chunked);
    if (!s->request.signer->payload_header)
        return complain(2, "--chunked does not go with --signature v2");
    if (o->payload_hash != NULL)
        return complain(2, "--payload-hash does not go with --chunked, which "
                           "says itself what is signed");
    for (size_t i = 0; i < s->request.header_count; i++)
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            if (strcasecmp(s->headers[i].name, own[k]) == 0)
                return complain(2, "bad header '%s': --chunked sets it itself",
                                s->headers[i].name);
    s->request.sign_payload = false; /* not ahead, as a whole */
    return 0;
}

static int
choose_signing(struct service *s, const struct options *o)
{
    int status = choose_payload_hash(s, o);

    if (status == 0)
        status = choose_signer(s, o);
    return status != 0 ? status : choose_chunked(s, o);
}

/* The keys of the first endpoint. */
static int
load_keys(struct service *s, const struct options *o)
{
    const char *profile = first_profile(s, o);

    if (profile != NULL && o->s3cfg != NULL)
        return complain(2, "%s does not go with --s3cfg",
                        o->profile != NULL ? "--profile"
                                           : "an endpoint's profile");
    if (credentials_load(&s->creds, profile, o->region, o->s3cfg) != 0)
        return complain(3, "%s", s->creds.error);
    if (s->creds.access_key == NULL && o->verb != VERB_WHOAMI &&
        o->verb != VERB_PROBE)
        return complain(3, "no credentials: set AWS_ACCESS_KEY_ID and "
                           "AWS_SECRET_ACCESS_KEY, or name a --profile");
    return 0;
}

int
service_init(struct service *s, const struct options *o)
{
    int status;

    memset(s, 0, sizeof *s);
    buf_init(&s->texts, TEXTS_MAX);
    buf_init(&s->url, 2048);
    aspects_init(&s->aspects);
    credentials_init(&s->creds);
    status = read_endpoints(s, o);
    if (status == 0)
        status = load_keys(s, o);
    if (status == 0)
        status = find_endpoint(s, o);
    if (status == 0)
        status = add_headers(s, o);
    if (status == 0)
        status = choose_signing(s, o);
    if (status == 0)
        status = service_choose_tls(s, o);
    if (status == 0)
        status = service_choose_aspects(s, o);
    if (status != 0)
        return status;
    s->request.addressing =
        o->addressing_set ? o->addressing : s->creds.addressing;
    s->request.creds = &s->creds;
    s->request.region = s->creds.region;
    s->request.headers = s->headers;
    s->request.user_agent = "s3op/" S3PERF_VERSION;
    s->ca_file = o->cacert != NULL ? o->cacert : s->creds.ca_bundle;
    s->insecure = o->insecure || (s->creds.insecure && o->endpoints.count == 0);
    return endpoints_add_names(&s->url, &s->endpoints) == 0 ? 0 : 3;
}

int
service_check_ca(const struct service *s, const struct options *o)
{
    FILE *f;

    if (!s->request.endpoint.tls || s->ca_file == NULL || s->insecure)
        return 0;
    f = fopen(s->ca_file, "re");
    if (f == NULL)
        return complain(o->cacert != NULL ? 2 : 3, "cannot read '%s': %s",
                        s->ca_file, strerror(errno));
    fclose(f);
    return 0;
}

int
service_check_route(const struct service *s, const struct options *o)
{
    struct route_entry entry;
    const char *why, *culprit;

    for (size_t i = 0; i < o->resolves.count; i++)
        if (!route_parse(&entry, o->resolves.items[i]))
            return complain(2, "bad resolve '%s': it is HOST:PORT:ADDRESS",
                            o->resolves.items[i]);
    if (o->interface != NULL && !route_is_address(o->interface) &&
        if_nametoindex(o->interface) == 0)
        return complain(2,
                        "bad interface '%s': no interface of this machine "
                        "has that name, and it is no address",
                        o->interface);
    if (o->key != NULL && o->cert == NULL)
        return complain(2, "--key needs the certificate: --cert");
    if (o->cert == NULL)
        return 0;
    if (!s->request.endpoint.tls)
        return complain(2, "--cert needs an https endpoint");
    why = route_check_certificate(o->cert, o->key, &culprit);
    return why == NULL ? 0 : complain(2, "'%s' %s", culprit, why);
}

void
service_clear(struct service *s)
{
    service_forget(s);
    credentials_clear(&s->creds);
    endpoints_clear(&s->endpoints);
    aspects_clear(&s->aspects);
    buf_clear(&s->texts);
    buf_clear(&s->url);
}
