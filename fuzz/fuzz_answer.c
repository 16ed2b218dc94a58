/* SPDX-License-Identifier: MIT */
/* Answers: the first byte cuts the rest into pieces; however it is cut,
 * the same is understood. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A hash over all that the callbacks were told. */
static void
mix(uint64_t *hash, const char *text)
{
    for (; *text != '\0'; text++)
        *hash = (*hash ^ (unsigned char) *text) * UINT64_C(1099511628211);
    *hash = (*hash ^ 1) * UINT64_C(1099511628211);
}

static void
on_entry(void *ctx, const struct answer_entry *entry)
{
    if (*entry->name == '\0' || strlen(entry->name) > ANSWER_KEY_MAX)
        abort();
    mix((uint64_t *) ctx, entry->name);
    mix((uint64_t *) ctx, entry->modified);
    mix((uint64_t *) ctx, entry->etag);
    *(uint64_t *) ctx += entry->size;
}

static void
on_failed_key(void *ctx, const struct answer_failed_key *key)
{
    mix((uint64_t *) ctx, key->key);
    mix((uint64_t *) ctx, key->code);
    mix((uint64_t *) ctx, key->message);
}

static void
feed(struct answer *a, uint64_t *seen, const uint8_t *data, size_t size,
     size_t step)
{
    *seen = 0;
    a->on_entry = on_entry;
    a->on_failed_key = on_failed_key;
    a->ctx = seen;
    for (size_t at = 0; at < size; at += step)
        answer_feed(a, data + at, size - at < step ? size - at : step);
    answer_finish(a);
}

/* Whether two readings of a whole document say the same. */
static bool
agree(const struct answer *a, const struct answer *b)
{
    return strcmp(a->root, b->root) == 0 &&
           memcmp(&a->error, &b->error, sizeof(a->error)) == 0 &&
           a->entries == b->entries && a->deleted == b->deleted &&
           a->failed_keys == b->failed_keys &&
           strcmp(a->next_token.data, b->next_token.data) == 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct answer whole, cut;
    uint64_t seen_whole, seen_cut;
    size_t step = size > 0 ? data[0] + 1u : 1;
    bool derived;

    if (whole.parser == NULL &&
        (answer_init(&whole) != 0 || answer_init(&cut) != 0))
        return 0;
    if (answer_reset(&whole) != 0 || answer_reset(&cut) != 0)
        abort();
    data += size > 0;
    size -= size > 0;
    feed(&whole, &seen_whole, data, size, size + 1);
    feed(&cut, &seen_cut, data, size, step);
    if (whole.complete != cut.complete)
        abort();
    /* A broken document may end a piece earlier or later. */
    if (whole.complete && (seen_whole != seen_cut || !agree(&whole, &cut)))
        abort();
    if (*answer_code(&whole, 404, true, &derived) == '\0')
        abort();
    return 0;
}
