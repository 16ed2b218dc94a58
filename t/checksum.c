/* SPDX-License-Identifier: MIT */
/* Checksums: recorded ones, and the fast way against the simple one. */
#include "config.h"

#include "checksum.h"

#include "tap.h"
#include "vectors.h"

#define LONG_SIZE ((size_t) 5242881)

enum field {
    NAME,
    LENGTH,
    FIRST_SUM, /* in the order of enum checksum_kind, from CRC32 on */
    FIELDS = FIRST_SUM + CHECKSUM_KINDS - 1
};

enum parts_field {
    PART_SIZE = 2,
    FIRST_COMPOSITE,
    FIRST_FULL = FIRST_COMPOSITE + 4,
    PARTS_FIELDS = FIRST_FULL + 3
};

static unsigned char *pattern; /* (i * 7 + 3) mod 256 */

/* The input of the recorded case NAME. */
static unsigned char *
make_input(const char *name, size_t size)
{
    unsigned char *bytes = calloc(1, size + 1);

    if (bytes == NULL)
        vectors_die("no memory", name);
    if (strcmp(name, "check") == 0)
        memcpy(bytes, "123456789", 9);
    else if (strcmp(name, "hello") == 0)
        memcpy(bytes, "Hello world", 11);
    else if (strcmp(name, "a-66560") == 0)
        memset(bytes, 'a', size);
    else if (strcmp(name, "lcg-1m") == 0)
        memcpy(bytes, pattern, size);
    else if (strcmp(name, "inc-32") == 0)
        for (size_t i = 0; i < size; i++)
            bytes[i] = (unsigned char) i;
    else if (strcmp(name, "empty") != 0 && strcmp(name, "zeros-32") != 0)
        vectors_die("unknown input", name);
    return bytes;
}

/* The bytes of KIND's checksum of N bytes, added in pieces of STEP. */
static void
sum_up(unsigned char out[CHECKSUM_BYTES_MAX], enum checksum_kind kind,
       const unsigned char *bytes, size_t n, size_t step)
{
    struct checksum c;

    if (checksum_init(&c, kind) != 0)
        vectors_die("no memory", checksum_name(kind));
    checksum_begin(&c);
    checksum_add(&c, "forgotten", 9);
    checksum_begin(&c);
    for (size_t at = 0; at < n; at += step)
        checksum_add(&c, bytes + at, n - at < step ? n - at : step);
    is_int(checksum_end(&c, out), 0, "ends well");
    checksum_clear(&c);
    checksum_clear(&c);
}

static void
check_sum(enum checksum_kind kind, const unsigned char *bytes, size_t n,
          size_t step, const char *want)
{
    unsigned char sum[CHECKSUM_BYTES_MAX];
    char text[CHECKSUM_TEXT_SIZE];

    sum_up(sum, kind, bytes, n, step);
    checksum_text(text, kind, sum);
    is_str(text, want, "%s of %zu bytes by %zu", checksum_name(kind), n, step);
    is_int((int64_t) strlen(text), (int64_t) checksum_text_len(kind),
           "its length");
}

static void
check_case(char **field)
{
    size_t n = strtoul(field[LENGTH], NULL, 10);
    unsigned char *bytes = make_input(field[NAME], n);

    for (int k = CHECKSUM_CRC32; k < CHECKSUM_KINDS; k++) {
        const char *want = field[FIRST_SUM + k - CHECKSUM_CRC32];

        check_sum((enum checksum_kind) k, bytes, n, n + 1, want);
        check_sum((enum checksum_kind) k, bytes, n, 1000, want);
        if (n < 1000)
            check_sum((enum checksum_kind) k, bytes, n, 1, want);
    }
    free(bytes);
}

