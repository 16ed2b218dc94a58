/* SPDX-License-Identifier: MIT */
/* The framing of aws-chunked bodies: published ones, and hostile ones. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem_chunks.h"
#include "tap.h"

#define SIGNED "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
#define SIGNED_TRAILER SIGNED "-TRAILER"
#define UNSIGNED "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
#define CONTENT 150000

static const struct mem_keys keys = {
    .access_key = "AKIAIOSFODNN7EXAMPLE",
    .secret_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    .region = "us-east-1",
};
static struct mem_signer *signer;
static struct mem_chunks chunks;
static char *content; /* of the examples: byte i is (i * 7 + 3) mod 256 */
static struct buf decoded;

/* Feed the N bytes at BODY, PIECE by PIECE. */
static int
feed(const char *hash, const char *seed, const char *body, size_t n,
     size_t piece)
{
    static struct mem_auth auth;
    int err;

    auth = (struct mem_auth){.kind = MEM_AUTH_V4, .stamp = "20260102T030405Z"};
    snprintf(auth.signature, sizeof(auth.signature), "%s", seed);
    buf_reset(&decoded);
    mem_chunks_clear(&chunks);
    err = mem_chunks_begin(&chunks, hash, signer, &keys, &auth);
    for (size_t at = 0; at < n && err == 0; at += piece) {
        const char *in = body + at, *out;
        size_t left = n - at < piece ? n - at : piece, out_n;

        while (left > 0 && err == 0) {
            err = mem_chunks_next(&chunks, &out, &out_n, &in, &left);
            if (err == 0)
                err = buf_add(&decoded, out, out_n);
        }
    }
    return err;
}

/* The same for a text in one go and byte by byte. */
static void
feed_text(const char *what, const char *hash, const char *body, int err,
          const char *text)
{
    for (size_t piece = 1; piece <= 1000; piece += 999) {
        is_int(feed(hash, "", body, strlen(body), piece), err, "%s", what);
        if (err == 0) {
            ok(mem_chunks_complete(&chunks), "is complete");
            is_str(decoded.data, text, "its content");
        }
    }
}

static void
add_chunk(struct buf *out, size_t at, size_t n, const char *signature)
{
    buf_addf(out, "%zx;chunk-signature=%s\r\n", n, signature);
    if (n > 0) {
        buf_add(out, content + at, n);
        buf_adds(out, "\r\n");
    }
}

static void
make_example(struct buf *out, const char *const signatures[4])
{
    buf_reset(out);
    add_chunk(out, 0, 65536, signatures[0]);
    add_chunk(out, 65536, 65536, signatures[1]);
    add_chunk(out, 131072, 18928, signatures[2]);
    add_chunk(out, CONTENT, 0, signatures[3]);
}

static void
test_signed(void)
{
    static const char seed[] =
        "3ea04866f3d9ad702fa3463f7b18dbed565650a060ab1112fb3c4158811e15a6";
    static const char *const signatures[] = {
        "c82e23caa5be608e468285d3d4ab9adaf30a90e28556f81e058f4262b7901257",
        "94c6cedef0f1352558e6abe4e69524b1c1b19a383c8fc98f3365f9994282e9e8",
        "af25ec239a3f5a4c381ac015dca50d40e803b09568f61a6aff43bc5dac33052e",
        "7471a490f529310eadc54e1f1720ff6b4841cc9510fdde690b28af99996507d2"};
    static const size_t pieces[] = {1, 4096, 65537, 1000000};
    struct buf body;

    buf_init(&body, 1 << 20);
    make_example(&body, signatures);
    buf_adds(&body, "\r\n");
    is_int((int64_t) body.len, 150355, "the published length");
    for (size_t i = 0; i < 4; i++) {
        is_int(feed(SIGNED, seed, body.data, body.len, pieces[i]), 0,
               "signed chunks in pieces of %zu", pieces[i]);
        ok(mem_chunks_complete(&chunks) && decoded.len == CONTENT &&
               memcmp(decoded.data, content, CONTENT) == 0,
           "the content");
    }
    is_int(feed(SIGNED, seed, body.data, body.len - 1, 4096), 0, "cut short");
    ok(!mem_chunks_complete(&chunks), "is not complete");
    body.data[100] ^= 1;
    is_int(feed(SIGNED, seed, body.data, body.len, 4096), EACCES,
           "a byte of the content differs");
    body.data[100] ^= 1;
    body.data[25] ^= 1;
    is_int(feed(SIGNED, seed, body.data, body.len, 4096), EACCES,
           "a digit of a signature differs");
    buf_clear(&body);
}

