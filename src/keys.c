/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "keys.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "random.h"

#define PIECE ((size_t) 65536)
#define USE_NAMES                                                              \
    0x6e616d65 /* random numbers for names; no seed: whoever                   \
                  deletes the objects need not know it */

bool
keys_parse_entropy(enum keys_entropy *out, const char *text)
{
    if (strcmp(text, "head") == 0)
        *out = KEYS_HEAD;
    else if (strcmp(text, "tail") == 0)
        *out = KEYS_TAIL;
    else
        return false;
    return true;
}

int
keys_add_name(struct buf *out, const struct keys_style *style, const char *base,
              uint64_t index)
{
    uint32_t digits = (uint32_t) random_at(USE_NAMES, index);
    uint64_t number = index + 1;
    int err = buf_adds(out, base);

    if (err == 0 && style->prefixes > 0)
        err = buf_addf(out, "%" PRIu64 "/", index % style->prefixes + 1);
    if (err != 0)
        return err;
    switch (style->entropy) {
    case KEYS_HEAD:
        return buf_addf(out, "%08" PRIx32 "-%" PRIu64, digits, number);
    case KEYS_TAIL:
        return buf_addf(out, "%" PRIu64 "-%08" PRIx32, number, digits);
    default:
        return buf_addf(out, "%" PRIu64, number);
    }
}

/* --- lists --- */

static int
read_all(struct buf *text, int fd)
{
    ssize_t n = 1;
    int err = 0;

    while (err == 0 && n != 0) {
        err = buf_reserve(text, PIECE);
        if (err != 0)
            break;
        n = read(fd, text->data + text->len, PIECE);
        if (n > 0)
            text->len += (size_t) n;
        else if (n < 0 && errno != EINTR)
            err = errno;
    }
    text->data[text->len] = '\0';
    return err;
}

static int
read_file(struct buf *text, const char *path)
{
    int fd = STDIN_FILENO, err;

    if (strcmp(path, "-") == 0)
        return read_all(text, fd);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    err = read_all(text, fd);
    close(fd);
    return err;
}

/* The bytes of the character at P, which ends before END; 0 if it is not
 * UTF-8. */
static size_t
character_length(const unsigned char *p, const unsigned char *end)
{
    /* What the second byte may be after which first one: keeps out long
     * forms, surrogates and what is above U+10FFFF. */
    static const struct {
        unsigned char first, last, low, high;
        size_t length;
    } forms[] = {
        {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
        {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
        {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    size_t i = 0, n;

    if (*p < 0x80)
        return 1;
    while (i<sizeof forms / sizeof *forms && * p> forms[i].last)
        i++;
    if (i == sizeof forms / sizeof *forms || *p < forms[i].first)
        return 0;
    n = forms[i].length;
    if (n > (size_t) (end - p) || p[1] < forms[i].low || p[1] > forms[i].high)
        return 0;
    for (size_t k = 2; k < n; k++)
        if ((p[k] & 0xc0) != 0x80)
            return 0;
    return n;
}

static const char *
name_fault(const char *name, size_t n, char end)
{
    const unsigned char *p = (const unsigned char *) name, *after = p + n;

    if (n == 0)
        return "it is empty";
    if (n > KEYS_LENGTH_MAX)
        return "it is longer than 1024 bytes";
    if (end == '\n' && name[n - 1] == '\r')
        return "it ends in a carriage return (names that do so go into a file "
               "with --null)";
    while (p < after) {
        size_t bytes = character_length(p, after);

        if (*p == '\0')
            return "it has a NUL byte (names that end in NUL need --null)";
        if (bytes == 0)
            return "it is not UTF-8";
        p += bytes;
    }
    return NULL;
}

static uint64_t
count_lines(const struct buf *text, char end)
{
    const char *at = text->data, *last = text->data + text->len;
    uint64_t lines = 0;

    while (at < last) {
        const char *found = memchr(at, end, (size_t) (last - at));

        lines++;
        at = found != NULL ? found + 1 : last;
    }
    return lines;
}

/* Find the names, and end each of them with NUL. */
static int
index_names(struct keys_list *list, char end, struct keys_fault *fault)
{
    char *at = list->text.data, *last = at + list->text.len;
    uint64_t lines = count_lines(&list->text, end);

    *fault = (struct keys_fault){1, "there is no name in it"};
    if (lines == 0)
        return EINVAL;
    list->starts = calloc((size_t) lines, sizeof *list->starts);
    if (list->starts == NULL)
        return ENOMEM;
    while (at < last) {
        char *found = memchr(at, end, (size_t) (last - at));
        char *after = found != NULL ? found : last;

        fault->line = list->count + 1;
        fault->what = name_fault(at, (size_t) (after - at), end);
        if (fault->what != NULL)
            return EINVAL;
        *after = '\0';
        list->starts[list->count++] = (uint64_t) (at - list->text.data);
        at = after + 1;
    }
    return 0;
}

int
keys_read(struct keys_list *list, const char *path, char end,
          struct keys_fault *fault)
{
    int err;

    *list = (struct keys_list){.count = 0};
    buf_init(&list->text, KEYS_FILE_MAX);
    err = read_file(&list->text, path);
    if (err == 0)
        err = index_names(list, end, fault);
    if (err != 0)
        keys_clear(list);
    return err;
}

void
keys_clear(struct keys_list *list)
{
    free(list->starts);
    list->starts = NULL;
    list->count = 0;
    if (list->text.max > 0) /* it was initialised */
        buf_clear(&list->text);
}

const char *
keys_listed(const struct keys_list *list, uint64_t index)
{
    return list->text.data + list->starts[index];
}
