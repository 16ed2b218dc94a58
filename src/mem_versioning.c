/* SPDX-License-Identifier: MIT */
/* Whether a bucket has versions: see mem_op.h. */
#include "config.h"

#include "mem_op.h"

#include <errno.h>
#include <string.h>

#include "mem_read.h"

static void
begin(struct mem_op *op)
{
    (void) mem_op_needs_bucket(op);
}

static void
get_versioning(struct mem_op *op)
{
    /* Empty: never switched on. */
    mem_op_xml(op, "VersioningConfiguration");
    if (op->bucket.versioning != MEM_VERSIONS_NEVER)
        mem_xml_element(&op->answer.xml, "Status",
                        op->bucket.versioning == MEM_VERSIONS_ON ? "Enabled"
                                                                 : "Suspended");
    mem_op_xml_end(op, "VersioningConfiguration");
}

static void
put_versioning(struct mem_op *op)
{
    struct mem_field status = {.name = "Status"};
    int err = mem_read_fields(&status, 1, "VersioningConfiguration",
                              op->body.data, op->body.len);
    bool on = strcmp(status.text, "Enabled") == 0;

    if (err == ENOMEM) {
        mem_op_fail_errno(op, err);
    } else if (err == 0 && !status.there) {
        mem_answer_fail(&op->answer, MEM_ILLEGAL_VERSIONING, NULL);
    } else if (err != 0 || (!on && strcmp(status.text, "Suspended") != 0)) {
        mem_answer_fail(&op->answer, MEM_MALFORMED_XML, NULL);
    } else {
        err = mem_store_set_versioning(op->service->store, op->request.bucket,
                                       on);
        if (err == EBUSY)
            mem_answer_fail(&op->answer, MEM_INVALID_BUCKET_STATE,
                            "A bucket with locks must have versions");
        else if (err != 0)
            mem_op_fail_errno(op, err);
    }
}

const struct mem_op_kind mem_get_versioning = {.begin = begin,
                                               .end = get_versioning};
const struct mem_op_kind mem_put_versioning = {.begin = begin,
                                               .end = put_versioning,
                                               .xml_body = true,
                                               .needs_digest = true};
