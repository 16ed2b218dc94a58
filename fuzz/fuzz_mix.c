/* SPDX-License-Identifier: MIT */
/* Mixes: no crash, nothing written when refused; what is accepted deals only
 * what is in it, and never owes a whole operation. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool good)
{
    if (!good)
        abort();
}

static void
check_dealing(const struct mix *m)
{
    struct mix_dealer d;

    mix_begin(&d, m, 12345);
    for (int i = 0; i < 200; i++) {
        enum mix_kind kind = mix_deal(&d, m, ~0u);

        require(kind < MIX_KINDS && m->weights[kind] > 0);
        for (kind = 0; kind < MIX_KINDS; kind++)
            require(llabs(d.owed[kind]) < mix_sum(m));
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = (char *) calloc(1, size + 1);
    struct mix m, before;

    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    memset(&m, 0x5a, sizeof m);
    before = m;
    if (mix_parse(&m, text) != NULL) {
        require(memcmp(&m, &before, sizeof m) == 0);
    } else {
        require(mix_sum(&m) > 0 && isfinite(m.rate_per_s));
        check_dealing(&m);
    }
    free(text);
    return 0;
}
