/* SPDX-License-Identifier: MIT */
/* The workload gives every name once, alone or in batches. */
#include "config.h"

#include "workload.h"

#include <stdlib.h>

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

/* Three workers take each of COUNT names once, in rounds of ROUND. */
static void
check_shares(uint64_t count, uint64_t round)
{
    const char *names[] = {"k"};
    unsigned seen[64] = {0};
    uint64_t sum = 0;
    struct buf name;
    bool apart = true, even = true;

    buf_init(&name, WORKLOAD_NAME_MAX);
    for (uint32_t i = 0; i < 3; i++) {
        struct share share = {i, 3};
        struct workload w = {.names = names,
                             .name_count = 1,
                             .numbered = true,
                             .round = round,
                             .share = share,
                             .count = share_count(&share, count),
                             .per_item = 1};
        struct workload_item item;

        sum += w.count;
        while (workload_next(&w, &item)) {
            uint64_t identity = workload_identity(&w, item.first);
            char first[16], again[16];

            /* What counts as one has one name: hashes are found by it. */
            workload_name(&w, item.first, &name);
            snprintf(first, sizeof first, "%s", name.data);
            workload_name(&w, identity, &name);
            snprintf(again, sizeof again, "%s", name.data);
            apart &=
                strcmp(first, again) == 0 && identity < workload_different(&w);
            seen[atoi(first + 1)]++;
        }
    }
    buf_clear(&name);
    is_int((int64_t) sum, (int64_t) count, "all are dealt out");
    ok(apart, "a name has one identity in a worker");
    for (uint64_t i = 1; i <= (round > 0 ? round : count); i++)
        even &= seen[i] == (round > 0 ? count / round : 1);
    ok(even, "%d names in rounds of %d: each as often as for one process",
       (int) count, (int) round);
}

static void
test_shares(void)
{
    check_shares(20, 0);
    check_shares(2, 0);
    check_shares(40, 5);
    check_shares(36, 6);
    check_shares(27, 27);
}

/* What is called INDEX, in a style of its own. */
static void
test_names(void)
{
    const char *names[] = {"d/"};
    char text[] = "one\0two\0three";
    uint64_t starts[] = {0, 4, 8};
    struct keys_list list = {
        .text = {.data = text}, .starts = starts, .count = 3};
    struct workload w = {.names = names,
                         .name_count = 1,
                         .numbered = true,
                         .count = 10,
                         .per_item = 1,
                         .style = {.prefixes = 2}};
    struct buf name;

    buf_init(&name, WORKLOAD_NAME_ROOM);
    workload_name(&w, 2, &name);
    is_str(name.data, "d/1/3", "numbers below prefixes");
    w.list = &list;
    w.round = list.count;
    workload_name(&w, 4, &name);
    is_str(name.data, "d/two", "names from a list, round and round");
    workload_name_after(&w, 2, "e-", &name);
    is_str(name.data, "e-three", "and behind another base");
    is_int((int64_t) workload_different(&w), 3, "so many differ");
    w.share = (struct share){1, 2};
    workload_name(&w, 0, &name);
    is_str(name.data, "d/two", "the second process begins with the second");
    buf_clear(&name);
}

/* Two processes visit what one does, each object with its name and size. */
static void
test_pick(void)
{
    const char *names[] = {"k"};
    struct pick pick = {.form = PICK_SHUFFLE};
    struct sizes sizes;
    unsigned seen[30] = {0};
    bool agree = true, once = true;
    struct buf name;

    sizes_parse(&sizes, "1..1000");
    pick_init(&pick, 30, 1);
    buf_init(&name, WORKLOAD_NAME_ROOM);
    for (uint32_t i = 0; i < 2; i++) {
        struct share share = {i, 2};
        struct workload w = {.names = names,
                             .name_count = 1,
                             .numbered = true,
                             .round = 30,
                             .share = share,
                             .count = share_count(&share, 30),
                             .per_item = 1,
                             .sizes = &sizes,
                             .seed = 1,
                             .first_slice = 3,
                             .pick = &pick};
        struct workload_item item;

        while (workload_next(&w, &item)) {
            uint64_t identity = workload_identity(&w, item.first);

            workload_name(&w, item.first, &name);
            agree &= identity < workload_different(&w) &&
                     (uint64_t) atoi(name.data + 1) == identity + 1 &&
                     item.size == sizes_of(&sizes, 1, identity) &&
                     item.size == workload_size(&w, identity) &&
                     item.slice == 3 + sizes_class_of(&sizes, item.size);
            workload_name_of(&w, identity, &name);
            agree &= (uint64_t) atoi(name.data + 1) == identity + 1;
            seen[identity % 30]++;
        }
    }
    for (size_t i = 0; i < 30; i++)
        once &= seen[i] == 1;
    ok(agree, "name, size and slice are the object's");
    ok(once, "two processes: each object once");
    buf_clear(&name);
}

/* Without an order of their own, sizes go by numbers, not by turns. */
static void
test_sizes(void)
{
    const char *names[] = {"k"};
    struct sizes sizes;
    struct share share = {1, 3};
    struct workload w = {.names = names,
                         .name_count = 1,
                         .numbered = true,
                         .round = 4,
                         .share = share,
                         .count = 10,
                         .per_item = 1,
                         .sizes = &sizes,
                         .seed = 5};
    bool agree = true;
    struct workload_item item;
    struct buf name;

    sizes_parse(&sizes, "1..1000000");
    buf_init(&name, WORKLOAD_NAME_ROOM);
    while (workload_next(&w, &item)) {
        workload_name(&w, item.first, &name);
        agree &= item.size ==
                 sizes_of(&sizes, 5, (uint64_t) atoi(name.data + 1) - 1);
    }
    ok(agree, "a size goes with the number in the name");
    w.sizes = NULL;
    w.size = 77;
    is_int((int64_t) workload_size(&w, 1), 77, "or all have the same");
    buf_clear(&name);
}

int
main(void)
{
    test_numbered();
    test_batches();
    test_given();
    test_shares();
    test_names();
    test_pick();
    test_sizes();
    return done_testing();
}
