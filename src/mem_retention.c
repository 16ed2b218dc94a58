/* SPDX-License-Identifier: MIT */
/* Object lock: rules of buckets, retention and legal hold of versions: see
 * mem_op.h. What is allowed says mem_lock.h. */
#include "config.h"

#include "mem_op.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "clock.h"
#include "mem_read.h"
#include "units.h"

#define MODE "x-amz-object-lock-mode"
#define UNTIL "x-amz-object-lock-retain-until-date"
#define HOLD "x-amz-object-lock-legal-hold"
#define YEARS_MAX 100 /* as AWS */

bool
mem_op_bypass(const struct mem_op *op)
{
    const char *value =
        mem_request_find(&op->request, "x-amz-bypass-governance-retention");

    return value != NULL && strcasecmp(value, "true") == 0;
}

/* The bucket, of which op->bucket tells, must have been made for locks. */
static bool
needs_lock(struct mem_op *op)
{
    if (op->bucket.lock)
        return true;
    mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                    "The bucket was not made for object lock");
    return false;
}

/* Read mode and date into LOCK. Returns: false with the answer failed. */
static bool
read_retention(struct mem_op *op, struct mem_lock *lock, const char *mode,
               const char *until)
{
    const char *wrong = NULL;

    if (!mem_lock_parse_mode(&lock->mode, mode))
        wrong = "The mode must be GOVERNANCE or COMPLIANCE";
    else if (!mem_parse_iso(&lock->until, until))
        wrong = "The retain until date must be an ISO 8601 time in UTC";
    else if (lock->until <= clock_wall())
        wrong = "The retain until date must be in the future";
    if (wrong != NULL)
        mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT, "%s", wrong);
    return wrong == NULL;
}

static bool
read_hold(struct mem_op *op, struct mem_lock *lock, const char *text)
{
    bool on = strcmp(text, "ON") == 0;

    if (!on && strcmp(text, "OFF") != 0) {
        mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                        "A legal hold can be ON or OFF");
        return false;
    }
    lock->hold = on ? MEM_HOLD_ON : MEM_HOLD_OFF;
    return true;
}

/* Uploads of what will be locked need a digest. */
static bool
check_digest(struct mem_op *op)
{
    if (!op->kind->object_body || mem_digest_is_given(&op->request))
        return true;
    mem_answer_fail(&op->answer, MEM_INVALID_REQUEST,
                    "What will be locked needs Content-MD5 or an "
                    "x-amz-checksum header");
    return false;
}

bool
mem_op_lock(struct mem_op *op, struct mem_object *o)
{
    const struct mem_request *r = &op->request;
    const char *mode = mem_request_find(r, MODE);
    const char *until = mem_request_find(r, UNTIL);
    const char *hold = mem_request_find(r, HOLD);

    if (mode == NULL && until == NULL && hold == NULL)
        return op->bucket.rule.mode == MEM_LOCK_NONE || check_digest(op);
    if (!needs_lock(op) || !check_digest(op))
        return false;
    if ((mode == NULL) != (until == NULL)) {
        mem_answer_fail(&op->answer, MEM_INVALID_ARGUMENT,
                        UNTIL " and " MODE " go only together");
        return false;
    }
    return (mode == NULL || read_retention(op, &o->lock, mode, until)) &&
           (hold == NULL || read_hold(op, &o->lock, hold));
}

void
mem_op_lock_headers(struct mem_op *op, const struct mem_object *o)
{
    struct mem_lock lock = mem_store_lock_of(op->service->store, o);
    char iso[MEM_ISO_SIZE];

    if (lock.mode != MEM_LOCK_NONE) {
        mem_format_iso(iso, lock.until);
        mem_answer_header(&op->answer, MODE, mem_lock_mode_name(lock.mode));
        mem_answer_header(&op->answer, UNTIL, iso);
    }
    if (lock.hold != MEM_HOLD_NEVER)
        mem_answer_header(&op->answer, HOLD,
                          lock.hold == MEM_HOLD_ON ? "ON" : "OFF");
}

static void
begin(struct mem_op *op)
{
    if (mem_op_needs_bucket(op))
        (void) needs_lock(op);
}

static void
begin_rule(struct mem_op *op)
{
    (void) mem_op_needs_bucket(op);
}

/* Read the body. Returns: false with the answer failed. */
static bool
read_body(struct mem_op *op, struct mem_field *fields, size_t n,
          const char *root)
{
    int err = mem_read_fields(fields, n, root, op->body.data, op->body.len);

    if (err == EINVAL)
        mem_answer_fail(&op->answer, MEM_MALFORMED_XML, NULL);
    else if (err != 0)
        mem_op_fail_errno(op, err);
    return err == 0;
}

static void
put_retention(struct mem_op *op)
{
    struct mem_field fields[] = {{.name = "Mode"}, {.name = "RetainUntilDate"}};
    const struct mem_name name = mem_op_version(op);
    struct mem_lock lock = {.mode = MEM_LOCK_NONE};
    int err;

    if (!read_body(op, fields, 2, "Retention"))
        return;
    if (fields[0].there != fields[1].there) {
        mem_answer_fail(&op->answer, MEM_MALFORMED_XML, NULL);
        return;
    }
    /* Without both: there shall be none. */
    if (fields[0].there &&
        !read_retention(op, &lock, fields[0].text, fields[1].text))
        return;
    err = mem_store_set_lock(op->service->store, &name, &lock, false,
                             mem_op_bypass(op));
    if (err != 0)
        mem_op_fail_errno(op, err);
}

