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
    return done_testing();
}
