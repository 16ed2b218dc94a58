/* SPDX-License-Identifier: MIT */
/* Sizes of objects: no crash, nothing written when refused; what is accepted
 * draws sizes within its bounds, each in a class that has a name. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sizes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool good)
{
    if (!good)
        abort();
}

static void
check_draw(const struct sizes *s, uint64_t number)
{
    uint64_t bytes = sizes_of(s, 1, number);
    uint32_t class = sizes_class_of(s, bytes);
    char name[SIZES_NAME_SIZE];

    require(bytes >= s->min && bytes <= s->max);
    require(class < sizes_class_count(s));
    sizes_class_name(s, class, name);
    require(name[0] != '\0');
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = (char *) calloc(1, size + 1);
    struct sizes s, before;

    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    memset(&s, 0x5a, sizeof s);
    before = s;
    if (sizes_parse(&s, text) != NULL) {
        require(memcmp(&s, &before, sizeof s) == 0);
    } else {
        double mean = sizes_mean(&s);

        require(s.max <= SIZES_MAX);
        require(isfinite(mean) && mean <= (double) s.max * 1.001 + 1);
        for (uint64_t i = 0; i < 20; i++)
            check_draw(&s, i * i * i * i);
    }
    free(text);
    return 0;
}
