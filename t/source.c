/* SPDX-License-Identifier: MIT */
/* Bodies from standard input, also without a byte. */
#include "config.h"

#include "source.h"

#include <stdlib.h>
#include <unistd.h>

#include "sigv4.h"
#include "tap.h"

/* Make TEXT standard input. */
static void
feed(const char *text)
{
    int ends[2];

    if (pipe(ends) != 0 || dup2(ends[0], STDIN_FILENO) < 0 ||
        write(ends[1], text, strlen(text)) != (ssize_t) strlen(text))
        abort();
    close(ends[0]);
    close(ends[1]);
}

static const char *names[] = {"k"};
static const struct payload_style style; /* random */
static const struct parts_rule rule = {70000, 100000};

/* The parts of an object of SIZE bytes are its content, and their hashes
 * theirs; S is its source. */
static void
check_parts(struct source *s, uint64_t size, const char *what)
{
    static unsigned char want[300000], got[300000];
    struct workload w = {.names = names,
                         .name_count = 1,
                         .numbered = true,
                         .count = 3,
                         .per_item = 1,
                         .size = size};
    struct workload_item item = {.first = 2, .names = 1, .size = size};
    struct source_body b;
    struct parts parts;
    struct payload *p;
    struct buf name;
    atomic_int stop = 0;
    bool hashed = true;

    buf_init(&name, 100);
    if (payload_new(&p, &style, 3) != 0 || workload_name(&w, 2, &name) != 0 ||
        source_body_init(&b, s, p) != 0 || !parts_apply(&parts, &rule, size))
        abort();
    payload_fill(p, payload_object(name.data, name.len), 0, want, size);
    is_int(source_hash_ahead(s, &w, &style, 3, &stop), 0, "%s: hashed", what);
    for (uint32_t i = 0; i < parts.count; i++) {
        char hash[PAYLOAD_HASH_SIZE];
        unsigned char *to = got + parts_offset(&parts, i);

        source_prepare_part(&b, s, &w, &item, &name, &parts, i);
        if (source_bytes(&b, s) != NULL)
            memcpy(to, source_bytes(&b, s), b.size);
        else
            source_read(&b, to, b.size, 0);
        sigv4_hash_hex(hash, to, b.size);
        hashed &= strcmp(hash, b.digests.hash) == 0;
    }
    ok(hashed, "%s: each part has its hash", what);
    ok(s->bytes != NULL || memcmp(want, got, size) == 0,
       "%s: parts are the object", what);
    is_int((int64_t) b.late_hashes, 0, "%s: none was late", what);
    source_body_clear(&b);
    source_clear(s);
    payload_free(p);
    buf_clear(&name);
}

static void
test_parts(void)
{
    struct source s;

    source_init(&s, 300000, true);
    source_cut(&s, &rule);
    is_int(s.cut.stride, 5, "an object is five bodies");
    check_parts(&s, 300000, "large");
    source_init(&s, 300000, true);
    source_cut(&s, &rule);
    check_parts(&s, 141000, "with a small part");
    source_init(&s, 99999, true);
    source_cut(&s, &rule);
    is_int(s.cut.stride, 1, "an object below the threshold is one");
    source_clear(&s);
}

static void
test_file_parts(void)
{
    char path[] = "source.XXXXXX";
    static char bytes[150000];
    struct source s;
    int fd = mkstemp(path);

    memset(bytes, 'x', sizeof bytes);
    bytes[80000] = 'y';
    if (fd < 0 || write(fd, bytes, sizeof bytes) != sizeof bytes)
        abort();
    close(fd);
    is_int(source_init_file(&s, path, true), 0, "a file");
    source_cut(&s, &rule);
    check_parts(&s, sizeof bytes, "file");
    unlink(path);
}

int
main(void)
{
    struct source s;

    feed("");
    is_int(source_init_file(&s, "-", true), 0, "an empty input is read");
    is_int((int64_t) s.size, 0, "it has no byte");
    is_str(s.hash, SIGV4_EMPTY_HASH, "and the hash of none");
    ok(s.owned && s.bytes != NULL, "its room is there to be freed");
    source_clear(&s);
    feed("abc");
    is_int(source_init_file(&s, "-", false), 0, "an input is read");
    ok(s.size == 3 && memcmp(s.bytes, "abc", 3) == 0, "to its end");
    source_clear(&s);
    test_parts();
    test_file_parts();
    return done_testing();
}
