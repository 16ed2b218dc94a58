/* SPDX-License-Identifier: MIT */
/* From options to what requests say of objects. */
#include "config.h"

#include "service.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "complain.h"
#include "service_parts.h"

/* What ERR means of --NAME VALUE, which should be SHAPE. */
static int
check(int err, const char *name, const char *value, const char *shape)
{
    if (err == EINVAL)
        return complain(2, "bad %s '%s': it is %s", name, value, shape);
    if (err == E2BIG || err == EMSGSIZE)
        return complain(2,
                        "--%s is too much: a request has room for %d headers"
                        " about objects, of 64 KiB",
                        name, ASPECTS_MAX);
    return err == 0 ? 0 : complain(2, "%s", strerror(err));
}

/* Add the header NAME, of --OPTION VALUE; without a VALUE, nothing. */
static int
add_text(struct aspects *a, unsigned when, const char *option, const char *name,
         const char *value)
{
    if (value == NULL)
        return 0;
    return check(aspects_is_value(value) ? aspects_add(a, when, name, value)
                                         : EINVAL,
                 option, value, "the text of a header");
}

static int
add_metadata(struct aspects *a, const struct options *o)
{
    const struct options_list *list = &o->metadata;
    int status = 0;

    for (size_t i = 0; status == 0 && i < list->count; i++)
        status = check(aspects_add_metadata(a, list->items[i]), "metadata",
                       list->items[i], "K=V, each K once");
    if (status != 0 || o->metadata_size == 0)
        return status;
    if (o->metadata_size > ASPECTS_RANDOM_MAX)
        return complain(2, "bad metadata-size: it is at most %d",
                        ASPECTS_RANDOM_MAX);
    if (aspects_have(a, "x-amz-meta-random"))
        return complain(2,
                        "bad metadata: random is what --metadata-size makes");
    return check(aspects_add_random(a, (size_t) o->metadata_size, o->seed),
                 "metadata-size", "", "");
}

/* Locks, and conditions. */
static int
add_rules(struct aspects *a, const struct options *o)
{
    const struct {
        bool asked;
        unsigned when;
        const char *option, *name, *value;
    } rows[] = {
        {o->if_none_match, ASPECTS_BECOME, "if-none-match", "If-None-Match",
         "*"},
        {o->legal_hold, ASPECTS_BEGIN, "legal-hold",
         "x-amz-object-lock-legal-hold", "ON"},
        {o->bypass_governance, ASPECTS_DELETE, "bypass-governance",
         "x-amz-bypass-governance-retention", "true"},
        {o->object_lock, ASPECTS_BUCKET, "object-lock",
         "x-amz-bucket-object-lock-enabled", "true"},
    };
    int status = 0;

    for (size_t i = 0; status == 0 && i < sizeof rows / sizeof *rows; i++)
        if (rows[i].asked)
            status =
                check(aspects_add(a, rows[i].when, rows[i].name, rows[i].value),
                      rows[i].option, rows[i].value, "");
    if (status == 0 && o->if_match != NULL)
        status = check(aspects_add_match(a, o->if_match), "if-match",
                       o->if_match, "an ETag or *");
    if (status == 0 && o->retention != NULL)
        status = check(aspects_add_retention(a, o->retention, clock_wall()),
                       "retention", o->retention,
                       "governance:TIME or compliance:TIME, 1s at least");
    return status;
}

static int
choose_checksum(struct service *s, const struct options *o)
{
    enum checksum_kind *kind = &s->request.checksum;

    if (o->checksum == NULL)
        return 0;
    if (!checksum_parse(kind, o->checksum))
        return complain(2,
                        "bad checksum '%s': it is crc32, crc32c, crc64nvme, "
                        "sha1, sha256 or md5",
                        o->checksum);
    if (*kind == CHECKSUM_MD5 && o->verb != VERB_PUT)
        return complain(2, "--checksum md5 is for put: servers do not tell it");
    if (*kind == CHECKSUM_MD5 && request_trailer(&s->request) != CHECKSUM_NONE)
        return complain(2, "--checksum md5 does not go into a trailer");
    if (o->range != NULL)
        return complain(2, "--checksum is of whole objects, not of a --range");
    return 0;
}

