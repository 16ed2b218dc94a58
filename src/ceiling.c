/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "ceiling.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sigv4.h"

#define KEY_COLUMNS 8
#define LINE_MAX_BYTES 1024

/* The machine's own id, or its name. */
static void
read_id(char *out, size_t size, const struct host *host)
{
    FILE *f = fopen("/etc/machine-id", "re");

    if (f == NULL || fgets(out, (int) size, f) == NULL)
        snprintf(out, size, "%s", host->name);
    if (f != NULL)
        fclose(f);
    out[strcspn(out, "\n")] = '\0';
}

void
ceiling_machine(char out[CEILING_MACHINE_SIZE], const struct host *host,
                const char *version)
{
    char id[256], text[1024], hex[SIGV4_HEX_SIZE];
    int n;

    read_id(id, sizeof id, host);
    n = snprintf(text, sizeof text, "%s\n%s\n%" PRIu32 "\n%s\n%s\n", id,
                 host->cpu, host->cores, host->kernel, version);
    sigv4_hash_hex(hex, text, (size_t) n);
    memcpy(out, hex, CEILING_MACHINE_SIZE - 1);
    out[CEILING_MACHINE_SIZE - 1] = '\0';
}

bool
ceiling_default_path(char *out, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;

    if (cache != NULL && *cache != '\0')
        n = snprintf(out, size, "%s/s3perf/ceiling.tsv", cache);
    else if (home != NULL && *home != '\0')
        n = snprintf(out, size, "%s/.cache/s3perf/ceiling.tsv", home);
    return n > 0 && (size_t) n < size;
}

/* Whether the size of objects has no say in what the operation costs. */
static bool
is_sizeless(const char *op)
{
    return strcmp(op, "put") != 0 && strcmp(op, "get") != 0;
}

/* Whether LINE is for runs such as A; *RATE is then its ceiling. LINE is
 * cut up. */
static bool
is_match(double *rate, char *line, const struct report_asked *a)
{
    char size[24], lanes[12], threads[12], *rest = line, *end;
    const char *scheme =
        strncmp(a->endpoint, "https", 5) == 0 ? "https" : "http";
    const char *wanted[KEY_COLUMNS] = {
        a->machine, a->op,           size,    lanes,
        scheme,     a->payload_hash, threads, a->connection};
    const char *field;

    snprintf(size, sizeof size, "%" PRIu64, a->size);
    snprintf(lanes, sizeof lanes, "%" PRIu32, a->concurrency);
    snprintf(threads, sizeof threads, "%" PRIu32, a->threads);
    for (int i = 0; i < KEY_COLUMNS; i++) {
        field = strsep(&rest, "\t");
        if (field == NULL ||
            (strcmp(field, wanted[i]) != 0 && !(i == 2 && is_sizeless(a->op))))
            return false;
    }
    field = strsep(&rest, "\t");
    if (field == NULL)
        return false;
    *rate = strtod(field, &end);
    return *end == '\0' && isfinite(*rate) && *rate > 0;
}

int
ceiling_look(struct report_asked *asked, const char *path)
{
    FILE *f = fopen(path, "re");
    char line[LINE_MAX_BYTES];
    double rate;
    int err = 0;

    if (f == NULL)
        return errno;
    if (fgets(line, sizeof line, f) == NULL ||
        strcmp(line, "# " CEILING_FORMAT "\n") != 0)
        err = ferror(f) ? EIO : EINVAL;
    while (err == 0 && fgets(line, sizeof line, f) != NULL)
        if (is_match(&rate, line, asked) && rate > asked->ceiling_ops_per_s)
            asked->ceiling_ops_per_s = rate;
    fclose(f);
    return err;
}
