/* SPDX-License-Identifier: MIT */
/* What s3mem keeps: the map, buckets and objects, listings, the bound. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem_map.h"
#include "mem_store.h"
#include "tap.h"

static void
free_nothing(void *value)
{
    (void) value;
}

/* Compare the map with a plain sorted array through many changes. */
static void
test_map(void)
{
    enum { KEYS = 500, STEPS = 20000 };
    static bool there[KEYS];
    struct mem_map m;
    uint32_t random = 1;
    size_t count = 0, seen = 0;
    bool good = true;
    char key[8];

    mem_map_init(&m);
    for (int step = 0; step < STEPS && good; step++) {
        size_t i;
        void *old;

        random = random * 1664525 + 1013904223;
        i = (random >> 8) % KEYS;
        snprintf(key, sizeof(key), "%04zu", i);
        if (random >> 31 != 0) {
            good = mem_map_put(&m, &old, key, 4, &there[i]) == 0 &&
                   (old != NULL) == there[i];
            count += !there[i];
            there[i] = true;
        } else {
            good = (mem_map_remove(&m, key, 4) != NULL) == there[i];
            count -= there[i];
            there[i] = false;
        }
        good = good && m.count == count;
    }
    ok(good, "map: %d changes agree with an array", STEPS);
    for (const struct mem_map_node *node = mem_map_from(&m, "", 0, false);
         node != NULL; node = mem_map_next(node)) {
        size_t i = (size_t) atoi(mem_map_key(node));

        good = good && there[i] && node->value == &there[i];
        for (; seen < i; seen++)
            good = good && !there[seen];
        seen = i + 1;
    }
    ok(good, "map: a walk finds all of them in order");
    mem_map_clear(&m, free_nothing);
    ok(mem_map_from(&m, "", 0, false) == NULL, "map: empty after a clear");
}

static void
test_map_order(void)
{
    static const char *const keys[] = {"",   "a", "a/",   "a/b",  "a0",
                                       "ab", "b", "\x7f", "\x80", "\xff"};
    enum { N = sizeof(keys) / sizeof(*keys) };
    const struct mem_map_node *node;
    struct mem_map m;
    bool good = true;
    void *old;

    mem_map_init(&m);
    for (size_t i = N; i-- > 0;)
        mem_map_put(&m, &old, keys[i], strlen(keys[i]), NULL);
    node = mem_map_from(&m, "", 0, false);
    for (size_t i = 0; i < N && good; i++, node = mem_map_next(node))
        good = node != NULL && strcmp(mem_map_key(node), keys[i]) == 0;
    ok(good, "map: order is that of bytes");
    is_str(mem_map_key(mem_map_from(&m, "a/", 2, true)), "a/b",
           "map: the one after a key");
    is_str(mem_map_key(mem_map_from(&m, "a/", 2, false)), "a/",
           "map: at or after a key");
    is_str(mem_map_key(mem_map_from(&m, "a1", 2, false)), "ab",
           "map: at or after what is not there");
    mem_map_clear(&m, free_nothing);
}

static struct mem_name
name_of(const char *bucket, const char *key)
{
    return (struct mem_name){
        .bucket = bucket, .key = key, .key_len = strlen(key)};
}

/* Store N bytes as KEY. Returns what the store says. */
static int
put_bytes(struct mem_store *s, const char *bucket, const char *key,
          const void *bytes, size_t n)
{
    const struct mem_name name = name_of(bucket, key);
    struct mem_object *o;
    int err = mem_object_new(&o, s, n, strlen(key), NULL, 0);

    if (err != 0)
        return err;
    err = mem_object_add(o, bytes, n);
    if (err == 0) {
        memcpy(o->etag, "e", 2);
        err = mem_store_put(s, &name, o, NULL);
    }
    mem_object_drop(o);
    return err;
}

static int
put_text(struct mem_store *s, const char *bucket, const char *key,
         const char *text)
{
    return put_bytes(s, bucket, key, text, strlen(text));
}

