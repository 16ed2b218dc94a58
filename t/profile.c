/* SPDX-License-Identifier: MIT */
/* The reader of AWS configuration files. */
#include "config.h"

#include "profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/stat.h>

#include "tap.h"

static struct buf seen;
static size_t line;

static bool
note(void *ctx, const char *parent, const char *name, const char *value)
{
    int *left = (int *) ctx;

    buf_addf(&seen, "%s%s%s=%s|", parent != NULL ? parent : "",
             parent != NULL ? "." : "", name, value);
    return --*left > 0;
}

static int
walk_some(const char *text, const char *section, int most)
{
    buf_reset(&seen);
    return profile_walk_text(text, strlen(text), section, note, &most, &line);
}

/* What SECTION of TEXT holds, as "a=1|s3.b=2|"; NULL for an error. */
static const char *
walk(const char *text, const char *section)
{
    return walk_some(text, section, 1000) == 0 ? seen.data : NULL;
}

/* The number of the line that makes TEXT malformed, 0 for none. */
static size_t
bad_line(const char *text)
{
    return walk_some(text, "default", 1000) == EINVAL ? line : 0;
}

static void
test_entries(void)
{
    is_str(walk("[default]\na=1\nb = 2\n", "default"), "a=1|b=2|",
           "with and without blanks");
    is_str(walk("[default]\r\na =  x y \t\r\n\r\nb=\r\n", "default"),
           "a=x y|b=|", "CRLF, outer blanks, an empty value");
    is_str(walk("[default]\nNaMe = VaLuE=#;:\n", "default"), "name=VaLuE=#;:|",
           "names lose their case, values keep all");
    is_str(
        walk("# c\n; c\n[default]\n  # c\na=1 # no comment\n;b=2\n", "default"),
        "a=1 # no comment|", "comments are whole lines");
    is_str(walk("\xef\xbb\xbf[default]\na=1", "default"), "a=1|",
           "a byte order mark, no final newline");
    is_str(walk("[default]\na=1\n[x]\nb=2\n[default]\nc=3\n", "default"),
           "a=1|c=3|", "a section in two parts");
    is_str(walk("[default]\na=1\na=2\n", "default"), "a=1|a=2|",
           "repeated entries are both reported");
    is_str(walk("[default]\n", "default"), "", "an empty section");
    is_int(walk_some("[default]\na=1\nb=2\nc\n", "default", 1), 0,
           "the caller can stop");
    is_str(seen.data, "a=1|", "after one entry");
}

static void
test_nesting(void)
{
    is_str(walk("[default]\ns3 =\n  Style = path\n\n  # c\n\tx=1\nb=2\n",
                "default"),
           "s3=|s3.style=path|s3.x=1|b=2|", "a nested block");
    is_str(walk("[default]\ns3=\n  a=1\ncloud=\n  b=2\n", "default"),
           "s3=|s3.a=1|cloud=|cloud.b=2|", "two nested blocks");
    is_str(walk(" [default]\n  a=1\n  s3=\n    b=2\n  c=3\n", "default"),
           "a=1|s3=|s3.b=2|c=3|", "a section that is indented as a whole");
    is_str(walk("[x]\n  a\n    [default]\n  b=1\n[default]\nc=1\n", "default"),
           "c=1|", "a nested line of another section is no header");
}

static void
test_sections(void)
{
    const char *text = "[default]\na=1\n"
                       "[profile dev]\na=2\n"
                       "[profile\t\"my own\"]\na=3\n"
                       "[ profile   'q' ]  # comment\na=4\n"
                       "[profile \"x\" \"y\"]\na=5\n"
                       "[profile \"open]\na=6\n"
                       "[dev]\na=7\n"
                       "[services lab]\na=8\n"
                       "[Default]\na=9\n";

    is_str(walk(text, "default"), "a=1|", "default");
    is_str(walk(text, "profile dev"), "a=2|", "a profile");
    is_str(walk(text, "dev"), "a=7|", "a bare name is another section");
    is_str(walk(text, "profile my own"), "a=3|", "a name in quotes");
    is_str(walk(text, "profile q"), "a=4|", "blanks, quotes, a comment");
    is_str(walk(text, "services lab"), "a=8|", "another kind of section");
    is_int(walk_some(text, "profile x", 1), ESRCH, "two names are none");
    is_int(walk_some(text, "profile open", 1), ESRCH, "an open quote");
    is_int(walk_some(text, "profile", 1), ESRCH, "a kind without a name");
    is_int(walk_some(text, "profile de", 1), ESRCH, "half a name");
    is_int(walk_some("", "default", 1), ESRCH, "an empty file");
}

