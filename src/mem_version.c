/* SPDX-License-Identifier: MIT */
/*
 * Versions: their names, which tell their order to us alone, and the chain
 * of an object's versions, newest first. See mem_store.h.
 */
#include "config.h"

#include "mem_store_parts.h"

#include <string.h>

#define ODD UINT64_C(0x9e3779b97f4a7c15)
#define WORD_CHARS 11 /* of 6 bits each; the last has 4 */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "abcdefghijklmnopqrstuvwxyz0123456789._";

static void
write_word(char *out, uint64_t word)
{
    for (int i = 0; i < WORD_CHARS; i++, word >>= 6)
        out[i] = digits[word & 63];
}

/* Of Steele, Lea, Flood: SplitMix64. */
static uint64_t
mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Not in sequence to the eye, but never twice; the second half is a check
 * of the first. */
static void
write_id(char out[MEM_VERSION_SIZE], const struct mem_store *s, uint64_t seq)
{
    uint64_t word = (seq + s->seed) * ODD;

    write_word(out, word);
    write_word(out + WORD_CHARS, mix(word + s->seed));
    out[MEM_VERSION_SIZE - 1] = '\0';
}

/* The number behind an id. false when TEXT is none of this store's. */
static bool
read_id(uint64_t *seq, const struct mem_store *s, const char *text)
{
    uint64_t word = 0, inverse = ODD;
    char again[MEM_VERSION_SIZE];

    if (strlen(text) != MEM_VERSION_SIZE - 1)
        return false;
    for (int i = WORD_CHARS - 1; i >= 0; i--) {
        const char *digit = strchr(digits, text[i]);

        if (digit == NULL)
            return false;
        word = word << 6 | (uint64_t) (digit - digits);
    }
    for (int i = 0; i < 5; i++) /* Newton: 3 bits are right, 6, 12, ... */
        inverse *= 2 - ODD * inverse;
    *seq = word * inverse - s->seed;
    write_id(again, s, *seq);
    return strcmp(again, text) == 0;
}

void
mem_store_version(const struct mem_store *s, char out[MEM_VERSION_SIZE],
                  const struct mem_object *o)
{
    if (o->version == MEM_VERSION_ID)
        write_id(out, s, o->seq);
    else
        memcpy(out, "null", sizeof("null"));
}

bool
mem_version_check(const struct mem_store *s, const char *text)
{
    uint64_t seq;

    return strcmp(text, "null") == 0 || read_id(&seq, s, text);
}

void
mem_chain_drop(struct mem_object *o)
{
    while (o != NULL) {
        struct mem_object *older = o->older;

        o->older = NULL;
        mem_object_drop(o);
        o = older;
    }
}

struct mem_object *
mem_chain_find(const struct mem_store *s, struct mem_object *o,
               const char *text)
{
    bool null = strcmp(text, "null") == 0;
    uint64_t seq = 0;

    if (!null && !read_id(&seq, s, text))
        return NULL;
    for (; o != NULL; o = o->older)
        if (null ? o->version != MEM_VERSION_ID
                 : o->version == MEM_VERSION_ID && o->seq == seq)
            break;
    return o;
}

struct mem_object *
mem_chain_behind(const struct mem_store *s, struct mem_object *o,
                 const char *text)
{
    const struct mem_object *found = mem_chain_find(s, o, text);
    uint64_t seq;

    if (found != NULL)
        return found->older;
    /* Where a "null" has been is not known: again from the newest. */
    if (!read_id(&seq, s, text))
        return o;
    while (o != NULL && o->seq >= seq)
        o = o->older;
    return o;
}

void
mem_chain_remove(struct mem_object **head, struct mem_object *o)
{
    while (*head != o)
        head = &(*head)->older;
    *head = o->older;
    o->older = NULL;
}