static int
get_from(struct mem_store *s, struct mem_object **out, const char *bucket,
         const char *key)
{
    const struct mem_name name = name_of(bucket, key);
    struct mem_found found;
    int err = mem_store_get(s, &found, &name);

    if (err == 0)
        *out = found.object;
    return err;
}

static int
get(struct mem_store *s, struct mem_object **out, const char *key)
{
    return get_from(s, out, "bkt", key);
}

static int delete (struct mem_store *s, const char *bucket, const char *key)
{
    const struct mem_name name = name_of(bucket, key);
    struct mem_deleted deleted;

    return mem_store_delete(s, &deleted, &name, false);
}

static void
test_objects(void)
{
    struct mem_store *s;
    struct mem_object *first, *second, *o;
    char long_key[MEM_KEY_MAX + 2];
    uint64_t empty;

    mem_store_new(&s, 1 << 20, false);
    empty = mem_store_used(s);
    is_int(mem_store_make_bucket(s, "bkt", false), 0, "a bucket is made");
    is_int(mem_store_make_bucket(s, "bkt", false), EEXIST, "but not twice");
    ok(mem_store_has_bucket(s, "bkt"), "it is there");
    ok(!mem_store_has_bucket(s, "bk"), "another one is not");
    is_int(put_text(s, "none", "k", "x"), ENOENT, "no put without a bucket");
    is_int(get(s, &first, "k"), ENODATA, "no object yet");
    is_int(get_from(s, &o, "none", "k"), ENOENT, "no bucket");

    is_int(put_text(s, "bkt", "k", "first"), 0, "put");
    is_int(get(s, &first, "k"), 0, "get");
    ok(first->size == 5 && memcmp(first->bytes, "first", 5) == 0, "its bytes");
    is_int(put_text(s, "bkt", "k", "second one"), 0, "put again");
    is_int(get(s, &second, "k"), 0, "get again");
    ok(second->size == 10 && memcmp(second->bytes, "second one", 10) == 0,
       "the new bytes");
    ok(memcmp(first->bytes, "first", 5) == 0,
       "a reader of the old ones keeps them");
    mem_object_drop(first);
    mem_object_drop(second);

    is_int(put_text(s, "bkt", "nothing", ""), 0, "an empty object");
    is_int(get(s, &o, "nothing"), 0, "is there");
    is_int((int64_t) o->size, 0, "and empty");
    mem_object_drop(o);

    memset(long_key, 'k', sizeof(long_key));
    long_key[MEM_KEY_MAX + 1] = '\0';
    is_int(put_text(s, "bkt", long_key, "x"), ENAMETOOLONG,
           "1025 bytes of key");
    long_key[MEM_KEY_MAX] = '\0';
    is_int(put_text(s, "bkt", long_key, "x"), 0, "1024 bytes of key");

    is_int(mem_store_remove_bucket(s, "bkt"), ENOTEMPTY, "not empty");
    is_int(delete (s, "bkt", "k"), 0, "delete");
    is_int(delete (s, "bkt", "k"), ENODATA, "delete again");
    is_int(delete (s, "none", "k"), ENOENT, "delete elsewhere");
    delete (s, "bkt", "nothing");
    delete (s, "bkt", long_key);
    is_int(mem_store_remove_bucket(s, "bkt"), 0, "empty now");
    is_int(mem_store_remove_bucket(s, "bkt"), ENOENT, "gone");
    is_int((int64_t) mem_store_used(s), (int64_t) empty,
           "nothing is counted any more");
    mem_store_free(s);
}

