/* SPDX-License-Identifier: MIT */
/* s3op: performs signed S3 operations and times them. */
#include "config.h"

#include <stdlib.h>
#include <sys/prctl.h>

#include <openssl/crypto.h>

#include "buf.h"
#include "options.h"
#include "probe.h"
#include "run.h"
#include "sign.h"
#include "stages.h"
#include "whoami.h"

/* The command line as one text. Secrets never come by option. */
static void
join_command(struct buf *out, int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (buf_addf(out, i > 0 ? " %s" : "%s", argv[i]) != 0)
            break;
}

int
main(int argc, char **argv)
{
    struct options options;
    struct buf command;
    int status;

    /* Keys are in memory: no core dump may carry them. */
    prctl(PR_SET_DUMPABLE, 0);
    /* Else OpenSSL frees all it has before the process ends, which takes as
     * long as a small operation. */
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    buf_init(&command, 8192);
    join_command(&command, argc, argv);
    options_parse(&options, argc, argv);
    if (options.verb == VERB_SIGN || options.verb == VERB_PRESIGN)
        status = sign_request(&options);
    else if (options.verb == VERB_WHOAMI)
        status = whoami_print(&options);
    else if (options.verb == VERB_PROBE)
        status = probe_print(&options);
    else if (options.verb == VERB_RUN)
        status = stages_run(&options);
    else
        status = run_operations(&options, command.data);
    buf_clear(&command);
    return status;
}
