/* SPDX-License-Identifier: MIT */
/* What the likely cause of a failure is, and its cure. */
#include "config.h"

#include "results.h"

#include <string.h>
#include <strings.h>

#include "exchange.h"

/* What may be asked about a failure besides its code. */
enum when {
    ALWAYS,
    WITH_V2, /* it was signed with version 2 */
    WITH_V4,
    WITH_VIRTUAL, /* the bucket was in the host's name */
    WITH_CHUNKED,
    WITH_LOCATION, /* a LocationConstraint was sent */
    WITHOUT_TLS,
    WITHOUT_TLS_NO_HEAD /* ... and the answer could have had a body */
};

/* The first row that fits is told. */
struct hint {
    const char *code; /* S3's, or the transport's error */
    const char *part; /* of the message; NULL: any */
    enum when when;
    const char *text;
};

static const struct hint hints[] = {
    {"certificate", NULL, WITH_VIRTUAL,
     "--cacert FILE names whom to trust, --insecure trusts anybody; if it is"
     " good for the endpoint's own name only, --addressing path"},
    {"certificate", NULL, ALWAYS,
     "--cacert FILE names whom to trust, --insecure trusts anybody"},
    {"lookup", NULL, WITH_VIRTUAL,
     "the bucket is part of this name; --addressing path keeps it out"},
    {"tls", NULL, ALWAYS, "does the endpoint speak TLS? if not, use http://"},
    {"protocol", NULL, WITHOUT_TLS, "if the endpoint speaks TLS, use https://"},
    {"BadRequest", NULL, WITHOUT_TLS_NO_HEAD,
     "if the endpoint speaks TLS, use https://"},
    {"SignatureDoesNotMatch", NULL, ALWAYS,
     "the secret key is another one, or a proxy changes Host or the path;"
     " --trace-signing shows what was signed"},
    {"InvalidAccessKeyId", NULL, ALWAYS,
     "s3op whoami shows where the keys came from"},
    {"ExpiredToken", NULL, ALWAYS, "the session is over: get new keys"},
    {"InvalidToken", NULL, ALWAYS,
     "AWS_SESSION_TOKEN is of other keys, or the server knows none"},
    {"AuthorizationHeaderMalformed", NULL, ALWAYS,
     "--region NAME is what is signed for"},
    {"AuthorizationQueryParametersError", NULL, ALWAYS,
     "--region NAME is what is signed for"},
    {"PermanentRedirect", NULL, ALWAYS,
     "--endpoint and --region say where the bucket is"},
    {"TemporaryRedirect", NULL, ALWAYS, "--endpoint URL goes there"},
    {"InvalidLocationConstraint", NULL, WITH_LOCATION,
     "--location none sends none"},
    {"InvalidLocationConstraint", NULL, ALWAYS,
     "--location NAME sends another"},
    {"IllegalLocationConstraintException", NULL, ALWAYS,
     "the endpoint is another region's: --region or --endpoint,"
     " or --location NAME"},
    {"MalformedXML", NULL, WITH_LOCATION, "--location none sends none"},
    {"InvalidRequest", "AWS4-HMAC-SHA256", WITH_V2, "--signature v4"},
    {"AccessDenied", "AWS4-HMAC-SHA256", WITH_V2, "--signature v4"},
    {"InvalidArgument", "uthorization", WITH_V4,
     "an old store may want --signature v2"},
    {"InvalidRequest", "uthorization", WITH_V4,
     "an old store may want --signature v2"},
    {"AccessDenied", "uthorization", WITH_V4,
     "an old store may want --signature v2"},
    {"InvalidRequest", "Content-MD5", ALWAYS, "--checksum sends one"},
    {"MissingContentMD5", NULL, ALWAYS, "--checksum md5 sends one"},
    {"InvalidRequest", "Server Side Encryption", ALWAYS,
     "--sse c sends the key along"},
    {"InvalidSecurity", NULL, WITH_V4, "an old store may want --signature v2"},
    {"InvalidURI", NULL, WITH_VIRTUAL, "try --addressing path"},
    {"NoSuchBucket", NULL, WITH_VIRTUAL,
     "if the bucket is there, the server may want --addressing path"},
    {"XAmzContentSHA256Mismatch", NULL, WITH_CHUNKED,
     "the server may lack this form of --chunked"},
    {"XAmzContentSHA256Mismatch", NULL, ALWAYS,
     "something on the way changes bodies or headers;"
     " --payload-hash unsigned leaves the body out"},
    {"NotImplemented", "ransfer-", ALWAYS,
     "something on the way sends the body in pieces"},
};

static bool
fits(const struct results *r, enum when when)
{
    const struct report_asked *asked = &r->report->asked;
    bool v2 = strcmp(asked->payload_hash, "none") == 0;

    switch (when) {
    case WITH_V2:
        return v2;
    case WITH_V4:
        return !v2;
    case WITH_VIRTUAL:
        return strcmp(asked->addressing, "virtual") == 0;
    case WITH_CHUNKED:
        return r->o->chunked != NULL;
    case WITH_LOCATION:
        return r->o->location == NULL || strcmp(r->o->location, "none") != 0;
    case WITHOUT_TLS_NO_HEAD:
        return r->o->verb != VERB_HEAD && fits(r, WITHOUT_TLS);
    case WITHOUT_TLS:
        return strncmp(asked->endpoint, "http:", 5) == 0;
    default:
        return true;
    }
}

/* What the server may lack, of what was asked for. */
static const char *
lacking(const struct options *o)
{
    const struct {
        bool asked;
        const char *text;
    } rows[] = {
        {o->sse != NULL, "the server may lack what --sse asks for"},
        {o->retention != NULL || o->legal_hold || o->object_lock ||
             o->bypass_governance || o->verb == VERB_RELEASE,
         "the server may lack object lock"},
        {o->append, "the server may lack appends"},
        {o->versioned || o->versions || o->version_id != NULL,
         "the server may lack versions"},
        {o->if_none_match || o->if_match != NULL,
         "the server may lack conditional writes"},
        {o->tags != NULL, "the server may lack --tags"},
        {o->checksum != NULL, "the server may lack --checksum"},
        {o->storage_class != NULL, "the server may lack --storage-class"},
        {o->chunked != NULL, "the server may lack --chunked"},
        {o->batch > 0 || o->target_count > 1,
         "the server may lack the deletion of many keys with one request"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].asked)
            return rows[i].text;
    return NULL;
}

const char *
results_hint(const struct results *r, const struct report_failure *f)
{
    const char *name = f->code[0] != '\0' ? f->code : f->transport;

    for (size_t i = 0; name != NULL && i < sizeof hints / sizeof *hints; i++)
        if (strcmp(hints[i].code, name) == 0 &&
            (hints[i].part == NULL ||
             strcasestr(f->message, hints[i].part) != NULL) &&
            fits(r, hints[i].when))
            return hints[i].text;
    return name != NULL && strcmp(name, "NotImplemented") == 0 ? lacking(r->o)
                                                               : NULL;
}