static void
put_legal_hold(struct mem_op *op)
{
    struct mem_field status = {.name = "Status"};
    const struct mem_name name = mem_op_version(op);
    struct mem_lock lock;
    int err;

    if (!read_body(op, &status, 1, "LegalHold"))
        return;
    if (strcmp(status.text, "ON") != 0 && strcmp(status.text, "OFF") != 0) {
        mem_answer_fail(&op->answer, MEM_MALFORMED_XML, NULL);
        return;
    }
    (void) read_hold(op, &lock, status.text);
    err = mem_store_set_lock(op->service->store, &name, &lock, true, false);
    if (err != 0)
        mem_op_fail_errno(op, err);
}

static void
get_retention(struct mem_op *op)
{
    struct mem_found found;
    struct mem_lock lock;
    char iso[MEM_ISO_SIZE];

    if (!mem_op_find(op, &found))
        return;
    lock = mem_store_lock_of(op->service->store, found.object);
    mem_object_drop(found.object);
    if (lock.mode == MEM_LOCK_NONE) {
        mem_answer_fail(&op->answer, MEM_NO_SUCH_LOCK, NULL);
        return;
    }
    mem_format_iso(iso, lock.until);
    mem_op_xml(op, "Retention");
    mem_xml_element(&op->answer.xml, "Mode", mem_lock_mode_name(lock.mode));
    mem_xml_element(&op->answer.xml, "RetainUntilDate", iso);
    mem_op_xml_end(op, "Retention");
}

static void
get_legal_hold(struct mem_op *op)
{
    struct mem_found found;
    struct mem_lock lock;

    if (!mem_op_find(op, &found))
        return;
    lock = mem_store_lock_of(op->service->store, found.object);
    mem_object_drop(found.object);
    if (lock.hold == MEM_HOLD_NEVER) {
        mem_answer_fail(&op->answer, MEM_NO_SUCH_LOCK, NULL);
        return;
    }
    mem_op_xml(op, "LegalHold");
    mem_xml_element(&op->answer.xml, "Status",
                    lock.hold == MEM_HOLD_ON ? "ON" : "OFF");
    mem_op_xml_end(op, "LegalHold");
}

/* A number of days or years, 0 without one. */
static bool
read_period(unsigned *out, const struct mem_field *field, uint64_t max)
{
    uint64_t n;

    *out = 0;
    if (!field->there)
        return true;
    if (!units_parse_count(&n, field->text) || n < 1 || n > max)
        return false;
    *out = (unsigned) n;
    return true;
}

static void
put_rule(struct mem_op *op)
{
    enum { ENABLED, MODE_FIELD, DAYS, YEARS, FIELDS };
    struct mem_field fields[FIELDS] = {{.name = "ObjectLockEnabled"},
                                       {.name = "Mode"},
                                       {.name = "Days"},
                                       {.name = "Years"}};
    struct mem_lock_rule rule = {.mode = MEM_LOCK_NONE};
    int err;

    if (!read_body(op, fields, FIELDS, "ObjectLockConfiguration"))
        return;
    if ((fields[ENABLED].there &&
         strcmp(fields[ENABLED].text, "Enabled") != 0) ||
        (fields[MODE_FIELD].there &&
         !mem_lock_parse_mode(&rule.mode, fields[MODE_FIELD].text)) ||
        !read_period(&rule.days, &fields[DAYS], YEARS_MAX * UINT64_C(365)) ||
        !read_period(&rule.years, &fields[YEARS], YEARS_MAX) ||
        (rule.mode == MEM_LOCK_NONE ? rule.days + rule.years > 0
                                    : (rule.days > 0) == (rule.years > 0))) {
        mem_answer_fail(&op->answer, MEM_MALFORMED_XML, NULL);
        return;
    }
    err = mem_store_set_rule(op->service->store, op->request.bucket, &rule);
    if (err == EBUSY)
        mem_answer_fail(&op->answer, MEM_INVALID_BUCKET_STATE,
                        "A bucket needs versions before it can have locks");
    else if (err != 0)
        mem_op_fail_errno(op, err);
}

static void
get_rule(struct mem_op *op)
{
    const struct mem_lock_rule *rule = &op->bucket.rule;
    struct mem_xml *x = &op->answer.xml;

    if (!op->bucket.lock) {
        mem_answer_fail(&op->answer, MEM_NO_SUCH_LOCK_CONFIGURATION, NULL);
        mem_answer_extra(&op->answer, "BucketName", op->request.bucket);
        return;
    }
    mem_op_xml(op, "ObjectLockConfiguration");
    mem_xml_element(x, "ObjectLockEnabled", "Enabled");
    if (rule->mode != MEM_LOCK_NONE) {
        mem_xml_raw(x, "<Rule><DefaultRetention>");
        mem_xml_element(x, "Mode", mem_lock_mode_name(rule->mode));
        if (rule->days > 0)
            mem_xml_uint(x, "Days", rule->days);
        else
            mem_xml_uint(x, "Years", rule->years);
        mem_xml_raw(x, "</DefaultRetention></Rule>");
    }
    mem_op_xml_end(op, "ObjectLockConfiguration");
}

const struct mem_op_kind mem_put_retention = {.begin = begin,
                                              .end = put_retention,
                                              .xml_body = true,
                                              .needs_digest = true};
const struct mem_op_kind mem_get_retention = {.begin = begin,
                                              .end = get_retention};
const struct mem_op_kind mem_put_legal_hold = {.begin = begin,
                                               .end = put_legal_hold,
                                               .xml_body = true,
                                               .needs_digest = true};
const struct mem_op_kind mem_get_legal_hold = {.begin = begin,
                                               .end = get_legal_hold};
const struct mem_op_kind mem_put_lock_rule = {.begin = begin_rule,
                                              .end = put_rule,
                                              .xml_body = true,
                                              .needs_digest = true};
const struct mem_op_kind mem_get_lock_rule = {.begin = begin_rule,
                                              .end = get_rule};
