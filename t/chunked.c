/* SPDX-License-Identifier: MIT */
/* Framed bodies: recorded and published cases, and every way to read them. */
#include "config.h"

#include "chunked.h"

#include "tap.h"
#include "vectors.h"

enum field {
    NAME,
    FILL,
    SIZE,
    METHOD,
    PATH,
    HEADERS,
    ACCESS_KEY,
    SECRET_KEY,
    REGION,
    STAMP,
    SEED,
    CHUNKS,
    TRAILER_SIGNATURE,
    TRAILER_VALUE,
    LENGTH,
    FIELDS
};

static struct sigv4 *signer;
static struct sigv4_texts texts;
static struct chunked chunked;
static size_t reads; /* calls of on_read() */

/* Byte I of the object, for either kind of case. CTX: the kind. */
static void
on_read(void *ctx, void *out, size_t n, uint64_t offset)
{
    const char *fill = ctx;
    unsigned char *to = out;

    reads++;
    for (size_t i = 0; i < n; i++)
        to[i] = *fill == 'a' ? 'a' : (unsigned char) ((offset + i) * 7 + 3);
}

static char *
make_bytes(const char *fill, uint64_t size)
{
    char *bytes = malloc((size_t) size + 1);

    if (bytes == NULL)
        vectors_die("no memory", fill);
    on_read((void *) fill, bytes, (size_t) size, 0);
    return bytes;
}

/* The whole framed body, read in pieces of STEP bytes. */
static char *
read_all(uint64_t length, size_t step)
{
    char *all = malloc((size_t) length + 1);

    if (all == NULL)
        vectors_die("no memory", "body");
    for (uint64_t at = 0; at < length; at += step) {
        uint64_t left = length - at;

        chunked_read(&chunked, all + at, left < step ? (size_t) left : step,
                     at);
    }
    all[length] = '\0';
    return all;
}

/* The framed body, put together here from the recorded signatures. */
static void
write_wanted(struct buf *out, char **field, const char *bytes, uint64_t size)
{
    char *list = strdup(field[CHUNKS]), *rest = list, *signature;
    uint64_t at = 0;

    while ((signature = strsep(&rest, ",")) != NULL) {
        uint64_t n = size - at < CHUNKED_SIZE ? size - at : CHUNKED_SIZE;

        buf_addf(out, "%llx;chunk-signature=%s\r\n", (unsigned long long) n,
                 signature);
        buf_add(out, bytes + at, (size_t) n);
        if (n > 0)
            buf_adds(out, "\r\n");
        at += n;
    }
    if (strcmp(field[TRAILER_VALUE], "-") != 0)
        buf_addf(out,
                 "x-amz-checksum-crc32c:%s\r\nx-amz-trailer-signature:%s\r\n",
                 field[TRAILER_VALUE], field[TRAILER_SIGNATURE]);
    buf_adds(out, "\r\n");
    free(list);
}

static bool
same(const char *got, const struct buf *want)
{
    return memcmp(got, want->data, want->len) == 0;
}

static void
check_reads(char **field, uint64_t length, const struct buf *want)
{
    static const size_t steps[] = {1, 7, 4096, 65536, 1 << 20};
    char few[200];
    char *got;
    bool good = true;

    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
        got = read_all(length, steps[i]);
        ok(same(got, want), "%s: in pieces of %zu", field[NAME], steps[i]);
        free(got);
    }
    /* Backwards, which no transport does; each goes back to the start. */
    for (uint64_t at = length; at > 0;) {
        size_t n = at < 9973 ? (size_t) at : 100;

        at = at < 9973 ? 0 : at - 9973;
        n = n < sizeof(few) ? n : sizeof(few);
        n = n < length - at ? n : (size_t) (length - at);
        chunked_read(&chunked, few, n, at);
        good = good && memcmp(few, want->data + at, n) == 0;
    }
    ok(good, "%s: at any offset", field[NAME]);
    is_int(chunked.err, 0, "%s: no error", field[NAME]);
}

static void
seed(char **field, const struct sigv4_scope *scope, enum chunked_form form)
{
    struct sigv4_header headers[VECTORS_PAIRS_MAX];
    struct vectors_pairs pairs;

    vectors_read_pairs(&pairs, field[HEADERS]);
    for (size_t i = 0; i < pairs.n; i++)
        headers[i] =
            (struct sigv4_header){pairs.pair[i].name, pairs.pair[i].value};
    sigv4_sign(signer, &texts,
               &(struct sigv4_request){field[METHOD], field[PATH], "", headers,
                                       pairs.n, chunked_payload(form)},
               scope);
    is_str(texts.signature, field[SEED], "%s: seed", field[NAME]);
    vectors_free_pairs(&pairs);
}

static void
check_case(char **field)
{
    bool trailer = strcmp(field[TRAILER_VALUE], "-") != 0;
    enum chunked_form form = trailer ? CHUNKED_SIGNED_TRAILER : CHUNKED_SIGNED;
    uint64_t size = strtoull(field[SIZE], NULL, 10);
    uint64_t length = strtoull(field[LENGTH], NULL, 10);
    char *bytes = make_bytes(field[FILL], size), *stamp = strdup(field[STAMP]);
    struct sigv4_scope scope = {field[ACCESS_KEY], field[SECRET_KEY],
                                field[REGION], "s3", stamp};
    struct buf want;

    buf_init(&want, 1 << 20);
    seed(field, &scope, form);
    is_int((long long) chunked_length(form, CHUNKED_TRAILER, size),
           (long long) length, "%s: encoded length", field[NAME]);
    write_wanted(&want, field, bytes, size);
    is_int((long long) want.len, (long long) length, "%s: length of the frames",
           field[NAME]);
    chunked_start(&chunked, form,
                  &(struct chunked_body){
                      .read = on_read, .read_ctx = field[FILL], .len = size},
                  signer, &scope, texts.signature);
    /* The maker's own stamp goes on to the next request. */
    memcpy(stamp, "20991231T235959Z", strlen(stamp));
    sigv4_sign(signer, &texts,
               &(struct sigv4_request){"GET", "/", "", NULL, 0, SIGV4_UNSIGNED},
               &scope);
    check_reads(field, length, &want);
    memcpy(stamp, field[STAMP], strlen(stamp));
    chunked_start(&chunked, form,
                  &(struct chunked_body){.bytes = bytes, .len = size}, signer,
                  &scope, field[SEED]);
    check_reads(field, length, &want);
    buf_clear(&want);
    free(bytes);
    free(stamp);
}

