/* SPDX-License-Identifier: MIT */
/*
 * CRCs of reflected polynomials up to degree 64.
 *
 * The fast way is that of Gopal and others, "Fast CRC Computation for Generic
 * Polynomials Using PCLMULQDQ Instruction" (Intel, 2009), in a form that does
 * not ask for the degree: 128 bits of the message times x^D are congruent to
 * their halves times x^(D+64) and x^D, both reduced, and these two constants
 * are computed. So 64 bytes at a time are folded onto the next 64, the last
 * 64 onto 16, and these 16 and what is left go through the table.
 */
#include "config.h"

#include "checksum_parts.h"

#include <pthread.h>
#include <string.h>

#if defined __x86_64__
#include <immintrin.h>
#define HAVE_FOLDING 1
#endif

#define SLICES 8
#define FOLDED_MIN 128 /* shorter ones go through the table */

static struct crc {
    uint64_t polynomial; /* reflected, without its highest power */
    unsigned degree;
    uint64_t table[SLICES][256]; /* [s][b]: what byte b does when s bytes
                                    follow it */
    uint64_t fold[2][2]; /* x^(D+63) and x^(D-1), D being 512 and 128; as a
                            register of 64 bits */
} crcs[] = {
    [CHECKSUM_CRC32] = {.polynomial = 0xedb88320, .degree = 32},
    [CHECKSUM_CRC32C] = {.polynomial = 0x82f63b78, .degree = 32},
    [CHECKSUM_CRC64NVME] = {.polynomial = 0x9a6c9329ac4bc9b5, .degree = 64},
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool can_fold;

/* A register of C times x. */
static uint64_t
times_x(const struct crc *c, uint64_t v)
{
    return v & 1 ? v >> 1 ^ c->polynomial : v >> 1;
}

static void
make_table(struct crc *c)
{
    for (unsigned b = 0; b < 256; b++) {
        uint64_t v = b;

        for (int bit = 0; bit < 8; bit++)
            v = times_x(c, v);
        c->table[0][b] = v;
    }
    for (unsigned b = 0; b < 256; b++)
        for (int s = 1; s < SLICES; s++) {
            uint64_t before = c->table[s - 1][b];

            c->table[s][b] = before >> 8 ^ c->table[0][before & 255];
        }
}

/* x^N modulo C's polynomial, in the highest powers of 64 bits. */
static uint64_t
power(const struct crc *c, unsigned n)
{
    uint64_t v = UINT64_C(1) << (c->degree - 1);

    while (n-- > 0)
        v = times_x(c, v);
    return v << (64 - c->degree);
}

static void
prepare(void)
{
    for (int k = CHECKSUM_CRC32; k <= CHECKSUM_CRC64NVME; k++) {
        struct crc *c = &crcs[k];

        make_table(c);
        for (int i = 0; i < 2; i++) {
            unsigned distance = i == 0 ? 512 : 128;

            c->fold[i][0] = power(c, distance + 63);
            c->fold[i][1] = power(c, distance - 1);
        }
    }
#if HAVE_FOLDING
    can_fold =
        __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
#endif
}

static uint64_t
load_le64(const unsigned char *at)
{
    uint64_t v = 0;

    for (int i = 7; i >= 0; i--)
        v = v << 8 | at[i];
    return v;
}

static uint64_t
add_by_table(const struct crc *c, uint64_t crc, const unsigned char *at,
             size_t n)
{
    for (; n >= SLICES; n -= SLICES, at += SLICES) {
        uint64_t v = crc ^ load_le64(at);

        crc = c->table[7][v & 255] ^ c->table[6][v >> 8 & 255] ^
              c->table[5][v >> 16 & 255] ^ c->table[4][v >> 24 & 255] ^
              c->table[3][v >> 32 & 255] ^ c->table[2][v >> 40 & 255] ^
              c->table[1][v >> 48 & 255] ^ c->table[0][v >> 56];
    }
    for (; n > 0; n--)
        crc = crc >> 8 ^ c->table[0][(crc ^ *at++) & 255];
    return crc;
}

#if HAVE_FOLDING

#define FOLDING __attribute__((target("pclmul,sse4.1")))

static inline FOLDING __m128i
load(const unsigned char *at)
{
    return _mm_loadu_si128((const __m128i *) (const void *) at);
}

/* V, by as many bits further on as K says, onto NEXT. */
static inline FOLDING __m128i
fold(__m128i v, __m128i k, __m128i next)
{
    return _mm_xor_si128(next, _mm_xor_si128(_mm_clmulepi64_si128(v, k, 0x00),
                                             _mm_clmulepi64_si128(v, k, 0x11)));
}

/* N is at least 64. */
static FOLDING uint64_t
add_by_folding(const struct crc *c, uint64_t crc, const unsigned char *at,
               size_t n)
{
    const __m128i far =
        _mm_set_epi64x((long long) c->fold[0][1], (long long) c->fold[0][0]);
    const __m128i near =
        _mm_set_epi64x((long long) c->fold[1][1], (long long) c->fold[1][0]);
    unsigned char folded[16];
    __m128i v[4];

    for (int i = 0; i < 4; i++)
        v[i] = load(at + 16 * i);
    v[0] = _mm_xor_si128(v[0], _mm_set_epi64x(0, (long long) crc));
    for (at += 64, n -= 64; n >= 64; at += 64, n -= 64)
        for (int i = 0; i < 4; i++)
            v[i] = fold(v[i], far, load(at + 16 * i));
    for (int i = 1; i < 4; i++)
        v[i] = fold(v[i - 1], near, v[i]);
    for (; n >= 16; at += 16, n -= 16)
        v[3] = fold(v[3], near, load(at));
    _mm_storeu_si128((__m128i *) (void *) folded, v[3]);
    crc = add_by_table(c, 0, folded, sizeof folded);
    return add_by_table(c, crc, at, n);
}

#else

static uint64_t
add_by_folding(const struct crc *c, uint64_t crc, const unsigned char *at,
               size_t n)
{
    return add_by_table(c, crc, at, n);
}

#endif

uint64_t
checksum_crc_add(enum checksum_kind kind, uint64_t crc,
                 const unsigned char *bytes, size_t n, bool portable)
{
    const struct crc *c = &crcs[kind];

    pthread_once(&once, prepare);
    return can_fold && !portable && n >= FOLDED_MIN
               ? add_by_folding(c, crc, bytes, n)
               : add_by_table(c, crc, bytes, n);
}