static void
test_bound(void)
{
    enum { SIZE = 3 << 20 };
    char *bytes = calloc(1, SIZE);
    struct mem_store *s;
    struct mem_object *o, *liars[40];
    uint64_t before;
    int err = 0;

    mem_store_new(&s, 10 << 20, false);
    mem_store_make_bucket(s, "bkt", false);
    is_int(put_bytes(s, "bkt", "1", bytes, SIZE), 0, "bound: the first fits");
    is_int(put_bytes(s, "bkt", "2", bytes, SIZE), 0, "bound: the second");
    is_int(put_bytes(s, "bkt", "3", bytes, SIZE), 0, "bound: the third");
    before = mem_store_used(s);
    ok(before > 3 * SIZE && before < 3 * SIZE + 4096, "bound: what is counted");
    is_int(put_bytes(s, "bkt", "4", bytes, SIZE), ENOSPC,
           "bound: the fourth does not");
    is_int((int64_t) mem_store_used(s), (int64_t) before,
           "bound: a refused one counts nothing");
    delete (s, "bkt", "1");
    is_int(put_bytes(s, "bkt", "4", bytes, SIZE), 0,
           "bound: it does after a delete");
    delete (s, "bkt", "2");

    for (size_t i = 0; i < 40 && err == 0; i++) {
        err = mem_object_new(&liars[i], s, SIZE, 1, NULL, 0);
        if (err == 0)
            err = mem_object_add(liars[i], "x", 0);
    }
    is_int(err, 0, "bound: announced sizes cost nothing");
    is_int(put_bytes(s, "bkt", "5", bytes, SIZE), 0,
           "bound: so that a real one fits beside them");
    is_int(mem_object_add(liars[0], bytes, SIZE), ENOSPC,
           "bound: and a late one does not");
    for (size_t i = 0; i < 40; i++)
        mem_object_drop(liars[i]);

    mem_object_new(&o, s, 4, 1, NULL, 0);
    is_int(mem_object_add(o, "12345", 5), EMSGSIZE, "more than announced");
    is_int(mem_object_add(o, "1234", 4), 0, "as much as announced");
    is_int(mem_object_add(o, "5", 1), EMSGSIZE, "one more");
    mem_object_drop(o);
    mem_store_free(s);
    free(bytes);
}

static void
test_growth(void)
{
    enum { SIZE = 5 << 20, PIECE = 10007 };
    unsigned char *bytes = malloc(SIZE);
    struct mem_store *s;
    struct mem_object *o;
    int err;

    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char) (i * 2654435761u >> 13);
    mem_store_new(&s, 10 << 20, false);
    mem_store_make_bucket(s, "bkt", false);
    err = mem_object_new(&o, s, SIZE, 1, "a\0b", 4);
    for (size_t at = 0; at < SIZE && err == 0; at += PIECE)
        err = mem_object_add(o, bytes + at,
                             SIZE - at < PIECE ? SIZE - at : PIECE);
    is_int(err, 0, "5 MiB in pieces");
    ok(memcmp(o->bytes, bytes, SIZE) == 0, "are what was given");
    ok(o->meta_len == 4 && memcmp(o->meta, "a\0b", 4) == 0, "and so is meta");
    mem_object_drop(o);
    mem_store_free(s);
    free(bytes);
}

/* What is joined can be taken apart again. */
static void
test_join(void)
{
    static const char *const texts[] = {"", "one", "", "three", "x", ""};
    enum { N = sizeof(texts) / sizeof(*texts) };
    struct mem_store *s;
    struct mem_object *o, *parts[N];
    uint64_t before;
    bool same = true;

    mem_store_new(&s, 10 << 20, false);
    for (size_t i = 0; i < N; i++) {
        mem_object_new(&parts[i], s, strlen(texts[i]), 0, NULL, 0);
        mem_object_add(parts[i], texts[i], strlen(texts[i]));
    }
    mem_object_new(&o, s, 0, 1, NULL, 0);
    before = mem_store_used(s);
    for (int round = 0; round < 2; round++) {
        is_int(mem_object_join(o, parts, N), 0, "parts are joined");
        ok(o->size == 9 && memcmp(o->bytes, "onethreex", 9) == 0, "in order");
        is_int(mem_object_split(o, parts, N), 0, "and split");
        for (size_t i = 0; i < N; i++)
            same = same && parts[i]->size == strlen(texts[i]) &&
                   (parts[i]->size == 0 ||
                    memcmp(parts[i]->bytes, texts[i], parts[i]->size) == 0);
        ok(same && o->size == 0 && o->bytes == NULL, "each has its own");
        is_int((int64_t) mem_store_used(s), (int64_t) before,
               "counted as before");
    }
    mem_object_join(o, parts, N);
    for (size_t i = 0; i < N; i++)
        mem_object_drop(parts[i]);
    ok(memcmp(o->bytes, "onethreex", 9) == 0, "the whole needs no parts");
    mem_object_drop(o);
    is_int((int64_t) mem_store_used(s), 0, "nothing is counted any more");
    mem_store_free(s);
}

