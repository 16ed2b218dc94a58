/* SPDX-License-Identifier: MIT */
/* Additional checksums: published check values, and odd pieces. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "mem_checksum.h"
#include "tap.h"

static char text[MEM_CHECKSUM_TEXT];

/* The checksum of N bytes that are added PIECE by PIECE. */
static const char *
sum(int kind, const char *bytes, size_t n, size_t piece)
{
    struct mem_checksum c;

    mem_checksum_init(&c);
    if (mem_checksum_begin(&c, kind) != 0)
        return "no memory";
    for (size_t at = 0; at < n; at += piece)
        mem_checksum_add(&c, bytes + at, n - at < piece ? n - at : piece);
    mem_checksum_end(&c, text);
    mem_checksum_clear(&c);
    return text;
}

static void
test_values(void)
{
    static const char *const of_nothing[] = {
        "AAAAAA==", "AAAAAA==", "AAAAAAAAAAA=", "2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
        "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="};
    static const char *const of_digits[] = {
        "y/Q5Jg==", "4waSgw==", "rosUhgp5mIg=", "98O8HYCOBHMq32eZZczDTKeuNEE=",
        "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU="};
    static const char *const of_32_zeros[] = {
        "GQpVrQ==", "ipE2qg==", "zzRzQ01Ozzs="};
    static const char *const of_many_a[] = {"sK4Y7A==", "sOO8/Q=="};
    char *bytes = calloc(1, 66560);

    for (int k = 0; k < MEM_CHECKSUM_KINDS; k++) {
        is_str(sum(k, "", 0, 1), of_nothing[k], "%s of nothing",
               mem_checksum_name(k));
        is_str(sum(k, "123456789", 9, 9), of_digits[k], "%s of 123456789",
               mem_checksum_name(k));
        is_str(sum(k, "123456789", 9, 2), of_digits[k], "in pieces");
        is_int((int64_t) strlen(text), (int64_t) mem_checksum_text_len(k),
               "its length");
    }
    for (int k = 0; k < 3; k++)
        is_str(sum(k, bytes, 32, 32), of_32_zeros[k], "%s of zeros",
               mem_checksum_name(k));
    memset(bytes, 'a', 66560);
    for (int k = 0; k < 2; k++) {
        is_str(sum(k, bytes, 66560, 66560), of_many_a[k], "%s of 66560 a",
               mem_checksum_name(k));
        is_str(sum(k, bytes, 66560, 4099), of_many_a[k], "in odd pieces");
    }
    free(bytes);
}

static void
test_names(void)
{
    is_int(mem_checksum_by_header("X-Amz-Checksum-CRC32C"), MEM_CRC32C,
           "by header, any case");
    is_int(mem_checksum_by_header("x-amz-checksum-mode"), -1, "not a checksum");
    is_int(mem_checksum_by_name("sha256"), MEM_SHA256, "by name, any case");
    is_int(mem_checksum_by_name("MD5"), -1, "an unknown one");
}

int
main(void)
{
    mem_checksum_prepare();
    test_values();
    test_names();
    return done_testing();
}