static void
test_unsigned(void)
{
    char *got;
    uint64_t length =
        chunked_length(CHUNKED_UNSIGNED_TRAILER, CHUNKED_TRAILER, 9);

    chunked_start(&chunked, CHUNKED_UNSIGNED_TRAILER,
                  &(struct chunked_body){.bytes = "123456789", .len = 9}, NULL,
                  NULL, NULL);
    got = read_all(length, 3);
    is_str(got, "9\r\n123456789\r\n0\r\nx-amz-checksum-crc32c:4waSgw==\r\n\r\n",
           "an unsigned body with a trailer");
    free(got);
    length = chunked_length(CHUNKED_UNSIGNED_TRAILER, CHUNKED_TRAILER, 0);
    chunked_start(&chunked, CHUNKED_UNSIGNED_TRAILER,
                  &(struct chunked_body){.len = 0}, NULL, NULL, NULL);
    got = read_all(length, 3);
    is_str(got, "0\r\nx-amz-checksum-crc32c:AAAAAA==\r\n\r\n", "an empty one");
    free(got);
}

/* Sizes at which digits and chunks begin: the length is what is read. */
static void
test_lengths(void)
{
    static const uint64_t sizes[] = {1,     15,     16,     4095,
                                     4096,  65535,  65536,  65537,
                                     69631, 131071, 131072, 131073};
    const struct sigv4_scope scope = {"AK", "SK", "us-east-1", "s3",
                                      "20130524T000000Z"};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        for (int f = CHUNKED_SIGNED; f <= CHUNKED_UNSIGNED_TRAILER; f++) {
            enum chunked_form form = (enum chunked_form) f;
            uint64_t length = chunked_length(form, CHUNKED_TRAILER, sizes[i]);
            char *got;

            chunked_start(&chunked, form,
                          &(struct chunked_body){.read = on_read,
                                                 .read_ctx = (void *) "p",
                                                 .len = sizes[i]},
                          signer, &scope, SIGV4_EMPTY_HASH);
            got = read_all(length, 65536);
            ok(chunked.last && chunked.at + chunked.head_len +
                                       chunked.data_len + chunked.tail_len ==
                                   length,
               "form %d of %llu bytes ends at its length", f,
               (unsigned long long) sizes[i]);
            free(got);
        }
}

/* Each byte is asked for twice, and nothing is allocated on the way. */
static void
test_cost(void)
{
    const struct sigv4_scope scope = {"AK", "SK", "us-east-1", "s3",
                                      "20130524T000000Z"};
    uint64_t size = 10 * CHUNKED_SIZE;
    uint64_t length = chunked_length(CHUNKED_SIGNED, CHUNKED_TRAILER, size);
    char *memory = chunked.to_sign.data, *got;

    reads = 0;
    chunked_start(&chunked, CHUNKED_SIGNED,
                  &(struct chunked_body){
                      .read = on_read, .read_ctx = (void *) "p", .len = size},
                  signer, &scope, SIGV4_EMPTY_HASH);
    got = read_all(length, 1 << 20);
    is_int((long long) reads, 10 * (8 + 1), "reads of a body");
    ok(memory == chunked.to_sign.data, "and no buffer has moved");
    free(got);
}

static void
test_names(void)
{
    enum chunked_form form = CHUNKED_NONE;

    ok(chunked_parse(&form, "signed") && form == CHUNKED_SIGNED, "signed");
    ok(chunked_parse(&form, "signed-trailer") && form == CHUNKED_SIGNED_TRAILER,
       "signed-trailer");
    ok(chunked_parse(&form, "unsigned-trailer") &&
           form == CHUNKED_UNSIGNED_TRAILER,
       "unsigned-trailer");
    ok(!chunked_parse(&form, "trailer") && !chunked_parse(&form, "") &&
           form == CHUNKED_UNSIGNED_TRAILER,
       "and no other");
    is_str(chunked_payload(CHUNKED_UNSIGNED_TRAILER),
           "STREAMING-UNSIGNED-PAYLOAD-TRAILER", "what the header says");
    ok(!chunked_has_trailer(CHUNKED_SIGNED), "signed has no trailer");
}

int
main(void)
{
    size_t count;

    if (sigv4_new(&signer) != 0 || chunked_init(&chunked, CHUNKED_TRAILER) != 0)
        return 99;
    sigv4_texts_init(&texts);
    count = vectors_each("s3-chunked-cases.tsv", FIELDS, check_case);
    is_int((long long) count, 3, "recorded cases");
    count = vectors_each("aws-doc-chunked.tsv", FIELDS, check_case);
    is_int((long long) count, 1, "published cases");
    test_unsigned();
    test_lengths();
    test_cost();
    test_names();
    sigv4_texts_clear(&texts);
    chunked_clear(&chunked);
    chunked_clear(&chunked);
    sigv4_free(signer);
    return done_testing();
}