/* The customer's key goes nowhere where others could read it. */
static int
check_ways(const struct service *s, const struct options *o)
{
    const struct endpoints *e = &s->endpoints;

    for (size_t i = 0; i < e->count; i++)
        if (!e->items[i].endpoint.tls &&
            (o->proxy != NULL || o->resolves.count > 0 ||
             !endpoint_is_loopback(&e->items[i].endpoint)))
            return complain(2,
                            "--sse c sends its key along: not over plain http "
                            "to %s, only over https or on this machine",
                            e->items[i].endpoint.host);
    return 0;
}

static int
take_key(struct sse *sse)
{
    int err = sse_take_key(sse);

    if (err == ENOENT)
        return complain(3,
                        "no key for --sse c: what was put with one that is "
                        "in " SSE_VARIABLE ", or by the same job, can be read");
    if (err == EINVAL)
        return complain(3,
                        "bad " SSE_VARIABLE ": it is the base64 of 32 bytes");
    return err == 0 ? 0 : complain(3, "%s", strerror(err));
}

static int
choose_sse(struct service *s, const struct options *o)
{
    struct sse sse = {.kind = SSE_NONE};
    int status = 0;

    if (o->sse == NULL)
        return 0;
    if (!sse_parse(&sse, o->sse) ||
        (sse.key_id != NULL && !aspects_is_value(sse.key_id)))
        return complain(2, "bad sse '%s': it is s3, kms, kms:KEY-ID or c",
                        o->sse);
    if (sse.kind != SSE_C &&
        (o->verb == VERB_GET || o->verb == VERB_HEAD || o->upload_id != NULL))
        return complain(2,
                        "--sse %s is said of an object as it begins; only c is "
                        "said again",
                        o->sse);
    if (sse.kind == SSE_C)
        status = check_ways(s, o);
    if (status == 0 && sse.kind == SSE_C)
        status = take_key(&sse);
    if (status == 0)
        status = check(aspects_add_sse(&s->aspects, &sse), "sse", o->sse, "");
    sse_clear(&sse);
    return status;
}

/* Whether HEADER of the user's is one that --checksum sets. */
static bool
is_checksum(const struct service *s, const char *header)
{
    return s->request.checksum != CHECKSUM_NONE &&
           (strncasecmp(header, "x-amz-checksum-", 15) == 0 ||
            strcasecmp(header, "Content-MD5") == 0);
}

/* Neither may the user's own headers say it once more. */
static int
check_headers(const struct service *s)
{
    for (size_t i = 0; i < s->request.header_count; i++)
        if (aspects_have(&s->aspects, s->headers[i].name) ||
            is_checksum(s, s->headers[i].name))
            return complain(2, "bad header '%s': another option sets it",
                            s->headers[i].name);
    return 0;
}

int
service_choose_aspects(struct service *s, const struct options *o)
{
    struct aspects *a = &s->aspects;
    int status = choose_checksum(s, o);

    if (status == 0)
        status = add_text(a, ASPECTS_BEGIN, "content-type", "Content-Type",
                          o->content_type);

    if (status == 0)
        status = add_metadata(a, o);
    if (status == 0 && o->tags != NULL)
        status =
            check(aspects_add_tags(a, o->tags), "tags", o->tags, "K=V,K=V,...");
    if (status == 0)
        status = add_text(a, ASPECTS_BEGIN | ASPECTS_COPY, "storage-class",
                          "x-amz-storage-class", o->storage_class);
    if (status == 0)
        status = add_rules(a, o);
    if (status == 0 && a->count > 0 && o->verb == VERB_PUT &&
        o->upload_id != NULL)
        status = complain(2,
                          "%s is said of an object as it begins, not of a "
                          "part",
                          aspects_name(a, 0));
    if (status == 0)
        status = choose_sse(s, o);
    return status != 0 ? status : check_headers(s);
}
