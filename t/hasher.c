/* SPDX-License-Identifier: MIT */
/* Hashes made ahead are those of the bodies, in whatever order they are
 * taken, and nobody waits for one that will never come. */
#include "config.h"

#include "hasher.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "tap.h"

#define SEED 7
#define PATIENCE_NS (20 * CLOCK_NS_PER_S)

static const char *names[] = {"k"};
static const struct payload_style style; /* random */
static const struct hasher_cut whole = {.stride = 1};
static atomic_int stop;

static void
expect(char out[PAYLOAD_HASH_SIZE], const struct workload *w, uint64_t index)
{
    struct payload *p;
    struct buf name;

    buf_init(&name, 4096);
    if (payload_new(&p, &style, SEED) != 0 ||
        workload_name(w, index, &name) != 0)
        abort();
    payload_hash(p, payload_object(name.data, name.len), 0, w->size, out);
    payload_free(p);
    buf_clear(&name);
}

/* Take it, however long that lasts. */
static enum hasher_answer
take(struct hasher *h, uint64_t index, char out[PAYLOAD_HASH_SIZE])
{
    int64_t until_ns = clock_now_ns() + PATIENCE_NS;
    enum hasher_answer answer;
    struct digests d;

    while ((answer = hasher_take(h, index, 0, &d)) == HASHER_NOT_YET &&
           clock_now_ns() < until_ns)
        sched_yield();
    if (answer == HASHER_TAKEN)
        strcpy(out, d.hash);
    return answer;
}

static void
test_order(void)
{
    struct workload w = {.names = names,
                         .name_count = 1,
                         .numbered = true,
                         .count = WORKLOAD_ENDLESS,
                         .per_item = 1,
                         .size = 100};
    char got[PAYLOAD_HASH_SIZE], want[PAYLOAD_HASH_SIZE];
    struct workload_item item;
    struct hasher *h = NULL;
    unsigned taken = 0, right = 0;

    is_int(hasher_open(&h, &w, &whole, &style, SEED, &stop), 0,
           "a hasher begins");
    is_int((int) take(h, 0, got), HASHER_TAKEN, "with some ready");
    expect(want, &w, 0);
    is_str(got, want, "which are right");
    /* Far more than it keeps, each taken a little later than given out. */
    for (unsigned i = 0; i < 200000; i++) {
        workload_next(&w, &item);
        if (i < 50)
            continue;
        taken += take(h, item.first - 50, got) == HASHER_TAKEN;
        if (i % 5000 != 0)
            continue;
        expect(want, &w, item.first - 50);
        right += strcmp(got, want) == 0;
    }
    is_int(taken, 199950, "each of a long run is to be had");
    is_int(right, 39, "and is that of its body");
    is_int((int) take(h, 0, got), HASHER_GONE, "one of long ago is not kept");
    hasher_close(h);
    hasher_close(NULL);
}

static void
test_end(void)
{
    struct workload w = {.names = names,
                         .name_count = 1,
                         .numbered = true,
                         .count = 10,
                         .per_item = 1,
                         .size = 0};
    char got[PAYLOAD_HASH_SIZE];
    struct hasher *h = NULL;

    is_int(hasher_open(&h, &w, &whole, &style, SEED, &stop), 0, "a short run");
    is_int((int) take(h, 9, got), HASHER_TAKEN, "has its last hash");
    is_int((int) take(h, 10, got), HASHER_GONE, "and no further one");
    hasher_close(h);

    stop = 1;
    w.count = WORKLOAD_ENDLESS;
    is_int(hasher_open(&h, &w, &whole, &style, SEED, &stop), 0,
           "one that is stopped at once");
    is_int((int) take(h, 5, got), HASHER_GONE, "lets nobody wait");
    hasher_close(h);
    stop = 0;
}

/* Bodies of objects in parts: each is that of its range. */
static void
test_parts(void)
{
    static const struct hasher_cut cut = {
        .rule = {40, 90}, .stride = 3, .wish = {.sum = CHECKSUM_CRC32}};
    struct workload w = {.names = names,
                         .name_count = 1,
                         .numbered = true,
                         .count = WORKLOAD_ENDLESS,
                         .per_item = 1,
                         .size = 100};
    char want[PAYLOAD_HASH_SIZE];
    struct workload_item item;
    struct hasher *h = NULL;
    struct payload *p;
    uint64_t object;
    unsigned right = 0;
    struct digester digester;
    struct digests d;

    is_int(hasher_open(&h, &w, &cut, &style, SEED, &stop), 0, "of parts");
    if (payload_new(&p, &style, SEED) != 0)
        abort();
    for (unsigned i = 0; i < 20000; i++) {
        char name[16];

        workload_next(&w, &item);
        snprintf(name, sizeof name, "k%u", i + 1);
        object = payload_object(name, strlen(name));
        for (uint32_t piece = 3; piece-- > 0;) {
            payload_hash(p, object, 40 * piece, piece < 2 ? 40 : 20, want);
            while (hasher_take(h, i, piece, &d) == HASHER_NOT_YET)
                sched_yield();
            right += strcmp(d.hash, want) == 0 && strlen(d.sum) == 8;
        }
    }
    is_int(right, 60000, "each part has its hash");
    hasher_close(h);
    object = payload_object("x", 1);
    is_int(digester_init(&digester, &cut.wish), 0, "one more");
    hasher_digest(&digester, &d, p, &cut, object, 89, 0);
    payload_hash(p, object, 0, 89, want);
    is_str(d.hash, want, "a small object is one body");
    hasher_digest(&digester, &d, p, &cut, object, 89, 1);
    is_str(d.hash, "", "and only one");
    is_str(d.sum, "", "of its checksums, too");
    digester_clear(&digester);
    payload_free(p);
}

int
main(void)
{
    test_parts();
    test_order();
    test_end();
    return done_testing();
}
