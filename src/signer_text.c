/* SPDX-License-Identifier: MIT */
/* A signature as people read it. */
#include "config.h"

#include "signer.h"

#include <string.h>

void
signer_mask_token(char *text)
{
    static const struct {
        const char *name, *end;
    } forms[] = {{"\nx-amz-security-token:", "\n"},
                 {"X-Amz-Security-Token=", "&\n"},
                 {"x-amz-security-token=", "&\n"},
                 {"server-side-encryption-customer-key:", "\n"}};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        for (char *at = text; (at = strstr(at, forms[i].name)) != NULL;) {
            at += strlen(forms[i].name);
            memset(at, '*', strcspn(at, forms[i].end));
        }
    }
}

int
signer_explain(struct buf *out, const struct signer_result *r)
{
    size_t begin = out->len;
    int err = 0;

    if (r->canonical != NULL)
        err = buf_addf(out, "Canonical request:\n%s\n\n", r->canonical);
    if (err == 0)
        signer_mask_token(out->data + begin);
    begin = out->len;
    if (err == 0)
        err = buf_addf(out, "String to sign:\n%s\n\n", r->to_sign);
    if (err == 0)
        signer_mask_token(out->data + begin);
    return err != 0 ? err : buf_addf(out, "Signature:\n%s\n\n", r->signature);
}
