/* SPDX-License-Identifier: MIT */
/*
 * Prints operation records of a made-up run, to measure and to test what
 * reads them: make-records COUNT [LANES [SEED [ERRORS]]]. Each lane does one
 * operation after the other; latencies are log-normal, and of every ERRORS
 * operations (0: none) one fails.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "buf.h"
#include "random.h"
#include "record.h"

#define LINE_MAX_BYTES 4096
#define MEDIAN_NS 2.0e6
#define SIZES 5 /* 4 KiB, 8 KiB, ... */

/* One lane: what it does now. */
struct lane {
    int64_t end_ns;
    uint64_t state;
};

static void
make(struct record *r, struct lane *lane, uint32_t number, uint64_t i,
     uint64_t errors)
{
    double spread = random_exp(0.5 * random_normal(&lane->state));
    int64_t ns = (int64_t) (MEDIAN_NS * spread);
    bool failed = errors > 0 && i % errors == errors - 1;
    bool get = random_below(&lane->state, 2) > 0;

    *r = (struct record){.op = get ? "get" : "put",
                         .bucket = "bucket",
                         .size = UINT64_C(4096) << i % SIZES,
                         .status = failed ? 503 : 200,
                         .attempt = 1,
                         .reused = lane->end_ns > 0,
                         .lane = number,
                         .endpoint = "http://127.0.0.1:9000",
                         .host = "client-1"};
    r->due_ns = r->start_ns = lane->end_ns;
    r->end_ns = lane->end_ns = r->start_ns + ns;
    r->total_ns = ns;
    r->lookup_ns = r->reused ? 0 : ns / 100;
    r->connect_ns = r->reused ? 0 : ns / 50;
    r->tls_ns = RECORD_NONE;
    r->sent_ns = ns / 10;
    r->first_ns = ns / 2;
    r->body_ns = get ? ns / 2 + 1000 : RECORD_NONE;
    r->verify_ns = RECORD_NONE;
    r->wire_bytes = r->size;
    r->good_bytes = failed ? 0 : r->size;
    snprintf(r->code, sizeof r->code, "%s", failed ? "SlowDown" : "");
}

static uint64_t
argument(int argc, char **argv, int i, uint64_t standard)
{
    return argc > i ? strtoull(argv[i], NULL, 10) : standard;
}

/* The lane that ends its operation first comes next, about: they take
 * turns. */
static int
print(uint64_t count, uint32_t lanes, uint64_t seed, uint64_t errors)
{
    struct lane *all = calloc(lanes, sizeof *all);
    struct record r;
    struct buf line;
    char key[48];
    int err = all != NULL ? 0 : 1;

    buf_init(&line, LINE_MAX_BYTES);
    for (uint32_t i = 0; err == 0 && i < lanes; i++)
        all[i].state = random_fork(seed, i);
    for (uint64_t i = 0; err == 0 && i < count; i++) {
        uint32_t number = (uint32_t) (i % lanes);

        make(&r, &all[number], number, i, errors);
        snprintf(key, sizeof key, "objects/key-%" PRIu64, i + 1);
        r.key = key;
        buf_reset(&line);
        err = record_add_tsv(&line, &r) != 0 ||
              fwrite(line.data, 1, line.len, stdout) != line.len;
    }
    buf_clear(&line);
    free(all);
    return err;
}

int
main(int argc, char **argv)
{
    uint64_t count = argument(argc, argv, 1, 0);
    uint64_t lanes = argument(argc, argv, 2, 16);
    struct buf head;
    int err;

    if (count == 0 || lanes == 0 || lanes > 65536) {
        fprintf(stderr, "usage: make-records COUNT [LANES [SEED [ERRORS]]]\n");
        return 2;
    }
    buf_init(&head, LINE_MAX_BYTES);
    err = buf_adds(&head, "# " RECORD_FORMAT "\n# program: make-records\n") ||
          record_add_columns(&head);
    if (err == 0)
        fputs(head.data, stdout);
    buf_clear(&head);
    if (err == 0)
        err = print(count, (uint32_t) lanes, argument(argc, argv, 3, 1),
                    argument(argc, argv, 4, 0));
    return fflush(stdout) == 0 && err == 0 ? 0 : 4;
}