static void
test_null(void)
{
    struct mem_store *s;
    struct mem_object *o;

    mem_store_new(&s, 1 << 20, true);
    mem_store_make_bucket(s, "bkt", false);
    is_int(mem_object_new(&o, s, UINT64_C(5) << 30, 1, NULL, 0), 0,
           "null: 5 GiB below a bound of 1 MiB");
    is_int(mem_object_add(o, "x", 1), 0, "null: takes bytes");
    ok(o->bytes == NULL, "null: and keeps none");
    {
        const struct mem_name name = name_of("bkt", "k");

        is_int(mem_store_put(s, &name, o, NULL), 0, "null: put");
    }
    mem_object_drop(o);
    is_int(get(s, &o, "k"), 0, "null: get");
    is_int((int64_t) o->size, INT64_C(5) << 30, "null: knows the size");
    mem_object_drop(o);
    mem_store_free(s);
}

/* Writes a listing as text: keys as they are, prefixes in angles. */
static void
note(void *ctx, const char *name, size_t n, const struct mem_object *o,
     bool newest)
{
    struct buf *out = ctx;

    buf_adds(out, out->len > 0 ? " " : "");
    buf_adds(out, o == NULL ? "<" : "");
    buf_add(out, name, n);
    if (o != NULL && o->version == MEM_VERSION_ID)
        buf_addf(out, ":%" PRIu64, o->seq);
    if (o != NULL && o->marker)
        buf_adds(out, "-");
    if (o != NULL && !newest)
        buf_adds(out, "~");
    buf_adds(out, o == NULL ? ">" : "");
}

static struct buf listed;

/* Returns: the listing as text, with "..." when it is cut off. */
static const char *
list(struct mem_store *s, const char *prefix, const char *delimiter,
     const char *after, size_t max)
{
    struct mem_list l = {.prefix = prefix,
                         .prefix_len = strlen(prefix),
                         .delimiter = delimiter,
                         .delimiter_len = strlen(delimiter),
                         .after = after,
                         .after_len = strlen(after),
                         .max = max,
                         .each = note,
                         .ctx = &listed};

    buf_reset(&listed);
    if (mem_store_list(s, "bkt", &l) != 0)
        return "error";
    if (l.truncated)
        buf_adds(&listed, " ...");
    return listed.data;
}

