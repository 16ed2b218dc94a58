/* SPDX-License-Identifier: MIT */
/*
 * What a signature costs once warm: prints the median and the best of many
 * rounds in nanoseconds. Usage: sign-cost [ROUNDS]
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "sigv4.h"

#define PER_ROUND 2000
#define ROUNDS_MAX 10001

static const struct sigv4_header headers[] = {
    {"Host", "127.0.0.1:9000"},
    {"x-amz-content-sha256", SIGV4_UNSIGNED},
    {"x-amz-date", "20130524T000000Z"},
};
static const struct sigv4_request request = {
    .method = "PUT",
    .path = "/bucket/prefix-0123456789abcdef/000000000042",
    .query = "",
    .headers = headers,
    .header_count = sizeof(headers) / sizeof(*headers),
    .payload_hash = SIGV4_UNSIGNED,
};
static const struct sigv4_scope scope = {
    "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "us-east-1", "s3", "20130524T000000Z"};

static int
compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *) a, right = *(const int64_t *) b;

    return (left > right) - (left < right);
}

int
main(int argc, char **argv)
{
    static int64_t took_ns[ROUNDS_MAX];
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 101;
    struct sigv4_texts texts;
    struct sigv4 *signer;
    int err;

    if (rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: sign-cost [ROUNDS], at most %d\n", ROUNDS_MAX);
        return 2;
    }
    err = sigv4_new(&signer);
    if (err != 0)
        return 1;
    sigv4_texts_init(&texts);
    err = sigv4_sign(signer, &texts, &request, &scope);
    for (long i = 0; i < rounds && err == 0; i++) {
        int64_t start_ns = clock_now_ns();

        for (int n = 0; n < PER_ROUND && err == 0; n++)
            err = sigv4_sign(signer, &texts, &request, &scope);
        took_ns[i] = clock_now_ns() - start_ns;
    }
    sigv4_texts_clear(&texts);
    sigv4_free(signer);
    if (err != 0)
        return 1;
    qsort(took_ns, (size_t) rounds, sizeof(*took_ns), compare);
    printf("%" PRId64 " ns a signature (median of %ld x %d; best %" PRId64
           ")\n",
           took_ns[rounds / 2] / PER_ROUND, rounds, PER_ROUND,
           took_ns[0] / PER_ROUND);
    return 0;
}
