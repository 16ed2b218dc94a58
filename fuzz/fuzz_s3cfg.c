/* SPDX-License-Identifier: MIT */
/* s3cmd's file: any bytes, and what is made of them. */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "s3cfg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct s3cfg cfg;
    enum addressing style;
    struct buf url;
    bool other_host;
    int err;

    s3cfg_init(&cfg);
    err = s3cfg_read(&cfg, (const char *) data, size);
    if ((err == EINVAL) != (cfg.bad != NULL) ||
        (err != 0 && err != EINVAL && err != ENOMEM))
        abort();
    for (size_t i = 0; i < S3CFG_COUNT; i++)
        if (cfg.text[i] != NULL &&
            (*cfg.text[i] == '\0' || strchr(cfg.text[i], '\n') != NULL))
            abort();
    buf_init(&url, 4096);
    s3cfg_add_endpoint(&url, &cfg);
    s3cfg_addressing(&style, &other_host, &cfg);
    s3cfg_region(&cfg);
    s3cfg_is(&cfg, S3CFG_USE_HTTPS, true);
    buf_clear(&url);
    s3cfg_clear(&cfg);
    s3cfg_clear(&cfg);
    return 0;
}
