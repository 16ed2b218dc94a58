/* SPDX-License-Identifier: MIT */
/* Putting and deleting objects: see mem_op.h. */
#include "config.h"

#include "mem_op.h"

#include <errno.h>

static void
begin_put(struct mem_op *op)
{
    if (op->request.key_len > MEM_KEY_MAX)
        mem_op_fail_errno(op, ENAMETOOLONG);
    else if (mem_op_put_condition(op))
        (void) mem_op_make(op, (uint64_t) op->length, NULL, NULL);
}

static void
end_put(struct mem_op *op)
{
    const struct mem_name name = mem_op_name(op);
    struct mem_object *o = op->object;
    int err;

    mem_op_set_etag(op, o);
    err = mem_store_put(op->service->store, &name, o, &op->condition);
    if (err != 0)
        mem_op_fail_errno(op, err);
    else
        mem_op_put_headers(op, o);
}

static void
begin_delete(struct mem_op *op)
{
    /* What is not checked must not be asked for. */
    if (mem_request_find(&op->request, "if-match") == NULL)
        return;
    mem_answer_fail(&op->answer, MEM_NOT_IMPLEMENTED,
                    "s3mem deletes without conditions");
    mem_answer_extra(&op->answer, "Header", "If-Match");
}

static void
delete_object(struct mem_op *op)
{
    const struct mem_name name = mem_op_version(op);
    struct mem_deleted deleted;
    int err = mem_store_delete(op->service->store, &deleted, &name,
                               mem_op_bypass(op));

    /* Deleting what is not there succeeds. */
    if (err != 0 && err != ENODATA) {
        mem_op_fail_errno(op, err);
        return;
    }
    op->answer.status = 204;
    if (!deleted.versioned)
        return;
    if (deleted.marker)
        mem_answer_header(&op->answer, "x-amz-delete-marker", "true");
    if (deleted.version[0] != '\0')
        mem_answer_header(&op->answer, "x-amz-version-id", deleted.version);
}

const struct mem_op_kind mem_put_object = {
    .begin = begin_put, .end = end_put, .object_body = true};
const struct mem_op_kind mem_delete_object = {.begin = begin_delete,
                                              .end = delete_object};
