/* SPDX-License-Identifier: MIT */
/* The workload gives every name once, alone or in batches. */
#include "config.h"

#include "workload.h"

#include "tap.h"

static void
test_numbered(void)
{
    const char *names[] = {"dir/f"};
    struct workload w = {.names = names,
                         .name_count = 1,
                         .numbered = true,
                         .count = 3,
                         .per_item = 1};
    struct workload_item item;
    struct buf name;

    buf_init(&name, WORKLOAD_NAME_MAX);
    for (uint64_t i = 0; i < 3; i++) {
        ok(workload_next(&w, &item), "item %" PRIu64, i);
        is_int((int64_t) item.first, (int64_t) i, "has its index");
        is_int(item.names, 1, "and one name");
    }
    ok(!workload_next(&w, &item), "then there are no more");
    workload_name(&w, 0, &name);
    is_str(name.data, "dir/f1", "numbers begin with 1");
    workload_name(&w, 999999999999, &name);
    is_str(name.data, "dir/f1000000000000", "and are not padded");
    buf_clear(&name);
}

static void
test_batches(void)
{
    const char *names[] = {"k"};
    struct workload w = {.names = names,
                         .name_count = 1,
                         .numbered = true,
                         .count = 2500,
                         .per_item = 1000};
    struct workload_item item;

    ok(workload_next(&w, &item) && item.first == 0 && item.names == 1000,
       "first batch");
    ok(workload_next(&w, &item) && item.first == 1000 && item.names == 1000,
       "second batch");
    ok(workload_next(&w, &item) && item.first == 2000 && item.names == 500,
       "the last one is smaller");
    ok(!workload_next(&w, &item), "then there are no more");
}

static void
test_given(void)
{
    const char *names[] = {"a", "b"};
    struct workload w = {
        .names = names, .name_count = 2, .count = 2, .per_item = 1000};
    struct workload_item item;
    struct buf name;

    buf_init(&name, WORKLOAD_NAME_MAX);
    ok(workload_next(&w, &item) && item.names == 2, "given keys in one batch");
    workload_name(&w, 1, &name);
    is_str(name.data, "b", "as they were given");
    buf_clear(&name);
}

int
main(void)
{
    test_numbered();
    test_batches();
    test_given();
    return done_testing();
}
