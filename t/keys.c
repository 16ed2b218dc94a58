/* SPDX-License-Identifier: MIT */
/* Names are what their number says, or what a file says. */
#include "config.h"

#include "keys.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "tap.h"

static void
check_name(const struct keys_style *style, uint64_t index, const char *want)
{
    struct buf name;

    buf_init(&name, 4096);
    is_int(keys_add_name(&name, style, "dir/f", index), 0, "a name");
    is_str(name.data, want, "is the right one");
    buf_clear(&name);
}

static void
test_styles(void)
{
    struct keys_style style = {0};

    check_name(&style, 0, "dir/f1");
    check_name(&style, 999999999999, "dir/f1000000000000");
    style.prefixes = 3;
    check_name(&style, 0, "dir/f1/1");
    check_name(&style, 2, "dir/f3/3");
    check_name(&style, 3, "dir/f1/4");
    style.entropy = KEYS_HEAD;
    check_name(&style, 3, "dir/f1/a6dc6b4b-4");
    style.prefixes = 0;
    check_name(&style, 3, "dir/fa6dc6b4b-4");
    style.entropy = KEYS_TAIL;
    check_name(&style, 3, "dir/f4-a6dc6b4b");
    ok(keys_parse_entropy(&style.entropy, "head") &&
           style.entropy == KEYS_HEAD &&
           keys_parse_entropy(&style.entropy, "tail") &&
           style.entropy == KEYS_TAIL &&
           !keys_parse_entropy(&style.entropy, "middle"),
       "the two places of entropy");
}

/* Names of KEYS_HEAD begin anywhere, and no two are alike. */
static void
test_entropy(void)
{
    struct keys_style style = {.entropy = KEYS_HEAD};
    unsigned firsts[256] = {0}, digits = 0;
    bool apart = true;
    char last[64] = "";
    struct buf name;

    buf_init(&name, 4096);
    for (uint64_t i = 0; i < 1600; i++) {
        buf_reset(&name);
        keys_add_name(&name, &style, "", i);
        firsts[(unsigned char) name.data[0]]++;
        apart &= strcmp(name.data, last) != 0;
        snprintf(last, sizeof last, "%s", name.data);
    }
    for (size_t i = 0; i < 16; i++)
        digits += firsts[(unsigned char) "0123456789abcdef"[i]] > 60;
    is_int(digits, 16, "each digit comes first about as often");
    ok(apart, "neighbours differ");
    buf_clear(&name);
}

static char path[] = "/tmp/keys-XXXXXX";

static void
write_file(const char *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");

    if (file == NULL || fwrite(bytes, 1, n, file) != n || fclose(file) != 0)
        abort();
}

static void
test_list(void)
{
    static const char text[] = "plain\na b+c=\xc3\xa9\n\xf0\x9f\x98\x80\n"
                               "bell\a\ttab\n//\n..\nlast";
    static const char nul[] = "one\ntwo\0three\r\0";
    struct keys_fault fault;
    struct keys_list list;

    write_file(text, sizeof text - 1);
    is_int(keys_read(&list, path, '\n', &fault), 0, "a list");
    is_int((int64_t) list.count, 7, "has so many names");
    is_str(keys_listed(&list, 0), "plain", "the first");
    is_str(keys_listed(&list, 1), "a b+c=\xc3\xa9", "blanks, plus, accents");
    is_str(keys_listed(&list, 2), "\xf0\x9f\x98\x80", "four bytes");
    is_str(keys_listed(&list, 3), "bell\a\ttab", "control characters");
    is_str(keys_listed(&list, 4), "//", "slashes");
    is_str(keys_listed(&list, 6), "last", "the last, without a newline");
    keys_clear(&list);
    keys_clear(&list);
    write_file(nul, sizeof nul - 1);
    is_int(keys_read(&list, path, '\0', &fault), 0, "a list with NULs");
    is_int((int64_t) list.count, 2, "has so many names");
    is_str(keys_listed(&list, 0), "one\ntwo", "with a newline");
    is_str(keys_listed(&list, 1), "three\r", "with a carriage return");
    keys_clear(&list);
}

static void
check_fault(const char *bytes, size_t n, char end, uint64_t line,
            const char *what)
{
    struct keys_fault fault = {0, ""};
    struct keys_list list;

    write_file(bytes, n);
    is_int(keys_read(&list, path, end, &fault), EINVAL, "%s: refused", what);
    is_int((int64_t) fault.line, (int64_t) line, "the line is named");
    ok(strstr(fault.what, what) != NULL, "so is what is wrong: %s", fault.what);
    ok(list.starts == NULL && list.count == 0, "nothing is left");
}

#define FAULT(text, end, line, what)                                           \
    check_fault(text, sizeof(text) - 1, end, line, what)

static void
test_faults(void)
{
    static char many[2000];
    struct keys_fault fault;
    struct keys_list list;

    FAULT("", '\n', 1, "no name");
    FAULT("a\n\nb\n", '\n', 2, "empty");
    FAULT("a\0\0", '\0', 2, "empty");
    FAULT("a\r\nb\r\n", '\n', 1, "carriage return");
    FAULT("a\nb\0c\n", '\n', 2, "NUL byte");
    FAULT("a\nb\nf\xfc"
          "r\n",
          '\n', 3, "UTF-8");
    FAULT("\xc0\x80\n", '\n', 1, "UTF-8"); /* long form */
    FAULT("\xe0\x9f\xbf\n", '\n', 1, "UTF-8");
    FAULT("\xed\xa0\x80\n", '\n', 1, "UTF-8"); /* surrogate */
    FAULT("\xf0\x8f\xbf\xbf\n", '\n', 1, "UTF-8");
    FAULT("\xf4\x90\x80\x80\n", '\n', 1, "UTF-8"); /* above U+10FFFF */
    FAULT("\xe2\x82\n", '\n', 1, "UTF-8"); /* cut off */
    FAULT("\xe2\x82", '\n', 1, "UTF-8");
    FAULT("\x80\n", '\n', 1, "UTF-8");
    memset(many, 'a', sizeof many);
    check_fault(many, 1025, '\n', 1, "1024 bytes");
    write_file(many, 1024);
    is_int(keys_read(&list, path, '\n', &fault), 0, "1024 bytes are fine");
    keys_clear(&list);
    is_int(keys_read(&list, "/nonexistent/keys", '\n', &fault), ENOENT,
           "a file that is not there");
    is_int(keys_read(&list, "/", '\n', &fault), EISDIR, "a folder");
}

static void
test_large(void)
{
    FILE *file = fopen(path, "wb");
    struct keys_fault fault;
    struct keys_list list;
    char want[32];
    bool right = true;

    for (int i = 0; file != NULL && i < 200000; i++)
        fprintf(file, "name/%d\n", i);
    if (file == NULL || fclose(file) != 0)
        abort();
    is_int(keys_read(&list, path, '\n', &fault), 0, "200000 names");
    for (uint64_t i = 0; i < list.count; i += 777) {
        snprintf(want, sizeof want, "name/%" PRIu64, i);
        right &= strcmp(keys_listed(&list, i), want) == 0;
    }
    ok(right && list.count == 200000, "each at its place");
    keys_clear(&list);
}

int
main(void)
{
    int fd = mkstemp(path);

    if (fd < 0)
        return 1;
    close(fd);
    test_styles();
    test_entropy();
    test_list();
    test_faults();
    test_large();
    unlink(path);
    return done_testing();
}
