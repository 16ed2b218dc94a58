/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "buf.h"

#include <errno.h>
#include <stdlib.h>

#include "tap.h"

static void
test_additions(void)
{
    struct buf b;

    buf_init(&b, 100);
    is_str(b.data, "", "a new buffer is an empty text");
    is_int(b.size, 0, "and has allocated nothing");
    is_int(buf_adds(&b, "one"), 0, "a text");
    is_int(buf_addc(&b, ','), 0, "a character");
    is_int(buf_addf(&b, "%d-%s", 2, "two"), 0, "a format");
    is_str(b.data, "one,2-two", "come one after the other");
    is_int(b.len, 9, "and are counted");
    is_int(buf_add(&b, "\0x", 2), 0, "bytes, NUL among them");
    is_int(b.len, 11, "count as well");
    ok(memcmp(b.data + 9, "\0x\0", 3) == 0, "and a NUL follows");
    is_int(buf_add(&b, NULL, 0), 0, "nothing can be added");
    is_int(b.len, 11, "and changes nothing");
    buf_clear(&b);
}

static void
test_limit(void)
{
    struct buf b;

    buf_init(&b, 10);
    is_int(buf_adds(&b, "0123456789"), 0, "exactly the limit fits");
    is_int(buf_addc(&b, 'x'), EMSGSIZE, "one byte more does not");
    is_int(buf_adds(&b, "xyz"), EMSGSIZE, "nor a text");
    is_int(buf_addf(&b, "%d", 7), EMSGSIZE, "nor a format");
    is_int(buf_reserve(&b, SIZE_MAX), EMSGSIZE, "nor the longest length");
    is_str(b.data, "0123456789", "a failed addition changes nothing");
    is_int(b.data[b.len], '\0', "and the NUL is there");
    ok(b.size <= 11, "no more is allocated than the limit needs");
    buf_clear(&b);

    buf_init(&b, 0);
    is_int(buf_adds(&b, ""), 0, "a limit of 0 takes the empty text");
    is_int(buf_addc(&b, 'x'), EMSGSIZE, "and nothing else");
    buf_clear(&b);
}

static void
test_growth(void)
{
    struct buf b;
    bool good = true;

    buf_init(&b, 100000);
    for (int i = 0; i < 100000; i++)
        good = good && buf_addc(&b, (char) ('a' + i % 26)) == 0;
    ok(good && b.len == 100000, "a buffer grows byte by byte to its limit");
    for (int i = 0; i < 100000; i++)
        good = good && b.data[i] == 'a' + i % 26;
    ok(good, "and keeps what it holds");
    is_int(buf_addc(&b, 'x'), EMSGSIZE, "and no further");
    buf_clear(&b);
}

static void
test_reuse(void)
{
    struct buf b;
    char *data;

    buf_init(&b, 1000);
    is_int(buf_reserve(&b, 500), 0, "room can be made in advance");
    data = b.data;
    for (int i = 0; i < 500; i++)
        buf_addc(&b, 'x');
    ok(b.data == data, "then additions do not move the buffer");
    buf_reset(&b);
    is_int(b.len, 0, "a reset forgets the content");
    is_str(b.data, "", "leaves an empty text");
    ok(b.data == data && b.size > 500, "and keeps the memory");
    buf_clear(&b);
    buf_clear(&b);
    is_int(b.size, 0, "clear is safe twice");
    is_int(buf_adds(&b, "again"), 0, "and the buffer works again");
    is_int(b.max, 1000, "with the same limit");
    buf_wipe(&b);
    is_str(b.data, "", "a wipe leaves an empty text, too");
    buf_wipe(&b);
    buf_reset(&b);
    is_int(b.len, 0, "wipe and reset are safe on an empty buffer");
}

int
main(void)
{
    test_additions();
    test_limit();
    test_growth();
    test_reuse();
    return done_testing();
}
