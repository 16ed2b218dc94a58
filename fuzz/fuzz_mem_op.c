/* SPDX-License-Identifier: MIT */
/* Requests to s3mem: method, target and "Name: value" lines, an empty line,
 * the body. Each gets an answer, which is never a fault of ours. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "mem_op.h"

#define NOW ((time_t) 1767323045) /* 2026-01-02T03:04:05Z */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mem_service service = {
    .keys = {.access_key = "KEY",
             .secret_key = "secret",
             .region = "us-east-1",
             .anonymous = true},
};
static struct mem_signer *signer;

static void
require(bool good)
{
    if (!good)
        abort();
}

/* Cut the next line off *REST; "" at the end. */
static char *
next_line(char **rest)
{
    char *line = *rest != NULL ? strsep(rest, "\n") : NULL;
    static char none[1];

    return line != NULL ? line : none;
}

/* All that comes before the body. */
static void
read_head(struct mem_op *op, char **rest)
{
    char *line;

    op->request.method = next_line(rest);
    (void) mem_request_target(&op->request, next_line(rest));
    while ((line = next_line(rest))[0] != '\0') {
        char *colon = strstr(line, ": ");

        if (colon == NULL)
            continue;
        *colon = '\0';
        mem_request_header(&op->request, line, colon + 2);
    }
}

static void
act(char *text)
{
    char *rest = text;
    struct mem_op op;
    size_t n, half;

    mem_op_init(&op, &service);
    read_head(&op, &rest);
    if (rest == NULL)
        rest = text + strlen(text);
    n = strlen(rest);
    half = n / 2;
    op.length = n > 0 ? (int64_t) n : -1;
    mem_op_begin(&op, signer, NOW);
    if (half > 0)
        mem_op_body(&op, rest, half);
    if (n > half)
        mem_op_body(&op, rest + half, n - half);
    mem_op_end(&op, "ID");
    require(op.answer.status >= 200 &&
            (op.answer.status < 500 || op.answer.status == 501 ||
             op.answer.status == 507));
    require(op.answer.object == NULL ||
            op.answer.offset + op.answer.length <= op.answer.object->size);
    mem_op_clear(&op);
}

static void
act_on(const char *request)
{
    char *text = strdup(request);

    require(text != NULL);
    act(text);
    free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = (char *) malloc(size + 1);

    require(text != NULL);
    if (signer == NULL) {
        mem_checksum_prepare();
        require(mem_signer_new(&signer) == 0);
    }
    memcpy(text, data, size);
    text[size] = '\0';
    require(mem_store_new(&service.store, 1 << 20, false) == 0 &&
            mem_uploads_new(&service.uploads) == 0);
    act_on("PUT\n/buk\n");
    act_on("PUT\n/buk/key\nx-amz-meta-a: b\nx-amz-tagging: c=d\n\ncontent");
    act_on("PUT\n/lck\nx-amz-bucket-object-lock-enabled: true\n");
    act_on("PUT\n/lck/key\n\ncontent");
    act_on("DELETE\n/lck/key\n");
    act(text);
    mem_uploads_free(service.uploads);
    mem_store_free(service.store);
    free(text);
    return 0;
}