static void
test_signed_trailer(void)
{
    static const char seed[] =
        "2e18b3b0a7a1562d27beb7c7ffd64de671e1b8ef309ba663233e7d13633a8951";
    static const char *const signatures[] = {
        "4173c23307df957ab31515881a0630ac2e4a9eb20265ce3f639d9fcf7f56987f",
        "385aaa54e5e8817e02536158ba62f734a22742b2dc7c209be5c82627776ddead",
        "c00a7ebdb2c334ab636956a8d7b68882489243aa7336e7b2ee4beedc4bb456dd",
        "f487b680db2780f8739f1f5142be41ef4e93db006d5e17d86bb451fdcd3bf159"};
    struct buf body;
    size_t head;

    buf_init(&body, 1 << 20);
    make_example(&body, signatures);
    head = body.len;
    buf_adds(&body,
             "x-amz-checksum-crc32c:fNcJcg==\r\nx-amz-trailer-signature:"
             "6b406a876dce43f6e621a4740ce8066fcc7440975f5b568d758a4de9120da2c6"
             "\r\n\r\n");
    is_int((int64_t) body.len, 150477, "the published length");
    is_int(feed(SIGNED_TRAILER, seed, body.data, body.len, 999), 0,
           "signed chunks with a trailer");
    ok(mem_chunks_complete(&chunks), "are complete");
    is_str(chunks.name, "x-amz-checksum-crc32c", "the trailer's name");
    is_str(chunks.value, "fNcJcg==", "the trailer's value");
    body.data[head + 22] ^= 1;
    is_int(feed(SIGNED_TRAILER, seed, body.data, body.len, 999), EACCES,
           "a trailer that was changed");
    body.len = head;
    buf_adds(&body, "x-amz-checksum-crc32c:fNcJcg==\r\n\r\n");
    is_int(feed(SIGNED_TRAILER, seed, body.data, body.len, 999), EACCES,
           "a trailer without its signature");
    buf_clear(&body);
}

static void
test_unsigned(void)
{
    char longer[MEM_CHUNK_LINE_MAX + 10];

    feed_text("nothing", UNSIGNED, "0\r\n\r\n", 0, "");
    feed_text("two chunks", UNSIGNED,
              "3\r\nabc\r\n00A\r\n0123456789\r\n0\r\n"
              "x-amz-checksum-crc32: AAAA\r\n\r\n",
              0, "abc0123456789");
    is_str(chunks.value, "AAAA", "the trailer's value");
    feed_text("lines that end in LF only", UNSIGNED, "1\na\n0\n\n", 0, "a");
    feed_text("an extension", UNSIGNED, "1;x=y\r\na\r\n0\r\n\r\n", 0, "a");
    feed_text("no number", UNSIGNED, "x\r\n", EINVAL, "");
    feed_text("an empty one", UNSIGNED, "\r\n", EINVAL, "");
    feed_text("a negative one", UNSIGNED, "-1\r\n", EINVAL, "");
    feed_text("a huge one", UNSIGNED, "fffffffffffffffff\r\n", EINVAL, "");
    feed_text("too large a chunk", UNSIGNED, "140000001\r\n", EINVAL, "");
    feed_text("a chunk that goes on", UNSIGNED, "1\r\nab\r\n", EINVAL, "");
    feed_text("more after the end", UNSIGNED, "0\r\n\r\nx", EINVAL, "");
    feed_text("a trailer without colon", UNSIGNED, "0\r\nx\r\n\r\n", EINVAL,
              "");
    feed_text("two trailers", UNSIGNED, "0\r\na:b\r\nc:d\r\n", EINVAL, "");
    feed_text("a signed one without signature", SIGNED, "1\r\na\r\n", EINVAL,
              "");
    feed_text("a short signature", SIGNED, "0;chunk-signature=1\r\n\r\n",
              EACCES, "");
    memset(longer, '0', sizeof(longer));
    is_int(feed(UNSIGNED, "", longer, sizeof(longer), 100), EINVAL,
           "a line without end");
    is_int(feed(UNSIGNED, "", "1\0\r\n", 4, 4), EINVAL, "a NUL in a line");
}

/* Whatever comes, it must neither crash nor give more than was put in. */
static void
test_noise(void)
{
    static const char letters[] = "0019aF;=\r\n\r\nchunk-signature:x";
    char body[200];
    bool good = true;

    srand(1);
    for (int round = 0; round < 20000; round++) {
        for (size_t i = 0; i < sizeof(body); i++)
            body[i] = letters[(size_t) rand() % (sizeof(letters) - 1)];
        (void) feed(round % 2 == 0 ? UNSIGNED : SIGNED_TRAILER, "", body,
                    sizeof(body), 1 + (size_t) rand() % sizeof(body));
        good = good && decoded.len <= sizeof(body);
    }
    ok(good, "noise does no harm");
}

int
main(void)
{
    content = malloc(CONTENT);
    for (size_t i = 0; i < CONTENT; i++)
        content[i] = (char) (i * 7 + 3);
    buf_init(&decoded, 1 << 20);
    mem_chunks_init(&chunks);
    if (mem_signer_new(&signer) != 0)
        return EXIT_FAILURE;
    test_signed();
    test_signed_trailer();
    test_unsigned();
    test_noise();
    ok(mem_chunks_is_kind(SIGNED) && mem_chunks_is_kind(UNSIGNED) &&
           mem_chunks_is_kind(SIGNED_TRAILER) &&
           !mem_chunks_is_kind("STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD"),
       "which kinds are known");
    mem_chunks_clear(&chunks);
    mem_signer_free(signer);
    buf_clear(&decoded);
    free(content);
    return done_testing();
}