static void
test_list(void)
{
    static const char *const keys[] = {"a",     "b/1", "b/2",    "b/c/1",
                                       "b/c/2", "b0",  "c\xff",  "c\xff/1",
                                       "d",     "e/",  "\xff/1", "\xff/2"};
    struct mem_store *s;

    buf_init(&listed, 1 << 20);
    mem_store_new(&s, 1 << 20, false);
    mem_store_make_bucket(s, "bkt", false);
    is_str(list(s, "", "", "", 10), "", "list: nothing");
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        put_text(s, "bkt", keys[i], "x");
    is_str(list(s, "", "", "", 100),
           "a b/1 b/2 b/c/1 b/c/2 b0 c\xff c\xff/1 d e/ \xff/1 \xff/2",
           "list: all");
    is_str(list(s, "", "/", "", 100), "a <b/> b0 c\xff <c\xff/> d <e/> <\xff/>",
           "list: a delimiter");
    is_str(list(s, "b/", "", "", 100), "b/1 b/2 b/c/1 b/c/2", "list: a prefix");
    is_str(list(s, "b/", "/", "", 100), "b/1 b/2 <b/c/>", "list: both");
    is_str(list(s, "b/c/", "/", "", 100), "b/c/1 b/c/2", "list: deeper");
    is_str(list(s, "x", "/", "", 100), "", "list: a prefix of nothing");
    is_str(list(s, "", "0", "", 100),
           "a b/1 b/2 b/c/1 b/c/2 <b0> c\xff c\xff/1 d e/ \xff/1 \xff/2",
           "list: another delimiter");
    is_str(list(s, "", "/c/", "", 4), "a b/1 b/2 <b/c/> ...",
           "list: a delimiter of three bytes");
    is_str(list(s, "", "", "b/2", 3), "b/c/1 b/c/2 b0 ...",
           "list: after a key");
    is_str(list(s, "", "/", "b/", 3), "b0 c\xff <c\xff/> ...",
           "list: after a common prefix");
    is_str(list(s, "", "/", "b/1", 3), "b0 c\xff <c\xff/> ...",
           "list: after a key within a common prefix");
    is_str(list(s, "b/", "", "a", 100), "b/1 b/2 b/c/1 b/c/2",
           "list: after a key before the prefix");
    is_str(list(s, "b/", "", "c", 100), "", "list: after one behind it");
    is_str(list(s, "", "/", "e/", 100), "<\xff/>", "list: the last ones");
    is_str(list(s, "", "/", "\xff/", 100), "", "list: behind the last one");
    is_str(list(s, "", "", "", 12),
           "a b/1 b/2 b/c/1 b/c/2 b0 c\xff c\xff/1 d e/ \xff/1 \xff/2",
           "list: a page that just holds all is not cut off");
    is_str(list(s, "", "/", "", 7), "a <b/> b0 c\xff <c\xff/> d <e/> ...",
           "list: a page that is");
    is_str(list(s, "", "", "", 0), "", "list: a page of nothing");
    mem_store_free(s);
    buf_clear(&listed);
}

/* Many threads on one store; counts stay right. */
static void *
hammer(void *ctx)
{
    struct mem_store *s = ctx;
    static atomic_uint number;
    unsigned me = atomic_fetch_add(&number, 1);
    uintptr_t wrong = 0;
    char key[32], text[32];

    for (unsigned i = 0; i < 2000; i++) {
        struct mem_object *o;

        snprintf(key, sizeof(key), "k%u-%u", me, i % 50);
        snprintf(text, sizeof(text), "%u %u", me, i);
        wrong += put_text(s, "bkt", key, text) != 0;
        if (get(s, &o, key) == 0) {
            wrong += memcmp(o->bytes, text, strlen(text)) != 0;
            mem_object_drop(o);
        } else {
            wrong++;
        }
        wrong += put_text(s, "bkt", "shared", text) != 0;
        if (get(s, &o, "shared") == 0)
            mem_object_drop(o);
        if (i % 3 == 0)
            wrong += delete (s, "bkt", key) != 0;
    }
    for (unsigned i = 0; i < 50; i++) {
        snprintf(key, sizeof(key), "k%u-%u", me, i);
        delete (s, "bkt", key);
    }
    return (void *) wrong;
}

static void
test_threads(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct mem_store *s;
    uintptr_t wrong = 0;
    uint64_t empty;

    mem_store_new(&s, 1 << 24, false);
    mem_store_make_bucket(s, "bkt", false);
    empty = mem_store_used(s);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, hammer, s);
    for (size_t i = 0; i < THREADS; i++) {
        void *result;

        pthread_join(threads[i], &result);
        wrong += (uintptr_t) result;
    }
    is_int((int64_t) wrong, 0, "threads: nobody saw anything wrong");
    delete (s, "bkt", "shared");
    is_int((int64_t) mem_store_used(s), (int64_t) empty,
           "threads: nothing is counted any more");
    mem_store_free(s);
}

int
main(void)
{
    test_map();
    test_map_order();
    test_objects();
    test_bound();
    test_growth();
    test_join();
    test_null();
    test_list();
    test_threads();
    return done_testing();
}
