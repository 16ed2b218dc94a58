/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "print.h"

#include <stdio.h>
#include <string.h>

#include "complain.h"

int
print_made(struct buf *out, int err, const char *verb)
{
    int status = 0;

    if (err != 0)
        status = complain(3, "%s: %s", verb, strerror(err));
    else if (fwrite(out->data, 1, out->len, stdout) != out->len ||
             fflush(stdout) != 0)
        status = complain(4, "standard output: cannot be written");
    buf_clear(out);
    return status;
}