static void
test_malformed(void)
{
    is_int(bad_line("a=1\n"), 1, "an entry before any section");
    is_int(bad_line("[default]\n\nnonsense\n"), 3, "no equals sign");
    is_int(bad_line("[default]\n= 1\n"), 2, "no name");
    is_int(bad_line("[default\na=1\n"), 1, "an open header");
    is_int(bad_line("[]\n"), 1, "an empty header");
    is_int(bad_line("[ ]\n"), 1, "a blank header");
    is_int(bad_line("[default] x\n"), 1, "text after a header");
    is_int(bad_line("[default]\ns3 =\n  style\n"), 3,
           "a nested line without equals sign");
    is_int(bad_line("[default]\na = 1\n  b = 2\n"), 3,
           "an indented line below a value");
    is_int(bad_line("[x]\nnonsense\n  more\n[default]\na=1\n"), 0,
           "other sections may hold anything");
    buf_reset(&seen);
    is_int(profile_walk_text("[default]\na=\0b\n", 15, "default", note,
                             &(int){9}, &line),
           EINVAL, "a NUL byte");
}

static void
test_long(void)
{
    size_t n = 100000;
    char *text = (char *) malloc(n + 1);

    if (text == NULL)
        return;
    memset(text, 'x', n);
    text[n] = '\0';
    memcpy(text, "[default]\nk=", 12);
    is_int(walk_some(text, "default", 9), 0, "a value of %zu bytes", n - 12);
    is_int((int64_t) seen.len, (int64_t) (strlen("k=|") + n - 12),
           "cut nowhere");
    free(text);
}

static void
test_read(void)
{
    char path[] = "/tmp/s3perf-profile-XXXXXX";
    int fd = mkstemp(path);
    struct buf text;
    int ends[2];
    char via[64];

    buf_init(&text, PROFILE_FILE_MAX);
    if (fd < 0 || pipe(ends) != 0) {
        ok(false, "no temporary file");
        return;
    }
    is_int(profile_read(&text, "/nonexistent/file"), ENOENT, "no such file");
    is_int(profile_read(&text, "/"), EISDIR, "a directory");
    is_int(profile_read(&text, path), 0, "an empty file");
    is_int((int64_t) text.len, 0, "is empty");
    ok(write(fd, "[default]\n", 10) == 10 && profile_read(&text, path) == 0,
       "a file");
    is_str(text.data, "[default]\n", "as it is");
    ok(ftruncate(fd, (off_t) PROFILE_FILE_MAX - 1) == 0 &&
           profile_read(&text, path) == 0,
       "just small enough");
    ok(ftruncate(fd, (off_t) PROFILE_FILE_MAX + 1) == 0 &&
           profile_read(&text, path) == EFBIG,
       "too large");
    is_int(profile_read(&text, "/dev/zero"), EFBIG, "an endless file");

    snprintf(via, sizeof(via), "/dev/fd/%d", ends[0]);
    ok(write(ends[1], "[x]\n", 4) == 4 && close(ends[1]) == 0 &&
           profile_read(&text, via) == 0,
       "a pipe");
    is_str(text.data, "[x]\n", "as it is");
    close(ends[0]);
    close(fd);
    unlink(path);
    buf_wipe(&text);
}

int
main(void)
{
    buf_init(&seen, 1 << 20);
    test_entries();
    test_nesting();
    test_sections();
    test_malformed();
    test_long();
    test_read();
    buf_clear(&seen);
    return done_testing();
}