/* The checksum of the checksums of parts, which ends in "-COUNT". */
static void
check_composite(enum checksum_kind kind, size_t size, size_t part_size,
                const char *want)
{
    unsigned char sums[8 * CHECKSUM_BYTES_MAX], sum[CHECKSUM_BYTES_MAX];
    char text[CHECKSUM_TEXT_SIZE], all[CHECKSUM_TEXT_SIZE + 16];
    size_t len = 0, count = 0;

    for (size_t at = 0; at < size; at += part_size, count++) {
        size_t n = size - at < part_size ? size - at : part_size;

        sum_up(sums + len, kind, pattern + at, n, n);
        len += checksum_bytes(kind);
    }
    sum_up(sum, kind, sums, len, len);
    checksum_text(text, kind, sum);
    snprintf(all, sizeof all, "%s-%zu", text, count);
    is_str(all, want, "%s of %zu parts", checksum_name(kind), count);
}

static void
check_parts(char **field)
{
    static const enum checksum_kind composite[] = {
        CHECKSUM_CRC32, CHECKSUM_CRC32C, CHECKSUM_SHA1, CHECKSUM_SHA256};
    static const enum checksum_kind full[] = {CHECKSUM_CRC32, CHECKSUM_CRC32C,
                                              CHECKSUM_CRC64NVME};
    size_t size = strtoul(field[LENGTH], NULL, 10);
    size_t part_size = strtoul(field[PART_SIZE], NULL, 10);

    if (size > LONG_SIZE)
        vectors_die("too long", field[NAME]);
    for (size_t i = 0; i < sizeof composite / sizeof *composite; i++)
        check_composite(composite[i], size, part_size,
                        field[FIRST_COMPOSITE + i]);
    for (size_t i = 0; i < sizeof full / sizeof *full; i++)
        check_sum(full[i], pattern, size, size, field[FIRST_FULL + i]);
}

/* Every length and alignment around where the ways part. */
static void
test_ways_agree(void)
{
    for (int k = CHECKSUM_CRC32; k <= CHECKSUM_CRC64NVME; k++) {
        enum checksum_kind kind = (enum checksum_kind) k;
        size_t wrong = 0;

        for (size_t n = 0; n < 600; n++)
            for (size_t at = 0; at < 17; at++)
                wrong += checksum_crc(kind, pattern + at, n, true) !=
                         checksum_crc(kind, pattern + at, n, false);
        is_int((int64_t) wrong, 0, "%s: both ways agree", checksum_name(kind));
    }
}

static void
test_names(void)
{
    enum checksum_kind kind = CHECKSUM_NONE;

    ok(checksum_parse(&kind, "crc64nvme") && kind == CHECKSUM_CRC64NVME,
       "crc64nvme");
    ok(checksum_parse(&kind, "SHA256") && kind == CHECKSUM_SHA256,
       "SHA256, in any case");
    ok(!checksum_parse(&kind, "none") && !checksum_parse(&kind, "") &&
           !checksum_parse(&kind, "crc") && kind == CHECKSUM_SHA256,
       "and no other");
    is_str(checksum_header(CHECKSUM_CRC32C), "x-amz-checksum-crc32c", "header");
    is_str(checksum_header(CHECKSUM_MD5), "Content-MD5", "MD5's");
    is_str(checksum_algorithm(CHECKSUM_SHA1), "SHA1", "algorithm");
    is_str(checksum_element(CHECKSUM_CRC32), "ChecksumCRC32", "element");
}

static void
test_none(void)
{
    struct checksum c;
    unsigned char out[CHECKSUM_BYTES_MAX];

    is_int(checksum_init(&c, CHECKSUM_NONE), 0, "none");
    checksum_begin(&c);
    checksum_add(&c, "x", 1);
    is_int(checksum_end(&c, out), 0, "comes to nothing");
    checksum_clear(&c);
}

int
main(void)
{
    pattern = malloc(LONG_SIZE);
    if (pattern == NULL)
        return 99;
    for (size_t i = 0; i < LONG_SIZE; i++)
        pattern[i] = (unsigned char) (i * 7 + 3);
    is_int((int64_t) vectors_each("checksums.tsv", FIELDS, check_case), 7,
           "recorded cases");
    is_int((int64_t) vectors_each("checksums-parts.tsv", PARTS_FIELDS,
                                  check_parts),
           2, "recorded cases of parts");
    test_ways_agree();
    test_names();
    test_none();
    free(pattern);
    return done_testing();
}
